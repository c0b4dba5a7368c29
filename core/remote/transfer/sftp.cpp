#include "core/remote/transfer/sftp.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <system_error>

#include "core/base/run_process.h"
#include "core/base/throw_error.h"
#include "core/remote/host/shell_text.h"
#include "core/remote/shell/ssh_words.h"

namespace gantry {

namespace fs = std::filesystem;

namespace {

constexpr const char* kNoFile = "-";

// For each name its checksum and size, or a dash where there is no such file.
constexpr const char* kSums = R"sh(cd "$1" 2>/dev/null || { sed 's/.*/-/'; exit 0; }
while IFS= read -r w; do
  n=$(printf '%b.' "$w"); n=${n%.}
  if [ -f "./$n" ]; then cksum <"./$n" || exit 4; else echo -; fi
done)sh";

// Makes the folder $2, below the user's if it has no slash, with links "0", "1", ... to the files
// of the numbers and names that are read: sftp's own words then hold no name of a file, whatever
// characters it has. $3: 1 if the files are to be made there
constexpr const char* kLink = R"sh(cd "$1" || exit 3
place=$PWD; cd "${HOME:-/}" && mkdir "$2" || exit 3
while IFS= read -r i && IFS= read -r w; do
  n=$(printf '%b.' "$w"); n=${n%.}
  case $3:$n in 1:*/*) mkdir -p "$place/${n%/*}" || exit 4;; esac
  ln -s "$place/$n" "$2/$i" || exit 4
done)sh";

constexpr const char* kRemoveLinks = R"(cd "${HOME:-/}" && rm -rf "$1")";

// Copies files of the folder $1 to the folder $2, and tells of each.
constexpr const char* kCopy = R"sh(while IFS= read -r i && IFS= read -r w; do
  n=$(printf '%b.' "$w"); n=${n%.}
  case $n in */*) mkdir -p "$2/${n%/*}" || exit 4;; esac
  rm -f "$2/$n" && cp -p "$1/$n" "$2/$n" || exit 4
  echo "$i"
done)sh";

constexpr const char* kRemoveFiles = R"sh(cd "$1" || exit 3
while IFS= read -r i && IFS= read -r w; do
  n=$(printf '%b.' "$w"); rm -f "./${n%.}" || exit 4
done)sh";

constexpr const char* kSftpHere = R"(trap '' XFSZ
cd "$1" || exit 3
ulimit -f "$2" 2>/dev/null; shift 2; exec "$@")";

using OutputHandler = std::function<void(std::span<const std::byte>)>;

class SftpMove {
  public:
    SftpMove(const Transfer& transfer, const BytesHandler& moved, const std::stop_token& stop)
        : m_transfer(transfer), m_moved(moved), m_stop(stop) {}

    void run() {
        const std::vector<std::string> source = sums(sends() ? here() : there(), from());
        if (std::count(source.begin(), source.end(), kNoFile) > 0)
            throwError<ResourceError>("Files of {} were removed meanwhile. Try again.", from());
        std::vector<std::string> target = sums(sends() ? there() : here(), to());
        takeKnown(source, target);
        const std::vector<std::size_t> wanted = different(source, target);
        if (wanted.empty()) return;
        if (there().host().isHere())
            copy(from(), wanted, tellOf(wanted, 0));
        else
            moveLinked(wanted, target);
        const std::vector<std::size_t> bad =
            different(source, sums(sends() ? there() : here(), to()));
        if (bad.empty()) return;
        (void)ask(sends() ? there() : here(), kRemoveFiles, {to()}, numberedNames(bad));
        throwError<ResourceError>(
            "{} of {} files did not arrive as they are on the other side, and were removed. Do the "
            "same again; where it happens again, ask whether the disks are sound.",
            bad.size(), wanted.size());
    }

  private:
    [[nodiscard]] bool sends() const { return m_transfer.way == Transfer::Way::send; }
    [[nodiscard]] const HostShell& here() const { return m_here; }
    [[nodiscard]] const HostShell& there() const { return m_transfer.shell; }
    [[nodiscard]] std::string from() const {
        return sends() ? m_transfer.here.string() : m_transfer.there;
    }
    [[nodiscard]] std::string to() const {
        return sends() ? m_transfer.there : m_transfer.here.string();
    }
    std::string ask(const HostShell& shell, const char* script, std::vector<std::string> arguments,
                    std::string lines, OutputHandler output = {}) const {
        constexpr double kLongQuietSeconds = 3600;  // it reads large files
        const ShellAnswer answer = shell.run({.script = script,
                                              .arguments = std::move(arguments),
                                              .input = inputOf(std::move(lines)),
                                              .output = std::move(output),
                                              .quietSeconds = kLongQuietSeconds,
                                              .maxSeconds = 10 * kLongQuietSeconds},
                                             m_stop);
        if (answer.code != 0) failToMove(m_transfer, false, answer.complaints);
        return answer.output;
    }
    [[nodiscard]] std::vector<std::string> sums(const HostShell& shell,
                                                const std::string& folder) const {
        std::string names;
        for (const HostFile& file : m_transfer.files)
            names += octalText(file.name) + "\n";
        std::istringstream lines(ask(shell, kSums, {folder}, std::move(names)));
        std::vector<std::string> all;
        for (std::string line; std::getline(lines, line);)
            all.push_back(line);
        if (all.size() != m_transfer.files.size())
            throwError<ResourceError>("{} gave no checksums of the files in {}. Try again.",
                                      shell.hostName(), folder);
        return all;
    }
    static std::vector<std::size_t> different(const std::vector<std::string>& source,
                                              const std::vector<std::string>& target) {
        std::vector<std::size_t> found;
        for (std::size_t i = 0; i < source.size(); ++i)
            if (source[i] != target[i]) found.push_back(i);
        return found;
    }
    void takeKnown(const std::vector<std::string>& source, std::vector<std::string>& target) const {
        if (m_transfer.known.empty()) return;
        const std::vector<std::string> known = sums(here(), m_transfer.known.string());
        std::vector<std::size_t> alike = different(source, target);
        std::erase_if(alike, [&](std::size_t i) { return known[i] != source[i]; });
        if (!alike.empty()) copy(m_transfer.known.string(), alike, {});
        for (const std::size_t i : alike)
            target[i] = source[i];
    }
    void copy(const std::string& folder, const std::vector<std::size_t>& wanted,
              OutputHandler output) const {
        (void)ask(here(), kCopy, {folder, to()}, numberedNames(wanted), std::move(output));
    }
    // Each line of an output, but the first ones, tells that one more of the files is there.
    [[nodiscard]] OutputHandler tellOf(const std::vector<std::size_t>& wanted,
                                       std::size_t before) const {
        return [this, &wanted, before, line = std::size_t{0},
                done = Index{0}](std::span<const std::byte> bytes) mutable {
            for (auto left = std::count(bytes.begin(), bytes.end(), std::byte{'\n'}); left > 0;
                 --left)
                if (++line > before && line <= before + wanted.size())
                    m_moved(done += bytesAt(wanted[line - before - 1]));
        };
    }
    [[nodiscard]] std::string numberedNames(const std::vector<std::size_t>& wanted) const {
        std::string lines;
        for (const std::size_t i : wanted)
            lines += fmt::format("{}\n{}\n", i, octalText(m_transfer.files[i].name));
        return lines;
    }
    void moveLinked(const std::vector<std::size_t>& wanted,
                    const std::vector<std::string>& target) const {
        const std::string linksThere = fmt::format(".{}", newMark());
        const std::string linksHere = fs::temp_directory_path() / linksThere;
        try {
            const std::string names = numberedNames(wanted);
            (void)ask(here(), kLink, {m_transfer.here, linksHere, sends() ? "0" : "1"}, names);
            (void)ask(there(), kLink, {m_transfer.there, linksThere, sends() ? "1" : "0"}, names);
            sftp(wanted, target, linksHere, linksThere);
        } catch (...) {
            removeLinks(linksHere, linksThere);
            throw;
        }
        removeLinks(linksHere, linksThere);
    }
    void removeLinks(const std::string& linksHere, const std::string& linksThere) const {
        try {
            (void)here().run({.script = kRemoveLinks, .arguments = {linksHere}});
            (void)there().run({.script = kRemoveLinks, .arguments = {linksThere}});
        } catch (const Error&) {
            // The folders have links alone.
        }
    }
    void sftp(const std::vector<std::size_t>& wanted, const std::vector<std::string>& target,
              const std::string& linksHere, const std::string& linksThere) const {
        std::string commands = "cd " + linksThere + "\n";
        Index max = 0;
        for (const std::size_t i : wanted) {
            // An unfinished file goes on; one that is as long, or longer, is another one.
            const bool goesOn = sizeIn(target[i]) > 0 && sizeIn(target[i]) < bytesAt(i);
            commands +=
                fmt::format("{}{} {} {}\n", goesOn ? "re" : "", sends() ? "put" : "get", i, i);
            max = std::max(max, bytesAt(i));
        }
        constexpr Index kPiece = 512;
        const std::string limit = sends() ? "unlimited" : std::to_string(max / kPiece + 1);
        std::vector<std::string> words = {"sh",  "-c",   kSftpHere, "sh", linksHere,
                                          limit, "sftp", "-b",      "-"};
        for (std::string& option : sshOptions())
            words.push_back(std::move(option));
        words.insert(words.end(), {"--", there().host().address});
        // It repeats each command when it begins it; the first one moves nothing.
        const ProcessEnd end = runProcess({.words = std::move(words),
                                           .environment = {{"LC_ALL", "C"}},
                                           .input = inputOf(std::move(commands)),
                                           .output = tellOf(wanted, 2)},
                                          m_stop);
        constexpr int kCodeOfSsh = 255;
        if (end.code != 0) failToMove(m_transfer, end.code == kCodeOfSsh, end.complaints);
    }
    [[nodiscard]] Index bytesAt(std::size_t i) const { return m_transfer.files[i].bytes; }
    static Index sizeIn(const std::string& sum) {
        Index number = 0;
        Index bytes = 0;
        return std::istringstream(sum) >> number >> bytes ? bytes : 0;
    }

    const Transfer& m_transfer;
    const BytesHandler& m_moved;
    const std::stop_token& m_stop;
    HostShell m_here{Host{}};
};

}  // namespace

void moveBySftp(const Transfer& transfer, const BytesHandler& moved, const std::stop_token& stop) {
    SftpMove(transfer, moved, stop).run();
}

}  // namespace gantry
