#pragma once

#include <stop_token>

#include "core/base/host_buffer.h"
#include "core/engine/plane_preview.h"
#include "core/filter/filter_spec.h"
#include "core/geometry/volume_grid.h"
#include "core/scan/open_scan.h"

namespace gantry {

/// Max views that a coarse volume is made from: more gain nothing in so few voxels.
inline constexpr Index kMaxCoarseViews = 180;

/// Reconstructs a volume of few voxels from few of the scan's views, evenly chosen, whose pixels
/// are binned to match.
/// @returns attenuation, 1/mm, [z][y][x]
/// @throws InputError, ResourceError, Cancelled
/// Tests: tests/core/work/job_preview_test.cpp
[[nodiscard]] HostBuffer<float> coarseVolume(const OpenScan& scan, const FilterSpec& filter,
                                             const VolumeGrid& grid, Index views,
                                             PlanePreview& preview, const std::stop_token& stop);

/// Max memory that it takes, its result included. detector: of the scan
[[nodiscard]] Index coarseVolumeBytes(const Detector& detector, const VolumeGrid& grid);

}  // namespace gantry
