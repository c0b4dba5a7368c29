#pragma once

#include <string>
#include <vector>

#include "core/doctor/diagnosis.h"

namespace gantry {

// What is said of readings, on the command line and in the desktop.
// Tests: tests/core/doctor/reading_words_test.cpp

/// "as it is declared", "rotation reversed, images upside down".
[[nodiscard]] std::string nameOf(const Reading& reading);

/// How a volume lies to another one: "mirrored left to right", "rotated by 180° about the axis".
[[nodiscard]] std::string nameOf(const Relation& relation);
/// What to look at in the volume to tell the two: a question.
[[nodiscard]] std::string landmarkOf(const Relation& relation);

/// "sure", "likely", "cannot tell"
[[nodiscard]] std::string nameOf(Certainty certainty);
/// What was found, in one or two sentences.
[[nodiscard]] std::string summaryOf(const Diagnosis& diagnosis);

/// A field of a scan.json that a reading changes, and its values as the file has them.
struct FieldChange {
    std::string field;  ///< "trajectory.arcDeg"
    std::string before;
    std::string after;
};
[[nodiscard]] std::vector<FieldChange> changesOf(const ScanFile& scan, const Reading& reading);

}  // namespace gantry
