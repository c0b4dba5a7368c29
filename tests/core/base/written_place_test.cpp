#include "core/base/written_place.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

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

TEST(ReplaceFile, LeavesWhatIsNoRegularFileAndWhatFails) {
    const test::TemporaryFolder folder;
    const auto write = [](const fs::path& part) { writeFileAtomically(part, "new"); };
    fs::create_symlink("/dev/null", folder / "device");
    ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
    fs::create_directory(folder / "folder");
    for (const char* name : {"device", "pipe", "folder"}) {
        const fs::file_type before = fs::symlink_status(folder / name).type();
        EXPECT_ERROR(replaceFile(folder / name, write), InputError, name);
        EXPECT_EQ(fs::symlink_status(folder / name).type(), before) << name;
    }
    EXPECT_TRUE(fs::is_character_file("/dev/null"));
    EXPECT_TRUE(fs::is_empty(folder / "folder"));
    const fs::path file = folder / "file";
    replaceFile(file, write);
    EXPECT_THROW(replaceFile(file,
                             [](const fs::path& part) {
                                 writeFileAtomically(part, "half");
                                 throw Cancelled();
                             }),
                 Cancelled);
    EXPECT_EQ(readTextFile(file), "new");
    EXPECT_EQ(entriesOf(folder.path()).size(), 4U);
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
