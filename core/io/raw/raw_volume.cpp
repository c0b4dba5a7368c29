#include "core/io/raw/raw_volume.h"

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/io/volume/flat_sink.h"
#include "core/io/volume/flat_slices.h"
#include "core/io/volume/volume_description.h"

namespace gantry {

namespace fs = std::filesystem;

namespace {

fs::path rawDescriptionPath(const fs::path& raw) {
    fs::path description = raw;
    description += ".json";
    return description;
}

std::unique_ptr<VolumeSink> writeRaw(const fs::path& place, const VolumeGrid& grid,
                                     const VoxelEncoding& encoding, SinkStart start) {
    return std::make_unique<FlatSink>(
        FlatLayout{place, {}, {}, rawDescriptionPath(place), toJson({grid, encoding}) + "\n"}, grid,
        encoding, start);
}

StoredVolume readRaw(const fs::path& path) {
    const Index found = File(path, File::Mode::read).sizeBytes();
    const fs::path beside = rawDescriptionPath(path);
    if (!pathExists(beside))
        refuseVolume(path, fmt::format("its description {} is missing", beside.string()),
                     ErrorCode::missingFile);
    const VolumeDescription description =
        parseVolumeDescription(readTextFile(beside), beside.string());
    StoredPixels voxels;
    voxels.path = path;
    voxels.count = description.grid.count();
    voxels.type = description.encoding.type;
    voxels.storedBytes = voxels.bytes();
    if (found != voxels.storedBytes)
        refuseVolume(path, fmt::format("it has {} bytes, and {} describes {}", found,
                                       beside.string(), voxels.storedBytes));
    return {description.grid, description.encoding,
            std::make_unique<FlatSlices>(voxels, description.grid.voxels, path, "raw")};
}

}  // namespace

VolumeFileFormat rawVolumes() {
    VolumeFileFormat format;
    format.format = VolumeFormat::raw;
    format.name = ".raw with its .raw.json";
    format.extensions = {".raw"};
    format.checkPlace = [](const fs::path& place) {
        checkFree(place);
        checkFree(rawDescriptionPath(place));
    };
    format.write = writeRaw;
    format.read = readRaw;
    format.isVolume = [](const fs::path& path) {
        return isVolumeDescription(readTextFile(rawDescriptionPath(path)));
    };
    return format;
}

}  // namespace gantry
