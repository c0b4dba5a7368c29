#include "core/iterate/iteration.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "tests/core/iterate/dense_problem.h"
#include "tests/support/expect_error.h"

namespace gantry {
namespace {

constexpr HostSpaceOptions kCounted = {.threads = 2, .hasCounts = true};

const test::DenseProblem& problem() {
    static const test::DenseProblem only = test::denseProblem(17);
    return only;
}

std::unique_ptr<HostSpace> spaceFor(const IterativeMethod& method,
                                    const HostSpaceOptions& options = kCounted) {
    return problem().space(subsetCount(method, problem().views()), options);
}

std::vector<float> valuesOf(IterationSpace& space, const IterationVector& vector) {
    std::vector<float> values(static_cast<std::size_t>(vector.parts() * vector.partCount()));
    space.read(vector, 0, values);
    return values;
}

std::vector<IterativeMethod> allMethods() {
    const TotalVariation byNoise = {.viewsPerSubset = 3};
    return {{.kind = Sirt{}, .iterations = 7},
            {.kind = Sirt{.isAccelerated = true}, .iterations = 7, .useCounts = true},
            {.kind = OsSart{.relaxationFactor = 0.9, .viewsPerSubset = 3}, .iterations = 7},
            {.kind = Cgls{.keptGradients = 5}, .iterations = 7},
            {.kind = byNoise, .iterations = 7, .stop = {.modelError = 0.5}}};
}

TEST(Iteration, ResumedIsUninterruptedToTheBit) {
    for (const IterativeMethod& method : allMethods()) {
        SCOPED_TRACE(nameOf(method));
        const auto space = spaceFor(method);
        Iteration whole(*space, method);
        space->write(whole.volume(), 0, problem().start);
        whole.begin({});
        for (int i = 0; i < 4; ++i)
            whole.step({});
        std::vector<std::vector<float>> stored;
        for (const NamedVector& one : whole.state())
            stored.push_back(valuesOf(*space, *one.vector));
        const StateNumbers numbers = whole.numbers();
        while (whole.report().stop == StopReason::none)
            whole.step({});

        const auto other = spaceFor(method);
        Iteration resumed(*other, method);
        std::vector<NamedVector> state = resumed.state();
        ASSERT_EQ(state.size(), stored.size());
        for (std::size_t i = 0; i < state.size(); ++i)
            other->write(*state[i].vector, 0, stored[i]);
        resumed.resume(numbers, {});
        EXPECT_EQ(resumed.report().iteration, 4);
        while (resumed.report().stop == StopReason::none)
            resumed.step({});
        EXPECT_EQ(valuesOf(*other, resumed.volume()), valuesOf(*space, whole.volume()));
        EXPECT_EQ(resumed.numbers(), whole.numbers());
    }
}

TEST(Iteration, AnotherMethodsStateIsRefused) {
    const IterativeMethod sirt{.kind = Sirt{}};
    const IterativeMethod cgls{.kind = Cgls{}};
    const auto space = spaceFor(sirt);
    Iteration run(*space, sirt);
    EXPECT_ERROR(run.resume(Iteration(*space, cgls).numbers(), {}), InputError, "SIRT");
    Iteration other(*space, cgls);
    StateNumbers numbers = other.numbers();
    numbers[8] = 1e9;
    EXPECT_ERROR(other.resume(numbers, {}), InputError, "CGLS");
}

TEST(Iteration, StopsByItsRules) {
    IterativeMethod method{.kind = OsSart{.viewsPerSubset = 3}, .iterations = 200};
    method.stop.change = 0.02;
    const auto space = spaceFor(method);
    const auto reportAtEnd = [&](const IterativeMethod& which) {
        Iteration run(*space, which);
        run.begin({});
        while (run.report().stop == StopReason::none)
            run.step({});
        return run.report();
    };
    const IterationReport settled = reportAtEnd(method);
    EXPECT_EQ(settled.stop, StopReason::change);
    EXPECT_LE(settled.change, 0.02);
    EXPECT_LT(settled.iteration, 200);
    method.stop = {.chiSquare = 1, .modelError = 0.1};
    const IterationReport fitted = reportAtEnd(method);
    EXPECT_EQ(fitted.stop, StopReason::chiSquare);
    EXPECT_LE(fitted.chiSquare, 1);
    EXPECT_LT(fitted.iteration, settled.iteration);
    method.stop = {};
    method.iterations = 3;
    const IterationReport all = reportAtEnd(method);
    EXPECT_EQ(all.stop, StopReason::iterations);
    EXPECT_EQ(all.iteration, 3);
}

TEST(Iteration, TheResidualOfAnEmptyVolumeIsOne) {
    const IterativeMethod method{.kind = Sirt{}};
    const auto space = spaceFor(method);
    Iteration run(*space, method);
    run.begin({});
    EXPECT_NEAR(run.step({}).residual, 1, 1e-12);
    EXPECT_LT(run.step({}).residual, 0.5);
}

TEST(Iteration, VoxelsStayWithinBoundsAndMask) {
    for (IterativeMethod method : allMethods()) {
        SCOPED_TRACE(nameOf(method));
        method.bounds = {0.004F, 0.012F};
        const bool isBounded = !std::holds_alternative<Cgls>(method.kind);
        const std::vector<float> volume = test::iterated(problem(), method);
        for (Index i = 0; i < std::ssize(volume); ++i) {
            const float value = volume[static_cast<std::size_t>(i)];
            const bool isWithin = value >= method.bounds.min && value <= method.bounds.max;
            EXPECT_TRUE(problem().isFree(i) ? isWithin || !isBounded : value == 0) << value;
        }
    }
}

TEST(Iteration, ATooHighRelaxationIsTold) {
    const auto runAll = [](const IterativeMethod& method) {
        const auto space = spaceFor(method);
        Iteration run(*space, method);
        run.begin({});
        while (run.report().stop == StopReason::none)
            run.step({});
    };
    EXPECT_ERROR(runAll({.kind = Sirt{2.6}}), InputError, "SIRT diverges");
    EXPECT_ERROR(runAll({.kind = Sirt{2.6}}), InputError, "relaxation of 2.6 is too high");
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    const VoxelBounds none = {-kInfinity, kInfinity};
    EXPECT_ERROR(runAll({.kind = Sirt{2.2}, .iterations = 99, .bounds = none}), InputError,
                 "relaxation of 2.2 is too high");
}

TEST(Iteration, NumbersThatAreNoneAreToldBeforeTheFirst) {
    test::DenseProblem spoilt = problem();
    spoilt.integrals[static_cast<std::size_t>(7 * spoilt.viewRays() + 3)] =
        std::numeric_limits<float>::quiet_NaN();
    spoilt.integrals[static_cast<std::size_t>(4 * spoilt.viewRays())] =
        std::numeric_limits<float>::infinity();
    spoilt.counts[static_cast<std::size_t>(9 * spoilt.viewRays())] = -1;
    const IterativeMethod method{.kind = OsSart{.viewsPerSubset = 3}};
    const auto space = spoilt.space(subsetCount(method, spoilt.views()), kCounted);
    Iteration run(*space, method);
    EXPECT_ERROR(run.begin({}), InputError, "3 rays of the views are not numbers");
    EXPECT_ERROR(run.begin({}), InputError, "view 4");
    std::vector<float> start = problem().start;
    const auto& [nX, nY, nZ] = problem().grid.voxels;
    start[static_cast<std::size_t>(((nZ / 2) * nY + nY / 2) * nX + nX / 2)] =
        std::numeric_limits<float>::quiet_NaN();
    const auto other = spaceFor(method);
    Iteration fromNan(*other, method);
    other->write(fromNan.volume(), 0, start);
    EXPECT_ERROR(fromNan.begin({}), InputError, "begin from");
}

TEST(Iteration, CountsAreAskedForWhereTheyAreNeeded) {
    const auto needs = [&](const IterativeMethod& method) {
        const auto space = spaceFor(method, {.threads = 1});
        EXPECT_ERROR(Iteration(*space, method), FieldError, "counts of the rays");
    };
    needs({.kind = Sirt{}, .useCounts = true});
    needs({.kind = Sirt{}, .stop = {.chiSquare = 1}});
}

TEST(Iteration, FindsTheStrengthOfTotalVariationByViewsAndNoise) {
    const IterativeMethod method{.kind = TotalVariation{.viewsPerSubset = 3}};
    const auto strengthOf = [&](const test::DenseProblem& scan, const HostSpaceOptions& options) {
        const auto space = scan.space(subsetCount(method, scan.views()), options);
        Iteration run(*space, method);
        run.begin({});
        const double first = run.step({}).strength;
        EXPECT_EQ(run.step({}).strength, first);
        return first;
    };
    const double subsets = static_cast<double>(subsetCount(method, problem().views()));
    EXPECT_DOUBLE_EQ(strengthOf(problem(), {.threads = 1}), 0.003 * subsets);
    test::DenseProblem few = problem();
    for (float& count : few.counts)
        count = 10;
    test::DenseProblem many = few;
    for (float& count : many.counts)
        count = 1e9F;
    // The model's own error of a percent is left: 1e-4 of the square of each ray.
    EXPECT_NEAR(strengthOf(many, kCounted), 0.003 * subsets, 0.03 * 0.003 * subsets);
    EXPECT_GT(strengthOf(few, kCounted), 2 * strengthOf(many, kCounted));
}

TEST(Iteration, IsCancelled) {
    for (const IterativeMethod& method : allMethods()) {
        const auto space = spaceFor(method);
        Iteration run(*space, method);
        run.begin({});
        std::stop_source stop;
        stop.request_stop();
        EXPECT_THROW(run.step(stop.get_token()), Cancelled);
    }
}

TEST(Iteration, MakesTheVectorsThatPlanningCounts) {
    for (const IterativeMethod& method : allMethods()) {
        SCOPED_TRACE(nameOf(method));
        const auto space = spaceFor(method);
        Iteration run(*space, method);
        VectorCounts kept;
        for (const NamedVector& one : run.state()) {
            kept.volumes += one.vector->kind() == VectorKind::volume ? 1 : 0;
            kept.gradients += one.vector->kind() == VectorKind::gradient ? 1 : 0;
        }
        const VectorCounts planned = vectorsOf(method);
        // The gradient of conjugate gradients is made anew.
        const bool isCgls = std::holds_alternative<Cgls>(method.kind);
        EXPECT_EQ(kept.volumes, planned.volumes - (isCgls ? 1 : 0));
        EXPECT_EQ(kept.gradients, planned.gradients);
    }
}

}  // namespace
}  // namespace gantry
