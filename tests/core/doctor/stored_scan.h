#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <random>

#include "core/base/host_buffer.h"
#include "core/base/parallel.h"
#include "core/io/memory_source.h"
#include "core/phantom/analytic_projector.h"
#include "core/phantom/phantom.h"
#include "core/scan/open_scan.h"
#include "tests/support/counted_photons.h"

namespace gantry::test {

/// How images come from a scanner.
struct Storage {
    bool mirrored = false;    ///< left to right
    bool upsideDown = false;  ///< beside what the scan says of its first row
    bool lastFirst = false;
    double photons = 20000;  ///< of the open beam, a pixel; 0: no noise
};

/// A full circle with an offset along v and a detector a little off along u, whose pixels are not
/// square.
[[nodiscard]] inline ScanGeometry obliqueScan() {
    ScanGeometry geometry;
    CircularCone& cone = geometry.cone();
    cone.sourceToIsocenterMm = 300;
    cone.sourceToDetectorMm = 550;
    cone.startDeg = 20;
    cone.views = 90;
    geometry.detector = {
        .columns = 65, .rows = 57, .pitchMm = {3.1, 2.8}, .offsetMm = {7.3, -18.0}};
    return geometry;
}

[[nodiscard]] inline PhantomShape ellipsoid(Vec3 center, std::array<double, 3> halfAxes,
                                            double value) {
    PhantomShape shape;
    shape.centerMm = center;
    shape.halfAxesMm = halfAxes;
    shape.value = value;
    return shape;
}

/// A Shepp-Logan head off the axis.
[[nodiscard]] inline Phantom headOffAxis() {
    return makePhantom("shepp-logan", {.scaleMm = 38, .centerMm = {5, -3, 8}, .density = 0.02});
}
/// Ellipsoids of random sizes and places.
[[nodiscard]] inline Phantom pebbles() {
    std::mt19937 random(5);
    std::uniform_real_distribution<double> place(-26, 26);
    std::uniform_real_distribution<double> size(2.5, 8);
    Phantom phantom{"pebbles", {}};
    for (int i = 0; i < 24; ++i)
        phantom.shapes.push_back(ellipsoid({place(random), place(random), 8 + place(random)},
                                           {size(random), size(random), size(random)}, 0.03));
    return phantom;
}
/// A foot, an upright and an arm with a hole: no two sides of it are alike.
[[nodiscard]] inline Phantom bracket() {
    return {"bracket",
            {ellipsoid({2, 4, -10}, {30, 18, 5}, 0.03), ellipsoid({-14, 4, 8}, {7, 14, 26}, 0.03),
             ellipsoid({6, -2, 25}, {22, 6, 5}, 0.03), ellipsoid({-14, 8, 10}, {4, 4, 6}, -0.02)}};
}
/// A cylinder about the rotation axis.
[[nodiscard]] inline Phantom roundPart() {
    PhantomShape cylinder = ellipsoid({0, 0, 0}, {28, 28, 300}, 0.02);
    cylinder.kind = PhantomShape::Kind::cylinder;
    return {"cylinder", {cylinder}};
}

/// Views in memory: taken with one geometry, stored in some way, declared in another.
class StoredScan {
  public:
    StoredScan(const Phantom& phantom, const ScanGeometry& truth, const Storage& storage = {})
        : m_truth(truth) {
        const Detector& detector = truth.detector;
        const Index pixels = detector.rows * detector.columns;
        const Index views = truth.views();
        m_pixels = HostBuffer<float>(views * pixels);
        parallelFor(2, views, 1, [&](Index begin, Index end, int) {
            for (Index s = begin; s < end; ++s) {
                const Index place = storage.lastFirst ? views - 1 - s : s;
                const std::span<float> view = m_pixels.span().subspan(
                    static_cast<std::size_t>(place * pixels), static_cast<std::size_t>(pixels));
                projectPhantom(phantom, viewPose(truth, s), detector, {0, detector.rows}, view);
                if (storage.photons > 0)
                    countPhotons(view, storage.photons, static_cast<unsigned>(s));
                for (Index v = 0; v < detector.rows && storage.mirrored; ++v)
                    std::reverse(view.begin() + v * detector.columns,
                                 view.begin() + (v + 1) * detector.columns);
                for (Index v = 0; v < detector.rows / 2 && storage.upsideDown; ++v)
                    std::swap_ranges(view.begin() + v * detector.columns,
                                     view.begin() + (v + 1) * detector.columns,
                                     view.begin() + (detector.rows - 1 - v) * detector.columns);
            }
        });
    }

    /// Opens the stored views with the geometry `usable`, which has no effect on what is read.
    [[nodiscard]] OpenScan open(const ScanGeometry& usable) const {
        const Detector& detector = m_truth.detector;
        return openScan(usable,
                        std::make_shared<MemorySource>(Span3<const float>(
                            m_pixels.data(), m_truth.views(), detector.rows, detector.columns)));
    }
    [[nodiscard]] const ScanGeometry& truth() const { return m_truth; }

  private:
    ScanGeometry m_truth;
    HostBuffer<float> m_pixels;
};

}  // namespace gantry::test
