#include "core/pipeline/runner.h"

#include <pthread.h>

#include <utility>

#include "core/base/clock.h"

namespace gantry {

Lane::Lane(std::string name, std::int64_t originNs, const SpanSink& sink, std::stop_token stop)
    : m_name(std::move(name)), m_originNs(originNs), m_sink(sink), m_stop(std::move(stop)) {}

void Lane::measure(Stage stage, const StageWork& work, const std::function<void()>& body) {
    TimelineSpan span;
    span.lane = m_name;
    span.stage = stage;
    span.slab = work.slab;
    span.batch = work.batch;
    span.bytes = work.bytes;
    span.updates = work.updates;
    span.beginNs = nowNs() - m_originNs;
    body();
    span.endNs = nowNs() - m_originNs;
    m_sink(span);
}

Runner::Runner(std::int64_t originNs, SpanSink sink, const std::stop_token& outer)
    : m_originNs(originNs),
      m_sink(std::move(sink)),
      m_outerStop(outer, [this] { m_stop.request_stop(); }) {}

Runner::~Runner() {
    m_stop.request_stop();
}

void Runner::spawn(std::string laneName, std::function<void(Lane&)> body) {
    m_threads.emplace_back([this, laneName = std::move(laneName), body = std::move(body)] {
        pthread_setname_np(pthread_self(), laneName.substr(0, 15).c_str());
        try {
            Lane lane(laneName, m_originNs, m_sink, m_stop.get_token());
            body(lane);
        } catch (...) {
            fail(std::current_exception());
        }
    });
}

void Runner::fail(std::exception_ptr error) {
    {
        const std::scoped_lock lock(m_mutex);
        // Threads that stop because of the first failure throw too, but later.
        if (!m_error) m_error = std::move(error);
    }
    m_stop.request_stop();
}

void Runner::wait() {
    m_threads.clear();  // a jthread joins when it is destroyed
    const std::scoped_lock lock(m_mutex);
    if (m_error) std::rethrow_exception(m_error);
}

}  // namespace gantry
