#pragma once

#include <memory>
#include <vector>

#include "core/engine/view_steps.h"

namespace gantry {

/// The steps of several devices as those of one: each device corrects a part of the views that come
/// at a time, at the same time as the others, and holds it until it is read; of steps that see all
/// views it takes a part of the rows. The first exception of a device is thrown.
/// devices: made for the same job, in which none holds all views; views: of the scan
/// Tests: tests/core/engine/shared_view_steps_test.cpp
[[nodiscard]] std::unique_ptr<ViewSteps> sharedViewSteps(
    std::vector<std::unique_ptr<ViewSteps>> devices, Index views);

}  // namespace gantry
