#include "core/remote/host/host.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/base/file.h"
#include "tests/support/manual_table.h"

namespace gantry {
namespace {

constexpr const char* kCluster = R"({"gantryHost": 1, "address": "me@login.example.org",
  "scheduler": "slurm", "scratch": "$SCRATCH/gantry", "cluster": "h200",
  "start": {"by": "module", "module": "gantry/1 openmpi",
            "setup": ["ulimit -s unlimited"], "binds": ["/opt", "$X/a b:/in"]},
  "batch": {"partition": "gpu", "account": "ct-1", "timeMinutes": 120, "maxNodes": 8,
            "gpusPerNode": 4, "gpuType": "a100", "ranksPerNode": 4, "cpusPerRank": 8,
            "memoryPerNode": "180G", "exclusive": true, "constraint": "a&b", "reservation": "r",
            "licenses": "l:1", "options": ["--mail-type=END", "--comment='a b'"],
            "launcher": "srun --mpi=pmix --export 'ALL,A=b c'"},
  "environment": {"A": "b c"}, "pathMap": {"/data": "/net/data", "/data/ct 1": "/ct"}})";

TEST(Host, IsReadAndWritten) {
    const Host host = parseHost(kCluster, "/x/my cluster.json");
    EXPECT_EQ(host.name, "my cluster");
    EXPECT_EQ(host.scheduler, Scheduler::slurm);
    EXPECT_EQ(host.startBy, StartBy::module);
    EXPECT_EQ(host.ranksPerNode, 4);
    const Host again = parseHost(toJson(host), "/x/my cluster.json");
    for (const FileField<Host>& field : hostFields())
        EXPECT_TRUE(field.isSame(host, again)) << field.shape.path();
    EXPECT_EQ(again.environment, host.environment);
    EXPECT_EQ(again.pathMap, host.pathMap);
}

TEST(Host, FilesOfVersion01AreRead) {
    const Host host = parseHost(
        R"({"gantryHost": 1, "scratch": "/s", "scheduler": "slurm", "slurm": {"mostNodes": 8}})",
        "h.json");
    EXPECT_EQ(host.maxNodes, 8);
    EXPECT_NE(toJson(host).find("\"batch\""), std::string::npos);
    EXPECT_NE(toJson(host).find("maxNodes"), std::string::npos);
}

TEST(Host, TheManualListsEveryField) {
    const std::string page =
        readTextFile(std::filesystem::path(GANTRY_RESOURCES) / "help/remote-jobs.md");
    const std::string table = manualTable(hostFields());
    EXPECT_NE(page.find(table), std::string::npos) << "it lacks this table:\n" << table;
}

TEST(Host, PathsAreMappedByTheDeepestFolder) {
    const Host host = parseHost(kCluster, "c.json");
    EXPECT_EQ(mappedPath(host, "/data/a/b.tif"), "/net/data/a/b.tif");
    EXPECT_EQ(mappedPath(host, "/data/ct 1/b.tif"), "/ct/b.tif");
    EXPECT_EQ(mappedPath(host, "/data"), "/net/data");
    EXPECT_FALSE(mappedPath(host, "/database/x"));
    EXPECT_FALSE(mappedPath(host, "/data/../etc/passwd"));
}

TEST(Host, WrongFieldsAreNamed) {
    const auto failure = [](const std::string& fields) {
        try {
            (void)parseHost(R"({"gantryHost": 1, "scratch": "/s", )" + fields + "}", "h.json");
        } catch (const InputError& error) {
            return error.message();
        }
        return std::string("none");
    };
    const std::vector<std::vector<std::string>> cases = {
        {R"("address": "-oProxyCommand=x")", "address", "no dash"},
        {R"("address": "a b")", "address", "'a b'"},
        {R"("slurm": {"partition": "a\n#SBATCH"})", "batch.partition"},
        {R"x("slurm": {"account": "$(id)"})x", "batch.account"},
        {R"("slurm": {"launcher": "srun;id"})", "batch.launcher"},
        {R"("slurm": {"nodes": 3})", "batch.nodes", "maxNodes"},
        {R"("start": {"by": "image"})", "start.image"},
        {R"("start": {"by": "module"})", "start.module"},
        {R"("start": {"by": "word"})", "start.by"},
        {R"("environment": {"A=B": "x"})", "environment"},
        {R"("environment": {"A": 3})", "environment"},
        {R"x("environment": {"A/$(touch x)": "x"})x", "environment", "'A/$(touch x)'"},
        {R"("environment": {"A/b": "x"})", "environment", "letters, digits"},
        {R"("environment": {"1A": "x"})", "environment"},
        {R"("environment": {"": "x"})", "environment"},
        {R"("environment": {"A": "a\u0000b"})", "environment", "null"},
        {R"("pathMap": {"data": "/x"})", "pathMap"},
        {R"("scheduler": "lsf")", "scheduler", "pbs"},
        {R"("batch": {"memoryPerNode": "180"})", "batch.memoryPerNode", "180G"},
        {R"("batch": {"memoryPerNode": "1G\n#SBATCH"})", "batch.memoryPerNode"},
        {R"("batch": {"memoryPerNode": "-1G"})", "batch.memoryPerNode"},
        {R"("batch": {"memoryPerNode": "99999999999G"})", "batch.memoryPerNode"},
        {R"("batch": {"cpusPerRank": -1})", "batch.cpusPerRank", "0 to 4096"},
        {R"("batch": {"cpusPerRank": 1e18})", "batch.cpusPerRank"},
        {R"("batch": {"exclusive": "yes"})", "batch.exclusive"},
        {R"x("batch": {"constraint": "$(id)"})x", "batch.constraint"},
        {R"("batch": {"gpuType": "a100:4"})", "batch.gpuType"},
        {R"("batch": {"reservation": "a b"})", "batch.reservation"},
        {R"("batch": {"licenses": "a;b"})", "batch.licenses"},
        {R"("batch": {"options": ["mail"]})", "batch.options", "'mail'", "dash"},
        {R"("batch": {"options": ["--a\nrm -r x"]})", "batch.options"},
        {R"("batch": {"options": "--a"})", "batch.options", "list"},
        {R"("batch": {"options": [1]})", "batch.options[0]"},
        {R"("batch": {"launcher": "srun 'a"})", "batch.launcher", "quotes"},
        {R"x("batch": {"launcher": "srun $(id)"})x", "batch.launcher"},
        {R"("batch": {"launcher": "srun \"`id`\""})", "batch.launcher"},
        {R"("batch": {"launcher": "srun >x"})", "batch.launcher"},
        {R"("start": {"setup": ["a\nb"]})", "start.setup", "one line"},
        {R"("start": {"binds": ["data"]})", "start.binds", "'data'"},
        {R"("start": {"binds": ["/a,/b"]})", "start.binds", "comma"},
        {R"("start": {"binds": ["/a:b"]})", "start.binds"},
        {R"("port": 22)", "port"}};
    for (const std::vector<std::string>& each : cases) {
        const std::string said = failure(each.front());
        for (std::size_t part = 1; part < each.size(); ++part)
            EXPECT_NE(said.find(each[part]), std::string::npos) << each.front() << ": " << said;
    }
    EXPECT_THROW((void)parseHost(R"({"gantryHost": 1, "scratch": "relative"})", "h"), InputError);
    EXPECT_THROW((void)parseHost(R"({"gantryHost": 1})", "h"), InputError);
    EXPECT_THROW((void)parseHost(R"({"gantryHost": 2, "scratch": "/s"})", "h"), InputError);
}

}  // namespace
}  // namespace gantry
