#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "core/base/field_word.h"
#include "core/base/types.h"

namespace gantry {

class JsonFields;

/// When a field is in a file.
enum class FieldPresence {
    needed,     ///< always
    defaulted,  ///< written always; a file may leave it out
    whereSet,   ///< only if its value is not empty
    special,    ///< read by code of its own, written as `whereSet`
};

/// How a person sets a field: on the command line and in the desktop.
struct FieldOption {
    /// On the command line: "--window", "-o,--out"; empty: not there. Neighbours in the table that
    /// have the same flag are given together: "20,50,200". A flag of a yes or no sets the opposite
    /// of what is usual.
    std::string_view flag = {};
    std::string_view form = {};    ///< what stands for its value there: "N", "SIZE"
    std::string_view given = {};   ///< there, after the meaning: how else it may be given
    std::string_view group = {};   ///< commands offer options of a group together, and a form shows
                                   ///< them below this heading; empty: they have code of their own
    std::string_view label = {};   ///< in the desktop; empty: no control of the usual kind
    std::string_view help = {};    ///< there, in sentences; empty: the field's meaning
    std::string_view what = {};    ///< within a sentence: "cut-off", as in "Change cut-off"
    std::string_view unit = {};    ///< there, where it is not the file's
    std::string_view absent = {};  ///< what holds there without a value: "none"
    double step = 1;               ///< of a number field there
    double start = 0;              ///< the first value of what was off or empty
    double low = 0;                ///< what it takes, where `high` is above
    double high = 0;
    const FieldOption* parts = nullptr;  ///< of a field of several values, the texts of each
    /// There, the texts of a check box above this number, which switches it and all fields with the
    /// same `what` on, with the values that they had or `start`, and off.
    const FieldOption* onOff = nullptr;
};

/// The name of a field in a file, and its allowed values.
struct FieldShape {
    std::string_view section;  ///< the object that it is in; empty: the outermost
    std::string_view name;
    FieldPresence presence = FieldPresence::needed;
    std::string_view unit = {};     ///< for the manual
    std::string_view meaning = {};  ///< for the manual and `--help`, half a sentence
    Index min = 0;                  ///< for whole numbers, if `max` is larger
    Index max = 0;
    std::string_view former = {};  ///< its name in files of earlier versions, still read

    /// "detector.pitchMm"
    [[nodiscard]] std::string path() const;
};

/// The value of a field of any type; nothing if it is not given.
using FieldValue = std::variant<std::monostate, bool, Index, double, std::string,
                                std::vector<Index>, std::vector<double>, std::vector<std::string>>;

/// The type of a field in a file.
enum class FieldKind {
    number,
    whole,
    flag,
    text,
    pair,
    triple,
    wholeTriple,
    numbers,
    wholes,
    optionalNumber,
    optionalPair,
    choice,
    texts,
};

/// A field whose value is one of a few words; the struct holds its index among them.
template <class Owner>
struct FieldChoice {
    std::span<const FieldWord> words;
    std::size_t (*get)(const Owner&);
    void (*set)(Owner&, std::size_t);
};

/// A number that the struct holds in other terms.
template <class Owner>
struct FieldNumber {
    double (*get)(const Owner&);
    void (*set)(Owner&, double);
};

/// How to access a field's value in an Owner; in the order of FieldKind, except for those of one
/// kind.
template <class Owner>
using FieldPlace = std::variant<
    double& (*)(Owner&), Index& (*)(Owner&), bool& (*)(Owner&), std::string& (*)(Owner&),
    std::array<double, 2>& (*)(Owner&), std::array<double, 3>& (*)(Owner&),
    std::array<Index, 3>& (*)(Owner&), std::vector<double>& (*)(Owner&),
    std::vector<Index>& (*)(Owner&), std::optional<double>& (*)(Owner&),
    std::optional<std::array<double, 2>>& (*)(Owner&), FieldChoice<Owner>, int& (*)(Owner&),
    std::vector<int>& (*)(Owner&), std::filesystem::path& (*)(Owner&), FieldNumber<Owner>,
    std::vector<std::string>& (*)(Owner&)>;

/// A field of a file and of the struct that holds the file's content. A table of them reads and
/// writes the file, compares two structs field by field, and is the basis of the command
/// line, the desktop's forms and the manual: a new option is a row, and the code that acts on it.
/// Tests: tests/core/base/field_table_test.cpp
template <class Owner>
struct FileField {
    FieldShape shape;
    FieldPlace<Owner> place;
    FieldOption option = {};
    bool (*applies)(const Owner&) = nullptr;  ///< whether it has an effect; none: always
    /// What an edit of this field in the desktop changes besides, so that all fields agree.
    void (*settle)(Owner&) = nullptr;

    [[nodiscard]] FieldKind kind() const;
    [[nodiscard]] std::span<const FieldWord> words() const;
    [[nodiscard]] FieldValue value(const Owner& owner) const;
    /// value: of the type that value() returns
    void assign(Owner& owner, const FieldValue& value) const;
    /// Compares without a copy: a list may have a million numbers.
    [[nodiscard]] bool isSame(const Owner& a, const Owner& b) const;
};

/// The table's field of that path. @throws InternalError where there is none
template <class Owner>
[[nodiscard]] const FileField<Owner>& fieldOf(std::span<const FileField<Owner>> table,
                                              std::string_view path);

/// The object's value for the field, which may have its former name; `fallback` if it may be
/// missing.
/// @throws InputError naming the field, what was found and what is allowed
[[nodiscard]] FieldValue readField(JsonFields& object, const FieldShape& shape, FieldKind kind,
                                   std::span<const FieldWord> words, const FieldValue& fallback);
/// Adds the field, unless its presence rules that out. Whole numbers are written without a point.
void writeField(nlohmann::ordered_json& object, const FieldShape& shape, const FieldValue& value);

/// Reads the fields of a section, except special ones.
template <class Owner>
void readSection(JsonFields& object, std::span<const FileField<Owner>> table,
                 std::string_view section, Owner& owner) {
    const Owner fallbacks = {};
    for (const FileField<Owner>& field : table)
        if (field.shape.section == section && field.shape.presence != FieldPresence::special)
            field.assign(owner, readField(object, field.shape, field.kind(), field.words(),
                                          field.value(fallbacks)));
}

/// Writes the fields of a section, in the table's order.
template <class Owner>
void writeSection(nlohmann::ordered_json& object, std::span<const FileField<Owner>> table,
                  std::string_view section, const Owner& owner) {
    for (const FileField<Owner>& field : table)
        if (field.shape.section == section) writeField(object, field.shape, field.value(owner));
}

namespace field_table {

template <class T>
FieldValue wrapped(const T& value) {
    if constexpr (std::is_same_v<T, int>)
        return Index{value};
    else if constexpr (std::is_same_v<T, std::vector<int>>)
        return std::vector<Index>(value.begin(), value.end());
    else if constexpr (std::is_same_v<T, std::filesystem::path>)
        return value.string();
    else
        return value;
}
template <class T, std::size_t N>
FieldValue wrapped(const std::array<T, N>& value) {
    return std::vector<T>(value.begin(), value.end());
}
template <class T>
FieldValue wrapped(const std::optional<T>& value) {
    return value ? wrapped(*value) : FieldValue();
}

template <class T>
void unwrap(const FieldValue& value, T& to) {
    if constexpr (std::is_same_v<T, int>) {
        to = static_cast<int>(std::get<Index>(value));
    } else if constexpr (std::is_same_v<T, std::vector<int>>) {
        to.clear();
        for (const Index number : std::get<std::vector<Index>>(value))
            to.push_back(static_cast<int>(number));
    } else if constexpr (std::is_same_v<T, std::filesystem::path>) {
        to = std::get<std::string>(value);
    } else {
        to = std::get<T>(value);
    }
}
template <class T, std::size_t N>
void unwrap(const FieldValue& value, std::array<T, N>& to) {
    std::copy_n(std::get<std::vector<T>>(value).begin(), N, to.begin());
}
template <class T>
void unwrap(const FieldValue& value, std::optional<T>& to) {
    to.reset();
    if (!std::holds_alternative<std::monostate>(value)) unwrap(value, to.emplace());
}

[[noreturn]] void failOnMissing(std::string_view path);

}  // namespace field_table

template <class Owner>
FieldKind FileField<Owner>::kind() const {
    constexpr std::array kKinds = {
        FieldKind::number, FieldKind::whole,          FieldKind::flag,         FieldKind::text,
        FieldKind::pair,   FieldKind::triple,         FieldKind::wholeTriple,  FieldKind::numbers,
        FieldKind::wholes, FieldKind::optionalNumber, FieldKind::optionalPair, FieldKind::choice,
        FieldKind::whole,  FieldKind::wholes,         FieldKind::text,         FieldKind::number,
        FieldKind::texts};
    static_assert(kKinds.size() == std::variant_size_v<FieldPlace<Owner>>);
    return kKinds[place.index()];
}

template <class Owner>
std::span<const FieldWord> FileField<Owner>::words() const {
    const auto* choice = std::get_if<FieldChoice<Owner>>(&place);
    return choice ? choice->words : std::span<const FieldWord>();
}

template <class Owner>
FieldValue FileField<Owner>::value(const Owner& owner) const {
    return std::visit(
        [&](const auto& at) -> FieldValue {
            if constexpr (std::is_same_v<std::decay_t<decltype(at)>, FieldChoice<Owner>>)
                return std::string(at.words[at.get(owner)].word);
            else if constexpr (std::is_same_v<std::decay_t<decltype(at)>, FieldNumber<Owner>>)
                return at.get(owner);
            else  // the accessor is only read
                return field_table::wrapped(at(const_cast<Owner&>(owner)));
        },
        place);
}

template <class Owner>
bool FileField<Owner>::isSame(const Owner& a, const Owner& b) const {
    return std::visit(
        [&](const auto& at) {
            if constexpr (requires { at.get(a); })
                return at.get(a) == at.get(b);
            else  // the accessor is only read
                return at(const_cast<Owner&>(a)) == at(const_cast<Owner&>(b));
        },
        place);
}

template <class Owner>
void FileField<Owner>::assign(Owner& owner, const FieldValue& value) const {
    std::visit(
        [&](const auto& at) {
            if constexpr (std::is_same_v<std::decay_t<decltype(at)>, FieldChoice<Owner>>) {
                at.set(owner, placeOf(std::get<std::string>(value), at.words));
            } else if constexpr (std::is_same_v<std::decay_t<decltype(at)>, FieldNumber<Owner>>) {
                at.set(owner, std::get<double>(value));
            } else {
                field_table::unwrap(value, at(owner));
            }
        },
        place);
}

template <class Owner>
const FileField<Owner>& fieldOf(std::span<const FileField<Owner>> table, std::string_view path) {
    for (const FileField<Owner>& field : table)
        if (field.shape.path() == path) return field;
    field_table::failOnMissing(path);
}

}  // namespace gantry
