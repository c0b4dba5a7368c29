#pragma once

#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/doctor/interpretation.h"
#include "core/doctor/judged_trial.h"

namespace gantry {

/// An interpretation with the same views as the group's first one, but another volume.
struct SameViews {
    Interpretation interpretation;
    Relation relation;  ///< of its volume to that of the group's first interpretation
};

/// Interpretations that no scan can distinguish, and how well they fit.
struct InterpretationGroup : JudgedTrial {
    Interpretation interpretation;  ///< with the fewest changes
    /// One for each way in which their volumes differ, those with few changes first.
    std::vector<SameViews> others;
};

/// Another explanation of the same views: an interpretation without a change of the detector's
/// offset along u, and an axis that is not where it puts it.
struct ShiftedAxis {
    Interpretation interpretation;
    double shiftPx = 0;
};

enum class Certainty { sure, likely, cannotTell };

/// What the views of a scan show about its conventions and, coarsely, about its centre of rotation.
struct Diagnosis {
    std::vector<InterpretationGroup> groups;  ///< the best first; at least one
    /// Number of groups, from the first on, that fit equally well. If the scan as declared is among
    /// them, it comes first: nothing is changed without a reason.
    std::size_t tied = 1;
    Certainty certainty = Certainty::cannotTell;
    bool isAsDeclared = false;  ///< the first group is that of the scan as it is declared
    /// The views contradict each other even in the best group: something else is wrong, or nothing
    /// can be seen.
    bool fitsBadly = false;
    /// The shift of the centre of rotation with the first group's interpretation.
    Finding centre;
    double centreTolerancePx = 1;  ///< what coarse views may make of none
    /// What explains the views as well as the first group, if that changes the detector's offset
    /// along u and the views do not contradict a shifted axis instead.
    std::optional<ShiftedAxis> shiftedAxis;
    /// Whether the centre of rotation is clearly not where it is declared.
    [[nodiscard]] bool isCentreOff() const;
    std::string whyUnusable;  ///< why the scan cannot be reconstructed as declared; empty: it can
};

struct DiagnosisOptions {
    int threads = 1;
    /// Gets the current step and the part of the whole that is done; called from any thread.
    std::function<void(const std::string& what, double fraction)> onProgress;
    std::stop_token stop;
};

/// The scan with its files open, for diagnose(): as declared or, if that cannot be reconstructed,
/// with the geometry of an interpretation that can.
/// @throws InputError if none can, the one of the scan as declared; and as openScan()
/// @throws Cancelled
[[nodiscard]] OpenScan openForDiagnosis(const ScanFile& scan, const std::stop_token& stop);

/// Reconstructs small slices with every interpretation of a scan's geometry and compares how sharp
/// they are, how much of them is negative, and how well views from opposite sides agree. Changes
/// nothing. scan: see openForDiagnosis() declared: the geometry in the scan's file preview: makes
/// slices, on any device
/// @throws InputError, ResourceError, Cancelled
/// Tests: tests/core/doctor/diagnosis_test.cpp
[[nodiscard]] Diagnosis diagnose(const OpenScan& scan, const ScanGeometry& declared,
                                 PlanePreview& preview, const DiagnosisOptions& options);

/// The scan's description with an interpretation, which may be saved as a scan.json.
[[nodiscard]] ScanFile withInterpretation(const ScanFile& scan,
                                          const Interpretation& interpretation);

}  // namespace gantry
