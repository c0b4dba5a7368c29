#include "core/remote/job/remote_job.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <nlohmann/json.hpp>
#include <random>

#include "core/base/field_table.h"
#include "core/base/file.h"
#include "core/base/json_fields.h"
#include "core/base/json_text.h"
#include "core/base/throw_error.h"
#include "core/job/job_directory.h"
#include "core/remote/host/host.h"
#include "core/remote/host/shell_text.h"

namespace gantry {

namespace fs = std::filesystem;

namespace {

using enum FieldPresence;

constexpr const char* kFile = "remote.json";
constexpr const char* kNextFile = "next.json";
constexpr std::array<FieldWord, 8> kStates = {"preparing", "waiting",   "running", "done",
                                              "failed",    "cancelled", "stopped", "gone"};
constexpr std::array<FieldWord, 3> kWays = {"mapped", "sent", "there"};

constexpr FieldChoice<RemoteJob> kState = {
    kStates, [](const RemoteJob& j) { return static_cast<std::size_t>(j.state); },
    [](RemoteJob& j, std::size_t word) { j.state = static_cast<RemoteState>(word); }};
constexpr FieldChoice<RemoteJob> kWay = {
    kWays, [](const RemoteJob& j) { return static_cast<std::size_t>(j.way); },
    [](RemoteJob& j, std::size_t word) { j.way = static_cast<DataWay>(word); }};
constexpr FieldChoice<RemoteJob> kBring = {
    kBringWords, [](const RemoteJob& j) { return static_cast<std::size_t>(j.bring); },
    [](RemoteJob& j, std::size_t word) { j.bring = static_cast<BringBack>(word); }};

constexpr Index kMax = 1'000'000'000;
constexpr FileField<RemoteJob> kFields[] = {
    {{"", "id", needed}, [](RemoteJob& j) -> std::string& { return j.id; }},
    {{"", "host", needed}, [](RemoteJob& j) -> std::string& { return j.host; }},
    {{"", "place", needed}, [](RemoteJob& j) -> std::string& { return j.place; }},
    {{"", "data", needed}, [](RemoteJob& j) -> std::string& { return j.data; }},
    {{"", "way", needed}, kWay},
    {{"", "bring", needed}, kBring},
    {{"", "number", needed}, [](RemoteJob& j) -> std::string& { return j.number; }},
    {{"", "array", whereSet}, [](RemoteJob& j) -> std::string& { return j.array; }},
    {{"", "nodes", needed, "", "", 1, kMax}, [](RemoteJob& j) -> int& { return j.nodes; }},
    {{"", "ranks", needed, "", "", 1, kMax}, [](RemoteJob& j) -> int& { return j.ranks; }},
    {{"", "minutes", needed, "", "", 0, kMax}, [](RemoteJob& j) -> int& { return j.minutes; }},
    {{"", "state", needed}, kState},
    {{"", "message", needed}, [](RemoteJob& j) -> std::string& { return j.message; }},
    {{"", "isFetched", needed}, [](RemoteJob& j) -> bool& { return j.isFetched; }},
    {{"", "isOfDesktop", defaulted}, [](RemoteJob& j) -> bool& { return j.isOfDesktop; }},
};

// These become the names of files and words for a scheduler.
void checkWords(const JsonFields& fields, const RemoteJob& job) {
    if (job.id.empty() || job.id.find('/') != std::string::npos)
        fields.fail("id", fmt::format("is '{}'; it is a name without '/'", shownText(job.id, 80)));
    if (!job.number.empty() && !isJobNumber(job.number))
        fields.fail("number", fmt::format("is '{}'; it must be a scheduler's, such as 1234",
                                          shownText(job.number, 80)));
    if (!job.array.empty() && !job.id.starts_with(job.array + "-"))
        fields.fail("array", fmt::format("is '{}'; the job's id must begin with it",
                                         shownText(job.array, 80)));
    for (const auto& [field, folder] : {std::pair("place", job.place), {"data", job.data}})
        if (!folder.empty() && !folder.starts_with('/'))
            fields.fail(field, fmt::format("is '{}'; it must begin with /", shownText(folder, 80)));
}

fs::path listFolder() {
    return userFolder("XDG_STATE_HOME", ".local/state") / "remote-jobs";
}

fs::path entryOf(const std::string& id) {
    return listFolder() / (id + ".txt");
}

// Adds the job to the list of this user.
void enlist(const RemoteJob& job) {
    if (pathExists(entryOf(job.id))) return;
    std::error_code error;
    fs::create_directories(listFolder(), error);
    writeFileAtomically(entryOf(job.id), job.folder.string() + "\n");
}

void writeRecord(const RemoteJob& job, const char* name) {
    nlohmann::ordered_json document = {{"gantryRemote", 1}};
    writeSection(document, std::span<const FileField<RemoteJob>>(kFields), "", job);
    writeFileAtomically(job.folder / name, jsonText(document) + "\n");
}

std::optional<RemoteJob> readRecord(const fs::path& folder, const char* name) {
    const fs::path file = folder / name;
    if (!pathExists(file)) return std::nullopt;
    const nlohmann::json document = readJsonFile(file);
    JsonFields fields(document, file.string());
    if (const Index version = fields.integer("gantryRemote"); version != 1)
        fields.fail("gantryRemote", fmt::format("is {}; this version of Gantry reads 1", version));
    RemoteJob job;
    readSection(fields, std::span<const FileField<RemoteJob>>(kFields), "", job);
    fields.finish();
    checkWords(fields, job);
    constexpr std::size_t kMaxMessage = 4000;
    job.message = shownText(job.message, kMaxMessage);  // a host's words
    job.folder = folder;
    return job;
}

}  // namespace

std::string_view name(RemoteState state) {
    return kStates[static_cast<std::size_t>(state)];
}

bool hasEnded(RemoteState state) {
    return state >= RemoteState::done;
}

void keepRemoteJob(const RemoteJob& job) {
    writeRecord(job, kFile);
    enlist(job);
}

std::optional<RemoteJob> readRemoteJob(const fs::path& folder) {
    return readRecord(folder, kFile);
}

void keepNextJob(const RemoteJob& job) {
    writeRecord(job, kNextFile);
}

std::optional<RemoteJob> readNextJob(const fs::path& folder) {
    return readRecord(folder, kNextFile);
}

void forgetNextJob(const fs::path& folder) {
    removeFile(folder / kNextFile);
}

void takeNextJob(const RemoteJob& former, const RemoteJob& next) {
    keepNextJob(next);
    enlist(next);
    renameFile(next.folder / kNextFile, next.folder / kFile);
    unlistRemoteJob(former.id);
}

std::vector<RemoteJob> remoteJobs(const std::function<bool(const fs::path& folder)>& isWanted,
                                  const std::function<void(const std::string&)>& onDamaged) {
    std::vector<RemoteJob> jobs;
    if (!isFolder(listFolder())) return jobs;
    for (const fs::path& entry : entriesOf(listFolder())) {
        if (entry.extension() != ".txt") continue;
        try {
            std::string folder = readTextFile(entry, 100'000);
            if (folder.ends_with('\n')) folder.pop_back();
            if (isWanted && !isWanted(folder)) continue;
            std::optional<RemoteJob> job = readRemoteJob(folder);
            if (job && job->id == entry.stem().string()) jobs.push_back(std::move(*job));
        } catch (const Error& error) {
            if (onDamaged)
                onDamaged(fmt::format("The job {} is left out: {}",
                                      shownText(entry.stem().string()), error.message()));
        }
    }
    return jobs;
}

RemoteJob findRemoteJob(const std::string& word) {
    const fs::path path = fs::absolute(word).lexically_normal();
    for (const fs::path& folder : {path, jobFolderFor(path)})
        if (std::optional<RemoteJob> job = readRemoteJob(folder)) return std::move(*job);
    for (RemoteJob& job : remoteJobs())
        if (job.id == word) return std::move(job);
    throwError<InputError>(
        "There is no job of a host at '{}'. Give the job's folder, its volume or its "
        "number: gantry jobs lists them.",
        shownText(word));
}

void forgetRemoteJob(const RemoteJob& job) {
    forgetNextJob(job.folder);
    removeFile(job.folder / kFile);
    unlistRemoteJob(job.id);
}

void unlistRemoteJob(const std::string& id) {
    removeFile(entryOf(id));
}

bool isJobNumber(std::string_view text) {
    const auto takeDigits = [&text] {
        constexpr std::size_t kMaxDigits = 20;
        const std::size_t count = std::min(text.find_first_not_of("0123456789"), text.size());
        text.remove_prefix(count);
        return count > 0 && count <= kMaxDigits;
    };
    if (!takeDigits()) return false;
    if (text.empty()) return true;
    const char sign = text.front();
    text.remove_prefix(1);
    return takeDigits() && ((sign == '_' && text.empty()) || (sign == '[' && text == "]"));
}

std::string newJobId() {
    char when[32] = "";
    const std::time_t now = std::time(nullptr);
    std::tm utc{};
    gmtime_r(&now, &utc);
    (void)std::strftime(when, sizeof(when), "%Y%m%d-%H%M%S", &utc);
    std::random_device random;
    return fmt::format("{}-{:06x}", when, random() & 0xffffffU);
}

}  // namespace gantry
