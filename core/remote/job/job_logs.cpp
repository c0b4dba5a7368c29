#include "core/remote/job/job_logs.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <iterator>
#include <map>
#include <sstream>
#include <string_view>

#include "core/base/file.h"
#include "core/base/throw_error.h"
#include "core/remote/host/shell_text.h"

namespace gantry {

namespace fs = std::filesystem;

namespace {

constexpr Index kMaxNewBytes = 16'000'000;  // of all jobs in one call
constexpr Index kMinBytesOfAJob = 16'000;
constexpr Index kMaxLog = 1'000'000'000;  // what is behind it is not read
constexpr Index kMaxAnswer = 64'000'000;
constexpr int kMaxRanks = 100'000;

// The time of the file `owner` is that of the last contact.
// $1: max new bytes of a job; $2: max size of a log; then for each job its folder, and the sizes of
// its logs here. A process number may be reused: the process belongs to the job if it works in the
// job's folder.
constexpr const char* kScript = R"sh(most=$1; bound=$2; shift 2
while [ $# -gt 1 ]; do
place=$1; known=$2; left=$most; shift 2
echo "job"
if ! [ -d "$place/job" ]; then echo "gone"; continue; fi
touch -c "$place/owner" 2>/dev/null
for f in begun ended; do
  if [ -r "$place/$f" ]; then echo "$f $(head -c 2000 "$place/$f" | tr '\n' ' ')"; fi
done
if [ -e "$place/cancelled" ]; then echo "cancelled"; fi
if [ -r "$place/ended" ] && read -r code <"$place/ended" && [ "$code" != 0 ]; then
  echo "said $(tail -c 1000 "$place/output.txt" 2>/dev/null | grep . | tail -n 2 | tr '\n' ' ')"
fi
if [ -r "$place/begun" ]; then
  read -r pid rest <"$place/begun"
  if [ "/proc/$pid/cwd" -ef "$place" ]; then echo "alive"; fi
fi
for f in "$place"/job/events.jsonl "$place"/job/events.rank*.jsonl; do
  [ -f "$f" ] || continue
  n=${f##*/}; size=$(wc -c <"$f"); begin=0
  for k in $known; do case $k in "$n="*) begin=${k#*=};; esac; done
  if [ "$size" -gt "$bound" ]; then size=$bound; fi
  if [ "$size" -lt "$begin" ]; then begin=0; elif [ "$size" -eq "$begin" ]; then continue; fi
  count=$((size - begin))
  if [ "$count" -gt "$left" ]; then count=$left; echo "more"; fi
  if [ "$count" -eq 0 ]; then continue; fi
  left=$((left - count))
  echo "log $n $begin $count"
  tail -c "+$((begin + 1))" "$f" | head -c "$count"
  echo
done
done
echo "end")sh";

bool isLogName(std::string_view name) {
    if (name == "events.jsonl") return true;
    constexpr std::string_view kBegin = "events.rank";
    if (!name.starts_with(kBegin) || !name.ends_with(".jsonl")) return false;
    int rank = 0;
    const char* end = name.data() + name.size();
    const auto [rest, error] = std::from_chars(name.data() + kBegin.size(), end, rank);
    return error == std::errc() && rank > 0 && rank < kMaxRanks &&
           std::string_view(rest, static_cast<std::size_t>(end - rest)) == ".jsonl";
}

// The logs of a job here, as the host is told, and what it may still send.
struct LogsHere {
    std::map<std::string, Index> sizes;
    Index left = 0;
};

LogsHere logsHere(const RemoteJob& job, Index budget) {
    LogsHere logs;
    logs.left = budget;
    if (!isFolder(job.folder)) return logs;
    for (const fs::path& file : entriesOf(job.folder)) {
        std::error_code error;
        const std::uintmax_t bytes = fs::file_size(file, error);
        const std::string name = file.filename().string();
        if (isLogName(name) && !error) logs.sizes[name] = static_cast<Index>(bytes);
    }
    return logs;
}

std::string sizesText(const LogsHere& logs) {
    std::string text;
    for (const auto& [name, bytes] : logs.sizes)
        text += fmt::format("{}={} ", name, bytes);
    return text;
}

void append(const RemoteJob& job, const std::string& name, Index begin, std::string_view bytes) {
    File log(job.folder / name, File::Mode::keep);
    if (log.sizeBytes() < begin) return;  // another program of this user has begun it again
    if (begin == 0) log.resize(0);
    log.writeAt(begin, std::as_bytes(std::span(bytes)));
}

[[noreturn]] void failOnAnswer(const HostShell& shell, const std::string& line) {
    throwError<ResourceError>("{} answered what is not understood: '{}'. Ask again.",
                              shell.hostName(), shownText(line));
}

// The log begins at its first byte, or goes on where the copy here ended when the host was asked.
Index takeLog(const HostShell& shell, const RemoteJob& job, LogsHere& logs, const std::string& line,
              std::istream& answer) {
    std::istringstream words(line);
    std::string word;
    std::string name;
    Index begin = -1;
    Index count = -1;
    words >> word >> name >> begin >> count;
    const auto known = logs.sizes.find(name);
    const bool goesOn = known != logs.sizes.end() && begin == known->second;
    if (words.fail() || !isLogName(name) || (begin != 0 && !goesOn) || count < 0 ||
        count > logs.left || begin + count > std::max(begin, kMaxLog))
        failOnAnswer(shell, line);
    std::string bytes(static_cast<std::size_t>(count), '\0');
    if (!answer.read(bytes.data(), count)) failOnAnswer(shell, line);
    std::getline(answer, word);  // the end of the line
    logs.left -= count;
    if (count > 0) append(job, name, begin, bytes);
    return count;
}

void takeLine(const std::string& line, JobTraces& traces, LogNews& news) {
    if (line == "gone") traces.isGone = true;
    if (line == "alive") traces.isAlive = true;
    if (line == "cancelled") traces.isCancelled = true;
    if (line == "more") news.hasMore = true;
    if (line.starts_with("begun ")) traces.begun = shownText(line.substr(6), 2000);
    if (line.starts_with("said ")) traces.lastOutput = shownText(line.substr(5));
    int code = 0;
    if (line.starts_with("ended ") && std::istringstream(line.substr(6)) >> code)
        traces.ended = code;
}

}  // namespace

LogNews readLogs(const HostShell& shell, std::span<const RemoteJob> jobs, const std::string& more,
                 const std::stop_token& stop) {
    const Index budget = std::max(
        kMinBytesOfAJob, kMaxNewBytes / std::max<Index>(1, static_cast<Index>(jobs.size())));
    std::vector<std::string> arguments = {std::to_string(budget), std::to_string(kMaxLog)};
    std::vector<LogsHere> logs;
    for (const RemoteJob& job : jobs) {
        logs.push_back(logsHere(job, budget));
        arguments.insert(arguments.end(), {job.place, sizesText(logs.back())});
    }
    // A job may end meanwhile: what its folder says must not be older than what a scheduler says of
    // it, or a job that Slurm calls over would seem to have left nothing.
    const ShellAnswer given =
        shell.run({.script = fmt::format("ask() {{\n:\n{}\n}}\nanswer=$(ask)\n{}\n"
                                         "printf '%s\\n' \"$answer\"",
                                         more, kScript),
                   .arguments = arguments,
                   .maxOutputBytes = kMaxAnswer},
                  stop);
    LogNews news;
    Index newBytes = 0;
    std::istringstream answer(given.output);
    std::string line;
    while (std::getline(answer, line) && line != "end") {
        if (line == "job") news.traces.emplace_back();
        if (news.traces.empty() || news.traces.size() > jobs.size()) failOnAnswer(shell, line);
        const std::size_t job = news.traces.size() - 1;
        if (line.starts_with("log "))
            newBytes += takeLog(shell, jobs[job], logs[job], line, answer);
        else
            takeLine(line, news.traces[job], news);
    }
    if (!answer) failOnAnswer(shell, given.complaints);
    if (news.traces.size() != jobs.size()) failOnAnswer(shell, "too few jobs");
    news.hasMore = news.hasMore && newBytes > 0;
    news.more = {std::istreambuf_iterator<char>(answer), {}};
    return news;
}

}  // namespace gantry
