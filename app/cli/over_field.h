#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "app/cli/field_options.h"
#include "core/plan/job_spec.h"

namespace gantry {

/// "cutoff=0.5,0.8": a field, and the words of its values. "cutoff=0.2..1/5" is a range of five.
struct OverWords {
    std::string field;
    std::vector<std::string> values;
};
/// @throws InputError naming --over, with `example` for what is allowed
/// Tests: tests/app/over_field_test.cpp
[[nodiscard]] OverWords overWords(const std::string& text, std::string_view example);

/// The value of a number, a whole number, a choice or a flag from its word, within the limits that
/// the field has in the desktop. What is usual may be outside of them: 0 for none.
/// name: of the field, for messages. @throws InputError naming it
[[nodiscard]] FieldValue overValue(const OptionField& field, const std::string& name,
                                   const std::string& word);

/// A field of a job, or of its scan, that has one value: a number, a choice, or a flag. One of the
/// numbers of a field of several is a field here: "detector.offsetMm[0]".
struct OverField {
    std::string path;       ///< in job.json or scan.json: "prep.ringWidthPx"
    std::string word;       ///< of the command line: "ring-width"; empty: none of its own
    std::string label;      ///< for the user: "Ring width"
    std::string unit;       ///< may be empty
    std::string_view what;  ///< within a sentence: "ring removal"
    bool isScored = false;  ///< the sharpness of slices tells its value
    OptionField option;
    std::function<void(JobSpec&, const FieldValue&)> assign;
    std::function<bool(const JobSpec&)> hasEffect;
};

/// The field with that path or that word of the command line, of a job with such a scan: any row of
/// jobFields(), scanFileFields() and scanFormFields(). "scan." before a path may be left out.
/// @throws InputError naming --over and what is near to the name
/// Tests: tests/app/over_field_test.cpp
[[nodiscard]] OverField overField(const std::string& name, const JobSpec& job);

}  // namespace gantry
