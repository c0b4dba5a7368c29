#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/base/types.h"
#include "core/remote/host/host.h"

namespace gantry {

/// A host was not reached, or the connection broke: the work may be tried again.
class HostUnreachable : public ResourceError {
  public:
    using ResourceError::ResourceError;
};

/// A script for a host's POSIX shell, its input and its output.
struct ShellCall {
    std::string script;
    std::vector<std::string> arguments{};  ///< its $1, $2, ...: any text but null characters
    /// Supplies what the script reads: see ProcessCall.
    std::function<std::size_t(std::span<std::byte>)> input{};
    /// Called with output as soon as it comes, even within lines; empty: it goes to
    /// ShellAnswer::output.
    std::function<void(std::span<const std::byte>)> output{};
    Index maxOutputBytes = 16'000'000;
    double quietSeconds = 30;
    double maxSeconds = 300;  ///< from the first mark to the last; 0: any time
};

struct ShellAnswer {
    int code = 0;  ///< the script's exit code
    std::string output;
    std::string complaints;  ///< its error output, as shownText()
};

/// The shell of a host: here, or by the system's ssh, with the user's own configuration, keys and
/// known hosts. Every command goes through here. Login shells get one fixed line; the script and
/// its arguments follow it, in characters that no shell changes. The script's output lies between
/// two marks, so that banners and verbose profiles do no harm. All calls to a host share a
/// connection, which ends a minute after the last. May be called from several threads. Tests:
/// tests/core/remote/host_shell_test.cpp, tests/cli/test_remote.py
class HostShell {
  public:
    explicit HostShell(const Host& host);

    [[nodiscard]] const std::string& hostName() const { return m_name; }
    [[nodiscard]] const Host& host() const { return m_host; }
    /// The program and its arguments that give that line to the host's login shell, or to a shell
    /// here. The line is the last of them.
    [[nodiscard]] std::vector<std::string> words(const std::string& line) const;

    /// @throws HostUnreachable in ssh's own words, with what to do; Cancelled; ResourceError if the
    /// host's
    ///         answer is longer or takes longer than allowed, or if it prints for 2 minutes or
    ///         1 MB without one.
    ///         What it prints behind its answer ends the call after as much
    [[nodiscard]] ShellAnswer run(const ShellCall& call, const std::stop_token& stop = {}) const;

  private:
    Host m_host;
    std::string m_name;
    std::vector<std::string> m_words;
};

/// A word that no output has by chance, to find where an answer begins and ends.
[[nodiscard]] std::string newMark();

/// A text as the input of a call.
[[nodiscard]] std::function<std::size_t(std::span<std::byte>)> inputOf(std::string text);

/// Callbacks for progress of the work with a host; any may be empty.
struct HostProgress {
    std::function<void(Index done, Index all)> bytes{};
    std::function<void(const std::string&)> onNotice{};  ///< "The connection broke: ..."
    /// Whole sentences: files that are not fetched, a wait for another job.
    std::function<void(const std::string&)> onRemark{};
    double patienceSeconds = 60;  ///< to wait for a broken connection
};

/// Does the work, and repeats it after breaks of the connection for the patience after it last
/// broke. The notice is the reason, once for each break.
void throughBreaks(const HostProgress& progress, const std::stop_token& stop,
                   const std::function<void()>& work);

}  // namespace gantry
