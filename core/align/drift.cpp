#include "core/align/drift.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <iterator>
#include <map>
#include <numeric>
#include <utility>

#include "core/align/finding.h"
#include "core/align/monotone_curve.h"
#include "core/align/view_shift.h"
#include "core/base/parallel.h"
#include "core/base/text.h"
#include "core/base/this_machine.h"
#include "core/base/throw_error.h"
#include "core/geometry/views/projection_matrix.h"
#include "core/scan/stack/load_view_stack.h"

namespace gantry {

namespace {

// More columns are averaged; what that costs is less than noise takes.
constexpr Index kMaxDriftColumns = 1024;
constexpr Index kMinDriftRows = 48;
// Below, a view shows too little of the other one to be of the same object at the same angle.
constexpr double kMinLikeness = 0.5;

// Where a reference view lies among the views of a scan: on one, or between one and the next.
struct Place {
    Index view = 0;    // of the source
    double share = 0;  // of the next one
    [[nodiscard]] bool isBetween() const { return share > 0; }
};

class Angles {
  public:
    explicit Angles(const OpenScan& scan)
        : m_stepDeg(scan.description.geometry.coverageDeg() /
                    static_cast<double>(scan.description.geometry.views())) {
        for (Index s = 0; s < scan.source->info().views; ++s)
            m_deg.push_back(scan.description.geometry.angleDeg(scan.numberOf(s)));
    }

    // All places; several of a scan that goes round more than once.
    [[nodiscard]] std::vector<Place> placesOf(double angleDeg) const {
        // A view that is so little off shows no other picture.
        const double sameDeg = 0.02 * m_stepDeg;
        std::vector<Place> places;
        for (Index s = 0; s < std::ssize(m_deg); ++s) {
            const double off = offDeg(s, angleDeg);
            if (std::abs(off) <= sameDeg) places.push_back({s, 0});
            if (std::abs(off) <= sameDeg || s + 1 == std::ssize(m_deg)) continue;
            const double next = offDeg(s + 1, angleDeg);
            if (off * next < 0 && std::abs(next) > sameDeg &&
                std::abs(next - off) <= 1.5 * m_stepDeg)
                places.push_back({s, off / (off - next)});
        }
        return places;
    }
    [[nodiscard]] Index nearest(double angleDeg) const {
        Index best = 0;
        for (Index s = 1; s < std::ssize(m_deg); ++s)
            if (std::abs(offDeg(s, angleDeg)) < std::abs(offDeg(best, angleDeg))) best = s;
        return best;
    }
    [[nodiscard]] double offDeg(Index s, double angleDeg) const {
        return std::remainder(m_deg[s] - angleDeg, 360.0);
    }

  private:
    double m_stepDeg;
    std::vector<double> m_deg;
};

void requireSame(const OpenScan& scan, const OpenScan& reference) {
    const ScanGeometry& a = scan.description.geometry;
    const ScanGeometry& b = reference.description.geometry;
    const auto require = [&](const char* field, double ofScan, double ofReference) {
        if (std::abs(ofReference - ofScan) > 1e-6 * std::abs(ofScan))
            throwError<InputError>(
                "{}: {}: is {}, and {} has {}. Reference views are taken with the scan's detector "
                "and distances.",
                reference.description.path.string(), field, ofReference,
                scan.description.path.string(), ofScan);
    };
    require("detector.columns", static_cast<double>(a.detector.columns),
            static_cast<double>(b.detector.columns));
    require("detector.rows", static_cast<double>(a.detector.rows),
            static_cast<double>(b.detector.rows));
    if (!a.isCone() || !b.isCone()) return;
    require("detector.pitchMm[0]", a.detector.pitchMm[0], b.detector.pitchMm[0]);
    require("detector.pitchMm[1]", a.detector.pitchMm[1], b.detector.pitchMm[1]);
    require("trajectory.sourceToIsocenterMm", a.cone().sourceToIsocenterMm,
            b.cone().sourceToIsocenterMm);
    require("trajectory.sourceToDetectorMm", a.cone().sourceToDetectorMm,
            b.cone().sourceToDetectorMm);
}

StackRequest requestOf(const Detector& detector, std::vector<Index> chosen) {
    StackRequest request;
    request.chosen = std::move(chosen);
    request.rows = {0, detector.rows};
    const Index across = (detector.columns + kMaxDriftColumns - 1) / kMaxDriftColumns;
    request.binning = {across, std::clamp<Index>(detector.rows / kMinDriftRows, 1, across)};
    return request;
}

// One search: which views, their pictures, the shifts, the curve.
class DriftSearch {
  public:
    DriftSearch(const OpenScan& scan, const OpenScan& reference, const DriftOptions& options)
        : m_scan(scan), m_reference(reference), m_options(options) {}

    Drift run() {
        findPlaces();
        if (!m_places.empty()) measure();
        requirePoints();
        followPoints();
        refuseTwice();
        std::ranges::stable_sort(m_drift.points, {}, &DriftPoint::reference);
        return std::move(m_drift);
    }

  private:
    // A point whose views are to be compared.
    struct Compared {
        std::size_t point = 0;
        Index reference = 0;  // of the source
        Place place;
    };

    void findPlaces() {
        for (const LeftOutView& view : m_reference.leftOut) {
            DriftPoint point;
            point.reference = view.view;
            point.angleDeg = m_reference.description.geometry.angleDeg(view.view);
            point.fault = "holds no image that may be used";
            m_drift.points.push_back(point);
        }
        const Angles angles(m_scan);
        for (Index r = 0; r < m_reference.source->info().views; ++r) {
            DriftPoint point;
            point.reference = m_reference.numberOf(r);
            point.angleDeg = m_reference.description.geometry.angleDeg(point.reference);
            const std::vector<Place> places = angles.placesOf(point.angleDeg);
            for (const Place& place : places) {
                const auto number = static_cast<double>(m_scan.numberOf(place.view));
                const Index next = place.view + (place.isBetween() ? 1 : 0);
                point.view =
                    std::lerp(number, static_cast<double>(m_scan.numberOf(next)), place.share);
                m_places.push_back({m_drift.points.size(), r, place});
                m_drift.points.push_back(point);
            }
            if (!places.empty()) continue;
            const Index nearest = angles.nearest(point.angleDeg);
            point.fault = fmt::format(
                "lies {:.3g}° from the nearest view of the scan, {}, and between no two that "
                "follow each other",
                std::abs(angles.offDeg(nearest, point.angleDeg)), m_scan.numberOf(nearest));
            m_drift.points.push_back(point);
        }
    }

    void measure() {
        std::vector<Index> ofScan;
        std::vector<Index> ofReference;
        for (const Compared& one : m_places) {
            ofScan.push_back(one.place.view);
            if (one.place.isBetween()) ofScan.push_back(one.place.view + 1);
            ofReference.push_back(one.reference);
        }
        for (std::vector<Index>* views : {&ofScan, &ofReference}) {
            std::ranges::sort(*views);
            views->erase(std::unique(views->begin(), views->end()), views->end());
        }
        const Detector& detector = m_scan.description.geometry.detector;
        const StackRequest scanRequest = requestOf(detector, ofScan);
        const StackRequest referenceRequest = requestOf(detector, ofReference);
        requireMemory(2 * stackBytes(m_scan, scanRequest) +
                      stackBytes(m_reference, referenceRequest));
        const ViewPyramid scanViews(atPlaces(load(m_scan, scanRequest, 0), ofScan),
                                    m_options.threads);
        const ViewPyramid referenceViews(load(m_reference, referenceRequest, 0.25),
                                         m_options.threads);
        std::atomic<Index> done = 0;
        parallelFor(
            m_options.threads, std::ssize(m_places), 1,
            [&](Index begin, Index end, int) {
                for (Index i = begin; i < end; ++i) {
                    const Index fixed = placeIn(ofReference, m_places[i].reference);
                    take(m_drift.points[m_places[i].point],
                         shiftBetween(scanViews, i, referenceViews, fixed), scanRequest.binning);
                    progress(0.5 + 0.5 * static_cast<double>(++done) /
                                       static_cast<double>(m_places.size()));
                }
            },
            m_options.stop);
    }
    [[nodiscard]] ViewStack load(const OpenScan& scan, const StackRequest& request,
                                 double from) const {
        return loadViewStack(
            scan, request, m_options.threads,
            [&](double fraction) { progress(from + 0.25 * fraction); }, m_options.stop);
    }
    static Index placeIn(const std::vector<Index>& views, Index view) {
        return std::ranges::lower_bound(views, view) - views.begin();
    }
    // A view for each place. Between two views it is their mean by its share: what the object
    // turned by from one to the other is then on either side of it.
    [[nodiscard]] ViewStack atPlaces(const ViewStack& views,
                                     const std::vector<Index>& ofScan) const {
        ViewStack placed;
        placed.rows = views.rows;
        placed.columns = views.columns;
        placed.binning = views.binning;
        const Index pixels = views.rows * views.columns;
        placed.pixels = HostBuffer<float>(std::ssize(m_places) * pixels);
        for (Index i = 0; i < std::ssize(m_places); ++i) {
            const Place& place = m_places[i].place;
            const Index view = placeIn(ofScan, place.view);
            const float* first = views.pixels.data() + view * pixels;
            const float* next = place.isBetween() ? first + pixels : first;
            const auto share = static_cast<float>(place.share);
            placed.views.push_back(views.views[view]);
            for (Index p = 0; p < pixels; ++p)
                placed.pixels[i * pixels + p] = std::lerp(first[p], next[p], share);
        }
        return placed;
    }
    void progress(double fraction) const {
        if (m_options.onProgress) m_options.onProgress(fraction);
    }
    static void requireMemory(Index stacks) {
        // The coarser levels are a third, and a smoothed view is made beside itself.
        const Index needed = stacks + stacks / 2;
        const Index available = availableMemoryBytes();
        if (needed > available)
            throw ResourceError(
                fmt::format("Comparing the reference views with the scan needs {} of memory, and "
                            "{} are free.",
                            formatBytes(needed), formatBytes(available)));
    }

    static void take(DriftPoint& point, const ViewShift& shift,
                     const std::array<Index, 2>& binning) {
        for (const int axis : {0, 1}) {
            const auto pixels = static_cast<double>(binning[axis]);
            point.shiftPx[axis] = pixels * shift.px[axis];
            point.uncertaintyPx[axis] = pixels * shift.uncertaintyPx[axis];
        }
        const bool isBlurred = !std::ranges::any_of(point.uncertaintyPx,
                                                    [](double px) { return px <= kMinCertainPx; });
        if (!(shift.likeness >= kMinLikeness))
            point.fault = fmt::format(
                "shows another picture than view {:.6g} of the scan: {:.0f} % of the structure "
                "agrees",
                point.view, 100 * std::max(0.0, shift.likeness));
        else if (isBlurred)
            point.fault = fmt::format("does not tell the shift to {} px", kMinCertainPx);
    }

    void requirePoints() const {
        const std::size_t told = std::max(knots(0).size(), knots(1).size());
        if (told >= 2) return;
        const auto faulty = std::ranges::find_if(
            m_drift.points, [](const DriftPoint& p) { return !p.fault.empty(); });
        const std::string why = faulty == m_drift.points.end()
                                    ? std::string()
                                    : fmt::format(" View {} at {:.6g}° {}.", faulty->reference,
                                                  faulty->angleDeg, faulty->fault);
        throwError<InputError>(
            "{}: only {} of {} reference views tell how the scan drifted, and at least 2 at "
            "different angles are needed.{}",
            m_reference.description.path.string(), told, m_reference.source->info().views, why);
    }

    // Points at one view count together, by their uncertainties. Along one axis.
    [[nodiscard]] std::map<double, double> knots(int axis) const {
        struct Sum {
            double weight = 0;
            double shift = 0;
        };
        std::map<double, Sum> sums;
        for (const DriftPoint& point : m_drift.points) {
            if (!point.tells(axis)) continue;
            const double weight = 1 / std::pow(std::max(1e-4, point.uncertaintyPx[axis]), 2);
            Sum& sum = sums[point.view];
            sum.weight += weight;
            sum.shift += weight * point.shiftPx[axis];
        }
        std::map<double, double> means;
        for (const auto& [view, sum] : sums)
            means[view] = sum.shift / sum.weight;
        return means;
    }
    static MonotoneCurve curveOf(const std::map<double, double>& knots) {
        std::vector<double> x;
        std::vector<double> y;
        for (const auto& [view, shift] : knots) {
            x.push_back(view);
            y.push_back(shift);
        }
        return {std::move(x), std::move(y)};
    }
    // Each inner knot against the curve through the others.
    static double residualOf(const std::map<double, double>& knots) {
        double squares = 0;
        for (auto knot = std::next(knots.begin()); std::next(knot) != knots.end(); ++knot) {
            std::map<double, double> others = knots;
            others.erase(knot->first);
            squares += std::pow(curveOf(others).at(knot->first) - knot->second, 2);
        }
        return std::sqrt(squares / static_cast<double>(knots.size() - 2));
    }

    void followPoints() {
        m_drift.shiftsPx.resize(m_scan.description.geometry.views());
        for (const int axis : {0, 1}) {
            const std::map<double, double> points = knots(axis);
            m_drift.isFound[axis] = points.size() >= 2;
            if (!m_drift.isFound[axis]) continue;
            const MonotoneCurve curve = curveOf(points);
            for (Index s = 0; s < std::ssize(m_drift.shiftsPx); ++s)
                m_drift.shiftsPx[s][axis] = curve.at(static_cast<double>(s));
            if (points.size() > 2) m_drift.residualPx[axis] = residualOf(points);
            for (const DriftPoint& point : m_drift.points)
                if (point.tells(axis) && std::abs(point.shiftPx[axis]) >
                                             std::max(kMinDriftPx, 3 * point.uncertaintyPx[axis]))
                    m_drift.isSignificant = true;
        }
    }

    // A scan that was corrected has poses whose pictures lie, apart from a constant, where the
    // shifts have them; of calibrated ones the reference views have the same.
    void refuseTwice() const {
        const ScanGeometry& geometry = m_scan.description.geometry;
        if (!geometry.poses() || !m_drift.isSignificant) return;
        constexpr double kMaxShareLeft = 0.1;
        double shifts = 0;
        double left = 0;
        for (const int axis : {0, 1}) {
            std::vector<double> found;
            std::vector<double> rest;
            for (const DriftPoint& point : m_drift.points) {
                if (!point.tells(axis)) continue;
                found.push_back(point.shiftPx[axis]);
                rest.push_back(found.back() - offCirclePx(geometry, std::lround(point.view))[axis]);
            }
            shifts += scatter(found);
            left += scatter(rest);
        }
        if (left < kMaxShareLeft * shifts)
            throwError<InputError>(
                "{}: trajectory.poses: hold the shifts already that the reference views show. Take "
                "the scan as it was before.",
                m_scan.description.path.string());
    }
    // Where the view shows the origin, beside where the mean circle has it.
    static std::array<double, 2> offCirclePx(const ScanGeometry& geometry, Index view) {
        const auto seen = [&](const ViewPose& pose) {
            return projectionMatrix(pose, geometry.detector).project(0, 0, 0);
        };
        const ProjectionMatrix::Point is = seen(viewPose(geometry, view));
        const ProjectionMatrix::Point mean = seen(viewPoseAt(geometry, geometry.angleDeg(view)));
        return {is.u - mean.u, is.v - mean.v};
    }
    static double scatter(const std::vector<double>& values) {
        const auto n = static_cast<double>(std::max<std::size_t>(1, values.size()));
        const double mean = std::accumulate(values.begin(), values.end(), 0.0) / n;
        double squares = 0;
        for (const double value : values)
            squares += (value - mean) * (value - mean);
        return squares;
    }

    const OpenScan& m_scan;
    const OpenScan& m_reference;
    const DriftOptions& m_options;
    std::vector<Compared> m_places;
    Drift m_drift;
};

}  // namespace

bool DriftPoint::tells(int axis) const {
    return fault.empty() && uncertaintyPx[axis] <= kMinCertainPx;
}

Drift findDrift(const OpenScan& scan, const OpenScan& reference, const DriftOptions& options) {
    if (scan.description.geometry.isParallel())
        throwError<InputError>(
            "{}: trajectory.type: is parallel, whose views cannot be moved one by one; a cone or "
            "calibrated poses are needed to correct a drift.",
            scan.description.path.string());
    requireSame(scan, reference);
    return DriftSearch(scan, reference, options).run();
}

ScanGeometry withDrift(const ScanGeometry& geometry, const Drift& drift) {
    if (!drift.isSignificant) return geometry;
    std::vector<ViewPose> poses;
    poses.reserve(geometry.views());
    for (Index s = 0; s < geometry.views(); ++s) {
        ViewPose pose = viewPose(geometry, s);
        const auto [u, v] = drift.shiftsPx[s];
        // A picture that lies to the right is that of a detector to the left.
        pose.detectorCenterMm = pose.detectorCenterMm - u * pose.uStepMm - v * pose.vStepMm;
        poses.push_back(pose);
    }
    return geometryOfPoses(std::move(poses), geometry.detector.columns, geometry.detector.rows);
}

}  // namespace gantry
