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

constexpr std::array kSections = {"method", "filter", "prep", "output"};
// Written only where something differs from the defaults, so that earlier versions read the rest.
constexpr std::string_view kPrep = "prep";
constexpr std::string_view kMethod = "method";

// Parses everything except scan and volume.
void parseSettings(JsonFields& fields, const std::string& where, JobSpec& spec) {
    spec.corrections = {};
    spec.method = {};
    for (const char* section : kSections) {
        if ((section == kPrep || section == kMethod) && !fields.has(section)) continue;
        JsonFields object = fields.object(section);
        readSection(object, jobFields(), section, spec);
        object.finish();
    }
    throwOnError(validate(spec.corrections), where);
    throwOnError(validate(spec.method), where);
    readSection(fields, jobFields(), "", spec);
    (void)fields.text("programVersion", "");
    try {
        (void)parseRankWeights(spec.weights);
    } catch (const InputError& error) {
        throw InputError(fmt::format("{}: {}", where, error.message()), error.details());
    }
}

bool isWritten(std::string_view section, const JobSpec& spec) {
    if (section == kPrep) return spec.corrections != Corrections();
    return section != kMethod || spec.method.isIterative();
}

void addSettings(json& document, const JobSpec& spec) {
    for (const char* section : kSections)
        if (isWritten(section, spec)) writeSection(document[section], jobFields(), section, spec);
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
