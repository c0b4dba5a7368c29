#include "core/prep/corrections.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <utility>

#include "core/prep/steps/correction_step.h"

namespace gantry {

namespace {

template <class... Scopes>
bool needs(const Corrections& corrections, Scopes... scopes) {
    return std::ranges::any_of(correctionSteps(), [&](const CorrectionStep* step) {
        return ((step->scope == scopes) || ...) && step->isOn(corrections);
    });
}

Corrections without(Corrections corrections, StepScope scope) {
    for (const CorrectionStep* step : correctionSteps())
        if (step->scope == scope) step->turnOff(corrections);
    return corrections;
}

}  // namespace

void checkRegion(const char* field, const std::vector<Index>& region, ProblemList& problems) {
    if (region.size() != 4)
        return problems.errorOf(
            field, fmt::format("has {} numbers; it must have 4: first column, first row, and one "
                               "past the last column and row",
                               region.size()));
    if (region[0] < 0 || region[1] < 0 || region[2] <= region[0] || region[3] <= region[1])
        problems.errorOf(field,
                         fmt::format("is {}; it must begin at 0 or above, and end (the third and "
                                     "the fourth number) behind its begin",
                                     fmt::join(region, ", ")));
}

std::span<const CorrectionStep* const> correctionSteps() {
    static constexpr std::array kSteps = {
        &kModuleStep, &kPixelStep, &kFluxStep, &kIntegralStep, &kRepairStep,    &kZingerStep,
        &kPhaseStep,  &kLagStep,   &kRingStep, &kUprightStep,  &kTruncationStep};
    return kSteps;
}

std::vector<const CorrectionStep*> stepsOf(const Corrections& corrections) {
    std::vector<const CorrectionStep*> steps;
    std::ranges::copy_if(correctionSteps(), std::back_inserter(steps),
                         [&](const CorrectionStep* step) { return step->isOn(corrections); });
    return steps;
}

bool Corrections::changesPixels() const {
    return needs(*this, StepScope::rows, StepScope::view, StepScope::allViews);
}

bool Corrections::needsWholeViews() const {
    return needs(*this, StepScope::view);
}

bool Corrections::needsAllViews() const {
    return needs(*this, StepScope::allViews);
}

Corrections Corrections::ofSingleViews() const {
    return without(*this, StepScope::allViews);
}

Corrections Corrections::measured() const {
    Corrections measured;
    measured.modules = modules;
    measured.flux = flux;
    return measured;
}

Corrections Corrections::withoutMeasured() const {
    return without(*this, StepScope::beam);
}

Index Corrections::marginRows() const {
    Index rows = 0;
    for (const CorrectionStep* step : stepsOf(*this))
        rows += step->marginRows(*this);
    return rows;
}

void correctAllViews(const Corrections& corrections, Span3<float> views, int threads,
                     const std::stop_token& stop) {
    for (const CorrectionStep* step : stepsOf(corrections))
        if (step->ofAllViews) step->ofAllViews(corrections, views, threads, stop);
}

std::vector<Problem> validate(const Corrections& corrections) {
    ProblemList problems;
    for (const CorrectionStep* step : correctionSteps())
        step->check(corrections, problems);
    return std::move(problems).sorted();
}

std::string describe(const Corrections& corrections) {
    std::vector<std::string> parts;
    for (const CorrectionStep* step : stepsOf(corrections))
        parts.push_back(step->describe(corrections));
    std::erase(parts, "");
    if (parts.empty()) return {};
    return fmt::format("Before the filter {}.", fmt::join(parts, "; "));
}

Index workspaceBytes(const Corrections& corrections, const StepViews& views) {
    // Views are corrected one by one before rows of all of them are, so the memory of both is not
    // needed at the same time.
    Index ofView = 0;
    Index ofAllViews = 0;
    for (const CorrectionStep* step : stepsOf(corrections))
        (step->scope == StepScope::allViews ? ofAllViews : ofView) +=
            step->workspaceBytes(corrections, views);
    return std::max(ofView, ofAllViews);
}

}  // namespace gantry
