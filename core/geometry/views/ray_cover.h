#pragma once

#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/types.h"
#include "core/geometry/views/aligned_views.h"

namespace gantry {

/// How far across the ray through column u passes the rotation axis, positive towards larger u: for
/// a cone the angle at the source between the two, radians; for parallel rays the distance, mm.
/// The ray from the other side, its conjugate, has the opposite value.
[[nodiscard]] double rayAcross(const AlignedDetector& detector, double u);
/// The same on a view's own detector with `columns` columns, along its rows.
[[nodiscard]] double rayAcross(const ViewRays& rays, Index columns, double u);

/// Rays of the field of view that no view of a scan measures.
struct MissingRays {
    /// The most that one distance from the axis lacks, of the 360° in which rays pass there.
    double missingDeg = 0;
    double fromMm = 0;  ///< nearest and farthest of these rays, at the axis
    double toMm = 0;
    bool isSeenByOneSide = false;  ///< all are beyond the detector's nearer edge
};

/// "rays that pass the rotation axis at 9 to 25 mm lack up to 60° of 360°"
[[nodiscard]] std::string describe(const MissingRays& missing);

/// Which rays of a scan's plane its views measure, and how often: from the list of the gantry's
/// angles and from how far the detector reaches on both sides of the axis. The ray at gantry angle
/// β that passes the axis at `across` is measured again at β + 180° − 2·across with −across, and in
/// every further turn.
///
/// Views that follow each other at the usual step make an arc; each view stands for half a step to
/// either side. A gap of more than three steps, and an end of the scan, is the end of an arc.
/// Measurements of one ray share its weight of 1: each has a confidence that falls to 0 towards the
/// ends of its arc and towards the detector's edges, and of two with confidences a and b the first
/// weighs sin²(π/2·a/(a + b)). These are Parker's and Silver's weights in a short scan, Wang's for
/// an offset detector, one half each in a full circle.
/// A rolled, tilted or slanted detector counts as upright, calibrated poses as their mean circle.
/// About an axis that leans along the beam no ray is measured from the other side; there directions
/// share their weight.
/// Several threads may read it. Tests: tests/core/geometry/ray_cover_test.cpp
class RayCover {
  public:
    RayCover() = default;  ///< a full circle
    /// leftOut: numbers of views that are not used; columnsBeyond: that count as measured before
    /// the detector's first column and after its last one
    explicit RayCover(const ScanGeometry& declared, const std::vector<Index>& leftOut = {},
                      std::array<Index, 2> columnsBeyond = {0, 0});

    /// How far the detector's outer edges are from the axis, in terms of rayAcross(); one of them
    /// is negative if it misses the axis.
    [[nodiscard]] double reachBefore() const { return m_reach[0]; }
    [[nodiscard]] double reachAfter() const { return m_reach[1]; }
    /// Whether both sides of the axis see much the same: the nearer edge is at least 0.8 times as
    /// far from it as the farther one.
    [[nodiscard]] bool seesBothSidesAlike() const;
    /// Whether whole turns have no end: no measurement is special, and all views weigh the same.
    [[nodiscard]] bool isClosed() const { return m_arcs.empty(); }
    /// The angle covered, counting each view's share; above 360 if the scan goes on after a turn.
    [[nodiscard]] double coverageDeg() const;
    /// The usual step from view to view.
    [[nodiscard]] double stepDeg() const { return m_stepDeg; }
    /// Δβ of FDK for each declared view, radians; 0 for those left out.
    [[nodiscard]] const std::vector<double>& sharesRad() const { return m_sharesRad; }

    /// The weight of the ray at this gantry angle; the weights of all measurements of a ray sum
    /// to 1.
    [[nodiscard]] double weightAt(double angleDeg, double across) const;
    /// The sum of these weights over all turns; 0 where no view measures the ray from this side.
    [[nodiscard]] double directionWeight(double angleDeg, double across) const;
    /// The weight of a view's ray: the mean over the angles that the view stands for, and at the
    /// end of an arc also over a step beyond it, or half the gap if this is up to 10°, as far as no
    /// other view measures the ray.
    [[nodiscard]] double viewWeight(double angleDeg, double across) const;

    /// The rays that are missing most, if these are more than a step and a half. Beyond the nearer
    /// edge of the detector they count where all views of the scan, as it is described, measure all
    /// of them, or where the sides are not alike.
    [[nodiscard]] std::optional<MissingRays> missing() const;
    /// Whether the field of view goes to the detector's farther edge, because the axis is off its
    /// middle by half a column or more: if these rays count, and at most 60° of them are missing.
    /// Otherwise it goes to the nearer one. Never about an axis that leans along the beam.
    [[nodiscard]] bool reachesToFartherEdge() const;

  private:
    // The ends of an arc, and over what its measurements fade towards them.
    struct Arc {
        double fromDeg;
        double toDeg;
        std::array<double, 2> fadeDeg;   // at its beginning and end
        std::array<double, 2> skirtDeg;  // of the gap beyond, for which its last view may stand
        std::array<double, 2> shareAtEndDeg;  // of the views that do
    };
    // What a view stands for.
    struct Stretch {
        double angleDeg;
        double beforeDeg;  // half of the step to the previous view
        double afterDeg;
    };
    struct Confidence {
        double sum = 0;        // of all turns, up to 1
        bool hasView = false;  // that measures it or stands for it
    };
    struct Conjugate {
        double angleDeg;
        double across;
    };
    [[nodiscard]] Conjugate conjugateOf(double angleDeg, double across) const;
    void makeArcs(const std::vector<double>& sortedDeg);
    void setFades();
    void setShares(const std::vector<std::pair<double, std::size_t>>& sorted);
    [[nodiscard]] double overlapDeg(std::size_t arc, int end) const;
    [[nodiscard]] double gapDeg(std::size_t arc, int end) const;
    [[nodiscard]] static double confidenceIn(const Arc& arc, double angleDeg);
    template <typename F>
    void forEachMeasurement(double angleDeg, const F& f) const;
    [[nodiscard]] Confidence confidenceAt(double angleDeg) const;
    [[nodiscard]] double shareOfTurn(double angleDeg) const;
    [[nodiscard]] double edgeDistance(double across) const;
    [[nodiscard]] Stretch stretchOf(double angleDeg) const;
    [[nodiscard]] bool isNearAnEnd(double angleDeg) const;
    [[nodiscard]] double missingDeg(double across) const;
    [[nodiscard]] double ringDeg() const;
    [[nodiscard]] bool countsRing(const ScanGeometry& declared) const;
    [[nodiscard]] double millimetres(double across) const;

    bool m_isParallel = false;
    bool m_hasConjugates = true;
    bool m_hasRing = false;  // of rays beyond the nearer edge that count
    double m_axisDistanceMm = 0;
    std::array<double, 2> m_reach = {1, 1};
    double m_stepDeg = 0;
    int m_turns = 1;          // of closed ones
    double m_seamDeg = -1;    // the step from the last view to the first; negative for an open scan
    std::vector<Arc> m_arcs;  // none if the turns are closed
    std::vector<double> m_sharesRad;
    std::vector<Stretch> m_stretches;  // of the views that are used, by their angles
};

}  // namespace gantry
