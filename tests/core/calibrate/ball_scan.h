#pragma once

#include <cmath>
#include <memory>
#include <random>

#include "core/base/host_buffer.h"
#include "core/base/parallel.h"
#include "core/calibrate/calibrate.h"
#include "core/io/memory_source.h"
#include "core/phantom/analytic_projector.h"
#include "tests/support/counted_photons.h"

namespace gantry::test {

/// What a scanner truly is and what its scan.json says of it: a detector of odd sizes with pixels
/// that are no squares, off the middle.
struct BallScan {
    ScanGeometry truth;
    ScanGeometry declared;
    double photons = 10000;  ///< of the open beam, a pixel; 0: no noise
    double wobbleMm = 0;     ///< of source and detector, each on its own in every view

    BallScan() {
        CircularCone& cone = truth.cone();
        cone.sourceToIsocenterMm = 407;
        cone.sourceToDetectorMm = 683;
        cone.startDeg = 11;
        cone.views = 73;
        truth.detector = {.columns = 275,
                          .rows = 243,
                          .pitchMm = {0.8, 0.9},
                          .offsetMm = {4.1, -6.3},
                          .rollDeg = 0.8,
                          .tiltDeg = -1.1,
                          .slantDeg = 0.7};
        declared = truth;
        declared.cone().sourceToIsocenterMm = 400;
        declared.cone().sourceToDetectorMm = 700;
        declared.detector.offsetMm = {0, 0};
        declared.detector.rollDeg = declared.detector.tiltDeg = declared.detector.slantDeg = 0;
    }
    /// Turns both the true and the declared scan.
    void turnClockwise() { truth.cone().arcDeg = declared.cone().arcDeg = -360; }
};

/// The phantom turned and moved off the axis, as a person puts it there.
[[nodiscard]] inline Phantom putByHand(Phantom phantom) {
    const double a = radians(2), b = radians(23);
    const auto turned = [&](Vec3 p) {
        const Vec3 tilted = {p.x, std::cos(a) * p.y - std::sin(a) * p.z,
                             std::sin(a) * p.y + std::cos(a) * p.z};
        return Vec3{std::cos(b) * tilted.x - std::sin(b) * tilted.y,
                    std::sin(b) * tilted.x + std::cos(b) * tilted.y, tilted.z};
    };
    for (PhantomShape& shape : phantom.shapes) {
        shape.centerMm = turned(shape.centerMm) + Vec3{3.1, -2.2, 1.7};
        for (Vec3& axis : shape.axes)
            axis = turned(axis);
    }
    return phantom;
}

[[nodiscard]] inline std::vector<Vec3> ballsOf(const Phantom& phantom) {
    std::vector<Vec3> centers;
    for (const PhantomShape& shape : phantom.shapes)
        if (shape.kind == PhantomShape::Kind::ellipsoid) centers.push_back(shape.centerMm);
    return centers;
}

/// Its views, in memory, with the noise of counted photons.
class BallViews {
  public:
    BallViews(const Phantom& phantom, const BallScan& scan) {
        const Detector& detector = scan.truth.detector;
        const Index pixels = detector.rows * detector.columns;
        const Index views = scan.truth.views();
        m_pixels = HostBuffer<float>(views * pixels);
        parallelFor(2, views, 1, [&](Index begin, Index end, int) {
            for (Index s = begin; s < end; ++s) {
                const std::span<float> view = m_pixels.span().subspan(
                    static_cast<std::size_t>(s * pixels), static_cast<std::size_t>(pixels));
                integrate(phantom, scan, s, view);
                if (scan.photons > 0)
                    countPhotons(view, scan.photons, 5 + static_cast<unsigned>(s));
            }
        });
        m_source = std::make_shared<MemorySource>(
            Span3<const float>(m_pixels.data(), views, detector.rows, detector.columns));
        m_declared = scan.declared;
    }

    [[nodiscard]] BallCalibration calibrated(const CalibrationOptions& options = {}) const {
        return calibratedFrom(m_declared, options);
    }
    [[nodiscard]] BallCalibration calibratedFrom(const ScanGeometry& declared,
                                                 CalibrationOptions options) const {
        options.threads = 2;
        return calibrate(openScan(declared, m_source), options);
    }

  private:
    // A pixel counts what falls anywhere on it: rays through its four quarters.
    static void integrate(const Phantom& phantom, const BallScan& scan, Index s,
                          std::span<float> view) {
        const ScanGeometry& truth = scan.truth;
        ScanGeometry fine = truth;
        fine.detector.columns *= 2;
        fine.detector.rows *= 2;
        for (double& pitch : fine.detector.pitchMm)
            pitch /= 2;
        const Index columns = fine.detector.columns;
        std::vector<float> rays(static_cast<std::size_t>(columns * fine.detector.rows));
        ViewPose pose = viewPose(fine, s);
        std::mt19937 random(71 + static_cast<unsigned>(s));
        std::normal_distribution<double> wobble(0, scan.wobbleMm > 0 ? scan.wobbleMm : 1);
        if (scan.wobbleMm > 0)
            for (Vec3* place : {&pose.sourceMm, &pose.detectorCenterMm})
                *place = *place + Vec3{wobble(random), wobble(random), wobble(random)};
        projectPhantom(phantom, pose, fine.detector, {0, fine.detector.rows}, rays);
        for (Index v = 0; v < truth.detector.rows; ++v)
            for (Index u = 0; u < truth.detector.columns; ++u) {
                const float* const at = &rays[static_cast<std::size_t>(2 * v * columns + 2 * u)];
                const float passed = std::exp(-at[0]) + std::exp(-at[1]) + std::exp(-at[columns]) +
                                     std::exp(-at[columns + 1]);
                view[static_cast<std::size_t>(v * truth.detector.columns + u)] =
                    -std::log(passed / 4);
            }
    }

    HostBuffer<float> m_pixels;
    std::shared_ptr<MemorySource> m_source;
    ScanGeometry m_declared;
};

}  // namespace gantry::test
