#include "core/align/finders.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "core/align/fitted_line.h"

namespace gantry {

namespace {

constexpr int kHeights = 5;
constexpr double kHeightShare = 0.7;
// Halvings of the step about the best place.
constexpr int kRefinements = 3;
// What sharpness resolves at best, in steps, in however many slices.
constexpr double kResolution = 0.1;
// Part of the largest weight below which a slice does not count.
constexpr double kMinWeight = 0.1;
// Slices agree when their centres scatter less than this, in steps.
constexpr double kMaxScatter = 0.5;

// Each slice's sharpness at places of the centre: how its gradients gather. Their energy would do
// for whole turns, where a wrong centre blurs. On half a turn it only turns the phases of the
// slice's Fourier transform, which keeps the energy whatever the centre.
class Search {
  public:
    Search(QuickSlices& slices, const MatricesAt& matricesAt, const Misalignment& about,
           std::vector<double> heightsMm, const std::stop_token& stop)
        : m_slices(slices),
          m_matricesAt(matricesAt),
          m_about(about),
          m_heightsMm(std::move(heightsMm)),
          m_stop(stop) {}

    [[nodiscard]] std::vector<double> allAt(double centrePx) {
        Misalignment tried = m_about;
        tried.centrePx = centrePx;
        std::vector<double> found;
        found.reserve(m_heightsMm.size());
        for (const Span3<const float>& picture :
             m_slices.render(m_matricesAt(tried), m_heightsMm, m_stop))
            found.push_back(sharpness(picture).concentration);
        return found;
    }
    [[nodiscard]] Sharpness sharpnessAt(std::size_t height, double centrePx) {
        Misalignment tried = m_about;
        tried.centrePx = centrePx;
        return sharpness(m_slices.render(m_matricesAt(tried),
                                         std::span(m_heightsMm).subspan(height, 1), m_stop)[0]);
    }
    [[nodiscard]] double at(std::size_t height, double centrePx) {
        return sharpnessAt(height, centrePx).concentration;
    }
    struct Peak {
        double centrePx = 0;
        double bend = 0;  // how much blurrier the slice is half a step beside it
    };
    // From a place that is sharper than those a step to either side.
    [[nodiscard]] Peak refined(std::size_t height, double centrePx, double step) {
        double here = at(height, centrePx);
        double below = 0;
        double above = 0;
        Peak peak;
        for (int i = 0; i <= kRefinements; ++i) {
            if (i < kRefinements) step /= 2;
            below = at(height, centrePx - step);
            above = at(height, centrePx + step);
            if (i == 0)
                peak.bend =
                    std::max(0.0, std::max(here, std::max(below, above)) - std::min(below, above));
            if (i == kRefinements) break;
            if (below > here && below > above) {
                centrePx -= step;
                here = below;
            } else if (above > here) {
                centrePx += step;
                here = above;
            }
        }
        const double bend = below - 2 * here + above;
        peak.centrePx = bend < 0
                            ? centrePx + 0.5 * step * std::clamp((below - above) / bend, -1.0, 1.0)
                            : centrePx;
        return peak;
    }

    [[nodiscard]] const std::vector<double>& heightsMm() const { return m_heightsMm; }

  private:
    QuickSlices& m_slices;
    const MatricesAt& m_matricesAt;
    Misalignment m_about;
    std::vector<double> m_heightsMm;
    const std::stop_token& m_stop;
};

// How far each slice's sharpest centre is from where the search began.
struct SliceCentres {
    std::vector<double> heightsMm;
    std::vector<double> changesPx;
    std::vector<double> weights;  // slices with little in them say little
};

// Slices beside the object are sharpest anywhere.
SliceCentres withoutWeak(const SliceCentres& all) {
    SliceCentres strong;
    const double max = all.weights.empty() ? 0 : *std::ranges::max_element(all.weights);
    for (std::size_t i = 0; i < all.weights.size(); ++i) {
        if (all.weights[i] < kMinWeight * max) continue;
        strong.heightsMm.push_back(all.heightsMm[i]);
        strong.changesPx.push_back(all.changesPx[i]);
        strong.weights.push_back(all.weights[i]);
    }
    return strong;
}

// Each slice's sharpness at evenly spaced centres: [slice][centre]. Their sum is the curve of blur,
// 0 where slices are sharpest.
std::vector<std::vector<double>> scan(Search& search, double aboutPx, double rangePx, double stepPx,
                                      Finding& curve,
                                      const std::function<void(double)>& onProgress) {
    const auto half = static_cast<Index>(std::ceil(rangePx / stepPx));
    std::vector<std::vector<double>> sharp(search.heightsMm().size());
    std::vector<double> sums;
    for (Index i = -half; i <= half; ++i) {
        curve.tried.push_back(aboutPx + static_cast<double>(i) * stepPx);
        const std::vector<double> all = search.allAt(curve.tried.back());
        for (std::size_t k = 0; k < sharp.size(); ++k)
            sharp[k].push_back(all[k]);
        sums.push_back(std::accumulate(all.begin(), all.end(), 0.0));
        onProgress(static_cast<double>(i + half + 1) / static_cast<double>(2 * half + 1));
    }
    const double sharpest = *std::ranges::max_element(sums);
    for (const double sum : sums)
        curve.scores.push_back(sharpest > 0 ? 1 - sum / sharpest : 0);
    return sharp;
}

SliceCentres sharpestCentres(Search& search, const std::vector<std::vector<double>>& sharp,
                             const std::vector<double>& tried, double aboutPx, double stepPx,
                             const std::function<void(double)>& onProgress) {
    SliceCentres found;
    for (std::size_t k = 0; k < sharp.size(); ++k) {
        const auto best = static_cast<std::size_t>(
            std::distance(sharp[k].begin(), std::ranges::max_element(sharp[k])));
        if (best == 0 || best + 1 == tried.size()) continue;
        const Search::Peak peak = search.refined(k, tried[best], stepPx);
        found.heightsMm.push_back(search.heightsMm()[k]);
        found.changesPx.push_back(peak.centrePx - aboutPx);
        found.weights.push_back(peak.bend * search.sharpnessAt(k, peak.centrePx).energy);
        onProgress(static_cast<double>(k + 1) / static_cast<double>(sharp.size()));
    }
    return found;
}

Finding fitted(const SliceCentres& centres, double aboutPx, double stepPx) {
    Finding found;
    const auto because = [&](const char* reason) {
        found.reason = reason;
        return found;
    };
    constexpr std::size_t kMinSlices = 3;
    if (centres.weights.size() < kMinSlices)
        return because("slices are sharpest at the end of the range that was searched");
    const SliceCentres strong = withoutWeak(centres);
    if (strong.weights.size() < kMinSlices) return because("too few slices have anything in them");
    const FittedLine line = fittedLine(strong.heightsMm, strong.changesPx, strong.weights);
    if (!(line.scatter < kMaxScatter * stepPx))
        return because("slices at different heights are sharpest at different centres");
    const double middleMm = (centres.heightsMm.front() + centres.heightsMm.back()) / 2;
    found.value = aboutPx + line.atZero + line.slope * middleMm;
    found.uncertainty = std::hypot(line.meanDeviation, kResolution * stepPx);
    found.isFound = found.uncertainty < kMinCertainPx;
    return because(found.isFound ? "where slices at several heights are sharpest"
                                 : "slices are too coarse for a certain centre");
}

}  // namespace

Finding centreFromSlices(QuickSlices& slices, const MatricesAt& matricesAt,
                         const Misalignment& about, double rangePx, double stepPx,
                         const std::function<void(double)>& onProgress,
                         const std::stop_token& stop) {
    Search search(slices, matricesAt, about, slices.heightsMm(kHeights, kHeightShare), stop);
    constexpr double kScanShare = 0.6;  // of the time
    Finding curve;
    const auto sharp = scan(search, about.centrePx, rangePx, stepPx, curve,
                            [&](double share) { onProgress(kScanShare * share); });
    const SliceCentres centres =
        sharpestCentres(search, sharp, curve.tried, about.centrePx, stepPx,
                        [&](double share) { onProgress(kScanShare + (1 - kScanShare) * share); });
    Finding found = fitted(centres, about.centrePx, stepPx);
    found.tried = std::move(curve.tried);
    found.scores = std::move(curve.scores);
    return found;
}

}  // namespace gantry
