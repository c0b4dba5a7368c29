#include "core/recon/run_setup.h"

#include <cmath>
#include <utility>

#include "core/base/clock.h"
#include "core/base/error.h"

namespace gantry {

Index RunSetup::passOf(Index slab) const {
    for (Index i = 0; i < passCount(); ++i)
        for (const Assignment& part : pass(i).assignments)
            if (part.slab == slab) return i;
    throw InternalError("a slab is made that no pass has");
}

std::optional<Index> RunSetup::passAfter(Index made, const std::stop_token& stop) const {
    if (groups.nextPass) return groups.nextPass(stop);
    return made < std::ssize(plan.passes) ? std::optional(made) : std::nullopt;
}

Index RunSetup::firstSlab(Index pass) const {
    const PassPlan& made = this->pass(pass);
    if (!made.assignments.empty()) return made.assignments.front().slab;
    for (const ColumnShare& share : made.column)
        if (share.slab) return *share.slab;
    return 0;
}

IndexRange RunSetup::countedIn(Index pass) const {
    IndexRange counted;
    // A rank counts the gathered views that it reads, for the slabs of its whole column.
    for (const ColumnShare& share : this->pass(pass).column)
        if (share.slab) counted = hullOf(counted, slab(*share.slab).counted);
    for (const Assignment& part : this->pass(pass).assignments)
        counted = hullOf(counted, slab(part.slab).counted);
    return counted;
}

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
