#include "core/work/stack_record.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/json_text.h"
#include "core/job/provenance.h"

namespace gantry {

using json = nlohmann::ordered_json;

namespace {

json recordBeside(const std::filesystem::path& volume) {
    const std::filesystem::path path = provenancePath(volume);
    json record = ownOrderedJson(readTextFile(path));
    if (!record.is_object() || !record.contains("inputs"))
        throw InputError(fmt::format(
            "{} is damaged: it is no record of how a volume came about. Remove it and its volume, "
            "and start again.",
            path.string()));
    return record;
}

}  // namespace

std::string stackRecord(const JobSpec& whole, const std::vector<RecordedScan>& scans,
                        const std::vector<std::string>& notes) {
    json inputs = json::array();
    json parts = json::array();
    std::string engine;
    for (const RecordedScan& scan : scans) {
        json part = {{"scan", scan.scan.string()},
                     {"heightMm", scan.heightMm},
                     {"slices", {scan.slices.begin, scan.slices.end}},
                     {"job", scan.job.string()}};
        const json own = recordBeside(scan.part);
        for (const auto& [field, value] : own.items()) {
            if (field == "inputs")
                inputs.insert(inputs.end(), value.begin(), value.end());
            else if (field != "gantryProvenance")
                part[field] = value;
        }
        const std::string name = part.value("engine", "");
        if (engine.find(name) == std::string::npos) engine += (engine.empty() ? "" : ", ") + name;
        parts.push_back(std::move(part));
    }
    json record = ownOrderedJson(toJson(Provenance{whole, engine, notes, {}, {}}));
    record["inputs"] = std::move(inputs);
    record["stack"] = std::move(parts);
    return jsonText(record) + "\n";
}

}  // namespace gantry
