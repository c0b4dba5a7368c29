#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/field_table.h"

namespace gantry {

/// A field of a table whose value is given in words, as on the command line.
struct OptionField {
    const FieldShape* shape = nullptr;
    const FieldOption* option = nullptr;
    FieldKind kind = FieldKind::number;
    std::vector<std::string> words;  ///< that it may be; empty: any
    FieldValue usual;
    std::function<void(const FieldValue&)> take;
};

/// The last name of a flag: "--out" for "-o,--out".
[[nodiscard]] std::string longName(std::string_view flag);
[[nodiscard]] bool hasWord(const OptionField& field, const std::string& word);
/// Whether its value is a size, which is given with a suffix.
[[nodiscard]] bool isBytes(const OptionField& field);
/// @throws InputError naming the words that are allowed
[[noreturn]] void failOnChoice(const std::vector<std::string>& words, const std::string& text,
                               const std::string& name);

/// The value of a field from its word: sizes with a suffix, lists with commas.
/// @throws InputError naming the flag, what was found and what is allowed
/// Tests: tests/app/field_options_test.cpp, tests/app/over_field_test.cpp
[[nodiscard]] FieldValue optionValue(const OptionField& field, const std::string& text);
/// The same with another name for messages; a yes or no is "true" or "false".
[[nodiscard]] FieldValue optionValue(const OptionField& field, const std::string& name,
                                     const std::string& text);

/// A row of a table; usual: where its value is the usual one
template <class Owner>
[[nodiscard]] OptionField optionOf(const FileField<Owner>& field, const Owner& usual,
                                   std::function<void(const FieldValue&)> take) {
    std::vector<std::string> words;
    for (const FieldWord& word : field.words())
        words.emplace_back(word.word);
    return {&field.shape,     &field.option,      field.kind(),
            std::move(words), field.value(usual), std::move(take)};
}

}  // namespace gantry
