#include "core/remote/scheduler/host_check.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "core/base/file.h"
#include "core/base/version.h"
#include "tests/support/temporary_folder.h"

namespace gantry {
namespace {

HostFinding findingOf(const Host& host, const std::string& printed, const std::string& what) {
    const std::vector<HostFinding> all =
        findingsIn(host,
                   printed +
                       "\nasked reach\nasked tools\nasked scratch\nasked version\nasked slurm\n"
                       "asked mpi\nasked gpus\nasked clock\n",
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
    const std::string good =
        "clock 1001\nscratch /s\nfree 9000000\nranks yes\nmpi pmix\n"
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
    const std::vector<HostFinding> all = checkHost(host, HostShell(host),
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
