#include <fmt/format.h>
#include <Eigen/QR>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/median.h"
#include "core/scan/inspect/ray_assumption.h"
#include "core/scan/inspect/sinogram_checks.h"

namespace gantry {

namespace {

// A view's line integrals about the mid-plane, less those of the air beside the object.
struct ViewMass {
    double angleRad = 0;
    double mass = 0;    // their sum
    double moment = 0;  // their sum with each times its column
};

ViewMass massOf(const PictureFacts& fact) {
    ViewMass sums = {.angleRad = fact.angleDeg * std::numbers::pi / 180};
    const auto columns = static_cast<double>(fact.middleRows.size());
    for (std::size_t u = 0; u < fact.middleRows.size(); ++u) {
        const auto column = static_cast<double>(u);
        const double air = std::lerp(fact.left.level, fact.right.level, column / (columns - 1));
        sums.mass += fact.middleRows[u] - air;
        sums.moment += (fact.middleRows[u] - air) * column;
    }
    return sums;
}

// A ray and its conjugate measure the same, at equal distances from the axis: over a turn, each
// view by the angle between its neighbours, the moments about the axis add up to 0.
double axisOfTurn(std::vector<ViewMass> views) {
    constexpr double kTurn = 2 * std::numbers::pi;
    for (ViewMass& view : views)
        view.angleRad -= kTurn * std::floor(view.angleRad / kTurn);
    std::ranges::sort(views, {}, &ViewMass::angleRad);
    double mass = 0;
    double moment = 0;
    for (std::size_t i = 0; i < views.size(); ++i) {
        const double before = i > 0 ? views[i - 1].angleRad : views.back().angleRad - kTurn;
        const double after =
            i + 1 < views.size() ? views[i + 1].angleRad : views.front().angleRad + kTurn;
        mass += (after - before) * views[i].mass;
        moment += (after - before) * views[i].moment;
    }
    return moment / mass;
}

// By parallel rays the centre of mass is seen to move along a sine about the axis.
double axisOfHalfTurn(const std::vector<ViewMass>& views) {
    const auto count = static_cast<Eigen::Index>(views.size());
    Eigen::MatrixX3d waves(count, 3);
    Eigen::VectorXd centers(count);
    for (Eigen::Index i = 0; i < count; ++i) {
        const ViewMass& view = views[i];
        waves.row(i) << 1, std::cos(view.angleRad), std::sin(view.angleRad);
        centers[i] = view.moment / view.mass;
    }
    return waves.colPivHouseholderQr().solve(centers)[0];
}

// Where all of an object is seen, its views weigh about the same.
bool areAlike(const std::vector<ViewMass>& views) {
    std::vector<double> masses;
    masses.reserve(views.size());
    for (const ViewMass& view : views)
        masses.push_back(view.mass);
    const double usual = medianOf(masses);
    return usual > 0 && std::ranges::all_of(masses, [usual](double mass) {
               return mass > usual / 2 && mass < 2 * usual;
           });
}

bool showsAll(const ScanGeometry& geometry, const std::vector<PictureFacts>& facts,
              double contrast) {
    if (!geometry.isFullCircle() && !geometry.isHalfCircle()) return false;
    return std::ranges::none_of(facts, [&](const PictureFacts& fact) {
        return isObject(fact.left, contrast) || isObject(fact.right, contrast);
    });
}

std::optional<double> axisByMoments(const ScanGeometry& geometry,
                                    const std::vector<PictureFacts>& facts) {
    std::vector<ViewMass> views;
    views.reserve(facts.size());
    for (const PictureFacts& fact : facts)
        views.push_back(massOf(fact));
    if (!areAlike(views)) return std::nullopt;
    const double seen =
        geometry.isFullCircle() ? axisOfTurn(std::move(views)) : axisOfHalfTurn(views);
    // All of an object that is seen turns about a column of the detector.
    const auto last = static_cast<double>(geometry.detector.columns - 1);
    return seen >= 0 && seen <= last ? std::optional(seen) : std::nullopt;
}

// How much rays differ, of what they vary by, if the axis is seen on this column.
struct ColumnTrial {
    double column = 0;
    double mismatch = 0;
    double squares = 0;  // of the differences
};

// Tries columns with one sinogram.
class ColumnTrials {
  public:
    ColumnTrials(const Sinogram& sinogram, const RayAssumption& assumed, double contrast)
        : m_sinogram(&sinogram),
          m_assumed(assumed),
          m_minVariance(std::max(std::pow(0.01 * contrast, 2), 20 * sinogram.noise())),
          m_minColumns(std::max<Index>(8, sinogram.binnedColumns() / 12)) {}

    // None where few columns overlap or show nothing.
    [[nodiscard]] std::optional<ColumnTrial> at(double column) const {
        RayAssumption assumed = m_assumed;
        assumed.axisColumn = column;
        const RayAgreement agreement = m_sinogram->agreement(assumed);
        if (agreement.columns < m_minColumns || agreement.variance < m_minVariance)
            return std::nullopt;
        return ColumnTrial{column, agreement.mismatch / agreement.variance, agreement.mismatch};
    }
    // From column to column of the detector, so many apart.
    [[nodiscard]] std::vector<ColumnTrial> over(double from, double to, double step) const {
        std::vector<ColumnTrial> all;
        for (double column = from; column <= to; column += step)
            if (const std::optional<ColumnTrial> trial = at(column)) all.push_back(*trial);
        return all;
    }
    // The same where what overlaps does not speak for the column: too little of it, or only air.
    [[nodiscard]] ColumnTrial stated() const {
        const RayAgreement agreement = m_sinogram->agreement(m_assumed);
        if (agreement.rays < m_sinogram->binnedColumns() / 2 || agreement.variance < m_minVariance)
            return {m_assumed.axisColumn, 2, m_minVariance};
        return {m_assumed.axisColumn, agreement.mismatch / agreement.variance, agreement.mismatch};
    }
    // Whether rays differ no more than by noise about the stated column, and vary by more.
    [[nodiscard]] bool isStatedSure() const {
        const RayAgreement agreement = m_sinogram->agreement(m_assumed);
        return agreement.variance > m_minVariance && agreement.mismatch < 3 * agreement.noise;
    }

  private:
    const Sinogram* m_sinogram;
    RayAssumption m_assumed;
    double m_minVariance;
    Index m_minColumns;
};

// The column about which rays agree clearly better than about any other; none if there is none.
std::optional<ColumnTrial> clearlyBestColumn(const Sinogram& sinogram, const RayAssumption& assumed,
                                             double contrast) {
    const Sinogram coarse = forSearches(sinogram);
    const auto step = static_cast<double>(coarse.binning());
    const auto last = static_cast<double>(sinogram.columns() - 1);
    const std::vector<ColumnTrial> all =
        ColumnTrials(coarse, assumed, contrast).over(0, last, step);
    if (all.empty()) return std::nullopt;
    const ColumnTrial best = *std::ranges::min_element(all, {}, &ColumnTrial::mismatch);
    const double apart = std::max(4 * step, static_cast<double>(sinogram.columns()) / 24);
    for (const ColumnTrial& other : all)
        if (std::abs(other.column - best.column) > apart && other.mismatch < 3 * best.mismatch)
            return std::nullopt;
    const ColumnTrials fine(sinogram, assumed, contrast);
    const auto fineStep = static_cast<double>(sinogram.binning()) / 10;
    const double halfCoarse = step / 2 + 2 * fineStep;
    const std::vector<ColumnTrial> near = fine.over(
        best.column - halfCoarse, best.column + halfCoarse, std::max(fineStep, step / 20));
    return near.empty()
               ? std::nullopt
               : std::optional(*std::ranges::min_element(near, {}, &ColumnTrial::mismatch));
}

std::optional<double> axisByRays(const ScanGeometry& geometry, const Sinogram& sinogram,
                                 double contrast) {
    constexpr double kAlike = 0.03;
    constexpr double kClearly = 0.2;
    const RayAssumption assumed = asStated(geometry);
    const ColumnTrials trials(sinogram, assumed, contrast);
    if (trials.isStatedSure()) return std::nullopt;
    const std::optional<ColumnTrial> seen = clearlyBestColumn(sinogram, assumed, contrast);
    if (!seen || seen->mismatch > kAlike) return std::nullopt;
    const ColumnTrial stated = trials.stated();
    const bool isClear =
        seen->mismatch < kClearly * stated.mismatch && seen->squares < kClearly * stated.squares;
    return isClear ? std::optional(seen->column) : std::nullopt;
}

// Whether conjugate rays agree about the stated column, or hardly better about this one.
bool doRaysObject(const ScanGeometry& geometry, const Sinogram& sinogram, double contrast,
                  double column) {
    const ColumnTrials trials(sinogram, asStated(geometry), contrast);
    if (trials.isStatedSure()) return true;
    const std::optional<ColumnTrial> there = trials.at(column);
    return there && there->mismatch > std::min(0.1, trials.stated().mismatch / 2);
}

// From here on edges come out double.
double maxOffColumns(const ScanGeometry& geometry) {
    return std::max(1.5, 0.002 * static_cast<double>(geometry.detector.columns));
}

// Whether the column is where the axis would be with the other sign of the detector's offset.
bool isAtOtherSign(const ScanGeometry& geometry, double column) {
    const auto columns = static_cast<double>(geometry.detector.columns);
    const double mirrored = columns - 1 - geometry.axisColumn();
    const double near = std::max(maxOffColumns(geometry), 0.02 * columns);
    return std::abs(column - mirrored) < near &&
           std::abs(geometry.axisColumn() - mirrored) > 3 * near;
}

}  // namespace

bool hasConjugateRays(const ScanGeometry& geometry) {
    // Between views that are farther apart, rays are no mean of those of both.
    constexpr double kMaxStepDeg = 8;
    return geometry.coverageDeg() <= kMaxStepDeg * static_cast<double>(geometry.views()) &&
           canHaveConjugateRays(geometry);
}

bool canHaveConjugateRays(const ScanGeometry& geometry) {
    constexpr double kMaxLeanDeg = 2;
    if (!geometry.hasAngles() || geometry.isLaminography()) return false;
    const Detector& detector = geometry.detector;
    if (std::max({std::abs(detector.rollDeg), std::abs(detector.tiltDeg),
                  std::abs(detector.slantDeg)}) > kMaxLeanDeg)
        return false;
    const double middle = geometry.midplaneRow();
    return geometry.isParallel() ||
           (middle >= 0 && middle <= static_cast<double>(detector.rows - 1));
}

RayAssumption asStated(const ScanGeometry& geometry) {
    RayAssumption assumed = {.axisColumn = geometry.axisColumn()};
    if (geometry.isCone())
        assumed.columnsAway = geometry.cone().sourceToDetectorMm / geometry.detector.pitchMm[0];
    return assumed;
}

Sinogram forSearches(const Sinogram& sinogram) {
    constexpr Index kColumns = 256;
    const Index factor = (sinogram.binnedColumns() + kColumns - 1) / kColumns;
    return factor > 1 ? sinogram.binned(factor) : sinogram;
}

std::optional<Problem> checkAxis(const ScanGeometry& geometry,
                                 const std::vector<PictureFacts>& facts, const Sinogram& sinogram,
                                 double contrast) {
    const bool hasRays = hasConjugateRays(geometry);
    const double stated = geometry.axisColumn();
    std::optional<double> seen;
    if (showsAll(geometry, facts, contrast)) {
        seen = axisByMoments(geometry, facts);
        if (seen && hasRays && doRaysObject(geometry, sinogram, contrast, *seen))
            return std::nullopt;
    } else if (hasRays) {
        seen = axisByRays(geometry, sinogram, contrast);
    }
    if (!seen || !(std::abs(*seen - stated) > maxOffColumns(geometry))) return std::nullopt;
    return Problem{
        Problem::Severity::warning, "detector.offsetMm[0]",
        fmt::format("the rotation axis is stated to be seen on column {:.1f}, and the views are "
                    "symmetrical about column {:.1f}{}; a wrong axis makes arcs and double edges. "
                    "`gantry align` or Align in the desktop finds it",
                    stated, *seen,
                    isAtOtherSign(geometry, *seen)
                        ? ", as if the sign of the detector's offset were reversed"
                        : "")};
}

std::optional<Problem> checkSense(const ScanGeometry& geometry, const Sinogram& sinogram,
                                  double contrast) {
    constexpr double kClearly = 0.2;
    if (!hasConjugateRays(geometry) || geometry.isParallel()) return std::nullopt;
    RayAssumption assumed = asStated(geometry);
    if (ColumnTrials(sinogram, assumed, contrast).isStatedSure()) return std::nullopt;
    const std::optional<ColumnTrial> onward = clearlyBestColumn(sinogram, assumed, contrast);
    assumed.sense = -1;
    const std::optional<ColumnTrial> backward = clearlyBestColumn(sinogram, assumed, contrast);
    if (!onward || !backward || backward->mismatch > 0.01 ||
        std::abs(onward->column - backward->column) > maxOffColumns(geometry) ||
        backward->squares > kClearly * onward->squares)
        return std::nullopt;
    const bool isMirror = isAtOtherSign(geometry, backward->column);
    const bool isElsewhere =
        std::abs(backward->column - assumed.axisColumn) > maxOffColumns(geometry);
    return Problem{
        Problem::Severity::warning,
        geometry.angles().anglesDeg.empty() ? "trajectory.arcDeg" : "trajectory.anglesDeg",
        fmt::format("rays are the same as those from the opposite side only if the gantry turned "
                    "the other way{} (they differ by {:.2g} then, and by {:.2g} as stated); {}",
                    isElsewhere ? fmt::format(", about column {:.1f} instead of {:.1f}",
                                              backward->column, assumed.axisColumn)
                                : "",
                    std::sqrt(backward->squares), std::sqrt(onward->squares),
                    isMirror ? "the images seem to be mirrored: check detector.mirrored"
                             : "change the sign of the angles, or check detector.mirrored")};
}

std::optional<Problem> checkTurning(const ScanGeometry& geometry,
                                    const std::vector<PictureFacts>& facts,
                                    const Sinogram& sinogram, double contrast) {
    if (auto arc = checkArc(geometry, sinogram)) return arc;
    if (auto ends = checkEnds(geometry, sinogram)) return ends;
    if (auto sense = checkSense(geometry, sinogram, contrast)) return sense;
    return checkAxis(geometry, facts, sinogram, contrast);
}

}  // namespace gantry
