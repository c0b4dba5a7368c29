#include "core/remote/job/batch_script.h"

#include <gtest/gtest.h>

#include <string>

#include "core/base/error.h"

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
          "srun apptainer exec --nv \"${SCRATCH:?is not set}\"'/it'\\''s.sif' 'gantry' worker "})
        EXPECT_NE(script.find(part), std::string::npos) << part << "\n" << script;
    EXPECT_EQ(script.find("--account"), std::string::npos);
    host.scheduler = Scheduler::none;
    EXPECT_NE(batchScript(host, {1, 4, 0, ""}, "x").find("worker \"$PWD/job\" --ranks 4"),
              std::string::npos);
}

}  // namespace
}  // namespace gantry
