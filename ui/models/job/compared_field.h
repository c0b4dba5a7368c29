#pragma once

#include <QString>
#include <vector>

#include "core/job/varied_field.h"
#include "core/plan/job_spec.h"

namespace gantry {

/// The fields of geometry, filter and corrections whose values a person compares in slices, group
/// by group: those that have a label. What a scan's images state, such as their size, is none.
/// Tests: tests/ui/models/compared_field_test.cpp
[[nodiscard]] std::vector<VariedField> comparedFields(const JobSpec& job);

/// "Corrections: Ring width (px)"
[[nodiscard]] QString nameOf(const VariedField& field);

/// A value as pictures have it below them: "11 px", "Hann".
/// Tests: tests/ui/models/compared_field_test.cpp
[[nodiscard]] QString valueText(const VariedField& field, const FieldValue& value);

/// Whether two values are the same but for rounding.
[[nodiscard]] bool isSameValue(const FieldValue& a, const FieldValue& b);

/// A range of numbers.
struct ValueRange {
    double from = 0;
    double to = 0;
    int count = 0;
};
/// A range about the value that the job has, within the field's limits.
/// Tests: tests/ui/models/compared_field_test.cpp
[[nodiscard]] ValueRange usualRange(const VariedField& field, const JobSpec& job);

/// "5, 11, 21": the numbers of a range. Those of a whole number are whole and each there once.
/// range: two values or more
/// Tests: tests/ui/models/compared_field_test.cpp
[[nodiscard]] QString rangeText(const VariedField& field, const ValueRange& range);

}  // namespace gantry
