#include "core/simulate/faults.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "core/base/parallel.h"
#include "core/phantom/photon_noise.h"

namespace gantry {

namespace {

// Each kind of fault has random numbers of its own, so that none changes with another one; noise
// has the streams from 0 on.
enum class Draw : Index { modules = -6, shifts, stripes, module, stuckPixels, zingers };

RandomStream randomFor(const SimulationSpec& spec, Draw draw) {
    return {spec.seed, static_cast<Index>(draw), 0};
}

// A whole number from 0 to n − 1.
Index below(Index n, RandomStream& random) {
    return std::min(n - 1, static_cast<Index>(random.uniform() * static_cast<double>(n)));
}

// A number in ±max.
double within(double max, RandomStream& random) {
    return max * (2 * random.uniform() - 1);
}

double partOfScan(const DrawnFaults& faults, Index view) {
    return static_cast<double>(view) /
           static_cast<double>(std::max<Index>(1, std::ssize(faults.flux) - 1));
}

// The share of a drift that is reached: from 0 in the first view to 1 in the last, as a temperature
// rises that is nearly reached after three times its time constant.
double drifted(double part) {
    constexpr double kTimeConstants = 3;
    return std::expm1(-kTimeConstants * part) / std::expm1(-kTimeConstants);
}

void drawShifts(const SimulationSpec& spec, DrawnFaults& faults) {
    const double max = spec.faults.viewShiftPx;
    const auto [driftU, driftV] = spec.faults.driftPx;
    if (max == 0 && driftU == 0 && driftV == 0) return;
    RandomStream random = randomFor(spec, Draw::shifts);
    for (Index s = 0; s < spec.geometry.views(); ++s) {
        const double share = drifted(partOfScan(faults, s));
        const double u = within(max, random);
        const double v = within(max, random);
        faults.shiftsPx.push_back({u + share * driftU, v + share * driftV});
    }
}

void drawStripes(const SimulationSpec& spec, DrawnFaults& faults) {
    RandomStream random = randomFor(spec, Draw::stripes);
    std::set<Index> columns;
    while (std::ssize(columns) < spec.faults.stripes)
        columns.insert(below(spec.geometry.detector.columns, random));
    for (const Index column : columns) {
        const double sign = random.uniform() < 0.5 ? -1 : 1;
        faults.stripes.push_back({column, 1 + sign * spec.faults.stripeShare});
    }
}

void drawModule(const SimulationSpec& spec, DrawnFaults& faults) {
    if (spec.faults.moduleStep == 0) return;
    RandomStream random = randomFor(spec, Draw::module);
    const Index columns = spec.geometry.detector.columns;
    const Index width = std::max<Index>(1, columns / 8);
    const Index begin = below(columns - width + 1, random);
    faults.module = {begin, begin + width};
    faults.stepView = spec.geometry.views() / 2;
    faults.moduleGain = 1 + spec.faults.moduleStep;
}

void drawModules(const SimulationSpec& spec, DrawnFaults& faults) {
    const auto [across, up] = spec.faults.modules;
    if (across * up == 1 || spec.faults.moduleShare == 0) return;
    const auto edges = [](Index modules, Index pixels) {
        std::vector<Index> begins;
        for (Index i = 1; i < modules; ++i)
            begins.push_back(i * pixels / modules);
        return begins;
    };
    faults.moduleColumns = edges(across, spec.geometry.detector.columns);
    faults.moduleRows = edges(up, spec.geometry.detector.rows);
    RandomStream random = randomFor(spec, Draw::modules);
    for (Index i = 0; i < across * up; ++i)
        faults.moduleGains.push_back(1 + within(spec.faults.moduleShare, random));
}

// Returns the pixels that are stuck, as a mask over the detector, with those that are dead.
std::vector<unsigned char> drawStuckPixels(const SimulationSpec& spec,
                                           const SyntheticDetector& panel, DrawnFaults& faults) {
    RandomStream random = randomFor(spec, Draw::stuckPixels);
    std::vector<unsigned char> taken = panel.bad;
    while (std::ssize(faults.stuckPixels) < spec.faults.stuckPixels) {
        const Index row = below(panel.rows, random);
        const Index column = below(panel.columns, random);
        const Index counts = below(65535, random);
        unsigned char& pixel = taken[row * panel.columns + column];
        if (pixel != 0) continue;
        pixel = 1;
        faults.stuckPixels.push_back({row, column, counts});
    }
    std::ranges::sort(faults.stuckPixels, {}, &DrawnFaults::StuckPixel::row);
    return taken;
}

void drawZingers(const SimulationSpec& spec, const SyntheticDetector& panel,
                 const std::vector<unsigned char>& taken, DrawnFaults& faults) {
    RandomStream random = randomFor(spec, Draw::zingers);
    std::set<DrawnFaults::Zinger> zingers;
    while (std::ssize(zingers) < spec.faults.zingers) {
        const Index view = below(spec.geometry.views(), random);
        const Index row = below(panel.rows, random);
        const Index column = below(panel.columns, random);
        if (taken[row * panel.columns + column] == 0) zingers.insert({view, row, column});
    }
    faults.zingers.assign(zingers.begin(), zingers.end());
    faults.zingerCounts = std::lround(spec.faults.zingerCounts);
}

// What changes over the scan; part: of the way from the first view to the last.
std::vector<double> driftedGains(const DrawnFaults& faults, Index columns, double part,
                                 bool isStepped) {
    std::vector<double> gains(static_cast<std::size_t>(columns));
    for (Index u = 0; u < columns; ++u) {
        const double x = (2.0 * static_cast<double>(u) + 1) / static_cast<double>(columns) - 1;
        gains[u] = (1 + faults.flatDrift * x * part) *
                   (isStepped && faults.module.contains(u) ? faults.moduleGain : 1);
    }
    return gains;
}

}  // namespace

DrawnFaults drawFaults(const SimulationSpec& spec, const SyntheticDetector& panel) {
    DrawnFaults faults;
    const Index views = spec.geometry.views();
    faults.flux.resize(static_cast<std::size_t>(views));
    for (Index s = 0; s < views; ++s)
        faults.flux[s] = std::lerp(spec.flux[0], spec.flux[1], partOfScan(faults, s));
    drawShifts(spec, faults);
    drawStripes(spec, faults);
    drawModules(spec, faults);
    drawModule(spec, faults);
    if (spec.kind != ProjectionKind::counts) return faults;
    faults.flatDrift = spec.faults.flatDrift;
    const std::vector<unsigned char> taken = drawStuckPixels(spec, panel, faults);
    drawZingers(spec, panel, taken, faults);
    return faults;
}

std::vector<double> gainsOfView(const DrawnFaults& faults, Index columns, Index view) {
    std::vector<double> gains =
        driftedGains(faults, columns, partOfScan(faults, view), view >= faults.stepView);
    for (const DrawnFaults::Stripe& stripe : faults.stripes)
        gains[stripe.column] *= stripe.gain;
    return gains;
}

std::vector<double> gainsAfterScan(const DrawnFaults& faults, Index columns) {
    return driftedGains(faults, columns, 1, true);
}

double moduleGainAt(const DrawnFaults& faults, Index row, Index column) {
    if (faults.moduleGains.empty()) return 1;
    const auto moduleOf = [](const std::vector<Index>& begins, Index pixel) {
        return std::ranges::upper_bound(begins, pixel) - begins.begin();
    };
    const Index across = std::ssize(faults.moduleColumns) + 1;
    return faults.moduleGains[moduleOf(faults.moduleRows, row) * across +
                              moduleOf(faults.moduleColumns, column)];
}

void LaggedSignal::read(std::span<float> lineIntegrals, int threads) {
    constexpr Index kPixelsAtOnce = 10'000;
    const double fading = std::exp(-1 / m_lag.views);
    const bool isFirst = m_later.empty();
    m_later.resize(lineIntegrals.size());
    parallelFor(threads, std::ssize(lineIntegrals), kPixelsAtOnce,
                [&](Index begin, Index end, int) {
                    for (Index i = begin; i < end; ++i) {
                        const double signal = std::exp(-static_cast<double>(lineIntegrals[i]));
                        if (isFirst) m_later[i] = m_lag.share * signal;
                        lineIntegrals[i] =
                            static_cast<float>(-std::log((1 - m_lag.share) * signal + m_later[i]));
                        m_later[i] = m_lag.share * (1 - fading) * signal + fading * m_later[i];
                    }
                });
}

}  // namespace gantry
