#pragma once

#include <string>
#include <string_view>

namespace gantry {

/// One word of a POSIX shell, whatever it holds: 'it'\''s'. @throws InputError for a null character
/// Tests: tests/core/remote/shell_text_test.cpp
[[nodiscard]] std::string shellWord(std::string_view word);

/// A folder or file on a host as a shell's word: all of it is quoted but "~" or "$NAME" at its
/// begin, which mean the user's folder there and what the variable holds there.
[[nodiscard]] std::string placeWord(std::string_view place);
/// Whether placeWord() takes it: it begins with "/", "~/" or "$NAME/".
[[nodiscard]] bool isPlace(std::string_view place);

/// Letters, digits and few signs alone, for printf's %b: a blank is \0040. What no login shell, no
/// `read` and no word splitting changes. @throws InputError for a null character
[[nodiscard]] std::string octalText(std::string_view text);

/// What a host printed, for people: without control characters, on one line, of at most so many
/// bytes.
[[nodiscard]] std::string shownText(std::string_view text, std::size_t mostBytes = 400);

}  // namespace gantry
