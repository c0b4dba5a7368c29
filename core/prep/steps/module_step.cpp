#include <fmt/format.h>

#include "core/prep/steps/correction_step.h"

namespace gantry {

namespace {

void checkEdges(const char* field, const ModuleSpec& spec, const std::vector<Index>& edges,
                ProblemList& problems) {
    if (edges.empty()) return;
    if (spec.method == ModuleMethod::none)
        return problems.errorOf(field,
                                "has no effect while prep.modules is none; set that to fit "
                                "(--modules fit), or leave the edges out");
    if (std::ssize(edges) > kMaxModuleEdges)
        return problems.errorOf(
            field, fmt::format("has {} edges; it may have {}", edges.size(), kMaxModuleEdges));
    Index before = 0;
    for (const Index edge : edges) {
        if (edge < before + kMinModulePx)
            return problems.errorOf(
                field, fmt::format("has an edge at {} behind {}; edges must ascend, and a module "
                                   "must have at least {} pixels",
                                   edge, before, kMinModulePx));
        before = edge;
    }
}

}  // namespace

const CorrectionStep kModuleStep = {
    .scope = StepScope::beam,
    .isOn = [](const Corrections& corrections) { return corrections.hasModules(); },
    .check =
        [](const Corrections& corrections, ProblemList& problems) {
            const ModuleSpec& spec = corrections.modules;
            checkEdges("prep.moduleColumnsPx", spec, spec.columnsPx, problems);
            checkEdges("prep.moduleRowsPx", spec, spec.rowsPx, problems);
        },
    .describe = [](const Corrections&) -> std::string {
        return "modules of the detector were levelled where they step";
    },
    .turnOff = [](Corrections& corrections) { corrections.modules = {}; },
};

}  // namespace gantry
