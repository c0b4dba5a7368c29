#include "gpu/engine/trial_cache.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "core/base/file.h"
#include "tests/gpu/engine/device_jobs.h"
#include "tests/support/temporary_folder.h"

namespace gantry {
namespace {

using test::jobOn;
using test::TemporaryFolder;

const TrialKey kKey = {"device-1", 13000, "1.0", "large exact"};
const TrialResult kChoice = {"tile", 1.5e12};

void expectFound(const TrialCache& cache, const TrialKey& key, const TrialResult& choice) {
    const auto found = cache.find(key);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->kernel, choice.kernel);
    EXPECT_EQ(found->updatesPerSecond, choice.updatesPerSecond);
}

TEST(TrialCache, RemembersFromOneRunToTheNext) {
    const TemporaryFolder folder;
    const auto file = folder / "deeper" / "kernels.json";
    EXPECT_FALSE(TrialCache(file).find(kKey));
    TrialCache(file).keep(kKey, kChoice);
    expectFound(TrialCache(file), kKey, kChoice);
}

TEST(TrialCache, AnotherDeviceDriverProgramOrProblemIsAnotherTrial) {
    const TemporaryFolder folder;
    const TrialCache cache(folder / "kernels.json");
    cache.keep(kKey, kChoice);
    TrialKey others[] = {kKey, kKey, kKey, kKey};
    others[0].device = "device-2";
    others[1].driverVersion = 13010;
    others[2].program = "1.1";
    others[3].problem = "large fast";
    for (const TrialKey& other : others)
        EXPECT_FALSE(cache.find(other)) << other.problem;
    cache.keep(others[0], {"standard", 2e11});
    expectFound(cache, others[0], {"standard", 2e11});
    expectFound(cache, kKey, kChoice);
}

TEST(TrialCache, TheLastTrialCounts) {
    const TemporaryFolder folder;
    const TrialCache cache(folder / "kernels.json");
    cache.keep(kKey, kChoice);
    cache.keep(kKey, {"standard", 2e11});
    expectFound(cache, kKey, {"standard", 2e11});
}

TEST(TrialCache, DoesNotGrowWithoutEnd) {
    const TemporaryFolder folder;
    const TrialCache cache(folder / "kernels.json");
    std::string trials;
    for (int i = 0; i < 2000; ++i)
        trials += fmt::format(R"({}{{"device":"{}"}})", i > 0 ? "," : "", i);
    writeFileAtomically(folder / "kernels.json",
                        R"({"gantryKernelTrials":1,"trials":[)" + trials + "]}");
    cache.keep(kKey, kChoice);
    expectFound(cache, kKey, kChoice);
    EXPECT_LT(readTextFile(folder / "kernels.json").size(), 20'000U);
}

TEST(TrialCache, AForeignOrBrokenFileIsAnEmptyOne) {
    const TemporaryFolder folder;
    const auto file = folder / "kernels.json";
    const std::string key = R"("device":"device-1","driver":13000,"program":"1.0",)"
                            R"("problem":"large exact")";
    for (const std::string& text :
         {std::string("not JSON"), std::string(), std::string("[]"), std::string("7"),
          std::string(R"({"gantryKernelTrials":"x","trials":[]})"),
          R"({"gantryKernelTrials":2,"trials":[{)" + key +
              R"(,"kernel":"tile","updatesPerSecond":1}]})",
          std::string(R"({"gantryKernelTrials":1,"trials":[7,null,"x",{}]})"),
          R"({"gantryKernelTrials":1,"trials":[{)" + key + R"(,"kernel":7}]})",
          R"({"gantryKernelTrials":1,"trials":[{)" + key +
              R"(,"kernel":"tile","updatesPerSecond":-1}]})"}) {
        writeFileAtomically(file, text);
        EXPECT_FALSE(TrialCache(file).find(kKey)) << text;
        TrialCache(file).keep(kKey, kChoice);
        expectFound(TrialCache(file), kKey, kChoice);
    }
}

TEST(TrialCache, WhereNothingCanBeWrittenNothingIsSaid) {
    const TemporaryFolder folder;
    writeFileAtomically(folder / "file", "");
    const TrialCache cache(folder / "file" / "kernels.json");
    EXPECT_NO_THROW(cache.keep(kKey, kChoice));
    EXPECT_FALSE(cache.find(kKey));
}

class TrialKeys : public testing::Test {
  protected:
    [[nodiscard]] std::string problem(const std::function<void(DeviceJob&)>& change,
                                      bool fast = false) const {
        DeviceJob job = m_job;
        change(job);
        return trialKey({}, job, fast).problem;
    }

    Acquisition m_acquisition = test::acquisitionOf(720, 1000, 1000);
    DeviceJob m_job = jobOn(m_acquisition, 512);
};

TEST_F(TrialKeys, NearlyEqualProblemsShareATrial) {
    const std::string here = problem([](DeviceJob&) {});
    EXPECT_EQ(problem([](DeviceJob& job) { job.volume.voxels = {500, 540, 512}; }), here);
    EXPECT_EQ(problem([](DeviceJob& job) { job.volume.pitchMm[0] *= 1.01; }), here);
    EXPECT_EQ(problem([](DeviceJob& job) { job.batchViews = 64; }), here);
}

TEST_F(TrialKeys, WhatChangesAKernelsSpeedIsAnotherProblem) {
    const std::string here = problem([](DeviceJob&) {});
    EXPECT_NE(problem([](DeviceJob&) {}, true), here);
    EXPECT_NE(problem([](DeviceJob& job) { job.kernel = "standard"; }), here);
    EXPECT_NE(problem([](DeviceJob& job) { job.volume.pitchMm[2] *= 2; }), here);
    EXPECT_NE(problem([](DeviceJob& job) { job.volume.centerMm[2] = 3; }), here);
    EXPECT_NE(problem([](DeviceJob& job) { job.maxSlices = 100; }), here);
    EXPECT_NE(problem([](DeviceJob& job) { job.batchViews = 8; }), here);
    EXPECT_NE(problem([](DeviceJob& job) { job.volume.voxels[0] = 1024; }), here);
}

// The detector's pixels of 0.4 mm are 0.2 mm at the isocentre.
TEST_F(TrialKeys, AVoxelsStepIsCountedInPixelsOfTheDetector) {
    const auto sized = [](double widthMm, double heightMm) {
        return [=](DeviceJob& job) { job.volume.pitchMm = {widthMm, widthMm, heightMm}; };
    };
    EXPECT_NE(problem(sized(0.2, 0.2)).find("step 1.00x1.00"), std::string::npos);
    EXPECT_NE(problem(sized(0.4, 0.1)).find("step 2.00x0.50"), std::string::npos);
    const std::string here = problem(sized(0.2, 0.2));
    ScanGeometry turned = test::circularScanOf(720, 1000, 1000);
    turned.cone().startDeg = 77;
    m_acquisition.geometry = alignedViews(turned);
    EXPECT_EQ(problem(sized(0.2, 0.2)), here);
}

TEST_F(TrialKeys, TheKernelThatAJobNamesIsTheProblem) {
    const auto named = [](DeviceJob& job) { job.kernel = "bp-l1"; };
    EXPECT_EQ(problem(named, true), problem(named, false));
}

TEST_F(TrialKeys, AKeyNamesDeviceAndDriver) {
    DeviceInfo device;
    device.name = "NVIDIA H200";
    device.driverVersion = 13000;
    EXPECT_EQ(trialKey(device, m_job, false).device, "NVIDIA H200");
    device.uuid = "12345678";
    EXPECT_EQ(trialKey(device, m_job, false).device, "12345678");
    EXPECT_EQ(trialKey(device, m_job, false).driverVersion, 13000);
    EXPECT_FALSE(trialKey(device, m_job, false).program.empty());
}

}  // namespace
}  // namespace gantry
