#include "core/remote/transfer/rsync.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <sstream>
#include <string_view>

#include "core/base/run_process.h"
#include "core/base/text.h"
#include "core/base/throw_error.h"
#include "core/remote/host/shell_text.h"

namespace gantry {

namespace fs = std::filesystem;

namespace {

constexpr const char* kNoRsync = "gantry-has-no-rsync";
constexpr const char* kWayEnded = "gantry-way-ended";
constexpr int kNotFound = 127;

// A host that sends more of a file than it has listed comes to the limit of the file's size, which
// is counted in pieces of 512 bytes. A lower limit of the user's own stays.
constexpr const char* kRsyncHere = R"(trap '' XFSZ
ulimit -f "$1" 2>/dev/null; shift; exec rsync "$@")";

// The host's side: its folder is entered here, so that no name is in rsync's own words, which may
// therefore go through any login shell.
std::string scriptThere(const Transfer& transfer, const std::string& mark) {
    return fmt::format(
        "LC_ALL=C; export LC_ALL; umask 077\nprintf '\\n%s\\n' {0}\n"
        "command -v rsync >/dev/null 2>&1 || {{ echo {1} >&2; exit {2}; }}\n"
        "cd {3} || exit 3\n\"$@\"",
        mark, kNoRsync, kNotFound, shellWord(transfer.there));
}

// The shell script that rsync runs in place of a remote shell, with "there" and the words for the
// host. What the host's login prints before the mark is passed over.
std::string wayScript(const Transfer& transfer) {
    const std::string mark = newMark();
    const std::string line = fmt::format(R"x(exec sh -c 'eval "$(printf %b "$0")"' '{}')x",
                                         octalText(scriptThere(transfer, mark)));
    std::string words;
    for (const std::string& word : transfer.shell.words(line)) {
        if (!words.empty()) words += ' ';
        words += shellWord(word);
    }
    return fmt::format(
        "shift\n{{ {}\" $*\"; echo \"{} $?\" >&2; }} | {{\n"
        "while IFS= read -r l; do if [ \"$l\" = {} ]; then exec cat; fi; done; exit 1; }}",
        words, kWayEnded, mark);
}

std::string namesToMove(const Transfer& transfer) {
    std::string names;
    for (const HostFile& file : transfer.files) {
        names += "./" + file.name;  // a name may begin with what marks a comment
        names += '\0';
    }
    return names;
}

std::vector<std::string> rsyncWords(const Transfer& transfer) {
    constexpr Index kPiece = 512;
    Index max = 0;
    for (const HostFile& file : transfer.files)
        max = std::max(max, file.bytes);
    const bool sends = transfer.way == Transfer::Way::send;
    std::vector<std::string> words = {"sh", "-c", kRsyncHere, "sh",
                                      sends ? "unlimited" : std::to_string(max / kPiece + 1)};
    // While large files are read for their checksums, nothing is sent for minutes. ssh itself
    // detects a dead host.
    for (const char* option : {"--blocking-io", "--inplace", "--partial", "--checksum", "--from0",
                               "--files-from=-", "--timeout=3600", "--chmod=ugo=rwX",
                               "--info=progress2", "--no-human-readable", "--outbuf=N"})
        words.emplace_back(option);
    const std::string here = transfer.here.string() + "/";
    if (!transfer.known.empty())
        words.push_back(fmt::format("--link-dest={}/", transfer.known.string()));
    if (sends)
        words.insert(words.end(), {"--copy-links", "--", here, "there:."});
    else
        words.insert(words.end(), {"--", "there:.", here});
    return words;
}

// Reads "  32768  12%  1.2MB/s", which rsync prints again and again on one line.
class ProgressText {
  public:
    explicit ProgressText(const BytesHandler& moved) : m_moved(moved) {}

    void take(std::span<const std::byte> bytes) {
        m_text.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
        const std::size_t end = m_text.rfind('%');
        if (end == std::string::npos) return;
        const std::size_t before = m_text.rfind('\r', end);
        const std::size_t begin =
            m_text.find_first_not_of(" \r", before == std::string::npos ? 0 : before);
        Index count = 0;
        if (std::from_chars(m_text.data() + begin, m_text.data() + end, count).ec == std::errc())
            m_moved(count);
        m_text.erase(0, end + 1);
    }

  private:
    const BytesHandler& m_moved;
    std::string m_text;
};

// The exit code of ssh, or of the shell here; nothing if it has not ended.
std::optional<int> codeOfWay(const std::string& complaints) {
    const std::size_t at = complaints.rfind(kWayEnded);
    if (at == std::string::npos) return std::nullopt;
    int code = -1;
    const std::string rest = complaints.substr(at + std::string_view(kWayEnded).size() + 1);
    std::from_chars(rest.data(), rest.data() + rest.size(), code);
    return code;
}

// The first line that gives a reason.
std::string reasonIn(const std::string& complaints) {
    std::istringstream lines(complaints);
    std::string first;
    for (std::string line; std::getline(lines, line);) {
        if (line.starts_with(kWayEnded) || line.starts_with("rsync error:")) continue;
        if (shownText(line).empty()) continue;
        const bool isOfBreak = line.find("connection unexpectedly closed") != std::string::npos;
        if (first.empty() || !isOfBreak) first = line;
        if (!isOfBreak) break;
    }
    return first.empty() ? "nothing." : withFullStop(fmt::format("\"{}\"", shownText(first)));
}

}  // namespace

void failToMove(const Transfer& transfer, bool isBroken, const std::string& complaints) {
    const std::string reason = reasonIn(complaints);
    const std::string& host = transfer.shell.hostName();
    if (isBroken)
        throwError<HostUnreachable>(
            "The connection to {} broke: {} Check the network, and try again.", host, reason);
    if (complaints.find("File too large") != std::string::npos)
        throwError<ResourceError>("{} sent more of a file than it has listed, which is not taken.",
                                  host);
    const bool sends = transfer.way == Transfer::Way::send;
    throwError<ResourceError>(
        "{} files from {} stopped: {} Check permissions and the room on the disk, then do the same "
        "again: what has come so far stays.",
        sends ? "Sending" : "Fetching",
        sends ? fmt::format("{} to {} on {}", transfer.here.string(), transfer.there, host)
              : fmt::format("{} on {}", transfer.there, host),
        reason);
}

bool moveByRsync(const Transfer& transfer, const BytesHandler& moved, const std::stop_token& stop) {
    ProgressText progress(moved);
    const ProcessEnd end =
        runProcess({.words = rsyncWords(transfer),
                    .environment = {{"LC_ALL", "C"},
                                    {"RSYNC_RSH", R"(sh -c 'eval "$GANTRY_WAY"' way)"},
                                    {"GANTRY_WAY", wayScript(transfer)}},
                    .input = inputOf(namesToMove(transfer)),
                    .output = [&](std::span<const std::byte> bytes) { progress.take(bytes); },
                    .quietSeconds = 3700},
                   stop);
    if (end.code == 0) return true;
    if (end.code == kNotFound || end.complaints.find(kNoRsync) != std::string::npos) return false;
    constexpr int kCodeOfSsh = 255;
    constexpr int kTimeout = 30;
    const bool isBroken =
        end.wasQuiet || end.code == kTimeout || codeOfWay(end.complaints) == kCodeOfSsh;
    failToMove(transfer, isBroken, end.complaints);
}

}  // namespace gantry
