#include "core/base/system_fault.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <system_error>

#include "tests/support/expect_error.h"

namespace gantry {
namespace {

int exitCodeFor(int code) {
    try {
        throwSystemFault("/scans/a.tif", "cannot be written", code);
    } catch (const std::exception& error) {
        return exitCodeOf(error);
    }
}

TEST(SystemFault, WhatTheMachineDidEndsWithOneAndWhatTheUserDidWithTwo) {
    for (const int code : {ENOSPC, EDQUOT, EFBIG, EIO, ENOMEM, EMFILE, ENFILE, ESTALE})
        EXPECT_EQ(exitCodeFor(code), 1) << code;
    for (const int code : {ENOENT, ENOTDIR, EISDIR, EACCES, EPERM, EROFS, ENAMETOOLONG, ELOOP})
        EXPECT_EQ(exitCodeFor(code), 2) << code;
    EXPECT_EQ(exitCodeOf(Cancelled()), 130);
    EXPECT_EQ(exitCodeOf(InternalError("a fault")), 1);
    EXPECT_EQ(exitCodeOf(std::bad_alloc()), 1);
    const auto unchecked = [](std::errc code) {
        return exitCodeOf(std::filesystem::filesystem_error("", std::make_error_code(code)));
    };
    EXPECT_EQ(unchecked(std::errc::no_space_on_device), 1);
    EXPECT_EQ(unchecked(std::errc::no_such_file_or_directory), 2);
}

TEST(SystemFault, TheSentenceHasNameReasonAndWhatHelps) {
    EXPECT_ERROR(throwSystemFault("/a", "cannot be read", EIO), InputError,
                 "/a cannot be read: the disk reports a fault");
    EXPECT_ERROR(throwSystemFault("/a", "cannot be written", EFBIG), ResourceError, "ulimit -f");
    EXPECT_ERROR(throwSystemFault("/a", "cannot be written", ENAMETOOLONG), InputError,
                 "choose a shorter one");
}

}  // namespace
}  // namespace gantry
