#include "core/work/rank_share.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/fake_gpus.h"

namespace gantry {
namespace {

constexpr Index kFree = 80'000'000'000;

class RanksOfAMachine : public testing::Test {
  protected:
    void addGpus(int count) { m_machine.gpu = test::fakeGpus(count, kFree, m_fake).info; }
    [[nodiscard]] JobSpec part(int number, int ranks) const {
        RankView all = {{{0, m_machine.threads}}, {}};
        for (const DeviceFacts& device : m_machine.gpu.devices)
            all.gpus.push_back(std::to_string(device.number));
        const std::vector<RankView> views(static_cast<std::size_t>(ranks), all);
        return partOfMachine(m_spec, m_machine, views, number);
    }

    RanksOfAMachine() {
        m_machine.threads = 12;
        m_machine.freeBytes = 64'000'000'000;
    }

    test::FakeGpuRates m_fake;
    Machine m_machine;
    JobSpec m_spec;
};

TEST_F(RanksOfAMachine, ShareThreadsMemoryAndGpus) {
    addGpus(5);
    EXPECT_EQ(part(0, 3).threads, 4);
    EXPECT_EQ(part(0, 3).memoryBytes, 64'000'000'000 / 3);
    EXPECT_EQ(part(0, 3).devices, (std::vector{0, 3}));
    EXPECT_EQ(part(1, 3).devices, (std::vector{1, 4}));
    EXPECT_EQ(part(2, 3).devices, std::vector{2});
    m_spec.devices = {4, 1};
    EXPECT_EQ(part(1, 2).devices, std::vector{1});
}

TEST_F(RanksOfAMachine, ShareAGpuWhereThereAreFewer) {
    addGpus(2);
    EXPECT_EQ(part(2, 3).devices, std::vector{0});
    EXPECT_EQ(part(2, 3).deviceMemoryBytes, kFree / 2);
    EXPECT_EQ(part(0, 3).deviceMemoryBytes, kFree / 2) << "the other half";
    EXPECT_EQ(part(1, 3).deviceMemoryBytes, 0) << "all of the other GPU";
}

TEST_F(RanksOfAMachine, TakeNoGpuWhereTheCpuIsAskedFor) {
    addGpus(2);
    m_spec.engine = Engine::cpu;
    EXPECT_TRUE(part(1, 2).devices.empty());
    EXPECT_EQ(part(1, 2).threads, 6);
    m_spec.engine = Engine::automatic;
    m_spec.cpuKernel = "reference";
    EXPECT_TRUE(part(1, 2).devices.empty()) << "it runs on the CPU alone";
}

// Ranks are bound as by `mpirun --bind-to core`, and see one GPU each as tasks of Slurm do.
TEST_F(RanksOfAMachine, UseAllThatTheyAloneSee) {
    addGpus(1);
    m_machine.threads = 4;
    const std::vector<RankView> views = {{{{0, 4}}, {"a"}}, {{{4, 8}}, {"b"}}};
    for (const int number : {0, 1}) {
        const JobSpec part = partOfMachine(m_spec, m_machine, views, number);
        EXPECT_EQ(part.threads, 4);
        EXPECT_EQ(part.devices, std::vector{0});
        EXPECT_EQ(part.deviceMemoryBytes, 0) << "all of it";
        EXPECT_EQ(part.memoryBytes, 32'000'000'000) << "it is the machine's";
        EXPECT_NE(describeShare(part, views, number).find(", which no other rank sees; with GPU 0"),
                  std::string::npos);
    }
}

TEST_F(RanksOfAMachine, ShareWhatSeveralSee) {
    addGpus(1);
    m_machine.threads = 4;
    // Two ranks on each of two sockets, each with its GPU.
    const std::vector<RankView> views = {{{{0, 4}}, {"a"}},
                                         {{{0, 4}}, {"a"}},
                                         {{{4, 6}, {8, 10}}, {"b"}},
                                         {{{4, 6}, {8, 10}}, {"b"}}};
    for (const int number : {0, 1, 2, 3}) {
        const JobSpec part = partOfMachine(m_spec, m_machine, views, number);
        EXPECT_EQ(part.threads, 2);
        EXPECT_EQ(part.deviceMemoryBytes, kFree / 2);
    }
    EXPECT_NE(
        describeShare(partOfMachine(m_spec, m_machine, views, 3), views, 3).find("cores 4-5,8-9"),
        std::string::npos);
    // One core of the first rank is the second's, too.
    const std::vector<RankView> partly = {{{{0, 4}}, {"a", "b"}}, {{{3, 4}}, {"b"}}};
    EXPECT_EQ(partOfMachine(m_spec, m_machine, partly, 0).threads, 3);
    EXPECT_EQ(partOfMachine(m_spec, m_machine, partly, 1).threads, 1);
    EXPECT_EQ(partOfMachine(m_spec, m_machine, partly, 1).deviceMemoryBytes, kFree / 2);
}

TEST(RankViews, GoToOtherRanks) {
    const RankView view = rankView({});
    EXPECT_FALSE(view.cores.empty());
    const RankView again = parseRankView(toJson(RankView{{{0, 4}, {8, 9}}, {"GPU-1"}}));
    EXPECT_EQ(again.cores, (std::vector<IndexRange>{{0, 4}, {8, 9}}));
    EXPECT_EQ(again.gpus, std::vector<std::string>{"GPU-1"});
}

}  // namespace
}  // namespace gantry
