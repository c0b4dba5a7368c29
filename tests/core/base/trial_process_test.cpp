#include "core/base/trial_process.h"

#include <gtest/gtest.h>

#include <csignal>
#include <new>
#include <stdexcept>
#include <thread>
#include <vector>

#include "tests/support/expect_error.h"

namespace gantry {
namespace {

TEST(TrialProcess, ToldApartAreEndsFaultsAndWhatTakesTooLong) {
    int seen = 0;
    EXPECT_EQ(tryInAnotherProcess([&] { seen = 1; }), TrialEnd::returned);
    EXPECT_EQ(seen, 0) << "what was tried is seen here";
    EXPECT_EQ(tryInAnotherProcess([] { throw std::runtime_error("no"); }), TrialEnd::returned);
    EXPECT_EQ(tryInAnotherProcess([] { std::raise(SIGSEGV); }), TrialEnd::crashed);
    EXPECT_EQ(tryInAnotherProcess(
                  [] {
                      while (true)
                          std::this_thread::sleep_for(std::chrono::milliseconds(1));
                  },
                  {.seconds = 1}),
              TrialEnd::tookTooLong);
}

TEST(TrialProcess, AnErrorOfTheUsersIsThrownHereAndMissingMemoryIsACrash) {
    const auto refuse = [] {
        throw InputError("/scans/a.mat is cut off.", {.code = ErrorCode::damagedFile});
    };
    EXPECT_ERROR((void)tryInAnotherProcess(refuse), InputError, "/scans/a.mat is cut off.");
    try {
        (void)tryInAnotherProcess(refuse);
    } catch (const InputError& error) {
        EXPECT_EQ(error.code(), ErrorCode::damagedFile);
    }
    EXPECT_EQ(tryInAnotherProcess([] { throw std::bad_alloc(); }), TrialEnd::crashed);
    EXPECT_ERROR((void)tryInAnotherProcess([] { throw InputError(std::string(9000, 'a')); }),
                 InputError, std::string(3999, 'a'));
}

}  // namespace
}  // namespace gantry
