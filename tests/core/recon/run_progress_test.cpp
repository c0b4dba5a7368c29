#include "core/recon/run_setup.h"

#include <gtest/gtest.h>

#include <vector>

namespace gantry {
namespace {

// Only the first of several steps at one moment, those that finish a slab and the last are
// reported.
TEST(RunProgress, IsToldAtTheEndOfEachSlabHoweverSoonItComes) {
    std::vector<double> told;
    RunProgress progress(0.5, 800, [&](const Progress& now) { told.push_back(now.fraction); });
    progress.start();
    progress.add(1, false);
    told.clear();
    progress.add(99, true);
    progress.add(200, true);
    EXPECT_EQ(told, (std::vector<double>{0.625, 0.875}));
    progress.add(100, false);
    EXPECT_EQ(told.back(), 1) << "the end of all";
}

}  // namespace
}  // namespace gantry
