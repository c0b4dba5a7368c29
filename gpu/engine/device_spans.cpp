#include "gpu/engine/device_spans.h"

#include <nvtx3/nvToolsExt.h>

#include <algorithm>

#include "core/base/clock.h"

namespace gantry {

namespace {

// Names what a thread does for as long as it lives.
class NvtxRange {
  public:
    explicit NvtxRange(Stage stage) { nvtxRangePushA(std::string(name(stage)).c_str()); }
    ~NvtxRange() { nvtxRangePop(); }
    NvtxRange(const NvtxRange&) = delete;
    NvtxRange& operator=(const NvtxRange&) = delete;
};

}  // namespace

DeviceClock::DeviceClock(cudaStream_t stream, std::int64_t originNs) : m_zero(Event::Timing::on) {
    m_zero.record(stream);
    // Waking a sleeping thread would take longer than the work measured.
    while (!m_zero.isPassed()) {
    }
    m_zeroNs = nowNs() - originNs;
}

std::int64_t DeviceClock::timeOf(const Event& event) const {
    return m_zeroNs + static_cast<std::int64_t>(1e6 * event.millisecondsSince(m_zero));
}

DeviceSpans::DeviceSpans(std::string lane, const DeviceClock& clock, SpanSink sink)
    : m_lane(std::move(lane)), m_clock(clock), m_sink(std::move(sink)) {}

DeviceSpans::Marks DeviceSpans::takeMarks() {
    const std::scoped_lock lock(m_mutex);
    if (m_spare.empty()) return {};
    Marks marks = std::move(m_spare.back());
    m_spare.pop_back();
    return marks;
}

void DeviceSpans::measure(cudaStream_t stream, Stage stage, const StageWork& work,
                          const std::function<void()>& enqueue) {
    const NvtxRange range(stage);
    Marks marks = takeMarks();
    marks.begin.record(stream);
    enqueue();
    marks.end.record(stream);
    const std::scoped_lock lock(m_mutex);
    m_pending.push_back({std::move(marks), stage, work});
}

void DeviceSpans::emitPassed() {
    const std::scoped_lock lock(m_mutex);
    while (!m_pending.empty() && m_pending.front().marks.end.isPassed()) {
        Pending& done = m_pending.front();
        TimelineSpan span;
        span.lane = m_lane;
        span.stage = done.stage;
        // The device counts time in floats: over hours, neighbours could seem to overlap slightly.
        span.beginNs = std::max(m_clock.timeOf(done.marks.begin), m_lastEndNs);
        span.endNs = std::max(m_clock.timeOf(done.marks.end), span.beginNs);
        span.slab = done.work.slab;
        span.batch = done.work.batch;
        span.bytes = done.work.bytes;
        span.updates = done.work.updates;
        m_lastEndNs = span.endNs;
        m_spare.push_back(std::move(done.marks));
        m_pending.pop_front();
        m_sink(span);
    }
}

}  // namespace gantry
