#include "core/job/option_field.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "core/base/text.h"
#include "core/base/throw_error.h"
#include "core/job/read_value.h"

namespace gantry {

namespace {

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

std::vector<Index> wholes(const OptionField& field, const std::string& text,
                          const std::string& name) {
    std::vector<Index> list;
    for (const int number : parsedValue<std::vector<int>>(text, name))
        list.push_back(checkedRange(number, *field.shape, name));
    return list;
}

}  // namespace

std::string longName(std::string_view flag) {
    return std::string(flag.substr(flag.find_last_of(',') + 1));
}

bool hasWord(const OptionField& field, const std::string& word) {
    return std::ranges::find(field.words, word) != field.words.end();
}

bool isBytes(const OptionField& field) {
    return field.shape->unit == "bytes";
}

void failOnChoice(const std::vector<std::string>& words, const std::string& text,
                  const std::string& name) {
    throwError<InputError>("{} is '{}'; it must be one of {}.", name, text, fmt::join(words, ", "));
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

}  // namespace gantry
