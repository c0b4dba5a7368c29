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
#include "core/base/read_files.h"
#include "core/base/text.h"
#include "core/base/written_place.h"
#include "core/io/volume/flat_sink.h"
#include "core/io/volume/output_names.h"
#include "core/io/volume/spooled_sink.h"
#include "core/io/volume/volume_format.h"
#include "core/io/volume/voxel_encoding.h"

namespace gantry {

namespace fs = std::filesystem;

namespace {

bool isScaled(const OutputFormat& format) {
    return format.type != PixelType::float32;
}

fs::path folderOf(const fs::path& place) {
    return place.has_parent_path() ? place.parent_path() : fs::path(".");
}

void checkRequest(const OutputFormat& format, const VolumeGrid& grid) {
    if (isScaled(format) && format.type != PixelType::uint16 && format.type != PixelType::uint8)
        refuseOutput(format.path,
                     fmt::format("the voxel type is {}; it must be float32, uint16 or uint8",
                                 name(format.type)));
    if (format.range) {
        const auto [low, high] = *format.range;
        if (!isScaled(format))
            refuseOutput(format.path,
                         "a range applies to uint16 and uint8 only, and the voxel type is float32");
        if (!std::isfinite(low) || !std::isfinite(high) || low >= high)
            refuseOutput(
                format.path,
                fmt::format(
                    "the range is {} to {} /mm; its upper limit must be greater than its lower "
                    "limit",
                    low, high));
    }
    require(*std::min_element(grid.voxels.begin(), grid.voxels.end()) > 0 &&
                *std::min_element(grid.pitchMm.begin(), grid.pitchMm.end()) > 0,
            "an empty volume was to be written");
}

// Disk space that a file, or all files below a folder, take now; holes in a file take none.
Index allocatedBytes(const fs::path& path) {
    struct stat status {};
    if (::stat(path.c_str(), &status) != 0) return 0;
    if (!S_ISDIR(status.st_mode)) return static_cast<Index>(status.st_blocks) * 512;
    Index bytes = 0;
    std::error_code ignored;
    for (fs::recursive_directory_iterator entry(path, ignored), end; !ignored && entry != end;
         entry.increment(ignored))
        if (::stat(entry->path().c_str(), &status) == 0)
            bytes += static_cast<Index>(status.st_blocks) * 512;
    return bytes;
}

bool spools(const OutputFormat& format) {
    return isScaled(format) && !format.range;
}

// The unfinished output and its spool, which an earlier run may have left.
std::array<fs::path, 2> unfinished(const fs::path& place, const VolumeFileFormat& kind) {
    fs::path spool = place;
    spool += ".spool";
    return {partName(kind.dataPath(place)), partName(spool)};
}

}  // namespace

std::vector<fs::path> outputNames(const fs::path& output) {
    const fs::path place = writtenPlace(placeOf(output));
    const VolumeFileFormat& kind = volumeFormatOf(output);
    std::vector<fs::path> names = kind.files(place);
    const std::size_t finished = names.size();
    for (std::size_t i = 0; i < finished; ++i)
        names.push_back(partName(names[i]));
    names.push_back(unfinished(place, kind)[1]);
    return names;
}

bool takesSeveralWriters(const OutputFormat& format) {
    // A spool takes them all; one process makes the volume of it.
    return spools(format) || !volumeFormatOf(format.path).hasOneWriter;
}

void checkOutputPlace(const fs::path& output) {
    const fs::path place = writtenPlace(placeOf(output));
    const std::string name = place.filename().string();
    if (name.empty() || name == "." || name == "..") refuseOutput(place, "it needs a name");
    for (const fs::path& written : volumeFormatOf(output).files(place))
        requireNameFits(written);
    const fs::path folder = folderOf(place);
    std::error_code ignored;
    if (!fs::is_directory(folder, ignored))
        refuseOutput(place,
                     fmt::format("the folder {} does not exist; create it, or choose another place",
                                 folder.string()));
    if (::access(folder.c_str(), W_OK) != 0)
        refuseOutput(place,
                     fmt::format("no files can be made in the folder {} ({}); choose another place",
                                 folder.string(), std::generic_category().message(errno)));
    volumeFormatOf(output).checkPlace(placeOf(output));
}

std::unique_ptr<VolumeSink> openSink(const OutputFormat& format, const VolumeGrid& grid,
                                     SinkStart start) {
    const VolumeFileFormat& kind = volumeFormatOf(format.path);
    const fs::path place = writtenPlace(placeOf(format.path));
    checkRequest(format, grid);
    checkOutputPlace(format.path);
    requireDisk(format, grid);
    if (!spools(format)) {
        const VoxelEncoding encoding =
            isScaled(format) ? encodingOf(format.type, *format.range) : VoxelEncoding{};
        return kind.write(place, grid, encoding, start);
    }
    const auto openOutput = [place, write = kind.write, grid,
                             type = format.type](std::array<double, 2> range) {
        return write(place, grid, encodingOf(type, range), SinkStart::fresh);
    };
    return std::make_unique<SpooledSink>(place, grid, start, openOutput);
}

Index outputBytes(const OutputFormat& format, const VolumeGrid& grid) {
    return grid.count() * sizeBytes(format.type) +
           volumeFormatOf(format.path).headerBytes(grid, format.type);
}

Index diskBytesNeeded(const OutputFormat& format, const VolumeGrid& grid) {
    const Index spool = spools(format) ? grid.count() * Index{sizeof(float)} : 0;
    return outputBytes(format, grid) + spool +
           volumeFormatOf(format.path).scratchBytes(grid, format.type);
}

Index sinkThreadBytes(const OutputFormat& format) {
    return volumeFormatOf(format.path).threadBytes(format.type);
}

void requireDisk(const OutputFormat& format, const VolumeGrid& grid, const FreeDisk& freeDisk) {
    const char* remedy =
        isScaled(format) ? (spools(format) ? "Give a range, free space, or choose another place."
                                           : "Free space, or choose another place.")
                         : "Use 8- or 16-bit output, free space, or choose another place.";
    requireDisk(format.path, diskBytesNeeded(format, grid), remedy, freeDisk);
}

void requireDisk(const fs::path& output, Index needed, const char* remedy,
                 const FreeDisk& freeDisk) {
    const fs::path place = writtenPlace(placeOf(output));
    // Files of an earlier run are resumed or replaced.
    for (const fs::path& left : unfinished(place, volumeFormatOf(output)))
        needed -= allocatedBytes(left);
    const Index free = freeDisk ? freeDisk(place) : freeDiskBytes(place);
    if (needed <= free) return;
    throw ResourceError(
        fmt::format("There is not enough disk space for {}: the volume needs {}, and {} are free. "
                    "{}",
                    place.string(), formatBytes(needed), formatBytes(free), remedy),
        {.code = ErrorCode::disk});
}

}  // namespace gantry
