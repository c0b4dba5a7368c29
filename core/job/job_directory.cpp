#include "core/job/job_directory.h"

#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/json_fields.h"
#include "core/base/json_text.h"
#include "core/job/job_file.h"
#include "core/job/job_lock.h"

namespace gantry {

namespace fs = std::filesystem;
using json = nlohmann::ordered_json;

namespace {

// Everything that a job may leave in its folder, besides volumes.
constexpr std::array kFiles = {"job.json",    "events.jsonl",  "checkpoint.json", "summary.bin",
                               "lock",        "forecast.json", "plan.json",       "report.html",
                               "preview.mha", "slices.png",    "comparison.html", "comparison.png",
                               "name.txt"};

void requireJobOrEmpty(const fs::path& folder) {
    if (!pathExists(folder)) return;
    if (!isFolder(folder))
        throw InputError(fmt::format("{} is a file; the job needs a folder. Choose another name.",
                                     folder.string()));
    if (!entriesOf(folder).empty() && !pathExists(folder / "job.json") &&
        !pathExists(folder / "lock"))
        throw InputError(fmt::format(
            "The folder {} holds other files than a job's. Choose a new or empty folder.",
            folder.string()));
}

// Names and places of the counts in a checkpoint.
struct InvalidField {
    const char* name;
    Index InvalidPixels::*count;
};
constexpr InvalidField kInvalidFields[] = {
    {"pixels", &InvalidPixels::pixels},       {"zero", &InvalidPixels::zero},
    {"negative", &InvalidPixels::negative},   {"saturated", &InvalidPixels::saturated},
    {"notFinite", &InvalidPixels::notFinite}, {"bad", &InvalidPixels::bad}};

InvalidPixels parseInvalidPixels(JsonFields fields) {
    InvalidPixels invalid;
    for (const InvalidField& field : kInvalidFields)
        invalid.*field.count = fields.integer(field.name);
    // Of earlier versions; the plan decides which rows are counted in a slab.
    (void)fields.integer("countedRows", 0);
    fields.finish();
    return invalid;
}

json toJson(const InvalidPixels& invalid) {
    json document;
    for (const InvalidField& field : kInvalidFields)
        document[field.name] = invalid.*field.count;
    return document;
}

// Numbers of slabs; of earlier versions, how many they were from the first on. Nothing where there
// are no such slabs.
std::optional<std::set<Index>> parseSlabsDone(const nlohmann::json& value, Index slabs) {
    std::set<Index> done;
    if (value.is_number_integer()) {
        const auto count = value.get<Index>();
        if (count < 0 || count > slabs) return std::nullopt;
        for (Index slab = 0; slab < count; ++slab)
            done.insert(slab);
        return done;
    }
    if (!value.is_array()) return std::nullopt;
    for (const nlohmann::json& slab : value) {
        const Index number = slab.is_number_integer() ? slab.get<Index>() : -1;
        if (number < 0 || number >= slabs) return std::nullopt;
        done.insert(number);
    }
    return done;
}

// The files of an earlier job, and what it had half-written when it was killed.
void removeLeftovers(const fs::path& folder) {
    std::error_code ignored;
    for (const char* name : kFiles)
        if (std::string_view(name) != "lock") fs::remove(folder / name, ignored);
    for (const fs::path& entry : entriesOf(folder))
        if (entry.extension() == ".part") fs::remove(entry, ignored);
}

}  // namespace

JobDirectory::JobDirectory(fs::path folder, File lock, JobSpec spec)
    : m_folder(std::move(folder)), m_lock(std::move(lock)), m_spec(std::move(spec)) {}

JobDirectory JobDirectory::create(const fs::path& folder, const JobSpec& spec) {
    requireJobOrEmpty(folder);
    std::error_code error;
    fs::create_directory(folder, error);
    if (error)
        throw InputError(fmt::format("The job's folder {} cannot be made: {}.", folder.string(),
                                     error.message()));
    File lock = takeJobLock(folder);
    removeLeftovers(folder);
    writeFileAtomically(folder / "job.json", toJson(spec));
    return {folder, std::move(lock), spec};
}

JobDirectory JobDirectory::open(const fs::path& folder) {
    if (!pathExists(folder / "job.json"))
        throw InputError(
            fmt::format("{} is not a job folder: it has no job.json.", folder.string()));
    File lock = takeJobLock(folder);
    const fs::path request = folder / "job.json";
    return {folder, std::move(lock), parseJobSpec(readTextFile(request), request.string())};
}

std::optional<Checkpoint> JobDirectory::readCheckpoint() const {
    const fs::path path = file("checkpoint.json");
    if (!pathExists(path)) return std::nullopt;
    const nlohmann::json document = readJsonFile(path);
    JsonFields fields(document, path.string());
    Checkpoint checkpoint;
    constexpr const char* kNotOfThisJob =
        "does not fit the job's volume. Start the job again from the beginning";
    Index next = 0;
    for (const nlohmann::json& end : fields.raw("slabEnds")) {
        const Index slabEnd = end.is_number_integer() ? end.get<Index>() : 0;
        if (slabEnd <= next || slabEnd > m_spec.volume.voxels[2])
            fields.fail("slabEnds", kNotOfThisJob);
        checkpoint.slabs.slabs.emplace_back(next, slabEnd);
        next = slabEnd;
    }
    const auto done =
        parseSlabsDone(fields.raw("slabsDone"), static_cast<Index>(checkpoint.slabs.slabs.size()));
    if (next != m_spec.volume.voxels[2] || !done) fields.fail("slabsDone", kNotOfThisJob);
    checkpoint.slabs.done = *done;
    // "gated": of earlier versions.
    checkpoint.invalidPixels =
        parseInvalidPixels(fields.object(fields.has("gated") ? "gated" : "invalidPixels"));
    checkpoint.inputs = fields.text("inputs");
    checkpoint.engine = fields.text("engine", "");
    fields.finish();
    constexpr Index kMostSummaryBytes = 4'000'000'000;
    if (!checkpoint.slabs.done.empty())
        checkpoint.summary = readTextFile(file("summary.bin"), kMostSummaryBytes);
    return checkpoint;
}

void JobDirectory::writeCheckpoint(const Checkpoint& checkpoint) const {
    json ends = json::array();
    for (const IndexRanges& slab : checkpoint.slabs.slabs) {
        require(slab.parts().size() == 1, "a checkpoint knows slabs of one range alone");
        ends.push_back(slab.hull().end);
    }
    const json document = {{"slabEnds", ends},
                           {"slabsDone", checkpoint.slabs.done},
                           {"invalidPixels", toJson(checkpoint.invalidPixels)},
                           {"inputs", checkpoint.inputs},
                           {"engine", checkpoint.engine}};
    // First what the checkpoint refers to.
    writeFileAtomically(file("summary.bin"), checkpoint.summary);
    writeFileAtomically(file("checkpoint.json"), jsonText(document, -1) + "\n");
}

void JobDirectory::removeCheckpoint() const {
    std::error_code ignored;
    fs::remove(file("checkpoint.json"), ignored);
    fs::remove(file("summary.bin"), ignored);
}

fs::path jobFolderFor(const fs::path& output) {
    fs::path folder = output;
    if (!folder.has_filename()) folder = folder.parent_path();  // "slices/" names a folder
    folder += ".job";
    return folder;
}

}  // namespace gantry
