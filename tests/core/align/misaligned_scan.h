#pragma once

#include <memory>
#include <optional>
#include <random>

#include "core/align/find_alignment.h"
#include "core/base/host_buffer.h"
#include "core/base/parallel.h"
#include "core/cpu/cpu_backend.h"
#include "core/io/memory_source.h"
#include "core/phantom/analytic_projector.h"
#include "tests/support/counted_photons.h"
#include "tests/support/random_values.h"

namespace gantry::test {

/// What a scanner made and what its scan.json says of it.
struct MisalignedScan {
    Index pixels = 128;  ///< columns of a detector 410 mm wide
    Index rows = 0;      ///< 0: as many
    Index views = 120;
    double arcDeg = 360;
    bool hasEnd = false;  ///< the last view is at the end of the arc, not a step before
    bool isParallel = false;
    double offsetMm = 0;     ///< of the detector, as declared
    double offsetVMm = 0;    ///< the same along v
    double centrePx = 0;     ///< the axis truly lies so much farther towards larger u
    double rollDeg = 0;      ///< true; declared as 0
    double tiltDeg = 0;      ///< true; declared as 0
    double axisErrorMm = 0;  ///< of the rotation axis itself, beside the line through the source
    double flatError = 0;    ///< standard deviation of each pixel's line integrals, in all views
    double photons = 10000;  ///< of the open beam, a pixel; 0: no noise

    [[nodiscard]] ScanGeometry declared() const {
        ScanGeometry geometry;
        CircularCone& cone = geometry.cone();
        cone.sourceToIsocenterMm = 600;
        cone.sourceToDetectorMm = 1200;
        cone.views = views;
        const auto n = static_cast<double>(views);
        cone.arcDeg = hasEnd ? arcDeg * n / (n - 1) : arcDeg;
        const double pitch = 410.0 / static_cast<double>(pixels);
        geometry.detector = {.columns = pixels,
                             .rows = rows > 0 ? rows : pixels,
                             .pitchMm = {pitch, pitch},
                             .offsetMm = {offsetMm, offsetVMm}};
        if (isParallel) {
            const GantryAngles angles = cone;
            geometry.trajectory = ParallelBeam{angles};
            for (double& mm : geometry.detector.pitchMm)
                mm /= 2;  // as the cone's pixels at the axis
        }
        return geometry;
    }
    [[nodiscard]] ScanGeometry truth() const {
        ScanGeometry geometry = withMisalignment(declared(), {centrePx, rollDeg, tiltDeg});
        // The world is where the axis is: source and detector lie beside it.
        if (geometry.isCone()) geometry.cone().sourceOffsetMm[0] -= axisErrorMm;
        geometry.detector.offsetMm[0] -= axisErrorMm;
        return geometry;
    }
};

/// Its views, in memory, with the noise of counted photons.
class ScannedViews {
  public:
    ScannedViews(const Phantom& phantom, const MisalignedScan& scan, unsigned seed = 1) {
        const ScanGeometry truth = scan.truth();
        const Detector& detector = truth.detector;
        const Index pixels = detector.rows * detector.columns;
        m_pixels = HostBuffer<float>(scan.views * pixels);
        parallelFor(2, scan.views, 1, [&](Index begin, Index end, int) {
            for (Index s = begin; s < end; ++s) {
                const std::span<float> view = m_pixels.span().subspan(
                    static_cast<std::size_t>(s * pixels), static_cast<std::size_t>(pixels));
                projectPhantom(phantom, viewPose(truth, s), detector, {0, detector.rows}, view);
                std::mt19937 random(17);
                NormalValues<float> error(static_cast<float>(scan.flatError));
                if (scan.flatError > 0)
                    for (float& p : view)
                        p += error(random);
                if (scan.photons > 0)
                    countPhotons(view, scan.photons, seed + static_cast<unsigned>(s));
            }
        });
        m_open.emplace(openScan(
            scan.declared(), std::make_shared<MemorySource>(Span3<const float>(
                                 m_pixels.data(), scan.views, detector.rows, detector.columns))));
    }

    [[nodiscard]] const OpenScan& scan() const { return *m_open; }

    [[nodiscard]] Alignment aligned(double rangePx = 0, bool findRoll = true,
                                    CentreFinder finder = CentreFinder::automatic) const {
        const auto preview = makeCpuPlanePreview(2);
        AlignmentOptions options;
        options.centreFinder = finder;
        options.centreRangePx = rangePx;
        options.findRoll = findRoll;
        options.threads = 2;
        return findAlignment(*m_open, *preview, options);
    }

  private:
    HostBuffer<float> m_pixels;
    std::optional<OpenScan> m_open;
};

/// A rod of uneven thickness about the axis, longer than what the detector sees.
[[nodiscard]] inline Phantom straightPart() {
    const auto cylinder = [](Vec3 center, double radiusX, double radiusY, double value) {
        PhantomShape shape;
        shape.kind = PhantomShape::Kind::cylinder;
        shape.centerMm = center;
        shape.halfAxesMm = {radiusX, radiusY, 400};
        shape.value = value;
        return shape;
    };
    return {"straight part",
            {cylinder({3, -5, 0}, 62, 48, 0.008), cylinder({20, 12, 0}, 14, 9, 0.012),
             cylinder({-25, -8, 0}, 8, 8, -0.008)}};
}

}  // namespace gantry::test
