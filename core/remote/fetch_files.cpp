#include "core/remote/fetch_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/text.h"
#include "core/remote/checksum.h"
#include "core/remote/shell_text.h"
#include "core/remote/transfer_call.h"

namespace gantry {

namespace fs = std::filesystem;

namespace {

constexpr const char* kPart = ".fetching";

constexpr const char* kGiveScript = R"sh(cd "$1" || exit 3
set -f
while IFS= read -r l; do
set -- $l
w=$3
NAME
if [ "$2" != 0 ]; then tail -c "+$(($1 + 1))" "./$n" | head -c "$2"; fi
done)sh";

constexpr const char* kSumScript = R"(cd "$1" || exit 3
while IFS= read -r w; do
NAME
cksum <"./$n" || exit 4
done)";

// A file to be fetched from byte `begin` on.
struct Unfetched {
    std::size_t file = 0;
    Index begin = 0;
};

bool staysBelow(const fs::path& name) {
    return !name.empty() && name.is_relative() &&
           std::none_of(name.begin(), name.end(),
                        [](const fs::path& part) { return part == ".." || part.empty(); });
}

fs::path partOf(const fs::path& file) {
    fs::path part = file;
    return part += kPart;
}

fs::path placeHere(const HostFile& file, const fs::path& to) {
    return file.here.empty() ? to / file.name : file.here;
}

Index sizeOf(const fs::path& file) {
    std::error_code error;
    const std::uintmax_t bytes = fs::file_size(file, error);
    return error ? -1 : static_cast<Index>(bytes);
}

// Splits the stream of several files, one after the other.
class FileTaker {
  public:
    FileTaker(const std::vector<HostFile>& files, const fs::path& to, std::vector<Unfetched> pieces)
        : m_files(files), m_to(to), m_pieces(std::move(pieces)) {}

    void take(std::span<const std::byte> bytes) {
        while (!bytes.empty()) {
            while (m_left == 0)
                if (!next())
                    throw ResourceError("A host sent more of a file than it has. Try again.");
            const Index count = std::min(static_cast<Index>(bytes.size()), m_left);
            m_file.writeAt(m_offset, bytes.first(static_cast<std::size_t>(count)));
            m_offset += count;
            m_left -= count;
            bytes = bytes.subspan(static_cast<std::size_t>(count));
        }
    }
    /// Finishes the files, including empty ones. @returns whether all have arrived
    bool end() {
        while (m_left == 0 && next()) {
        }
        m_file = File();
        return m_left == 0 && m_next == m_pieces.size();
    }

  private:
    bool next() {
        if (m_next == m_pieces.size()) return false;
        const Unfetched& piece = m_pieces[m_next++];
        const fs::path part = partOf(placeHere(m_files[piece.file], m_to));
        std::error_code ignored;
        fs::create_directories(part.parent_path(), ignored);
        m_file = File(part, File::Mode::keep);
        m_file.resize(piece.begin);
        m_offset = piece.begin;
        m_left = m_files[piece.file].bytes - piece.begin;
        return true;
    }

    const std::vector<HostFile>& m_files;
    const fs::path& m_to;
    std::vector<Unfetched> m_pieces;
    std::size_t m_next = 0;
    File m_file;
    Index m_offset = 0;
    Index m_left = 0;
};

std::vector<std::uint32_t> hostSums(const HostShell& shell, const std::string& folder,
                                    const std::vector<HostFile>& files,
                                    const std::stop_token& stop) {
    std::string names;
    for (const HostFile& file : files)
        names += octalText(file.name) + "\n";
    std::istringstream lines(askOfFolder(shell, kSumScript, folder, std::move(names), stop).output);
    std::vector<std::uint32_t> sums;
    std::uint32_t sum = 0;
    for (Index bytes = 0; lines >> sum >> bytes;)
        sums.push_back(sum);
    if (sums.size() != files.size())
        throw ResourceError(
            fmt::format("{} gave no checksums of its files. Try again.", shell.hostName()));
    return sums;
}

// "SIZE NAME", each with a null character behind it; names from "/" on are taken as below it.
std::vector<HostFile> filesIn(const HostShell& shell, const std::string& listed) {
    std::vector<HostFile> files;
    std::istringstream entries(listed);
    for (std::string entry; std::getline(entries, entry, '\0');) {
        const std::size_t blank = entry.find(' ');
        HostFile file;
        if (!(std::istringstream(entry.substr(0, blank)) >> file.bytes)) file.bytes = -1;
        file.name = blank == std::string::npos ? "" : entry.substr(blank + 1);
        if (file.name.starts_with('/')) file.name.erase(0, 1);
        if (!staysBelow(file.name) || file.bytes < 0)
            throw InputError(fmt::format("{} lists a file with a name that is not taken: '{}'.",
                                         shell.hostName(), shownText(file.name)));
        files.push_back(std::move(file));
    }
    return files;
}

struct Fetch {
    const HostShell& shell;
    const std::string& folder;
    const std::vector<HostFile>& files;
    const fs::path& to;
    const HostProgress& progress;
    const std::stop_token& stop;

    [[nodiscard]] bool isHere(std::size_t i, const std::vector<std::uint32_t>& sums) const {
        const fs::path file = placeHere(files[i], to);
        return sizeOf(file) == files[i].bytes && checksumOf(file, stop) == sums[i];
    }
    [[nodiscard]] std::vector<Unfetched> missing(const std::vector<std::uint32_t>& sums) const {
        std::vector<Unfetched> pieces;
        for (std::size_t i = 0; i < files.size(); ++i) {
            const fs::path file = placeHere(files[i], to);
            if (isHere(i, sums)) continue;
            const Index begun = sizeOf(partOf(file));
            pieces.push_back({i, begun > 0 && begun <= files[i].bytes ? begun : 0});
        }
        return pieces;
    }
    void take(const std::vector<Unfetched>& pieces) const {
        Index all = 0;
        std::string lines;
        for (const Unfetched& piece : pieces) {
            const HostFile& file = files[piece.file];
            all += file.bytes - piece.begin;
            lines += fmt::format("{} {} {}\n", piece.begin, file.bytes - piece.begin,
                                 octalText(file.name));
        }
        FileTaker taker(files, to, pieces);
        Index done = 0;
        const ShellAnswer answer = shell.run({.script = transferScript(kGiveScript),
                                              .arguments = {folder},
                                              .input = inputOf(std::move(lines)),
                                              .output =
                                                  [&](std::span<const std::byte> bytes) {
                                                      taker.take(bytes);
                                                      done += static_cast<Index>(bytes.size());
                                                      if (progress.bytes) progress.bytes(done, all);
                                                  },
                                              .quietSeconds = 60},
                                             stop);
        if (answer.code != 0 || !taker.end())
            throw ResourceError(fmt::format("{} did not send all of {}: {}. Fetch it again.",
                                            shell.hostName(), folder, answer.complaints));
    }
    void run() const {
        const std::vector<std::uint32_t> sums = hostSums(shell, folder, files, stop);
        const std::vector<Unfetched> pieces = missing(sums);
        if (pieces.empty()) return;
        take(pieces);
        std::size_t bad = 0;
        for (const Unfetched& piece : pieces) {
            const fs::path file = placeHere(files[piece.file], to);
            // Another program of this user may have fetched it at the same time.
            if (!pathExists(partOf(file)) && isHere(piece.file, sums)) continue;
            if (checksumOf(partOf(file), stop) == sums[piece.file]) {
                renameFile(partOf(file), file);
            } else {
                removeFile(partOf(file));
                ++bad;
            }
        }
        if (bad > 0)
            throw ResourceError(fmt::format(
                "{} of {} files did not arrive as they are on {}, and were removed here. Fetch "
                "them again.",
                bad, pieces.size(), shell.hostName()));
    }
};

}  // namespace

std::vector<HostFile> listFiles(const HostShell& shell, const std::string& folder,
                                const std::stop_token& stop) {
    const ShellAnswer answer = shell.run(
        {.script = R"(cd "$1" || exit 3; find . -type f -printf '%s %P\0')", .arguments = {folder}},
        stop);
    if (answer.code != 0)
        throw InputError(fmt::format("{} has no folder {} any more.", shell.hostName(), folder));
    return filesIn(shell, answer.output);
}

std::vector<HostFile> listFilesOf(const HostShell& shell, const std::vector<std::string>& folders,
                                  const std::stop_token& stop) {
    const ShellAnswer answer = shell.run(
        {.script = R"(for d; do [ -d "$d" ] && find "$d" -type f -printf '%s %p\0'; done; exit 0)",
         .arguments = folders},
        stop);
    return filesIn(shell, answer.output);
}

void fetchFiles(const HostShell& shell, const std::string& folder,
                const std::vector<HostFile>& files, const fs::path& to,
                const HostProgress& progress, const std::stop_token& stop) {
    throughBreaks(
        progress.patienceSeconds, stop,
        [&] { Fetch{shell, folder, files, to, progress, stop}.run(); }, progress.onNotice);
}

}  // namespace gantry
