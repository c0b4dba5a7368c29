#include "core/base/trial_process.h"

#include <gtest/gtest.h>

#include <csignal>
#include <stdexcept>
#include <thread>
#include <vector>

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

}  // namespace
}  // namespace gantry
