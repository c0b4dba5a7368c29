#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "tests/core/iterate/dense_problem.h"

namespace gantry {
namespace {

double largestError(const std::vector<float>& volume, const test::Doubles& truth) {
    double error = 0;
    double largest = 0;
    for (std::size_t i = 0; i < truth.size(); ++i) {
        error = std::max(error, std::abs(volume[i] - truth[i]));
        largest = std::max(largest, std::abs(truth[i]));
    }
    return error / largest;
}

struct SolutionCase {
    std::string name;
    IterativeMethod method;
    double tolerance;
};

class Solution : public testing::TestWithParam<SolutionCase> {};

TEST_P(Solution, IsTheTextbooksAfterTwentyIterations) {
    static const test::DenseProblem problem = test::denseProblem(5);
    const test::Doubles truth = test::reference(problem, GetParam().method);
    const std::vector<float> volume = test::iterated(problem, GetParam().method);
    EXPECT_LT(largestError(volume, truth), GetParam().tolerance);
    // Neither threads nor slabs change more than the last digits; threads change nothing.
    EXPECT_EQ(volume, test::iterated(problem, GetParam().method, {3, 0, true}));
    EXPECT_LT(largestError(test::iterated(problem, GetParam().method, {2, 3, true}), truth),
              GetParam().tolerance);
}

// Single precision, 20 iterations of some hundred sums: 1e-5. Conjugate gradients multiply the
// rounding of each iteration.
constexpr double kRounding = 1e-5;
constexpr double kCglsRounding = 1e-4;

std::vector<SolutionCase> solutionCases() {
    const VoxelBounds tight = {0.001F, 0.015F};
    return {
        {"Sirt", {.kind = Sirt{0.9}}, kRounding},
        {"SirtWithCounts", {.kind = Sirt{1.3}, .useCounts = true}, kRounding},
        {"SirtWithinBounds", {.kind = Sirt{1}, .bounds = tight}, kRounding},
        {"SirtAccelerated", {.kind = Sirt{.relaxation = 0.9, .isAccelerated = true}}, kRounding},
        {"OsSart", {.kind = OsSart{.relaxationFactor = 0.95, .viewsPerSubset = 3}}, kRounding},
        {"OsSartWithCounts",
         {.kind = OsSart{.viewsPerSubset = 2}, .useCounts = true, .bounds = tight},
         kRounding},
        {"Cgls", {.kind = Cgls{}}, kCglsRounding},
        {"CglsWithCounts", {.kind = Cgls{}, .useCounts = true}, kCglsRounding},
        {"Tv", {.kind = TotalVariation{.viewsPerSubset = 2, .strength = 0.05}}, kRounding},
        {"TvWithCounts",
         {.kind = TotalVariation{.strength = 0.1, .flatteningSteps = 4},
          .useCounts = true,
          .bounds = tight},
         kRounding}};
}

INSTANTIATE_TEST_SUITE_P(Methods, Solution, testing::ValuesIn(solutionCases()),
                         [](const auto& one) { return one.param.name; });

}  // namespace
}  // namespace gantry
