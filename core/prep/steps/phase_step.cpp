#include <fmt/format.h>

#include <memory>

#include "core/prep/steps/correction_step.h"

namespace gantry {

namespace {

void checkPhase(const Corrections& corrections, ProblemList& problems) {
    if (!corrections.hasPhase()) return;
    const PhaseSpec& phase = corrections.phase;
    problems.range("prep.phaseEnergyKeV", phase.energyKeV, 0.1, 10000, " keV");
    problems.length("prep.phaseDistanceMm", phase.distanceMm, kMaxDistanceMm);
    problems.range("prep.phaseDeltaOverBeta", phase.deltaOverBeta, 1, 1e7, "");
}

}  // namespace

const CorrectionStep kPhaseStep = {
    .scope = StepScope::view,
    .isOn = [](const Corrections& corrections) { return corrections.hasPhase(); },
    .check = checkPhase,
    .describe =
        [](const Corrections& corrections) {
            const PhaseSpec& phase = corrections.phase;
            return fmt::format(
                "the phase was retrieved (Paganin et al. 2002; {} keV, {} mm, δ/β {})",
                phase.energyKeV, phase.distanceMm, phase.deltaOverBeta);
        },
    .workspaceBytes =
        [](const Corrections&, const StepViews& views) {
            return PhaseRetriever::workspaceBytes(views.rows, views.columns);
        },
    .ofView = [](const Corrections&, const StoredViews& views) -> ViewCorrection {
        return
            [retriever = std::make_shared<PhaseRetriever>(views.optics.spec, views.optics.pitchMm,
                                                          views.rows, views.columns)](
                Span3<float> view, const RowsOfView&, InvalidPixels&) { retriever->apply(view); };
    },
};

}  // namespace gantry
