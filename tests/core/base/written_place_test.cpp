#include "core/base/written_place.h"

#include <gtest/gtest.h>

#include "core/base/file.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

namespace gantry {
namespace {

namespace fs = std::filesystem;

TEST(WrittenPlace, ALinksTargetIsWrittenAndTheLinkStays) {
    const test::TemporaryFolder folder;
    fs::create_directory(folder / "data");
    fs::create_symlink("data/target.txt", folder / "first");
    fs::create_symlink(folder / "first", folder / "second");
    EXPECT_EQ(writtenPlace(folder / "plain"), folder / "plain");
    for (const std::string text : {"new", "again"}) {
        writeFileAtomically(folder / "second", text);
        EXPECT_EQ(readTextFile(folder / "data/target.txt"), text);
        EXPECT_TRUE(fs::is_symlink(folder / "second"));
        EXPECT_TRUE(fs::is_symlink(folder / "first"));
    }
    fs::create_symlink(folder / "b", folder / "a");
    fs::create_symlink(folder / "a", folder / "b");
    EXPECT_ERROR(writeFileAtomically(folder / "a", "lost"), InputError, "cannot be written");
}

TEST(WrittenPlace, ADeviceIsWrittenIntoAndNeverReplaced) {
    writeFileAtomically("/dev/null", "text");
    EXPECT_TRUE(fs::is_character_file("/dev/null"));
    EXPECT_ERROR(writeFileAtomically("/dev/full", "text"), ResourceError, "Free space");
    EXPECT_TRUE(fs::is_character_file("/dev/full"));
    const test::TemporaryFolder folder;
    fs::create_symlink("/dev/full", folder / "link");
    EXPECT_ERROR(writeFileAtomically(folder / "link", "text"), ResourceError, "Free space");
    EXPECT_TRUE(fs::is_symlink(folder / "link"));
}

TEST(WrittenPlace, AFolderIsMadeOnce) {
    const test::TemporaryFolder folder;
    makeFolder(folder / "new");
    makeFolder(folder / "new");
    EXPECT_TRUE(isFolder(folder / "new"));
    EXPECT_ERROR(makeFolder(folder / "none/new"), InputError, "cannot be made");
}

}  // namespace
}  // namespace gantry
