#pragma once

#include <optional>

#include "core/engine/backends.h"
#include "core/plan/job_spec.h"

namespace gantry {

/// Where live slices are made, and how much memory they may take there.
struct LivePlace {
    struct Device {
        int number = 0;
        Index bytes = 0;
    };
    Index hostBytes = 0;
    std::optional<Device> device;  ///< a GPU, which then holds the views; none: the CPU
};

/// Chooses the CPU for a job that runs there, and for one whose views are filtered on detectors of
/// their own, because a GPU cannot weight these; otherwise the first GPU that the request may use,
/// or the CPU if there is none. It takes a
/// part of what is free there, within the request's limits, so that a job may still run.
/// hostFreeBytes: of the host, now. Tests: tests/core/live/live_place_test.cpp
[[nodiscard]] LivePlace livePlace(const JobSpec& job, const Machine& machine, Index hostFreeBytes);

}  // namespace gantry
