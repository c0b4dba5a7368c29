#pragma once

#include <optional>

#include "core/engine/backends.h"
#include "core/plan/job_spec.h"

namespace gantry {

/// Where live slices are made, and the most that they may take there.
struct LivePlace {
    struct Device {
        int number = 0;
        Index bytes = 0;
    };
    Index hostBytes = 0;
    std::optional<Device> device;  ///< a GPU, which then holds the views; none: the CPU does
};

/// Of a job whose views have poses of their own, which a GPU does not weight one by one, the CPU;
/// else the first of the GPUs that the request may use, else the CPU; and a part of what is free
/// there, so that a job may still run beside, within the request's limits. hostFreeBytes: of the
/// host, now Tests: tests/core/live/live_place_test.cpp
[[nodiscard]] LivePlace livePlace(const JobSpec& job, const Machine& machine, Index hostFreeBytes);

}  // namespace gantry
