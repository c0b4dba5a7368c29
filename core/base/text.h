#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/types.h"

namespace gantry {

/// "512 B", "4.20 kB", "400 MB", "1.50 GB": powers of 1000, three digits.
/// Tests: tests/core/base/text_test.cpp
[[nodiscard]] std::string formatBytes(Index bytes);

/// "0.42 s", "12.4 s", "3 min 20 s", "2 h 05 min"; "unknown" if not finite.
[[nodiscard]] std::string formatDuration(double seconds);

/// Reads "400M", "4G", "64k" (powers of 1000), "512MiB" (powers of 1024) or plain bytes.
/// @throws InputError naming `field` when the text is not a positive size
[[nodiscard]] Index parseBytes(std::string_view text, std::string_view field);

/// The text without blanks, tabs and carriage returns at both ends.
[[nodiscard]] std::string_view trimmed(std::string_view text);

/// The beginning of a word from a file, safe to quote in a message: without control characters.
[[nodiscard]] std::string quotable(std::string_view text);

/// The text with the letters A to Z in lower case.
[[nodiscard]] std::string inLowerCase(std::string_view text);

/// "uint8, uint16 or float32": `last` is the word in front of the last one.
[[nodiscard]] std::string listed(const std::vector<std::string>& words, std::string_view last);

/// Order of names as a person sorts them: runs of digits compare by value ("view2" < "view10").
[[nodiscard]] bool naturalLess(std::string_view a, std::string_view b);

/// The text with a full stop at its end, added if missing. Tests: tests/core/base/error_test.cpp
[[nodiscard]] std::string withFullStop(std::string text);

}  // namespace gantry
