#include "core/io/tiff/tiff_volume.h"

#include <fmt/format.h>

#include <array>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/io/series/match_files.h"
#include "core/io/tiff/big_tiff_layout.h"
#include "core/io/tiff/tiff_file.h"
#include "core/io/tiff/tiff_folder_sink.h"
#include "core/io/tiff/tiff_source.h"
#include "core/io/volume/volume_description.h"

namespace gantry {

namespace fs = std::filesystem;

namespace {

constexpr Index kDirectoryBytes = 1024;  // of one image in a BigTIFF

std::vector<fs::path> slicesIn(const fs::path& folder) {
    return matchFiles(folder, "*.tif*");
}

StoredVolume readTiffs(const fs::path& path, const std::vector<fs::path>& files) {
    OpenOptions inOrderOfY;
    inOrderOfY.firstRowIsTop = false;
    auto slices = std::make_unique<TiffSource>(files, inOrderOfY);
    const SourceInfo& info = slices->info();
    const std::array<Index, 3> found = {info.columns, info.rows, info.views};
    const std::string text = TiffReader(files.front()).description();
    if (!isVolumeDescription(text))
        return {{found, {1, 1, 1}, {0, 0, 0}}, {info.pixelType, 1, 0}, std::move(slices)};
    const VolumeDescription description =
        parseVolumeDescription(text, path.string() + ": ImageDescription");
    const auto& stated = description.grid.voxels;
    if (stated != found || description.encoding.type != info.pixelType)
        refuseVolume(path,
                     fmt::format("its description says {} × {} × {} voxels of {}, and the images "
                                 "are {} × {} × {} of {}",
                                 stated[0], stated[1], stated[2], name(description.encoding.type),
                                 found[0], found[1], found[2], name(info.pixelType)));
    return {description.grid, description.encoding, std::move(slices)};
}

void checkFolder(const fs::path& place) {
    if (!pathExists(place)) return;
    if (!isFolder(place))
        refuseOutput(place, "it is a file, and a folder is needed; choose another name");
    if (!holdsOnlySlices(place))
        refuseOutput(place,
                     "the folder holds other files than slices; choose a new or empty folder");
}

std::unique_ptr<VolumeSink> writeBigTiff(const fs::path& place, const VolumeGrid& grid,
                                         const VoxelEncoding& encoding, SinkStart start) {
    return std::make_unique<FlatSink>(bigTiffLayout(place, grid, encoding), grid, encoding, start);
}

std::unique_ptr<VolumeSink> writeFolder(const fs::path& place, const VolumeGrid& grid,
                                        const VoxelEncoding& encoding, SinkStart start) {
    return std::make_unique<TiffFolderSink>(place, grid, encoding, start);
}

}  // namespace

VolumeFileFormat bigTiffVolumes() {
    VolumeFileFormat format;
    format.format = VolumeFormat::bigTiff;
    format.name = ".tif";
    format.extensions = {".tif", ".tiff"};
    format.headerBytes = [](const VolumeGrid& grid, PixelType) {
        return kVolumeHeaderBytes + grid.voxels[2] * kDirectoryBytes;
    };
    format.write = writeBigTiff;
    format.read = [](const fs::path& path) { return readTiffs(path, {path}); };
    format.isVolume = [](const fs::path& path) {
        return isVolumeDescription(TiffReader(path).description());
    };
    return format;
}

VolumeFileFormat tiffFolderVolumes() {
    VolumeFileFormat format;
    format.format = VolumeFormat::tiffFolder;
    format.name = "folders of TIFF slices";
    format.checkPlace = checkFolder;
    format.headerBytes = [](const VolumeGrid& grid, PixelType) {
        return grid.voxels[2] * kVolumeHeaderBytes;
    };
    format.write = writeFolder;
    format.read = [](const fs::path& folder) { return readTiffs(folder, slicesIn(folder)); };
    format.isVolume = [](const fs::path& folder) {
        return isVolumeDescription(TiffReader(slicesIn(folder).front()).description());
    };
    return format;
}

}  // namespace gantry
