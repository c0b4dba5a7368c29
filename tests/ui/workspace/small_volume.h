#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <fstream>
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

/// A MetaImage of 16-bit counts as other programs write it: of a volume, or of projections.
inline void writeCounts(const std::filesystem::path& path, const std::array<Index, 3>& size) {
    std::ofstream file(path, std::ios::binary);
    file << "ObjectType = Image\nNDims = 3\nBinaryData = True\nDimSize = " << size[0] << ' '
         << size[1] << ' ' << size[2]
         << "\nElementSpacing = 0.5 0.5 1\nElementType = MET_USHORT\nElementDataFile = LOCAL\n";
    for (Index i = 0; i < size[0] * size[1] * size[2]; ++i) {
        const auto count = static_cast<std::uint16_t>(1000 + i % 700);
        file.write(reinterpret_cast<const char*>(&count), sizeof(count));
    }
}

inline VolumeGrid smallGrid(Index nX = 10, Index nY = 8, Index nZ = 6) {
    return {{nX, nY, nZ}, {0.5, 0.5, 1}, {1, 2, 3}};
}

}  // namespace gantry::test
