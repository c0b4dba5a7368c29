#include "core/recon/device_lanes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fstream>
#include <thread>

#include "tests/support/cpu_device.h"
#include "tests/support/expect_error.h"
#include "tests/support/file_bytes.h"
#include "tests/support/small_job.h"
#include "tests/support/temporary_folder.h"

namespace gantry {
namespace {

namespace fs = std::filesystem;
using test::CpuDeviceLog;
using test::CpuDeviceSpec;
using test::jobOf;
using test::relativeRmse;
using test::simulated;
using test::smallScan;

// Both add the same views in fp32, only in other runs of voxels.
constexpr double kSameSums = 1e-6;

Backends devices(const std::vector<CpuDeviceSpec>& specs, CpuDeviceLog& log) {
    Backends all = test::backends();
    all.gpu = test::cpuDevices(specs, log);
    all.whyNoGpu = "";
    return all;
}

// Device memory with which a device of `specs` makes at least that many slabs.
void allowDeviceMemory(JobSpec& spec, const Backends& all, std::size_t slabs) {
    const OpenScan scan = openScan(spec.scan);
    while (true) {
        const JobPlan plan = test::plannedJob(scan, spec, all);
        if (plan.slabs.size() >= slabs) return;
        Index max = 0;
        for (const DevicePlan& device : plan.devices)
            max = std::max(max, device.bytes);
        spec.deviceMemoryBytes = max - 1;
    }
}

// A scan with a detector off the axis, so that its rows are padded, some of whose pixels are
// saturated.
ScanFile offsetScan(const fs::path& folder) {
    SimulationSpec scan = smallScan(37, 91, 83, 410);
    scan.geometry.detector.offsetMm = {33, -7.1};
    ScanFile file = simulated(scan, folder);
    file.projections.flat.clear();
    file.projections.flatValue = 39'000;
    file.projections.saturationValue = 40'000;
    return file;
}

JobSpec oddJob(const ScanFile& scan, const fs::path& output) {
    JobSpec spec = jobOf(scan, 71, output);
    spec.volume.voxels = {71, 64, 59};
    spec.volume.pitchMm[2] *= 0.7;
    spec.volume.centerMm = {2, -3, 5};
    spec.batchViews = 8;
    return spec;
}

// The store lane comes after the others.
void waitForCheckpoint(const JobSpec& spec) {
    const fs::path checkpoint = jobFolderFor(spec.output.path) / "checkpoint.json";
    for (int i = 0; i < 2000 && !fs::exists(checkpoint); ++i)
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
}

struct Made {
    Volume volume;
    JobResult result;
};

Made made(const Backends& all, const JobSpec& spec) {
    JobResult result = test::runWith(all, spec);
    return {readVolume(spec.output.path), std::move(result)};
}

TEST(DeviceLanes, AnyDevicesGiveTheVolumeOfTheCpuWhereverViewsAreFiltered) {
    const test::TemporaryFolder folder;
    JobSpec spec = oddJob(offsetScan(folder / "scan"), folder / "cpu.mha");
    const Made cpu = made(test::backends(), spec);
    ASSERT_GT(cpu.result.invalidPixels.saturated, 0);
    const std::vector<CpuDeviceSpec> some = {{1e9, 400'000'000}, {3e9, 900'000}, {2e9, 700'000}};
    for (const std::size_t count : {1U, 2U, 3U})
        for (const FilterOn place : {FilterOn::automatic, FilterOn::cpu}) {
            CpuDeviceLog log;
            spec.output.path = folder / "devices.mha";
            spec.filterOn = place;
            const Made gpu =
                made(devices({some.begin(), some.begin() + static_cast<int>(count)}, log), spec);
            EXPECT_LE(relativeRmse(gpu.volume, cpu.volume), kSameSums) << count;
            EXPECT_EQ(gpu.result.invalidPixels, cpu.result.invalidPixels) << count;
            EXPECT_NEAR(gpu.result.smallest, cpu.result.smallest,
                        kSameSums * std::abs(cpu.result.smallest));
            EXPECT_EQ(log.slabs.size(), count);
            EXPECT_EQ(log.jobs.front().handedOver,
                      place == FilterOn::cpu ? ViewState::filtered : ViewState::stored);
            EXPECT_GT(log.pins, 0);
            EXPECT_EQ(log.pinned, 0);
        }
}

TEST(DeviceLanes, DevicesTakeCorrectedViewsAsTheyTakeStoredOnes) {
    const test::TemporaryFolder folder;
    JobSpec spec = oddJob(offsetScan(folder / "scan"), folder / "cpu.mha");
    const Made plain = made(test::backends(), spec);
    for (const RingMethod rings : {RingMethod::sorting, RingMethod::none}) {
        spec.corrections = {.zingers = {.ratio = 1.3}, .rings = {.method = rings}};
        spec.output.path = folder / "cpu.mha";
        const Made cpu = made(test::backends(), spec);
        EXPECT_GT(relativeRmse(cpu.volume, plain.volume), 100 * kSameSums);
        CpuDeviceLog log;
        spec.output.path = folder / "devices.mha";
        const Made gpu = made(devices({{1e9, 400'000'000}, {3e9, 900'000}}, log), spec);
        EXPECT_LE(relativeRmse(gpu.volume, cpu.volume), kSameSums);
        EXPECT_EQ(gpu.result.invalidPixels, cpu.result.invalidPixels);
        EXPECT_GT(gpu.result.invalidPixels.saturated, 0);
        EXPECT_EQ(log.jobs.front().handedOver, ViewState::stored);
    }
}

TEST(DeviceLanes, ARotatedDetectorComesPreparedAndAShortScanIsWeighted) {
    const test::TemporaryFolder folder;
    SimulationSpec rotated = smallScan(45, 90, 83, 410);
    rotated.geometry.detector.rollDeg = 2.1;
    rotated.geometry.detector.tiltDeg = -1.3;
    SimulationSpec shortScan = smallScan(45, 90, 83, 410);
    shortScan.geometry.cone().arcDeg = -215;
    for (const SimulationSpec& scan : {rotated, shortScan}) {
        const std::string name = scan.geometry.cone().arcDeg < 0 ? "short" : "rotated";
        JobSpec spec = oddJob(simulated(scan, folder / name), folder / (name + "-cpu.mha"));
        spec.rows = FilterRows::upright;
        const Made cpu = made(test::backends(), spec);
        CpuDeviceLog log;
        spec.output.path = folder / (name + ".mha");
        const Made gpu = made(devices({{1e9}, {2e9}}, log), spec);
        EXPECT_LE(relativeRmse(gpu.volume, cpu.volume), kSameSums) << name;
        EXPECT_EQ(gpu.result.invalidPixels, cpu.result.invalidPixels) << name;
        EXPECT_EQ(log.jobs.front().handedOver,
                  name == "rotated" ? ViewState::prepared : ViewState::stored);
    }
}

TEST(DeviceLanes, SmallDeviceMemoryTakesMorePasses) {
    const test::TemporaryFolder folder;
    JobSpec spec = oddJob(offsetScan(folder / "scan"), folder / "cpu.mha");
    const Made cpu = made(test::backends(), spec);
    CpuDeviceLog log;
    const Backends all = devices({{1e9}, {3e9}}, log);
    spec.output.path = folder / "devices.mha";
    allowDeviceMemory(spec, all, 9);
    const Made gpu = made(all, spec);
    EXPECT_GE(gpu.result.slabs, 9);
    EXPECT_LE(relativeRmse(gpu.volume, cpu.volume), kSameSums);
    EXPECT_EQ(gpu.result.invalidPixels, cpu.result.invalidPixels);
    EXPECT_EQ(log.slabs[0].size() + log.slabs[1].size(),
              static_cast<std::size_t>(gpu.result.slabs));
}

TEST(DeviceLanes, ASlabWhoseFootprintMissesTheDetectorIsZero) {
    const test::TemporaryFolder folder;
    JobSpec spec =
        jobOf(simulated(smallScan(24, 64, 20, 410), folder / "scan"), 48, folder / "cpu.mha");
    spec.volume.voxels[2] = 150;
    const Made cpu = made(test::backends(), spec);
    CpuDeviceLog log;
    const Backends all = devices({{1e9}, {1e9}}, log);
    spec.output.path = folder / "devices.mha";
    allowDeviceMemory(spec, all, 12);
    EXPECT_LE(relativeRmse(made(all, spec).volume, cpu.volume), kSameSums);
}

TEST(DeviceLanes, AnInterruptedRunResumesBitByBitFromItsPasses) {
    const test::TemporaryFolder folder;
    JobSpec spec = oddJob(offsetScan(folder / "scan"), folder / "whole.mha");
    CpuDeviceLog log;
    const Backends all = devices({{1e9}, {3e9}}, log);
    allowDeviceMemory(spec, all, 8);
    const JobResult whole = test::runWith(all, spec);
    const std::string expected = test::fileBytes(spec.output.path);

    spec.output.path = folder / "interrupted.mha";
    std::stop_source stop;
    const auto stopLate = [&](const Progress& progress) {
        if (progress.fraction < 0.6) return;
        waitForCheckpoint(spec);
        stop.request_stop();
    };
    EXPECT_THROW(test::runWith(all, spec, stop.get_token(), stopLate), Cancelled);
    EXPECT_EQ(log.pinned, 0);
    EXPECT_FALSE(fs::exists(spec.output.path));
    const JobResult resumed = test::resumeWith(all, spec);
    EXPECT_GT(resumed.slabsResumed, 0);
    EXPECT_EQ(resumed.slabs, whole.slabs);
    EXPECT_EQ(test::fileBytes(spec.output.path), expected);
    EXPECT_EQ(resumed.invalidPixels, whole.invalidPixels);
    EXPECT_EQ(resumed.smallest, whole.smallest);
}

TEST(DeviceLanes, ALostDeviceLeavesAJobThatOthersFinish) {
    const test::TemporaryFolder folder;
    JobSpec spec = oddJob(offsetScan(folder / "scan"), folder / "whole.mha");
    CpuDeviceLog log;
    const Backends sound = devices({{1e9}, {3e9}}, log);
    allowDeviceMemory(spec, sound, 8);
    const JobResult whole = test::runWith(sound, spec);
    const std::string expected = test::fileBytes(spec.output.path);
    spec.output.path = folder / "lost.mha";
    const auto whenKept = [&] { waitForCheckpoint(spec); };
    const Backends failing = devices({{1e9}, {3e9, 1'000'000'000, 5, whenKept}}, log);
    EXPECT_ERROR(test::runWith(failing, spec), ResourceError, "the device was lost");
    EXPECT_FALSE(fs::exists(spec.output.path));
    ASSERT_TRUE(fs::exists(jobFolderFor(spec.output.path) / "checkpoint.json"));
    EXPECT_EQ(log.pinned, 0);
    // One device, of any kind, and the CPU resume from the same slabs.
    const fs::path job = jobFolderFor(spec.output.path);
    fs::copy(job, folder / "copy.job", fs::copy_options::recursive);
    fs::copy_file(folder / "lost.mha.part", folder / "kept.part");
    const JobResult onOne = test::resumeWith(devices({{7e9}}, log), spec);
    EXPECT_GT(onOne.slabsResumed, 0);
    EXPECT_EQ(onOne.slabs, whole.slabs);
    EXPECT_EQ(onOne.invalidPixels, whole.invalidPixels);
    EXPECT_EQ(test::fileBytes(spec.output.path), expected);
    fs::remove_all(job);
    fs::copy(folder / "copy.job", job, fs::copy_options::recursive);
    fs::rename(folder / "kept.part", folder / "lost.mha.part");
    const JobResult onCpu = test::resume(spec);
    EXPECT_TRUE(onCpu.engine.starts_with(whole.engine + ", then ")) << onCpu.engine;
    EXPECT_EQ(onCpu.slabs, whole.slabs);
    EXPECT_EQ(onCpu.invalidPixels, whole.invalidPixels);
    EXPECT_LE(relativeRmse(readVolume(spec.output.path), readVolume(folder / "whole.mha")),
              kSameSums);
}

// A volume off the middle of such a scan, most of whose slices have their mirror image in it.
JobSpec mirroredJob(const fs::path& folder) {
    SimulationSpec scan = smallScan(37, 91, 83, 410);
    scan.geometry.detector.offsetMm = {33, 0};
    ScanFile file = simulated(scan, folder / "scan");
    file.projections.flat.clear();
    file.projections.flatValue = 39'000;
    file.projections.saturationValue = 40'000;
    JobSpec spec = oddJob(file, folder / "cpu.mha");
    spec.volume.centerMm[2] = 3 * spec.volume.pitchMm[2];
    return spec;
}

TEST(DeviceLanes, MirrorPairsGiveTheVolumeOfTheCpuAndResumeBitByBit) {
    const test::TemporaryFolder folder;
    JobSpec spec = mirroredJob(folder.path());
    const Made cpu = made(test::backends(), spec);
    ASSERT_GT(cpu.result.invalidPixels.saturated, 0);
    CpuDeviceLog log;
    const Backends all = devices({{1e9}, {3e9}}, log);
    spec.fast = true;
    spec.output.path = folder / "whole.mha";
    allowDeviceMemory(spec, all, 8);
    const Made whole = made(all, spec);
    EXPECT_LE(relativeRmse(whole.volume, cpu.volume), kSameSums);
    EXPECT_EQ(whole.result.invalidPixels, cpu.result.invalidPixels);
    EXPECT_EQ(log.slabs[0].front().parts().size(), 2U) << "of a pair both parts at once";

    const std::string expected = test::fileBytes(spec.output.path);
    spec.output.path = folder / "lost.mha";
    const auto whenKept = [&] { waitForCheckpoint(spec); };
    const Backends failing = devices({{1e9}, {3e9, 1'000'000'000, 3, whenKept}}, log);
    EXPECT_ERROR(test::runWith(failing, spec), ResourceError, "the device was lost");
    const JobResult resumed = test::resumeWith(all, spec);
    EXPECT_GE(resumed.slabsResumed, 2);
    EXPECT_EQ(resumed.slabs, whole.result.slabs);
    EXPECT_EQ(test::fileBytes(spec.output.path), expected);
    EXPECT_EQ(resumed.invalidPixels, whole.result.invalidPixels);
}

TEST(DeviceLanes, AStoreThatFailsEndsTheRun) {
    const test::TemporaryFolder folder;
    JobSpec spec = oddJob(offsetScan(folder / "scan"), folder / "volume.mha");
    CpuDeviceLog log;
    Backends all = devices({{1e9}, {3e9}}, log);
    allowDeviceMemory(spec, all, 8);
    const auto make = all.gpu.makeEngine;
    // Its folder goes away under the run: the checkpoint cannot be written.
    all.gpu.makeEngine = [&](int device, const DeviceJob& job, const SpanSink& sink,
                             std::int64_t originNs) {
        std::error_code ignored;
        fs::remove_all(jobFolderFor(spec.output.path), ignored);
        return make(device, job, sink, originNs);
    };
    EXPECT_THROW(test::runWith(all, spec), InputError);
    EXPECT_FALSE(fs::exists(spec.output.path));
    EXPECT_EQ(log.pinned, 0);
}

TEST(DeviceLanes, TheResultSaysWhatItWasMadeWith) {
    const test::TemporaryFolder folder;
    JobSpec spec = oddJob(offsetScan(folder / "scan"), folder / "volume.mha");
    CpuDeviceLog log;
    const auto noted = [](const JobResult& result, const std::string& text) {
        return std::any_of(result.notes.begin(), result.notes.end(), [&](const std::string& note) {
            return note.find(text) != std::string::npos;
        });
    };
    const JobResult exact = test::runWith(devices({{1e9}, {1e9}}, log), spec);
    EXPECT_EQ(exact.engine, "2 × Test 1 (tile, exact)");
    EXPECT_TRUE(noted(exact, "filtered on the GPU"));
    EXPECT_FALSE(noted(exact, "half floats"));
    const auto backproject = static_cast<std::size_t>(Stage::backproject);
    EXPECT_EQ(exact.timeline.stages[backproject].updates, spec.volume.count() * 37);
    spec.fast = true;
    spec.filterOn = FilterOn::cpu;
    spec.devices = {1};
    const JobResult fast = test::runWith(devices({{1e9}, {1e9}}, log), spec);
    EXPECT_EQ(fast.engine, "Test 1 (mirror-texture, fast)");
    EXPECT_TRUE(noted(fast, "filtered on the CPU"));
    EXPECT_TRUE(noted(fast, "half floats"));
}

}  // namespace
}  // namespace gantry
