#include "core/scan/guess/find_scan.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "core/base/file.h"
#include "core/base/throw_error.h"
#include "core/describe/description_format.h"
#include "core/io/open_source.h"
#include "core/io/series/match_files.h"
#include "core/scan/guess/described_scan.h"

namespace gantry {

namespace fs = std::filesystem;

namespace {

constexpr const char* kScanFile = "scan.json";

bool speaksOf(const ScanFile& scan, const fs::path& image) {
    const std::vector<fs::path> files = matchViews(scan.folder, scan.projections.files);
    return std::ranges::any_of(files, [&](const fs::path& file) {
        return file.lexically_normal() == image.lexically_normal();
    });
}

// "scan/proj/view_0007.tif" most likely means "scan/scan.json".
std::optional<ScanFile> scanAround(const fs::path& image) {
    for (const fs::path& folder : {image.parent_path(), image.parent_path().parent_path()}) {
        if (!pathExists(folder / kScanFile)) continue;
        try {
            ScanFile scan = readScanFile(folder / kScanFile);
            if (speaksOf(scan, image)) return scan;
        } catch (const InputError&) {
            // The file is something else.
        }
    }
    return std::nullopt;
}

// The only scan that was saved in the folder under a name of its own, if there is one.
std::optional<ScanFile> onlyScanIn(const fs::path& folder) {
    constexpr int kMaxFiles = 20;  // max.; a folder with more is something else
    std::optional<ScanFile> found;
    int count = 0;
    for (const fs::path& file : entriesOf(folder)) {
        if (file.extension() != ".json") continue;
        if (++count > kMaxFiles) return std::nullopt;
        try {
            ScanFile scan = readScanFile(file);
            if (found) return std::nullopt;
            found = std::move(scan);
        } catch (const InputError&) {
            // The file is something else.
        }
    }
    return found;
}

std::optional<ScanFile> scanInFolder(const fs::path& folder) {
    if (pathExists(folder / kScanFile)) return readScanFile(folder / kScanFile);
    return onlyScanIn(folder);
}

// "scan/proj" most likely means "scan/scan.json".
std::optional<ScanFile> scanAboveFolder(const fs::path& folder) {
    const fs::path whole = (fs::absolute(folder) / "").lexically_normal().parent_path();
    const fs::path around = whole.parent_path() / kScanFile;
    if (!pathExists(around)) return std::nullopt;
    try {
        ScanFile scan = readScanFile(around);
        const fs::path view = matchFiles(scan.folder, scan.projections.files).front();
        if (fs::absolute(view).lexically_normal().parent_path() == whole) return scan;
    } catch (const InputError&) {
        // The file is something else.
    }
    return std::nullopt;
}

ScanAtPath described(ScanFile scan) {
    fs::path file = scan.path;
    return {std::move(scan), {}, true, std::move(file)};
}

// A scan by the file of a scanner's maker.
ScanAtPath describedBy(const fs::path& file) {
    ScanDescription description = describedWithImages(file);
    throwOnError(description.problems, file.string());
    ScanAtPath at{description.scan, guessesOf(description), false, description.file, {}};
    at.description = std::move(description);
    return at;
}

// An image most likely belongs to the description that lies beside it or above its folder.
std::optional<ScanAtPath> describedAround(const fs::path& image) {
    for (const fs::path& folder : {image.parent_path(), image.parent_path().parent_path()}) {
        try {
            const std::optional<fs::path> file = makersFileIn(folder.empty() ? "." : folder);
            if (!file) continue;
            ScanAtPath at = describedBy(*file);
            if (speaksOf(at.scan, fs::absolute(image))) return at;
        } catch (const InputError&) {
            // It is of another scan, or the folder cannot be listed.
        }
    }
    return std::nullopt;
}

ScanAtPath guessedAt(const fs::path& path, const std::string& entry) {
    // Guessing needs no more of an inspection than these fields.
    Inspection bare;
    bare.path = path;
    bare.entry = entry;
    GuessedScan guess = guessScan(bare);
    const bool isOneOfMany =
        !isFolder(path) && openSource({path}, {.entry = entry})->info().views == 1;
    return {std::move(guess.scan), std::move(guess.guesses), false,
            isOneOfMany ? path.parent_path() : path};
}

ScanAtPath foundAt(const fs::path& path, const std::string& entry) {
    if (!pathExists(path))
        throwError<InputError>("Cannot open {}: there is no such file or folder.", path.string());
    if (isFolder(path)) {
        if (std::optional<ScanFile> scan = scanInFolder(path)) return described(std::move(*scan));
        if (const std::optional<fs::path> file = makersFileIn(path)) return describedBy(*file);
        if (std::optional<ScanFile> scan = scanAboveFolder(path))
            return described(std::move(*scan));
        return guessedAt(path, entry);
    }
    if (path.extension() == ".json") return described(readScanFile(path));
    if (scanFormatOf(path)) return describedBy(path);
    if (std::optional<ScanFile> scan = scanAround(path)) return described(std::move(*scan));
    if (std::optional<ScanAtPath> at = describedAround(path)) return std::move(*at);
    return guessedAt(path, entry);
}

}  // namespace

ScanAtPath scanAt(const fs::path& path, const std::string& entry) {
    ScanAtPath at = foundAt(path, entry);
    if (!entry.empty()) at.scan.projections.entry = entry;
    return at;
}

}  // namespace gantry
