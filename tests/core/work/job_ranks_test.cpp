#include "core/work/job_ranks.h"

#include <gtest/gtest.h>

#include <vector>

#include "core/base/error.h"
#include "tests/support/expect_error.h"

namespace gantry {
namespace {

TEST(VersionsOfRanks, HaveToBeOne) {
    EXPECT_NO_THROW(requireOneVersion({}));
    const std::vector<RankProcess> same = {{"a", 1, "0.2.0"}, {"b", 2, "0.2.0"}};
    EXPECT_NO_THROW(requireOneVersion(same));
    const std::vector<RankProcess> different = {
        {"a", 1, "0.2.0"}, {"a", 2, "0.2.0"}, {"b", 3, "0.1.9"}};
    EXPECT_ERROR(requireOneVersion(different), InputError,
                 "Rank 2 on b is Gantry 0.1.9, but rank 0 on a is Gantry 0.2.0");
}

}  // namespace
}  // namespace gantry
