#include "ui/workspace/scan/found_scan.h"

#include <fmt/format.h>
#include <algorithm>
#include <optional>
#include <utility>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/io/open_source.h"
#include "core/io/series/match_files.h"
#include "core/io/volume/stored_volume.h"
#include "ui/models/text.h"
#include "ui/workspace/jobs/job_reading.h"
#include "ui/workspace/scan/settings_file.h"

namespace gantry {

namespace fs = std::filesystem;

namespace {

constexpr const char* kJobFile = "job.json";

Recognised job(const fs::path& folder) {
    Recognised found;
    found.kind = Recognised::Kind::job;
    found.path = folder;
    found.request = readJobRequest(folder);
    found.job = readJobEntry(toText(folder));
    if (!found.job)
        throw InputError(fmt::format("Cannot open the job {}: its job.json is missing or damaged.",
                                     folder.string()));
    found.hasOutput = pathExists(found.request->output.path);
    return found;
}

}  // namespace

Recognised recognise(const fs::path& path) {
    if (!pathExists(path))
        throw InputError(
            fmt::format("Cannot open {}: there is no such file or folder.", path.string()));
    if (isFolder(path) && pathExists(path / kJobFile)) return job(path);
    if (path.filename() == kJobFile) return job(path.parent_path());
    Recognised found;
    found.path = path;
    if (isFolder(path) && !pathExists(path / "scan.json") && pathExists(path / "events.jsonl")) {
        found.kind = Recognised::Kind::timeline;
        return found;
    }
    if (!pathExists(path / "scan.json") && isStoredVolume(path))
        found.kind = Recognised::Kind::volume;
    return found;
}

namespace {

constexpr const char* kScanFile = "scan.json";

bool speaksOf(const ScanFile& scan, const fs::path& image) {
    const std::vector<fs::path> files = matchViews(scan.folder, scan.projections.files);
    return std::any_of(files.begin(), files.end(), [&](const fs::path& file) {
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

// "scan/proj" most likely means "scan/scan.json".
std::optional<ScanFile> scanOfFolder(const fs::path& folder) {
    if (pathExists(folder / kScanFile)) return readScanFile(folder / kScanFile);
    if (std::optional<ScanFile> scan = onlyScanIn(folder)) return scan;
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

FoundScan described(const ScanFile& scan) {
    FoundScan found{requestFor(scan), {}, scan.path};
    try {
        takeKeptSettings(found.request);
    } catch (const InputError& error) {
        found.settingsProblem = error.what();
    }
    return found;
}

FoundScan guessed(const fs::path& path) {
    // Guessing needs no more of an inspection than these fields.
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
        throw InputError(
            fmt::format("Cannot open {}: there is no such file or folder.", path.string()));
    if (isFolder(path)) {
        if (const std::optional<ScanFile> scan = scanOfFolder(path)) return described(*scan);
        return guessed(path);
    }
    if (path.extension() == ".json") return described(readScanFile(path));
    if (const std::optional<ScanFile> scan = scanAround(path)) return described(*scan);
    return guessed(path);
}

}  // namespace gantry
