#include "core/remote/shell/host_lock.h"

#include <gtest/gtest.h>

#include <chrono>
#include <fstream>

#include "core/base/error.h"
#include "core/base/file.h"
#include "tests/support/temporary_folder.h"

namespace gantry {
namespace {

namespace fs = std::filesystem;

class HostLockTest : public testing::Test {
  protected:
    [[nodiscard]] bool isFreeSoon() const {
        for (int i = 0; i < 1000; ++i) {
            if (!fs::exists(lock)) return true;
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
        }
        return false;
    }
    // Leaves a lock as a program does that was killed together with its host.
    void leave(const std::string& owner, std::chrono::seconds age) const {
        fs::create_directory(lock);
        std::ofstream(lock / "owner") << owner << "\n";
        fs::last_write_time(lock, fs::file_time_type::clock::now() - age);
    }

    test::TemporaryFolder folder;
    fs::path place = folder / "it's data";
    fs::path lock = folder / "it's data.lock";
    HostShell shell{Host{}};
};

TEST_F(HostLockTest, OneHoldsItAndTellsWhatIsThere) {
    fs::create_directory(place);
    std::ofstream(place / "file") << "12345";
    {
        const HostLock first(shell, place.string(), "a", {});
        ASSERT_TRUE(first.isHeld());
        EXPECT_EQ(first.presentBytes(), 5);
        EXPECT_GT(first.freeBytes(), 0);
        EXPECT_TRUE(readTextFile(lock / "owner").starts_with("a "));
        EXPECT_FALSE(HostLock(shell, place.string(), "b", {}).isHeld());
    }
    EXPECT_TRUE(isFreeSoon());
    EXPECT_TRUE(HostLock(shell, place.string(), "b", {}).isHeld());
}

TEST_F(HostLockTest, AnOldOneIsTakenOver) {
    leave("other 1 far 1", std::chrono::seconds(20));
    EXPECT_FALSE(HostLock(shell, place.string(), "a", {}).isHeld());
    fs::remove_all(lock);
    leave("other 1 far 1", std::chrono::seconds(100));
    EXPECT_TRUE(HostLock(shell, place.string(), "a", {}).isHeld());
}

TEST_F(HostLockTest, OneOfItsOwnIsTakenOverAtOnce) {
    leave("a 1 far 1", std::chrono::seconds(1));
    EXPECT_TRUE(HostLock(shell, place.string(), "a", {}).isHeld());
}

TEST_F(HostLockTest, AFolderThatCannotBeMadeIsASentence) {
    std::ofstream(place) << "a file";
    try {
        const HostLock held(shell, place.string(), "a", {});
        ADD_FAILURE() << "it was taken";
    } catch (const ResourceError& error) {
        EXPECT_NE(error.message().find("cannot be used"), std::string::npos) << error.message();
    }
}

}  // namespace
}  // namespace gantry
