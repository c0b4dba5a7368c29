#include "core/work/job_ranks.h"

#include <gtest/gtest.h>

#include "tests/support/fake_gpus.h"

namespace gantry {
namespace {

constexpr Index kFree = 80'000'000'000;

class RanksOfAMachine : public testing::Test {
  protected:
    void addGpus(int count) { m_machine.gpu = test::fakeGpus(count, kFree, m_fake).info; }
    [[nodiscard]] JobSpec part(int number, int ranks) const {
        return partOfMachine(m_spec, m_machine, number, ranks);
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

}  // namespace
}  // namespace gantry
