#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace gantry {

// Texts from outside, as names of files on old shares: their bytes may be no UTF-8, and they may
// hold control characters. Tests: tests/core/base/foreign_text_test.cpp

/// The text as a terminal may get it: only line breaks and tabs are left of the control characters
/// (ASCII's, Unicode's, and those that reverse the direction), others become "?"; bytes that are no
/// UTF-8 are shown as "\xE9".
[[nodiscard]] std::string terminalText(std::string_view text);

/// The text without so much of its middle that it has `maxBytes` at most; "…" stands there.
[[nodiscard]] std::string withoutMiddle(std::string text, std::size_t maxBytes);

/// The text as UTF-8, from which bytesOfUtf8() gives back the same bytes: a byte B that is no UTF-8
/// becomes the private character U+F700 + B. For files that must be UTF-8, as JSON.
[[nodiscard]] std::string utf8OfBytes(std::string_view bytes);
[[nodiscard]] std::string bytesOfUtf8(std::string text);

/// Whether all of it is UTF-8.
[[nodiscard]] bool isUtf8(std::string_view text) noexcept;

}  // namespace gantry
