#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "core/base/error.h"
#include "core/base/host_buffer.h"
#include "core/io/memory_source.h"
#include "core/io/volume/memory_sink.h"
#include "core/phantom/analytic_projector.h"
#include "core/phantom/phantom.h"
#include "core/recon/reconstruct.h"
#include "core/scan/corrected_scan.h"
#include "core/scan/held_views.h"
#include "tests/support/cpu_backends.h"

namespace gantry {
namespace {

constexpr int kThreads = 2;

ScanGeometry smallGeometry(double offsetMm) {
    ScanGeometry geometry;
    geometry.cone().sourceToIsocenterMm = 600;
    geometry.cone().sourceToDetectorMm = 1200;
    geometry.cone().views = 90;
    geometry.detector = {.columns = 61, .rows = 47, .pitchMm = {6, 6}, .offsetMm = {offsetMm, 9}};
    return geometry;
}

// A scan of a uniform ball, and the volume that its views are made into.
class InMemory {
  public:
    explicit InMemory(double offsetMm = 0) : InMemory(smallGeometry(offsetMm)) {}
    explicit InMemory(const ScanGeometry& geometry, const std::optional<VolumeGrid>& grid = {}) {
        const Detector& detector = geometry.detector;
        m_views = HostBuffer<float>(geometry.views() * detector.rows * detector.columns);
        const Span3<float> views = {m_views.data(), geometry.views(), detector.rows,
                                    detector.columns};
        const Phantom ball = {"ball",
                              {{PhantomShape::Kind::ellipsoid,
                                {},
                                {50, 50, 50},
                                {Vec3{1, 0, 0}, Vec3{0, 1, 0}, Vec3{0, 0, 1}},
                                0.02}}};
        for (Index s = 0; s < geometry.views(); ++s)
            projectPhantom(
                ball, viewPose(geometry, s), detector, {0, detector.rows},
                {views.row(s, 0), static_cast<std::size_t>(views.count() / views.size(0))});
        m_scan.emplace(openScan(geometry, std::make_shared<MemorySource>(views)));
        m_request.volume = grid ? *grid : fitGrid(geometry, 45);
        m_request.threads = kThreads;
        m_volume = HostBuffer<float>(m_request.volume.count());
    }

    [[nodiscard]] ReconstructionRequest& request() { return m_request; }
    [[nodiscard]] Span3<float> volume() {
        const auto [nX, nY, nZ] = m_request.volume.voxels;
        return {m_volume.data(), nZ, nY, nX};
    }

    /// Takes these rows for dead, in which all views are NaN.
    void spoilRows(IndexRange rows) {
        auto calibration = std::make_shared<DetectorCalibration>();
        calibration->rows = 47;
        calibration->columns = 61;
        calibration->bad = HostBuffer<unsigned char>(47 * 61);
        for (Index v = 0; v < 47; ++v)
            std::fill_n(calibration->bad.data() + v * 61, 61,
                        static_cast<unsigned char>(rows.contains(v) ? 1 : 0));
        for (Index s = 0; s < 90; ++s)
            std::fill_n(m_views.data() + (s * 47 + rows.begin) * 61, rows.size() * 61,
                        std::numeric_limits<float>::quiet_NaN());
        m_scan.emplace(
            openScan(m_scan->description.geometry,
                     std::make_shared<MemorySource>(Span3<const float>(m_views.data(), 90, 47, 61)),
                     ProjectionKind::attenuation, calibration));
    }

    InvalidPixels run(const RunObserver& observer = {}, const std::stop_token& stop = {}) {
        const Backends backends = test::backends();
        const OpenScan scan = corrected(*m_scan, m_request.corrections);
        const JobPlan plan = test::planned(scan, m_request, backends);
        slabs = plan.slabs.size();
        hostBytes = plan.hostBytes;
        MemorySink sink(volume());
        const InvalidPixels invalid =
            reconstruct(scan, m_request, plan, backends, sink, observer, stop);
        sink.finish();
        return invalid;
    }

    /// A pixel that is off in all views.
    void addStripe(Index row, Index column, float error) {
        for (Index s = 0; s < 90; ++s)
            m_views[(s * 47 + row) * 61 + column] += error;
    }

    std::size_t slabs = 0;
    Index hostBytes = 0;

  private:
    HostBuffer<float> m_views;
    std::optional<OpenScan> m_scan;
    ReconstructionRequest m_request;
    HostBuffer<float> m_volume;
};

TEST(InMemoryReconstruction, TellsProgressAndStagesAndMakesTheBall) {
    InMemory ball;
    std::vector<TimelineSpan> spans;
    std::mutex mutex;
    double fraction = 0;
    std::vector<Index> stored;
    RunObserver observer;
    observer.span = [&](const TimelineSpan& span) {
        const std::scoped_lock lock(mutex);
        spans.push_back(span);
    };
    observer.progress = [&](const Progress& progress) { fraction = progress.fraction; };
    observer.slabsStored = [&](const std::vector<Index>& slabs, const InvalidPixels&) {
        stored.insert(stored.end(), slabs.begin(), slabs.end());
    };
    const InvalidPixels invalid = ball.run(observer);
    EXPECT_EQ(invalid.pixels, 90 * 61 * 47);
    EXPECT_EQ(fraction, 1);
    EXPECT_EQ(stored, std::vector<Index>{0});
    const TimelineSummary summary = summarise(spans);
    for (const Stage stage : {Stage::load, Stage::filter, Stage::backproject, Stage::store})
        EXPECT_GT(summary.stages[static_cast<std::size_t>(stage)].spans, 0) << name(stage);
    // Every row of all views, 4 bytes a pixel, is read once.
    EXPECT_EQ(summary.stages[static_cast<std::size_t>(Stage::load)].bytes, 90 * 61 * 47 * 4);
    // Every voxel is stored once.
    EXPECT_EQ(summary.stages[static_cast<std::size_t>(Stage::store)].bytes,
              ball.volume().count() * 4);
    // In its middle a coarse scan of a uniform ball is true to about a percent.
    const Span3<float> volume = ball.volume();
    EXPECT_NEAR(volume(volume.size(0) / 2, 22, 22), 0.02, 0.0004);
}

TEST(InMemoryReconstruction, ExpectsTheRestOfAFlatVolumeAtTheThroughputSoFar) {
    InMemory ball;
    ball.request().volume.voxels[2] = 9;
    ball.request().batchViews = 9;
    std::optional<Progress> first;
    RunObserver observer;
    observer.progress = [&](const Progress& progress) {
        if (!first) first = progress;
    };
    (void)ball.run(observer);
    ASSERT_EQ(ball.slabs, 1U);
    ASSERT_TRUE(first);
    // The first of ten batches is always reported, and nine times as much is left.
    EXPECT_NEAR(first->fraction, 0.1, 1e-12);
    EXPECT_NEAR(first->leftSeconds / first->elapsedSeconds, 9, 1e-9);
}

TEST(InMemoryReconstruction, IsTheSameInSlabs) {
    InMemory whole(30);
    InMemory inSlabs(30);
    (void)whole.run();
    ASSERT_EQ(whole.slabs, 1U);
    inSlabs.request().memoryBytes = 65'000'000;
    (void)inSlabs.run();
    ASSERT_GT(inSlabs.slabs, 1U);
    double max = 0;
    for (Index i = 0; i < whole.volume().count(); ++i)
        max = std::max(max, std::abs(static_cast<double>(whole.volume().data()[i]) -
                                     static_cast<double>(inSlabs.volume().data()[i])));
    EXPECT_LT(max, 1e-7);  // rounding of single precision at 0.02 /mm
}

// Half a turn, half acquisition over a whole one, and an axis that leans on the detector: from the
// views to the volume as any other scan, in slabs too.
TEST(InMemoryReconstruction, ParallelBeamsMakeTheBall) {
    struct Beam {
        double arcDeg;
        double offsetMm;
        double rollDeg;
    };
    for (const Beam& c : {Beam{180, 0, 0}, {-180, 24, 0}, {360, 120, 0}, {180, 0, 2}}) {
        SCOPED_TRACE(c.offsetMm);
        ScanGeometry geometry = smallGeometry(c.offsetMm);
        auto& beam = geometry.trajectory.emplace<ParallelBeam>();
        beam.arcDeg = c.arcDeg;
        beam.views = 150;
        geometry.detector.rollDeg = c.rollDeg;
        InMemory ball(geometry, VolumeGrid{{45, 45, 31}, {4, 4, 4}, {0, 0, 9}});
        ball.request().memoryBytes = 65'000'000;
        (void)ball.run();
        // The ball has a radius of 50 mm: on the axis, 36 mm beside it, and outside, as above.
        EXPECT_NEAR(ball.volume()(13, 22, 22), 0.02, 0.0004);
        EXPECT_NEAR(ball.volume()(13, 13, 22), 0.02, 0.0004);
        EXPECT_NEAR(ball.volume()(13, 22, 5), 0, 0.0004);
        EXPECT_NEAR(ball.volume()(20, 22, 22), 0.02, 0.0004);
    }
}

TEST(InMemoryReconstruction, SeveralWorkAtOnceInOneProcess) {
    InMemory alone(12);
    (void)alone.run();
    std::vector<std::unique_ptr<InMemory>> together;
    std::vector<std::jthread> threads;
    for (int i = 0; i < 3; ++i)
        together.push_back(std::make_unique<InMemory>(12));
    for (const auto& one : together)
        threads.emplace_back([&one] { (void)one->run(); });
    threads.clear();
    for (const auto& one : together)
        EXPECT_TRUE(std::equal(one->volume().data(), one->volume().data() + one->volume().count(),
                               alone.volume().data()));
}

TEST(InMemoryReconstruction, RingsGoAlsoWhereMemoryAllowsFewRowsAtATime) {
    InMemory plain;
    (void)plain.run();
    const auto difference = [](InMemory& a, InMemory& b) {
        double sum = 0;
        for (Index i = 0; i < a.volume().count(); ++i)
            sum += std::pow(static_cast<double>(a.volume().data()[i]) -
                                static_cast<double>(b.volume().data()[i]),
                            2);
        return sum;
    };
    InMemory ring;
    ring.addStripe(24, 37, 0.3F);
    (void)ring.run();
    const double before = difference(ring, plain);
    ring.request().corrections.rings = {.method = RingMethod::sorting, .widthPx = 5};
    Index corrected = 0;
    std::mutex mutex;
    RunObserver observer;
    observer.span = [&](const TimelineSpan& span) {
        const std::scoped_lock lock(mutex);
        corrected += span.stage == Stage::correct ? 1 : 0;
    };
    const InvalidPixels invalid = ring.run(observer);
    EXPECT_EQ(invalid.pixels, 90 * 61 * 47);
    EXPECT_EQ(corrected, 3 + 1 + 3);  // blocks of 32 views, the rings of all, batches filled
    EXPECT_EQ(ring.slabs, 1U);
    // What is left is what the ball's edge loses by it.
    EXPECT_LT(difference(ring, plain), 0.3 * before);

    InMemory thin;
    thin.addStripe(24, 37, 0.3F);
    thin.request().corrections = ring.request().corrections;
    thin.request().memoryBytes = ring.hostBytes - 200'000;
    (void)thin.run();
    EXPECT_GT(thin.slabs, 1U);
    double worst = 0;
    for (Index i = 0; i < ring.volume().count(); ++i)
        worst = std::max(worst, static_cast<double>(
                                    std::abs(ring.volume().data()[i] - thin.volume().data()[i])));
    // Sums of 90 values of at most 0.02 in float; rows count from another one.
    EXPECT_LT(worst, 90 * 0.02 * 6e-8);
}

TEST(InMemoryReconstruction, HasNoFilesWhicheverGeometryItGets) {
    const ScanGeometry geometry = smallGeometry(0);
    const HostBuffer<float> pixels(geometry.views() * 47 * 61);
    const OpenScan scan = openScan(
        geometry, std::make_shared<MemorySource>(Span3<const float>(pixels.data(), 90, 47, 61)));
    EXPECT_TRUE(scan.files.empty());
    EXPECT_TRUE(withGeometry(scan, smallGeometry(3)).files.empty());
    EXPECT_EQ(withGeometry(scan, geometry, {4, 5}).leftOut.size(), 2U);
}

TEST(InMemoryReconstruction, TheNotesOfItsPlanAreSaid) {
    const ScanGeometry geometry = smallGeometry(0);
    const HostBuffer<float> pixels(geometry.views() * 47 * 61);
    const OpenScan scan = openScan(
        geometry, std::make_shared<MemorySource>(Span3<const float>(pixels.data(), 90, 47, 61)));
    JobPlan plan;
    plan.engine = EngineKind::cpu;
    plan.notes = {"GPU 3 was busy.", "Two slabs were made again."};
    EXPECT_EQ(notesOf(scan, plan),
              (std::vector<std::string>{scan.redundancy.reason, plan.notes[0], plan.notes[1]}));
}

TEST(InMemoryReconstruction, DeadRowsDoNotSpoilTheSlices) {
    for (const bool isCorrected : {false, true}) {
        InMemory ball;
        InMemory spoilt;
        if (isCorrected)
            for (InMemory* one : {&ball, &spoilt})
                one->request().corrections.zingers.ratio = 1e6;
        spoilt.spoilRows({20, 24});
        (void)ball.run();
        const InvalidPixels invalid = spoilt.run();
        EXPECT_EQ(invalid.bad, 90 * 4 * 61);
        const auto mean = [](InMemory& one, Index slice) {
            const Span3<float> volume = one.volume();
            double sum = 0;
            for (Index y = 20; y < 25; ++y)
                for (Index x = 20; x < 25; ++x)
                    sum += volume.row(slice, y)[x];
            return sum / 25;
        };
        for (Index slice = 12; slice < ball.volume().size(0) - 12; ++slice)
            EXPECT_NEAR(mean(spoilt, slice), mean(ball, slice), 0.0003) << slice;
    }
}

TEST(InMemoryReconstruction, StopsWhenAskedTo) {
    InMemory ball;
    std::stop_source stop;
    RunObserver observer;
    observer.span = [&](const TimelineSpan&) { stop.request_stop(); };
    EXPECT_THROW((void)ball.run(observer, stop.get_token()), Cancelled);
}

}  // namespace
}  // namespace gantry
