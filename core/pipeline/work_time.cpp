#include "core/pipeline/work_time.h"

#include <algorithm>

namespace gantry {

void WorkTime::begin(std::int64_t ns) {
    // A clock that was set back must not make runs overlap.
    const std::int64_t from = std::max(ns, earliest());
    m_runs.push_back({from, from});
    m_isOpen = true;
    m_isImplied = false;
}

void WorkTime::worked(const TimeRange& span) {
    if (!m_isOpen) {
        begin(span.beginNs);
        m_isImplied = true;
    }
    TimeRange& run = m_runs.back();
    if (m_isImplied) {
        // Spans are reported when they end, so their begins may be out of order.
        const std::int64_t before = m_runs.size() > 1 ? m_runs[m_runs.size() - 2].endNs : 0;
        run.beginNs = std::max(before, std::min(run.beginNs, span.beginNs));
    }
    run.endNs = std::max(run.endNs, span.endNs);
}

void WorkTime::seen(std::int64_t ns) {
    if (m_isOpen) m_runs.back().endNs = std::max(m_runs.back().endNs, ns);
}

void WorkTime::end(std::int64_t ns) {
    if (m_isOpen) m_runs.back().endNs = std::max(m_runs.back().beginNs, ns);
    m_isOpen = false;
}

std::vector<TimeRange> WorkTime::pauses() const {
    std::vector<TimeRange> pauses;
    for (std::size_t i = 1; i < m_runs.size(); ++i)
        pauses.push_back({m_runs[i - 1].endNs, m_runs[i].beginNs});
    return pauses;
}

double WorkTime::seconds() const {
    std::int64_t sum = 0;
    for (const TimeRange& run : m_runs)
        sum += run.lengthNs();
    return 1e-9 * static_cast<double>(sum);
}

double WorkTime::pausedSeconds() const {
    return m_runs.empty() ? 0 : 1e-9 * static_cast<double>(pausedBeforeNs(m_runs.back().beginNs));
}

std::int64_t WorkTime::pausedBeforeNs(std::int64_t ns) const {
    std::int64_t sum = 0;
    for (const TimeRange& pause : pauses())
        if (pause.endNs <= ns) sum += pause.lengthNs();
    return sum;
}

WorkTime WorkTime::withoutPauses() const {
    WorkTime result = *this;
    for (std::size_t i = 1; i < m_runs.size(); ++i) {
        const std::int64_t from = result.m_runs[i - 1].endNs;
        result.m_runs[i] = {from, from + m_runs[i].lengthNs()};
    }
    return result;
}

}  // namespace gantry
