#include "core/recon/run_progress.h"

#include <cmath>
#include <utility>

#include "core/base/clock.h"

namespace gantry {

RunProgress::RunProgress(double before, double updates, Report report)
    : m_report(std::move(report)), m_before(before), m_all(updates), m_beginNs(nowNs()) {}

void RunProgress::start() {
    m_beginNs = nowNs();
}

void RunProgress::add(double updates, bool endsSlab) {
    constexpr std::int64_t kEveryNs = 100'000'000;
    const std::scoped_lock lock(m_mutex);
    m_done += updates;
    const std::int64_t now = nowNs();
    // Updates are whole numbers; half of one allows for the rounding of `before`.
    const double all = m_before * m_all + m_done;
    const bool isLast = all >= m_all - 0.5;
    if (now - m_lastReportNs < kEveryNs && !isLast && !endsSlab) return;
    m_lastReportNs = now;
    Progress progress;
    const double thisRun = m_done / m_all;
    progress.fraction = std::abs(all - m_all) < 0.5 ? 1 : m_before + thisRun;
    progress.elapsedSeconds = 1e-9 * static_cast<double>(now - m_beginNs);
    progress.leftSeconds =
        thisRun > 0 ? progress.elapsedSeconds * (1 - progress.fraction) / thisRun : -1;
    progress.gups = m_done / progress.elapsedSeconds / static_cast<double>(1 << 30);
    m_report(progress);
}

}  // namespace gantry
