#include "core/remote/transfer/sftp.h"

#include <fmt/format.h>
#include <stdlib.h>

#include <algorithm>
#include <sstream>
#include <system_error>

#include "core/base/file.h"
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

// Makes ~/$2 with links "0", "1", ... to the files of the numbers and names that are read: sftp's
// own words then hold no name of a file, whatever characters it has.
constexpr const char* kLink = R"sh(cd "$1" || exit 3
place=$PWD; way=$HOME/$2
mkdir "$way" || exit 3
while IFS= read -r i && IFS= read -r w; do
  n=$(printf '%b.' "$w"); n=${n%.}
  case $3:$n in send:*/*) mkdir -p "./${n%/*}" || exit 4;; esac
  ln -s "$place/$n" "$way/$i" || exit 4
done)sh";

constexpr const char* kRemoveFiles = R"sh(cd "$1" || exit 3
while IFS= read -r i && IFS= read -r w; do
  n=$(printf '%b.' "$w"); rm -f "./${n%.}" || exit 4
done)sh";

constexpr const char* kSftpHere = R"(trap '' XFSZ
cd "$1" || exit 3
ulimit -f "$2" 2>/dev/null; shift 2; exec "$@")";

// A folder here with links to the files, as there is one on the host.
class LinksHere {
  public:
    LinksHere() {
        std::string name = (fs::temp_directory_path() / "gantry-way-XXXXXX").string();
        if (!::mkdtemp(name.data())) throw ResourceError("There is no room for temporary files.");
        m_path = name;
    }
    ~LinksHere() {
        std::error_code ignored;
        fs::remove_all(m_path, ignored);
    }
    LinksHere(const LinksHere&) = delete;
    LinksHere& operator=(const LinksHere&) = delete;

    [[nodiscard]] const fs::path& path() const { return m_path; }

  private:
    fs::path m_path;
};

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
            copy(wanted);
        else
            askSftp(wanted, target);
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
                    std::string lines) const {
        constexpr double kLongQuietSeconds = 3600;  // it reads large files
        const ShellAnswer answer = shell.run({.script = script,
                                              .arguments = std::move(arguments),
                                              .input = inputOf(std::move(lines)),
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
        for (const std::size_t i : different(source, target)) {
            if (known[i] != source[i]) continue;
            const fs::path place = placeHere(i);
            makeFolderOf(place);
            fs::remove(place);
            fs::copy_file(m_transfer.known / m_transfer.files[i].name, place);
            target[i] = source[i];
        }
    }
    [[nodiscard]] fs::path placeHere(std::size_t i) const {
        return m_transfer.here / m_transfer.files[i].name;
    }
    static void makeFolderOf(const fs::path& file) {
        std::error_code ignored;
        fs::create_directories(file.parent_path(), ignored);
    }
    [[nodiscard]] std::string numberedNames(const std::vector<std::size_t>& wanted) const {
        std::string lines;
        for (const std::size_t i : wanted)
            lines += fmt::format("{}\n{}\n", i, octalText(m_transfer.files[i].name));
        return lines;
    }
    void copy(const std::vector<std::size_t>& wanted) const {
        Index done = 0;
        for (const std::size_t i : wanted) {
            if (m_stop.stop_requested()) throw Cancelled();
            const fs::path place = fs::path(to()) / m_transfer.files[i].name;
            makeFolderOf(place);
            std::error_code error;
            fs::copy_file(fs::path(from()) / m_transfer.files[i].name, place,
                          fs::copy_options::overwrite_existing, error);
            if (error) failToMove(m_transfer, false, place.string() + ": " + error.message());
            m_moved(done += m_transfer.files[i].bytes);
        }
    }
    void askSftp(const std::vector<std::size_t>& wanted, const std::vector<std::string>& target) {
        const std::string way = fmt::format(".{}", newMark());
        (void)ask(there(), kLink, {m_transfer.there, way, sends() ? "send" : "fetch"},
                  numberedNames(wanted));
        try {
            sftp(wanted, target, way);
        } catch (...) {
            removeWay(way);
            throw;
        }
        removeWay(way);
    }
    void removeWay(const std::string& way) const {
        try {
            (void)there().run({.script = R"(rm -rf "$HOME/$1")", .arguments = {way}});
        } catch (const Error&) {
            // The folder has links alone.
        }
    }
    void sftp(const std::vector<std::size_t>& wanted, const std::vector<std::string>& target,
              const std::string& way) const {
        const LinksHere links;
        std::string commands = "cd " + way + "\n";
        Index max = 0;
        for (const std::size_t i : wanted) {
            makeFolderOf(placeHere(i));
            fs::create_symlink(placeHere(i), links.path() / std::to_string(i));
            // An unfinished file goes on; one that is as long, or longer, is another one.
            const bool goesOn = sizeIn(target[i]) > 0 && sizeIn(target[i]) < bytesAt(i);
            commands +=
                fmt::format("{}{} {} {}\n", goesOn ? "re" : "", sends() ? "put" : "get", i, i);
            max = std::max(max, bytesAt(i));
        }
        constexpr Index kPiece = 512;
        std::vector<std::string> words = {"sh",
                                          "-c",
                                          kSftpHere,
                                          "sh",
                                          links.path().string(),
                                          sends() ? "unlimited" : std::to_string(max / kPiece + 1),
                                          "sftp",
                                          "-b",
                                          "-"};
        for (std::string& option : sshOptions())
            words.push_back(std::move(option));
        words.insert(words.end(), {"--", there().host().address});
        std::size_t commandsBegun = 0;
        Index done = 0;
        const ProcessEnd end = runProcess(
            {.words = std::move(words),
             .environment = {{"LC_ALL", "C"}},
             .input = inputOf(std::move(commands)),
             .output =
                 [&](std::span<const std::byte> bytes) {
                     // It repeats each command when it begins it; the first one moves nothing.
                     const auto lines = std::count(bytes.begin(), bytes.end(), std::byte{'\n'});
                     for (std::ptrdiff_t i = 0; i < lines; ++i)
                         if (++commandsBegun > 2 && commandsBegun <= wanted.size() + 2)
                             m_moved(done += bytesAt(wanted[commandsBegun - 3]));
                 }},
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
