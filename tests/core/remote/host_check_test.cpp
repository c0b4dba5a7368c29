#include "core/remote/host_check.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "core/base/version.h"

namespace gantry {
namespace {

HostFinding findingOf(const Host& host, const std::string& printed, const std::string& what) {
    const std::vector<HostFinding> all = findingsIn(host, printed, 1000);
    const auto found = std::find_if(all.begin(), all.end(),
                                    [&](const HostFinding& each) { return each.what == what; });
    return found == all.end() ? HostFinding{} : *found;
}

TEST(HostCheck, VersionsOfOneSeriesSuit) {
    const std::string own(programVersion());
    EXPECT_TRUE(versionFinding({}, "gantry " + own).isGood);
    EXPECT_TRUE(versionFinding({}, "Lmod loads gantry " + own).isGood);
    for (const char* printed : {"gantry 0.0.9", "gantry 99.1.0", "", "sh: gantry: not found",
                                "gantry is not what you think"}) {
        EXPECT_FALSE(versionFinding({}, printed).isGood) << printed;
        EXPECT_FALSE(versionFinding({}, printed).advice.empty()) << printed;
    }
}

TEST(HostCheck, WhatIsAmissIsNamedWithWhatToDo) {
    Host host;
    host.scheduler = Scheduler::slurm;
    host.partition = "gpu";
    host.gpusPerNode = 4;
    const std::string good =
        "clock 1001\ntools asked\nscratch /s\nfree 9000000\nranks yes\nmpi pmix\n"
        "slurm slurm-wlm 22.05.8\npartition debug*|up|2|(null)|infinite\n"
        "partition gpu|up|8|gpu:a100:4|1-00:00:00\n";
    for (const char* what : {"clock", "tools", "scratch folder", "MPI", "Slurm", "GPUs"})
        EXPECT_TRUE(findingOf(host, good, what).isGood) << what;
    EXPECT_FALSE(findingOf(host, "clock 1300\n", "clock").isGood);
    EXPECT_EQ(findingOf(host, "clock 1300\n", "clock").found,
              "is 5 min 00 s ahead of this machine's");
    EXPECT_FALSE(findingOf(host, "lacks cksum\n", "tools").isGood);
    EXPECT_FALSE(findingOf(host, "scratch /s\nfree 9\n", "scratch folder").isGood);
    EXPECT_FALSE(findingOf(host, "", "scratch folder").isGood);
    EXPECT_EQ(findingOf(host, "slurm slurm 23\ndown Unable to contact", "Slurm").found,
              "does not answer: Unable to contact");
    EXPECT_EQ(findingOf(host, "slurm slurm 23\npartition debug*|up|2|x|y", "Slurm").advice,
              "Partitions there: debug.");
    EXPECT_FALSE(findingOf(host, "slurm slurm 23\npartition gpu|up|2|(null)|y", "GPUs").isGood);
}

}  // namespace
}  // namespace gantry
