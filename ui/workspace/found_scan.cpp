#include "ui/workspace/found_scan.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/io/open_source.h"

namespace gantry {

namespace fs = std::filesystem;

namespace {

constexpr const char* kScanFile = "scan.json";

bool speaksOf(const ScanFile& scan, const fs::path& image) {
    const std::vector<fs::path> files = matchViews(scan.folder, scan.projections.files);
    return std::any_of(files.begin(), files.end(), [&](const fs::path& file) {
        return file.lexically_normal() == image.lexically_normal();
    });
}

// "scan/proj/view_0007.tif" is most likely meant as "scan/scan.json".
std::optional<ScanFile> scanAround(const fs::path& image) {
    for (const fs::path& folder : {image.parent_path(), image.parent_path().parent_path()}) {
        if (!pathExists(folder / kScanFile)) continue;
        try {
            ScanFile scan = readScanFile(folder / kScanFile);
            if (speaksOf(scan, image)) return scan;
        } catch (const InputError&) {
            // Not what was asked about.
        }
    }
    return std::nullopt;
}

FoundScan described(const ScanFile& scan) {
    return {requestFor(scan), {}, scan.path};
}

FoundScan guessed(const fs::path& path) {
    // Of an inspection it needs no more than that.
    Inspection bare;
    bare.path = path;
    GuessedScan guess = guessScan(bare);
    const bool isOneOfMany = !isFolder(path) && openSource({path}, {})->info().views == 1;
    return {requestFor(guess.scan), std::move(guess.guesses),
            isOneOfMany ? path.parent_path() : path};
}

}  // namespace

FoundScan findScan(const fs::path& path) {
    if (!pathExists(path))
        throw InputError(fmt::format("{}: there is no such file or folder", path.string()));
    if (isFolder(path)) {
        if (pathExists(path / kScanFile)) return described(readScanFile(path / kScanFile));
        return guessed(path);
    }
    if (path.extension() == ".json") return described(readScanFile(path));
    if (const std::optional<ScanFile> scan = scanAround(path)) return described(*scan);
    return guessed(path);
}

}  // namespace gantry
