#pragma once

#include <string>
#include <string_view>

namespace gantry {

/// Quotes any text as one word of a POSIX shell: 'it'\''s'.
/// @throws InputError for a null character
/// Tests: tests/core/remote/shell_text_test.cpp
[[nodiscard]] std::string shellWord(std::string_view word);

/// Whether a shell takes it as a variable's name: letters, digits and "_", with no digit first.
[[nodiscard]] bool isVariableName(std::string_view name);

/// Whether a shell reads it as words alone, on one line: quotes are closed, "$NAME" stands for a
/// variable, and nothing else in it runs or redirects anything.
[[nodiscard]] bool isShellWords(std::string_view text);

/// A folder or file on a host as a shell word: everything is quoted except "~" or "$NAME" at its
/// begin, which are expanded there to the user's folder and the variable's value.
[[nodiscard]] std::string placeWord(std::string_view place);
/// Whether placeWord() takes it: it begins with "/", "~/" or "$NAME/".
[[nodiscard]] bool isPlace(std::string_view place);

/// Encodes a text in letters, digits and few signs, for printf's %b: a blank is \0040. No login
/// shell, `read` or word splitting changes it.
/// @throws InputError for a null character
[[nodiscard]] std::string octalText(std::string_view text);

/// A host's output for the user: valid UTF-8 without control characters, on one line, of at
/// most `maxBytes` bytes. Bytes that are no UTF-8 become "\xE9".
[[nodiscard]] std::string shownText(std::string_view text, std::size_t maxBytes = 400);

}  // namespace gantry
