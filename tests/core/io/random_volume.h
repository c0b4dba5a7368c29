#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "core/base/span3.h"
#include "core/geometry/volume_grid.h"
#include "core/io/volume/volume_sink.h"
#include "tests/support/file_bytes.h"

namespace gantry::test {

/// A grid of odd, different sizes, anisotropic and off-centre.
inline VolumeGrid oddGrid() {
    return {{13, 7, 11}, {0.3, 0.45, 1.1}, {12.5, -7.25, 103.3}};
}

/// Attenuations in [0, 0.1) 1/mm; [z][y][x].
inline std::vector<float> randomVoxels(const VolumeGrid& grid, unsigned seed) {
    std::mt19937 random(seed);
    std::vector<float> voxels(static_cast<std::size_t>(grid.count()));
    for (float& voxel : voxels)
        voxel = 0.1F / 4294967296.0F * static_cast<float>(random() & 0xffffff00U);
    return voxels;
}

inline Span3<const float> spanOf(const std::vector<float>& voxels, const VolumeGrid& grid) {
    return {voxels.data(), grid.voxels[2], grid.voxels[1], grid.voxels[0]};
}

/// Writes slices [range.begin, range.end) of a volume.
inline void writeSlices(VolumeSink& sink, const std::vector<float>& voxels, const VolumeGrid& grid,
                        IndexRange range) {
    sink.write(range.begin, spanOf(voxels, grid).slices(range));
}

inline void writeBytes(const std::filesystem::path& path, const std::string& bytes) {
    std::ofstream(path, std::ios::binary) << bytes;
}

/// All files below a folder: contents by name.
inline std::map<std::string, std::string> filesBelow(const std::filesystem::path& folder) {
    std::map<std::string, std::string> files;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
        if (entry.is_regular_file())
            files[std::filesystem::relative(entry.path(), folder).string()] =
                fileBytes(entry.path());
    return files;
}

/// The names in a folder, sorted.
inline std::vector<std::string> namesIn(const std::filesystem::path& folder) {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder))
        names.push_back(entry.path().filename().string());
    std::sort(names.begin(), names.end());
    return names;
}

}  // namespace gantry::test
