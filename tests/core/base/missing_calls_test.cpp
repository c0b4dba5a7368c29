#include <fmt/format.h>
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <thread>

#include "core/base/file.h"
#include "tests/support/temporary_folder.h"

namespace gantry {
namespace {

// From now on the system answers that call with that error, in this thread and those it starts.
// False where the system does not offer this.
bool answerCallWith(int call, int error) {
    sock_filter program[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0),  // the call's number is the first field
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<__u32>(call), 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | static_cast<__u32>(error)),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
    const sock_fprog filter{4, program};
    return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}

// Runs `work` where the call fails so; false where that cannot be had.
bool whereCallFails(int call, int error, const std::function<void()>& work) {
    bool isSo = false;
    std::thread([&] {
        isSo = answerCallWith(call, error);
        if (!isSo) return;
        EXPECT_NO_THROW(work()) << "error " << error;
    }).join();
    return isSo;
}

TEST(MissingCalls, ADiskWithoutLocksCountsAsLocked) {
    const test::TemporaryFolder folder;
    for (const int error : {ENOSYS, EOPNOTSUPP, ENOLCK}) {
        const bool tried = whereCallFails(SYS_flock, error, [&] {
            File file(folder / "lock", File::Mode::create);
            EXPECT_TRUE(file.tryLock()) << error;
            EXPECT_EQ(file.isLocked(), std::nullopt) << error;
        });
        if (!tried) GTEST_SKIP() << "no call can be made to fail here";
    }
}

TEST(MissingCalls, ADiskInMemoryThatCannotReserveIsWrittenTo) {
    const std::string path = fmt::format("/dev/shm/gantry-missing-calls-{}", ::getpid());
    if (::access("/dev/shm", W_OK) != 0) GTEST_SKIP() << "no disk in memory here";
    const std::string bytes(5'000'003, 'g');
    for (const int error : {ENODEV, EOPNOTSUPP, ENOSYS}) {
        const bool tried = whereCallFails(SYS_fallocate, error, [&] {
            File file(path, File::Mode::create);
            file.writeAt(0, std::as_bytes(std::span(bytes)), 2);
        });
        if (!tried) GTEST_SKIP() << "no call can be made to fail here";
        EXPECT_TRUE(readTextFile(path) == bytes) << error;
        removeFile(path);
    }
}

}  // namespace
}  // namespace gantry
