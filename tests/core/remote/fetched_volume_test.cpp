#include "core/remote/transfer/fetched_volume.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>

#include "core/base/error.h"
#include "tests/support/temporary_folder.h"

namespace gantry {
namespace {

namespace fs = std::filesystem;

class FetchedVolumeTest : public testing::Test {
  protected:
    FetchedVolumeTest() {
        job.folder = folder / "v.mha.job";
        fs::create_directory(job.folder);
        put(job.folder / RemoteJob::kScript, "mine");
        spec.output.path = "/there/out/v.mha";
        spec.volume.voxels = {4, 3, 2};
    }
    static void put(const fs::path& file, const std::string& text) {
        std::ofstream(file, std::ios::binary) << text;
    }
    static std::string image(int depth, const char* type, std::size_t bytes) {
        return fmt::format(
                   "ObjectType = Image\nNDims = 3\nDimSize = 4 3 {}\nElementSpacing = 1 1 1\n"
                   "ElementType = {}\nElementByteOrderMSB = False\nElementDataFile = LOCAL\n",
                   depth, type) +
               std::string(bytes, '\0');
    }
    void expectRefused(const std::string& content, const std::string& part) {
        const FetchedFolder fetched(job.folder, {});
        put(fetched.path() / "v.mha", content);
        try {
            requireVolumeOf(spec, "far", fetched);
            ADD_FAILURE() << "it was taken: " << part;
        } catch (const ResourceError& error) {
            EXPECT_NE(error.message().find(part), std::string::npos) << error.message();
        }
    }

    test::TemporaryFolder folder;
    RemoteJob job;
    JobSpec spec;
};

TEST_F(FetchedVolumeTest, ItHasTheSizeAndTypeOfTheRequest) {
    const FetchedFolder fetched(job.folder, {});
    put(fetched.path() / "v.mha", image(2, "MET_FLOAT", 4 * 24));
    EXPECT_NO_THROW(requireVolumeOf(spec, "far", fetched));
}

TEST_F(FetchedVolumeTest, AnyOtherIsRefused) {
    expectRefused(image(1, "MET_FLOAT", 4 * 12), "4 × 3 × 1 voxels instead of 4 × 3 × 2");
    expectRefused(image(2, "MET_FLOAT", 50), "v.mha");
    expectRefused(image(2, "MET_USHORT", 2 * 24), "instead of float32");
    expectRefused("no image", "v.mha");
}

TEST_F(FetchedVolumeTest, SizesAreThoseThatWereListed) {
    const FetchedFolder fetched(job.folder, {});
    put(fetched.path() / "v.mha", "12345");
    EXPECT_NO_THROW(requireListedSizes("far", fetched, {{"v.mha", 5}}));
    EXPECT_THROW(requireListedSizes("far", fetched, {{"v.mha", 6}}), ResourceError);
    EXPECT_THROW(requireListedSizes("far", fetched, {{"w.mha", 5}}), ResourceError);
}

TEST_F(FetchedVolumeTest, WhatOthersWroteMeanwhileStays) {
    const FetchedFolder fetched(job.folder, {});
    put(fetched.path() / "v.mha", "of the job");
    put(folder / "v.mha", "of the user");
    EXPECT_THROW(takeVolume(job, fetched, {{"v.mha", 10}}, folder.path()), InputError);
    EXPECT_EQ(readTextFile(folder / "v.mha"), "of the user");
    fs::remove(folder / "v.mha");
    takeVolume(job, fetched, {{"v.mha", 10}}, folder.path());
    EXPECT_EQ(readTextFile(folder / "v.mha"), "of the job");
    // It may be fetched again, and has changed since.
    put(fetched.path() / "v.mha", "later");
    takeVolume(job, fetched, {{"v.mha", 5}}, folder.path());
    EXPECT_EQ(readTextFile(folder / "v.mha"), "later");
}

TEST_F(FetchedVolumeTest, WhatWasThereWhenTheJobWasHandedOverIsReplaced) {
    put(folder / "v.mha", "older");
    fs::remove(job.folder / RemoteJob::kScript);
    put(job.folder / RemoteJob::kScript, "mine");
    fs::last_write_time(job.folder / RemoteJob::kScript, fs::file_time_type::clock::now());
    const FetchedFolder fetched(job.folder, {});
    put(fetched.path() / "v.mha", "new");
    takeVolume(job, fetched, {{"v.mha", 3}}, folder.path());
    EXPECT_EQ(readTextFile(folder / "v.mha"), "new");
}

}  // namespace
}  // namespace gantry
