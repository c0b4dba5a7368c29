#include <gtest/gtest.h>

#include "core/base/file.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

namespace gantry {
namespace {

TEST(File, isLockedByOneAtATime) {
    const test::TemporaryFolder folder;
    File first(folder / "lock", File::Mode::create);
    EXPECT_TRUE(first.tryLock());
    {
        File second(folder / "lock", File::Mode::update);
        EXPECT_FALSE(second.tryLock());
        first.close();
        EXPECT_TRUE(second.tryLock());
    }
    File third(folder / "lock", File::Mode::update);
    EXPECT_TRUE(third.tryLock());
}

TEST(File, whatIsClosedCannotBeLocked) {
    const test::TemporaryFolder folder;
    File file(folder / "lock", File::Mode::create);
    file.close();
    EXPECT_ERROR((void)file.tryLock(), InputError, "lock cannot be locked");
}

TEST(File, tellsWhetherItIsLockedWithoutKeepingTheLock) {
    const test::TemporaryFolder folder;
    File holder(folder / "lock", File::Mode::create);
    const File asking(folder / "lock", File::Mode::read);
    const File askingToo(folder / "lock", File::Mode::read);
    EXPECT_EQ(asking.isLocked(), false);
    EXPECT_EQ(askingToo.isLocked(), false);
    EXPECT_TRUE(holder.tryLock());
    EXPECT_EQ(asking.isLocked(), true);
    holder.close();
    EXPECT_EQ(asking.isLocked(), false);
}

TEST(File, theLockOfAFileThatLostItsNameIsNone) {
    const test::TemporaryFolder folder;
    File first(folder / "part", File::Mode::create);
    ASSERT_TRUE(first.tryLock());
    File second(folder / "part", File::Mode::keep);
    renameFile(folder / "part", folder / "final");
    first.close();
    // What it opened is "final" now, which nobody meant to write.
    EXPECT_FALSE(second.tryLock());
}

TEST(File, foldersAreLockedToo) {
    const test::TemporaryFolder folder;
    File first(folder.path(), File::Mode::folder);
    EXPECT_TRUE(first.tryLock());
    EXPECT_FALSE(File(folder.path(), File::Mode::folder).tryLock());
    EXPECT_ERROR(File(folder / "none", File::Mode::folder), InputError, "none cannot be opened");
}

}  // namespace
}  // namespace gantry
