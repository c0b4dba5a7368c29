#include "app/cli/field_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cctype>
#include <memory>

#include "core/base/throw_error.h"
#include "core/job/read_value.h"

namespace gantry {

namespace {

// The default value as `--help` shows it; empty where the option's own help describes it.
std::string shownDefault(const OptionField& field) {
    if (const auto* number = std::get_if<double>(&field.usual)) return shownValue(*number);
    if (const auto* text = std::get_if<std::string>(&field.usual)) return *text;
    const auto* whole = std::get_if<Index>(&field.usual);
    return whole && !isBytes(field) ? shownValue(*whole) : std::string();
}

// Adds one option for several fields: its value is a list of numbers, one for each field.
void addTogether(Command& command, const std::vector<OptionField>& fields,
                 const std::string& help) {
    std::vector<std::string_view> forms;
    forms.reserve(fields.size());
    for (const OptionField& field : fields)
        forms.push_back(field.option->form);
    const std::string flag(fields.front().option->flag);
    command.add(flag, fmt::format("{}", fmt::join(forms, ",")), help, {},
                [fields, name = longName(flag)](const std::string& text) {
                    std::vector<double> numbers;
                    readValue(text, name, numbers);
                    if (numbers.size() != fields.size())
                        throwError<InputError>(
                            "{} is '{}'; it must be {} numbers with commas between.", name, text,
                            fields.size());
                    for (std::size_t i = 0; i < fields.size(); ++i)
                        fields[i].take(numbers[i]);
                });
}

// Adds one option for several fields: the field that allows the given word gets it, and the others
// get their default.
void addAlternatives(Command& command, const std::vector<OptionField>& fields,
                     const std::string& help) {
    std::vector<std::string> words;
    for (const OptionField& field : fields)
        words.insert(words.end(), field.words.begin(), field.words.end());
    const std::string flag(fields.front().option->flag);
    command.add(flag, fmt::format("{}", fmt::join(words, "|")),
                fmt::format("{}; by default {}", help, shownDefault(fields.back())), {},
                [fields, words, name = longName(flag)](const std::string& text) {
                    if (std::ranges::find(words, text) == words.end())
                        failOnChoice(words, text, name);
                    for (const OptionField& field : fields)
                        field.take(hasWord(field, text) ? FieldValue(text) : field.usual);
                });
}

}  // namespace

std::string helpOf(const FieldShape& shape, const FieldOption& option, std::string_view more) {
    std::string text(shape.meaning);
    for (const std::string_view part : {option.given, more})
        if (!part.empty()) text += fmt::format("; {}", part);
    if (!text.empty())
        text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
    std::erase(text, '`');
    return text;
}

std::string formOf(const OptionField& field) {
    return field.words.empty() ? std::string(field.option->form)
                               : fmt::format("{}", fmt::join(field.words, "|"));
}

void addOptionOf(Command& command, const std::vector<OptionField>& fields) {
    std::vector<std::string> helps;
    helps.reserve(fields.size());
    for (const OptionField& field : fields)
        helps.push_back(helpOf(*field.shape, *field.option));
    const std::string help = fmt::format("{}", fmt::join(helps, ". "));
    if (fields.size() > 1 && fields.front().kind == FieldKind::text)
        return addAlternatives(command, fields, help);
    if (fields.size() > 1) return addTogether(command, fields, help);
    const OptionField& field = fields.front();
    const std::string flag(field.option->flag);
    if (field.kind == FieldKind::flag)
        return command.flag(
            flag, [field] { field.take(!std::get<bool>(field.usual)); }, help);
    if (field.kind == FieldKind::texts)
        return command.addRepeated(
            flag, formOf(field), help,
            [field, list = std::make_shared<std::vector<std::string>>()](const std::string& text) {
                list->push_back(text);
                field.take(*list);
            });
    const bool isChoice = field.kind == FieldKind::choice;
    command.add(flag, formOf(field),
                isChoice ? fmt::format("{}; by default {}", help, shownDefault(field)) : help,
                isChoice ? std::string() : shownDefault(field),
                [field](const std::string& text) { field.take(optionValue(field, text)); });
}

}  // namespace gantry
