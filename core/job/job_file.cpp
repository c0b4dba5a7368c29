#include "core/job/job_file.h"

#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "core/base/error.h"
#include "core/base/json_fields.h"
#include "core/base/json_text.h"
#include "core/base/version.h"
#include "core/io/scan_file/scan_fields.h"
#include "core/job/job_fields.h"
#include "core/plan/cluster/rank_weights.h"

namespace gantry {

using json = nlohmann::ordered_json;

namespace {

constexpr std::array kSections = {"filter", "prep", "output"};
constexpr std::string_view kPrep =
    "prep";  // written only where something differs from the defaults

// Parses everything except scan and volume.
void parseSettings(JsonFields& fields, const std::string& where, JobSpec& spec) {
    spec.corrections = {};
    for (const char* section : kSections) {
        if (section == kPrep && !fields.has(section)) continue;
        JsonFields object = fields.object(section);
        readSection(object, jobFields(), section, spec);
        object.finish();
    }
    throwOnError(validate(spec.corrections), where);
    readSection(fields, jobFields(), "", spec);
    (void)fields.text("programVersion", "");
    try {
        (void)parseRankWeights(spec.weights);
    } catch (const InputError& error) {
        throw InputError(fmt::format("{}: {}", where, error.message()), error.details());
    }
}

void addSettings(json& document, const JobSpec& spec) {
    for (const char* section : kSections)
        if (section != kPrep || spec.corrections != Corrections())
            writeSection(document[section], jobFields(), section, spec);
    writeSection(document, jobFields(), "", spec);
}

}  // namespace

JobSpec parseJobSpec(const std::string& text, const std::string& where) {
    const nlohmann::json document = parseJson(text, where);
    JsonFields fields(document, where);
    if (const Index version = fields.integer("gantryJob"); version != 1)
        fields.fail("gantryJob", "is {}; this version of Gantry reads 1", version);
    JobSpec spec;
    const std::filesystem::path scanPath = fields.text("scanFile");
    spec.scan = parseScan(jsonText(fields.raw("scan")), scanPath);
    spec.volume = readGrid(fields.object("volume"));
    parseSettings(fields, where, spec);
    fields.finish();
    return spec;
}

std::string toJson(const JobSpec& spec) {
    json document = {{"gantryJob", 1},
                     {"programVersion", programVersion()},
                     {"scanFile", spec.scan.path.string()},
                     {"scan", ownOrderedJson(toJson(spec.scan))}};
    document["volume"] = gridJson(spec.volume);
    addSettings(document, spec);
    return jsonText(document) + "\n";
}

bool takeSettings(const std::string& text, const std::string& where, JobSpec& spec) {
    const nlohmann::json document = parseJson(text, where);
    JsonFields fields(document, where);
    if (const Index version = fields.integer("gantrySettings"); version != 1)
        fields.fail("gantrySettings", "version {} is not known; allowed: 1", version);
    JobSpec taken = spec;
    parseSettings(fields, where, taken);
    const bool hasVolume = fields.has("volume");
    if (hasVolume) taken.volume = readGrid(fields.object("volume"));
    fields.finish();
    spec = std::move(taken);
    return hasVolume;
}

std::string settingsJson(const JobSpec& spec, bool withVolume) {
    json document = {{"gantrySettings", 1}, {"programVersion", programVersion()}};
    if (withVolume) document["volume"] = gridJson(spec.volume);
    addSettings(document, spec);
    return jsonText(document) + "\n";
}

}  // namespace gantry
