#include "core/work/job_ranks.h"

#include <gtest/gtest.h>

#include <vector>

#include "core/base/error.h"
#include "tests/support/expect_error.h"
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

TEST(VersionsOfRanks, HaveToBeOne) {
    EXPECT_NO_THROW(requireOneVersion({}));
    const std::vector<RankProcess> same = {{"a", 1, "0.2.0"}, {"b", 2, "0.2.0"}};
    EXPECT_NO_THROW(requireOneVersion(same));
    const std::vector<RankProcess> different = {
        {"a", 1, "0.2.0"}, {"a", 2, "0.2.0"}, {"b", 3, "0.1.9"}};
    EXPECT_ERROR(requireOneVersion(different), InputError,
                 "Rank 2 on b is Gantry 0.1.9, but rank 0 on a is Gantry 0.2.0");
}

}  // namespace
}  // namespace gantry
