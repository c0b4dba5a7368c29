#include "app/cli/field_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>

#include "core/base/error.h"
#include "core/base/text.h"

namespace gantry {

namespace {

// "--out" of "-o,--out"
std::string longName(std::string_view flag) {
    return std::string(flag.substr(flag.find_last_of(',') + 1));
}

template <class T>
T parsed(const std::string& text, const std::string& name) {
    T value{};
    readValue(text, name, value);
    return value;
}

Index ranged(Index value, const FieldShape& shape, const std::string& name) {
    if (shape.max > shape.min && (value < shape.min || value > shape.max))
        throw InputError(
            fmt::format("{} is {}; it must be {} to {}.", name, value, shape.min, shape.max));
    return value;
}

bool hasWord(const OptionField& field, const std::string& word) {
    return std::find(field.words.begin(), field.words.end(), word) != field.words.end();
}

[[noreturn]] void failOnWord(const std::vector<std::string>& words, const std::string& text,
                             const std::string& name) {
    throw InputError(
        fmt::format("{} is '{}'; it must be one of {}.", name, text, fmt::join(words, ", ")));
}

std::vector<Index> wholes(const OptionField& field, const std::string& text,
                          const std::string& name) {
    std::vector<Index> list;
    for (const int number : parsed<std::vector<int>>(text, name))
        list.push_back(ranged(number, *field.shape, name));
    return list;
}

bool isBytes(const OptionField& field) {
    return field.shape->unit == "bytes";
}

// How `--help` shows what holds without the option; empty where that is in its words.
std::string shownUsual(const OptionField& field) {
    if (const auto* number = std::get_if<double>(&field.usual)) return shownValue(*number);
    if (const auto* text = std::get_if<std::string>(&field.usual)) return *text;
    const auto* whole = std::get_if<Index>(&field.usual);
    return whole && !isBytes(field) ? shownValue(*whole) : std::string();
}

// Several numbers in one word, a field each.
void addTogether(Command& command, const std::vector<OptionField>& fields,
                 const std::string& help) {
    std::vector<std::string_view> forms;
    forms.reserve(fields.size());
    for (const OptionField& field : fields)
        forms.push_back(field.option->form);
    const std::string flag(fields.front().option->flag);
    command.add(flag, fmt::format("{}", fmt::join(forms, ",")), help, {},
                [fields, name = longName(flag)](const std::string& text) {
                    const auto numbers = parsed<std::vector<double>>(text, name);
                    if (numbers.size() != fields.size())
                        throw InputError(
                            fmt::format("{} is '{}'; it must be {} numbers with commas between.",
                                        name, text, fields.size()));
                    for (std::size_t i = 0; i < fields.size(); ++i)
                        fields[i].take(numbers[i]);
                });
}

// One word, which is that of one of the fields.
void addAlternatives(Command& command, const std::vector<OptionField>& fields,
                     const std::string& help) {
    std::vector<std::string> words;
    for (const OptionField& field : fields)
        words.insert(words.end(), field.words.begin(), field.words.end());
    const std::string flag(fields.front().option->flag);
    command.add(flag, fmt::format("{}", fmt::join(words, "|")),
                fmt::format("{}; by default {}", help, shownUsual(fields.back())), {},
                [fields, words, name = longName(flag)](const std::string& text) {
                    if (std::find(words.begin(), words.end(), text) == words.end())
                        failOnWord(words, text, name);
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
    const std::string name = longName(field.option->flag);
    switch (field.kind) {
        case FieldKind::number:
        case FieldKind::optionalNumber:
            return parsed<double>(text, name);
        case FieldKind::whole:
            return ranged(isBytes(field) ? parseBytes(text, name) : parsed<Index>(text, name),
                          *field.shape, name);
        case FieldKind::text:
            return parsed<std::string>(text, name);
        case FieldKind::pair:
        case FieldKind::optionalPair: {
            const auto pair = parsed<std::array<double, 2>>(text, name);
            return std::vector<double>(pair.begin(), pair.end());
        }
        case FieldKind::triple: {
            const auto triple = parsed<std::array<double, 3>>(text, name);
            return std::vector<double>(triple.begin(), triple.end());
        }
        case FieldKind::wholeTriple: {
            const std::array<Index, 3> triple = readVoxels(text, name);
            return std::vector<Index>(triple.begin(), triple.end());
        }
        case FieldKind::numbers:
            return parsed<std::vector<double>>(text, name);
        case FieldKind::wholes:
            return wholes(field, text, name);
        case FieldKind::choice:
            if (!hasWord(field, text)) failOnWord(field.words, text, name);
            return text;
        case FieldKind::flag:
            break;
    }
    throw InternalError(fmt::format("{} takes no word", name));
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
    const bool isChoice = field.kind == FieldKind::choice;
    command.add(flag, formOf(field),
                isChoice ? fmt::format("{}; by default {}", help, shownUsual(field)) : help,
                isChoice ? std::string() : shownUsual(field),
                [field](const std::string& text) { field.take(optionValue(field, text)); });
}

}  // namespace gantry
