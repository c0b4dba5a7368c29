#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/field_table.h"
#include "core/io/scan_file/scan_fields.h"
#include "core/job/option_field.h"
#include "core/plan/job_spec.h"

namespace gantry {

/// FieldOption::group of the fields of a scan whose value the sharpness of slices tells: how
/// detector and source are mounted. A wrong distance changes the scale, and a filter the noise,
/// which sharpness depends on, too.
inline constexpr std::string_view kScoredGroup = ScanGroup::alignment;

/// A field of a job, or of its scan, that has one value: a number, a choice, or a flag. One of the
/// numbers of a field of several is a field here: "detector.offsetMm[0]".
struct VariedField {
    std::string path;                    ///< in job.json or scan.json: "prep.ringWidthPx"
    std::string word;                    ///< of the command line: "ring-width"; empty: none
    std::string label;                   ///< for the user: "Ring width"; the path if it has none
    std::string unit;                    ///< may be empty
    std::string_view group;              ///< FieldOption::group of its row
    std::string_view what;               ///< within a sentence: "ring removal"
    std::span<const FieldWord> choices;  ///< of a choice
    OptionField option;
    std::function<FieldValue(const JobSpec&)> value;
    std::function<void(JobSpec&, const FieldValue&)> assign;
    std::function<bool(const JobSpec&)> hasEffect;

    [[nodiscard]] bool isScored() const { return group == kScoredGroup; }
    /// "11 px": a word of a value with the unit.
    [[nodiscard]] std::string withUnit(const std::string& valueWord) const;
};

/// All of a job with such a scan: the rows of jobFields(), scanFileFields() and scanFormFields().
/// A field of a file comes before one of the same name that forms have.
/// Tests: tests/app/over_field_test.cpp, tests/core/job/varied_field_test.cpp
[[nodiscard]] std::vector<VariedField> variedFields(const JobSpec& job);

/// The value of a number, a whole number, a choice or a flag from its word, within the limits that
/// the field has in the desktop. What is usual may be outside of them: 0 for none.
/// name: of the field, for messages. @throws InputError naming it
/// Tests: tests/app/over_field_test.cpp
[[nodiscard]] FieldValue variedValue(const OptionField& field, const std::string& name,
                                     const std::string& word);

/// Sets the field of that path to the value of a word. @throws InputError naming field and value
/// Tests: tests/core/job/varied_field_test.cpp
void assignWord(JobSpec& job, const std::string& path, const std::string& word);
/// The same, unless it has another value than the usual one. Returns whether it has the word's now.
bool assignIfUsual(JobSpec& job, const std::string& path, const std::string& word);

/// The words of "5, 11, 21" or of "0.2..1/5", which is a range of five.
/// name: for messages. @throws InputError naming it, the text and what is allowed
/// Tests: tests/app/over_field_test.cpp, tests/core/job/varied_field_test.cpp
[[nodiscard]] std::vector<std::string> valueWords(const std::string& text, std::string_view name);

/// The numbers of a range, both ends included, so that no rounding shows. count: 2 or more
[[nodiscard]] std::vector<std::string> rangeWords(double from, double to, Index count);

}  // namespace gantry
