#include "core/plan/cluster/pass_scheduler.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

namespace gantry {

namespace {

// A rate is measured over the last kWindowSeconds, and over at least kMinReports intervals.
constexpr double kWindowSeconds = 2;
constexpr std::size_t kMinReports = 3;
// After this time a rank that has reported nothing counts as slow.
constexpr double kPatienceSeconds = 3;
// Up to this time, no progress at the end of a pass counts as waiting for a slab to be stored.
constexpr double kMaxWaitSeconds = 3;
// What moving passes has to save: of the remaining time, seconds, and standard errors.
constexpr double kMinGain = 0.05;
constexpr double kMinGainSeconds = 0.25;
constexpr double kMinGainErrors = 2;
// Rates that are averaged.
constexpr std::size_t kMaxRates = 8;
// The scatter of rates that is assumed of the first, and the smallest that is believed of others.
constexpr double kUnknownScatter = 0.1;
constexpr double kMinScatter = 0.02;
// A rate that differs from the average by so many times the scatter is a change.
constexpr double kChange = 3;
// Tolerance for comparing progress, far above the rounding of what ranks report.
constexpr double kPartOfSlice = 1e-3;

double meanOf(const std::deque<double>& rates) {
    return std::accumulate(rates.begin(), rates.end(), 0.0) / static_cast<double>(rates.size());
}

// The standard deviation of rates, as a part of their mean.
double scatterOf(const std::deque<double>& rates) {
    constexpr std::size_t kEnough = 3;
    if (rates.size() < kEnough) return kUnknownScatter;
    const double mean = meanOf(rates);
    double squares = 0;
    for (const double rate : rates)
        squares += (rate - mean) * (rate - mean);
    return std::max(kMinScatter, std::sqrt(squares / static_cast<double>(rates.size() - 1)) / mean);
}

}  // namespace

void RankThroughput::begin(double now) {
    m_beginTime = now;
    m_reports.clear();
}

// The mean time from one report to the next.
double RankThroughput::meanInterval() const {
    return (m_reports.back().time - m_reports.front().time) /
           std::max(1.0, static_cast<double>(m_reports.size() - 1));
}

// The part of the time since the last report that the rank waits for a slab to be stored.
double RankThroughput::storeWait(double now) const {
    if (!m_isPassDone || m_reports.size() <= kMinReports) return 0;
    const double silent = now - m_waited - m_reports.back().time;
    return std::clamp(silent - meanInterval(), 0.0, kMaxWaitSeconds);
}

void RankThroughput::add(double now, double done, bool isPassDone) {
    if (done <= m_done) return;
    m_waited += storeWait(now);
    m_isPassDone = isPassDone;
    m_done = done;
    const double time = now - m_waited;
    m_reports.push_back({time, done});
    while (m_reports.size() > kMinReports + 1 && time - m_reports[1].time > kWindowSeconds)
        m_reports.pop_front();
    if (m_reports.size() <= kMinReports) return;
    m_isKnown = true;
    m_rate = (m_reports.back().done - m_reports.front().done) /
             std::max(1e-9, m_reports.back().time - m_reports.front().time);
    // Windows follow each other, so that a report counts once.
    if (m_reports.front().time >= m_averagedTime) {
        average(m_rate);
        m_averagedTime = time;
    }
    m_rate = meanOf(m_rates);
}

void RankThroughput::average(double rate) {
    if (!m_rates.empty()) {
        const double mean = meanOf(m_rates);
        if (std::abs(rate - mean) > kChange * scatterOf(m_rates) * mean) m_rates.clear();
    }
    m_rates.push_back(rate);
    if (m_rates.size() > kMaxRates) m_rates.pop_front();
}

double RankThroughput::error() const {
    return scatterOf(m_rates) / std::sqrt(std::max(1.0, static_cast<double>(m_rates.size())));
}

double RankThroughput::rate(double now) const {
    if (m_reports.size() <= kMinReports) {
        const double begin = m_beginTime - m_waited;
        const double last = m_reports.empty() ? begin : m_reports.back().time;
        const double reported =
            m_reports.empty() ? 0 : m_reports.back().done - m_reports.front().done;
        if (now - m_waited - last < kPatienceSeconds) return m_rate;
        return std::min(m_rate, (reported + m_reportSlices) / (now - m_beginTime));
    }
    const double time = now - m_waited - storeWait(now);
    const Report& first = m_reports.front();
    const Report& last = m_reports.back();
    if (time - last.time < 2 * meanInterval()) return m_rate;
    const auto steps = static_cast<double>(m_reports.size() - 1);
    return std::min(m_rate, (last.done - first.done) * (1 + 1 / steps) / (time - first.time));
}

PassScheduler::PassScheduler(Run run) : m_run(std::move(run)), m_rows(m_run.shares.size()) {
    double max = 0;
    for (std::size_t i = 0; i < m_run.passes.size(); ++i) {
        const AssignedPass& pass = m_run.passes[i];
        m_rows[pass.row].queue.push_back(i);
        max = std::max(max, static_cast<double>(pass.slices));
    }
    const std::size_t ranks = m_rows.size() * static_cast<std::size_t>(m_run.columns);
    m_throughputs.assign(
        ranks, RankThroughput(std::numeric_limits<double>::infinity(), max / m_run.batches));
    m_next.assign(ranks, 0);
}

std::size_t PassScheduler::rowOf(int rank) const {
    return static_cast<std::size_t>(rank) / static_cast<std::size_t>(m_run.columns);
}

std::optional<Index> PassScheduler::next(int rank, double now) {
    if (!m_beginTime) m_beginTime = now;
    const auto own = static_cast<std::size_t>(rank);
    Row& row = m_rows[rowOf(rank)];
    if (m_next[own] == row.assigned.size()) {
        if (row.queue.empty()) return std::nullopt;
        row.assigned.push_back(row.queue.front());
        row.queue.pop_front();
        row.assignedSlices += static_cast<double>(m_run.passes[row.assigned.back()].slices);
    }
    const AssignedPass& pass = m_run.passes[row.assigned[m_next[own]]];
    double before = 0;
    for (std::size_t i = 0; i < m_next[own]; ++i)
        before += static_cast<double>(m_run.passes[row.assigned[i]].slices);
    if (m_throughputs[own].done() >= before - kPartOfSlice) m_throughputs[own].begin(now);
    ++m_next[own];
    return pass.firstSlab;
}

bool PassScheduler::areAllAssigned() const {
    return std::ranges::all_of(m_rows, [](const Row& row) { return row.queue.empty(); });
}

bool PassScheduler::isAtEndOfPass(std::size_t row, double done) const {
    double end = 0;
    for (const std::size_t pass : m_rows[row].assigned) {
        end += static_cast<double>(m_run.passes[pass].slices);
        if (std::abs(end - done) < kPartOfSlice) return true;
    }
    return false;
}

void PassScheduler::setDone(int rank, double slices, double now) {
    m_throughputs[rank].add(now, slices, isAtEndOfPass(rowOf(rank), slices));
}

double PassScheduler::assignedSlicesLeft(std::size_t row) const {
    double left = 0;
    for (Index c = 0; c < m_run.columns; ++c) {
        const auto rank =
            row * static_cast<std::size_t>(m_run.columns) + static_cast<std::size_t>(c);
        left = std::max(left, m_rows[row].assignedSlices - m_throughputs[rank].done());
    }
    return left;
}

double PassScheduler::rateOf(std::size_t row, double now) const {
    double slowest = std::numeric_limits<double>::infinity();
    for (Index c = 0; c < m_run.columns; ++c) {
        const RankThroughput& throughput =
            m_throughputs[row * static_cast<std::size_t>(m_run.columns) +
                          static_cast<std::size_t>(c)];
        // A rank that waits for work is as fast as it was.
        const bool isAtWork = m_rows[row].assignedSlices > throughput.done() + kPartOfSlice;
        slowest = std::min(slowest, isAtWork ? throughput.rate(now) : throughput.lastRate());
    }
    return slowest;
}

double PassScheduler::errorOf(std::size_t row) const {
    double max = 0;
    for (Index c = 0; c < m_run.columns; ++c)
        max = std::max(max, m_throughputs[row * static_cast<std::size_t>(m_run.columns) +
                                          static_cast<std::size_t>(c)]
                                .error());
    return max;
}

// The row that ends last bounds the run, before passes move and after. What the two times differ by
// must not follow from the errors of those rows' rates, or passes would come back with the next
// ones.
bool PassScheduler::isWorthIt(const std::vector<double>& before,
                              const std::vector<double>& after) const {
    const auto last = std::ranges::max_element(before);
    const auto lastAfter = std::ranges::max_element(after);
    const double error =
        std::hypot(*last * errorOf(static_cast<std::size_t>(last - before.begin())),
                   *lastAfter * errorOf(static_cast<std::size_t>(lastAfter - after.begin())));
    return *last - *lastAfter >=
           std::max({kMinGain * *last, kMinGainSeconds, kMinGainErrors * error});
}

bool PassScheduler::areRatesKnown(double now) const {
    if (!m_beginTime) return false;
    if (now - *m_beginTime > kPatienceSeconds)
        return std::ranges::any_of(
            m_throughputs, [](const RankThroughput& throughput) { return throughput.isKnown(); });
    return std::ranges::all_of(
        m_throughputs, [](const RankThroughput& throughput) { return throughput.isKnown(); });
}

// Assumes, for ranks that are not measured yet, the rate that their share implies at the rates of
// the measured rows.
void PassScheduler::assumeUnknownRates(double now) {
    double rates = 0;
    double shares = 0;
    for (std::size_t row = 0; row < m_rows.size(); ++row) {
        bool isKnown = true;
        for (Index c = 0; c < m_run.columns; ++c)
            isKnown = isKnown && m_throughputs[row * static_cast<std::size_t>(m_run.columns) +
                                               static_cast<std::size_t>(c)]
                                     .isKnown();
        if (!isKnown) continue;
        rates += rateOf(row, now);
        shares += m_run.shares[row];
    }
    if (shares <= 0) return;
    for (std::size_t rank = 0; rank < m_throughputs.size(); ++rank)
        m_throughputs[rank].assumeRate(rates / shares *
                                       m_run.shares[rowOf(static_cast<int>(rank))]);
}

std::vector<double> PassScheduler::secondsLeft(double now) const {
    std::vector<double> ends;
    for (std::size_t row = 0; row < m_rows.size(); ++row) {
        double slices = assignedSlicesLeft(row);
        for (const std::size_t pass : m_rows[row].queue)
            slices += static_cast<double>(m_run.passes[pass].slices);
        ends.push_back(slices > 0 ? slices / rateOf(row, now) : 0);
    }
    return ends;
}

std::vector<MovedPass> PassScheduler::rebalance(double now) {
    std::vector<MovedPass> moved;
    if (!areRatesKnown(now)) return moved;
    assumeUnknownRates(now);
    const std::vector<double> before = secondsLeft(now);
    std::vector<double> ends = before;
    std::vector<double> rates;
    for (std::size_t row = 0; row < m_rows.size(); ++row)
        rates.push_back(rateOf(row, now));
    std::vector<std::deque<std::size_t>> queues;
    for (const Row& row : m_rows)
        queues.push_back(row.queue);
    while (true) {
        std::size_t from = m_rows.size();
        for (std::size_t row = 0; row < m_rows.size(); ++row)
            if (!queues[row].empty() && (from == m_rows.size() || ends[row] > ends[from]))
                from = row;
        if (from == m_rows.size()) break;
        const std::size_t pass = queues[from].back();
        const auto slices = static_cast<double>(m_run.passes[pass].slices);
        std::size_t to = from;
        double best = ends[from];
        for (std::size_t row = 0; row < m_rows.size(); ++row) {
            const bool fits = m_run.fits.empty() || m_run.fits[row][pass];
            const double end = ends[row] + slices / rates[row];
            if (row == from || !fits || !(end < best)) continue;
            to = row;
            best = end;
        }
        if (to == from) break;
        queues[from].pop_back();
        queues[to].push_back(pass);
        ends[from] -= slices / rates[from];
        ends[to] = best;
    }
    if (!isWorthIt(before, ends)) return moved;
    for (std::size_t row = 0; row < m_rows.size(); ++row) {
        for (const std::size_t pass : queues[row]) {
            AssignedPass& assigned = m_run.passes[pass];
            const int was = std::exchange(assigned.row, static_cast<int>(row));
            if (was != assigned.row) moved.push_back({assigned, was});
        }
        m_rows[row].queue = std::move(queues[row]);
    }
    return moved;
}

double PassScheduler::throughputOf(int row, double now) const {
    const auto own = static_cast<std::size_t>(row);
    double rates = 0;
    double shares = 0;
    for (std::size_t i = 0; i < m_rows.size(); ++i) {
        if (i == own) continue;
        rates += rateOf(i, now);
        shares += m_run.shares[i];
    }
    return rates > 0 ? rateOf(own, now) / m_run.shares[own] * shares / rates : 1;
}

std::vector<Index> PassScheduler::passesOf(int row) const {
    std::vector<Index> slabs;
    for (const std::size_t pass : m_rows[row].assigned)
        slabs.push_back(m_run.passes[pass].firstSlab);
    for (const std::size_t pass : m_rows[row].queue)
        slabs.push_back(m_run.passes[pass].firstSlab);
    return slabs;
}

}  // namespace gantry
