#include "core/remote/job/job_logs.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <filesystem>
#include <map>
#include <sstream>
#include <string_view>
#include <utility>

#include "core/base/file.h"
#include "core/base/throw_error.h"
#include "core/remote/host/shell_text.h"

namespace gantry {

namespace fs = std::filesystem;

namespace {

constexpr Index kMaxNewBytes = 16'000'000;  // of all jobs in one call
constexpr Index kMinBytesOfAJob = 16'000;
constexpr Index kMaxLog = 1'000'000'000;  // what is behind it is not read
constexpr Index kMaxText = 16'000'000;    // of all that is no log
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

void append(const RemoteJob& job, const std::string& name, Index begin,
            std::span<const std::byte> bytes) {
    File log(job.folder / name, File::Mode::keep);
    if (log.sizeBytes() < begin) return;  // another program of this user has begun it again
    if (begin == 0) log.resize(0);
    log.writeAt(begin, bytes);
}

[[noreturn]] void failOnAnswer(const HostShell& shell, const std::string& line) {
    throwError<ResourceError>("{} answered what is not understood: '{}'. Ask again.",
                              shell.hostName(), shownText(line));
}

void takeTrace(const std::string& line, JobTraces& traces, LogNews& news) {
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

// What the script prints, read as it comes: new lines go to the jobs' folders at once, so that
// those of a slow host, or of one that does not answer to the end, are kept.
class LogAnswer {
  public:
    LogAnswer(const HostShell& shell, std::span<const RemoteJob> jobs, std::vector<LogsHere> logs)
        : m_shell(&shell), m_jobs(jobs), m_logs(std::move(logs)) {}

    void take(std::span<const std::byte> bytes) {
        while (!bytes.empty()) {
            const std::size_t taken = m_left > 0 ? takeLog(bytes) : takeText(bytes);
            bytes = bytes.subspan(taken);
        }
    }
    /// @throws ResourceError if it is not whole. complaints: of the shell
    [[nodiscard]] LogNews news(const std::string& complaints) {
        if (!m_hasEnded) failOnAnswer(*m_shell, m_line.empty() ? complaints : m_line);
        if (m_news.traces.size() != m_jobs.size()) failOnAnswer(*m_shell, "too few jobs");
        m_news.hasMore = m_news.hasMore && m_newBytes > 0;
        return std::move(m_news);
    }

  private:
    std::size_t takeLog(std::span<const std::byte> bytes) {
        const auto count = std::min(m_left, static_cast<Index>(bytes.size()));
        std::span<const std::byte> come = bytes.first(static_cast<std::size_t>(count));
        m_left -= count;
        if (m_replaces) {
            m_held.insert(m_held.end(), come.begin(), come.end());
            come = m_left == 0 ? std::span<const std::byte>(m_held) : std::span<const std::byte>();
        }
        if (!come.empty()) append(m_jobs[m_news.traces.size() - 1], m_name, m_begin, come);
        m_begin += static_cast<Index>(come.size());
        m_newBytes += count;
        return static_cast<std::size_t>(count);
    }
    // Up to the end of a line; behind the last line, all.
    std::size_t takeText(std::span<const std::byte> bytes) {
        const auto end = m_hasEnded ? bytes.end() : std::ranges::find(bytes, std::byte{'\n'});
        const std::string_view text(reinterpret_cast<const char*>(bytes.data()),
                                    static_cast<std::size_t>(end - bytes.begin()));
        m_text += static_cast<Index>(text.size()) + 1;
        if (m_text > kMaxText) failOnAnswer(*m_shell, m_line);
        (m_hasEnded ? m_news.more : m_line) += text;
        if (end == bytes.end()) return text.size();
        takeLine(std::exchange(m_line, {}));
        return text.size() + 1;
    }
    void takeLine(const std::string& line) {
        m_hasEnded = line == "end";
        if (m_hasEnded || line.empty()) return;  // behind a log the line ends
        if (line == "job") m_news.traces.emplace_back();
        if (m_news.traces.empty() || m_news.traces.size() > m_jobs.size())
            failOnAnswer(*m_shell, line);
        if (line.starts_with("log "))
            beginLog(line);
        else
            takeTrace(line, m_news.traces.back(), m_news);
    }
    // The log begins at its first byte, or goes on where the copy here ended when the host was
    // asked.
    void beginLog(const std::string& line) {
        LogsHere& logs = m_logs[m_news.traces.size() - 1];
        std::istringstream words(line);
        std::string word;
        Index count = -1;
        m_begin = -1;
        words >> word >> m_name >> m_begin >> count;
        const auto known = logs.sizes.find(m_name);
        const bool goesOn = known != logs.sizes.end() && m_begin == known->second;
        if (words.fail() || !isLogName(m_name) || (m_begin != 0 && !goesOn) || count < 0 ||
            count > logs.left || m_begin + count > std::max(m_begin, kMaxLog))
            failOnAnswer(*m_shell, line);
        logs.left -= count;
        m_left = count;
        m_replaces = m_begin == 0 && known != logs.sizes.end() && known->second > 0;
        m_held.clear();
    }

    const HostShell* m_shell;
    std::span<const RemoteJob> m_jobs;
    std::vector<LogsHere> m_logs;
    LogNews m_news;
    std::string m_line;  // as far as it has come
    std::string m_name;  // of the log that comes
    // A log that begins again takes the place of its copy when all of it has come.
    bool m_replaces = false;
    std::vector<std::byte> m_held;
    Index m_begin = 0;        // where its next byte belongs
    Index m_left = 0;         // of its bytes
    Index m_text = 0;         // bytes that are none of a log
    Index m_newBytes = 0;     // of logs
    bool m_hasEnded = false;  // what follows is of `more`
};

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
    LogAnswer answer(shell, jobs, std::move(logs));
    // A job may end meanwhile: what its folder says must not be older than what a scheduler says of
    // it, or a job that Slurm calls over would seem to have left nothing.
    const ShellAnswer given =
        shell.run({.script = fmt::format("ask() {{\n:\n{}\n}}\nanswer=$(ask)\n{}\n"
                                         "printf '%s\\n' \"$answer\"",
                                         more, kScript),
                   .arguments = arguments,
                   .output = [&](std::span<const std::byte> bytes) { answer.take(bytes); }},
                  stop);
    return answer.news(given.complaints);
}

}  // namespace gantry
