#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/job/varied_field.h"
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

/// The field with that path or that word of the command line, of variedFields(). "scan." before a
/// path may be left out.
/// @throws InputError naming --over and what is near to the name
/// Tests: tests/app/over_field_test.cpp
[[nodiscard]] VariedField overField(const std::string& name, const JobSpec& job);

}  // namespace gantry
