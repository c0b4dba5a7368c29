#include "core/io/volume/open_sink.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <system_error>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/text.h"
#include "core/io/metaimage/metaimage_header.h"
#include "core/io/tiff/big_tiff_layout.h"
#include "core/io/tiff/tiff_folder_sink.h"
#include "core/io/volume/flat_sink.h"
#include "core/io/volume/spooled_sink.h"
#include "core/io/volume/volume_description.h"
#include "core/io/volume/volume_format.h"
#include "core/io/volume/voxel_encoding.h"

namespace gantry {

namespace fs = std::filesystem;

namespace {

bool isScaled(const OutputFormat& format) {
    return format.type != PixelType::float32;
}

[[noreturn]] void refuse(const fs::path& path, const std::string& sentence) {
    throw InputError(fmt::format("Cannot write {}: {}.", path.string(), sentence),
                     {.field = "output.path"});
}

// The path without the '/' at its end.
fs::path placeOf(const fs::path& path) {
    return path.has_filename() ? path : path.parent_path();
}

fs::path folderOf(const fs::path& place) {
    return place.has_parent_path() ? place.parent_path() : fs::path(".");
}

void checkRequest(const OutputFormat& format, const VolumeGrid& grid) {
    if (isScaled(format) && format.type != PixelType::uint16 && format.type != PixelType::uint8)
        refuse(format.path, fmt::format("the voxel type is {}; it must be float32, uint16 or uint8",
                                        name(format.type)));
    if (format.range) {
        const auto [low, high] = *format.range;
        if (!isScaled(format))
            refuse(format.path,
                   "a range applies to uint16 and uint8 only, and the voxel type is float32");
        if (!std::isfinite(low) || !std::isfinite(high) || low >= high)
            refuse(format.path,
                   fmt::format(
                       "the range is {} to {} /mm; its upper limit must be greater than its lower "
                       "limit",
                       low, high));
    }
    require(*std::min_element(grid.voxels.begin(), grid.voxels.end()) > 0 &&
                *std::min_element(grid.pitchMm.begin(), grid.pitchMm.end()) > 0,
            "an empty volume was to be written");
}

void checkFree(const fs::path& file) {
    std::error_code ignored;
    if (fs::is_directory(file, ignored)) refuse(file, "it is a folder; choose another name");
    if (fs::exists(file, ignored) && !fs::is_regular_file(file, ignored))
        refuse(file, "something that is not a regular file has that name; choose another name");
}

// A header line holds the data file's name bare.
void checkNameFitsHeader(const fs::path& file) {
    const std::string name = file.filename().string();
    const auto isControl = [](char c) { return (c >= 0 && c < 32) || c == 127; };
    const bool good = name.front() != ' ' && !name.starts_with("LIST") &&
                      name.find('%') == std::string::npos &&
                      std::none_of(name.begin(), name.end(), isControl);
    if (!good)
        refuse(file,
               "a MetaImage header cannot name a data file that begins with a blank or LIST, or "
               "has % or control characters; choose another name, or .mha");
}

void checkPlace(const fs::path& place, VolumeFormat kind) {
    const std::string name = place.filename().string();
    if (name.empty() || name == "." || name == "..") refuse(place, "it needs a name");
    const fs::path folder = folderOf(place);
    std::error_code ignored;
    if (!fs::is_directory(folder, ignored))
        refuse(place,
               fmt::format("the folder {} does not exist; create it, or choose another place",
                           folder.string()));
    if (::access(folder.c_str(), W_OK) != 0)
        refuse(place,
               fmt::format("no files can be made in the folder {} ({}); choose another place",
                           folder.string(), std::generic_category().message(errno)));
    if (kind == VolumeFormat::tiffFolder) {
        if (!fs::exists(place, ignored)) return;
        if (!fs::is_directory(place, ignored))
            refuse(place, "it is a file, and a folder is needed; choose another name");
        if (!holdsOnlySlices(place))
            refuse(place, "the folder holds other files than slices; choose a new or empty folder");
        return;
    }
    checkFree(place);
    if (kind == VolumeFormat::raw) checkFree(rawDescriptionPath(place));
    if (kind == VolumeFormat::metaImagePair) {
        checkFree(metaImageDataPath(place));
        checkNameFitsHeader(metaImageDataPath(place));
    }
}

// Disk that a file, or the files of a folder, take already; holes in a file take none.
Index allocatedBytes(const fs::path& path) {
    struct stat status {};
    if (::stat(path.c_str(), &status) != 0) return 0;
    if (!S_ISDIR(status.st_mode)) return static_cast<Index>(status.st_blocks) * 512;
    Index bytes = 0;
    std::error_code ignored;
    for (fs::directory_iterator entry(path, ignored), end; !ignored && entry != end;
         entry.increment(ignored))
        if (::stat(entry->path().c_str(), &status) == 0)
            bytes += static_cast<Index>(status.st_blocks) * 512;
    return bytes;
}

bool spools(const OutputFormat& format) {
    return isScaled(format) && !format.range;
}

MetaImageHeader headerOf(const fs::path& place, const fs::path& data, const VolumeGrid& grid,
                         const VoxelEncoding& encoding) {
    MetaImageHeader header;
    header.path = place;
    header.data.path = data;
    header.size = grid.voxels;
    header.spacingMm = grid.pitchMm;
    const Vec3 origin = grid.originMm();
    header.originMm = {origin.x, origin.y, origin.z};
    header.data.type = encoding.type;
    header.slope = encoding.slope;
    header.intercept = encoding.intercept;
    return header;
}

FlatLayout layoutOf(const fs::path& place, VolumeFormat kind, const VolumeGrid& grid,
                    const VoxelEncoding& encoding) {
    switch (kind) {
        case VolumeFormat::metaImage:
            return {place, metaImageText(headerOf(place, place, grid, encoding)), {}, {}, {}};
        case VolumeFormat::metaImagePair: {
            const fs::path data = metaImageDataPath(place);
            return {data, {}, {}, place, metaImageText(headerOf(place, data, grid, encoding))};
        }
        case VolumeFormat::raw:
            return {place, {}, {}, rawDescriptionPath(place), toJson({grid, encoding}) + "\n"};
        case VolumeFormat::bigTiff:
            return bigTiffLayout(place, grid, encoding);
        case VolumeFormat::tiffFolder:
            break;
    }
    throw InternalError("a folder of slices is no flat file");
}

std::unique_ptr<VolumeSink> openEncoded(const fs::path& place, VolumeFormat kind,
                                        const VolumeGrid& grid, const VoxelEncoding& encoding,
                                        bool resume) {
    if (kind == VolumeFormat::tiffFolder)
        return std::make_unique<TiffFolderSink>(place, grid, encoding, resume);
    return std::make_unique<FlatSink>(layoutOf(place, kind, grid, encoding), grid, encoding,
                                      resume);
}

}  // namespace

std::unique_ptr<VolumeSink> openSink(const OutputFormat& format, const VolumeGrid& grid,
                                     bool resume) {
    const VolumeFormat kind = volumeFormatOf(format.path);
    const fs::path place = placeOf(format.path);
    checkRequest(format, grid);
    checkPlace(place, kind);
    requireDisk(format, grid);
    if (!spools(format)) {
        const VoxelEncoding encoding =
            isScaled(format) ? encodingOf(format.type, *format.range) : VoxelEncoding{};
        return openEncoded(place, kind, grid, encoding, resume);
    }
    const auto openOutput = [place, kind, grid, type = format.type](std::array<double, 2> range) {
        return openEncoded(place, kind, grid, encodingOf(type, range), false);
    };
    return std::make_unique<SpooledSink>(place, grid, resume, openOutput);
}

Index outputBytes(const OutputFormat& format, const VolumeGrid& grid) {
    constexpr Index kHeader = 4096;
    constexpr Index kDirectory = 1024;  // of one image in a BigTIFF
    const Index voxels = grid.count() * sizeBytes(format.type);
    switch (volumeFormatOf(format.path)) {
        case VolumeFormat::tiffFolder:
            return voxels + grid.voxels[2] * kHeader;
        case VolumeFormat::bigTiff:
            return voxels + kHeader + grid.voxels[2] * kDirectory;
        default:
            return voxels + 2 * kHeader;
    }
}

Index diskBytesNeeded(const OutputFormat& format, const VolumeGrid& grid) {
    const Index spool = spools(format) ? grid.count() * Index{sizeof(float)} : 0;
    return outputBytes(format, grid) + spool;
}

void requireDisk(const OutputFormat& format, const VolumeGrid& grid) {
    const fs::path place = placeOf(format.path);
    const Index needed = diskBytesNeeded(format, grid);
    // What an earlier run left is resumed or replaced.
    fs::path data = place;
    if (volumeFormatOf(format.path) == VolumeFormat::metaImagePair) data = metaImageDataPath(place);
    fs::path spool = place;
    spool += ".spool";
    const Index present = allocatedBytes(partName(data)) + allocatedBytes(partName(spool));
    const Index free = freeDiskBytes(place);
    if (needed - present <= free) return;
    const char* remedy =
        isScaled(format) ? (spools(format) ? "Give a range, free space, or choose another place."
                                           : "Free space, or choose another place.")
                         : "Use 8- or 16-bit output, free space, or choose another place.";
    throw ResourceError(
        fmt::format("There is not enough disk space for {}: the volume needs {}, and {} are free. "
                    "{}",
                    place.string(), formatBytes(needed - present), formatBytes(free), remedy),
        {.code = ErrorCode::disk});
}

}  // namespace gantry
