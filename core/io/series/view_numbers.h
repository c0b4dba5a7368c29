#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/types.h"

namespace gantry {

/// Parses numbers of views, counted from 0, as people write them: "99,100" or "3, 99-101". They are
/// returned in order, each once.
/// @throws InputError naming `where` (an option, a field) when the text is anything else
/// Tests: tests/core/io/view_numbers_test.cpp
[[nodiscard]] std::vector<Index> parseViewNumbers(std::string_view text, std::string_view where);

/// Formats them again: "3,99-101". numbers: in order, each once.
[[nodiscard]] std::string viewNumbersText(const std::vector<Index>& numbers);

/// The numbers of both, in order, each once.
[[nodiscard]] std::vector<Index> united(std::vector<Index> a, const std::vector<Index>& b);

/// Why these views cannot be left out of a scan of `views` views, as a predicate for the field's
/// name; empty if they can: all exist, and some views are left. numbers: in order, each once.
[[nodiscard]] std::string leaveOutFault(const std::vector<Index>& numbers, Index views);

}  // namespace gantry
