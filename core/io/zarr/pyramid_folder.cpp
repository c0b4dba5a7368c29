#include "core/io/zarr/pyramid_folder.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <system_error>

#include "core/base/file.h"
#include "core/base/throw_error.h"

namespace gantry {

namespace fs = std::filesystem;

namespace {

// Whether a name belongs to a Zarr image: numbers of levels and chunks, and files that describe
// them.
bool isZarrName(const std::string& name) {
    constexpr std::array<std::string_view, 6> kKnown = {".zattrs",    ".zgroup",    ".zarray",
                                                        ".zmetadata", kScratchName, kRecordName};
    if (std::ranges::find(kKnown, name) != kKnown.end()) return true;
    // A file that was being written when a process was killed: ".zattrs.1234.part".
    if (const std::string whole = fs::path(name).stem().stem().string();
        name.ends_with(".part") && whole.size() < name.size())
        return isZarrName(whole);
    return std::ranges::all_of(name, [](char c) { return (c >= '0' && c <= '9') || c == '.'; });
}

}  // namespace

Index bytesBelow(const fs::path& folder) {
    Index bytes = 0;
    std::error_code ignored;
    for (fs::recursive_directory_iterator entry(folder, ignored), end; !ignored && entry != end;
         entry.increment(ignored))
        if (entry->is_regular_file(ignored)) bytes += static_cast<Index>(entry->file_size(ignored));
    return bytes;
}

bool holdsOnlyZarr(const fs::path& folder) {
    std::error_code error;
    bool only = true;
    for (fs::recursive_directory_iterator entry(folder, error), end; !error && only && entry != end;
         entry.increment(error))
        only = isZarrName(entry->path().filename().string());
    if (error)
        throwError<InputError>("{}: the folder cannot be read: {}", folder.string(),
                               error.message());
    return only;
}

void emptyPyramid(const fs::path& folder) {
    removeFile(folder / ".zattrs");
    removeFile(folder / kScratchName / kRecordName);
    for (const fs::path& entry : entriesOf(folder)) {
        std::error_code error;
        fs::remove_all(entry, error);
        if (error)
            throwError<InputError>("{} cannot be removed: {}.", entry.string(), error.message());
    }
}

void removeUnfinishedFiles(const fs::path& folder) {
    if (!isFolder(folder)) return;
    for (const fs::path& entry : entriesOf(folder))
        if (entry.extension() == ".part") removeFile(entry);
}

void removePyramid(const fs::path& folder) noexcept {
    std::error_code ignored;
    try {
        if (fs::is_directory(folder, ignored) && holdsOnlyZarr(folder))
            fs::remove_all(folder, ignored);
    } catch (const std::exception&) {
        // Folders that cannot be read stay.
    }
}

fs::path oldPyramidName(const fs::path& part) {
    return part.string() + ".old";
}

void replacePyramid(const fs::path& part, const fs::path& folder) {
    const fs::path old = oldPyramidName(part);
    if (pathExists(folder)) {
        if (!isFolder(folder) || !holdsOnlyZarr(folder))
            throwError<InputError>(
                "The folder {} holds other files and was not replaced. The volume is in {}.",
                folder.string(), part.string());
        // A folder that is not empty cannot be replaced by renaming, and a killed run may have left
        // one.
        removePyramid(old);
        renameFile(folder, old);
    }
    renameFile(part, folder);
    removePyramid(old);
}

}  // namespace gantry
