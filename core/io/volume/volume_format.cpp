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
#include "core/io/volume/volume_formats.h"
#include "core/io/zarr/zarr_image.h"
#include "core/io/zarr/zarr_volume.h"

namespace gantry {

namespace fs = std::filesystem;

namespace {

const VolumeFileFormat& formatOf(VolumeFormat wanted) {
    const std::vector<VolumeFileFormat>& formats = volumeFormats();
    const auto found = std::ranges::find_if(
        formats, [&](const VolumeFileFormat& format) { return format.format == wanted; });
    require(found != formats.end(), "a format of volumes is not in their list");
    return *found;
}

}  // namespace

const std::vector<VolumeFileFormat>& volumeFormats() {
    static const std::vector<VolumeFileFormat> formats = {
        metaImageVolumes(), metaImagePairVolumes(), rawVolumes(),      omeTiffVolumes(),
        bigTiffVolumes(),   tiffFolderVolumes(),    zarrVolumes(),     hdf5Volumes(),
        vgiVolumes(),       nrrdVolumes(),          nrrdPairVolumes(), niftiVolumes(),
        dicomVolumes(),
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
    if (!path.has_filename() || path.extension().empty()) return formatOf(VolumeFormat::tiffFolder);
    throwError<InputError>(
        "{} has the unknown ending '{}'. A volume ends in {}or in / for a folder of TIFF slices.",
        path.string(), path.extension().string(), known);
}

const VolumeFileFormat& storedFormatOf(const fs::path& path) {
    if (isZarr(path)) return formatOf(VolumeFormat::zarr);
    if (isFolder(path))
        return isDicomFolder(path) ? formatOf(VolumeFormat::dicom)
                                   : formatOf(VolumeFormat::tiffFolder);
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

void checkHeaderAndData(const fs::path& header, const fs::path& data, std::string_view other) {
    checkFreeOfLinks(header);
    checkFreeOfLinks(data);
    const std::string name = data.filename().string();
    const auto isControl = [](char c) { return (c >= 0 && c < 32) || c == 127; };
    const bool good = name.front() != ' ' && !name.starts_with("LIST") &&
                      name.find('%') == std::string::npos && std::ranges::none_of(name, isControl);
    if (!good)
        refuseOutput(
            data,
            fmt::format("a text header cannot name a data file that begins with a blank or LIST, "
                        "or has % or control characters; choose another name, or {}",
                        other));
}

void refuseVolume(const fs::path& path, const std::string& sentence, ErrorCode code) {
    throw InputError(fmt::format("Cannot open {}: {}.", path.string(), sentence), {.code = code});
}

}  // namespace gantry
