#include "core/remote/action/host_scratch.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <sstream>

#include "core/base/throw_error.h"
#include "core/remote/host/shell_text.h"
#include "core/remote/scheduler/batch_system.h"
#include "core/remote/shell/host_shell.h"

namespace gantry {

namespace {

constexpr Index kDaySeconds = 86'400;
constexpr Index kOldDays = 30;

// Names there are this program's own: "jobs/20261124-220512-1f3a", "data/scan-0a1b2c3d", and, while
// one is being removed, "jobs/20261124-220512-1f3a.removed". Ages are differences of times that
// the folder's disk itself gives, because a host's clock may differ from it.
constexpr const char* kList = R"sh(cd "$scratch" 2>/dev/null || exit 0
active=$(activeJobs) || exit 5
: >".now.$$" && now=$(stat -c %Y ".now.$$") || exit 3
rm -f ".now.$$"
echo "place $(pwd)"
kb() { du -sk "$1" | cut -f 1; }
age() { echo $((now - $(stat -c %Y "$@" 2>/dev/null | sort -n | tail -n 1))); }
for d in jobs/*.removed data/*.removed; do
  if [ -d "$d" ]; then echo "left $d $(kb "$d")"; fi
done
for d in jobs/[0-9]*; do
  case $d in *.removed) continue;; esac
  [ -d "$d" ] || continue
  state=open
  if [ -e "$d/ended" ] || [ -e "$d/cancelled" ]; then state=ended; fi
  case "
$active
" in *" gantry-${d#jobs/}
"*) state=active;; esac
  sent=no; kept=no; fetched=no
  if [ -e "$d/job/job.json" ]; then sent=yes; fi
  if [ -e "$d/job/checkpoint.json" ] || [ -n "$(ls -A "$d/out" 2>/dev/null)" ]; then kept=yes; fi
  if [ -e "$d/fetched" ]; then fetched=yes; fi
  data=$(sed -n 's/.*\/data\/\(scan-[0-9a-z]*\).*/\1/p' "$d/job/job.json" 2>/dev/null | head -n 1)
  echo "job $d $(kb "$d") $(age "$d" "$d"/[a-z]* "$d"/job/*) $state $sent $kept $fetched \
data/$data $(head -c 300 "$d/owner" 2>/dev/null | head -n 1)"
done
for d in data/scan-*; do
  case $d in *.removed|*.lock) continue;; esac
  if [ -d "$d" ] && ! [ -e "$d.lock" ]; then echo "data $d $(kb "$d") $(age "$d")"; fi
done)sh";

// A folder is renamed first: what is left of one in part must not look like a job.
constexpr const char* kRemove = R"sh(for d; do
case $d in
*/jobs/*.removed|*/data/*.removed) rm -rf "$d" || exit 4;;
*/jobs/[0-9]*|*/data/scan-*)
  if [ -d "$d" ]; then mv "$d" "$d.removed" && rm -rf "$d.removed" || exit 4; fi
  a=${d%-*}
  if [ -e "$a.lock" ] && ! ls -d "$a"-* >/dev/null 2>&1; then rm -f "$a.lock"; fi;;
esac
done)sh";

bool isOwnName(std::string name) {
    constexpr std::string_view kRemoved = ".removed";
    if (name.ends_with(kRemoved)) name.resize(name.size() - kRemoved.size());
    return (name.starts_with("jobs/") || name.starts_with("data/scan-")) &&
           std::all_of(name.begin(), name.end(), [](char c) {
               return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '/';
           });
}

// Decides about the folders of a list, of which those of jobs come before those of data.
class Chooser {
  public:
    void take(const std::string& line) {
        std::istringstream words(line);
        std::string kind;
        std::string name;
        Index kilobytes = 0;
        words >> kind >> name >> kilobytes;
        constexpr Index kKb = 1024;
        if (words.fail() || m_place.empty() || !isOwnName(name)) return;
        const std::string reason = kind == "left"  ? "was being removed"
                                   : kind == "job" ? reasonOfJob(words)
                                                   : reasonOfData(name, words);
        if (!reason.empty())
            m_chosen.push_back({fmt::format("{}/{}", m_place, name), kKb * kilobytes, reason});
    }
    void setPlace(const std::string& place) { m_place = place; }
    [[nodiscard]] std::vector<ScratchFolder> chosen() && { return std::move(m_chosen); }

  private:
    // Why the job may go; empty: it stays
    std::string reasonOfJob(std::istringstream& words) {
        Index age = 0;
        std::string state, isSent, hasKept, isFetched, data, owner;
        words >> age >> state >> isSent >> hasKept >> isFetched >> data >> std::ws;
        std::getline(words, owner);
        const bool isOver = state == "ended" && (isFetched == "yes" || hasKept == "no");
        const Index days = age / kDaySeconds;
        if (state == "active" || (!isOver && days < kOldDays)) {
            m_used.insert(data);
            m_isSending = m_isSending || (isSent == "no" && days < 1);
            return {};
        }
        std::string reason = isFetched == "yes" ? "fetched"
                             : isOver           ? "ended without anything to fetch"
                             : state == "ended" ? "ended, not fetched"
                                                : "not ended, but not active either";
        reason += owner.empty() ? "; last used"
                                : fmt::format("; sent by {}, last asked for", shownText(owner));
        return fmt::format("{} {} days ago", reason, days);
    }
    // What is just being sent is in no request yet.
    std::string reasonOfData(const std::string& name, std::istringstream& words) const {
        Index age = 0;
        words >> age;
        if (m_used.contains(name) || m_isSending) return {};
        return fmt::format("no job there reads it; sent {} days ago", age / kDaySeconds);
    }

    std::string m_place;
    std::set<std::string> m_used;  // data of jobs that stay
    bool m_isSending = false;
    std::vector<ScratchFolder> m_chosen;
};

}  // namespace

std::vector<ScratchFolder> unusedFolders(const Host& host, const std::stop_token& stop) {
    const ShellAnswer answer =
        HostShell(host).run({.script = fmt::format("{}scratch={}\n{}", activeJobsFunction(host),
                                                   placeWord(host.scratch), kList),
                             .quietSeconds = 600,
                             .maxSeconds = 6000},
                            stop);
    if (answer.code != 0)
        throwError<ResourceError>(
            "{} does not say which jobs wait or run there: {}. Nothing is removed.", host.name,
            answer.complaints);
    Chooser chooser;
    std::istringstream lines(answer.output);
    for (std::string line; std::getline(lines, line);) {
        constexpr std::string_view kPlace = "place /";
        if (line.starts_with(kPlace))
            chooser.setPlace(line.substr(kPlace.size() - 1));
        else
            chooser.take(line);
    }
    return std::move(chooser).chosen();
}

void removeFolders(const Host& host, const std::vector<ScratchFolder>& folders,
                   const std::stop_token& stop) {
    std::set<std::string> wanted;
    for (const ScratchFolder& folder : folders)
        wanted.insert(folder.path);
    std::vector<std::string> paths;
    for (const ScratchFolder& folder : unusedFolders(host, stop))
        if (wanted.contains(folder.path)) paths.push_back(folder.path);
    const ShellAnswer answer = HostShell(host).run(
        {.script = kRemove, .arguments = paths, .quietSeconds = 600, .maxSeconds = 6000}, stop);
    if (answer.code != 0)
        throwError<ResourceError>("{}: not all could be removed: {}.", host.name,
                                  answer.complaints);
}

}  // namespace gantry
