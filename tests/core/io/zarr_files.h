#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/io/volume/volume_levels.h"

namespace gantry::test {

inline Index bytesBelow(const std::filesystem::path& folder) {
    Index bytes = 0;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
        if (entry.is_regular_file()) bytes += static_cast<Index>(entry.file_size());
    return bytes;
}

/// All voxels of a level.
inline std::vector<float> levelOf(const VolumeLevels& levels, Index level, int threads = 2) {
    const VolumeGrid& grid = levels.grids().at(static_cast<std::size_t>(level));
    const auto [nX, nY, nZ] = grid.voxels;
    std::vector<float> voxels(static_cast<std::size_t>(grid.count()));
    levels.read(level, {{0, nX}, {0, nY}, {0, nZ}}, {voxels.data(), nZ, nY, nX}, threads);
    return voxels;
}

}  // namespace gantry::test
