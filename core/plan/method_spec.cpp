#include "core/plan/method_spec.h"

#include <fmt/format.h>

#include <array>
#include <cstddef>
#include <limits>
#include <utility>

#include "core/base/error.h"
#include "core/geometry/check/problem_list.h"
#include "core/iterate/method.h"

namespace gantry {

namespace {

constexpr double kMaxAttenuation = 1000;  // 1/mm, far above that of any matter
constexpr double kMaxPhotons = 1e12;
constexpr double kMaxWeight = 1e6;

Index viewsPerSubset(const MethodSpec& method) {
    if (method.subsetViews > 0) return method.subsetViews;
    return method.method == Method::tv ? TotalVariation().viewsPerSubset : OsSart().viewsPerSubset;
}

IterativeMethod::Kind kindOf(const MethodSpec& method) {
    switch (method.method) {
        case Method::sirt:
            return Sirt{method.relaxation, method.isAccelerated};
        case Method::osSart:
            return OsSart{.relaxation = method.relaxation,
                          .viewsPerSubset = viewsPerSubset(method)};
        case Method::cgls:
            return Cgls{};
        case Method::tv:
            return TotalVariation{.relaxation = method.relaxation,
                                  .viewsPerSubset = viewsPerSubset(method),
                                  .strength = method.tvWeight};
        case Method::fdk:
            break;
    }
    throw InternalError("FDK has no iterations");
}

std::string startText(const MethodSpec& method) {
    if (method.start == kStartZero) return "zero";
    if (method.startsFromFile()) return method.start;
    return method.hasBounds() ? "FDK (Hann), kept within the bounds" : "FDK (Hann)";
}

std::string boundsText(const MethodSpec& method) {
    if (!method.hasBounds()) return {};
    std::string text;
    if (method.nonNegative) text += ", not negative";
    if (method.upperBound > 0) text += fmt::format(", at most {:g} /mm", method.upperBound);
    return text;
}

std::string stepText(const MethodSpec& method) {
    std::string text;
    if (method.method == Method::sirt && method.isAccelerated) text += ", accelerated";
    if (method.hasBounds()) text += fmt::format(", relaxation {:g}", method.relaxation);
    if (method.hasSubsets()) text += fmt::format(", {} views at a time", viewsPerSubset(method));
    if (method.method == Method::tv)
        text += method.tvWeight > 0  ? fmt::format(", weight {:g}", method.tvWeight)
                : method.photons > 0 ? ", weight by views and noise"
                                     : ", weight by views";
    return text;
}

}  // namespace

Index MethodSpec::maxIterations() const {
    constexpr std::array<Index, std::size(kMethods)> kUsual = {1, 20, 10, 10, 20};
    return iterations > 0 ? iterations : kUsual[static_cast<std::size_t>(method)];
}

std::string_view name(Method method) {
    return kMethods[static_cast<std::size_t>(method)].label;
}

IterativeMethod iterativeMethod(const MethodSpec& method) {
    IterativeMethod result;
    result.kind = kindOf(method);
    result.iterations = method.maxIterations();
    result.useCounts = method.weighsByCounts;
    if (!method.nonNegative) result.bounds.min = -std::numeric_limits<float>::infinity();
    if (method.upperBound > 0) result.bounds.max = static_cast<float>(method.upperBound);
    // Total variation goes by the noise with its weight.
    if (method.photons > 0 && method.method != Method::tv) result.stop.chiSquare = 1;
    result.stop.change = method.stopChange;
    return result;
}

std::vector<Problem> validate(const MethodSpec& method) {
    ProblemList problems;
    if (method.hasBounds() && !(method.relaxation > 0 && method.relaxation < 2))
        problems.errorOf(
            "method.relaxation",
            fmt::format("is {:g}; it must be above 0 and below 2, or the iterations diverge",
                        method.relaxation));
    if (method.hasSubsets()) problems.count("method.subsetViews", method.subsetViews, 0, kMaxViews);
    if (method.isIterative()) {
        problems.range("method.stopChange", method.stopChange, 0, 1, "");
        problems.range("method.photons", method.photons, 0, kMaxPhotons, "");
        if (method.weighsByCounts && method.photons <= 0)
            problems.errorOf("method.countWeights",
                             "is chosen, but the photons are unknown: rays weigh by counts only "
                             "where method.photons says what they are");
        if (method.start.empty())
            problems.errorOf("method.start",
                             "is empty; it must be fdk, zero or the name of a volume");
        if (method.mask.empty())
            problems.errorOf("method.mask",
                             "is empty; it must be none, cylinder or the name of a volume");
    }
    if (method.hasBounds())
        problems.range("method.upperBound", method.upperBound, 0, kMaxAttenuation, " /mm");
    if (method.method == Method::tv)
        problems.range("method.weight", method.tvWeight, 0, kMaxWeight, "");
    return std::move(problems).sorted();
}

std::string describe(const MethodSpec& method) {
    if (!method.isIterative()) return {};
    std::string text = fmt::format("{}, at most {} iterations from {}{}{}", name(method.method),
                                   method.maxIterations(), startText(method), stepText(method),
                                   boundsText(method));
    if (method.mask == kCylinderMask) text += ", in the cylinder that all views see";
    if (method.hasMaskFile()) text += fmt::format(", inside the mask {}", method.mask);
    if (method.isRegion) text += ", without what is around the volume";
    if (method.photons > 0) text += fmt::format(", {:g} photons a pixel", method.photons);
    if (method.weighsByCounts) text += ", pixels weighted by their counts";
    if (method.stopChange > 0)
        text += fmt::format(", until the volume changes by less than {:g}", method.stopChange);
    return text + '.';
}

}  // namespace gantry
