#pragma once

#include <vector>

#include "core/describe/scan_description.h"
#include "core/doctor/interpretation.h"
#include "core/doctor/judged_trial.h"

namespace gantry {

/// A scan as its description has it with some answers to its open questions.
struct AnsweredScan {
    std::vector<std::size_t> choices;  ///< one for each question
    std::size_t changes = 0;           ///< number of answers that are not the usual ones
    ReadGeometry read;                 ///< for the images as the description first has them
};

/// Number of questions that two answer differently.
[[nodiscard]] std::size_t differences(const AnsweredScan& a, const AnsweredScan& b);
/// Whether both have the images' columns and rows in the same order.
[[nodiscard]] bool isSameFlip(const AnsweredScan& a, const AnsweredScan& b);

/// Answers that no view tells apart, and how well they fit.
struct AnswerGroup : JudgedTrial {
    /// Those that leave the images' columns and rows as usual first, then those with few changes.
    std::vector<AnsweredScan> members;
    bool isTried = false;
};
[[nodiscard]] bool contains(const AnswerGroup& group, const AnsweredScan& scan);

/// All answers to the open questions that a person has not answered, as far as the scan can be
/// reconstructed with them; in groups whose views differ by less than so many pixels. The group
/// with the usual answers comes first.
/// @throws InputError if there is none
/// Tests: tests/core/doctor/settle_test.cpp
[[nodiscard]] std::vector<AnswerGroup> groupsOfAnswers(const ScanDescription& description,
                                                       double tolerancePx);

/// The description read with these answers. What images showed of the open beam is kept.
[[nodiscard]] ScanDescription withAnswers(const ScanDescription& description,
                                          const AnsweredScan& scan);

}  // namespace gantry
