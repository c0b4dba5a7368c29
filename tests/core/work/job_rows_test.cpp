#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "core/base/file.h"
#include "core/work/settled_spec.h"
#include "tests/support/cpu_device.h"
#include "tests/support/expect_error.h"
#include "tests/support/small_job.h"
#include "tests/support/temporary_folder.h"

namespace gantry {
namespace {

namespace fs = std::filesystem;

// Single-precision sums of the same terms in another order differ by so much.
constexpr double kRounding = 1e-6;
// What a resampling changes on pixels as coarse as these.
constexpr double kResampled = 5e-3;

// A job of a scan whose detector is rolled and tilted, on one thread or on emulated devices.
class JobRows : public testing::Test {
  protected:
    void SetUp() override {
        SimulationSpec scan = test::smallScan(45, 90, 83, 410);
        scan.geometry.detector.rollDeg = 2.1;
        scan.geometry.detector.tiltDeg = -1.3;
        m_spec = test::jobOf(test::simulated(scan, m_folder / "scan"), 57, m_folder / "volume.mha");
        m_spec.batchViews = 8;
        m_devices = test::backends();
        m_devices.gpu = test::cpuDevices({{1e9}, {2e9}}, m_log);
    }

    Volume made(const Backends& backends, std::optional<FilterRows> rows, JobResult& result) {
        m_spec.rows = rows;
        result = test::runWith(backends, m_spec);
        return readVolume(m_spec.output.path);
    }
    Volume made(const Backends& backends, std::optional<FilterRows> rows) {
        JobResult result;
        return made(backends, rows, result);
    }

    test::TemporaryFolder m_folder;
    test::CpuDeviceLog m_log;
    JobSpec m_spec;
    Backends m_devices;
};

TEST_F(JobRows, AreTheDetectorsOwnOnTheCpuAndUprightOnGpusUnlessAsked) {
    const Volume own = made(test::backends(), FilterRows::own);
    const Volume upright = made(test::backends(), FilterRows::upright);
    EXPECT_GT(test::relativeRmse(upright, own), kResampled);
    JobResult result;
    EXPECT_EQ(test::relativeRmse(made(test::backends(), {}, result), own), 0);
    EXPECT_TRUE(test::isNoted(result, "none is resampled"));
    EXPECT_LE(test::relativeRmse(made(m_devices, {}, result), upright), kRounding);
    EXPECT_TRUE(test::isNoted(result, "resampled onto an upright detector"));
    EXPECT_TRUE(result.engine.find("tile") != std::string::npos) << result.engine;
    EXPECT_LE(test::relativeRmse(made(m_devices, FilterRows::own, result), own), kRounding);
    EXPECT_TRUE(test::isNoted(result, "a kernel that takes any pose"));
    EXPECT_TRUE(result.engine.find("standard") != std::string::npos) << result.engine;
}

TEST_F(JobRows, OfAnInterruptedJobAreTheSameWhateverResumesIt) {
    const Volume upright = made(m_devices, {});
    m_spec.output.path = m_folder / "interrupted.mha";
    m_spec.rows.reset();
    for (m_spec.deviceMemoryBytes = 1'000'000'000;
         test::plannedJob(openScan(m_spec.scan, {}, BadViews::refuse, FilterRows::upright), m_spec,
                          m_devices)
             .slabs.size() < 8;)
        m_spec.deviceMemoryBytes = m_spec.deviceMemoryBytes * 9 / 10;
    const fs::path checkpoint = jobFolderFor(m_spec.output.path) / "checkpoint.json";
    // Its second device is lost once a slab is kept.
    const auto whenKept = [&] {
        for (int i = 0; i < 2000 && !fs::exists(checkpoint); ++i)
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
    };
    Backends failing = test::backends();
    failing.gpu = test::cpuDevices({{1e9}, {2e9, 1'000'000'000, 5, whenKept}}, m_log);
    EXPECT_ERROR(test::runWith(failing, m_spec), ResourceError, "the device was lost");
    const JobResult resumed = test::resume(m_spec);
    EXPECT_GT(resumed.slabsResumed, 0);
    EXPECT_LT(resumed.slabsResumed, resumed.slabs);
    EXPECT_TRUE(test::isNoted(resumed, "resampled onto an upright detector"));
    EXPECT_LE(test::relativeRmse(readVolume(m_spec.output.path), upright), kRounding);
}

// The run goes on with the scan that was opened for the choice; otherwise it opens the scan itself.
TEST_F(JobRows, AreChosenOnTheScanThatIsThenReconstructed) {
    const SettledSpec chosen = settled(m_spec, {}, m_devices, Settling::byTrial, {});
    ASSERT_TRUE(chosen.scan);
    EXPECT_EQ(chosen.scan->rows, chosen.spec.rows);
    EXPECT_EQ(chosen.scan->geometry.areAligned(), *chosen.spec.rows == FilterRows::upright);
    EXPECT_FALSE(settled(m_spec, {}, m_devices, Settling::byRules, {}).scan);
    EXPECT_TRUE(settled(m_spec, {}, test::backends(), Settling::byTrial, {}).scan)
        << "its views are looked at";
}

TEST_F(JobRows, AreUprightInJobsThatAnEarlierVersionBegan) {
    Checkpoint old;
    old.slabs = {{{0, 20}, {20, 57}}, {}};
    EXPECT_EQ(settled(m_spec, old, test::backends(), Settling::byTrial, {}).spec.rows,
              FilterRows::own);
    old.slabs.done = {0};
    EXPECT_EQ(settled(m_spec, old, test::backends(), Settling::byTrial, {}).spec.rows,
              FilterRows::upright);
    old.choices.rows = FilterRows::own;
    EXPECT_EQ(settled(m_spec, old, m_devices, Settling::byTrial, {}).spec.rows, FilterRows::own);
    EXPECT_EQ(settled(m_spec, {}, m_devices, Settling::byTrial, {}).spec.rows, FilterRows::upright);
}

}  // namespace
}  // namespace gantry
