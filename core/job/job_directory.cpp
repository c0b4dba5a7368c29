#include "core/job/job_directory.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <map>
#include <nlohmann/json.hpp>

#include "core/base/json_fields.h"
#include "core/base/json_text.h"
#include "core/base/throw_error.h"
#include "core/base/written_place.h"
#include "core/io/input_files.h"
#include "core/io/volume/output_names.h"
#include "core/job/index_ranges_json.h"
#include "core/job/job_file.h"
#include "core/job/job_lock.h"
#include "core/job/provenance.h"

namespace gantry {

namespace fs = std::filesystem;
using json = nlohmann::ordered_json;

namespace {

// "checkpoint.rank3": a line of JSON, and the contribution of the rank's slices to the summary.
// They are in one file because the second part fits only the first.
constexpr const char* kRankCheckpoint = "checkpoint.rank";
constexpr Index kMaxSummaryBytes = 4'000'000'000;
constexpr const char* kNotOfThisJob =
    "does not fit the job's volume. Start the job again from the beginning";

// Everything that a job may leave in its folder, besides volumes.
constexpr std::array kFiles = {"job.json",    "events.jsonl",  "checkpoint.json", "summary.bin",
                               "lock",        "forecast.json", "plan.json",       "report.html",
                               "preview.mha", "slices.png",    "comparison.html", "comparison.png",
                               "name.txt",    kIterationState, kStopRequest};

bool isRankCheckpoint(const fs::path& file) {
    const std::string name = file.filename().string();
    return name.starts_with(kRankCheckpoint) && file.extension() != ".part";
}
bool isOfARank(const fs::path& file) {
    return isRankCheckpoint(file) || file.filename().string().starts_with("events.rank");
}

void requireJobOrEmpty(const fs::path& folder) {
    if (!pathExists(folder)) return;
    if (!isFolder(folder))
        throwError<InputError>("{} is a file; the job needs a folder. Choose another name.",
                               folder.string());
    if (!entriesOf(folder).empty() && !pathExists(folder / "job.json") &&
        !pathExists(folder / "lock"))
        throwError<InputError>(
            "The folder {} holds other files than a job's. Choose a new or empty folder.",
            folder.string());
}

// Names of the counts in a checkpoint, and their members.
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
    invalid.zingers = fields.integer("zingers", 0);  // 0 where zingers were not removed
    // Earlier versions wrote it; now the plan decides which rows are counted in a slab.
    (void)fields.integer("countedRows", 0);
    fields.finish();
    return invalid;
}

json toJson(const InvalidPixels& invalid) {
    json document;
    for (const InvalidField& field : kInvalidFields)
        document[field.name] = invalid.*field.count;
    if (invalid.zingers > 0) document["zingers"] = invalid.zingers;
    return document;
}

// Numbers of slabs; earlier versions wrote how many were done from the first on. Nothing if there
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

int rankOf(const fs::path& file) {
    const std::string digits =
        file.filename().string().substr(std::string_view(kRankCheckpoint).size());
    int rank = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), rank);
    return rank;
}

std::vector<RankCheckpoint::Part> parseParts(JsonFields& fields, Index slabs) {
    std::vector<RankCheckpoint::Part> parts;
    const nlohmann::json list = fields.raw("parts");
    for (const nlohmann::json& value : list) {
        JsonFields part(value, "parts");
        const auto done = parseSlabsDone(part.raw("slabs"), slabs);
        if (!done) fields.fail("parts", kNotOfThisJob);
        parts.push_back(
            {{done->begin(), done->end()}, parseInvalidPixels(part.object("invalidPixels"))});
    }
    return parts;
}

// Adds what a rank of the same run has finished; a file of an earlier run is ignored.
void readRank(const fs::path& path, Index slices, Checkpoint& checkpoint) {
    const std::string text = readTextFile(path, kMaxSummaryBytes);
    const std::size_t end = text.find('\n');
    const nlohmann::json document = parseJson(text.substr(0, end), path.string());
    JsonFields fields(document, path.string());
    if (fields.text("run") != checkpoint.run) return;
    RankCheckpoint rank;
    rank.rank = rankOf(path);
    const auto done = parseSlabsDone(fields.raw("slabsDone"), std::ssize(checkpoint.slabs.slabs));
    if (!done) fields.fail("slabsDone", kNotOfThisJob);
    if (fields.has("invalidPixels"))  // written by earlier versions
        rank.parts.push_back(
            {{done->begin(), done->end()}, parseInvalidPixels(fields.object("invalidPixels"))});
    else
        rank.parts = parseParts(fields, std::ssize(checkpoint.slabs.slabs));
    if (fields.has("slices"))
        for (const nlohmann::json& value : fields.raw("slices")) {
            const std::optional<IndexRanges> range = parseIndexRanges(value);
            if (!range || range->hull().begin < 0 || range->hull().end > slices)
                fields.fail("slices", kNotOfThisJob);
            rank.slices.push_back(range->hull());
        }
    fields.finish();
    rank.summary = text.substr(end + 1);
    checkpoint.ranks.push_back(std::move(rank));
}

// Whether slabs follow each other from the first slice on, as in most jobs.
bool areStacked(const std::vector<IndexRanges>& slabs) {
    Index next = 0;
    for (const IndexRanges& slab : slabs) {
        if (slab.parts().size() != 1 || slab.hull().begin != next) return false;
        next = slab.hull().end;
    }
    return true;
}

json slabEndsJson(const std::vector<IndexRanges>& slabs) {
    json list = json::array();
    for (const IndexRanges& slab : slabs)
        list.push_back(slab.hull().end);
    return list;
}

json slabsJson(const std::vector<IndexRanges>& slabs) {
    json list = json::array();
    for (const IndexRanges& slab : slabs)
        list.push_back(toJson(slab));
    return list;
}

// Slabs that follow each other, from the slices at which they end, which is also the form of
// earlier versions. Nothing if these are not slabs of `slices` slices.
std::optional<std::vector<IndexRanges>> parseSlabEnds(const nlohmann::json& list, Index slices) {
    std::vector<IndexRanges> slabs;
    Index next = 0;
    for (const nlohmann::json& end : list) {
        const Index slabEnd = end.is_number_integer() ? end.get<Index>() : 0;
        if (slabEnd <= next || slabEnd > slices) return std::nullopt;
        slabs.emplace_back(next, slabEnd);
        next = slabEnd;
    }
    return next == slices ? std::optional(slabs) : std::nullopt;
}

// Any slabs that contain each of `slices` slices once; otherwise nothing.
std::optional<std::vector<IndexRanges>> parseSlabs(const nlohmann::json& list, Index slices) {
    std::vector<IndexRanges> slabs;
    std::vector<bool> isMade(slices);
    Index made = 0;
    for (const nlohmann::json& value : list) {
        const std::optional<IndexRanges> slab = parseIndexRanges(value);
        if (!slab || slab->hull().begin < 0 || slab->hull().end > slices) return std::nullopt;
        for (const IndexRange& part : slab->parts())
            for (Index z = part.begin; z < part.end; ++z) {
                if (isMade[z]) return std::nullopt;
                isMade[z] = true;
            }
        made += slab->size();
        slabs.push_back(*slab);
    }
    return made == slices ? std::optional(slabs) : std::nullopt;
}

FilterRows parseRows(JsonFields& fields) {
    const std::string word = fields.text("filterRows");
    const std::size_t place = placeOf(word, std::span(kFilterRows).subspan(1));
    if (place + 1 >= std::size(kFilterRows)) fields.fail("filterRows", kNotOfThisJob);
    return static_cast<FilterRows>(place);
}

RowExtension parseExtension(JsonFields fields) {
    const RowExtension extension = {fields.integer("before"), fields.integer("after"),
                                    fields.number("perColumn"), fields.integer("shownBefore", 0),
                                    fields.integer("shownAfter", 0)};
    fields.finish();
    if (extension.before < 0 || extension.after < 0 || !(extension.perColumn >= 0) ||
        extension.shownBefore < 0 || extension.shownAfter < 0)
        fields.fail("before", kNotOfThisJob);
    return extension;
}

// Removes the files of an earlier job, including those half-written when it was killed.
void removeLeftovers(const fs::path& folder) {
    std::error_code ignored;
    for (const fs::path& file : filesOfJob(folder))
        if (file.filename() != "lock") fs::remove(file, ignored);
}

}  // namespace

std::vector<fs::path> filesOfJob(const fs::path& folder) {
    std::vector<fs::path> files;
    files.reserve(kFiles.size());
    for (const char* name : kFiles)
        files.push_back(folder / name);
    if (isFolder(folder))
        for (const fs::path& entry : entriesOf(folder))
            if (entry.extension() == ".part" || isOfARank(entry)) files.push_back(entry);
    return files;
}

JobDirectory::JobDirectory(fs::path folder, File lock, JobSpec spec)
    : m_folder(std::move(folder)), m_lock(std::move(lock)), m_spec(std::move(spec)) {}

JobDirectory JobDirectory::create(const fs::path& folder, const JobSpec& spec) {
    requireJobOrEmpty(folder);
    requireInputsSpared(spec, folder);
    makeFolder(folder);
    File lock = takeJobLock(folder);
    removeLeftovers(folder);
    writeFileAtomically(folder / "job.json", toJson(spec));
    return {folder, std::move(lock), spec};
}

JobDirectory JobDirectory::open(const fs::path& folder) {
    if (!pathExists(folder / "job.json"))
        throwError<InputError>("{} is not a job folder: it has no job.json.", folder.string());
    File lock = takeJobLock(folder);
    const fs::path request = folder / "job.json";
    return {folder, std::move(lock), parseJobSpec(readTextFile(request), request.string())};
}

JobDirectory JobDirectory::join(const fs::path& folder) {
    const fs::path request = folder / "job.json";
    if (!pathExists(request))
        throwError<InputError>(
            "{} is not a job folder: it has no job.json. All ranks must see the same folder.",
            folder.string());
    return {folder, File(), parseJobSpec(readTextFile(request), request.string())};
}

std::set<Index> RankCheckpoint::slabs() const {
    std::set<Index> all;
    for (const Part& part : parts)
        all.insert(part.slabs.begin(), part.slabs.end());
    return all;
}

std::set<Index> Checkpoint::allDone() const {
    std::map<Index, Index> parts;
    for (const RankCheckpoint& rank : ranks)
        for (const Index slab : rank.slabs())
            ++parts[slab];
    std::set<Index> done = slabs.done;
    for (const auto& [slab, count] : parts)
        if (count >= sharers) done.insert(slab);
    return done;
}

InvalidPixels Checkpoint::invalidOf(const RankCheckpoint& rank) const {
    const std::set<Index> done = allDone();
    InvalidPixels invalid;
    for (const RankCheckpoint::Part& part : rank.parts)
        if (std::ranges::all_of(part.slabs, [&](Index slab) { return done.contains(slab); }))
            invalid += part.invalidPixels;
    return invalid;
}

InvalidPixels Checkpoint::allInvalid() const {
    InvalidPixels invalid = invalidPixels;
    for (const RankCheckpoint& rank : ranks)
        invalid += invalidOf(rank);
    return invalid;
}

std::optional<Checkpoint> JobDirectory::readCheckpoint() const {
    const fs::path path = file("checkpoint.json");
    if (!pathExists(path)) return std::nullopt;
    const nlohmann::json document = readJsonFile(path);
    JsonFields fields(document, path.string());
    Checkpoint checkpoint;
    const Index slices = m_spec.volume.voxels[2];
    const char* field = fields.has("slabs") ? "slabs" : "slabEnds";
    const auto slabs = fields.has("slabs") ? parseSlabs(fields.raw(field), slices)
                                           : parseSlabEnds(fields.raw(field), slices);
    if (!slabs) fields.fail(field, kNotOfThisJob);
    const auto done = parseSlabsDone(fields.raw("slabsDone"), std::ssize(*slabs));
    if (!done) fields.fail("slabsDone", kNotOfThisJob);
    checkpoint.slabs = {*slabs, *done};
    // "gated" is the name in earlier versions.
    checkpoint.invalidPixels =
        parseInvalidPixels(fields.object(fields.has("gated") ? "gated" : "invalidPixels"));
    checkpoint.inputs = fields.text("inputs");
    checkpoint.engine = fields.text("engine", "");
    if (fields.has("filterRows")) checkpoint.choices.rows = parseRows(fields);
    if (fields.has("rowExtension"))
        checkpoint.choices.extension = parseExtension(fields.object("rowExtension"));
    checkpoint.run = fields.text("run", "");
    checkpoint.sharers = fields.integer("columns", 1);
    fields.finish();
    if (!checkpoint.run.empty())
        for (const fs::path& entry : entriesOf(m_folder))
            if (isRankCheckpoint(entry)) readRank(entry, slices, checkpoint);
    if (!checkpoint.slabs.done.empty())
        checkpoint.summary = readTextFile(file("summary.bin"), kMaxSummaryBytes);
    return checkpoint;
}

void JobDirectory::writeCheckpoint(const Checkpoint& checkpoint) const {
    const std::vector<IndexRanges>& slabs = checkpoint.slabs.slabs;
    json document;
    if (areStacked(slabs))  // a form that earlier versions read too
        document["slabEnds"] = slabEndsJson(slabs);
    else
        document["slabs"] = slabsJson(slabs);
    document["slabsDone"] = checkpoint.slabs.done;
    document["invalidPixels"] = toJson(checkpoint.invalidPixels);
    document["inputs"] = checkpoint.inputs;
    document["engine"] = checkpoint.engine;
    const auto& [rows, extension] = checkpoint.choices;
    if (rows) document["filterRows"] = kFilterRows[1 + static_cast<std::size_t>(*rows)].word;
    if (extension != RowExtension())
        document["rowExtension"] = {{"before", extension.before},
                                    {"after", extension.after},
                                    {"perColumn", extension.perColumn},
                                    {"shownBefore", extension.shownBefore},
                                    {"shownAfter", extension.shownAfter}};
    if (!checkpoint.run.empty()) document["run"] = checkpoint.run;
    if (checkpoint.sharers > 1) document["columns"] = checkpoint.sharers;
    // The files that the checkpoint refers to are written first.
    writeFileAtomically(file("summary.bin"), checkpoint.summary);
    writeFileAtomically(file("checkpoint.json"), jsonText(document, -1) + "\n");
}

void JobDirectory::writeRankCheckpoint(const std::string& run,
                                       const RankCheckpoint& checkpoint) const {
    json document = {{"run", run}, {"slabsDone", checkpoint.slabs()}, {"parts", json::array()}};
    for (const RankCheckpoint::Part& part : checkpoint.parts)
        document["parts"].push_back(
            {{"slabs", part.slabs}, {"invalidPixels", toJson(part.invalidPixels)}});
    for (const IndexRange& range : checkpoint.slices)
        document["slices"].push_back(toJson(IndexRanges(range)));
    writeFileAtomically(m_folder / fmt::format("{}{}", kRankCheckpoint, checkpoint.rank),
                        jsonText(document, -1) + "\n" + checkpoint.summary);
}

void JobDirectory::removeSlabRecords() const {
    std::error_code ignored;
    fs::remove(file("checkpoint.json"), ignored);
    fs::remove(file("summary.bin"), ignored);
    for (const fs::path& entry : entriesOf(m_folder))
        if (isRankCheckpoint(entry)) fs::remove(entry, ignored);
}

void JobDirectory::removeCheckpoint() const {
    std::error_code ignored;
    fs::remove(file(kIterationState), ignored);
    fs::remove(file(kStopRequest), ignored);
    removeSlabRecords();
}

void requestStop(const fs::path& folder) {
    const fs::path request = folder / "job.json";
    if (!pathExists(request))
        throwError<InputError>("{} is not a job folder: it has no job.json.", folder.string());
    const JobSpec spec = parseJobSpec(readTextFile(request), request.string());
    if (!spec.method.isIterative())
        throwError<InputError>(
            "{} is a job by FDK, which has no iterations to end after. Cancel it instead.",
            folder.string());
    writeFileAtomically(folder / kStopRequest, "\n");
}

fs::path jobFolderFor(const fs::path& output) {
    fs::path folder = output;
    if (!folder.has_filename()) folder = folder.parent_path();  // "slices/" names a folder
    folder += ".job";
    return folder;
}

void requireInputsSpared(const JobSpec& spec, const std::filesystem::path& folder) {
    ReadFiles read;
    addScanFiles(read, spec.scan);
    if (spec.method.isIterative()) {
        if (spec.method.startsFromFile()) addVolumeFiles(read, spec.method.start);
        if (spec.method.hasMaskFile()) addVolumeFiles(read, spec.method.mask);
    }
    read.requireApart(outputNames(spec.output.path));
    read.requireApart(provenancePath(spec.output.path));
    if (!folder.empty()) read.requireApart(filesOfJob(folder));
}

}  // namespace gantry
