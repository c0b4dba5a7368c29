#include "core/plan/questions.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/plan/plan_forecast.h"
#include "tests/core/plan/plan_scan.h"
#include "tests/support/expect_error.h"
#include "tests/support/fake_gpus.h"

namespace gantry {
namespace {

using About = Question::About;

// A job on a machine that is nothing but values.
class QuestionsTest : public testing::Test {
  protected:
    QuestionsTest() {
        m_machine.threads = 8;
        m_machine.freeBytes = 64'000'000'000;
        m_machine.cpu.devices = {{0, "Some CPU", 0, 0}};
        m_machine.cpu.kernels = {{"reference"}, {"columns"}};
        m_machine.cpu.bytesNeeded = [](const DeviceJob& job) {
            return job.maxSlices * job.volume.voxels[0] * job.volume.voxels[1] * 4;
        };
        m_machine.gpu.kernels = test::testGpuKernels();
        m_machine.gpu.bytesNeeded = [](const DeviceJob& job) {
            return job.slabsAtOnce * job.maxSlices * job.volume.voxels[0] * job.volume.voxels[1] *
                   4;
        };
        m_machine.whyNoGpu = "there is none";
        m_request.volume = fitGrid(test::scanOf(101, 67), 100);
        m_sink = {1'000'000, 4'000'000, "/some/place"};
    }

    void addGpus(int count) {
        for (int number = 0; number < count; ++number)
            m_machine.gpu.devices.push_back({number, "GPU", 80'000'000'000, 80'000'000'000});
    }
    [[nodiscard]] PlanInputs inputs() const {
        return {m_scan, m_request, m_machine, m_facts, m_sink};
    }
    [[nodiscard]] std::vector<Question> asked(Purpose purpose) const {
        return questions(inputs(), purpose);
    }
    [[nodiscard]] std::vector<About> abouts(Purpose purpose) const {
        std::vector<About> result;
        for (const Question& question : asked(purpose))
            result.push_back(question.about);
        return result;
    }
    // Answers what is asked now.
    void answer(Purpose purpose, double updatesPerSecond) {
        for (const Question& question : asked(purpose)) {
            if (question.about == About::kernel)
                m_facts.add(question, KernelFacts{{{"tile", false, 128}, updatesPerSecond}, ""});
            if (question.about == About::device)
                m_facts.add(question, DeviceRates{1e10, 1e10, 1e9});
            if (question.about == About::host)
                m_facts.add(question, HostRates{1e9, 1e9, 1e9, m_scan.corrections.any() ? 1e6 : 0});
            if (question.about == About::storage) m_facts.add(question, StorageRate{1e9});
        }
    }

    Acquisition m_scan = test::acquisitionOf(101, 67);
    ReconstructionRequest m_request;
    Machine m_machine;
    Facts m_facts;
    SinkNeeds m_sink;
};

TEST_F(QuestionsTest, ARunOnTheCpuAsksNothingAndAForecastAsksForEveryStage) {
    EXPECT_TRUE(asked(Purpose::run).empty());
    EXPECT_EQ(abouts(Purpose::forecast),
              (std::vector<About>{About::host, About::kernel, About::storage}));
    answer(Purpose::forecast, 1e9);
    EXPECT_TRUE(asked(Purpose::forecast).empty());
    const Forecast seconds = forecast(inputs(), planJob(inputs()));
    EXPECT_DOUBLE_EQ(seconds.backproject, static_cast<double>(m_request.volume.count() * 90) / 1e9);
    EXPECT_GT(seconds.wall, seconds.backproject);
}

TEST_F(QuestionsTest, OnlyRingsHaveToBeOutBeforeBackProjectionBegins) {
    const auto predicted = [&](bool isOnCpu) {
        m_request.engine = isOnCpu ? Engine::cpu : Engine::automatic;
        answer(Purpose::forecast, 1e8);
        while (!asked(Purpose::forecast).empty())
            answer(Purpose::forecast, 1e8);
        return forecast(inputs(), planJob(inputs()));
    };
    addGpus(1);
    for (const bool isOnCpu : {true, false}) {
        m_scan.corrections = {};
        m_scan.corrections.zingers.ratio = 1.2;
        const Forecast zingers = predicted(isOnCpu);
        ASSERT_GT(zingers.correct, 0);
        m_scan.corrections.rings.method = RingMethod::sorting;
        const Forecast rings = predicted(isOnCpu);
        EXPECT_DOUBLE_EQ(rings.correct, zingers.correct);
        const double before = rings.load + rings.correct;
        EXPECT_GE(rings.wall, before + rings.backproject + rings.filter);
        if (isOnCpu) continue;
        EXPECT_LT(zingers.wall, before + zingers.backproject);
    }
}

TEST_F(QuestionsTest, GpusAreAskedForTheirKernelsFirst) {
    addGpus(2);
    EXPECT_EQ(abouts(Purpose::run), (std::vector<About>{About::kernel, About::kernel}));
    EXPECT_EQ(abouts(Purpose::forecast), abouts(Purpose::run));
    answer(Purpose::run, 1e12);
    EXPECT_TRUE(asked(Purpose::run).empty());
    EXPECT_EQ(abouts(Purpose::forecast),
              (std::vector<About>{About::host, About::device, About::device, About::storage}));
    answer(Purpose::forecast, 1e12);
    EXPECT_TRUE(asked(Purpose::forecast).empty());
    EXPECT_GT(forecast(inputs(), planJob(inputs())).wall, 0);
}

TEST_F(QuestionsTest, WhatWasAskedForOneJobHoldsForOthersLikeIt) {
    addGpus(1);
    answer(Purpose::run, 1e12);
    m_request.volume.voxels[0] += 3;
    m_request.filter.cutoff = 0.5;
    EXPECT_TRUE(asked(Purpose::run).empty());
    m_request.volume = fitGrid(test::scanOf(101, 67), 400);
    EXPECT_FALSE(asked(Purpose::run).empty()) << "four times as many voxels across";
    answer(Purpose::run, 1e12);
    m_request.fast = true;
    EXPECT_FALSE(asked(Purpose::run).empty());
    m_request.fast = false;
    m_request.gpuKernel = "standard";
    ASSERT_EQ(asked(Purpose::run).size(), 1U);
    EXPECT_EQ(asked(Purpose::run).front().kernel, "standard");
}

TEST_F(QuestionsTest, ALongRunAsksWhereToFilterAndAShortOneDoesNot) {
    addGpus(1);
    const double updates = static_cast<double>(m_request.volume.count() * 90);
    answer(Purpose::run, updates / 3);
    EXPECT_TRUE(asked(Purpose::run).empty()) << "3 s";
    m_facts = {};
    answer(Purpose::run, updates / 30);
    EXPECT_EQ(abouts(Purpose::run), (std::vector<About>{About::host, About::device}));
    m_request.filterOn = FilterOn::gpu;
    EXPECT_TRUE(asked(Purpose::run).empty()) << "it is said";
}

TEST_F(QuestionsTest, APlanDoesWithoutFacts) {
    addGpus(2);
    const JobPlan plan = planJob(inputs());
    EXPECT_EQ(plan.engine, EngineKind::gpu);
    ASSERT_EQ(plan.devices.size(), 2U);
    EXPECT_EQ(plan.devices[0].kernel.kernel.name, "tile") << "the usual one";
    EXPECT_EQ(plan.slabs[0].slices.size(), plan.slabs[1].slices.size()) << "equal speeds";
    EXPECT_GT(plan.devices[0].bytes, 0);
    const Forecast seconds = forecast(inputs(), plan);
    EXPECT_EQ(seconds.wall, 0);
    EXPECT_EQ(seconds.boundingStage, "");
}

TEST_F(QuestionsTest, ADeviceWithoutRoomForASliceIsNotAsked) {
    addGpus(2);
    m_machine.gpu.devices[0].freeBytes = 100;
    const std::vector<Question> open = asked(Purpose::run);
    ASSERT_EQ(open.size(), 1U);
    EXPECT_EQ(open.front().device, 1);
}

TEST_F(QuestionsTest, ADeviceThatFailedIsNotAskedAgain) {
    addGpus(2);
    for (const Question& question : asked(Purpose::run))
        m_facts.add(question, DeviceFailure{"It is busy.", {}});
    EXPECT_TRUE(asked(Purpose::run).empty()) << "the CPU takes it";
    const JobPlan plan = planJob(inputs());
    EXPECT_EQ(plan.engine, EngineKind::cpu);
    ASSERT_EQ(plan.notes.size(), 1U);
    EXPECT_NE(plan.notes[0].find("It is busy."), std::string::npos);
    EXPECT_EQ(abouts(Purpose::forecast),
              (std::vector<About>{About::host, About::kernel, About::storage}));
    m_request.engine = Engine::gpu;
    EXPECT_ERROR((void)asked(Purpose::run), ResourceError, "It is busy.");
}

TEST_F(QuestionsTest, TheCpuTakesTheFewestSlabsThatFit) {
    const JobPlan whole = planJob(inputs());
    ASSERT_EQ(whole.slabs.size(), 1U);
    m_request.memoryBytes = 1;
    EXPECT_ERROR((void)planJob(inputs()), ResourceError, "one slice at a time already needs");
    JobPlan plan = whole;
    for (int round = 0; round < 5; ++round) {
        const std::size_t before = plan.slabs.size();
        m_request.memoryBytes = plan.hostBytes;
        EXPECT_EQ(planJob(inputs()).slabs.size(), before);
        m_request.memoryBytes = plan.hostBytes - 1;
        plan = planJob(inputs());
        EXPECT_LE(plan.hostBytes, m_request.memoryBytes);
        EXPECT_EQ(plan.slabs.size(), before + 1);
        EXPECT_EQ(plan.passes.size(), plan.slabs.size());
    }
}

TEST_F(QuestionsTest, TheSinksMemoryCounts) {
    const Index usual = planJob(inputs()).hostBytes;
    m_sink.hostBytes += 12'345'678;
    EXPECT_EQ(planJob(inputs()).hostBytes, usual + 12'345'678);
    m_sink.hostBytes -= 12'345'678;
    m_sink.threadBytes = 1'000'000;
    JobPlan plan = planJob(inputs());
    EXPECT_EQ(plan.hostBytes, usual + plan.threads * m_sink.threadBytes);
    // Where it does not fit, slabs are smaller.
    m_request.memoryBytes = plan.hostBytes - 1;
    plan = planJob(inputs());
    EXPECT_LE(plan.hostBytes, m_request.memoryBytes);
    EXPECT_GT(plan.slabs.size(), 1U);
    m_request.memoryBytes = 0;
    // A volume that stays in memory takes no time to store.
    m_sink.folder.clear();
    EXPECT_EQ(abouts(Purpose::forecast), (std::vector<About>{About::host, About::kernel}));
    answer(Purpose::forecast, 1e9);
    EXPECT_GT(forecast(inputs(), planJob(inputs())).wall, 0);
}

TEST_F(QuestionsTest, PassesGoRoundWhatIsFinished) {
    addGpus(2);
    const Index nZ = m_request.volume.voxels[2];
    FinishedSlabs finished;
    for (Index i = 0; i < 7; ++i)
        finished.slabs.emplace_back(i * nZ / 7, (i + 1) * nZ / 7);
    finished.done = {0, 3};
    const JobPlan plan = planJob(inputs(), finished);
    std::vector<std::vector<Index>> passes;
    for (const PassPlan& pass : plan.passes) {
        passes.emplace_back();
        for (const Assignment& part : pass.assignments) {
            EXPECT_EQ(part.device, static_cast<Index>(passes.back().size()));
            EXPECT_EQ(part.views, (IndexRange{0, 90}));
            EXPECT_EQ(part.rank, 0);
            passes.back().push_back(part.slab);
        }
    }
    // Slabs that share a reading of the views are neighbours.
    EXPECT_EQ(passes, (std::vector<std::vector<Index>>{{1, 2}, {4, 5}, {6}}));
    finished.done = {0, 1, 2, 3, 4, 5, 6};
    EXPECT_TRUE(planJob(inputs(), finished).passes.empty());
}

// A GPU computes one slab while it gives another away; the CPU computes where the slab stays.
TEST_F(QuestionsTest, ATrialHasRoomForTheSlabsThatARunHoldsAtOnce) {
    addGpus(1);
    const Question ofGpu = gpuKernelQuestion(inputs(), 0, 1);
    EXPECT_EQ(trialJobOf(m_scan, m_request, ofGpu).slabsAtOnce, 2);
    m_request.engine = Engine::cpu;
    const Question ofCpu = cpuKernelQuestion(planJob(inputs()));
    EXPECT_EQ(trialJobOf(m_scan, m_request, ofCpu).slabsAtOnce, 1);
}

}  // namespace
}  // namespace gantry
