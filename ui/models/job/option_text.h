#pragma once

#include <QString>

#include "core/base/field_table.h"
#include "core/plan/job_spec.h"

namespace gantry {

/// The row of the table of options, by its place in job.json: "filter.window".
[[nodiscard]] const FileField<JobSpec>& jobOption(std::string_view path);

/// A text of a table of options in the user's language.
[[nodiscard]] QString optionText(std::string_view text);

/// What the row's control says of it: its help, or else its meaning as a sentence.
[[nodiscard]] QString optionHelp(const FieldShape& shape, const FieldOption& option);

/// What a step that changes the option is called: "Change cut-off".
[[nodiscard]] QString optionEdit(const FieldOption& option);

/// What a job has for an option that is one of a few words, as the desktop calls it: "Hann".
/// Tests: tests/ui/models/job_request_test.cpp
[[nodiscard]] QString choiceText(const JobSpec& spec, std::string_view path);

}  // namespace gantry
