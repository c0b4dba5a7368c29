#include "core/io/volume/read_volume.h"

#include "core/io/volume/stored_volume.h"

namespace gantry {

Volume readVolume(const std::filesystem::path& path) {
    const StoredVolume stored = openStoredVolume(path);
    Volume volume{stored.grid, HostBuffer<float>(stored.grid.count())};
    stored.read(0, volume.span());
    toAttenuation(stored.encoding.scale, volume.voxels.span());
    return volume;
}

}  // namespace gantry
