#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <memory>
#include <random>
#include <span>
#include <utility>
#include <vector>

#include "core/base/host_buffer.h"
#include "core/base/parallel.h"
#include "core/io/memory_source.h"
#include "core/phantom/analytic_projector.h"
#include "core/scan/open_scan.h"
#include "tests/support/counted_photons.h"
#include "tests/support/random_values.h"

namespace gantry::test {

/// Shifts of a view's picture along u and v, px.
using ShiftOfView = std::function<std::array<double, 2>(Index view)>;

/// Without symmetry, with edges in all directions, off the axis; within 75 mm of the origin.
[[nodiscard]] inline Phantom unevenBody() {
    const auto ellipsoid = [](Vec3 center, std::array<double, 3> halfAxes, double value) {
        PhantomShape shape;
        shape.centerMm = center;
        shape.halfAxesMm = halfAxes;
        shape.value = value;
        return shape;
    };
    return {
        "uneven body",
        {ellipsoid({4, -7, 3}, {50, 38, 44}, 0.01), ellipsoid({-15, 8, 12}, {12, 7, 18}, 0.02),
         ellipsoid({22, -12, -15}, {7, 15, 6}, -0.008), ellipsoid({10, 14, -24}, {5, 4, 9}, 0.03)}};
}

/// Views of 119 × 97 pixels that are wider than they are high, at the magnification 2.
[[nodiscard]] inline ScanGeometry driftGeometry(std::vector<double> anglesDeg) {
    ScanGeometry geometry;
    CircularCone& cone = geometry.cone();
    cone.sourceToIsocenterMm = 600;
    cone.sourceToDetectorMm = 1200;
    cone.views = std::ssize(anglesDeg);
    cone.anglesDeg = std::move(anglesDeg);
    geometry.detector = {.columns = 119, .rows = 97, .pitchMm = {2.2, 2.6}, .offsetMm = {5, -4}};
    return geometry;
}

[[nodiscard]] inline std::vector<double> evenAngles(Index views, double firstDeg, double arcDeg) {
    std::vector<double> angles;
    for (Index s = 0; s < views; ++s)
        angles.push_back(firstDeg + arcDeg * static_cast<double>(s) / static_cast<double>(views));
    return angles;
}

struct DriftedScan {
    ScanGeometry geometry;
    ShiftOfView shift = [](Index) { return std::array<double, 2>{0, 0}; };
    Phantom phantom = unevenBody();
    double photons = 10000;  ///< of the open beam, a pixel
    double pattern = 0;      ///< standard deviation of what each pixel, and each column, adds
    unsigned seed = 1;       ///< of the photons; the pattern is always the same
    Index blankView = -1;    ///< of the open beam alone
};

/// What each pixel, and each column, adds in all views: [v][u].
[[nodiscard]] inline std::vector<float> fixedPattern(const Detector& detector, double deviation) {
    std::mt19937 random(17);
    NormalValues<double> normal;
    std::vector<double> columns;
    for (Index u = 0; u < detector.columns; ++u)
        columns.push_back(deviation * normal(random));
    std::vector<float> pattern;
    for (Index v = 0; v < detector.rows; ++v)
        for (Index u = 0; u < detector.columns; ++u)
            pattern.push_back(static_cast<float>(columns[u] + deviation * normal(random)));
    return pattern;
}

/// Its line integrals, [s][v][u].
[[nodiscard]] inline HostBuffer<float> driftedPixels(const DriftedScan& scan) {
    const ScanGeometry& geometry = scan.geometry;
    const Detector& detector = geometry.detector;
    const Index pixels = detector.rows * detector.columns;
    const std::vector<float> pattern = fixedPattern(detector, scan.pattern);
    HostBuffer<float> views(geometry.views() * pixels);
    parallelFor(2, geometry.views(), 1, [&](Index begin, Index end, int) {
        for (Index s = begin; s < end; ++s) {
            const std::span<float> view = views.span().subspan(static_cast<std::size_t>(s * pixels),
                                                               static_cast<std::size_t>(pixels));
            ViewPose pose = viewPose(geometry, s);
            const auto [u, v] = scan.shift(s);
            pose.detectorCenterMm = pose.detectorCenterMm - u * pose.uStepMm - v * pose.vStepMm;
            projectPhantom(scan.phantom, pose, detector, {0, detector.rows}, view);
            if (s == scan.blankView) std::ranges::fill(view, 0.0F);
            for (Index i = 0; i < pixels; ++i)
                view[i] += pattern[i];
            countPhotons(view, scan.photons, scan.seed * 1000 + static_cast<unsigned>(s));
        }
    });
    return views;
}

/// The views of a scan in memory, opened.
class DriftedViews {
  public:
    explicit DriftedViews(const DriftedScan& scan)
        : m_pixels(driftedPixels(scan)),
          m_open(openScan(scan.geometry,
                          std::make_shared<MemorySource>(Span3<const float>(
                              m_pixels.data(), scan.geometry.views(), scan.geometry.detector.rows,
                              scan.geometry.detector.columns)))) {}

    [[nodiscard]] const OpenScan& scan() const { return m_open; }

  private:
    HostBuffer<float> m_pixels;
    OpenScan m_open;
};

}  // namespace gantry::test
