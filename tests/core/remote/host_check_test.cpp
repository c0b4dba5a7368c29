#include "core/remote/scheduler/host_check.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "core/base/file.h"
#include "core/base/version.h"
#include "core/remote/scheduler/host_findings.h"
#include "tests/support/temporary_folder.h"

namespace gantry {
namespace {

HostFinding findingOf(const Host& host, const std::string& printed, const std::string& what) {
    const std::vector<HostFinding> all =
        findingsIn(host,
                   printed +
                       "\nasked reach\nasked tools\nasked scratch\nasked version\nasked queue\n"
                       "asked mpi\nasked gpus\nasked job\nasked ranks\nasked clock\n",
                   1000);
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
    host.ranksPerNode = 4;
    host.launcher = "srun --mpi=none";
    const std::string good =
        "clock 1001\nscratch /s\nfree 9000000\nranks yes\nmpi pmix\n"
        "queue slurm-wlm 22.05.8\npartition debug*|up|2|(null)|infinite\n"
        "partition gpu|up|8|gpu:a100:4|1-00:00:00|64|512000\n"
        "takes\ncode 0\nsaw 2 ranks on n1\n";
    for (const char* what :
         {"clock", "tools", "scratch folder", "MPI", "Slurm", "GPUs", "job", "ranks"})
        EXPECT_TRUE(findingOf(host, good, what).isGood) << what;
    EXPECT_FALSE(findingOf(host, "clock 1300\n", "clock").isGood);
    EXPECT_EQ(findingOf(host, "clock 1300\n", "clock").found,
              "is 5 min 00 s ahead of this machine's");
    EXPECT_FALSE(findingOf(host, "lacks cksum\n", "tools").isGood);
    EXPECT_FALSE(findingOf(host, "scratch /s\nfree 9\n", "scratch folder").isGood);
    EXPECT_FALSE(findingOf(host, "", "scratch folder").isGood);
    EXPECT_EQ(findingOf(host, "queue slurm 23\ndown Unable to contact", "Slurm").found,
              "does not answer: Unable to contact");
    EXPECT_EQ(findingOf(host, "queue slurm 23\npartition debug*|up|2|x|y", "Slurm").advice,
              "There are debug.");
    EXPECT_FALSE(findingOf(host, "queue slurm 23\npartition gpu|up|2|(null)|y", "GPUs").isGood);
}

TEST(HostCheck, WhatALauncherDoesIsTold) {
    Host host;
    host.scheduler = Scheduler::slurm;
    host.ranksPerNode = 2;
    host.launcher = "srun --mpi=none";
    const auto found = [&](const std::string& printed) {
        return findingOf(host, printed, "ranks");
    };
    EXPECT_EQ(found("code 0\nsaw 2 ranks on n1").found, "2 ranks on n1");
    EXPECT_EQ(found("code 0\nsaid No GPU").found,
              "'srun --mpi=none' starts 2 processes that do not see each other");
    EXPECT_EQ(found("code 2\nsaid gantry: srun has started").found,
              R"("srun --mpi=none" fails: gantry: srun has started)");
    EXPECT_EQ(found("untaken Invalid account").found,
              "the scheduler does not take a short job: Invalid account");
    EXPECT_TRUE(found("waits").isGood);
    EXPECT_FALSE(found("hangs").isGood);
    EXPECT_EQ(findingOf(host, "refuses Invalid partition", "job").found,
              "Slurm refuses a job of 1 node: Invalid partition");
    EXPECT_EQ(findingOf(host, "queue x\nwithout squeue\nwithout sbatch", "Slurm").found,
              "no squeue and sbatch");
}

// Its gantry answers only when what comes before it has been told.
TEST(HostCheck, FindingsAreToldAsTheyCome) {
    const test::TemporaryFolder folder;
    const std::filesystem::path go = folder / "go";
    writeFileAtomically(folder / "gantry",
                        "#!/bin/sh\nn=0\nwhile [ ! -e '" + go.string() +
                            "' ] && [ $n -lt 300 ]; do sleep 0.1; n=$((n + 1)); done\n"
                            "[ $n -lt 300 ] && echo gantry " +
                            std::string(programVersion()) + "\n");
    std::filesystem::permissions(folder / "gantry", std::filesystem::perms::owner_all);
    Host host;
    host.scratch = (folder / "it's scratch").string();
    host.program = (folder / "gantry").string();
    std::vector<std::string> told;
    const std::vector<HostFinding> all = checkHost(host,
                                                   [&](const HostFinding& finding) {
                                                       told.push_back(finding.what);
                                                       if (finding.what == "scratch folder")
                                                           writeFileAtomically(go, "");
                                                   },
                                                   {});
    EXPECT_EQ(told, (std::vector<std::string>{"reached", "tools", "scratch folder", "gantry", "MPI",
                                              "GPUs", "clock"}));
    ASSERT_EQ(all.size(), told.size());
    EXPECT_TRUE(all[3].isGood) << all[3].found;
}

}  // namespace
}  // namespace gantry
