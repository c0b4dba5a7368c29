#include "ui/models/job/job_remedy.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/base/file.h"
#include "tests/support/fake_gpus.h"
#include "tests/support/small_job.h"
#include "tests/support/temporary_folder.h"
#include "ui/models/job/job_volume.h"

namespace gantry {
namespace {

class JobRemedyTest : public testing::Test {
  protected:
    void SetUp() override {
        SimulationSpec spec = test::smallScan(18, 24, 16, 384);
        spec.fieldFrames = 2;
        const ScanFile file = test::simulated(spec, m_folder / "scan");
        m_scan.emplace(openScan(file));
        m_spec = test::jobOf(file, 24, m_folder / "volume.mha");
    }

    [[nodiscard]] std::variant<JobForecast, Refusal> answerTo(const JobSpec& spec) const {
        return forecastOrRefusal(*m_scan, spec, machineOf(m_backends), m_facts);
    }
    // Learns as `gantry measure` does.
    void learnOf(const JobSpec& spec) {
        learn(m_facts, *m_scan, spec, sinkNeedsOf(spec), machineOf(m_backends), m_backends,
              Purpose::forecast, {}, {});
    }
    [[nodiscard]] Refusal refused(const JobSpec& spec) const {
        const auto answer = answerTo(spec);
        const Refusal* refusal = std::get_if<Refusal>(&answer);
        EXPECT_NE(refusal, nullptr) << "the request was not refused";
        return refusal ? *refusal : Refusal();
    }
    void useGpu(Index freeBytes) {
        m_backends.gpu = test::fakeGpus(1, freeBytes, m_fake);
        m_backends.whyNoGpu.clear();
    }
    static const Remedy* find(const Refusal& refusal, const QString& text) {
        const auto found =
            std::find_if(refusal.remedies.begin(), refusal.remedies.end(),
                         [&](const Remedy& remedy) { return remedy.text.contains(text); });
        return found == refusal.remedies.end() ? nullptr : &*found;
    }
    // Every remedy is one.
    void expectMended(const Refusal& refusal) const {
        for (const Remedy& remedy : refusal.remedies) {
            if (!remedy.spec) continue;
            const auto answer = answerTo(*remedy.spec);
            EXPECT_TRUE(std::holds_alternative<JobForecast>(answer)) << remedy.text.toStdString();
        }
    }

    test::TemporaryFolder m_folder;
    std::optional<OpenScan> m_scan;
    JobSpec m_spec;
    Backends m_backends = test::backends();
    Facts m_facts;
    test::FakeGpuRates m_fake;
};

TEST_F(JobRemedyTest, WhatFitsIsPredicted) {
    auto answer = answerTo(m_spec);
    ASSERT_TRUE(std::holds_alternative<JobForecast>(answer));
    // Memory and disk at once, the time when this machine has been measured.
    EXPECT_GT(std::get<JobForecast>(answer).plan.hostBytes, 0);
    EXPECT_FALSE(std::get<JobForecast>(answer).isComplete());
    learnOf(m_spec);
    answer = answerTo(m_spec);
    ASSERT_TRUE(std::holds_alternative<JobForecast>(answer));
    EXPECT_GT(std::get<JobForecast>(answer).seconds.wall, 0);
}

TEST_F(JobRemedyTest, TooLittleMemoryIsMendedByMore) {
    m_spec.memoryBytes = 1'000'000;
    const Refusal refusal = refused(m_spec);
    EXPECT_TRUE(refusal.sentence.contains("1.00 MB"));
    ASSERT_NE(find(refusal, "memory"), nullptr);
    EXPECT_EQ(find(refusal, "memory")->spec->memoryBytes, 0);
    expectMended(refusal);
}

TEST_F(JobRemedyTest, TooLittleDiskIsMendedByLess) {
    // Too large by a half for the disk as floats, and not as 16 bits.
    const auto free = static_cast<double>(freeDiskBytes(m_spec.output.path));
    const auto across = static_cast<Index>(std::cbrt(free / 3));
    m_spec.volume = {{across, across, across}, {0, 0, 0}, {0, 0, 0}};
    m_spec.volume.pitchMm.fill(100.0 / static_cast<double>(across));
    const Refusal refusal = refused(m_spec);
    EXPECT_TRUE(refusal.sentence.contains("disk"));
    EXPECT_NE(find(refusal, "16-bit"), nullptr);
    EXPECT_NE(find(refusal, "voxels"), nullptr);
    ASSERT_NE(find(refusal, "another place"), nullptr);
    EXPECT_FALSE(find(refusal, "another place")->spec);
    expectMended(refusal);
    // Without a range the floats are on the disk, too, until the range is known.
    m_spec.output.type = PixelType::uint16;
    EXPECT_GT(diskBytesNeeded(m_spec.output, m_spec.volume), static_cast<Index>(free));
}

TEST_F(JobRemedyTest, AMissingFolderIsMendedByAnother) {
    m_spec.output.path = m_folder / "nowhere" / "volume.mha";
    const Refusal refusal = refused(m_spec);
    EXPECT_TRUE(refusal.sentence.contains("nowhere"));
    EXPECT_NE(find(refusal, "another place"), nullptr);
    EXPECT_EQ(refusal.remedies.size(), 1u);
}

TEST_F(JobRemedyTest, AMissingGpuIsMendedByTheCpu) {
    m_spec.engine = Engine::gpu;
    const Refusal refusal = refused(m_spec);
    EXPECT_TRUE(refusal.sentence.contains("this test has none"));
    ASSERT_EQ(refusal.remedies.size(), 1u);
    expectMended(refusal);
}

TEST_F(JobRemedyTest, AnyWishForAMissingGpuIsMendedByTheCpu) {
    const std::vector<std::pair<const char*, std::function<void(JobSpec&)>>> wishes = {
        {"kernel", [](JobSpec& spec) { spec.gpuKernel = "tile"; }},
        {"fast kernel", [](JobSpec& spec) { spec.gpuKernel = "mirror-texture"; }},
        {"filter", [](JobSpec& spec) { spec.filterOn = FilterOn::gpu; }},
        {"devices", [](JobSpec& spec) { spec.devices = {0}; }},
        {"precision", [](JobSpec& spec) {
             spec.fast = true;
             spec.filterOn = FilterOn::gpu;
         }}};
    for (const auto& [name, ask] : wishes) {
        SCOPED_TRACE(name);
        JobSpec spec = m_spec;
        ask(spec);
        const Refusal refusal = refused(spec);
        ASSERT_EQ(refusal.remedies.size(), 1u);
        EXPECT_EQ(refusal.remedies.front().text, "Use the CPU");
        EXPECT_FALSE(refusal.remedies.front().spec->fast);
        expectMended(refusal);
    }
}

TEST_F(JobRemedyTest, AFullGpuIsMendedByTheCpu) {
    useGpu(1000);
    m_spec.engine = Engine::gpu;
    const Refusal refusal = refused(m_spec);
    EXPECT_TRUE(refusal.sentence.contains("GPU 0 (Fake 100)"));
    EXPECT_FALSE(refusal.sentence.contains("--"));
    ASSERT_NE(find(refusal, "Use the CPU"), nullptr);
    EXPECT_EQ(find(refusal, "Use the CPU")->spec->engine, Engine::cpu);
    expectMended(refusal);
}

TEST_F(JobRemedyTest, TooLittleGpuMemoryIsMendedByMore) {
    useGpu(1'000'000'000);
    m_spec.engine = Engine::gpu;
    m_spec.deviceMemoryBytes = 1000;
    const Refusal refusal = refused(m_spec);
    ASSERT_NE(find(refusal, "Allow more GPU memory"), nullptr);
    EXPECT_EQ(find(refusal, "Allow more GPU memory")->spec->deviceMemoryBytes, 0);
    EXPECT_NE(find(refusal, "Use the CPU"), nullptr);
    expectMended(refusal);
}

TEST_F(JobRemedyTest, WhatTheGpuCannotDoIsLeftAway) {
    useGpu(1'000'000'000);
    m_fake.whyNoFilter = "cuFFT is not installed";
    m_spec.filterOn = FilterOn::gpu;
    EXPECT_THROW(learnOf(m_spec), InputError);
    Refusal refusal = refused(m_spec);
    EXPECT_TRUE(refusal.sentence.contains("cuFFT is not installed"));
    ASSERT_NE(find(refusal, "Filter on the CPU"), nullptr);
    expectMended(refusal);
    m_spec.filterOn = FilterOn::automatic;
    m_spec.devices = {3};
    refusal = refused(m_spec);
    ASSERT_NE(find(refusal, "Use all GPUs"), nullptr);
    expectMended(refusal);
}

TEST_F(JobRemedyTest, AJobThatFilledItsGpuTakesHalfAndThenTheCpu) {
    useGpu(500'000'000);
    m_spec.gpuKernel = "tile";
    JobSpec less = withLessOfTheGpu(m_spec, machineOf(m_backends));
    EXPECT_EQ(less.deviceMemoryBytes, 500'000'000);  // half of the whole
    EXPECT_EQ(less.gpuKernel, "tile");
    less = withLessOfTheGpu(less, machineOf(m_backends));
    EXPECT_EQ(less.engine, Engine::cpu);
    EXPECT_EQ(less.gpuKernel, kAnyKernel);
    EXPECT_EQ(less.deviceMemoryBytes, 0);
}

TEST_F(JobRemedyTest, ARefusalOfThePlanIsForWantOfGpuMemoryToo) {
    useGpu(1000);
    m_spec.engine = Engine::gpu;
    const Machine machine = machineOf(m_backends);
    try {
        (void)planJob({*m_scan, m_spec, machine, m_facts, {}});
        FAIL() << "the job was planned";
    } catch (const ResourceError& error) {
        EXPECT_EQ(error.code(), ErrorCode::deviceMemory) << error.what();
    }
    m_spec.engine = Engine::cpu;
    m_spec.memoryBytes = 1000;
    try {
        (void)planJob({*m_scan, m_spec, machine, m_facts, {}});
        FAIL() << "the job was planned";
    } catch (const ResourceError& error) {
        EXPECT_EQ(error.code(), ErrorCode::hostMemory) << error.what();
    }
}

}  // namespace
}  // namespace gantry
