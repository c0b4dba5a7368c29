#pragma once

#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/doctor/relation.h"
#include "core/doctor/trial.h"

namespace gantry {

/// A reading whose views are those of the group's first one, of another volume.
struct SameViews {
    Reading reading;
    Relation relation;  ///< of its volume to that of the group's first reading
};

/// Readings that no scan of anything can tell apart, and how well they fit.
struct ReadingGroup {
    Reading reading;  ///< with the fewest changes
    /// One for each way in which their volumes lie otherwise, those with few changes first.
    std::vector<SameViews> others;
    Trial trial;
    double score = 0;   ///< the larger the better; a natural logarithm
    double behind = 0;  ///< what it lacks of the best group's
    double spread = 0;  ///< standard deviation of that, by leaving out an eighth of the views
};

enum class Certainty { sure, likely, cannotTell };

/// What the views of a scan say of its conventions.
struct Diagnosis {
    std::vector<ReadingGroup> groups;  ///< the best first; at least one
    /// So many of them, from the first on, fit as well as each other. Where the scan as it is
    /// declared is among them, it comes first: nothing is changed without a reason.
    std::size_t tied = 1;
    Certainty certainty = Certainty::cannotTell;
    bool isAsDeclared = false;  ///< the first group is that of the scan as it is declared
    /// Even with the best one the views contradict each other: something else is wrong, or there is
    /// nothing to be seen.
    bool fitsBadly = false;
    std::string whyUnusable;  ///< why the scan cannot be reconstructed as declared; empty: it can
};

struct DiagnosisOptions {
    int threads = 1;
    /// What is at work, and the share of the whole that is done; from any thread.
    std::function<void(const std::string& what, double fraction)> onProgress;
    std::stop_token stop;
};

/// The scan with its files open, for diagnose(): as declared, or where that cannot be
/// reconstructed, with the geometry of a reading that can.
/// @throws InputError where none can: that of the scan as it is declared; and as openScan()
/// @throws Cancelled
[[nodiscard]] OpenScan openForDiagnosis(const ScanFile& scan, const std::stop_token& stop);

/// Reconstructs small slices with every reading of a scan's geometry and compares how sharp they
/// are, how much of them is negative, and how well views agree about what they see from opposite
/// sides. Changes nothing.
/// scan: see openForDiagnosis()
/// declared: the geometry as it is in the scan's file
/// preview: makes slices, on any device
/// @throws InputError, ResourceError, Cancelled
/// Tests: tests/core/doctor/diagnosis_test.cpp
[[nodiscard]] Diagnosis diagnose(const OpenScan& scan, const ScanGeometry& declared,
                                 PlanePreview& preview, const DiagnosisOptions& options);

/// The scan's description with a reading, which may be saved as a scan.json.
[[nodiscard]] ScanFile withReading(const ScanFile& scan, const Reading& reading);

}  // namespace gantry
