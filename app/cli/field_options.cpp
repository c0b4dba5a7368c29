#include "app/cli/field_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cctype>
#include <memory>

#include "core/base/text.h"
#include "core/base/throw_error.h"

namespace gantry {

namespace {

// The last name of a flag: "--out" for "-o,--out".
std::string longName(std::string_view flag) {
    return std::string(flag.substr(flag.find_last_of(',') + 1));
}

template <class T>
T parsedValue(const std::string& text, const std::string& name) {
    T value{};
    readValue(text, name, value);
    return value;
}

Index checkedRange(Index value, const FieldShape& shape, const std::string& name) {
    if (shape.max > shape.min && (value < shape.min || value > shape.max))
        throwError<InputError>("{} is {}; it must be {} to {}.", name, value, shape.min, shape.max);
    return value;
}

bool hasWord(const OptionField& field, const std::string& word) {
    return std::ranges::find(field.words, word) != field.words.end();
}

[[noreturn]] void failOnChoice(const std::vector<std::string>& words, const std::string& text,
                               const std::string& name) {
    throwError<InputError>("{} is '{}'; it must be one of {}.", name, text, fmt::join(words, ", "));
}

std::vector<Index> wholes(const OptionField& field, const std::string& text,
                          const std::string& name) {
    std::vector<Index> list;
    for (const int number : parsedValue<std::vector<int>>(text, name))
        list.push_back(checkedRange(number, *field.shape, name));
    return list;
}

bool isBytes(const OptionField& field) {
    return field.shape->unit == "bytes";
}

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
                    const auto numbers = parsedValue<std::vector<double>>(text, name);
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

std::string helpOf(const FieldShape& shape) {
    std::string text(shape.meaning);
    if (!text.empty())
        text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
    std::erase(text, '`');
    return text;
}

std::string formOf(const OptionField& field) {
    return field.words.empty() ? std::string(field.option->form)
                               : fmt::format("{}", fmt::join(field.words, "|"));
}

FieldValue optionValue(const OptionField& field, const std::string& text) {
    return optionValue(field, longName(field.option->flag), text);
}

FieldValue optionValue(const OptionField& field, const std::string& name, const std::string& text) {
    switch (field.kind) {
        case FieldKind::number:
        case FieldKind::optionalNumber:
            return parsedValue<double>(text, name);
        case FieldKind::whole:
            return checkedRange(
                isBytes(field) ? parseBytes(text, name) : parsedValue<Index>(text, name),
                *field.shape, name);
        case FieldKind::text:
            return parsedValue<std::string>(text, name);
        case FieldKind::pair:
        case FieldKind::optionalPair: {
            const auto pair = parsedValue<std::array<double, 2>>(text, name);
            return std::vector<double>(pair.begin(), pair.end());
        }
        case FieldKind::triple: {
            const auto triple = parsedValue<std::array<double, 3>>(text, name);
            return std::vector<double>(triple.begin(), triple.end());
        }
        case FieldKind::wholeTriple: {
            const std::array<Index, 3> triple = readVoxels(text, name);
            return std::vector<Index>(triple.begin(), triple.end());
        }
        case FieldKind::numbers:
            return parsedValue<std::vector<double>>(text, name);
        case FieldKind::wholes:
            return wholes(field, text, name);
        case FieldKind::choice:
            if (!hasWord(field, text)) failOnChoice(field.words, text, name);
            return text;
        case FieldKind::flag:
            if (text != "true" && text != "false") failOnChoice({"true", "false"}, text, name);
            return text == "true";
        case FieldKind::texts:
            break;
    }
    throwError<InternalError>("{} takes no word", name);
}

void addOptionOf(Command& command, const std::vector<OptionField>& fields) {
    std::vector<std::string> helps;
    helps.reserve(fields.size());
    for (const OptionField& field : fields)
        helps.push_back(helpOf(*field.shape));
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
