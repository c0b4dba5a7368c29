#include "core/remote/transfer/fetched_folder.h"

#include <gtest/gtest.h>

#include <fstream>
#include <stop_token>

#include "core/base/error.h"
#include "tests/support/temporary_folder.h"

namespace gantry {
namespace {

namespace fs = std::filesystem;

class FetchedFolderTest : public testing::Test {
  protected:
    FetchedFolderTest() {
        fs::create_directories(job);
        fs::create_directory(folder / "other");
    }
    static void write(const fs::path& file, const std::string& text) {
        fs::create_directories(file.parent_path());
        std::ofstream(file) << text;
    }

    test::TemporaryFolder folder;
    fs::path job = folder / "v.mha.job";
};

TEST_F(FetchedFolderTest, FilesComeToTheirPlaces) {
    const FetchedFolder fetched(job, {});
    write(fetched.path() / "v.zarr/0/0.0.0", "new");
    EXPECT_EQ(fetched.bytesOf("v.zarr/0/0.0.0"), 3);
    EXPECT_THROW((void)fetched.bytesOf("v.zarr/0/0.0.1"), ResourceError);
    write(folder / "v.zarr/0/0.0.0", "older");
    fetched.moveTo("v.zarr/0/0.0.0", folder.path(), folder / "v.zarr/0/0.0.0");
    EXPECT_EQ(readTextFile(folder / "v.zarr/0/0.0.0"), "new");
    fetched.remove();
    EXPECT_FALSE(fs::exists(fetched.path()));
}

TEST_F(FetchedFolderTest, LinksInTheWayAreNotFollowed) {
    const FetchedFolder fetched(job, {});
    write(folder / "other/v.mha", "mine");
    fs::create_symlink(folder / "other", folder / "slices");
    fs::create_symlink(folder / "other/v.mha", folder / "v.mha");
    write(fetched.path() / "slices/v.mha", "theirs");
    write(fetched.path() / "v.mha", "theirs");
    EXPECT_THROW(fetched.moveTo("slices/v.mha", folder.path(), folder / "slices/v.mha"),
                 ResourceError);
    fetched.moveTo("v.mha", folder.path(), folder / "v.mha");
    EXPECT_EQ(readTextFile(folder / "other/v.mha"), "mine");
    EXPECT_FALSE(fs::is_symlink(folder / "v.mha"));
}

TEST_F(FetchedFolderTest, ItIsNoLinkItself) {
    fs::create_directory_symlink(folder / "other", job / "fetched");
    EXPECT_THROW(FetchedFolder(job, {}), ResourceError);
}

// An earlier fetch may have ended when a file of the user was linked into it.
TEST_F(FetchedFolderTest, FilesWithASecondNameAreNotWrittenTo) {
    write(folder / "v.mha", "mine");
    write(job / "fetched/kept", "unfinished");
    fs::create_hard_link(folder / "v.mha", job / "fetched/v.mha");
    const FetchedFolder fetched(job, {});
    EXPECT_FALSE(fs::exists(fetched.path() / "v.mha"));
    EXPECT_TRUE(fs::exists(fetched.path() / "kept"));
}

// Two fetches of one job at once would write into each other's files.
TEST_F(FetchedFolderTest, ASecondFetchWaitsForTheFirst) {
    std::stop_source stop;
    stop.request_stop();  // whoever waits gives up
    {
        const FetchedFolder first(job, {});
        EXPECT_THROW(FetchedFolder(job, stop.get_token()), Cancelled);
        // Once removed, it is another folder, which the next fetch makes.
        first.remove();
        EXPECT_NO_THROW(FetchedFolder(job, stop.get_token()));
    }
    EXPECT_NO_THROW(FetchedFolder(job, stop.get_token()));
}

}  // namespace
}  // namespace gantry
