#pragma once

#include "core/describe/scan_description.h"
#include "core/doctor/diagnosis.h"

namespace gantry {

/// What the views of a scan show of the open questions of its description.
struct Settlement {
    /// Read with the answers that are taken. Its questions, and its scan's origin, say how each is
    /// known; those that nobody answered and the views do not show keep the usual answer.
    ScanDescription description;
    bool fitsBadly = false;  ///< the views contradict each other, whatever is answered
    Index tried = 0;         ///< number of geometries that slices were made with
    Finding centre;          ///< the shift of the centre of rotation with these answers
    double centreTolerancePx = 1;
};

/// Reconstructs small slices with the answers to a description's open questions, and compares how
/// well they fit, as diagnose() does with conventions. Answers by a person stay. Answers that
/// change only the handedness of the volume, or move the views by too little, are not told apart.
/// description: see describedWithImages() scan: its images, opened as it has them now
/// @throws InputError, ResourceError, Cancelled
/// Tests: tests/core/doctor/settle_test.cpp, tests/cli/test_scanners.py
[[nodiscard]] Settlement settleQuestions(const ScanDescription& description, const OpenScan& scan,
                                         PlanePreview& preview, const DiagnosisOptions& options);

/// "rotation: clockwise, found on the views (sure)". Tests: tests/core/doctor/settle_test.cpp
[[nodiscard]] std::string sentenceOf(const OpenQuestion& question);

}  // namespace gantry
