#pragma once

#include <functional>
#include <stop_token>
#include <vector>

#include "core/engine/backends.h"
#include "core/live/live_place.h"
#include "core/live/live_slices.h"
#include "core/plan/job_spec.h"

namespace gantry {

/// Live slices of a job's scan: its views with the job's corrections, then slices with the geometry
/// and the filter of that job or another one. Not thread-safe.
/// Tests: tests/core/live/live_server_test.cpp, tests/core/live/montage_test.cpp
class JobSlices {
  public:
    /// Reads all views. backends: outlive this object
    /// onProgress: gets the part that is read, from any thread
    /// @throws InputError, ResourceError, Cancelled
    JobSlices(const JobSpec& job, const LivePlace& place, const Backends& backends, int threads,
              std::function<void(double)> onProgress, const std::stop_token& stop);

    [[nodiscard]] const LiveSlices::Needs& needs() const { return m_slices.needs(); }

    /// Does what LiveSlices::render() does, with the geometry, the filter and the filtered rows of
    /// `job`, which are those of its run; a device has no choice of rows. @throws as that
    void render(const JobSpec& job, const std::vector<Plane>& planes,
                const std::function<void(const SliceStep&)>& onStep, const std::stop_token& stop);

  private:
    JobSlices(const OpenScan& stored, const JobSpec& job, const LiveOptions& options,
              const Backends& backends, const std::stop_token& stop);

    Machine m_machine;
    bool m_isOnDevice;
    LiveSlices m_slices;
};

}  // namespace gantry
