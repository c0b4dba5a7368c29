#include "core/live/live_slices.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>

#include "core/base/error.h"
#include "core/cpu/cpu_backend.h"
#include "core/io/volume/memory_sink.h"
#include "core/recon/reconstruct.h"
#include "core/scan/corrected_scan.h"
#include "tests/core/geometry/random_geometry.h"
#include "tests/support/cpu_backends.h"
#include "tests/support/expect_error.h"
#include "tests/support/live_scan.h"

namespace gantry {
namespace {

constexpr int kThreads = 2;
constexpr Index kMuch = 1'000'000'000;

using test::LiveScan;
using test::smallGeometry;

// All of the volume, as a job makes it: [z][y][x].
HostBuffer<float> volumeOf(const LiveScan& live, const SliceRequest& request,
                           const VolumeGrid& grid) {
    const OpenScan scan = openScan(request.geometry, live.source());
    ReconstructionRequest job;
    job.volume = grid;
    job.filter = request.filter;
    job.threads = kThreads;
    HostBuffer<float> voxels(grid.count());
    MemorySink sink({voxels.data(), grid.voxels[2], grid.voxels[1], grid.voxels[0]});
    const Backends backends = test::backends();
    (void)reconstruct(scan, job, test::planned(scan, job, backends), backends, sink, {}, {});
    sink.finish();
    return voxels;
}

class LiveSlicesTest : public testing::Test {
  protected:
    const LivePlace m_onDevice = {kMuch, LivePlace::Device{0, kMuch}};

    LiveSlices liveOf(const LiveScan& scan, const LivePlace& place = {kMuch, {}}) {
        LiveOptions options;
        options.threads = kThreads;
        options.place = place;
        options.makePreview = [] { return makeCpuPlanePreview(kThreads); };
        return {scan.scan(), options, {}};
    }
};

// The last pictures of a request against the same voxels of a whole volume: the largest difference
// over the volume's largest value.
double worstDifference(LiveSlices& live, const LiveScan& scan, const SliceRequest& request,
                       const VolumeGrid& grid, std::array<Index, 3> through) {
    const HostBuffer<float> voxels = volumeOf(scan, request, grid);
    const Index nX = grid.voxels[0];
    const Index nY = grid.voxels[1];
    const Index nZ = grid.voxels[2];
    const auto voxel = [&](Index x, Index y, Index z) { return voxels[(z * nY + y) * nX + x]; };
    float peak = 0;
    for (Index i = 0; i < voxels.count(); ++i)
        peak = std::max(peak, std::abs(voxels[i]));
    double worst = 1;
    live.render(request,
                [&](const SliceStep& step) {
                    if (!step.isFinal) return;
                    worst = 0;
                    const auto compare = [&](float picture, float wanted) {
                        worst =
                            std::max(worst, static_cast<double>(std::abs(picture - wanted) / peak));
                    };
                    const auto [x0, y0, z0] = through;
                    for (Index y = 0; y < nY; ++y)
                        for (Index x = 0; x < nX; ++x)
                            compare(step.pictures[0](0, y, x), voxel(x, y, z0));
                    for (Index z = 0; z < nZ; ++z)
                        for (Index x = 0; x < nX; ++x)
                            compare(step.pictures[1](0, z, x), voxel(x, y0, z));
                    for (Index z = 0; z < nZ; ++z)
                        for (Index y = 0; y < nY; ++y)
                            compare(step.pictures[2](0, z, y), voxel(x0, y, z));
                },
                {});
    return worst;
}

TEST_F(LiveSlicesTest, AreThoseOfAWholeReconstructionWhicheverFieldIsChanged) {
    const LiveScan scan;
    LiveSlices live = liveOf(scan);
    using Change = std::function<void(SliceRequest&, VolumeGrid&)>;
    const auto detector = [](const std::function<void(Detector&)>& change) -> Change {
        return [change](SliceRequest& r, VolumeGrid&) { change(r.geometry.detector); };
    };
    const auto cone = [](const std::function<void(CircularCone&)>& change) -> Change {
        return [change](SliceRequest& r, VolumeGrid&) { change(r.geometry.cone()); };
    };
    const std::vector<std::pair<std::string, Change>> changes = {
        {"nothing", [](SliceRequest&, VolumeGrid&) {}},
        {"centre", detector([](Detector& d) { d.offsetMm[0] = -2.7; })},
        {"offset along v", detector([](Detector& d) { d.offsetMm[1] = 6.1; })},
        {"offset detector", detector([](Detector& d) { d.offsetMm[0] = 61; })},
        {"pitch", detector([](Detector& d) {
             d.pitchMm = {2.1, 2.2};
         })},
        {"roll", detector([](Detector& d) { d.rollDeg = 1.3; })},
        {"tilt", detector([](Detector& d) { d.tiltDeg = -2; })},
        {"slant", detector([](Detector& d) { d.slantDeg = 2.4; })},
        {"SOD", cone([](CircularCone& c) { c.sourceToIsocenterMm = 530; })},
        {"SDD", cone([](CircularCone& c) { c.sourceToDetectorMm = 770; })},
        {"start", cone([](CircularCone& c) { c.startDeg = 33; })},
        {"direction", cone([](CircularCone& c) { c.arcDeg = -360; })},
        {"short scan", cone([](CircularCone& c) { c.arcDeg = 220; })},
        {"source offset", cone([](CircularCone& c) {
             c.sourceOffsetMm = {2, -3};
         })},
        {"parallel beam",
         [](SliceRequest& r, VolumeGrid&) {
             const GantryAngles angles = r.geometry.cone();
             r.geometry.trajectory = ParallelBeam{angles};
             r.geometry.detector.rollDeg = 1.3;
         }},
        {"parallel beam, tilted axis",
         [](SliceRequest& r, VolumeGrid&) {
             const GantryAngles angles = r.geometry.cone();
             r.geometry.trajectory = ParallelBeam{angles};
             r.geometry.detector.tiltDeg = 25;
         }},
        {"window",
         [](SliceRequest& r, VolumeGrid&) {
             r.filter = {FilterWindow::hann, 0.8};
         }},
        {"box",
         [](SliceRequest&, VolumeGrid& grid) {
             grid.centerMm = {7, -4, 3};
             grid.pitchMm = {1.1, 1.4, 0.9};
         }},
    };
    for (const auto& [name, change] : changes) {
        SliceRequest request = {scan.geometry(), {}, {}};
        VolumeGrid grid = fitGrid(scan.geometry(), 41);
        grid.voxels = {41, 39, 33};
        change(request, grid);
        const std::array<Index, 3> through = {22, 15, 12};
        for (const Plane& plane : orthogonalPlanes(grid, grid.positionMm(22, 15, 12)))
            request.planes.push_back(plane);
        // Sums of floats in another order.
        EXPECT_LT(worstDifference(live, scan, request, grid, through), 1e-5) << name;
    }
}

TEST_F(LiveSlicesTest, OfCalibratedPosesAreThoseOfAWholeReconstruction) {
    test::RandomGeometry random(2);
    const ScanGeometry geometry = random.jittered(smallGeometry(), 1, 0.5);
    const LiveScan scan(geometry);
    LiveSlices live = liveOf(scan);
    const VolumeGrid grid = fitGrid(geometry, 60);
    SliceRequest request = {geometry, {}, {}};
    for (const Plane& plane : orthogonalPlanes(grid, grid.positionMm(31, 28, 12)))
        request.planes.push_back(plane);
    EXPECT_LT(worstDifference(live, scan, request, grid, {31, 28, 12}), 1e-5);
    request.geometry.detector.offsetMm = {2.5, -1};
    request.geometry.detector.rollDeg = 1;
    EXPECT_LT(worstDifference(live, scan, request, grid, {31, 28, 12}), 1e-5);
    EXPECT_ERROR((void)liveOf(scan, {kMuch, LivePlace::Device{0, kMuch}}), ResourceError,
                 "A GPU makes no live slices of calibrated poses");
}

TEST_F(LiveSlicesTest, ComeCoarseAtFirst) {
    ScanGeometry geometry = smallGeometry();
    geometry.detector.columns = 300;
    geometry.detector.rows = 130;
    geometry.detector.pitchMm = {0.9, 1.2};
    const LiveScan scan(geometry);
    LiveSlices live = liveOf(scan);
    EXPECT_EQ(live.needs().binning, 1);
    const VolumeGrid grid = fitGrid(geometry, 120);
    SliceRequest request = {geometry, {}, {}};
    for (const Plane& plane : orthogonalPlanes(grid, {0, 0, 0}))
        request.planes.push_back(plane);
    std::vector<Index> binnings;
    std::vector<Index> widths;
    std::vector<double> means;
    live.render(request,
                [&](const SliceStep& step) {
                    binnings.push_back(step.binning);
                    widths.push_back(step.pictures[0].size(2));
                    const Span3<const float>& picture = step.pictures[0];
                    double sum = 0;
                    for (Index i = 0; i < picture.count(); ++i)
                        sum += static_cast<double>(picture.data()[i]);
                    means.push_back(sum / static_cast<double>(picture.count()));
                },
                {});
    EXPECT_EQ(binnings, (std::vector<Index>{4, 2, 1}));
    EXPECT_EQ(widths, (std::vector<Index>{30, 60, 120}));
    // The same object in the same place.
    EXPECT_NEAR(means[0], means[2], 0.03 * means[2]);
    EXPECT_NEAR(means[1], means[2], 0.03 * means[2]);
}

// The device's way, on the CPU's planes.
class LiveSlicesOnDeviceTest : public LiveSlicesTest {
  protected:
    // All steps' first pictures.
    static std::vector<std::vector<float>> steps(LiveSlices& live, const SliceRequest& request) {
        std::vector<std::vector<float>> all;
        live.render(request,
                    [&](const SliceStep& step) {
                        const Span3<const float>& picture = step.pictures[0];
                        all.emplace_back(picture.data(), picture.data() + picture.count());
                        EXPECT_EQ(step.binning, 1);
                    },
                    {});
        return all;
    }
    // ‖a − b‖/‖b‖
    static double difference(const std::vector<float>& a, const std::vector<float>& b) {
        double sum = 0;
        double norm = 0;
        for (std::size_t i = 0; i < b.size(); ++i) {
            sum += std::pow(static_cast<double>(a[i] - b[i]), 2);
            norm += std::pow(static_cast<double>(b[i]), 2);
        }
        return std::sqrt(sum / norm);
    }
    [[nodiscard]] SliceRequest obliqueRequest() const {
        SliceRequest request = {m_scan.geometry(), {}, {}};
        request.planes.push_back({{-50, -50, -8}, {100, 0, 13}, {0, 100, -5}, 101, 97});
        return request;
    }

    const LiveScan m_scan;
};

TEST_F(LiveSlicesOnDeviceTest, LieWhereANewGeometryHasThemBeforeTheyAreFilteredAnew) {
    LiveSlices live = liveOf(m_scan, m_onDevice);
    // All views, while a few of them are read.
    EXPECT_GE(live.needs().hostBytes, 60 * 67 * 141 * 4);
    EXPECT_LT(live.needs().hostBytes, 65 * 67 * 141 * 4);
    SliceRequest request = obliqueRequest();
    ASSERT_EQ(steps(live, request).size(), 1U);
    ASSERT_EQ(steps(live, request).size(), 1U) << "nothing is to be filtered";
    const auto change = [&](const char* what, double max,
                            const std::function<void(ScanGeometry&)>& edit) {
        const std::vector<float> before = steps(live, request).back();
        edit(request.geometry);
        const auto after = steps(live, request);
        ASSERT_EQ(after.size(), 2U) << what;
        const double moved = difference(before, after[1]);
        EXPECT_LT(difference(after[0], after[1]), max * moved) << what;
        EXPECT_GT(moved, 0.02) << what;
    };
    // Weights change near the detector's edges. Rows of a rolled or slanted detector are resampled
    // anew.
    change("centre", 0.2, [](ScanGeometry& g) { g.detector.offsetMm[0] = 7; });
    change("roll", 0.8, [](ScanGeometry& g) { g.detector.rollDeg = 4; });
    change("slant", 0.6, [](ScanGeometry& g) { g.detector.slantDeg = 8; });
    change("start", 0.02, [](ScanGeometry& g) { g.cone().startDeg = 10; });
    change("SOD", 0.1, [](ScanGeometry& g) { g.cone().sourceToIsocenterMm = 540; });
}

TEST_F(LiveSlicesOnDeviceTest, OfAnotherWidthAreShownOnceTheyAreFiltered) {
    LiveSlices live = liveOf(m_scan, m_onDevice);
    SliceRequest request = obliqueRequest();
    (void)steps(live, request);
    request.geometry.detector.offsetMm[0] = 61;
    EXPECT_EQ(steps(live, request).size(), 1U) << "an offset detector's views are padded";
    request.filter = {FilterWindow::hann, 0.7};
    EXPECT_EQ(steps(live, request).size(), 2U);
}

TEST_F(LiveSlicesOnDeviceTest, AreRightAgainAfterARequestThatWasDropped) {
    LiveSlices live = liveOf(m_scan, m_onDevice);
    SliceRequest request = obliqueRequest();
    (void)steps(live, request);
    std::stop_source stop;
    request.geometry.detector.rollDeg = 3;
    EXPECT_THROW(live.render(
                     request, [&](const SliceStep&) { stop.request_stop(); }, stop.get_token()),
                 Cancelled);
    request.geometry.detector.rollDeg = 2;
    const auto found = steps(live, request);
    LiveSlices fresh = liveOf(m_scan, m_onDevice);
    EXPECT_EQ(found.size(), 2U);
    EXPECT_EQ(found.back(), steps(fresh, request).back());
}

// What corrections need is taken while views are read, beside those of the finest level.
TEST_F(LiveSlicesTest, CountWhatTheCorrectionsOfTheViewsNeed) {
    const LiveScan scan;
    const auto needed = [&](const Corrections& corrections, int threads) {
        const OpenScan views = corrected(scan.scan(), corrections);
        return LiveSlices::needsOf(views, m_onDevice, threads).hostBytes;
    };
    const Index plain = needed({}, 1);
    Corrections rings;
    rings.rings.method = RingMethod::sorting;
    const Index viewsBytes = 60 * 67 * 141 * 4;
    for (const int threads : {2, 50})
        EXPECT_GE(needed(rings, threads),
                  viewsBytes + threads * RingRemover::workspaceBytes(rings.rings, 60, 141));
    Corrections phase;
    phase.phase = {20, 100, 100};
    for (const int threads : {1, 4})
        EXPECT_GE(needed(phase, threads),
                  plain + threads * PhaseRetriever::workspaceBytes(67, 141));
    // Where these do not fit, coarser views are held; whole ones are read for them all the same.
    const OpenScan views = corrected(scan.scan(), rings);
    const LivePlace tight = {needed(rings, 50) - 1, m_onDevice.device};
    EXPECT_EQ(LiveSlices::needsOf(views, tight, 50).binning, 2);
}

TEST_F(LiveSlicesTest, FitTheMemoryTheyMayTake) {
    const LiveScan scan;
    const LiveSlices::Needs all = LiveSlices::needsOf(scan.scan(), {kMuch, {}}, kThreads);
    EXPECT_EQ(all.binning, 1);
    EXPECT_GE(all.hostBytes, 2 * 60 * 67 * 141 * 4);
    const LiveSlices::Needs half =
        LiveSlices::needsOf(scan.scan(), {all.hostBytes - 1, {}}, kThreads);
    EXPECT_EQ(half.binning, 2);
    EXPECT_LT(half.hostBytes, all.hostBytes / 3);
    EXPECT_ERROR((void)LiveSlices::needsOf(scan.scan(), {1000, {}}, kThreads), ResourceError,
                 "may take 1.00 kB");
    EXPECT_ERROR(
        (void)LiveSlices::needsOf(scan.scan(), {kMuch, LivePlace::Device{0, 2000}}, kThreads),
        ResourceError, "of the GPU's memory, and may take 2.00 kB");

    LiveSlices live = liveOf(scan, {all.hostBytes - 1, {}});
    SliceRequest request = {scan.geometry(), {}, {}};
    request.planes.push_back(orthogonalPlanes(fitGrid(scan.geometry(), 41), {0, 0, 0})[0]);
    SliceStep last;
    live.render(request, [&](const SliceStep& step) { last = step; }, {});
    EXPECT_TRUE(last.isFinal);
    EXPECT_EQ(last.binning, 2);
    EXPECT_EQ(last.pictures[0].size(2), 41) << "as many pixels as the plane, from coarser views";
}

TEST_F(LiveSlicesTest, AreDroppedWhenNewerOnesAreWanted) {
    const LiveScan scan;
    LiveSlices live = liveOf(scan);
    SliceRequest request = {scan.geometry(), {}, {}};
    request.planes.push_back(orthogonalPlanes(fitGrid(scan.geometry(), 41), {0, 0, 0})[0]);
    std::stop_source stop;
    int steps = 0;
    const auto stopAtFirst = [&](const SliceStep&) {
        ++steps;
        stop.request_stop();
    };
    EXPECT_THROW(live.render(request, stopAtFirst, stop.get_token()), Cancelled);
    EXPECT_EQ(steps, 1);
    request.geometry.detector.offsetMm[0] = -2;
    live.render(request, [&](const SliceStep&) { ++steps; }, {});
    EXPECT_EQ(steps, 3) << "the next request is made whole";
}

TEST_F(LiveSlicesTest, RefuseAGeometryOfOtherViews) {
    const LiveScan scan;
    LiveSlices live = liveOf(scan);
    SliceRequest request = {scan.geometry(), {}, {}};
    const auto ignore = [](const SliceStep&) {};
    request.geometry.detector.columns = 142;
    EXPECT_ERROR(live.render(request, ignore, {}), InputError, "60 of 141 × 67");
    request.geometry = scan.geometry();
    request.geometry.cone().arcDeg = 8;
    EXPECT_ERROR(live.render(request, ignore, {}), InputError, "arc");
    request.geometry = scan.geometry();
    request.geometry.cone().sourceToDetectorMm = 0;
    EXPECT_ERROR(live.render(request, ignore, {}), InputError, "sourceToDetectorMm");
}

}  // namespace
}  // namespace gantry
