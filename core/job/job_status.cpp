#include "core/job/job_status.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <span>
#include <string_view>
#include <utility>

#include "core/base/file.h"
#include "core/base/throw_error.h"
#include "core/job/event_line.h"
#include "core/job/job_directory.h"
#include "core/job/job_file.h"
#include "core/job/job_lock.h"

namespace gantry {

namespace fs = std::filesystem;

namespace {

constexpr const char* kNameFile = "name.txt";

std::string endOfFile(const fs::path& path) {
    constexpr Index kWindowBytes = 256'000;
    const File file(path, File::Mode::read);
    const Index size = file.sizeBytes();
    const Index begin = std::max<Index>(0, size - kWindowBytes);
    std::string text(size - begin, '\0');
    file.readAt(begin, std::as_writable_bytes(std::span(text)));
    return text;
}

// The process that created the job is about to start its worker.
bool isJustMade(const fs::path& request) {
    constexpr auto kSoon = std::chrono::seconds(10);
    std::error_code error;
    const fs::file_time_type made = fs::last_write_time(request, error);
    const auto age = fs::file_time_type::clock::now() - made;
    return !error && age < kSoon && age > -kSoon;
}

void requireJob(const fs::path& folder) {
    if (!pathExists(folder / "job.json"))
        throwError<InputError>("{} is not a job folder: it has no job.json.", folder.string());
}

bool isUnderWay(JobState state) {
    return state == JobState::queued || state == JobState::running;
}

std::string unfinishedMessage(const LogEnd& words, bool canResume) {
    if (!words.any) return "The job was never started. Press Resume to start it.";
    return fmt::format(
        "The job stopped unexpectedly (killed, or the computer restarted). Press Resume to {}.",
        canResume ? "continue from where it was" : "start it again");
}

JobStatus statusOf(const fs::path& folder, const JobHolder& holder, const LogEnd& words) {
    JobStatus status;
    // Every run logs at its begin that it is running, which may be far back in a long log.
    const JobState silent = words.worked ? JobState::running : JobState::queued;
    status.state = words.state.value_or(silent);
    status.message = words.message;
    status.code = words.code;
    status.field = words.field;
    status.progress = words.progress.value_or(Progress{});
    status.workerPid = holder.pid;
    const bool hasCheckpoint =
        pathExists(folder / "checkpoint.json") || pathExists(folder / kIterationState);
    const bool isExpected = !words.any && isJustMade(folder / "job.json");
    if (isUnderWay(status.state) && holder.isHeld == false && !isExpected) {
        status.state = JobState::failed;
        status.message = unfinishedMessage(words, hasCheckpoint);
    }
    if (!isUnderWay(status.state)) {
        status.workSeconds = words.workSeconds;
        // A killed run did not log it, nor did earlier versions.
        if (!status.workSeconds && words.progress)
            status.workSeconds = words.progress->elapsedSeconds +
                                 1e-9 * static_cast<double>(words.lastNs - words.progressNs);
    }
    status.hasKept = hasCheckpoint;
    status.canResume =
        hasCheckpoint && (status.state == JobState::failed || status.state == JobState::cancelled);
    return status;
}

}  // namespace

// Reads from the last line back, until state and progress are known.
LogEnd endOfLog(const fs::path& folder) {
    const fs::path path = folder / "events.jsonl";
    LogEnd words;
    std::string text;
    try {
        if (pathExists(path)) text = endOfFile(path);
    } catch (const InputError&) {
        // It was removed or emptied at this moment, or is not readable: no events.
    }
    words.any = !text.empty();
    // The window's first line may lack its beginning, so it is skipped.
    std::string_view rest = std::string_view(text).substr(0, text.rfind('\n') + 1);
    while (!rest.empty() && !(words.state && words.progress)) {
        rest.remove_suffix(1);
        const std::size_t begin = rest.rfind('\n') + 1;
        EventNews news;
        takeEventLine(rest.substr(begin), news);
        rest = rest.substr(0, begin);
        words.worked = words.worked || news.progress || !news.spans.empty() || !news.logs.empty();
        words.lastNs = std::max(words.lastNs, news.lastNs.value_or(0));
        if (news.progress && !words.progress) {
            words.progress = news.progress;
            words.progressNs = news.lastNs.value_or(words.lastNs);
        }
        if (!news.state || words.state) continue;
        words.state = news.state;
        words.message = std::move(news.stateMessage);
        words.code = news.stateCode;
        words.field = std::move(news.stateField);
        words.workSeconds = news.workSeconds;
    }
    return words;
}

JobStatus readJobStatus(const fs::path& folder) {
    requireJob(folder);
    // The order matters, and both are read twice: a worker may have begun or ended in between.
    for (int look = 0;; ++look) {
        const JobHolder holder = jobHolder(folder);
        const LogEnd words = endOfLog(folder);
        const bool isOpen = isUnderWay(words.state.value_or(JobState::running));
        if (look > 0 || holder.isHeld != false || !isOpen) return statusOf(folder, holder, words);
    }
}

std::string readJobName(const fs::path& folder) {
    const fs::path path = folder / kNameFile;
    if (!pathExists(path)) return {};
    constexpr Index kMaxNameBytes = 4096;
    std::string name = readTextFile(path, kMaxNameBytes);
    name.resize(std::min(name.find('\n'), name.size()));
    return name;
}

void writeJobName(const fs::path& folder, const std::string& name) {
    requireJob(folder);
    writeFileAtomically(folder / kNameFile, name + "\n");
}

JobSpec readJobRequest(const fs::path& folder) {
    requireJob(folder);
    const fs::path request = folder / "job.json";
    return parseJobSpec(readTextFile(request), request.string());
}

}  // namespace gantry
