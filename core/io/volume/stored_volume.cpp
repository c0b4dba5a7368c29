#include "core/io/volume/stored_volume.h"

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/host_buffer.h"
#include "core/io/volume/rescale_volume.h"
#include "core/io/volume/volume_format.h"

namespace gantry {

namespace fs = std::filesystem;

void StoredVolume::read(Index zBegin, Span3<float> voxels) const {
    const auto [nX, nY, nZ] = grid.voxels;
    require(zBegin >= 0 && zBegin + voxels.size(0) <= nZ && voxels.size(1) == nY &&
                voxels.size(2) == nX,
            "slices do not fit the volume that they are read from");
    HostBuffer<std::byte> stored(nY * nX * sizeBytes(encoding.type));
    for (Index z = 0; z < voxels.size(0); ++z) {
        slices->readRows(zBegin + z, {0, nY}, stored.span());
        decode(encoding, stored.span(), {voxels.row(z, 0), static_cast<std::size_t>(nY * nX)});
    }
}

StoredVolume openStoredVolume(const fs::path& path) {
    if (!pathExists(path))
        refuseVolume(path, "there is no such file or folder", ErrorCode::missingFile);
    StoredVolume volume = storedFormatOf(path).read(path);
    volume.encoding = asRecorded(path, volume.encoding);
    return volume;
}

bool isStoredVolume(const fs::path& path) {
    try {
        return storedFormatOf(path).isVolume(path);
    } catch (const InputError&) {
        return false;
    }
}

}  // namespace gantry
