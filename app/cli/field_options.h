#pragma once

#include <algorithm>
#include <functional>
#include <initializer_list>
#include <vector>

#include "app/cli/command_line.h"
#include "core/base/field_table.h"

namespace gantry {

/// A field of a table as the command line has it.
struct OptionField {
    const FieldShape* shape = nullptr;
    const FieldOption* option = nullptr;
    FieldKind kind = FieldKind::number;
    std::vector<std::string> words;  ///< that it may be; empty: any
    FieldValue usual;
    std::function<void(const FieldValue&)> take;
};

/// What `--help` says of a field, without the manual's marks.
[[nodiscard]] std::string helpOf(const FieldShape& shape);

/// The value of a field from its word: sizes with a suffix, lists with commas.
/// @throws InputError naming the flag, what was found and what is allowed
[[nodiscard]] FieldValue optionValue(const OptionField& field, const std::string& text);
/// The same with another name for messages; a yes or no is "true" or "false".
[[nodiscard]] FieldValue optionValue(const OptionField& field, const std::string& name,
                                     const std::string& text);

/// What stands for its value in `--help`: "N", or its words.
[[nodiscard]] std::string formOf(const OptionField& field);

/// Adds one option for fields that have the same flag. Numbers are given together, as a list. A
/// word goes to the field of text that allows it; the others get their usual value.
void addOptionOf(Command& command, const std::vector<OptionField>& fields);

template <class Owner>
[[nodiscard]] OptionField optionOf(const FileField<Owner>& field, const Owner& usual,
                                   std::function<void(const FieldValue&)> take) {
    std::vector<std::string> words;
    for (const FieldWord& word : field.words())
        words.emplace_back(word.word);
    return {&field.shape,     &field.option,      field.kind(),
            std::move(words), field.value(usual), std::move(take)};
}

/// The words of a choice.
template <class Owner>
[[nodiscard]] std::vector<std::string> wordsOf(std::span<const FileField<Owner>> table,
                                               std::string_view path) {
    return optionOf(fieldOf(table, path), Owner(), {}).words;
}

/// The words that a field of texts may be in this build, by its path; empty: any.
using WordsOfBuild = std::function<std::vector<std::string>(std::string_view)>;

/// Adds the table's options of these groups, which set the owner's fields; what the owner holds is
/// shown as their default. table, owner: live until the command has run.
/// Tests: tests/app/field_options_test.cpp
template <class Owner>
void addFieldOptions(Command& command, std::span<const FileField<Owner>> table, Owner& owner,
                     std::initializer_list<std::string_view> groups,
                     const WordsOfBuild& wordsOfBuild = {}) {
    std::vector<OptionField> together;
    const auto flush = [&] {
        if (!together.empty()) addOptionOf(command, together);
        together.clear();
    };
    for (const FileField<Owner>& field : table) {
        if (std::ranges::find(groups, field.option.group) == groups.end()) continue;
        if (!together.empty() && together.back().option->flag != field.option.flag) flush();
        together.push_back(optionOf(field, owner, [&owner, &field](const FieldValue& value) {
            field.assign(owner, value);
        }));
        if (wordsOfBuild && field.words().empty())
            together.back().words = wordsOfBuild(field.shape.path());
    }
    flush();
}

}  // namespace gantry
