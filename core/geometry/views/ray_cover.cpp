#include "core/geometry/views/ray_cover.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/geometry/scan_geometry.h"

namespace gantry {

namespace {

// The longest part of an arc over which measurements fade towards its end.
constexpr double kMaxFadeDeg = 60;
// How far beyond an arc its last view may stand for what nobody sees.
constexpr double kMaxSkirtDeg = 5;
// A step that is longer than this many usual ones is a gap.
constexpr double kMaxSteps = 3.001;
// Views that are nearer to the end of their arc than this many steps stand for what is beyond it:
// the last one, which is half a step from it, and not the one before.
constexpr double kAtEnd = 0.75;
// Rays that are missing over less than so many steps are between two views.
constexpr double kMaxMissedSteps = 1.5;
// Steps as long as this are gaps, whatever is usual.
constexpr double kMaxStepDeg = 30;

double square(double x) {
    return x * x;
}

double quarterSine(double share) {
    return square(std::sin(kPi / 2 * share));
}

// The step of a part that is coarser throughout: several in a row that would each be a gap. 0:
// there is none.
double coarserStepDeg(const std::vector<double>& sortedDeg, double stepDeg) {
    constexpr int kMinSteps = 5;
    double coarsest = 0;
    double smallest = kMaxStepDeg;
    int inRow = 0;
    for (std::size_t i = 1; i < sortedDeg.size(); ++i) {
        const double step = sortedDeg[i] - sortedDeg[i - 1];
        if (step == 0) continue;
        const bool isLong = step > kMaxSteps * stepDeg && step < kMaxStepDeg;
        inRow = isLong ? inRow + 1 : 0;
        smallest = isLong ? std::min(smallest, step) : kMaxStepDeg;
        if (inRow >= kMinSteps) coarsest = std::max(coarsest, smallest);
    }
    return coarsest;
}

// The step in which half of the angle is covered that is not in gaps, or that of a coarser part:
// one that is left out or repeated here and there changes nothing, nor do bursts of views.
double usualStepDeg(const std::vector<double>& sortedDeg) {
    std::vector<double> steps;
    for (std::size_t i = 1; i < sortedDeg.size(); ++i)
        if (const double step = sortedDeg[i] - sortedDeg[i - 1]; step < kMaxStepDeg)
            steps.push_back(step);
    std::ranges::sort(steps);
    const double half = std::accumulate(steps.begin(), steps.end(), 0.0) / 2;
    double sum = 0;
    for (const double step : steps)
        if ((sum += step) >= half && step > 0)
            return std::max(step, coarserStepDeg(sortedDeg, step));
    return (sortedDeg.back() - sortedDeg.front()) / static_cast<double>(sortedDeg.size() - 1);
}

// Length of the union of ranges of a circle.
double unionDeg(const std::vector<std::pair<double, double>>& ranges) {
    std::vector<std::pair<double, double>> within;
    for (const auto& [from, to] : ranges) {
        if (to - from >= 360) return 360;
        const double begin = from - 360 * std::floor(from / 360);
        const double end = begin + to - from;
        within.emplace_back(begin, std::min(end, 360.0));
        if (end > 360) within.emplace_back(0, end - 360);
    }
    std::ranges::sort(within);
    double covered = 0;
    double reached = 0;
    for (const auto& [from, to] : within) {
        covered += std::max(0.0, to - std::max(from, reached));
        reached = std::max(reached, to);
    }
    return covered;
}

// How far across the ray passes to the middle row, `columns` right of the middle: see rayAcross().
double acrossAtMiddleRow(const ScanGeometry& circle, double columns) {
    const ViewPose pose = viewPoseAt(circle, 0);  // u is x, and the beam runs along y
    const Vec3 pixel = pose.detectorCenterMm + columns * pose.uStepMm;
    if (pose.isParallel) return pixel.x;
    const Vec3 source = pose.sourceMm;
    return std::atan2(pixel.x - source.x, pixel.y - source.y) - std::atan2(-source.x, -source.y);
}

// Calls f with the angle's places on the line that are within [from, to].
template <typename F>
void forEachTurn(double angleDeg, double from, double to, const F& f) {
    for (double at = angleDeg + 360 * std::ceil((from - angleDeg) / 360); at <= to; at += 360)
        f(at);
}

}  // namespace

double rayAcross(const AlignedDetector& detector, double u) {
    if (detector.isParallel()) return detector.columnMm(u);
    return std::atan(detector.columnMm(u) / detector.distanceMm) -
           std::atan(detector.axisMm / detector.distanceMm);
}

double rayAcross(const ViewRays& rays, Index columns, double u) {
    const double uMm =
        (u - (static_cast<double>(columns) - 1) / 2) * rays.pitchMm[0] + rays.centerMm[0];
    if (std::isinf(rays.distanceMm)) return uMm;
    return std::atan2(uMm, rays.distanceMm) - std::atan2(rays.toAxisMm[0], rays.toAxisMm[2]);
}

std::string describe(const MissingRays& missing) {
    const std::string where =
        missing.fromMm > 0 ? fmt::format("at {:.3g} to {:.3g} mm", missing.fromMm, missing.toMm)
                           : fmt::format("within {:.3g} mm", missing.toMm);
    return fmt::format("rays that pass the rotation axis {} lack up to {:.3g}° of 360°", where,
                       missing.missingDeg);
}

RayCover::RayCover(const ScanGeometry& declared, const std::vector<Index>& leftOut,
                   std::array<Index, 2> columnsBeyond)
    : m_isParallel(declared.isParallel()),
      m_hasConjugates(!declared.isLaminography()),
      m_sharesRad(angularWeightsRad(declared, leftOut)) {
    m_axisDistanceMm = alignedDetector(declared).axisDistanceMm;
    const auto half = static_cast<double>(declared.detector.columns) / 2;
    const ScanGeometry circle = meanCircleOf(declared);
    m_reach = {-acrossAtMiddleRow(circle, -half - static_cast<double>(columnsBeyond[0])),
               acrossAtMiddleRow(circle, half + static_cast<double>(columnsBeyond[1]))};
    std::vector<bool> isLeftOut(m_sharesRad.size());
    for (const Index view : leftOut)
        isLeftOut[view] = true;
    std::vector<std::pair<double, std::size_t>> used;
    for (std::size_t s = 0; s < m_sharesRad.size(); ++s)
        if (!isLeftOut[s]) used.emplace_back(declared.angleDeg(static_cast<Index>(s)), s);
    if (used.size() < 2) return;
    std::ranges::sort(used);
    std::vector<double> sortedDeg;
    sortedDeg.reserve(used.size());
    for (const auto& [angle, view] : used)
        sortedDeg.push_back(angle);
    m_stepDeg = usualStepDeg(sortedDeg);
    makeArcs(sortedDeg);
    setFades();
    setShares(used);
    const bool isAsDeclared = leftOut.empty() && columnsBeyond == std::array<Index, 2>{0, 0};
    m_hasRing = isAsDeclared ? countsRing(declared) : RayCover(declared).m_hasRing;
}

// A turn measures all of it, however narrow it is. An open arc does not: there a narrow ring is no
// part of what one wants to see.
bool RayCover::countsRing(const ScanGeometry& declared) const {
    const double middle = (static_cast<double>(declared.detector.columns) - 1) / 2;
    if (!m_hasConjugates || std::abs(declared.axisColumn() - middle) < 0.5) return false;
    return ringDeg() <= kMaxMissedSteps * m_stepDeg || !seesBothSidesAlike();
}

bool RayCover::seesBothSidesAlike() const {
    constexpr double kAlike = 0.8;
    return std::min(m_reach[0], m_reach[1]) >= kAlike * std::max(m_reach[0], m_reach[1]);
}

// Joins the turn's end to its beginning where the step between them is a usual one.
void RayCover::makeArcs(const std::vector<double>& sortedDeg) {
    const double spanDeg = sortedDeg.back() - sortedDeg.front();
    m_turns = std::max(1, static_cast<int>(std::lround((spanDeg + m_stepDeg) / 360)));
    m_seamDeg = 360 * m_turns - spanDeg;
    const bool isJoined = m_seamDeg > -1e-9 * m_stepDeg && m_seamDeg <= kMaxSteps * m_stepDeg;
    m_seamDeg = isJoined ? std::max(0.0, m_seamDeg) : -1;  // a rounded turn is none too much
    double from = sortedDeg.front();
    for (std::size_t i = 1; i <= sortedDeg.size(); ++i) {
        const bool isLast = i == sortedDeg.size();
        if (!isLast && sortedDeg[i] - sortedDeg[i - 1] <= kMaxSteps * m_stepDeg) continue;
        m_arcs.push_back({from - m_stepDeg / 2, sortedDeg[i - 1] + m_stepDeg / 2, {}, {}, {}});
        if (!isLast) from = sortedDeg[i];
    }
    if (!isJoined) return;
    if (m_arcs.size() > 1) m_arcs.back().toDeg = m_arcs.front().toDeg + 360 * m_turns;
    m_arcs.erase(m_arcs.begin());
}

// A view at the end of an arc stands for half a step beyond it, whatever the list's mean step.
void RayCover::setShares(const std::vector<std::pair<double, std::size_t>>& sorted) {
    const std::size_t n = sorted.size();
    const auto stepAfter = [&](std::size_t i) {
        const double step = i + 1 < n        ? sorted[i + 1].first - sorted[i].first
                            : m_seamDeg >= 0 ? m_seamDeg
                                             : m_stepDeg;
        return step > kMaxSteps * m_stepDeg ? m_stepDeg : step;
    };
    for (std::size_t i = 0; i < n; ++i) {
        const double before = i > 0 ? stepAfter(i - 1) : m_seamDeg >= 0 ? m_seamDeg : m_stepDeg;
        const double after = stepAfter(i);
        m_stretches.push_back({sorted[i].first, before / 2, after / 2});
        const double share = radians((before + after) / 2);
        double& usual = m_sharesRad[sorted[i].second];
        if (std::abs(share - usual) > 1e-9 * radians(m_stepDeg)) usual = share;
        for (Arc& arc : m_arcs)
            for (const std::size_t end : {0U, 1U}) {
                const double at = end == 0 ? arc.fromDeg : arc.toDeg;
                if (std::abs(std::remainder(sorted[i].first - at, 360 * m_turns)) <
                    kAtEnd * m_stepDeg)
                    arc.shareAtEndDeg[end] += degrees(usual);
            }
    }
}

// How far the arc's end is covered by another one, or by the same arc a turn on; 0 if it is not.
double RayCover::overlapDeg(std::size_t arc, int end) const {
    const double at = end == 0 ? m_arcs[arc].fromDeg : m_arcs[arc].toDeg;
    double overlap = 0;
    for (std::size_t i = 0; i < m_arcs.size(); ++i)
        forEachTurn(at, m_arcs[i].fromDeg, m_arcs[i].toDeg, [&](double image) {
            if (i == arc && std::abs(image - at) < 180) return;
            const double within = end == 0 ? m_arcs[i].toDeg - image : image - m_arcs[i].fromDeg;
            overlap = std::max(overlap, within);
        });
    return overlap;
}

// From the arc's end to the nearest arc beyond it.
double RayCover::gapDeg(std::size_t arc, int end) const {
    const double at = end == 0 ? m_arcs[arc].fromDeg : m_arcs[arc].toDeg;
    double gap = 360;
    for (const Arc& other : m_arcs) {
        const double distance = end == 0 ? at - other.toDeg : other.fromDeg - at;
        gap = std::min(gap, distance - 360 * std::floor(distance / 360));
    }
    return gap;
}

double RayCover::coverageDeg() const {
    if (isClosed()) return 360.0 * m_turns;
    double sum = 0;
    for (const Arc& arc : m_arcs)
        sum += arc.toDeg - arc.fromDeg;
    return sum;
}

void RayCover::setFades() {
    for (std::size_t i = 0; i < m_arcs.size(); ++i)
        for (const int end : {0, 1}) {
            const auto e = static_cast<std::size_t>(end);
            const double overlap = overlapDeg(i, end);
            const bool isOverlapped = overlap > 1e-9 * m_stepDeg;
            m_arcs[i].fadeDeg[e] = isOverlapped ? std::min(kMaxFadeDeg, overlap) : kMaxFadeDeg;
            const double half = gapDeg(i, end) / 2;
            const double skirt = half <= kMaxSkirtDeg ? half : std::min(m_stepDeg, half);
            m_arcs[i].skirtDeg[e] = isOverlapped ? 0 : skirt;
        }
}

double RayCover::confidenceIn(const Arc& arc, double angleDeg) {
    return std::max(0.0, std::min({1.0, (angleDeg - arc.fromDeg) / arc.fadeDeg[0],
                                   (arc.toDeg - angleDeg) / arc.fadeDeg[1]}));
}

template <typename F>
void RayCover::forEachMeasurement(double angleDeg, const F& f) const {
    for (const Arc& arc : m_arcs)
        forEachTurn(angleDeg, arc.fromDeg - arc.skirtDeg[0], arc.toDeg + arc.skirtDeg[1],
                    [&](double at) { f(at, confidenceIn(arc, at)); });
}

// The sum over all turns; without arcs and skirts beside them nobody stands for this angle.
RayCover::Confidence RayCover::confidenceAt(double angleDeg) const {
    if (isClosed()) return {1, true};
    Confidence result;
    forEachMeasurement(angleDeg, [&](double, double confidence) {
        result.sum += confidence;
        result.hasView = true;
    });
    result.sum = std::min(1.0, result.sum);
    return result;
}

// The part of a ray's weight that this measurement has among those of all turns.
double RayCover::shareOfTurn(double angleDeg) const {
    if (isClosed()) return 1.0 / m_turns;
    double own = 0;
    double sum = 0;
    forEachMeasurement(angleDeg, [&](double at, double confidence) {
        if (std::abs(at - angleDeg) < 180) own = confidence;
        sum += confidence;
    });
    if (own == sum) return 1;
    double shares = 0;
    forEachMeasurement(angleDeg,
                       [&](double, double confidence) { shares += quarterSine(confidence / sum); });
    return quarterSine(own / sum) / shares;
}

// From the nearer edge; 0 beside the detector.
double RayCover::edgeDistance(double across) const {
    if (!m_hasConjugates) return 1;
    return std::max(0.0, std::min(m_reach[0] + across, m_reach[1] - across));
}

RayCover::Conjugate RayCover::conjugateOf(double angleDeg, double across) const {
    return {angleDeg + 180 - (m_isParallel ? 0 : 2 * degrees(across)), -across};
}

double RayCover::directionWeight(double angleDeg, double across) const {
    const Conjugate other = conjugateOf(angleDeg, across);
    const Confidence onThisSide = confidenceAt(angleDeg);
    const Confidence onTheOther = confidenceAt(other.angleDeg);
    const double here = onThisSide.sum * edgeDistance(across);
    const double there = onTheOther.sum * edgeDistance(other.across);
    if (here > 0) return here == there ? 0.5 : quarterSine(here / (here + there));
    // Nobody measures it, and views beside the gap, or single views that reach farther, share it.
    if (there > 0 || !onThisSide.hasView) return 0;
    const bool reachesFromTheOther = edgeDistance(other.across) > 0 || edgeDistance(across) == 0;
    return onTheOther.hasView && reachesFromTheOther ? 0.5 : 1;
}

double RayCover::weightAt(double angleDeg, double across) const {
    return shareOfTurn(angleDeg) * directionWeight(angleDeg, across);
}

// Where weights may change within a step.
bool RayCover::isNearAnEnd(double angleDeg) const {
    const double near = 2 * m_stepDeg;
    return std::ranges::any_of(m_arcs, [&](const Arc& arc) {
        return std::abs(std::remainder(angleDeg - arc.fromDeg, 360)) < near ||
               std::abs(std::remainder(angleDeg - arc.toDeg, 360)) < near;
    });
}

double RayCover::viewWeight(double angleDeg, double across) const {
    constexpr int kPoints = 8;
    if (isClosed()) return weightAt(angleDeg, across);
    double place = angleDeg;
    const Arc* arc = nullptr;
    for (const double turn : {0.0, 360.0 * m_turns})
        for (const Arc& each : m_arcs)
            if (!arc && angleDeg + turn >= each.fromDeg && angleDeg + turn <= each.toDeg) {
                arc = &each;
                place = angleDeg + turn;
            }
    if (!arc || (!isNearAnEnd(place) && !isNearAnEnd(conjugateOf(place, across).angleDeg)))
        return weightAt(place, across);
    const auto mean = [&](double from, double to) {
        double sum = 0;
        for (int i = 0; i < kPoints; ++i)
            sum += weightAt(from + (i + 0.5) / kPoints * (to - from), across);
        return sum / kPoints;
    };
    const Stretch stretch = stretchOf(angleDeg);
    double weight = mean(std::max(arc->fromDeg, place - stretch.beforeDeg),
                         std::min(arc->toDeg, place + stretch.afterDeg));
    const std::array<double, 2> gap = {arc->fromDeg - arc->skirtDeg[0], arc->toDeg};
    const std::array<double, 2> inwards = {place - arc->fromDeg, arc->toDeg - place};
    for (const std::size_t end : {0U, 1U})
        if (inwards[end] < kAtEnd * m_stepDeg)
            weight += arc->skirtDeg[end] / arc->shareAtEndDeg[end] *
                      mean(gap[end], gap[end] + arc->skirtDeg[end]);
    return weight;
}

// What the views at this angle stand for.
RayCover::Stretch RayCover::stretchOf(double angleDeg) const {
    const double same = 1e-9 * m_stepDeg;
    Stretch found = {angleDeg, 0, 0};
    for (auto next = std::lower_bound(
             m_stretches.begin(), m_stretches.end(), angleDeg - same,
             [](const Stretch&stretch, double angle) { return stretch.angleDeg < angle; });
         next != m_stretches.end() && next->angleDeg <= angleDeg + same; ++next) {
        found.beforeDeg = std::max(found.beforeDeg, next->beforeDeg);
        found.afterDeg = std::max(found.afterDeg, next->afterDeg);
    }
    return found;
}

// Degrees, of the 360 at which rays may pass the axis at this distance, that no view sees.
double RayCover::missingDeg(double across) const {
    std::vector<std::pair<double, double>> seen;
    const auto add = [&](double turnedDeg) {
        if (isClosed()) seen.emplace_back(0, 360);
        for (const Arc& arc : m_arcs)
            seen.emplace_back(arc.fromDeg - turnedDeg, arc.toDeg - turnedDeg);
    };
    if (!m_hasConjugates || across < m_reach[1]) add(0);
    if (m_hasConjugates && across < m_reach[0]) add(conjugateOf(0, across).angleDeg);
    return 360 - unionDeg(seen);
}

double RayCover::millimetres(double across) const {
    return m_isParallel ? across : m_axisDistanceMm * std::sin(across);
}

std::optional<MissingRays> RayCover::missing() const {
    constexpr int kRadii = 64;
    const double farther = std::max(m_reach[0], m_reach[1]);
    const double nearer = std::min(m_reach[0], m_reach[1]);
    MissingRays found;
    for (int i = 0; i < kRadii && nearer > 0; ++i) {
        const double across = (i + 0.5) / kRadii * farther;
        if (across > nearer && !m_hasRing) break;
        const double missing = missingDeg(across);
        if (missing <= kMaxMissedSteps * m_stepDeg) continue;
        if (found.missingDeg == 0) {
            found.fromMm = millimetres(i * farther / kRadii);
            found.isSeenByOneSide = across > nearer;
        }
        found.toMm = millimetres((i + 1) * farther / kRadii);
        found.missingDeg = std::max(found.missingDeg, missing);
    }
    if (found.missingDeg == 0) return std::nullopt;
    return found;
}

// Degrees that are missing beyond the nearer edge.
double RayCover::ringDeg() const {
    return missingDeg((m_reach[0] + m_reach[1]) / 2);
}

bool RayCover::reachesToFartherEdge() const {
    constexpr double kMaxMissingDeg = 60;
    return m_hasRing && std::min(m_reach[0], m_reach[1]) > 0 && ringDeg() <= kMaxMissingDeg;
}

}  // namespace gantry
