#include "core/remote/shell/host_scan.h"

#include <iterator>
#include <system_error>

#include "core/base/file.h"
#include "core/base/throw_error.h"
#include "core/io/scan_file/scan_file.h"
#include "core/remote/host/shell_text.h"

namespace gantry {

namespace fs = std::filesystem;

namespace {

constexpr Index kMaxScanBytes = 64'000'000;

// The folder of copies, which have the same paths in it as their scans on the host.
fs::path copiesFolder() {
    return userFolder("XDG_STATE_HOME", ".local/state") / "host-scans";
}

fs::path scanFileAt(const fs::path& place) {
    return place.extension() == ".json" ? place : place / "scan.json";
}

// The file as it was fetched, before edits.
fs::path broughtOf(fs::path copy) {
    return copy += ".brought";
}

bool wasEdited(const fs::path& copy) {
    if (!pathExists(copy)) return false;
    return !pathExists(broughtOf(copy)) ||
           readTextFile(copy, kMaxScanBytes) != readTextFile(broughtOf(copy), kMaxScanBytes);
}

}  // namespace

std::string readScanThere(const HostShell& shell, const fs::path& place,
                          const std::stop_token& stop) {
    const fs::path file = scanFileAt(place);
    if (!file.is_absolute())
        throwError<InputError>("{} is a place on {}, so it must begin with /.",
                               shownText(place.string()), shell.hostName());
    const ShellAnswer answer = shell.run(
        {.script = R"(cat <"$1")", .arguments = {file.string()}, .maxOutputBytes = kMaxScanBytes},
        stop);
    if (answer.code != 0)
        throwError<InputError>("{} cannot read {}: {}.", shell.hostName(), shownText(file.string()),
                               answer.complaints);
    return answer.output;
}

fs::path bringScan(const Host& host, const std::string& place, const std::stop_token& stop) {
    const fs::path there = scanFileAt(place).lexically_normal();
    const std::string text = readScanThere(HostShell(host), there, stop);
    fs::path copy = copyOf({host.name, there.string()});
    try {
        (void)parseScan(text, there);
    } catch (const InputError& problem) {
        throwError<InputError>("On {}: {}", host.name, problem.message());
    }
    std::error_code error;
    fs::create_directories(copy.parent_path(), error);
    if (wasEdited(copy)) return copy;
    writeFileAtomically(broughtOf(copy), text);
    writeFileAtomically(copy, text);
    return copy;
}

fs::path copyOf(const HostScan& scan) {
    const fs::path place = fs::path(scan.place).lexically_normal();
    return copiesFolder() / scan.host / place.relative_path();
}

std::optional<HostScan> scanOfCopy(const fs::path& file) {
    const fs::path below = file.lexically_normal().lexically_relative(copiesFolder());
    if (below.empty() || *below.begin() == ".." || *below.begin() == ".") return std::nullopt;
    fs::path place = "/";
    for (auto part = std::next(below.begin()); part != below.end(); ++part)
        place /= *part;
    if (place == "/") return std::nullopt;
    return HostScan{below.begin()->string(), place.string()};
}

}  // namespace gantry
