#include "core/remote/transfer/fetched_names.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/base/error.h"

namespace gantry {
namespace {

JobSpec jobOf(const std::string& output) {
    JobSpec spec;
    spec.output.path = output;
    spec.volume.voxels = {8, 8, 8};
    return spec;
}

TEST(FetchedNames, RecordsAreThoseThatAJobMakes) {
    for (const char* name : {"checkpoint.json", "report.html", "preview.mha", "checkpoint.rank12"})
        EXPECT_TRUE(isFetchedRecord(name)) << name;
    for (const char* name :
         {"job.json", "job.sh", "host-job.json", "remote.json", "lock", "name.txt", "events.jsonl",
          ".bashrc", "a/plan.json", "../plan.json", "plan.json.part", "checkpoint.rank",
          "checkpoint.rank1x", "checkpoint.rank123456", ""})
        EXPECT_FALSE(isFetchedRecord(name)) << name;
}

TEST(FetchedNames, AVolumeHasItsOwnNamesAlone) {
    const JobSpec file = jobOf("/home/me/v.mha");
    for (const char* name : {"v.mha", "v.mha.part", "v.mha.provenance.json"})
        EXPECT_TRUE(isOfVolume(file, name)) << name;
    for (const char* name : {".bashrc", "w.mha", "../v.mha", "/home/me/v.mha", "v.mha/x",
                             "v.mha/../.bashrc", "x/v.mha", "", ".", ".."})
        EXPECT_FALSE(isOfVolume(file, name)) << name;
    const JobSpec slices = jobOf("/home/me/s/");
    EXPECT_TRUE(isOfVolume(slices, "s/slice_0000.tif"));
    for (const char* name : {"s/.bashrc", "s/slice_.tif", "s/slice_0.tif/x", "s/slice_0.tiff",
                             "s/../slice_0000.tif", "s/12", "t/slice_0000.tif"})
        EXPECT_FALSE(isOfVolume(slices, name)) << name;
    const JobSpec zarr = jobOf("/home/me/z.ome.zarr");
    for (const char* name : {"z.ome.zarr/.zattrs", "z.ome.zarr/0/.zarray", "z.ome.zarr/0/1/2/3"})
        EXPECT_TRUE(isOfVolume(zarr, name)) << name;
    for (const char* name :
         {"z.ome.zarr/x", "z.ome.zarr/../1", "z.ome.zarr/./1", "z.ome.zarr/.ssh/1"})
        EXPECT_FALSE(isOfVolume(zarr, name)) << name;
}

TEST(FetchedNames, SizesAreBoundedAndOthersAreCounted) {
    const JobSpec spec = jobOf("/home/me/v.mha");
    std::vector<std::string> left;
    EXPECT_EQ(filesOfVolume(spec, {{"v.mha", 2048}, {".bashrc", 3}, {"x\n", 1}}, left).size(), 1u);
    EXPECT_EQ(leftFilesNotice("h", left),
              "h lists 2 files that this job does not write, such as '.bashrc'; they are not "
              "fetched.");
    EXPECT_THROW((void)filesOfVolume(spec, {{"v.mha", 9'000'000'000'000}}, left), InputError);
}

}  // namespace
}  // namespace gantry
