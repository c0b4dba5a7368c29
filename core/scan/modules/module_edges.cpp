#include "core/scan/modules/module_edges.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <limits>
#include <optional>
#include <utility>

#include "core/base/median.h"
#include "core/prep/modules.h"

namespace gantry {

namespace {

constexpr double kMinNoise = 2e-5;   // a line integral; a simulation may have none
constexpr double kMinStep = 0.0005;  // a smaller one makes no ring that is seen
constexpr double kMaxSquare = 25;    // of a band's step by its error: one band alone is none
constexpr double kMeanSquare = 10;   // of all bands
constexpr double kShown = 5;         // times the error of a band's step, which is then shown
constexpr double kMinSquares = 60;   // their sum
// The window is that of these in which an object steps least.
constexpr std::array kWindows = {StepWindow{3, 3, 1}, StepWindow{4, 4, 1}, StepWindow{6, 6, 3},
                                 StepWindow{8, 8, 3}};
constexpr StepWindow kNarrow = {2, 2, 1};
constexpr StepWindow kWide = {4, 4, 1};

// One band of lines.
struct Band {
    Profile all, first, second;
    double noise = kMinNoise;  // of a value of `all`
};

// The usual size of a step where there is none: noise, and how much the object bends. Air beside it
// has little of both.
double usualStep(const Profile& profile, StepWindow window) {
    constexpr double kPart = 0.7;
    constexpr double kSigmas = 1.036;  // that this part of normal noise lies within
    std::vector<double> sizes;
    for (Index edge = 1; edge < std::ssize(profile.values); ++edge)
        if (const auto fit = fitStep(profile, edge, window, 0))
            sizes.push_back(std::abs(fit->step));
    if (sizes.empty()) return 0;
    const auto at =
        sizes.begin() + static_cast<std::ptrdiff_t>(kPart * static_cast<double>(sizes.size()));
    std::nth_element(sizes.begin(), at, sizes.end());
    return *at / kSigmas;
}

// Mean of what bands tell, and its standard error by how much they differ.
struct OfBands {
    double mean = 0;
    double error = 0;
};

OfBands meanOfBands(const std::vector<double>& values) {
    const auto count = static_cast<double>(values.size());
    OfBands result;
    for (const double value : values)
        result.mean += value / count;
    double squares = 0;
    for (const double value : values)
        squares += std::pow(value - result.mean, 2);
    if (count > 1) result.error = std::sqrt(squares / (count - 1) / count);
    return result;
}

// Two ways to see the steps of an edge, which differ by little if it is one.
struct Differences {
    double maxOfMean = 0;  // as a share of the step
    double maxOfBand = 0;
    std::vector<double> values = {};
    Index shown = 0;
    Index large = 0;

    void add(double difference, double step, bool isShown) {
        values.push_back(difference);
        if (!isShown) return;
        ++shown;
        if (std::abs(difference) > maxOfBand * step) ++large;
    }
    [[nodiscard]] bool areSmallFor(double step) const {
        const OfBands all = meanOfBands(values);
        return std::abs(all.mean) < maxOfMean * step + 2 * all.error &&
               (shown < 3 || 5 * large <= 2 * shown);
    }
};

// What speaks against a step, on either side: it bends the profile half as much the other way
// there, which the edge of an object and a change of slope do not. Beside places that were left
// out, a narrow window has to show the same step as a wide one.
std::optional<std::array<double, 2>> unlikeStep(const Profile& profile, const StepFit& fit,
                                                Index edge) {
    const auto isGood = [&](Index place) {
        return place >= 0 && place < std::ssize(profile.values) && profile.usable[place] &&
               std::ranges::find(fit.outliers, place) == fit.outliers.end();
    };
    bool areGood = true;
    for (Index place = edge - 3; place < edge + 3; ++place)
        areGood = areGood && isGood(place);
    if (areGood) {
        const auto change = [&](Index i) { return profile.values[i] - profile.values[i - 1]; };
        const auto bend = [&](Index i) { return change(i) - (change(i - 1) + change(i + 1)) / 2; };
        return std::array{bend(edge - 1) + bend(edge) / 2, bend(edge + 1) + bend(edge) / 2};
    }
    Profile others = profile;
    for (const Index place : fit.outliers)
        others.usable[place] = false;
    const auto narrow = fitStep(others, edge, kNarrow, 0);
    const auto wide = fitStep(others, edge, kWide, 0);
    if (!narrow || !wide) return std::nullopt;
    // These differ by less where the edge of an object has lost its first pixel.
    const double unlike = 3 * (wide->step - narrow->step);
    return std::array{unlike, unlike};
}

// A place that may be an edge, with the steps of all bands there.
struct Candidate {
    Index edge = 0;
    double size = 0;  // of its steps, in all bands, as far as places were not left out
    std::vector<StepFit> fits;
};

class EdgeSearch {
  public:
    EdgeSearch(std::vector<Band> bands, StepWindow window)
        : m_bands(std::move(bands)), m_window(window) {}

    // Steps at neighbouring places belong together: only the largest of them is looked at.
    void search(EdgesFound& found) const {
        std::vector<Candidate> candidates;
        const Index places = std::ssize(m_bands.front().all.values);
        for (Index edge = kMinModulePx; edge + kMinModulePx <= places; ++edge)
            if (std::optional<Candidate> here = candidateAt(edge))
                candidates.push_back(std::move(*here));
        for (auto first = candidates.begin(); first != candidates.end();) {
            auto last = first;
            while (std::next(last) != candidates.end() && isSame(*last, *std::next(last)))
                ++last;
            if (isLargest(candidates, *first)) settle(*(first + (last - first + 1) / 2), found);
            first = std::next(last);
        }
    }

  private:
    // The sum of squares of the bands' steps by their errors; a few bands alone give little.
    [[nodiscard]] bool standsOut(const std::vector<StepFit>& fits) const {
        double sum = 0;
        for (std::size_t i = 0; i < fits.size(); ++i)
            sum +=
                std::min(kMaxSquare, std::pow(fits[i].step / (fits[i].gain * m_bands[i].noise), 2));
        return sum > std::max(kMinSquares, kMeanSquare * static_cast<double>(fits.size()));
    }
    [[nodiscard]] std::optional<std::vector<StepFit>> fitsAt(Index edge, bool isRobust) const {
        std::vector<StepFit> fits;
        for (const Band& band : m_bands) {
            const auto fit = fitStep(band.all, edge, m_window, isRobust ? band.noise : 0);
            if (!fit) return std::nullopt;
            fits.push_back(*fit);
        }
        return fits;
    }
    [[nodiscard]] std::optional<Candidate> candidateAt(Index edge) const {
        const auto plain = fitsAt(edge, false);
        if (!plain || !standsOut(*plain)) return std::nullopt;
        auto fits = fitsAt(edge, true);
        if (!fits || !standsOut(*fits)) return std::nullopt;
        Candidate candidate = {edge, 0, std::move(*fits)};
        // Beside an edge the place between is left out, and the step is nearly as large.
        constexpr double kOfOutlier = 0.15;
        for (const StepFit& fit : candidate.fits)
            candidate.size +=
                std::abs(fit.step) * (1 - kOfOutlier * static_cast<double>(fit.outliers.size()));
        return candidate;
    }

    // Whether it is a step from one pixel to the next, and whether both halves of the views have
    // it: on the mean of the bands, and in most of those that show it.
    struct Nature {
        double step = 0;
        bool isSharp = false;
        bool isSteady = false;
    };
    [[nodiscard]] Nature natureOf(const Candidate& candidate) const {
        std::vector<double> steps;
        Differences shape[2] = {{0.2, 0.35}, {0.2, 0.35}};
        Differences apart{0.3, 0.5};
        for (std::size_t i = 0; i < m_bands.size(); ++i) {
            const StepFit& fit = candidate.fits[i];
            const double sign = fit.step < 0 ? -1 : 1;
            const double step = std::abs(fit.step);
            const bool isShown = step > kShown * fit.gain * m_bands[i].noise;
            const auto unlike = unlikeStep(m_bands[i].all, fit, candidate.edge);
            const auto first = fitStep(m_bands[i].first, candidate.edge, m_window, 0);
            const auto second = fitStep(m_bands[i].second, candidate.edge, m_window, 0);
            if (!unlike || !first || !second) return {};
            steps.push_back(step);
            for (const std::size_t side : {0, 1})
                shape[side].add(sign * (*unlike)[side], step, isShown);
            apart.add(sign * (first->step - second->step), step, isShown);
        }
        const double step = meanOfBands(steps).mean;
        return {step, shape[0].areSmallFor(step) && shape[1].areSmallFor(step),
                apart.areSmallFor(step)};
    }

    // In a gap of dead pixels all places are alike, and the middle one is taken.
    static bool isSame(const Candidate& a, const Candidate& b) {
        return b.edge == a.edge + 1 && std::abs(a.size - b.size) < 1e-9 * a.size;
    }
    static bool isLargest(const std::vector<Candidate>& all, const Candidate& one) {
        return std::ranges::none_of(all, [&](const Candidate& other) {
            return std::abs(other.edge - one.edge) < kMinModulePx &&
                   other.size > one.size * (1 + 1e-9);
        });
    }
    void settle(const Candidate& candidate, EdgesFound& found) const {
        const Nature nature = natureOf(candidate);
        if (!nature.isSharp || nature.step < kMinStep) return;
        (nature.isSteady ? found.edges : found.unsteady).push_back(candidate.edge);
    }

    std::vector<Band> m_bands;
    StepWindow m_window;
};

// The window of all bands together: a narrow one is worth it where the object bends most.
StepWindow windowFor(const std::vector<Band>& bands) {
    StepWindow best = kWindows.back();
    double least = std::numeric_limits<double>::infinity();
    for (const StepWindow& window : kWindows) {
        double sum = 0;
        for (const Band& band : bands)
            sum += usualStep(band.all, window);
        if (sum < least) {
            least = sum;
            best = window;
        }
    }
    return best;
}

// StepFit::gain in the middle of a profile.
double gainOf(StepWindow window) {
    const auto places = static_cast<std::size_t>(window.before + window.after);
    const Profile even = {std::vector<double>(places), std::vector<bool>(places, true)};
    return fitStep(even, window.before, window, 0)->gain;
}

}  // namespace

EdgesFound findModuleEdges(const SteadyProfiles& profiles, DetectorSide side) {
    std::vector<Band> bands;
    for (Index i = 0; i < profiles.bands(side); ++i)
        bands.push_back({profiles.profile(side, i, ViewsOf::all),
                         profiles.profile(side, i, ViewsOf::firstHalf),
                         profiles.profile(side, i, ViewsOf::secondHalf)});
    EdgesFound found;
    found.window = windowFor(bands);
    std::vector<double> noises;
    for (Index i = 0; i < std::ssize(bands); ++i) {
        Band& band = bands[i];
        band.noise = std::max(kMinNoise, usualStep(band.all, found.window) / gainOf(found.window));
        noises.push_back(band.noise *
                         std::sqrt(static_cast<double>(profiles.linesOf(side, i).size())));
    }
    found.noise = medianOf(std::move(noises));
    EdgeSearch(std::move(bands), found.window).search(found);
    return found;
}

}  // namespace gantry
