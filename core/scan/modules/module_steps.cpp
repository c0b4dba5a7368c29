#include "core/scan/modules/module_steps.h"

#include <Eigen/Core>
#include <Eigen/LU>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <utility>

#include "core/base/median.h"

namespace gantry {

namespace {

constexpr double kWithin = 0.99;  // of a band's lines
constexpr double kSteps = 4;      // standard errors of a step that is none
constexpr double kOffsets = 3;    // of an offset that is none

// The ranges between edges.
std::vector<IndexRange> rangesOf(const std::vector<Index>& edges, Index end) {
    std::vector<IndexRange> ranges;
    ranges.reserve(edges.size() + 1);
    Index begin = 0;
    for (const Index edge : edges)
        ranges.push_back({std::exchange(begin, edge), edge});
    ranges.push_back({begin, end});
    return ranges;
}

// By how much one module is higher than the one before it.
struct ModuleStep {
    Index before = 0;  // places in ModuleOffsets::offsets
    Index after = 0;
    double step = 0;
    double error = 0;
};

// The bands that lie within these lines; at least the one that does so best.
std::vector<Index> bandsWithin(const SteadyProfiles& profiles, DetectorSide side,
                               IndexRange lines) {
    std::vector<Index> bands;
    Index best = 0;
    double most = -1;
    for (Index i = 0; i < profiles.bands(side); ++i) {
        const IndexRange band = profiles.linesOf(side, i);
        const Index shared = std::min(band.end, lines.end) - std::max(band.begin, lines.begin);
        const double share = static_cast<double>(shared) / static_cast<double>(band.size());
        if (share > kWithin) bands.push_back(i);
        if (share > most) best = i;
        most = std::max(most, share);
    }
    if (bands.empty()) bands.push_back(best);
    return bands;
}

// The step from one range of places to the next, seen along these lines.
std::optional<ModuleStep> stepAt(const SteadyProfiles& profiles, DetectorSide side,
                                 IndexRange before, IndexRange after, IndexRange lines,
                                 const EdgesFound& how) {
    const StepWindow window = {std::min(how.window.before, before.size()),
                               std::min(how.window.after, after.size()), how.window.degree};
    std::vector<double> steps;
    double gain = 0;
    Index seen = 0;
    for (const Index band : bandsWithin(profiles, side, lines)) {
        const Index size = profiles.linesOf(side, band).size();
        const double noise = how.noise / std::sqrt(static_cast<double>(size));
        const auto fit =
            fitStep(profiles.profile(side, band, ViewsOf::all), after.begin, window, noise);
        if (!fit) continue;
        steps.push_back(fit->step);
        gain = std::max(gain, fit->gain);
        seen += size;
    }
    if (steps.empty()) return std::nullopt;
    constexpr double kOfMedian = 1.2533;  // standard error, as against that of a mean
    constexpr double kSigmaOfSteps = 1.4826;
    const auto count = static_cast<double>(steps.size());
    ModuleStep result;
    result.step = medianOf(steps);
    const double formal = kOfMedian * gain * how.noise / std::sqrt(static_cast<double>(seen));
    for (double& step : steps)
        step = std::abs(step - result.step);
    const double scattered =
        kOfMedian * kSigmaOfSteps * medianOf(std::move(steps)) / std::sqrt(count);
    result.error = std::max(formal, scattered);
    return result;
}

std::vector<ModuleStep> moduleStepsOf(const SteadyProfiles& profiles, const ModuleGrid& grid,
                                      const std::array<EdgesFound, 2>& fits) {
    const std::vector<IndexRange> columns =
        rangesOf(grid.columns, profiles.places(DetectorSide::columns));
    const std::vector<IndexRange> rows = rangesOf(grid.rows, profiles.places(DetectorSide::rows));
    std::vector<ModuleStep> steps;
    const auto add = [&](std::optional<ModuleStep> step, Index before, Index after) {
        if (!step) return;
        step->before = before;
        step->after = after;
        steps.push_back(*step);
    };
    const Index across = grid.across();
    for (Index r = 0; r < std::ssize(rows); ++r)
        for (Index c = 0; c < across; ++c) {
            const Index here = r * across + c;
            if (c > 0)
                add(stepAt(profiles, DetectorSide::columns, columns[c - 1], columns[c], rows[r],
                           fits[0]),
                    here - 1, here);
            if (r > 0)
                add(stepAt(profiles, DetectorSide::rows, rows[r - 1], rows[r], columns[c], fits[1]),
                    here - across, here);
        }
    return steps;
}

// The offsets that fit the steps best; weighted by their areas, they add up to 0.
void solve(const std::vector<ModuleStep>& steps, const Eigen::VectorXd& areas,
           ModuleOffsets& result) {
    const Eigen::Index count = areas.size();
    Eigen::MatrixXd normal = Eigen::MatrixXd::Zero(count, count);
    Eigen::VectorXd right = Eigen::VectorXd::Zero(count);
    for (const ModuleStep& step : steps) {
        const double weight = 1 / (step.error * step.error);
        normal(step.before, step.before) += weight;
        normal(step.after, step.after) += weight;
        normal(step.before, step.after) -= weight;
        normal(step.after, step.before) -= weight;
        right(step.before) -= weight * step.step;
        right(step.after) += weight * step.step;
    }
    // Steps say nothing of the mean, so that any weight of it makes it 0.
    const Eigen::MatrixXd whole =
        normal + (normal.trace() / static_cast<double>(count)) * (areas * areas.transpose());
    const Eigen::MatrixXd inverse = whole.fullPivLu().inverse();
    const Eigen::VectorXd offsets = inverse * right;
    const Eigen::MatrixXd covariance = inverse * normal * inverse.transpose();
    double misfit = 0;
    for (const ModuleStep& step : steps)
        misfit +=
            std::pow((offsets(step.after) - offsets(step.before) - step.step) / step.error, 2);
    const auto freedom = static_cast<double>(std::ssize(steps) - (count - 1));
    const double excess = freedom > 0 ? std::sqrt(std::max(1.0, misfit / freedom)) : 1;
    for (Eigen::Index i = 0; i < count; ++i) {
        result.errors[i] = excess * std::sqrt(std::max(0.0, covariance(i, i)));
        result.offsets[i] = std::abs(offsets(i)) < kOffsets * result.errors[i] ? 0 : offsets(i);
    }
}

}  // namespace

Index ModuleOffsets::levelled() const {
    return std::ranges::count_if(offsets, [](double offset) { return offset != 0; });
}

double ModuleOffsets::largest() const {
    double largest = 0;
    for (const double offset : offsets)
        largest = std::max(largest, std::abs(offset));
    return largest;
}

std::vector<float> ModuleOffsets::ofPixels(const PixelBlock& block) const {
    const auto moduleOf = [](const std::vector<Index>& edges, Index place) {
        return std::ranges::upper_bound(edges, place) - edges.begin();
    };
    std::vector<float> values;
    const auto& [first, count, binning] = block;
    values.reserve(static_cast<std::size_t>(count[0] * count[1]));
    for (Index v = 0; v < count[1]; ++v)
        for (Index u = 0; u < count[0]; ++u) {
            double sum = 0;
            for (Index y = 0; y < binning[1]; ++y)
                for (Index x = 0; x < binning[0]; ++x)
                    sum +=
                        offsets[moduleOf(grid.rows, first[1] + v * binning[1] + y) * grid.across() +
                                moduleOf(grid.columns, first[0] + u * binning[0] + x)];
            values.push_back(
                static_cast<float>(sum / static_cast<double>(binning[0] * binning[1])));
        }
    return values;
}

ModuleOffsets fitModules(const SteadyProfiles& profiles, const ModuleGrid& grid,
                         const std::array<EdgesFound, 2>& fits) {
    ModuleOffsets result;
    result.grid = grid;
    result.offsets.assign(static_cast<std::size_t>(grid.count()), 0);
    result.errors.assign(static_cast<std::size_t>(grid.count()), 0);
    const std::vector<ModuleStep> steps = moduleStepsOf(profiles, grid, fits);
    const bool isAny = std::ranges::any_of(
        steps, [](const ModuleStep& step) { return std::abs(step.step) > kSteps * step.error; });
    if (!isAny) return result;
    const std::vector<IndexRange> columns =
        rangesOf(grid.columns, profiles.places(DetectorSide::columns));
    const std::vector<IndexRange> rows = rangesOf(grid.rows, profiles.places(DetectorSide::rows));
    Eigen::VectorXd areas(grid.count());
    for (Index i = 0; i < grid.count(); ++i)
        areas(i) =
            static_cast<double>(columns[i % grid.across()].size() * rows[i / grid.across()].size());
    solve(steps, areas / areas.sum(), result);
    return result;
}

}  // namespace gantry
