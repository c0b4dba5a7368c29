#include "core/io/volume/volume_format.h"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>

#include "core/base/file.h"
#include "core/base/text.h"
#include "core/base/throw_error.h"
#include "core/io/hdf5/hdf5_volume.h"
#include "core/io/metaimage/metaimage_files.h"
#include "core/io/raw/raw_files.h"
#include "core/io/tiff/tiff_volume.h"
#include "core/io/zarr/zarr_image.h"
#include "core/io/zarr/zarr_volume.h"

namespace gantry {

namespace fs = std::filesystem;

namespace {

// The one without extensions: a folder.
const VolumeFileFormat& folderFormat() {
    const std::vector<VolumeFileFormat>& formats = volumeFormats();
    const auto found = std::ranges::find_if(
        formats, [](const VolumeFileFormat& format) { return format.extensions.empty(); });
    require(found != formats.end(), "no format of volumes is a folder");
    return *found;
}

const VolumeFileFormat& zarrFormat() {
    const std::vector<VolumeFileFormat>& formats = volumeFormats();
    const auto found = std::ranges::find_if(formats, [](const VolumeFileFormat& format) {
        return format.format == VolumeFormat::zarr;
    });
    require(found != formats.end(), "Zarr is no format of volumes");
    return *found;
}

}  // namespace

const std::vector<VolumeFileFormat>& volumeFormats() {
    static const std::vector<VolumeFileFormat> formats = {
        metaImageVolumes(),  metaImagePairVolumes(), rawVolumes(),  bigTiffVolumes(),
        tiffFolderVolumes(), zarrVolumes(),          hdf5Volumes(),
    };
    return formats;
}

fs::path placeOf(const fs::path& path) {
    return path.has_filename() ? path : path.parent_path();
}

const VolumeFileFormat& volumeFormatOf(const fs::path& path) {
    const std::string name = inLowerCase(placeOf(path).filename().string());
    std::string known;
    for (const VolumeFileFormat& format : volumeFormats())
        for (const std::string_view own : format.extensions) {
            const bool fits = path.has_filename() || format.isFolder;
            if (fits && name.size() > own.size() && name.ends_with(own)) return format;
            known += fmt::format("{}, ", own);
        }
    if (!path.has_filename() || path.extension().empty()) return folderFormat();
    throwError<InputError>(
        "{} has the unknown ending '{}'. A volume ends in {}or in / for a folder of TIFF slices.",
        path.string(), path.extension().string(), known);
}

const VolumeFileFormat& storedFormatOf(const fs::path& path) {
    if (isFolder(path)) return isZarr(path) ? zarrFormat() : folderFormat();
    const VolumeFileFormat& format = volumeFormatOf(path);
    if (!format.extensions.empty()) return format;
    std::vector<std::string> names;
    for (const VolumeFileFormat& known : volumeFormats())
        names.emplace_back(known.name);
    refuseVolume(path, fmt::format("it is not a volume. Volumes are {}", listed(names, "and")),
                 ErrorCode::unknownFormat);
}

void refuseOutput(const fs::path& path, const std::string& sentence) {
    throw InputError(fmt::format("Cannot write {}: {}.", path.string(), sentence),
                     {.field = "output.path"});
}

void checkFree(const fs::path& file) {
    if (isFolder(file)) refuseOutput(file, "it is a folder; choose another name");
    std::error_code ignored;
    if (fs::exists(file, ignored) && !fs::is_regular_file(file, ignored))
        refuseOutput(file,
                     "something that is not a regular file has that name; choose another name");
}

void checkFreeOfLinks(const fs::path& file) {
    checkFree(file);
    std::error_code ignored;
    if (fs::is_symlink(file, ignored))
        refuseOutput(file,
                     "it is a link, and this format has two files side by side; name the place "
                     "that the link leads to");
}

void refuseVolume(const fs::path& path, const std::string& sentence, ErrorCode code) {
    throw InputError(fmt::format("Cannot open {}: {}.", path.string(), sentence), {.code = code});
}

}  // namespace gantry
