#include "core/io/zarr/zarr_sink.h"

#include "core/base/error.h"
#include "core/io/volume/voxel_encoding.h"

namespace gantry {

void ZarrSink::put(Index zBegin, Span3<const float> voxels, int threads) {
    require(voxels.size(1) == m_volume.grid.voxels[1] && voxels.size(2) == m_volume.grid.voxels[0],
            "slices do not fit the volume that they belong to");
    const Index voxelBytes = sizeBytes(m_volume.encoding.type);
    m_writer.write(
        {zBegin, zBegin + voxels.size(0)},
        [&](Index z, Index y, Index x, std::span<std::byte> stored) {
            const std::span row(voxels.row(z - zBegin, y) + x,
                                stored.size() / static_cast<std::size_t>(voxelBytes));
            encode(m_volume.encoding, row, stored);
        },
        threads);
}

}  // namespace gantry
