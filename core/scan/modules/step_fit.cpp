#include "core/scan/modules/step_fit.h"

#include <Eigen/Cholesky>
#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

namespace gantry {

namespace {

constexpr int kMaxPlaces = 16;  // of a window
constexpr int kMaxTerms = 5;
constexpr double kOutlier = 5;  // times the noise
constexpr double kHelps = 0.3;  // of the misfit that is left without an outlier

using FitRows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, kMaxPlaces, kMaxTerms>;
using FitValues = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, kMaxPlaces, 1>;
using FitTerms = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, kMaxTerms, 1>;
using FitSquare = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, kMaxTerms, kMaxTerms>;

// The usable places next to an edge.
struct Places {
    std::vector<Index> at;
    std::vector<double> from;  // the edge, in pixels
    std::vector<double> values;
    Index before = 0;
    Index after = 0;

    void add(Index place, Index edge, double value) {
        at.push_back(place);
        from.push_back(static_cast<double>(place - edge) + 0.5);
        values.push_back(value);
        ++(place < edge ? before : after);
    }
    // Returns which place it was.
    Index remove(std::size_t i) {
        const Index place = at[i];
        const auto offset = static_cast<std::ptrdiff_t>(i);
        --(from[i] < 0 ? before : after);
        at.erase(at.begin() + offset);
        from.erase(from.begin() + offset);
        values.erase(values.begin() + offset);
        return place;
    }
};

Places placesAt(const Profile& profile, Index edge, const StepWindow& window) {
    Places places;
    const auto addUsable = [&](Index i) {
        if (profile.usable[i]) places.add(i, edge, profile.values[i]);
    };
    // A gap of dead pixels between modules is bridged, if it is no wider than a side.
    const Index begin = std::max<Index>(0, edge - 2 * window.before);
    for (Index i = edge - 1; i >= begin && places.before < window.before; --i)
        addUsable(i);
    const Index end = std::min(std::ssize(profile.values), edge + 2 * window.after);
    for (Index i = edge; i < end && places.after < window.after; ++i)
        addUsable(i);
    return places;
}

struct Fitted {
    StepFit fit;
    std::size_t worst = 0;     // the place that its own absence would help most
    double worstDistance = 0;  // from what the others tell of it
};

std::optional<Fitted> fitted(const Places& places, int degree) {
    const auto count = std::ssize(places.values);
    if (places.before < 2 || places.after < 2) return std::nullopt;
    // Few places bear no bend.
    if (std::min(places.before, places.after) < degree + 1) degree = 1;
    const int terms = degree + 2;
    FitRows rows(count, terms);
    FitValues values(count);
    const double scale = std::max(std::abs(places.from.back()), 1.0);
    for (Index i = 0; i < count; ++i) {
        const double x = places.from[i] / scale;
        double power = 1;
        for (int k = 0; k <= degree; ++k, power *= x)
            rows(i, k) = power;
        rows(i, terms - 1) = x > 0 ? 0.5 : -0.5;
        values(i) = places.values[i];
    }
    const FitSquare inverse =
        (rows.transpose() * rows).ldlt().solve(FitSquare::Identity(terms, terms));
    const FitTerms solution = inverse * (rows.transpose() * values);
    const FitValues left = values - rows * solution;
    Fitted result;
    result.fit.step = solution(terms - 1);
    result.fit.gain = std::sqrt(std::max(0.0, inverse(terms - 1, terms - 1)));
    result.fit.misfit = left.squaredNorm() / static_cast<double>(std::max<Index>(1, count - terms));
    for (Index i = 0; i < count; ++i) {
        const double own = rows.row(i).dot(inverse * rows.row(i).transpose());
        const double distance = std::abs(left(i)) / std::sqrt(std::max(1e-3, 1 - own));
        if (distance <= result.worstDistance) continue;
        result.worstDistance = distance;
        result.worst = static_cast<std::size_t>(i);
    }
    return result;
}

}  // namespace

std::optional<StepFit> fitStep(const Profile& profile, Index edge, StepWindow window,
                               double noise) {
    constexpr Index kMaxOutliers = 4;
    Places places = placesAt(profile, edge, window);
    std::optional<Fitted> best = fitted(places, window.degree);
    std::vector<Index> outliers;
    while (best && noise > 0 && best->worstDistance > kOutlier * noise &&
           std::ssize(outliers) < kMaxOutliers &&
           std::min(places.before, places.after) > window.degree + 1) {
        Places others = places;
        const Index place = others.remove(best->worst);
        std::optional<Fitted> without = fitted(others, window.degree);
        // Where the profile bends, one place less does not help.
        if (!without || without->fit.misfit > kHelps * best->fit.misfit) break;
        outliers.push_back(place);
        places = std::move(others);
        best = std::move(without);
    }
    if (!best) return std::nullopt;
    best->fit.outliers = std::move(outliers);
    return best->fit;
}

}  // namespace gantry
