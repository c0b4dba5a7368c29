#include "core/recon/iterative_run.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <mutex>
#include <vector>

#include "core/base/host_buffer.h"
#include "core/io/memory_source.h"
#include "core/io/volume/memory_sink.h"
#include "core/phantom/analytic_projector.h"
#include "core/phantom/phantom.h"
#include "tests/support/cpu_backends.h"

namespace gantry {
namespace {

constexpr Index kBallViews = 20;

// Views of a uniform ball of 0.02 /mm and 50 mm, off the middle.
class BallScan {
  public:
    BallScan() {
        m_geometry.cone().sourceToIsocenterMm = 600;
        m_geometry.cone().sourceToDetectorMm = 1200;
        m_geometry.cone().views = kBallViews;
        m_geometry.detector = {.columns = 45, .rows = 37, .pitchMm = {8, 8}, .offsetMm = {3, -2}};
        const Detector& detector = m_geometry.detector;
        m_views = HostBuffer<float>(kBallViews * detector.rows * detector.columns);
        const Phantom ball = {"ball",
                              {{PhantomShape::Kind::ellipsoid,
                                {5, -9, 3},
                                {50, 50, 50},
                                {Vec3{1, 0, 0}, Vec3{0, 1, 0}, Vec3{0, 0, 1}},
                                0.02}}};
        const Span3<float> views(m_views.data(), kBallViews, detector.rows, detector.columns);
        for (Index s = 0; s < kBallViews; ++s)
            projectPhantom(
                ball, viewPose(m_geometry, s), detector, {0, detector.rows},
                {views.row(s, 0), static_cast<std::size_t>(detector.rows * detector.columns)});
        request.volume = {{29, 31, 23}, {4, 4, 4}, {5, -9, 3}};
        request.threads = 2;
        request.method.method = Method::sirt;
        request.method.iterations = 8;
    }

    /// The volume that the method makes.
    std::vector<float> made(const RunObserver& observer = {}) {
        const Detector& detector = m_geometry.detector;
        const OpenScan scan =
            openScan(m_geometry, std::make_shared<MemorySource>(Span3<const float>(
                                     m_views.data(), kBallViews, detector.rows, detector.columns)));
        settleMethod(request);
        const Backends backends = test::backends();
        const JobPlan plan = test::planned(scan, request, backends);
        std::vector<float> volume(static_cast<std::size_t>(request.volume.count()));
        const auto [nX, nY, nZ] = request.volume.voxels;
        MemorySink sink({volume.data(), nZ, nY, nX});
        (void)reconstruct(scan, request, plan, backends, sink, observer, {});
        sink.finish();
        return volume;
    }

    ReconstructionRequest request;

  private:
    ScanGeometry m_geometry;
    HostBuffer<float> m_views;
};

float atVoxel(const std::vector<float>& volume, Index x, Index y, Index z) {
    return volume[static_cast<std::size_t>((z * 31 + y) * 29 + x)];
}

TEST(IterativeRun, MakesTheBallWithinBoundsAndTellsProgress) {
    BallScan ball;
    std::vector<Progress> told;
    std::vector<TimelineSpan> spans;
    std::mutex mutex;
    RunObserver observer;
    observer.progress = [&](const Progress& progress) { told.push_back(progress); };
    observer.span = [&](const TimelineSpan& span) {
        const std::scoped_lock lock(mutex);
        spans.push_back(span);
    };
    const std::vector<float> volume = ball.made(observer);
    // In the middle a coarse volume from 20 views is true to some percent.
    EXPECT_NEAR(atVoxel(volume, 14, 15, 11), 0.02, 0.001);
    EXPECT_NEAR(atVoxel(volume, 6, 15, 11), 0.02, 0.001);
    EXPECT_GE(*std::ranges::min_element(volume), 0);
    ASSERT_FALSE(told.empty());
    EXPECT_EQ(told.back().iteration, 8);
    EXPECT_EQ(told.back().iterations, 8);
    for (std::size_t i = 1; i < told.size(); ++i)
        EXPECT_GE(told[i].fraction, told[i - 1].fraction - 1e-12);
    const TimelineSummary summary = summarise(spans);
    for (const Stage stage : {Stage::load, Stage::project, Stage::backproject})
        EXPECT_GT(summary.stages[static_cast<std::size_t>(stage)].spans, 0) << name(stage);
}

TEST(IterativeRun, KeepsTheUpperBoundAndTheCylinder) {
    BallScan ball;
    ball.request.method.upperBound = 0.015;
    ball.request.method.mask = kCylinderMask;
    ball.request.volume = {{29, 31, 23}, {9, 9, 4}, {}};
    const std::vector<float> volume = ball.made();
    EXPECT_EQ(*std::ranges::max_element(volume), 0.015F);
    // The cylinder that all views see has a radius of about 90 mm; this corner is 180 mm off.
    EXPECT_EQ(atVoxel(volume, 0, 0, 11), 0);
}

}  // namespace
}  // namespace gantry
