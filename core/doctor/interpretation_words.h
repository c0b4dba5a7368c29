#pragma once

#include <string>
#include <vector>

#include "core/doctor/diagnosis.h"

namespace gantry {

// Texts about interpretations, for the command line and the desktop.
// Tests: tests/core/doctor/interpretation_words_test.cpp

/// "as it is declared", "rotation reversed, images upside down".
[[nodiscard]] std::string nameOf(const Interpretation& interpretation);

/// How a volume differs from another one: "mirrored left to right", "rotated by 180° about the
/// axis".
[[nodiscard]] std::string nameOf(const Relation& relation);
/// A question that the user can answer by looking at the volume, to distinguish the two.
[[nodiscard]] std::string landmarkOf(const Relation& relation);

/// "sure", "likely", "cannot tell"
[[nodiscard]] std::string nameOf(Certainty certainty);
/// The result, in one or two sentences.
[[nodiscard]] std::string summaryOf(const Diagnosis& diagnosis);

/// What is known about the centre of rotation, which interpretations do not change, and how to find
/// it: one sentence.
[[nodiscard]] std::string centreOf(const Diagnosis& diagnosis);
[[nodiscard]] std::string centreOf(const Finding& centre, double tolerancePx);

/// A field of a scan.json that an interpretation changes, and its values in the file.
struct FieldChange {
    std::string field;  ///< "trajectory.arcDeg"
    std::string before;
    std::string after;
};
[[nodiscard]] std::vector<FieldChange> changesOf(const ScanFile& scan,
                                                 const Interpretation& interpretation);

}  // namespace gantry
