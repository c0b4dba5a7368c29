#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/types.h"

namespace gantry {

/// Numbers of views, counted from 0, as people write them: "99,100" or "3, 99-101". They come back
/// in order, each once.
/// @throws InputError naming `where` (an option, a field) when the text is anything else
/// Tests: tests/core/io/view_numbers_test.cpp
[[nodiscard]] std::vector<Index> parseViewNumbers(std::string_view text, std::string_view where);

/// The same the other way round: "3,99-101". numbers: in order, each once.
[[nodiscard]] std::string viewNumbersText(const std::vector<Index>& numbers);

/// The numbers of both, in order, each once.
[[nodiscard]] std::vector<Index> united(std::vector<Index> a, const std::vector<Index>& b);

/// Why these views cannot be left out of a scan of so many, to stand behind the name of the field;
/// empty where they can: all are there, and not all are named. numbers: in order, each once.
[[nodiscard]] std::string leaveOutFault(const std::vector<Index>& numbers, Index views);

}  // namespace gantry
