#pragma once

#include "core/engine/device_engine.h"
#include "core/engine/device_rates.h"
#include "gpu/device/device_list.h"

namespace gantry {

/// Measures what one device does a second with a job: copies from and to pinned memory, and the
/// filter on rows as wide as the job's. Takes about 0.1 s and little memory.
/// @throws ResourceError  the device is lost or full
/// Tests: tests/gpu/engine/tuner_test.cpp
[[nodiscard]] DeviceRates measureRates(const DeviceInfo& device, const DeviceJob& job);

}  // namespace gantry
