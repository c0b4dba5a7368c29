#include "core/plan/method_spec.h"

#include <gtest/gtest.h>

#include <limits>

#include "core/iterate/method.h"
#include "core/plan/request.h"
#include "tests/support/expect_error.h"

namespace gantry {
namespace {

MethodSpec methodOf(Method method) {
    MethodSpec spec;
    spec.method = method;
    return spec;
}

TEST(MethodSpec, BecomesTheMethodThatIterationsTake) {
    MethodSpec sirt = methodOf(Method::sirt);
    sirt.iterations = 7;
    sirt.relaxation = 0.75;
    sirt.nonNegative = false;
    sirt.upperBound = 0.25;
    sirt.stopChange = 0.125;
    IterativeMethod taken = iterativeMethod(sirt);
    EXPECT_EQ(std::get<Sirt>(taken.kind), (Sirt{0.75, true}));
    sirt.isAccelerated = false;
    EXPECT_EQ(std::get<Sirt>(iterativeMethod(sirt).kind), Sirt{0.75});
    EXPECT_EQ(taken.iterations, 7);
    EXPECT_EQ(taken.bounds.min, -std::numeric_limits<float>::infinity());
    EXPECT_EQ(taken.bounds.max, 0.25F);
    EXPECT_EQ(taken.stop.change, 0.125);
    EXPECT_FALSE(taken.useCounts);
    EXPECT_EQ(taken.stop.chiSquare, 0);

    MethodSpec subsets = methodOf(Method::osSart);
    EXPECT_EQ(std::get<OsSart>(iterativeMethod(subsets).kind), OsSart());
    subsets.subsetViews = 5;
    subsets.photons = 1e4;
    taken = iterativeMethod(subsets);
    EXPECT_EQ(std::get<OsSart>(taken.kind).viewsPerSubset, 5);
    EXPECT_FALSE(taken.useCounts);
    EXPECT_EQ(taken.stop.chiSquare, 1);
    subsets.weighsByCounts = true;
    EXPECT_TRUE(iterativeMethod(subsets).useCounts);
    EXPECT_TRUE(std::holds_alternative<Cgls>(iterativeMethod(methodOf(Method::cgls)).kind));
}

TEST(MethodSpec, LeavesTheWeightOfTotalVariationToBeFound) {
    MethodSpec method = methodOf(Method::tv);
    const auto taken = [&] { return std::get<TotalVariation>(iterativeMethod(method).kind); };
    EXPECT_EQ(taken(), TotalVariation());
    method.photons = 1e4;
    EXPECT_EQ(taken(), TotalVariation());
    EXPECT_EQ(iterativeMethod(method).stop.chiSquare, 0);
    method.tvWeight = 0.5;
    EXPECT_EQ(taken().strength, 0.5);
}

TEST(MethodSpec, TellsWhatIsWrongWithTheOptionsThatItHas) {
    MethodSpec method = methodOf(Method::sirt);
    EXPECT_TRUE(validate(method).empty());
    method.relaxation = 2;
    method.photons = -1;
    method.start.clear();
    const std::vector<Problem> problems = validate(method);
    ASSERT_EQ(problems.size(), 3U);
    EXPECT_EQ(problems[0].field, "method.relaxation");
    EXPECT_EQ(problems[1].field, "method.photons");
    EXPECT_EQ(problems[2].field, "method.start");
    MethodSpec counts = methodOf(Method::sirt);
    counts.weighsByCounts = true;
    ASSERT_EQ(validate(counts).size(), 1U);
    EXPECT_EQ(validate(counts).front().field, "method.countWeights");
    method.method = Method::fdk;
    EXPECT_TRUE(validate(method).empty());
}

TEST(MethodSpec, DescribesItself) {
    EXPECT_EQ(describe(MethodSpec()), "");
    MethodSpec method = methodOf(Method::sirt);
    EXPECT_EQ(describe(method),
              "SIRT, at most 20 iterations from FDK (Hann), kept within the bounds, accelerated, "
              "relaxation 1, not negative.");
    method = methodOf(Method::cgls);
    method.start = kStartZero;
    EXPECT_EQ(describe(method), "CGLS, at most 10 iterations from zero.");
}

TEST(MethodSpec, HasAStartOfItsOwn) {
    ReconstructionRequest request;
    request.filter.cutoff = 0.5;
    settleMethod(request);
    EXPECT_EQ(request.filter.cutoff, 0.5);
    EXPECT_EQ(request.engine, Engine::automatic);
    request.method = methodOf(Method::tv);
    settleMethod(request);
    EXPECT_EQ(request.engine, Engine::automatic);
    EXPECT_EQ(request.filter, (FilterSpec{FilterWindow::hann, 1}));
    request.fast = true;
    EXPECT_ERROR(settleMethod(request), InputError, "--precision chooses among those of FDK");
}

}  // namespace
}  // namespace gantry
