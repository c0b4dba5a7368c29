#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>

#include "core/base/clock.h"
#include "core/base/host_buffer.h"
#include "core/base/this_machine.h"
#include "tests/support/temporary_folder.h"

namespace gantry {
namespace {

TEST(SystemMemory, availableIsBetweenNothingAndAllOfIt) {
    const Index physical = static_cast<Index>(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGESIZE);
    EXPECT_GT(availableMemoryBytes(), 0);
    EXPECT_LE(availableMemoryBytes(), physical);
}

// Made-up control groups: files below a folder that stands for "/".
class ContainerRoom : public testing::Test {
  protected:
    void put(const std::string& path, const std::string& text) {
        std::filesystem::create_directories((m_root / path).parent_path());
        std::ofstream(m_root / path) << text;
    }
    void group1(const std::string& name, const char* limit, const char* used) {
        put("sys/fs/cgroup/memory" + name + "/memory.limit_in_bytes", limit);
        put("sys/fs/cgroup/memory" + name + "/memory.usage_in_bytes", used);
    }
    void group2(const std::string& name, const char* limit, const char* used) {
        put("sys/fs/cgroup" + name + "/memory.max", limit);
        put("sys/fs/cgroup" + name + "/memory.current", used);
    }
    [[nodiscard]] Index room() const { return containerRoomBytes(m_root.path()); }

    test::TemporaryFolder m_root;
    static constexpr Index kNoLimit = std::numeric_limits<Index>::max();
};

TEST_F(ContainerRoom, isUnlimitedWhereNothingSaysOtherwise) {
    EXPECT_EQ(room(), kNoLimit);
    put("proc/self/cgroup", "0::/user.slice\n");
    EXPECT_EQ(room(), kNoLimit);
    group2("/user.slice", "max\n", "5000\n");
    EXPECT_EQ(room(), kNoLimit);
    put("proc/self/cgroup", "damaged\n:\n\n1:memory\n");
    EXPECT_EQ(room(), kNoLimit);
}

TEST_F(ContainerRoom, isTheLeastOfAGroupAndThoseAroundIt) {
    put("proc/self/cgroup", "0::/slurm/job 7/step_0\n");
    group2("/slurm", "100000\n", "95000\n");
    group2("/slurm/job 7", "8000\n", "1000\n");
    group2("/slurm/job 7/step_0", "max\n", "1000\n");
    EXPECT_EQ(room(), 5000);
    put("sys/fs/cgroup/slurm/memory.stat", "anon 10\nfile 90000\ninactive_file 60000\nslab 3\n");
    EXPECT_EQ(room(), 7000);
    group2("/other", "1\n", "1\n");
    EXPECT_EQ(room(), 7000);
    group2("/slurm/job 7", "8000\n", "9000\n");
    EXPECT_EQ(room(), 0);
}

TEST_F(ContainerRoom, isFoundWhereTheMountBeginsAtTheContainersOwnGroup) {
    put("proc/self/cgroup", "0::/../other/docker-abc\n");
    group2("", "4000\n", "1000\n");
    EXPECT_EQ(room(), 3000);
    put("proc/self/cgroup", "0::/\n");
    EXPECT_EQ(room(), 3000);
}

TEST_F(ContainerRoom, isFoundInVersion1) {
    put("proc/self/cgroup",
        "12:cpu,cpuacct:/docker/abc\n5:hugetlb,memory:/docker/abc\n1:name=systemd:/x\n0::/x\n");
    group1("", "9223372036854771712\n", "70000\n");  // how version 1 writes "none"
    EXPECT_GT(room(), Index{1} << 60);
    group1("/docker/abc", "9000\n", "4000\n");
    EXPECT_EQ(room(), 5000);
    put("sys/fs/cgroup/memory/docker/abc/memory.stat", "cache 3000\ntotal_inactive_file 2500\n");
    EXPECT_EQ(room(), 7500);
    // Seen from inside, the container's group is the mount itself.
    std::filesystem::remove_all(m_root / "sys/fs/cgroup/memory/docker");
    group1("", "6000\n", "5000\n");
    EXPECT_EQ(room(), 1000);
}

TEST(SystemMemory, thePeakSeesWhatWasTouched) {
    constexpr Index kTouched = 80'000'000;
    const Index before = peakResidentBytes();
    EXPECT_GT(before, 0);
    HostBuffer<char> buffer(kTouched);
    std::fill(buffer.span().begin(), buffer.span().end(), 'x');
    const volatile char last = buffer[kTouched - 1];  // keeps the writes
    EXPECT_EQ(last, 'x');
    const Index after = peakResidentBytes();
    // The peak may have been higher than the present state by what earlier tests freed.
    EXPECT_GE(after, std::max(before, kTouched));
}

TEST(Clock, neverRunsBackwards) {
    std::int64_t last = nowNs();
    for (int i = 0; i < 1000; ++i) {
        const std::int64_t now = nowNs();
        EXPECT_GE(now, last);
        last = now;
    }
}

TEST(Clock, processorTimeGrowsWithWorkAndNotWithSleep) {
    const double start = processCpuSeconds();
    volatile double sum = 0;
    while (processCpuSeconds() - start < 0.02)
        sum = sum + 1;
    const double worked = processCpuSeconds();
    usleep(50'000);
    EXPECT_LT(processCpuSeconds() - worked, 0.04);
}

}  // namespace
}  // namespace gantry
