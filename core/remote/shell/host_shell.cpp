#include "core/remote/shell/host_shell.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstring>
#include <memory>
#include <random>

#include "core/base/clock.h"
#include "core/base/run_process.h"
#include "core/base/throw_error.h"
#include "core/base/wait.h"
#include "core/remote/host/shell_text.h"
#include "core/remote/shell/ssh_words.h"

namespace gantry {

namespace {

// `read` takes no byte beyond the line's end, so the rest is the script's own input.
constexpr const char* kFirst = R"x(IFS= read -r a && eval "$(printf %b "$a")")x";

// Max bytes to keep of what a profile prints before the first mark and behind the last one.
constexpr std::size_t kHeldBytes = 4096;
// What a host may print, and how long, before the first mark, and as much again behind the last.
constexpr std::size_t kMaxAround = 1'000'000;
constexpr double kMaxSecondsAround = 120;

std::string lineFor(const ShellCall& call, const std::string& mark) {
    std::string text = "LC_ALL=C; export LC_ALL; umask 077\n";
    text += "set -f; set --";
    for (const std::string& argument : call.arguments) {
        text += ' ';
        text += shellWord(argument);
    }
    text += fmt::format("; set +f\nprintf '%s\\n' {}-begin\n(\n{}\n)\n", mark, call.script);
    text += fmt::format("printf '\\n%s %d\\n' {}-end $?\n", mark);
    return octalText(text) + "\n";
}

// Extracts what lies between the marks while it arrives.
class Marked {
  public:
    // maxSeconds: of the output; 0: any time
    Marked(const std::string& mark, std::function<void(std::span<const std::byte>)> output,
           double maxSeconds)
        : m_begin(mark + "-begin\n"),
          m_end("\n" + mark + "-end "),
          m_output(std::move(output)),
          m_maxSeconds(maxSeconds) {}

    void take(std::span<const std::byte> bytes) {
        if (!m_hasBegun || m_hasEnded) m_around += bytes.size();
        m_held.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
        if (!m_hasBegun) {
            const std::size_t at = m_held.find(m_begin);
            if (at == std::string::npos) {
                if (m_heard.size() < kHeldBytes) m_heard += m_held.substr(0, kHeldBytes);
                if (m_held.size() > m_begin.size()) m_held.erase(0, m_held.size() - m_begin.size());
                return;
            }
            m_hasBegun = true;
            m_around = 0;
            m_sinceNs = nowNs();
            m_held.erase(0, at + m_begin.size());
        }
        if (!m_hasEnded) {
            giveLines();
            if (m_hasEnded) m_sinceNs = nowNs();
        }
        if (m_hasEnded && m_held.size() > kHeldBytes) m_held.resize(kHeldBytes);
    }
    // The script's exit code; nothing if the end mark did not arrive.
    std::optional<int> end() {
        if (!m_hasEnded) return std::nullopt;
        int code = -1;
        std::from_chars(m_held.data() + m_end.size(), m_held.data() + m_held.size(), code);
        return code;
    }
    [[nodiscard]] bool hasBegun() const { return m_hasBegun; }
    [[nodiscard]] bool hasEnded() const { return m_hasEnded; }
    /// Whether more than is waited for lies before the first mark or behind the last.
    [[nodiscard]] bool isAstray() const {
        return (!m_hasBegun || m_hasEnded) &&
               (m_around > kMaxAround || secondsSince(m_sinceNs) > kMaxSecondsAround);
    }
    /// Whether the output has taken longer than it may.
    [[nodiscard]] bool isTooSlow() const {
        return m_hasBegun && !m_hasEnded && m_maxSeconds > 0 &&
               secondsSince(m_sinceNs) > m_maxSeconds;
    }
    /// Bytes before the first mark, or behind the last.
    [[nodiscard]] std::size_t around() const { return m_around; }
    /// The output that arrived in place of the first mark.
    [[nodiscard]] const std::string& heard() const { return m_heard; }

  private:
    // Passes on everything but a possible begin of the end mark at once, because its reader may be
    // waiting.
    void giveLines() {
        const std::size_t at = m_held.find(m_end);
        m_hasEnded = at != std::string::npos;
        if (m_hasEnded) return give(at);
        std::size_t kept = std::min(m_held.size(), m_end.size() - 1);
        while (kept > 0 && !m_held.ends_with(std::string_view(m_end).substr(0, kept)))
            --kept;
        give(m_held.size() - kept);
    }
    void give(std::size_t count) {
        if (count > 0) m_output(std::as_bytes(std::span(m_held).first(count)));
        m_held.erase(0, count);
    }

    std::string m_begin;
    std::string m_end;
    std::function<void(std::span<const std::byte>)> m_output;
    double m_maxSeconds;
    std::string m_held;
    std::string m_heard;
    std::size_t m_around = 0;
    std::int64_t m_sinceNs = nowNs();  ///< the call's begin, or when the latest mark arrived
    bool m_hasBegun = false;
    bool m_hasEnded = false;
};

// The line, followed by the call's own input.
std::function<std::size_t(std::span<std::byte>)> inputBehind(std::string line,
                                                             const ShellCall& call) {
    return [first = inputOf(std::move(line)), &call](std::span<std::byte> bytes) {
        const std::size_t given = first(bytes);
        return given == 0 && call.input ? call.input(bytes) : given;
    };
}

[[noreturn]] void failToReach(const std::string& host, const ProcessEnd& end,
                              const Marked& marked) {
    if (end.wasQuiet)
        throwError<HostUnreachable>(
            "{} does not answer any more. Check the network, and try again.", host);
    if (marked.hasBegun())
        throwError<HostUnreachable>(
            "The connection to {} broke: {} Check the network, and try again.", host,
            sshReason(end.complaints));
    constexpr int kCodeOfSsh = 255;
    if (end.code == kCodeOfSsh)
        throwError<HostUnreachable>("{} cannot be reached. ssh says: {} {}", host,
                                    sshReason(end.complaints), sshAdvice(end.complaints, host));
    throwError<ResourceError>(
        "{} was reached, but no POSIX shell answered; it said: {} Ask its administrator whether "
        "commands may be run by ssh.",
        host, shownText(marked.heard() + " " + end.complaints) + ".");
}

}  // namespace

std::string newMark() {
    std::random_device random;
    return fmt::format("gantry-{:08x}{:08x}", random(), random());
}

std::function<std::size_t(std::span<std::byte>)> inputOf(std::string text) {
    auto rest = std::make_shared<std::pair<std::string, std::size_t>>(std::move(text), 0);
    return [rest](std::span<std::byte> bytes) {
        auto& [all, given] = *rest;
        const std::size_t count = std::min(bytes.size(), all.size() - given);
        std::memcpy(bytes.data(), all.data() + given, count);
        given += count;
        return count;
    };
}

HostShell::HostShell(const Host& host)
    : m_host(host),
      m_name(host.isHere() ? "This machine" : host.name),
      m_words(words(host.isHere() ? kFirst : fmt::format("exec sh -c '{}'", kFirst))) {}

std::vector<std::string> HostShell::words(const std::string& line) const {
    if (m_host.isHere()) return {"sh", "-c", line};
    std::vector<std::string> all = {"ssh", "-T"};
    for (std::string& word : sshOptions())
        all.push_back(std::move(word));
    all.insert(all.end(), {"--", m_host.address, line});
    return all;
}

ShellAnswer HostShell::run(const ShellCall& call, const std::stop_token& stop) const {
    const std::string mark = newMark();
    ShellAnswer answer;
    bool isTooLong = false;
    const auto keep = [&](std::span<const std::byte> bytes) {
        const std::size_t room =
            static_cast<std::size_t>(call.maxOutputBytes) - answer.output.size();
        isTooLong = isTooLong || bytes.size() > room;
        answer.output.append(reinterpret_cast<const char*>(bytes.data()),
                             std::min(room, bytes.size()));
    };
    Marked marked(mark, call.output ? call.output : keep, call.maxSeconds);
    // If a call that prints for ever does not end, it is stopped here.
    std::stop_source tooLong;
    const std::stop_callback passOn(stop, [&] { tooLong.request_stop(); });
    ProcessEnd end;
    try {
        end = runProcess({.words = m_words,
                          .environment = {{"LC_ALL", "C"}},
                          .input = inputBehind(lineFor(call, mark), call),
                          .output =
                              [&](std::span<const std::byte> bytes) {
                                  marked.take(bytes);
                                  if (isTooLong || marked.isAstray() || marked.isTooSlow())
                                      tooLong.request_stop();
                              },
                          .quietSeconds = call.quietSeconds,
                          .leavesGroup = true},
                         tooLong.get_token());
    } catch (const Cancelled&) {
        if (stop.stop_requested() || (!isTooLong && !marked.isAstray() && !marked.isTooSlow()))
            throw;
    }
    if (!marked.hasBegun() && marked.isAstray())
        throwError<ResourceError>(
            "{} printed {:.1f} MB and did not answer. Look at what its login files print.", m_name,
            1e-6 * static_cast<double>(marked.around()));
    if (marked.isTooSlow())
        throwError<ResourceError>("{} answered for more than {:.0f} s without an end.", m_name,
                                  call.maxSeconds);
    const std::optional<int> code = marked.end();
    if (isTooLong)
        throwError<ResourceError>("{} answered with more than {} MB, which is not read.", m_name,
                                  call.maxOutputBytes / 1'000'000);
    if (!code) failToReach(m_name, end, marked);
    answer.code = *code;
    answer.complaints = shownText(end.complaints);
    return answer;
}

void throughBreaks(const HostProgress& progress, const std::stop_token& stop,
                   const std::function<void()>& work) {
    std::optional<std::int64_t> brokenSinceNs;
    while (true) {
        const std::int64_t beginNs = nowNs();
        try {
            return work();
        } catch (const HostUnreachable& error) {
            // The work went on for a while, so earlier breaks no longer count.
            constexpr double kWhile = 15;
            if (!brokenSinceNs || secondsSince(beginNs) > kWhile) {
                brokenSinceNs = nowNs();
                if (progress.onNotice) progress.onNotice(error.message());
            }
            if (secondsSince(*brokenSinceNs) > progress.patienceSeconds) throw;
        }
        waitFor(std::chrono::seconds(1), stop);
    }
}

}  // namespace gantry
