#pragma once

#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/span3.h"
#include "core/geometry/check/problem_list.h"
#include "core/prep/corrections.h"

namespace gantry {

/// What a step must see to correct a pixel; the ones further down need those above done.
enum class StepScope {
    stored,    ///< the stored pixels of a view, before they become line integrals
    beam,      ///< the whole scan once, which gives a number a view or a module
    rows,      ///< some rows of the same view
    view,      ///< all rows of the same view
    allViews,  ///< its row in all views
    filter,    ///< nothing: it is an option of the filter
};

/// Called with the number of pixels of a row that were replaced, where there are any.
using OnReplaced = std::function<void(Index row, Index replaced)>;

/// Corrects one view after the other. view: finite line integrals, [1][v][u], in place
using ViewCorrection = std::function<void(Span3<float> view, const OnReplaced& onReplaced)>;

/// A correction of views before they are filtered. Planning, a run, previews, live slices and
/// finders ask the list, correctionSteps(); what is not of scope rows, view or allViews is done
/// elsewhere, and only checked and described here. A step is
/// added by its file, a line in the list, its options in core/job/correction_fields.h and, for
/// GPUs, a line in gpu/engine/gpu_corrections.cpp.
struct CorrectionStep {
    StepScope scope{};
    bool (*isOn)(const Corrections&) = nullptr;
    /// Tells what is wrong with its options.
    void (*check)(const Corrections&, ProblemList&) = [](const Corrections&, ProblemList&) {};
    /// Says what it has done, with its authors, as a part of a sentence; empty: that is said
    /// elsewhere. It is on.
    std::string (*describe)(const Corrections&) = [](const Corrections&) { return std::string(); };
    /// Rows that it needs above and below those that it corrects. It is on.
    Index (*marginRows)(const Corrections&) = [](const Corrections&) { return Index{0}; };
    /// Memory that a thread needs for it, bytes. It is on.
    Index (*workspaceBytes)(const Corrections&, const StepViews&) =
        [](const Corrections&, const StepViews&) { return Index{0}; };

    /// Turns it off; null where no one asks for that.
    void (*turnOff)(Corrections&) = nullptr;

    /// The CPU's form of scopes rows and view, for one thread; null for others.
    ViewCorrection (*ofView)(const Corrections&, const StepViews&) = nullptr;
    /// The CPU's form of scope allViews; null for others. views: finite line integrals, [s][v][u],
    /// all views of the scan, in place. @throws Cancelled, ResourceError
    void (*ofAllViews)(const Corrections&, Span3<float> views, int threads,
                       const std::stop_token& stop) = nullptr;
};

/// Tells what is wrong with a rectangle of pixels: first column and row, one past the last of both.
void checkRegion(const char* field, const std::vector<Index>& region, ProblemList& problems);

extern const CorrectionStep kModuleStep;      ///< modules of the detector that step
extern const CorrectionStep kPixelStep;       ///< a part of the detector, larger pixels
extern const CorrectionStep kFluxStep;        ///< each view by the air beside the object
extern const CorrectionStep kZingerStep;      ///< ZingerRemover
extern const CorrectionStep kPhaseStep;       ///< PhaseRetriever
extern const CorrectionStep kLagStep;         ///< removeLag()
extern const CorrectionStep kRingStep;        ///< RingRemover
extern const CorrectionStep kTruncationStep;  ///< rows that go on beyond the detector

}  // namespace gantry
