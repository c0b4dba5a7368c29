#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "core/io/memory_source.h"
#include "core/io/volume/memory_sink.h"
#include "core/iterate/iteration.h"
#include "core/metrics/image_error.h"
#include "core/phantom/analytic_projector.h"
#include "core/phantom/phantom.h"
#include "core/phantom/voxelise.h"
#include "core/project/cpu_projector.h"
#include "core/project/host_space.h"
#include "core/recon/reconstruct.h"
#include "tests/support/counted_photons.h"
#include "tests/support/cpu_backends.h"

namespace gantry {
namespace {

constexpr int kQualityThreads = 2;
constexpr Index kAcross = 96;     // voxels
constexpr double kRadiusMm = 80;  // of the head's unit
constexpr float kPhotons = 1e4F;

// Shepp and Logan's head with every ellipsoid drawn out along the axis, so that some slices of a
// cone beam show what a whole volume would.
Phantom drawnOutHead() {
    Phantom head = makePhantom("shepp-logan-toft", {.scaleMm = kRadiusMm, .centerMm = {}});
    for (PhantomShape& shape : head.shapes) {
        shape.kind = PhantomShape::Kind::cylinder;
        shape.centerMm.z = 0;
        shape.halfAxesMm[2] = 10 * kRadiusMm;
    }
    return head;
}

// A scan of few noisy views, and what is made of it.
class NoisyHead {
  public:
    NoisyHead(Index views, double arcDeg, double largestIntegral) {
        m_scan.cone().sourceToIsocenterMm = 600;
        m_scan.cone().sourceToDetectorMm = 1200;
        m_scan.cone().views = views;
        m_scan.cone().arcDeg = arcDeg;
        m_scan.detector.columns = 109;
        m_scan.detector.rows = 5;
        m_scan.detector.pitchMm = {3.7, 3.7};
        m_grid.voxels = {kAcross, kAcross, 7};
        m_grid.pitchMm = {1.85, 1.85, 1.85};
        makeViews(largestIntegral);
        m_truth.resize(m_grid.count());
        voxelisePhantom(m_head, m_grid, {0, m_grid.voxels[2]}, 3, kQualityThreads,
                        {m_truth.data(), m_grid.voxels[2], kAcross, kAcross});
        makeFdk();
    }

    [[nodiscard]] double psnrDb(const std::vector<float>& volume) const {
        const Index slice = kAcross * kAcross;
        const Span3<const float> image(volume.data() + 3 * slice, 1, kAcross, kAcross);
        const Span3<const float> truth(m_truth.data() + 3 * slice, 1, kAcross, kAcross);
        return imageError(image, truth).psnrDb;
    }

    /// dB over FDK.
    [[nodiscard]] double gainDb(const IterativeMethod& method, bool beginsWithFdk = true) const {
        const Subsets subsets(m_scan.views(), subsetCount(method, m_scan.views()));
        HostSpace space(projectedViews(m_scan), m_grid, subsets,
                        {.threads = kQualityThreads, .hasCounts = true},
                        [](ProjectedViews views, int threads) {
                            return makeCpuProjector(std::move(views), threads);
                        });
        space.setViews({0, m_scan.views()}, spanOf(m_views), spanOf(m_counts));
        const std::vector<unsigned char> mask = fieldOfViewMask(m_grid, fieldOfView(m_scan));
        space.setMask({mask.data(), 1, kAcross, kAcross});
        Iteration run(space, method);
        if (beginsWithFdk) space.write(run.volume(), 0, m_fdk);
        run.begin({});
        std::vector<float> volume(m_fdk.size());
        while (run.report().stop == StopReason::none)
            run.step({});
        space.read(run.volume(), 0, volume);
        return psnrDb(volume) - psnrDb(m_fdk);
    }

  private:
    [[nodiscard]] Span3<const float> spanOf(const std::vector<float>& views) const {
        return {views.data(), m_scan.views(), m_scan.detector.rows, m_scan.detector.columns};
    }

    void makeViews(double largestIntegral) {
        const Detector& detector = m_scan.detector;
        m_views.resize(m_scan.views() * detector.rows * detector.columns);
        for (Index s = 0; s < m_scan.views(); ++s)
            projectView(s);
        // Line integrals are linear in the head's values.
        const double density = largestIntegral / *std::max_element(m_views.begin(), m_views.end());
        for (PhantomShape& shape : m_head.shapes)
            shape.value *= density;
        for (float& p : m_views)
            p *= static_cast<float>(density);
        test::countPhotons(m_views, kPhotons, 7);
        for (const float p : m_views)
            m_counts.push_back(kPhotons * std::exp(-p));
    }

    // Pixels are as wide as their pitch: each is the mean of some rays.
    void projectView(Index s) {
        constexpr Index kRays = 4;
        Detector fine = m_scan.detector;
        fine.columns *= kRays;
        ViewPose pose = viewPose(m_scan, s);
        pose.uStepMm = (1.0 / kRays) * pose.uStepMm;
        std::vector<float> rays(static_cast<std::size_t>(fine.rows * fine.columns));
        projectPhantom(m_head, pose, fine, {0, fine.rows}, rays);
        const Index pixels = fine.rows * m_scan.detector.columns;
        for (Index i = 0; i < pixels; ++i)
            m_views[s * pixels + i] =
                std::accumulate(rays.begin() + i * kRays, rays.begin() + (i + 1) * kRays, 0.0F) /
                kRays;
    }

    // Clipped at zero, with Hann's window.
    void makeFdk() {
        const OpenScan scan = openScan(m_scan, std::make_shared<MemorySource>(spanOf(m_views)));
        ReconstructionRequest request;
        request.volume = m_grid;
        request.filter.window = FilterWindow::hann;
        request.threads = kQualityThreads;
        const Backends backends = test::backends();
        m_fdk.resize(m_grid.count());
        MemorySink sink({m_fdk.data(), m_grid.voxels[2], kAcross, kAcross});
        (void)reconstruct(scan, request, test::planned(scan, request, backends), backends, sink, {},
                          {});
        sink.finish();
        for (float& value : m_fdk)
            value = std::max(value, 0.0F);
    }

    ScanGeometry m_scan;
    VolumeGrid m_grid;
    Phantom m_head = drawnOutHead();
    std::vector<float> m_views;
    std::vector<float> m_counts;
    std::vector<float> m_truth;
    std::vector<float> m_fdk;
};

IterativeMethod acceleratedSirt() {
    return {.kind = Sirt{.isAccelerated = true}, .iterations = 20};
}

// With the weight that it finds itself.
IterativeMethod flattening() {
    return {.kind = TotalVariation{}, .iterations = 20};
}

// Limits are what iterative methods are asked to gain over FDK in such scans: of few noisy views
// ten decibels, of which slices of a head that is drawn out give half a one less than the whole.
TEST(ImageQualityOfMethods, FewNoisyViewsGainNearlyTenDecibels) {
    const NoisyHead head(60, 360, 4);
    EXPECT_GT(head.gainDb(acceleratedSirt()), 5);
    EXPECT_GT(head.gainDb(flattening()), 9.5);
    // Twenty iterations from nothing are worse than FDK, so that methods begin with it.
    EXPECT_LT(head.gainDb({.kind = Sirt{}}, false), 0);
}

TEST(ImageQualityOfMethods, ALimitedArcGainsFourDecibels) {
    const NoisyHead head(90, 140, 4);
    EXPECT_GT(head.gainDb(acceleratedSirt()), 2.5);
    EXPECT_GT(head.gainDb(flattening()), 4);
}

}  // namespace
}  // namespace gantry
