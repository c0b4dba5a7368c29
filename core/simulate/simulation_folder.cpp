#include "core/simulate/simulation_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <system_error>
#include <vector>

#include "core/base/file.h"
#include "core/base/system_fault.h"
#include "core/base/text.h"
#include "core/base/throw_error.h"
#include "core/phantom/phantom_file.h"
#include "core/simulate/faults.h"

namespace gantry {

namespace fs = std::filesystem;

namespace {

bool holdsFiles(const fs::path& folder) {
    return isFolder(folder) && !entriesOf(folder).empty();
}

bool isSimulation(const fs::path& folder) {
    return pathExists(folder / kPhantomFileName) || pathExists(folder / kProjectionFileName);
}

// What a simulation leaves in its folder.
bool isOfSimulation(const std::string& name) {
    if (name == "scan.json" || name == kPhantomFileName || name == kTruthFileName ||
        name == kProjectionFileName || name == "bad-pixels.tif")
        return true;
    return std::ranges::any_of(
        std::array<std::string, 4>{"proj", "dark", "flat", "flat-after"},
        [&](const std::string& series) { return name == series || name == series + ".tif"; });
}

// Volumes, jobs and other descriptions of the scan are not the simulation's to remove.
void refuseOtherEntries(const fs::path& folder) {
    std::vector<std::string> others;
    for (const fs::path& entry : entriesOf(folder))
        if (const std::string name = entry.filename().string(); !isOfSimulation(name))
            others.push_back(name);
    if (others.empty()) return;
    std::ranges::sort(others);
    const std::string more =
        others.size() > 1 ? fmt::format(" and {} more", others.size() - 1) : "";
    throwError<InputError>(
        "The folder {} holds {}{} beside a simulated scan, which would be lost. Name another "
        "folder, or move {} away.",
        folder.string(), others.front(), more, others.size() > 1 ? "them" : "it");
}

// Creates the folder with a temporary name.
fs::path startTemporary(const fs::path& folder, bool replace) {
    if (pathExists(folder) && !isFolder(folder))
        throwError<InputError>("{} is a file. Name a new folder.", folder.string());
    if (holdsFiles(folder)) {
        if (!isSimulation(folder))
            throwError<InputError>(
                "The folder {} holds other files than a simulated scan. Name a new or empty "
                "folder.",
                folder.string());
        if (!replace)
            throw InputError(
                fmt::format("The folder {} holds a simulated scan already. Name another folder.",
                            folder.string()),
                {.advice = "Or replace it with --force."});
        refuseOtherEntries(folder);
    }
    fs::path part = folder;
    part += ".part";
    if (holdsFiles(part) && !isSimulation(part))
        throwError<InputError>("{} is in the way. Remove it.", part.string());
    std::error_code error;
    fs::remove_all(part, error);
    if (!error) fs::create_directory(part, error);
    if (error) throwSystemFault(part, "cannot be made as a folder", error.value());
    return part;
}

// Gives the finished scan its final name, in place of an earlier simulation.
void takeFinalName(const fs::path& part, const fs::path& folder) {
    std::error_code ignored;
    fs::path old = folder;
    old += ".old";
    const bool replaces = holdsFiles(folder);
    // It was left by a run that was killed right after this step.
    if (replaces && isSimulation(old)) fs::remove_all(old, ignored);
    if (replaces) renameFile(folder, old);
    renameFile(part, folder);
    if (replaces) fs::remove_all(old, ignored);
}

}  // namespace

void makeScanFolder(const fs::path& folder, bool replace,
                    const std::function<void(const fs::path& part)>& make) {
    fs::path target = fs::absolute(folder).lexically_normal();
    if (!target.has_filename()) target = target.parent_path();
    const fs::path part = startTemporary(target, replace);
    std::error_code ignored;
    try {
        make(part);
        takeFinalName(part, target);
    } catch (const fs::filesystem_error& error) {
        fs::remove_all(part, ignored);
        throwError<InputError>("{} cannot be written: {}.", error.path1().string(),
                               error.code().message());
    } catch (...) {
        fs::remove_all(part, ignored);
        throw;
    }
}

void requireRoomForScan(const fs::path& part, Index bytes) {
    if (const Index room = freeDiskBytes(part.parent_path()); bytes > room)
        throwError<ResourceError>(
            "There is not enough disk space for {}: the scan needs {}, and {} are free. Ask for "
            "fewer views or pixels, or choose another place.",
            part.parent_path().string(), formatBytes(bytes), formatBytes(room));
}

fs::path imageOfSeries(const fs::path& scan, const std::string& kind, Index number, Index count) {
    const auto digits = fmt::formatted_size("{}", count - 1);
    return scan / kind /
           fmt::format("{}_{:0{}}.tif", kind, number, std::max<std::size_t>(4, digits));
}

Index bytesInFolder(const fs::path& folder) {
    Index bytes = 0;
    for (const auto& entry : fs::recursive_directory_iterator(folder))
        if (entry.is_regular_file()) bytes += static_cast<Index>(entry.file_size());
    return bytes;
}

}  // namespace gantry
