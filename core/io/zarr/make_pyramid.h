#pragma once

#include <filesystem>
#include <functional>
#include <stop_token>
#include <vector>

#include "core/geometry/volume_grid.h"
#include "core/io/pixel_type.h"
#include "core/io/zarr/pyramid_writer.h"

namespace gantry {

struct PyramidOptions {
    Index chunk = kPyramidChunk;
    int threads = 1;
    std::function<void(double fraction)> onProgress = [](double) {};
    std::stop_token stop;
};

/// A summary of the pyramid that was made.
struct PyramidFacts {
    std::vector<VolumeGrid> levels;  ///< finest first
    PixelType type{};
    Index voxelBytes = 0;   ///< of the finest level
    Index storedBytes = 0;  ///< all levels on disk
};

/// "walnut.mha" → "walnut.ome.zarr", beside it.
[[nodiscard]] std::filesystem::path pyramidPathFor(const std::filesystem::path& volume);

/// Makes an OME-Zarr pyramid of a volume on disk: its voxels as stored, with slope and intercept,
/// and its position. Reads a limited number of slices at a time. If it fails or is stopped, nothing
/// is left.
/// @throws InputError as openStoredVolume() and openSink(); if the output is no name of OME-Zarr or
///         is the volume itself
/// @throws ResourceError, Cancelled
/// Tests: tests/core/io/make_pyramid_test.cpp, tests/cli/test_pyramid.py
[[nodiscard]] PyramidFacts makePyramid(const std::filesystem::path& volume,
                                       const std::filesystem::path& output,
                                       const PyramidOptions& options);

}  // namespace gantry
