#pragma once

#include <functional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/span3.h"
#include "core/geometry/check/problem_list.h"
#include "core/prep/calibration.h"
#include "core/prep/corrections.h"
#include "core/prep/line_integrals.h"
#include "core/prep/pixel_repair.h"
#include "core/prep/rectify.h"

namespace gantry {

/// What a step must see to change a pixel. Those of pixel and detector belong to every scan; the
/// others are on where they are asked for.
enum class StepScope {
    stored,    ///< the stored pixels of a view, before they become line integrals
    beam,      ///< the whole scan once, which gives a number a view or a module
    pixel,     ///< the same pixel, with those around it where it tells nothing
    rows,      ///< some rows of the same view
    view,      ///< all rows of the same view
    allViews,  ///< its row in all views
    detector,  ///< the rows of which those of another detector are made
    filter,    ///< nothing: it is an option of the filter
};

/// Views as they are stored, and what is known of their detector; outlives the steps' forms.
struct StoredViews : StepViews {
    bool areCounts = false;  ///< not line integrals already
    const DetectorCalibration* calibration = nullptr;
    const PixelRepair* repair = nullptr;  ///< null: no dead pixel is made from other rows
    const Rectifier* rectifier = nullptr;
    std::span<const BeamOffset> offsets = {};  ///< [view]; empty: none
    std::span<const Index> numbers = {};  ///< [view] its number in the trajectory; empty: the same
};

/// Which rows of which view a step gets.
struct RowsOfView {
    Index view = 0;      ///< among the stored ones
    Index firstRow = 0;  ///< of the detector
    /// Rows whose invalid pixels and zingers are counted; some may be others than these rows.
    IndexRanges counted = {};
};

/// Changes rows of one view after the other. rows: [1][v][u], in place
using ViewCorrection =
    std::function<void(Span3<float> rows, const RowsOfView& place, InvalidPixels& found)>;

/// What is done to views between the stored pixel and the filter. Planning, a run, previews, live
/// slices and finders ask the list, correctionSteps(); what is of scope stored, beam or filter is
/// done elsewhere, and only checked and described here. A step is
/// added by its file, a line in the list, its options in core/job/correction_fields.h and, for
/// GPUs, a line in gpu/engine/gpu_corrections.cpp.
struct CorrectionStep {
    StepScope scope{};
    bool (*isOn)(const Corrections&) = [](const Corrections&) { return true; };
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

    /// The CPU's form of scopes pixel, rows and view; null for others. Several threads may use one
    /// of scope pixel, which may be empty where there is nothing to do; others each need their own.
    ViewCorrection (*ofView)(const Corrections&, const StoredViews&) = nullptr;
    /// The CPU's form of scope allViews; null for others. views: finite line integrals, [s][v][u],
    /// all views of the scan, in place. @throws Cancelled, ResourceError
    void (*ofAllViews)(const Corrections&, Span3<float> views, int threads,
                       const std::stop_token& stop) = nullptr;
    /// The CPU's form of scope detector; null for others. rows, out: [1][v][u] from firstRow and
    /// outRow on, which do not overlap
    void (*resample)(const StoredViews&, Span3<const float> rows, Index firstRow, Span3<float> out,
                     Index outRow) = nullptr;
};

/// Tells what is wrong with a rectangle of pixels: first column and row, one past the last of both.
void checkRegion(const char* field, const std::vector<Index>& region, ProblemList& problems);

/// What ring removal is to do with the selected pixels: its widths are given in the detector's own,
/// so that they mean the same rings with larger pixels.
[[nodiscard]] RingSpec ringsOnPixels(const Corrections& corrections);

extern const CorrectionStep kModuleStep;      ///< modules of the detector that step
extern const CorrectionStep kPixelStep;       ///< a part of the detector, larger pixels
extern const CorrectionStep kFluxStep;        ///< each view by the air beside the object
extern const CorrectionStep kIntegralStep;    ///< toLineIntegrals() or cleanAttenuation()
extern const CorrectionStep kRepairStep;      ///< PixelRepair
extern const CorrectionStep kZingerStep;      ///< ZingerRemover
extern const CorrectionStep kPhaseStep;       ///< PhaseRetriever
extern const CorrectionStep kLagStep;         ///< removeLag()
extern const CorrectionStep kRingStep;        ///< RingRemover
extern const CorrectionStep kUprightStep;     ///< Rectifier
extern const CorrectionStep kTruncationStep;  ///< rows that go on beyond the detector

}  // namespace gantry
