#include "core/work/volume_store.h"

#include <gtest/gtest.h>

#include "core/base/file.h"
#include "tests/support/small_job.h"
#include "tests/support/temporary_folder.h"

namespace gantry {
namespace {

TEST(VolumeStore, ARankThatKeepsASlabAfterTheVolumeIsGoneDoesNoHarm) {
    const test::TemporaryFolder folder;
    JobSpec spec;
    spec.volume.voxels = {4, 3, 6};
    spec.volume.pitchMm = {1, 1, 1};
    spec.output.path = folder / "v.mha";
    const JobDirectory job = JobDirectory::create(jobFolderFor(spec.output.path), spec);
    const std::vector<IndexRanges> slabs = {IndexRanges(0, 3), IndexRanges(3, 6)};
    {
        VolumeStore first(job, slabs, {}, "inputs", "cpu", {}, {.rank = 0, .run = "a run"});
        VolumeStore second(job, slabs, {}, "inputs", "cpu", {},
                           {.rank = 1, .run = "a run", .opens = false});
        // Rank 0 learns that a rank has failed, while rank 1 finishes its slab.
        first.discard();
        const HostBuffer<float> voxels(4 * 3 * 3);
        second.write(3, {voxels.data(), 3, 3, 4});
        second.keepSlabs({1}, {});
    }
    EXPECT_FALSE(pathExists(folder / "v.mha.part"));
    // The next run begins anew: it looks for no slices that are gone.
    EXPECT_FALSE(job.readCheckpoint());
    VolumeStore again(job, slabs, job.readCheckpoint(), "inputs", "cpu", {},
                      {.rank = 0, .run = "another run"});
    EXPECT_TRUE(pathExists(folder / "v.mha.part"));
    EXPECT_TRUE(job.readCheckpoint()->allDone().empty());
    again.discard();
}

}  // namespace
}  // namespace gantry
