#include "core/align/find_alignment.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "core/align/centre_from_rays.h"
#include "core/align/finders.h"
#include "core/align/mirrored_views.h"
#include "core/base/error.h"
#include "core/base/text.h"
#include "core/base/this_machine.h"
#include "core/scan/stack/load_view_stack.h"

namespace gantry {

namespace {

// For rays: as many views as there are, with the rows about the mid-plane.
constexpr Index kMaxRayViews = 1440;
constexpr Index kMaxRayColumns = 1024;
// For planes: enough views for many pairs; coarse, because noise affects the roll.
constexpr Index kMaxPlaneViews = 120;
constexpr Index kMaxPlaneColumns = 160;
// For slices: enough views to avoid streaks.
constexpr Index kMaxSliceViews = 360;
constexpr Index kMaxSliceColumns = 256;
// For pairs: the few that are closest to half a turn apart.
constexpr std::size_t kMaxPairs = 8;
constexpr Index kMaxPairRows = 32;
// Min rows of those views for the tilt.
constexpr Index kMinRows = 32;
// Min rows for the roll: of fewer, too few planes lie between the margins of PlaneIntegrals, and
// what their interpolation leaves passes for a roll.
constexpr Index kMinRollRows = 48;

constexpr const char* kTooFewRows = "the detector has too few rows to show how it is mounted";

// Square pixels, but of a detector with few rows these remain.
std::array<Index, 2> binningFor(const Detector& detector, Index maxColumns) {
    const Index across = std::max<Index>(1, (detector.columns + maxColumns - 1) / maxColumns);
    return {across, std::clamp<Index>(detector.rows / kMinRollRows, 1, across)};
}

StackRequest rayRequest(const OpenScan& scan) {
    const Detector& detector = scan.description.geometry.detector;
    StackRequest request;
    request.maxViews = kMaxRayViews;
    request.binning = binningFor(detector, kMaxRayColumns);
    const double reach = std::tan(radians(kRollRangeDeg + std::abs(detector.rollDeg))) *
                             static_cast<double>(detector.columns) / 2 * detector.pitchMm[0] /
                             detector.pitchMm[1] +
                         static_cast<double>(4 * request.binning[1]);
    const double middle = scan.description.geometry.midplaneRow();
    request.rows = {std::clamp<Index>(std::lround(middle - reach), 0, detector.rows),
                    std::clamp<Index>(std::lround(middle + reach) + 1, 0, detector.rows)};
    return request;
}

StackRequest wholeRequest(const OpenScan& scan, Index maxViews, Index maxColumns) {
    const Detector& detector = scan.description.geometry.detector;
    StackRequest request;
    request.maxViews = maxViews;
    request.binning = binningFor(detector, maxColumns);
    request.rows = {0, detector.rows};
    return request;
}

// Views half a turn apart, and those beside them.
struct PairRequest {
    StackRequest stack;
    std::vector<MirroredPair> pairs;  // places in the stack
};

PairRequest pairRequest(const OpenScan& scan) {
    const ScanGeometry& geometry = scan.description.geometry;
    PairRequest request;
    if (!geometry.isParallel() || geometry.isLaminography()) return request;
    std::vector<double> anglesDeg;
    for (Index s = 0; s < scan.source->info().views; ++s)
        anglesDeg.push_back(geometry.angleDeg(scan.numberOf(s)));
    request.pairs = mirroredPairs(anglesDeg, kMaxPairs);
    std::vector<Index>& chosen = request.stack.chosen;
    for (const MirroredPair& pair : request.pairs)
        chosen.insert(chosen.end(), {pair.view, pair.before.view, pair.after.view});
    std::sort(chosen.begin(), chosen.end());
    chosen.erase(std::unique(chosen.begin(), chosen.end()), chosen.end());
    for (MirroredPair& pair : request.pairs)
        for (Index* view : {&pair.view, &pair.before.view, &pair.after.view})
            *view = std::lower_bound(chosen.begin(), chosen.end(), *view) - chosen.begin();
    const Detector& detector = geometry.detector;
    request.stack.binning = {binningFor(detector, kMaxRayColumns)[0],
                             (detector.rows + kMaxPairRows - 1) / kMaxPairRows};
    request.stack.rows = {0, detector.rows};
    return request;
}

// One search, step by step: each begins with what those before have found.
class AlignmentSearch {
  public:
    AlignmentSearch(const OpenScan& scan, PlanePreview& preview, const AlignmentOptions& options)
        : m_scan(scan),
          m_preview(preview),
          m_options(options),
          m_declared(scan.description.geometry),
          m_matricesAt([this](const Misalignment& m) {
              return projectionMatrices(withMisalignment(m_declared, m));
          }) {}

    Alignment run() {
        m_found.centreColumn = m_declared.axisColumn();
        findCentre();
        if (!m_found.centre.isFound) {
            m_found.roll.reason = m_found.tilt.reason = "the centre of rotation was not found";
            return std::move(m_found);
        }
        m_about.centrePx = m_found.centre.value;
        if (m_options.findRoll) findRoll();
        refineCentre();
        if (m_options.findRoll) findTilt();
        return std::move(m_found);
    }

  private:
    [[nodiscard]] std::function<void(double)> progress(const char* what, double from,
                                                       double to) const {
        return [this, what, from, to](double fraction) {
            if (m_options.onProgress) m_options.onProgress(what, from + (to - from) * fraction);
        };
    }
    [[nodiscard]] ViewStack load(const StackRequest& request, const char* what, double from,
                                 double to) const {
        return loadViewStack(m_scan, request, m_options.threads, progress(what, from, to),
                             m_options.stop);
    }
    [[nodiscard]] double range() const {
        return m_options.centreRangePx > 0 ? m_options.centreRangePx
                                           : 0.1 * static_cast<double>(m_declared.detector.columns);
    }
    [[nodiscard]] Finding byRays(const Misalignment& about, double rangePx) const {
        return centreFromRays(m_band, m_matricesAt, about, rangePx, m_options.threads,
                              m_options.stop);
    }

    [[nodiscard]] bool isAskedFor(CentreFinder finder) const {
        return m_options.centreFinder == finder ||
               m_options.centreFinder == CentreFinder::automatic;
    }
    // Each finder where those before could not tell, whose reasons are kept.
    void findCentre() {
        std::string reasons;
        const auto ask = [&](CentreFinder finder, Finding (AlignmentSearch::*find)()) {
            if (m_found.centre.isFound || !isAskedFor(finder)) return;
            Finding found = (this->*find)();
            if (!found.isFound) reasons += (reasons.empty() ? "" : "; ") + found.reason;
            // Where none can tell, the last curve may be seen.
            if (found.tried.empty()) {
                found.tried = std::move(m_found.centre.tried);
                found.scores = std::move(m_found.centre.scores);
            }
            m_found.centre = std::move(found);
        };
        ask(CentreFinder::rays, &AlignmentSearch::centreByRays);
        m_raysTell = m_found.centre.isFound;
        if (m_declared.isParallel() || m_options.centreFinder == CentreFinder::pairs)
            ask(CentreFinder::pairs, &AlignmentSearch::centreByPairs);
        ask(CentreFinder::slices, &AlignmentSearch::centreBySlices);
        if (!m_found.centre.isFound) m_found.centre.reason = reasons;
    }
    [[nodiscard]] Finding centreByRays() {
        m_band = load(rayRequest(m_scan), "Reading the middle rows", 0, 0.2);
        smooth(m_band, kRaySmoothing, m_options.threads);
        return byRays(m_about, range());
    }
    [[nodiscard]] Finding centreByPairs() {
        const PairRequest request = pairRequest(m_scan);
        if (request.pairs.empty()) {
            Finding none;
            none.reason = m_declared.isParallel() && !m_declared.isLaminography()
                              ? "no two views are half a turn apart"
                              : "only the views of an upright parallel beam mirror each other";
            return none;
        }
        ViewStack views = load(request.stack, "Reading views half a turn apart", 0.2, 0.25);
        smooth(views, kRaySmoothing, m_options.threads);
        return centreFromPairs(views, request.pairs, m_matricesAt, m_about, range(),
                               m_options.threads, m_options.stop);
    }
    [[nodiscard]] Finding centreBySlices() {
        loadSlices(0.25, 0.4);
        if (!m_slices->showTheCentre()) {
            Finding none;
            none.reason = "slices behind an offset detector do not show the centre";
            return none;
        }
        return centreFromSlices(*m_slices, m_matricesAt, m_about, range(), m_sliceStepPx,
                                progress("Comparing slices", 0.4, 0.8), m_options.stop);
    }
    void loadSlices(double from, double to) {
        if (m_slices) return;
        const StackRequest request = wholeRequest(m_scan, kMaxSliceViews, kMaxSliceColumns);
        const ViewStack views = load(request, "Reading views", from, to);
        m_sliceStepPx = static_cast<double>(request.binning[0]);
        m_slices.emplace(m_declared, views, m_preview, m_options.stop);
    }

    void findRoll() {
        if (!hasRows(kMaxPlaneColumns, kMinRollRows)) {
            m_found.roll.reason = kTooFewRows;
            return;
        }
        const ViewStack views =
            load(wholeRequest(m_scan, kMaxPlaneViews, kMaxPlaneColumns), "Reading views", 0.8, 0.9);
        m_found.roll =
            rollFromPlanes(views, m_matricesAt, m_about, m_options.threads, m_options.stop);
        if (m_found.roll.isFound) m_about.rollDeg = m_found.roll.value;
    }

    // How it is mounted shows in rows far apart.
    [[nodiscard]] bool hasRows(Index maxColumns, Index fewest) const {
        const Detector& detector = m_declared.detector;
        return detector.rows / binningFor(detector, maxColumns)[1] >= fewest;
    }
    // A roll moves the rows that rays are seen on.
    void refineCentre() {
        if (!m_raysTell) return;
        const double nearPx = 5 * static_cast<double>(m_band.binning[0]);
        if (m_found.roll.isFound) {
            const Finding again = byRays(m_about, nearPx);
            if (again.isFound) {
                m_found.centre.value = again.value;
                m_found.centre.uncertainty = again.uncertainty;
            }
        }
        constexpr double kUnknownRollDeg = 0.5;
        const double rollDeg = m_found.roll.isFound ? m_found.roll.uncertainty : kUnknownRollDeg;
        m_found.centre.uncertainty =
            std::hypot(m_found.centre.uncertainty, effectOfRoll(rollDeg, nearPx));
        m_about.centrePx = m_found.centre.value;
    }
    // The effect that an error of the roll, either way, has on the centre.
    [[nodiscard]] double effectOfRoll(double errorDeg, double rangePx) const {
        Misalignment rolled = m_about;
        rolled.rollDeg = m_about.rollDeg + errorDeg;
        const Finding above = byRays(rolled, rangePx);
        rolled.rollDeg = m_about.rollDeg - errorDeg;
        const Finding below = byRays(rolled, rangePx);
        return above.isFound && below.isFound ? std::abs(above.value - below.value) / 2 : 0;
    }

    void findTilt() {
        progress("Comparing cross-sections", 0.9, 1)(0);
        if (hasRows(kMaxSliceColumns, kMinRows)) {
            loadSlices(0.9, 0.95);
            m_found.tilt = tiltFromStraightPart(*m_slices, m_matricesAt, m_about, m_options.stop);
        } else {
            m_found.tilt.reason = kTooFewRows;
        }
    }

    const OpenScan& m_scan;
    PlanePreview& m_preview;
    const AlignmentOptions& m_options;
    const ScanGeometry& m_declared;
    const MatricesAt m_matricesAt;
    Alignment m_found;
    Misalignment m_about;
    ViewStack m_band;  // the rows about the mid-plane, smoothed
    bool m_raysTell = false;
    double m_sliceStepPx = 1;
    std::optional<QuickSlices> m_slices;
};

}  // namespace

Index alignmentBytes(const OpenScan& scan, const AlignmentOptions& options) {
    const Index rays = stackBytes(scan, rayRequest(scan));
    const Index planes = stackBytes(scan, wholeRequest(scan, kMaxPlaneViews, kMaxPlaneColumns));
    const Index slices = stackBytes(scan, wholeRequest(scan, kMaxSliceViews, kMaxSliceColumns));
    const StackRequest pairs = pairRequest(scan).stack;
    const Index mirrored = pairs.chosen.empty() ? 0 : stackBytes(scan, pairs);
    // A plane's tables are as large as its views, or smaller; an offset detector's slices are
    // padded to twice the columns.
    return rays + mirrored + 3 * slices + (options.findRoll ? 2 * planes : 0);
}

Alignment findAlignment(const OpenScan& scan, PlanePreview& preview,
                        const AlignmentOptions& options) {
    const Index needed = alignmentBytes(scan, options);
    const Index available = availableMemoryBytes();
    if (needed > available)
        throw ResourceError(fmt::format("Aligning this scan needs {} of memory, and {} are free.",
                                        formatBytes(needed), formatBytes(available)));
    return AlignmentSearch(scan, preview, options).run();
}

ScanGeometry withMisalignment(const ScanGeometry& geometry, const Misalignment& misalignment) {
    ScanGeometry changed = geometry;
    Detector& detector = changed.detector;
    detector.offsetMm[0] -= misalignment.centrePx * detector.pitchMm[0];
    detector.rollDeg += misalignment.rollDeg;
    detector.tiltDeg += misalignment.tiltDeg;
    detector.slantDeg += misalignment.slantDeg;
    return changed;
}

ScanGeometry withAlignment(const ScanGeometry& geometry, const Alignment& alignment) {
    // A roll or tilt costs every view a resampling.
    const auto ofMounting = [](const Finding& finding) {
        return finding.isSignificant() ? finding.value : 0;
    };
    return withMisalignment(geometry, {alignment.centre.isFound ? alignment.centre.value : 0,
                                       ofMounting(alignment.roll), ofMounting(alignment.tilt)});
}

}  // namespace gantry
