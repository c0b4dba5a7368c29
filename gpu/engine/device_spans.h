#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "core/pipeline/runner.h"
#include "core/pipeline/timeline.h"
#include "gpu/device/stream.h"

namespace gantry {

/// Brings events of one device onto the host's clock: both are read at one point, from which the
/// device's clock counts.
class DeviceClock {
  public:
    /// The stream must be idle. originNs: the job's start, by nowNs()
    DeviceClock(cudaStream_t stream, std::int64_t originNs);

    /// When the device passed the event, in ns since the job's start. Safe from any thread.
    [[nodiscard]] std::int64_t timeOf(const Event& event) const;

  private:
    Event m_zero;
    std::int64_t m_zeroNs;
};

/// Reports the spans of one queue of a device: events stand before and after each piece of work,
/// and the sink gets the span once the device has passed them. Each piece is an NVTX range too, for
/// profilers. measure() belongs to the thread that fills the queue; emitPassed() may run in any.
/// Tests: tests/gpu/engine/gpu_engine_test.cpp
class DeviceSpans {
  public:
    /// The clock outlives this.
    DeviceSpans(std::string lane, const DeviceClock& clock, SpanSink sink);

    /// Calls `enqueue`, which puts its work on the stream, between two events. work: what it was,
    /// as it stands when `enqueue` has returned
    void measure(cudaStream_t stream, Stage stage, const StageWork& work,
                 const std::function<void()>& enqueue);

    /// Reports the work that has ended by now, in order. @throws what went wrong on the device
    void emitPassed();

  private:
    struct Marks {
        Event begin{Event::Timing::on};
        Event end{Event::Timing::on};
    };
    struct Pending {
        Marks marks;
        Stage stage;
        StageWork work;
    };

    [[nodiscard]] Marks takeMarks();

    std::string m_lane;
    const DeviceClock& m_clock;
    SpanSink m_sink;
    std::mutex m_mutex;
    std::deque<Pending> m_pending;
    std::vector<Marks> m_spare;  ///< events for reuse
    std::int64_t m_lastEndNs = 0;
};

}  // namespace gantry
