#include "core/remote/send_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <sstream>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/text.h"
#include "core/remote/checksum.h"
#include "core/remote/shell_text.h"
#include "core/remote/transfer_call.h"

namespace gantry {

namespace {

// Prints the disk's free space in kB, then for each file its bytes under its name, or those of its
// part.
constexpr const char* kAskScript = R"sh(mkdir -p "$1" && cd "$1" || exit 3
set -- $(df -Pk . | tail -n 1); echo "$4"
while IFS= read -r w; do
NAME
if [ -f "./$n" ]; then echo "W $(wc -c <"./$n")"
elif [ -f "./$n.part" ]; then echo "P $(wc -c <"./$n.part")"
else echo "P 0"; fi
done)sh";

// Reads for each file a line "begin bytes name" and then the bytes.
constexpr const char* kTakeScript = R"(cd "$1" || exit 3
set -f
while IFS= read -r l; do
set -- $l
w=$3
NAME
case $n in */*) mkdir -p "./${n%/*}" || exit 4;; esac
if [ "$1" = 0 ]; then : >"./$n.part" || exit 4; fi
if [ "$2" != 0 ]; then head -c "$2" >>"./$n.part" || exit 4; fi
done)";

// Reads lines "checksum bytes name": a complete part gets its name, another one is removed.
constexpr const char* kNameScript = R"sh(cd "$1" || exit 3
set -f
while IFS= read -r l; do
set -- $l
w=$3; sum="$1 $2"
NAME
if [ "$(cksum <"./$n.part")" = "$sum" ]; then mv -f "./$n.part" "./$n" || exit 4
else rm -f "./$n.part"; echo "$w"; fi
done)sh";

// A file to be sent from byte `begin` on.
struct Unsent {
    std::size_t file = 0;
    Index begin = 0;
};

// Header lines and bytes of files, one after the other, as kTakeScript reads them.
class FileStream {
  public:
    FileStream(const std::vector<LocalFile>& files, std::vector<Unsent> pieces,
               std::function<void(Index)> sent)
        : m_files(files), m_pieces(std::move(pieces)), m_sent(std::move(sent)) {}

    std::size_t fill(std::span<std::byte> bytes) {
        if (m_header.empty() && m_left == 0 && !next()) return 0;
        if (!m_header.empty()) {
            const std::size_t count = std::min(bytes.size(), m_header.size());
            std::memcpy(bytes.data(), m_header.data(), count);
            m_header.erase(0, count);
            return count;
        }
        const Index count = std::min(static_cast<Index>(bytes.size()), m_left);
        m_file.readAt(m_offset, bytes.first(static_cast<std::size_t>(count)));
        m_offset += count;
        m_left -= count;
        m_sent(count);
        return static_cast<std::size_t>(count);
    }

  private:
    bool next() {
        if (m_next == m_pieces.size()) return false;
        const Unsent& piece = m_pieces[m_next++];
        const LocalFile& file = m_files[piece.file];
        m_file = File(file.path, File::Mode::read);
        m_offset = piece.begin;
        m_left = file.bytes - piece.begin;
        m_header = fmt::format("{} {} {}\n", piece.begin, m_left, octalText(file.name));
        return true;
    }

    const std::vector<LocalFile>& m_files;
    std::vector<Unsent> m_pieces;
    std::function<void(Index)> m_sent;
    std::size_t m_next = 0;
    std::string m_header;
    File m_file;
    Index m_offset = 0;
    Index m_left = 0;
};

// The parts of the files that the host lacks.
struct Missing {
    std::vector<Unsent> pieces;
    Index bytes = 0;
};

Missing missingOf(const HostShell& shell, const std::vector<LocalFile>& files,
                  const std::string& folder, const std::stop_token& stop) {
    std::string names;
    for (const LocalFile& file : files)
        names += octalText(file.name) + "\n";
    std::istringstream lines(askOfFolder(shell, kAskScript, folder, std::move(names), stop).output);
    Index freeKb = 0;
    lines >> freeKb;
    Missing missing;
    for (std::size_t i = 0; i < files.size(); ++i) {
        std::string kind;
        Index bytes = 0;
        if (!(lines >> kind >> bytes) || bytes < 0)
            throw ResourceError(fmt::format("{} did not say what it has of {}. Try again.",
                                            shell.hostName(), shownText(files[i].name)));
        if (kind == "W" && bytes == files[i].bytes) continue;
        const bool goesOn = kind == "P" && bytes <= files[i].bytes;
        missing.pieces.push_back({i, goesOn ? bytes : 0});
        missing.bytes += files[i].bytes - missing.pieces.back().begin;
    }
    if (constexpr Index kKb = 1024; missing.bytes > freeKb * kKb)
        throw ResourceError(fmt::format(
            "{}: {} are to be sent to {}, whose disk has {} free. Free some room there "
            "(gantry host clean), or name another folder in the host's file (scratch).",
            shell.hostName(), formatBytes(missing.bytes), folder, formatBytes(freeKb * kKb)));
    return missing;
}

// @returns how many did not arrive intact; they are removed there
std::size_t nameArrived(const HostShell& shell, const std::vector<LocalFile>& files,
                        const Missing& missing, const std::string& folder,
                        const std::stop_token& stop) {
    std::string lines;
    for (const Unsent& piece : missing.pieces) {
        const LocalFile& file = files[piece.file];
        lines += fmt::format("{} {} {}\n", checksumOf(file.path, stop), file.bytes,
                             octalText(file.name));
    }
    const std::string bad = askOfFolder(shell, kNameScript, folder, std::move(lines), stop).output;
    return static_cast<std::size_t>(std::count(bad.begin(), bad.end(), '\n'));
}

void sendMissing(const HostShell& shell, const std::vector<LocalFile>& files,
                 const std::string& folder, const HostProgress& progress,
                 const std::stop_token& stop) {
    const Missing missing = missingOf(shell, files, folder, stop);
    Index all = 0;
    for (const LocalFile& file : files)
        all += file.bytes;
    Index done = all - missing.bytes;
    if (progress.bytes) progress.bytes(done, all);
    if (missing.pieces.empty()) return;
    FileStream stream(files, missing.pieces, [&](Index sent) {
        done += sent;
        if (progress.bytes) progress.bytes(done, all);
    });
    const ShellAnswer answer =
        shell.run({.script = transferScript(kTakeScript),
                   .arguments = {folder},
                   .input = [&](std::span<std::byte> bytes) { return stream.fill(bytes); },
                   .quietSeconds = 60},
                  stop);
    if (answer.code != 0) failOnFolder(shell, folder, answer);
    if (const std::size_t bad = nameArrived(shell, files, missing, folder, stop); bad > 0)
        throw ResourceError(fmt::format(
            "{} of {} files did not arrive at {} as they are here, and were removed there. Do the "
            "same again; where it happens again, ask whether the disk of {} is sound.",
            bad, missing.pieces.size(), shell.hostName(), folder));
}

}  // namespace

void sendFiles(const HostShell& shell, const std::vector<LocalFile>& files,
               const std::string& folder, const HostProgress& progress,
               const std::stop_token& stop) {
    throughBreaks(
        progress.patienceSeconds, stop, [&] { sendMissing(shell, files, folder, progress, stop); },
        progress.onNotice);
}

}  // namespace gantry
