#include "core/iterate/method.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/base/throw_error.h"

namespace gantry {

namespace {

void requirePart(const char* field, double value) {
    if (!(value > 0 && value <= 1))
        throwErrorOf<FieldError>(field, "{} is not allowed; it is above 0 and at most 1", value);
}

void requirePositive(const char* field, double value) {
    if (!(value > 0) || !std::isfinite(value))
        throwErrorOf<FieldError>(field, "{} is not allowed; it is a number above 0", value);
}

void requireNotNegative(const char* field, double value) {
    if (!(value >= 0) || !std::isfinite(value))
        throwErrorOf<FieldError>(field, "{} is not allowed; it is a number from 0 on", value);
}

void requireCount(const char* field, Index value) {
    if (value < 1)
        throwErrorOf<FieldError>(field, "{} is not allowed; it is a whole number from 1 on", value);
}

void requireValidKind(const Sirt& sirt) {
    requirePositive("relaxation", sirt.relaxation);
}

void requireValidKind(const OsSart& osSart) {
    requirePositive("relaxation", osSart.relaxation);
    requirePart("relaxationFactor", osSart.relaxationFactor);
    requireCount("viewsPerSubset", osSart.viewsPerSubset);
}

void requireValidKind(const Cgls& cgls) {
    requireNotNegative("keptGradients", static_cast<double>(cgls.keptGradients));
}

void requireValidKind(const TotalVariation& tv) {
    requirePositive("relaxation", tv.relaxation);
    requireCount("viewsPerSubset", tv.viewsPerSubset);
    requireNotNegative("strength", tv.strength);
    requireCount("flatteningSteps", tv.flatteningSteps);
}

Index viewsPerSubset(const IterativeMethod& method, Index views) {
    if (const auto* osSart = std::get_if<OsSart>(&method.kind)) return osSart->viewsPerSubset;
    if (const auto* tv = std::get_if<TotalVariation>(&method.kind)) return tv->viewsPerSubset;
    return views;
}

}  // namespace

std::string nameOf(const IterativeMethod& method) {
    constexpr std::array kNames = {"SIRT", "OS-SART", "CGLS", "TV"};
    return kNames[method.kind.index()];
}

Index subsetCount(const IterativeMethod& method, Index views) {
    return std::max<Index>(1, views / std::max<Index>(1, viewsPerSubset(method, views)));
}

VectorCounts vectorsOf(const IterativeMethod& method) {
    if (const auto* cgls = std::get_if<Cgls>(&method.kind)) {
        const Index kept = std::min(cgls->keptGradients, method.iterations);
        return {.volumes = 3 + kept, .views = 2};
    }
    const bool isTv = std::holds_alternative<TotalVariation>(method.kind);
    const auto* sirt = std::get_if<Sirt>(&method.kind);
    return {.volumes = sirt && sirt->isAccelerated ? 2 : 1,
            .gradients = isTv ? 1 : 0,
            .subsets = 1,
            .hasColumnWeights = true};
}

double usualStrength(Index subsets, double relativeNoise) {
    constexpr double kPerSubset = 0.003;
    constexpr double kMuchNoise = 0.005;  // at which the strength is twice that without noise
    return kPerSubset * static_cast<double>(subsets) * (1 + relativeNoise / kMuchNoise);
}

void requireValid(const IterativeMethod& method) {
    std::visit([](const auto& kind) { requireValidKind(kind); }, method.kind);
    requireCount("iterations", method.iterations);
    if (!(method.bounds.min < method.bounds.max))
        throwErrorOf<FieldError>("bounds", "{} to {} is not allowed; the smaller one comes first",
                                 method.bounds.min, method.bounds.max);
    requireNotNegative("chiSquare", method.stop.chiSquare);
    requireNotNegative("modelError", method.stop.modelError);
    requireNotNegative("change", method.stop.change);
}

}  // namespace gantry
