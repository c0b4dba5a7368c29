#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/describe/key_values.h"

namespace gantry {

/// The keys of an XML text in UTF-8, as KeySyntax::xml has it, without prefixes of name spaces.
/// @throws InputError naming the file and the line: XML that is not well-formed, more than 4 MB,
///         100,000 elements or 64 of them in each other
/// Tests: tests/core/describe/key_values_test.cpp
[[nodiscard]] std::vector<KeyValue> xmlKeys(std::string_view text, const std::string& where);

}  // namespace gantry
