#include "core/job/job_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

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

using Table = std::span<const FileField<JobSpec>>;

// A part of the file that is an object of its own.
struct Section {
    std::string name;
    bool isNeeded = false;  // others are written only where something differs from the defaults, so
                            // that earlier versions read the rest
};

std::vector<Section> sectionsOf(Table table) {
    std::vector<Section> sections;
    for (const FileField<JobSpec>& field : table) {
        if (field.shape.section.empty()) continue;
        auto section = std::ranges::find(sections, field.shape.section, &Section::name);
        if (section == sections.end())
            section = sections.insert(section, {std::string(field.shape.section)});
        section->isNeeded |= field.shape.presence == FieldPresence::needed;
    }
    return sections;
}

// Parses everything except scan and volume.
void parseSettings(JsonFields& fields, const std::string& where, JobSpec& spec, Table table) {
    spec.corrections = {};
    spec.method = {};
    for (const Section& section : sectionsOf(table)) {
        if (!section.isNeeded && !fields.has(section.name)) continue;
        JsonFields object = fields.object(section.name);
        readSection(object, table, section.name, spec);
        object.finish();
    }
    throwOnError(validate(spec.corrections), where);
    throwOnError(validate(spec.method), where);
    readSection(fields, table, "", spec);
    (void)fields.text("programVersion", "");
    try {
        (void)parseRankWeights(spec.weights);
    } catch (const InputError& error) {
        throw InputError(fmt::format("{}: {}", where, error.message()), error.details());
    }
}

bool isWritten(const Section& section, const JobSpec& spec, Table table) {
    if (section.isNeeded) return true;
    if (section.name == "method") return spec.method.isIterative();
    const JobSpec usual;
    return std::ranges::any_of(table, [&](const FileField<JobSpec>& field) {
        return field.shape.section == section.name && !field.isSame(spec, usual);
    });
}

void addSettings(json& document, const JobSpec& spec, Table table) {
    for (const Section& section : sectionsOf(table))
        if (isWritten(section, spec, table))
            writeSection(document[section.name], table, section.name, spec);
    writeSection(document, table, "", spec);
}

}  // namespace

JobSpec parseJobSpec(const std::string& text, const std::string& where, Table table) {
    const nlohmann::json document = parseJson(text, where);
    JsonFields fields(document, where);
    if (const Index version = fields.integer("gantryJob"); version != 1)
        fields.fail("gantryJob", "is {}; this version of Gantry reads 1", version);
    JobSpec spec;
    const std::filesystem::path scanPath = fields.text("scanFile");
    spec.scan = parseScan(jsonText(fields.raw("scan")), scanPath);
    spec.volume = readGrid(fields.object("volume"));
    parseSettings(fields, where, spec, table);
    fields.finish();
    return spec;
}

std::string toJson(const JobSpec& spec, Table table) {
    json document = {{"gantryJob", 1},
                     {"programVersion", programVersion()},
                     {"scanFile", spec.scan.path.string()},
                     {"scan", ownOrderedJson(toJson(spec.scan))}};
    document["volume"] = gridJson(spec.volume);
    addSettings(document, spec, table);
    return jsonText(document) + "\n";
}

bool takeSettings(const std::string& text, const std::string& where, JobSpec& spec) {
    const nlohmann::json document = parseJson(text, where);
    JsonFields fields(document, where);
    if (const Index version = fields.integer("gantrySettings"); version != 1)
        fields.fail("gantrySettings", "version {} is not known; allowed: 1", version);
    JobSpec taken = spec;
    parseSettings(fields, where, taken, jobFields());
    const bool hasVolume = fields.has("volume");
    if (hasVolume) taken.volume = readGrid(fields.object("volume"));
    fields.finish();
    spec = std::move(taken);
    return hasVolume;
}

std::string settingsJson(const JobSpec& spec, bool withVolume) {
    json document = {{"gantrySettings", 1}, {"programVersion", programVersion()}};
    if (withVolume) document["volume"] = gridJson(spec.volume);
    addSettings(document, spec, jobFields());
    return jsonText(document) + "\n";
}

}  // namespace gantry
