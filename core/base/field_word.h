#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace gantry {

/// One of the words that are allowed as the value of a field. The desktop shows `label` for it and
/// `help` as its explanation, and does not offer a word without a label.
struct FieldWord {
    std::string_view word;
    std::string_view label = {};
    std::string_view help = {};

    constexpr FieldWord(const char* word_, std::string_view label_ = {},
                        std::string_view help_ = {})
        : word(word_), label(label_), help(help_) {}
    constexpr FieldWord(std::string_view word_, std::string_view label_,
                        std::string_view help_ = {})
        : word(word_), label(label_), help(help_) {}
    constexpr operator std::string_view() const { return word; }
};

/// The index of a word in a list; the list's length if the list does not contain the word.
[[nodiscard]] std::size_t placeOf(std::string_view word, std::span<const FieldWord> words);

}  // namespace gantry
