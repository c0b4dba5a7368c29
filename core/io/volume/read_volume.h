#pragma once

#include <filesystem>

#include "core/base/host_buffer.h"
#include "core/base/span3.h"
#include "core/geometry/volume_grid.h"

namespace gantry {

/// A volume in memory.
struct Volume {
    VolumeGrid grid;
    HostBuffer<float> voxels;  ///< [z][y][x], x fastest

    [[nodiscard]] Span3<float> span() {
        return {voxels.data(), grid.voxels[2], grid.voxels[1], grid.voxels[0]};
    }
    [[nodiscard]] Span3<const float> span() const {
        return {voxels.data(), grid.voxels[2], grid.voxels[1], grid.voxels[0]};
    }
};

/// Reads a whole volume that openStoredVolume() can open, and converts scaled integers and
/// Hounsfield units back to attenuation in 1/mm. All sizes are checked against the files before
/// memory is allocated.
/// @throws InputError     as openStoredVolume()
/// @throws ResourceError  the volume does not fit the memory
/// Tests: tests/core/io/read_volume_test.cpp, tests/core/io/metaimage_test.cpp
[[nodiscard]] Volume readVolume(const std::filesystem::path& path);

}  // namespace gantry
