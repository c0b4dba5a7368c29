#include "core/remote/shell/host_lock.h"

#include <sstream>
#include <utility>

#include "core/base/throw_error.h"
#include "core/remote/host/shell_text.h"

namespace gantry {

namespace {

// Ages are differences of times that the folder's disk itself gives, because a host's clock may
// differ from it. A lock that is left over is renamed first, so that one of several takes it. The
// end of a line is told with what follows it, which is the reason for the dot.
constexpr const char* kHold = R"sh(to=$1; own=$2; lock=$to.lock
mkdir -p "$to" || exit 3
me="$own $$ $(hostname) $(date +%s)"
owner() { head -c 300 "$1/owner" 2>/dev/null; }
if ! mkdir "$lock" 2>/dev/null; then
  was=$(owner "$lock")
  case $was in "$own "*) ;; *)
    : >"$lock.$$" || exit 3
    now=$(stat -c %Y "$lock.$$")
    then=$(stat -c %Y "$lock" 2>/dev/null || echo 0)
    rm -f "$lock.$$"
    if [ "$((now - then))" -lt 60 ]; then echo held; exit 0; fi;;
  esac
  if mv "$lock" "$lock.$$" 2>/dev/null; then
    if [ "$(owner "$lock.$$")" != "$was" ]; then mv "$lock.$$" "$lock"; echo held; exit 0; fi
    rm -rf "$lock.$$"
  fi
  mkdir "$lock" || exit 3
fi
echo "$me" >"$lock/owner" || exit 3
trap '' PIPE
cd "$to" || exit 3
set -f; set -- $(df -Pk . | tail -n 1)
bytes=$(find . -type f -printf '%s\n' | awk '{s += $1} END {printf "%.0f", s}')
printf 'got %s %s\n.' "$4" "$bytes"
while [ "$(owner "$lock")" = "$me" ] && touch "$lock"; do
  sleep 1
  echo . || break
done 2>/dev/null
if [ "$(owner "$lock")" = "$me" ]; then rm -rf "$lock"; fi)sh";

}  // namespace

HostLock::HostLock(const HostShell& shell, std::string folder, std::string own,
                   const std::stop_token& stop)
    : m_folder(std::move(folder)),
      m_own(std::move(own)),
      m_thread([this, &shell](const std::stop_token& end) { hold(shell, end); }) {
    std::unique_lock lock(m_mutex);
    if (!m_told.wait(lock, stop, [this] { return m_state != State::asked; })) throw Cancelled();
    if (m_problem) std::rethrow_exception(m_problem);
}

void HostLock::settle(State state) {
    const std::scoped_lock lock(m_mutex);
    if (m_state == State::asked) m_state = state;
    m_told.notify_all();
}

void HostLock::hold(const HostShell& shell, const std::stop_token& stop) {
    try {
        const ShellAnswer answer =
            shell.run({.script = kHold,
                       .arguments = {m_folder, m_own},
                       .output = [this](std::span<const std::byte> bytes) { take(bytes); },
                       .maxSeconds = 0},
                      stop);
        if (m_state == State::asked && answer.code != 0)
            throwError<ResourceError>(
                "{}: the folder {} cannot be used: {}. Check its permissions and the room on its "
                "disk, then do the same again: what is there already stays.",
                shell.hostName(), m_folder, answer.complaints);
        if (m_state == State::asked)
            throwError<ResourceError>("{} did not say whether {} is in use. Try again.",
                                      shell.hostName(), m_folder);
    } catch (...) {
        if (m_state != State::asked) return;  // who holds it notices by itself that a line broke
        m_problem = std::current_exception();
        settle(State::failed);
    }
}

void HostLock::take(std::span<const std::byte> bytes) {
    constexpr std::size_t kMaxLine = 1000;
    if (m_state != State::asked || m_said.size() > kMaxLine) return;
    m_said.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    if (m_said.find('\n') == std::string::npos) return;
    std::istringstream words(m_said);
    std::string word;
    Index freeKb = 0;
    words >> word >> freeKb >> m_presentBytes;
    constexpr Index kKb = 1024;
    constexpr Index kMaxKb = 1'000'000'000'000'000;
    if (word == "got" && !words.fail() && freeKb >= 0 && freeKb < kMaxKb && m_presentBytes >= 0) {
        m_freeBytes = freeKb * kKb;
        settle(State::held);
    } else if (word == "held") {
        settle(State::refused);
    }
}

}  // namespace gantry
