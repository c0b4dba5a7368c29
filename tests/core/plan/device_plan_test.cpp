#include "core/plan/job_plan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <set>
#include <utility>

#include "core/plan/device_choice.h"
#include "core/plan/host_memory.h"
#include "tests/core/geometry/random_geometry.h"
#include "tests/support/cpu_device.h"
#include "tests/support/expect_error.h"
#include "tests/support/small_job.h"
#include "tests/support/temporary_folder.h"

namespace gantry {
namespace {

using test::CpuDeviceSpec;

class DevicePlans : public testing::Test {
  protected:
    // Files of a small scan; larger volumes of it are only planned.
    void SetUp() override {
        const ScanFile file = test::simulated(test::smallScan(5, 97, 83, 410), m_folder / "scan");
        m_scan.emplace(openScan(file));
        m_spec = test::jobOf(file, 80, m_folder / "volume.mha");
    }

    Backends devices(const std::vector<CpuDeviceSpec>& specs) {
        Backends all = test::backends();
        all.gpu = test::cpuDevices(specs, m_log);
        return all;
    }
    JobPlan plan(const std::vector<CpuDeviceSpec>& specs) { return planned(devices(specs)); }
    JobPlan planned(const Backends& all, const std::optional<FinishedSlabs>& finished = {}) {
        return test::planned(*m_scan, m_spec, all, finished);
    }

    test::TemporaryFolder m_folder;
    test::CpuDeviceLog m_log;
    std::optional<OpenScan> m_scan;
    JobSpec m_spec;
};

void expectWhole(const JobPlan& plan, const VolumeGrid& grid) {
    Index next = 0;
    for (const SlabPlan& slab : plan.slabs) {
        EXPECT_EQ(slab.slices.hull().begin, next);
        EXPECT_GT(slab.slices.size(), 0);
        next = slab.slices.hull().end;
    }
    EXPECT_EQ(next, grid.voxels[2]);
    for (const DevicePlan& device : plan.devices)
        EXPECT_LE(device.bytes, device.budgetBytes) << device.device;
    EXPECT_LE(plan.hostBytes, plan.budgetBytes);
}

TEST_F(DevicePlans, ASmallVolumeIsOneSlabADeviceInProportionToTheirSpeed) {
    m_spec.volume.voxels[2] = 77;
    const JobPlan plan = this->plan({{1e12}, {3e12}, {7e12}});
    expectWhole(plan, m_spec.volume);
    ASSERT_EQ(plan.slabs.size(), 3U);
    EXPECT_EQ(plan.slabs[0].slices.size(), 7);
    EXPECT_EQ(plan.slabs[1].slices.size(), 21);
    EXPECT_EQ(plan.slabs[2].slices.size(), 49);
    EXPECT_EQ(deviceJobOf(*m_scan, m_spec, plan, 1).slabsAtOnce, 1);
}

// What runs is what plan, forecast, log and report name.
TEST_F(DevicePlans, TheKernelOfAParallelBeamOnTheCpuIsNamedAsItRuns) {
    const auto kernelOfPlan = [this] {
        return planned(test::backends()).devices.at(0).kernel.kernel.name;
    };
    EXPECT_EQ(kernelOfPlan(), kUsualCpuKernel);
    ScanGeometry& geometry = m_scan->description.geometry;
    geometry.trajectory = ParallelBeam{geometry.angles()};
    m_scan.emplace(openScan(m_scan->description));
    EXPECT_EQ(kernelOfPlan(), "stack");
    m_spec.cpuKernel = "general";
    EXPECT_EQ(kernelOfPlan(), "general");
    // With a tilt the axis leans along the beam: no slice is a row's alone, and each view is on its
    // own detector.
    m_spec.cpuKernel = kUsualCpuKernel;
    geometry.detector.tiltDeg = 5;
    m_scan.emplace(openScan(m_scan->description));
    EXPECT_EQ(kernelOfPlan(), "general");
}

TEST_F(DevicePlans, ALargeVolumeIsMadeInPassesSoThatStoringOverlaps) {
    m_spec.volume = fitGrid(m_scan->description.geometry, 1024);
    m_spec.volume.voxels[2] = 1000;
    m_spec.memoryBytes = 4'000'000'000;
    const JobPlan one = plan({{1e12, 100'000'000'000}});
    expectWhole(one, m_spec.volume);
    EXPECT_GE(one.slabs.size(), 4U);
    EXPECT_LE(one.slabs.size(), 8U);
    EXPECT_EQ(deviceJobOf(*m_scan, m_spec, one, 0).slabsAtOnce, 2);
    // What all passes read together.
    Index rows = 0;
    for (const PassPlan& pass : one.passes)
        rows += pass.rows.size();
    EXPECT_LE(rows, 2 * 83);
}

TEST_F(DevicePlans, ADeviceWithLittleMemoryTakesLessAndTheOthersMore) {
    m_spec.volume = fitGrid(m_scan->description.geometry, 200);
    const Index sliceBytes = m_spec.volume.voxels[0] * m_spec.volume.voxels[1] * 4;
    const JobPlan plan = this->plan({{5e12, 20 * sliceBytes}, {1e12}});
    expectWhole(plan, m_spec.volume);
    ASSERT_EQ(plan.slabs.size(), 2U);
    EXPECT_LT(plan.slabs[0].slices.size(), 20);
    EXPECT_GT(plan.slabs[0].slices.size(), 10);
}

TEST_F(DevicePlans, StaysWithinAnyMemoryThatIsAllowed) {
    const Index whole = plan({{1e12}, {2e12}}).devices[1].bytes;
    for (const Index part : {2, 3, 5, 9}) {
        m_spec.deviceMemoryBytes = whole / part;
        const JobPlan plan = this->plan({{1e12}, {2e12}});
        expectWhole(plan, m_spec.volume);
        EXPECT_GT(plan.slabs.size(), 2U);
        for (const DevicePlan& device : plan.devices)
            EXPECT_EQ(device.budgetBytes, m_spec.deviceMemoryBytes);
    }
}

TEST_F(DevicePlans, HostMemoryTooMakesSlabsThinner) {
    m_spec.batchViews = 5;
    const JobPlan roomy = plan({{1e12}});
    const Index rough =
        roughHostBytes(m_spec, m_spec.scan.geometry, m_spec.volume.voxels[2], EngineKind::gpu);
    EXPECT_GT(rough, roomy.hostBytes) << "who asks a scheduler for that gets enough";
    EXPECT_LT(rough, 10 * roomy.hostBytes);
    m_spec.memoryBytes = roomy.hostBytes - 1;
    const JobPlan tight = plan({{1e12}});
    expectWhole(tight, m_spec.volume);
    EXPECT_GT(tight.slabs.size(), roomy.slabs.size());
    m_spec.memoryBytes = 10'000'000;
    EXPECT_ERROR((void)plan({{1e12}}), ResourceError, "--memory");
}

TEST_F(DevicePlans, MoreDevicesThanSlicesLeaveSomeIdle) {
    m_spec.volume.voxels[2] = 2;
    const JobPlan plan = this->plan({{1e12}, {1e12}, {1e12}});
    expectWhole(plan, m_spec.volume);
    EXPECT_EQ(plan.devices.size(), 2U);
    m_spec.volume.voxels[2] = 7;
    expectWhole(this->plan({{1e12}, {1e15}, {1e12}}), m_spec.volume);
}

TEST_F(DevicePlans, PassesShareWhatTheirSlabsNeed) {
    m_spec.deviceMemoryBytes = plan({{1e12}, {2e12}}).devices[1].bytes / 3;
    const JobPlan plan = this->plan({{1e12}, {2e12}});
    Index slab = 0;
    for (const PassPlan& pass : plan.passes) {
        ASSERT_EQ(pass.assignments.size(), 2U);
        for (Index d = 0; d < 2; ++d, ++slab) {
            EXPECT_EQ(pass.assignments[static_cast<std::size_t>(d)],
                      (Assignment{0, d, slab, {0, m_scan->geometry.views}}));
            const IndexRange rows = plan.slabs[static_cast<std::size_t>(slab)].rows.hull();
            EXPECT_GE(rows.begin, pass.rows.hull().begin);
            EXPECT_LE(rows.end, pass.rows.hull().end);
        }
    }
    EXPECT_EQ(slab, static_cast<Index>(plan.slabs.size()));
}

TEST_F(DevicePlans, ViewsComeAsFarAsTheDevicesAskFor) {
    EXPECT_EQ(plan({{}}).handedOver, ViewState::stored);
    m_spec.filterOn = FilterOn::cpu;
    EXPECT_EQ(plan({{}}).handedOver, ViewState::filtered);
    Backends all = devices({{}});
    all.gpu.whyNoFilter = [](int) { return std::string("cuFFT is not there"); };
    m_spec.filterOn = FilterOn::automatic;
    EXPECT_EQ(planned(all).handedOver, ViewState::filtered);
    m_spec.filterOn = FilterOn::gpu;
    EXPECT_ERROR((void)planned(all), InputError, "cuFFT is not there");
}

// Devices know one pair of dark and flat images alone.
TEST_F(DevicePlans, ViewsWhoseFieldsChangeComePreparedByTheHost) {
    ASSERT_TRUE(m_scan->areFieldsConstant());
    DetectorCalibration changing;
    changing.rows = m_scan->stored.rows;
    changing.columns = m_scan->stored.columns;
    changing.laterFlats.push_back({4, HostBuffer<float>()});
    m_scan->calibration = std::make_shared<const DetectorCalibration>(std::move(changing));
    EXPECT_EQ(plan({{}}).handedOver, ViewState::prepared);
    m_spec.filterOn = FilterOn::cpu;
    EXPECT_EQ(plan({{}}).handedOver, ViewState::filtered);
}

TEST_F(DevicePlans, ABeamThatChangesCostsTheHostNothing) {
    m_scan->offsets.assign(static_cast<std::size_t>(m_scan->stored.views), BeamOffset{-0.5F});
    EXPECT_EQ(plan({{}}).handedOver, ViewState::stored);
}

TEST_F(DevicePlans, ViewsOnDetectorsOfTheirOwnAreFilteredOnTheDevicesToo) {
    ScanFile file = m_scan->description;
    file.geometry = test::RandomGeometry(1).jittered(file.geometry, 1, 1);
    m_scan.emplace(openScan(file));
    ASSERT_FALSE(m_scan->geometry.areAligned());
    EXPECT_EQ(plan({{}}).handedOver, ViewState::stored);
    m_spec.filterOn = FilterOn::gpu;
    EXPECT_EQ(plan({{}}).handedOver, ViewState::stored);
    m_spec.filterOn = FilterOn::cpu;
    EXPECT_EQ(plan({{}}).handedOver, ViewState::filtered);
}

TEST_F(DevicePlans, ADeviceThatAnotherProgramFillsIsLeftOutUnlessNamed) {
    const std::vector<CpuDeviceSpec> specs = {{1e12}, {1e12, 1000}};
    const JobPlan plan = this->plan(specs);
    ASSERT_EQ(plan.devices.size(), 1U);
    EXPECT_EQ(plan.devices[0].device, 0);
    m_spec.devices = {1};
    EXPECT_ERROR((void)this->plan(specs), ResourceError,
                 "GPU 1 (Test 1) lacks memory: one slice at a time");
    m_spec.devices = {};
    m_spec.engine = Engine::gpu;
    m_spec.deviceMemoryBytes = 2000;
    EXPECT_ERROR((void)this->plan(specs), ResourceError, "--device-memory");
}

// Makes a GPU fail as one does that another process holds for itself.
void fail(Backends& all, int number) {
    const auto choose = all.gpu.chooseKernel;
    all.gpu.chooseKernel = [choose, number](int device, const DeviceJob& job, bool fast) {
        if (device == number) throw ResourceError("GPU " + std::to_string(number) + " is busy");
        return choose(device, job, fast);
    };
}

TEST_F(DevicePlans, AnUnusableDeviceIsLeftOutUnlessNamed) {
    Backends all = devices({{1e12}, {1e12}});
    fail(all, 0);
    const JobPlan plan = planned(all);
    expectWhole(plan, m_spec.volume);
    ASSERT_EQ(plan.devices.size(), 1U);
    EXPECT_EQ(plan.devices[0].device, 1);
    ASSERT_EQ(plan.notes.size(), 1U);
    EXPECT_NE(plan.notes[0].find("GPU 0 is busy"), std::string::npos);
    m_spec.devices = {0, 1};
    EXPECT_ERROR((void)planned(all), ResourceError, "GPU 0 is busy");
}

TEST_F(DevicePlans, WithoutAUsableDeviceTheCpuIsPlannedUnlessGpusAreAskedFor) {
    Backends all = devices({{1e12}, {1e12}});
    fail(all, 0);
    fail(all, 1);
    const JobPlan plan = planned(all);
    EXPECT_EQ(plan.engine, EngineKind::cpu);
    expectWhole(plan, m_spec.volume);
    ASSERT_EQ(plan.notes.size(), 1U);
    EXPECT_NE(plan.notes[0].find("CPU"), std::string::npos);
    EXPECT_NE(plan.notes[0].find("GPU 0 is busy"), std::string::npos);
    m_spec.engine = Engine::gpu;
    EXPECT_ERROR((void)planned(all), ResourceError, "GPU 0 is busy");
    m_spec.engine = Engine::automatic;
    m_spec.filterOn = FilterOn::gpu;
    EXPECT_ERROR((void)planned(all), ResourceError, "GPU 0 is busy");
}

TEST_F(DevicePlans, ADeviceThatCannotReadOneSliceWhileItMakesAnotherIsLeftOut) {
    m_spec.volume = fitGrid(m_scan->description.geometry, 1024);
    m_spec.volume.voxels[2] = 1000;
    m_spec.memoryBytes = 4'000'000'000;
    const Index sliceBytes = m_spec.volume.voxels[0] * m_spec.volume.voxels[1] * 4;
    const std::vector<CpuDeviceSpec> specs = {{1e12, 2 * sliceBytes}, {1e12, 100'000'000'000}};
    const JobPlan plan = this->plan(specs);
    expectWhole(plan, m_spec.volume);
    ASSERT_EQ(plan.devices.size(), 1U);
    EXPECT_EQ(plan.devices[0].device, 1);
    m_spec.devices = {0, 1};
    EXPECT_ERROR((void)this->plan(specs), ResourceError,
                 "GPU 0 (Test 1) lacks memory: one slice at a time");
}

TEST_F(DevicePlans, OnlyNamedDevicesAreTouched) {
    Backends all = devices({{1e12}, {1e12}});
    std::set<int> touched;
    all.gpu.whyNoFilter = [&touched](int device) {
        touched.insert(device);
        return std::string();
    };
    m_spec.devices = {1};
    (void)planned(all);
    EXPECT_EQ(touched, std::set<int>{1});
}

TEST_F(DevicePlans, AnInterruptedRunsSlabsHaveToFit) {
    const JobPlan whole = plan({{1e12}});
    FinishedSlabs finished;
    finished.slabs = {{0, m_spec.volume.voxels[2]}};
    m_spec.devices = {0};
    EXPECT_EQ(planned(devices({{1e12}}), finished).devices.size(), 1U);
    m_spec.deviceMemoryBytes = whole.devices[0].bytes - 1;
    EXPECT_ERROR((void)planned(devices({{1e12}}), finished), ResourceError,
                 "run `gantry worker JOB --device-memory");
    m_spec.deviceMemoryBytes = 0;
    m_spec.memoryBytes = 10'000'000;
    EXPECT_ERROR((void)planned(devices({{1e12}}), finished), ResourceError,
                 "Run `gantry worker JOB --memory");
}

TEST_F(DevicePlans, AnInterruptedRunLeavesOutADeviceThatHoldsItsSlabsNoMore) {
    const Index bytes = plan({{1e12}}).devices[0].bytes;
    FinishedSlabs finished;
    finished.slabs = {{0, 40}, {40, m_spec.volume.voxels[2]}};
    const std::vector<CpuDeviceSpec> specs = {{1e12, bytes / 4}, {1e12}};
    const JobPlan plan = planned(devices(specs), finished);
    expectWhole(plan, m_spec.volume);
    ASSERT_EQ(plan.devices.size(), 1U);
    EXPECT_EQ(plan.devices[0].device, 1);
    EXPECT_EQ(plan.slabs.size(), 2U);
}

TEST_F(DevicePlans, OnlyKernelsInTilesGetWholeTiles) {
    m_spec.volume = fitGrid(m_scan->description.geometry, 128);
    m_spec.volume.voxels[2] = 600;
    const std::vector<CpuDeviceSpec> specs = {{1e12}, {2e12}};
    for (const SlabPlan& slab : plan(specs).slabs)
        EXPECT_EQ(slab.slices.hull().begin % 128, 0);
    m_spec.gpuKernel = "standard";
    const JobPlan plan = this->plan(specs);
    ASSERT_EQ(plan.slabs.size(), 2U);
    EXPECT_EQ(plan.slabs[0].slices.size(), 200);
}

TEST_F(DevicePlans, WishesThatDoNotGoTogetherAreRefused) {
    const Machine none = test::machine();
    const Machine two = machineOf(devices({{}, {}}));
    const JobSpec good = m_spec;
    EXPECT_TRUE(runsOnDevices(good, two));
    EXPECT_FALSE(runsOnDevices(good, none));
    JobSpec spec = good;
    spec.cpuKernel = kReferenceKernel;
    EXPECT_FALSE(runsOnDevices(spec, two));
    spec.engine = Engine::gpu;
    EXPECT_ERROR((void)runsOnDevices(spec, two), InputError, "runs on the CPU");
    spec = good;
    spec.gpuKernel = "tile";
    EXPECT_ERROR((void)runsOnDevices(spec, none), InputError, "this test has none");
    spec.engine = Engine::cpu;
    EXPECT_FALSE(spec.fast);
    EXPECT_ERROR((void)runsOnDevices(spec, two), InputError, "tile needs a GPU");
    spec.gpuKernel = kAnyKernel;
    spec.fast = true;
    EXPECT_ERROR((void)runsOnDevices(spec, two), InputError, "The precision fast needs a GPU");
    spec.fast = false;
    spec.deviceMemoryBytes = 1'000'000'000;
    EXPECT_ERROR((void)runsOnDevices(spec, two), InputError,
                 "A limit of GPU memory needs a GPU, and the job runs on the CPU. Leave "
                 "--device-memory out");
    spec.deviceMemoryBytes = 0;
    spec.filterOn = FilterOn::gpu;
    EXPECT_ERROR((void)runsOnDevices(spec, two), InputError,
                 "Filtering on the GPU needs a GPU, and the job runs on the CPU");
    leaveGpus(spec);
    EXPECT_FALSE(runsOnDevices(spec, two));
    spec = good;
    spec.cpuKernel = kReferenceKernel;
    spec.devices = {1};
    EXPECT_ERROR((void)runsOnDevices(spec, two), InputError, "A choice of GPUs needs a GPU");
    spec = good;
    spec.gpuKernel = "mirror-texture";
    EXPECT_ERROR((void)runsOnDevices(spec, two), InputError, "--precision fast");
    spec.fast = true;
    EXPECT_TRUE(runsOnDevices(spec, two));
    m_spec.devices = {0, 4};
    EXPECT_ERROR((void)plan({{}, {}}), InputError,
                 "There is no GPU 4. This machine has 0 (Test 1), 1 (Test 1)");
    m_spec.devices = {1, 1};
    EXPECT_ERROR((void)plan({{}, {}}), InputError, "GPU 1 is named twice");
    m_spec.devices = {1};
    EXPECT_EQ(plan({{}, {}}).devices.front().device, 1);
}

TEST_F(DevicePlans, NamesDevicesAndKernels) {
    Backends all = devices({{1e12}, {1e12}, {1e12}});
    all.gpu.info.devices[2].name = "Test 2";
    EXPECT_EQ(engineName(planned(all)), "2 × Test 1 (tile, exact) + Test 2 (tile, exact)");
}

}  // namespace
}  // namespace gantry
