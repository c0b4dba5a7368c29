#pragma once

#include <filesystem>
#include <functional>

#include "core/base/host_buffer.h"
#include "core/io/volume/open_sink.h"

namespace gantry::test {

/// Writes a volume of voxels (x, y, z) → attenuation.
inline void writeVolume(const std::filesystem::path& path, const VolumeGrid& grid,
                        const std::function<float(Index, Index, Index)>& voxel,
                        PixelType type = PixelType::float32) {
    const auto [nX, nY, nZ] = grid.voxels;
    HostBuffer<float> voxels(grid.count());
    for (Index z = 0; z < nZ; ++z)
        for (Index y = 0; y < nY; ++y)
            for (Index x = 0; x < nX; ++x)
                voxels[(z * nY + y) * nX + x] = voxel(x, y, z);
    OutputFormat format;
    format.path = path;
    format.type = type;
    const auto sink = openSink(format, grid, SinkStart::fresh);
    sink->write(0, {voxels.data(), nZ, nY, nX});
    sink->finish();
}

inline VolumeGrid smallGrid(Index nX = 10, Index nY = 8, Index nZ = 6) {
    return {{nX, nY, nZ}, {0.5, 0.5, 1}, {1, 2, 3}};
}

}  // namespace gantry::test
