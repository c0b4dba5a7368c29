#pragma once

#include <algorithm>
#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "app/cli/command_line.h"
#include "core/job/option_field.h"

namespace gantry {

/// What `--help` says of a field, without the manual's marks. more: what is so in this command
[[nodiscard]] std::string helpOf(const FieldShape& shape, const FieldOption& option,
                                 std::string_view more = {});

/// What stands for its value in `--help`: "N", or its words.
[[nodiscard]] std::string formOf(const OptionField& field);

/// Adds one option for fields that have the same flag. Numbers are given together, as a list. A
/// word goes to the field of text that allows it; the others get their usual value.
void addOptionOf(Command& command, const std::vector<OptionField>& fields);

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

/// Adds the option of one row with a target of the command's own, whose value is its default.
/// more: for its help, what is so in this command
template <class Owner, class Target>
void addRow(Command& command, std::span<const FileField<Owner>> table, std::string_view path,
            Target& target, std::string_view more = {}) {
    const FileField<Owner>& field = fieldOf(table, path);
    const std::string flag(field.option.flag);
    const std::string help = helpOf(field.shape, field.option, more);
    if constexpr (std::is_same_v<Target, std::string>)
        if (!field.words().empty()) return command.choice(flag, target, wordsOf(table, path), help);
    command.option(flag, target, std::string(field.option.form), help);
}

}  // namespace gantry
