#include "core/recon/iteration_progress.h"

#include <algorithm>
#include <utility>

#include "core/base/clock.h"

namespace gantry {

namespace {

constexpr Index kPreparations = 2;  // start and views

double secondsFrom(std::int64_t beginNs, std::int64_t endNs) {
    return 1e-9 * static_cast<double>(endNs - beginNs);
}

}  // namespace

IterationProgress::IterationProgress(Index iterations, Report report)
    : m_iterations(iterations), m_report(std::move(report)), m_beginNs(nowNs()) {}

void IterationProgress::begin(Index done) {
    const std::scoped_lock lock(m_mutex);
    m_beginNs = nowNs();
    m_iteration = done;
    m_prepared = done > 0 ? 1 : 0;  // the start is in the state that is resumed
}

void IterationProgress::share(double share) {
    const std::scoped_lock lock(m_mutex);
    m_share = std::clamp(share, 0.0, 1.0);
    reportNow(nowNs());
}

void IterationProgress::add(double updates, double ofPart) {
    const std::scoped_lock lock(m_mutex);
    m_updates += updates;
    if (m_made == 0 && m_firstNs == 0) return;  // weights of rays and voxels are made
    m_share = std::min(1.0, m_share + updates / ofPart);
    reportNow(nowNs());
}

void IterationProgress::next(Index iteration) {
    const std::scoped_lock lock(m_mutex);
    const std::int64_t now = nowNs();
    if (iteration == 0) {
        ++m_prepared;
    } else {
        if (m_firstNs == 0)
            m_firstNs = now;
        else
            ++m_made;
        m_prepared = kPreparations;
        m_iteration = iteration;
    }
    m_share = 0;
    m_reportedNs = 0;
    reportNow(now);
}

// With the lock held.
void IterationProgress::reportNow(std::int64_t now) {
    constexpr std::int64_t kEveryNs = 100'000'000;
    if (!m_report || now - m_reportedNs < kEveryNs) return;
    m_reportedNs = now;
    const auto all = static_cast<double>(m_iterations + kPreparations);
    const Index ended = m_prepared + std::max<Index>(0, m_iteration - 1);
    Progress progress;
    progress.fraction = std::min(1.0, (static_cast<double>(ended) + m_share) / all);
    progress.elapsedSeconds = secondsFrom(m_beginNs, now);
    const double made = static_cast<double>(m_made) + m_share;
    const double left = static_cast<double>(m_iterations - m_iteration + 1) - m_share;
    progress.leftSeconds =
        m_firstNs > 0 && made > 0 ? secondsFrom(m_firstNs, now) * left / made : -1;
    progress.gups =
        m_updates / std::max(1e-9, progress.elapsedSeconds) / static_cast<double>(1 << 30);
    progress.iteration = m_iteration;
    progress.iterations = m_iterations;
    m_report(progress);
}

}  // namespace gantry
