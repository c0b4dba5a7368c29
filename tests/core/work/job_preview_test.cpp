#include "core/work/job_preview.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "core/base/error.h"
#include "core/base/file.h"
#include "tests/support/small_job.h"
#include "tests/support/temporary_folder.h"

namespace gantry {
namespace {

namespace fs = std::filesystem;

// A volume's voxels that a preview of it would have.
Volume thinned(const Volume& volume) {
    VolumeSummary summary(volume.grid);
    const auto [nX, nY, nZ] = volume.grid.voxels;
    summary.add(0, {volume.voxels.data(), nZ, nY, nX}, test::kThreads);
    Volume thin{summary.previewGrid(), HostBuffer<float>(summary.previewGrid().count())};
    std::copy_n(summary.preview().data(), thin.voxels.count(), thin.voxels.data());
    return thin;
}

TEST(CoarseVolume, LiesWhereTheVolumeDoesAndLooksLikeIt) {
    const test::TemporaryFolder folder;
    SimulationSpec scan = test::smallScan(180, 140, 90, 410);
    scan.geometry.detector.offsetMm = {2.1, -5.3};
    const ScanFile file = test::simulated(scan, folder / "scan");
    JobSpec spec = test::jobOf(file, 139, folder / "v.mha");
    spec.volume.pitchMm[2] *= 0.7;
    spec.volume.centerMm = {2, -3, 5};
    const Volume expected = thinned(test::reconstructed(spec));
    const OpenScan opened = openScan(file);
    const auto preview = test::backends().cpu.makePreview(0);
    const HostBuffer<float> coarse =
        coarseVolume(opened, spec.filter, expected.grid, 60, *preview, {});
    // Streaks of a third of the views; a volume that is shifted by a voxel or mirrored differs by
    // more than half.
    Volume found{expected.grid, HostBuffer<float>(expected.grid.count())};
    std::copy_n(coarse.data(), coarse.count(), found.voxels.data());
    EXPECT_LT(test::relativeRmse(found, expected), 0.35);
}

class JobPreviewTest : public testing::Test {
  protected:
    JobPreviewTest() {
        m_spec = test::jobOf(test::simulated(test::smallScan(60, 64, 48, 410), m_folder / "scan"),
                             400, m_folder / "v.mha");
        m_spec.cpuKernel = kReferenceKernel;  // takes its time
        m_spec.threads = 1;
        m_spec.batchViews = 2;
        m_spec.memoryBytes = 0;
    }
    [[nodiscard]] fs::path preview() const {
        return jobFolderFor(m_spec.output.path) / "preview.mha";
    }

    test::TemporaryFolder m_folder;
    JobSpec m_spec;
};

TEST_F(JobPreviewTest, AShortJobHasNoneBeforeItsEnd) {
    m_spec.cpuKernel = kUsualCpuKernel;
    m_spec.volume = fitGrid(m_spec.scan.geometry, 130);
    bool isThere = false;
    (void)test::run(m_spec, {},
                    [&](const Progress&) { isThere = isThere || pathExists(preview()); });
    EXPECT_FALSE(isThere);
    EXPECT_TRUE(pathExists(preview()));
}

TEST_F(JobPreviewTest, ALongJobShowsTheWholeCoarselyWithinSecondsAndCanBeCancelled) {
    constexpr double kMaxSeconds = 100;  // under the thread sanitizer, beside other tests
    std::stop_source stop;
    EXPECT_THROW(test::run(m_spec, stop.get_token(),
                           [&](const Progress& progress) {
                               if (pathExists(preview()) || progress.elapsedSeconds > kMaxSeconds)
                                   stop.request_stop();
                           }),
                 Cancelled);
    ASSERT_TRUE(pathExists(preview()));
    const Volume coarse = readVolume(preview());
    const VolumeGrid grid = VolumeSummary::previewGridOf(m_spec.volume);
    EXPECT_EQ(coarse.grid.voxels, grid.voxels);
    EXPECT_LT(length(coarse.grid.originMm() - grid.originMm()), 1e-9);
    // Not what the job's unfinished volume has, which is nothing.
    const auto [low, high] =
        std::minmax_element(coarse.voxels.span().begin(), coarse.voxels.span().end());
    EXPECT_GT(*high, 0.005F);
    EXPECT_LT(*low, 0.005F);
}

TEST_F(JobPreviewTest, MemoryIsCountedWhereThereIsEnough) {
    EXPECT_GT(JobPreview::bytesNeeded(m_spec),
              2 * 4 * VolumeSummary::previewGridOf(m_spec.volume).count());
    EXPECT_LT(JobPreview::bytesNeeded(m_spec), 100'000'000);
    m_spec.memoryBytes = 400'000'000;
    EXPECT_EQ(JobPreview::bytesNeeded(m_spec), 0);
    m_spec.memoryBytes = 0;
    m_spec.volume = fitGrid(m_spec.scan.geometry, 128);
    EXPECT_EQ(JobPreview::bytesNeeded(m_spec), 0);
}

TEST_F(JobPreviewTest, SlicesOfSlabsThatAreKeptTakeItsPlace) {
    m_spec.volume = fitGrid(m_spec.scan.geometry, 256);
    const OpenScan scan = openScan(m_spec.scan);
    const JobDirectory directory = JobDirectory::create(jobFolderFor(m_spec.output.path), m_spec);
    EventLog events(directory.file("events.jsonl"));
    JobPlan plan = test::plannedJob(scan, m_spec, test::backends());
    plan.slabs.resize(2);
    plan.slabs[0].slices = {0, 100};
    plan.slabs[1].slices = {100, m_spec.volume.voxels[2]};
    plan.passes.resize(1);
    plan.passes[0].assignments = {{0, 0, 0, plan.views}, {0, 0, 1, plan.views}};
    VolumeSummary summary(m_spec.volume);
    JobPreview job({directory, events, scan, plan, summary, {}});
    job.take(TimelineSpan{0, "load", Stage::load, 0, 1'000'000, 0, 0, 1'000'000, 0});
    job.take(Progress{0.1, 10, 90, 0});
    job.make(test::backends().cpu, {});
    const Volume first = readVolume(preview());
    HostBuffer<float> slab(100 * 256 * 256);
    std::fill_n(slab.data(), slab.count(), 7.0F);
    summary.add(0, {slab.data(), 100, 256, 256}, test::kThreads);
    std::this_thread::sleep_for(std::chrono::milliseconds(1100));
    job.take(std::vector<Index>{0});
    const Volume second = readVolume(preview());
    int wrong = 0;
    for (Index i = 0; i < second.voxels.count(); ++i)
        wrong += second.voxels[i] != (i < 50 * 128 * 128 ? 7.0F : first.voxels[i]);
    EXPECT_EQ(wrong, 0);
    EXPECT_GT(*std::max_element(first.voxels.span().begin(), first.voxels.span().end()), 0.005F);
}

}  // namespace
}  // namespace gantry
