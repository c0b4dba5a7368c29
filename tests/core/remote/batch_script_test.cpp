#include "core/remote/scheduler/batch_script.h"

#include <gtest/gtest.h>

#include <string>

#include "core/base/error.h"
#include "core/remote/scheduler/batch_system.h"

namespace gantry {
namespace {

Host cluster() {
    Host host;
    host.name = "c";
    host.address = "login";
    host.scheduler = Scheduler::slurm;
    host.scratch = "/s";
    host.gpusPerNode = 4;
    host.ranksPerNode = 4;
    host.maxNodes = 64;
    host.timeMinutes = 120;
    host.cluster = "h200";
    return host;
}

JobSpec jobOf(Index voxels) {
    JobSpec spec;
    spec.scan.geometry.cone().sourceToIsocenterMm = 600;
    spec.scan.geometry.cone().sourceToDetectorMm = 1200;
    spec.scan.geometry.cone().views = voxels;
    spec.scan.geometry.detector.columns = voxels;
    spec.scan.geometry.detector.rows = voxels;
    spec.scan.geometry.detector.pitchMm.fill(410.0 / static_cast<double>(voxels));
    spec.volume.voxels.fill(voxels);
    spec.volume.pitchMm.fill(170.0 / static_cast<double>(voxels));
    return spec;
}

TEST(BatchScript, ALargerVolumeGetsMoreNodesAndSaysWhy) {
    const JobResources small = resourcesFor(cluster(), jobOf(256), 0, 0);
    const JobResources large = resourcesFor(cluster(), jobOf(4096), 0, 0);
    EXPECT_EQ(small.nodes, 1);
    EXPECT_GT(large.nodes, small.nodes);
    EXPECT_LE(large.minutes, 120);
    EXPECT_GE(small.minutes, 10);
    EXPECT_NE(large.reason.find("predicted to take"), std::string::npos);
    EXPECT_EQ(resourcesFor(cluster(), jobOf(256), 3, 17).nodes, 3);
    EXPECT_EQ(resourcesFor(cluster(), jobOf(256), 3, 17).minutes, 17);
    EXPECT_THROW((void)resourcesFor(cluster(), jobOf(256), 65, 0), InputError);
    EXPECT_THROW((void)resourcesFor(cluster(), jobOf(256), 0, 121), InputError);
}

TEST(BatchScript, AsksForWhatTheHostsFileSays) {
    Host host = cluster();
    host.partition = "gpu";
    host.startBy = StartBy::image;
    host.image = "$SCRATCH/it's.sif";
    host.environment = {{"A", "$(id)"}};
    host.module = "openmpi/4 gantry";
    const std::string script = batchScript(host, {2, 4, 30, "why"}, "20260101-1");
    for (const char* part :
         {"#SBATCH --nodes=2\n", "#SBATCH --ntasks-per-node=4\n", "#SBATCH --gpus-per-node=4\n",
          "#SBATCH --time=30\n", "#SBATCH --partition=gpu\n", "#SBATCH --requeue\n",
          "#SBATCH --signal=TERM@60\n", "export A='$(id)'\n", "module load 'openmpi/4' 'gantry'\n",
          "srun apptainer exec --nv --bind '/s' \"${SCRATCH:?is not set}\"'/it'\\''s.sif' 'gantry' "
          "worker "})
        EXPECT_NE(script.find(part), std::string::npos) << part << "\n" << script;
    EXPECT_EQ(script.find("--account"), std::string::npos);
    host.scheduler = Scheduler::none;
    EXPECT_NE(batchScript(host, {1, 4, 0, ""}, "x").find("worker \"$PWD/job\" --ranks 4"),
              std::string::npos);
}

TEST(BatchScript, AsksForProcessorsAndMemoryByThePlan) {
    Host host = cluster();
    host.gpusPerNode = 0;
    const JobResources small = resourcesFor(host, jobOf(256), 1, 0);
    const JobResources large = resourcesFor(host, jobOf(1024), 1, 0);
    // Each of four ranks makes a quarter of the volume, and holds it.
    EXPECT_GT(large.memoryBytes, Index{1024} * 1024 * 1024 * 4);
    EXPECT_LT(large.memoryBytes, Index{1024} * 1024 * 1024 * 4 * 5);
    EXPECT_LT(small.memoryBytes, large.memoryBytes);
    EXPECT_NE(batchScript(host, large, "x")
                  .find("#SBATCH --mem=" + std::to_string(large.memoryMb()) + "M\n"),
              std::string::npos);
    JobSpec limited = jobOf(1024);
    limited.memoryBytes = 1'000'000'000;
    limited.threads = 32;
    EXPECT_EQ(resourcesFor(host, limited, 1, 0).memoryBytes, 1'100'000'000);
    EXPECT_EQ(resourcesFor(host, limited, 1, 0).cpusPerRank, 8);
    host.cpusPerRank = 12;
    host.memoryPerNode = "180G";
    const std::string script = batchScript(host, resourcesFor(host, limited, 1, 0), "x");
    for (const char* part :
         {"#SBATCH --cpus-per-task=12\n", "#SBATCH --mem=180G\n", "export SRUN_CPUS_PER_TASK=12\n"})
        EXPECT_NE(script.find(part), std::string::npos) << part << "\n" << script;
    host.memoryPerNode = "none";
    EXPECT_EQ(batchScript(host, large, "x").find("--mem"), std::string::npos);
}

// What sites want beside the usual.
TEST(BatchScript, HasWhatASiteAsksFor) {
    Host host = cluster();
    host.isExclusive = true;
    host.constraint = "a100&nvlink";
    host.gpuType = "a100";
    host.reservation = "ct";
    host.licenses = "tool:2";
    host.options = {"--mail-type=END"};
    host.setup = {"ulimit -s unlimited"};
    host.launcher = "mpirun -n {ranks} --map-by 'ppr:{ranksPerNode}:node' -x \"A=b c\"";
    const std::string script = batchScript(host, {2, 4, 30, "why"}, "x");
    for (const char* part :
         {"#SBATCH --exclusive\n", "#SBATCH --constraint=a100&nvlink\n",
          "#SBATCH --gpus-per-node=a100:4\n", "#SBATCH --reservation=ct\n",
          "#SBATCH --licenses=tool:2\n", "#SBATCH --mail-type=END\n", "\nulimit -s unlimited\n",
          "export SRUN_CPUS_PER_TASK=$((SLURM_CPUS_ON_NODE / 4))\n",
          "\nmpirun -n 8 --map-by 'ppr:4:node' -x \"A=b c\" 'gantry' worker "})
        EXPECT_NE(script.find(part), std::string::npos) << part << "\n" << script;
}

TEST(BatchScript, AnImageGetsTheFoldersThatAJobUses) {
    Host host = cluster();
    host.startBy = StartBy::image;
    host.image = "/sw/g.sif";
    host.scratch = "$SCRATCH/g";
    host.pathMap = {{"/data", "/net/data"}};
    host.binds = {"/opt/mpi:/opt/mpi"};
    EXPECT_EQ(gantryWords(host),
              "apptainer exec --nv --bind \"${SCRATCH:?is not set}\"'/g' --bind '/net/data' --bind "
              "'/opt/mpi:/opt/mpi' '/sw/g.sif' 'gantry'");
}

// It asks for what one of its jobs does, and starts the script of the one whose turn it is.
TEST(BatchScript, AnArrayAsksAsItsJobsDo) {
    Host host = cluster();
    EXPECT_EQ(arrayScript(host,
                          "#!/bin/sh\n#SBATCH --nodes=2\n#SBATCH --output=output.txt\n"
                          "#SBATCH --time=90\nsrun gantry\n",
                          "ID", 3),
              "#!/bin/sh\n#SBATCH --nodes=2\n#SBATCH --time=90\n#SBATCH --array=1-3\n"
              "#SBATCH --output=../ID-%a/output.txt\n"
              "cd \"../ID-$SLURM_ARRAY_TASK_ID\" || exit 3\nexec sh ./job.sh\n");
    host.scheduler = Scheduler::pbs;
    EXPECT_EQ(arrayScript(host, "#!/bin/sh\n#PBS -q gpuq\nmpirun gantry\n", "ID", 3),
              "#!/bin/sh\n#PBS -q gpuq\n#PBS -J 1-3\n"
              "cd \"$PBS_O_WORKDIR/../ID-$PBS_ARRAY_INDEX\" || exit 3\n"
              "export PBS_O_WORKDIR=\"$PWD\"\nexec sh ./job.sh\n");
}

TEST(BatchScript, SpeaksPbsToo) {
    Host host = cluster();
    host.scheduler = Scheduler::pbs;
    host.partition = "gpuq";
    host.account = "ct";
    host.isExclusive = true;
    host.constraint = "gpu_model=a100";
    host.options = {"-m ae"};
    const std::string script = batchScript(host, {2, 4, 90, "why", 8, 3'000'000'000}, "x");
    for (const char* part :
         {"#PBS -S /bin/sh\n", "#PBS -N gantry-x\n",
          "#PBS -l select=2:ncpus=32:mpiprocs=4:ngpus=4:mem=2862mb:gpu_model=a100\n",
          "#PBS -l place=scatter:excl\n", "#PBS -l walltime=01:30:00\n", "#PBS -q gpuq\n",
          "#PBS -A ct\n", "#PBS -m ae\n", "\ncd \"$PBS_O_WORKDIR\" || exit 3\n",
          "\nmpirun -n 8 -machinefile $PBS_NODEFILE 'gantry' worker "})
        EXPECT_NE(script.find(part), std::string::npos) << part << "\n" << script;
    EXPECT_EQ(script.find("SBATCH"), std::string::npos);
}

// A module may set which cluster sbatch, squeue, scancel and sacct speak to.
TEST(BatchScript, CommandsOfTheSchedulerGetWhatAJobGets) {
    Host host;
    host.scheduler = Scheduler::slurm;
    host.module = "slurm/site";
    host.environment = {{"SLURM_CONF", "/site conf"}};
    host.setup = {"site_login"};
    const std::string lines = queueLines(host);
    EXPECT_EQ(lines, variableLines(host) + "{\n" + moduleLines(host) + "} >/dev/null 2>&1\n");
    EXPECT_NE(lines.find("export SLURM_CONF='/site conf'\n"), std::string::npos) << lines;
    EXPECT_NE(lines.find("module load 'slurm/site'\nsite_login\n"), std::string::npos) << lines;
    host.scheduler = Scheduler::none;
    EXPECT_EQ(queueLines(host), "");
}

}  // namespace
}  // namespace gantry
