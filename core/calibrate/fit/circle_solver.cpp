#include "core/calibrate/fit/circle_solver.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

#include "core/base/median.h"
#include "core/base/throw_error.h"
#include "core/calibrate/balls/match_balls.h"

namespace gantry {

namespace {

// A scan whose angles run the other way.
ScanGeometry reversed(ScanGeometry geometry) {
    CircularCone& cone = geometry.cone();
    cone.arcDeg = -cone.arcDeg;
    const double first = cone.anglesDeg.empty() ? 0 : cone.anglesDeg.front();
    for (double& angle : cone.anglesDeg)
        angle = 2 * first - angle;
    return geometry;
}

}  // namespace

CircleSolver::CircleSolver(ScanGeometry declared, std::vector<Sighting> sightings,
                           std::size_t balls, std::stop_token stop)
    : m_declared(std::move(declared)),
      m_start(m_declared),
      m_sightings(std::move(sightings)),
      m_tracks(balls),
      m_stop(std::move(stop)) {}

CircleBundle CircleSolver::bundleFrom(const ScanGeometry& geometry) const {
    CircleBundle bundle;
    bundle.geometry = geometry;
    bundle.balls = triangulated(opticsOf(geometry), m_sightings, m_tracks);
    bundle.isFree.fill(true);
    bundle.isFree[kScaleNumber] = false;
    return bundle;
}

void CircleSolver::fit() {
    constexpr double kFarBetter = 0.5;
    m_bundle = bundleFrom(m_declared);
    refit();
    CircleBundle other = bundleFrom(reversed(m_declared));
    BundleFit otherFit = fitBundle(other, m_sightings, m_stop);
    if (otherFit.rmsPx < kFarBetter * m_fit.rmsPx) {
        m_turnsOtherWay = true;
        m_start = reversed(m_declared);
        m_bundle = std::move(other);
        m_fit = std::move(otherFit);
    }
    removeOtherBalls();
    putInOrder();
    keepUndetermined();
}

// The worst goes first, as it spoils the fit of all.
void CircleSolver::removeOtherBalls() {
    constexpr double kTimesUsual = 4;
    constexpr double kMinPx = 0.5;
    while (balls() > kMinBalls) {
        std::vector<std::vector<double>> sizes(balls());
        for (std::size_t i = 0; i < m_sightings.size(); ++i)
            sizes[m_sightings[i].ball].push_back(
                std::hypot(m_fit.residuals[i][0], m_fit.residuals[i][1]));
        std::vector<double> ofBalls;
        ofBalls.reserve(sizes.size());
        for (const std::vector<double>& ofBall : sizes)
            ofBalls.push_back(medianOf(ofBall));
        const auto worst = std::ranges::max_element(ofBalls);
        if (*worst <= std::max(kMinPx, kTimesUsual * medianOf(ofBalls))) return;
        std::vector<std::size_t> others(balls());
        std::iota(others.begin(), others.end(), std::size_t{0});
        others.erase(others.begin() + (worst - ofBalls.begin()));
        arrange(others);
    }
}

// Ball k becomes what ball order[k] was; those that are not in it go, with their sightings.
void CircleSolver::arrange(const std::vector<std::size_t>& order) {
    std::vector<std::optional<std::size_t>> place(balls());
    Balls arranged;
    std::vector<std::size_t> known;
    for (std::size_t k = 0; k < order.size(); ++k) {
        place[order[k]] = k;
        arranged.centersMm.push_back(m_bundle.balls.centersMm[order[k]]);
        arranged.radiiMm.push_back(m_bundle.balls.radiiMm[order[k]]);
        if (!m_known.empty()) known.push_back(m_known[order[k]]);
    }
    std::erase_if(m_sightings, [&](const Sighting& seen) { return !place[seen.ball]; });
    for (Sighting& seen : m_sightings)
        seen.ball = *place[seen.ball];
    m_bundle.balls = std::move(arranged);
    m_known = std::move(known);
    refit();
}

// The least certain number that the views do not tell goes back to what is declared, and the others
// are fitted again.
void CircleSolver::keepUndetermined() {
    constexpr double kTellsNothing = 10;  // times what it may be
    m_whole = m_bundle;
    m_keptDeviations.fill(0);
    for (;;) {
        double max = 1;
        std::optional<std::size_t> worst;
        for (std::size_t i = 0; i < kCircleNumbers; ++i) {
            if (!m_bundle.isFree[i]) continue;
            const double share = m_fit.deviations[i] / circleNumbers()[i].maxUncertainty(m_start);
            if (share <= max) continue;
            max = share;
            worst = i;
        }
        if (!worst) return;
        m_bundle.isFree[*worst] = false;
        m_keptDeviations[*worst] = max > kTellsNothing ? std::numeric_limits<double>::infinity()
                                                       : m_fit.deviations[*worst];
        const CircleNumber& number = circleNumbers()[*worst];
        number.of(m_bundle.geometry) = number.of(m_start);
        refit();
    }
}

bool CircleSolver::isDetermined(std::size_t number) const {
    return m_bundle.isFree[number] || (number == kScaleNumber && m_hasScale);
}

// Where the views tell next to nothing of what is kept, what they made of it means nothing.
double CircleSolver::movedByKept(const std::function<double(const ScanGeometry&)>& value) const {
    const bool isSound = std::ranges::none_of(
        m_keptDeviations, [](double deviation) { return std::isinf(deviation); });
    return isSound ? std::abs(value(m_bundle.geometry) - value(m_whole.geometry)) : 0;
}

double CircleSolver::uncertaintyOf(std::size_t number) const {
    if (!isDetermined(number))
        return m_bundle.isRigid || number != kScaleNumber ? m_keptDeviations[number]
                                                          : std::numeric_limits<double>::infinity();
    // The scale is no number of the fit where it is one length's.
    if (!m_bundle.isFree[number]) return m_fit.deviations[number];
    return std::hypot(m_fit.deviations[number], movedByKept([number](ScanGeometry geometry) {
                          return circleNumbers()[number].of(geometry);
                      }));
}

double CircleSolver::uncertaintyOf(const std::function<double(const ScanGeometry&)>& value) const {
    return std::hypot(deviationOf(m_bundle, m_fit, value), movedByKept(value));
}

void CircleSolver::putInOrder() {
    arrange(countingOrder(m_bundle.balls.centersMm));
}

void CircleSolver::useKnownBalls(const std::vector<Vec3>& knownMm, const std::string& name) {
    const auto match = matchBalls(m_bundle.balls.centersMm, knownMm);
    if (!match)
        throwError<InputError>(
            "{} balls were found, which do not lie as the {} of {} do. Check these places and "
            "their unit, mm; a list in which left and right are exchanged does not fit either.",
            balls(), knownMm.size(), name);
    std::vector<std::size_t> matched;
    for (std::size_t b = 0; b < balls(); ++b)
        if (match->known[b]) matched.push_back(b);
    arrange(matched);
    for (std::size_t b = 0; b < matched.size(); ++b) {
        m_known.push_back(*match->known[matched[b]]);
        m_bundle.balls.centersMm[b] = (1 / match->scale) * match->placedMm[m_known[b]];
        m_bundle.balls.radiiMm[b] /= match->scale;
    }
    m_bundle.geometry.cone().sourceToIsocenterMm /= match->scale;
    m_bundle.isRigid = true;
    m_bundle.isFree.fill(true);
    putInOrder();
    keepUndetermined();
    m_hasScale = m_bundle.isFree[kScaleNumber];
}

void CircleSolver::useLength(const KnownLength& length) {
    constexpr int kRounds = 4;
    constexpr double kSettled = 1e-9;
    MeasuredLength measured = measureLength(length, m_bundle.balls);
    const double ofKept = measureLength(length, m_whole.balls).mm / measured.mm - 1;
    for (int round = 0; round < kRounds; ++round) {
        const double scale = length.mm / measured.mm;
        m_bundle.geometry.cone().sourceToIsocenterMm *= scale;
        for (Vec3& center : m_bundle.balls.centersMm)
            center = scale * center;
        refit();
        measured = measureLength(length, m_bundle.balls);
        if (std::abs(length.mm / measured.mm - 1) < kSettled) break;
    }
    m_hasScale = true;
    const double ofPlaces =
        std::sqrt(m_fit.normal.varianceOf({{}, measured.slopes}) * m_fit.variance) / measured.mm;
    m_fit.deviations[kScaleNumber] = m_bundle.geometry.cone().sourceToIsocenterMm *
                                     std::hypot(ofPlaces, measured.relativeError, ofKept);
}

}  // namespace gantry
