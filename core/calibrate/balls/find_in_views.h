#pragma once

#include <functional>
#include <stop_token>

#include "core/calibrate/balls/ball_tracks.h"
#include "core/scan/open_scan.h"

namespace gantry {

struct FoundInViews {
    BallModel model;
    BallImages images;  ///< [view of the source]
};
/// The balls of all views of a scan, after their model is fitted to some of them.
/// onProgress: the share that is done, from any thread
/// @throws InputError where the views show no balls; ResourceError, Cancelled
/// Tests: tests/core/calibrate/calibrate_test.cpp
[[nodiscard]] FoundInViews findInViews(const OpenScan& scan, int threads,
                                       const std::function<void(double)>& onProgress,
                                       const std::stop_token& stop);

}  // namespace gantry
