#include "core/base/field_table.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/base/json_fields.h"
#include "core/base/throw_error.h"

namespace gantry {

namespace {

using nlohmann::ordered_json;

// Writes 600 rather than 600.0.
ordered_json plainNumber(double value) {
    require(std::isfinite(value), "a number that is not finite was to be written");
    constexpr double kExact = 9007199254740992.0;  // 2^53
    if (value == std::floor(value) && std::abs(value) < kExact)
        return static_cast<std::int64_t>(value);
    return value;
}

template <class T>
ordered_json listOf(const std::vector<T>& values) {
    ordered_json list = ordered_json::array();
    for (const T value : values)
        list.push_back(plainNumber(static_cast<double>(value)));
    return list;
}

Index ranged(JsonFields& object, const FieldShape& shape, Index value) {
    if (shape.max > shape.min && (value < shape.min || value > shape.max))
        object.fail(shape.name, "is {}; it must be {} to {}", value, shape.min, shape.max);
    return value;
}

std::vector<Index> wholeNumbers(JsonFields& object, const FieldShape& shape) {
    std::vector<Index> list;
    for (const double number : object.numbers(shape.name)) {
        const bool isWhole = number == std::floor(number) && std::abs(number) < 1e9;
        if (!isWhole) object.fail(shape.name, "{} is no whole number", number);
        list.push_back(ranged(object, shape, static_cast<Index>(number)));
    }
    return list;
}

template <class T, std::size_t N>
std::vector<T> asVector(const std::array<T, N>& values) {
    return {values.begin(), values.end()};
}

FieldValue readPresent(JsonFields& object, const FieldShape& shape, FieldKind kind,
                       std::span<const FieldWord> words) {
    switch (kind) {
        case FieldKind::number:
        case FieldKind::optionalNumber:
            return object.number(shape.name);
        case FieldKind::whole:
            return ranged(object, shape, object.integer(shape.name));
        case FieldKind::flag:
            return object.boolean(shape.name, false);
        case FieldKind::text:
            return object.text(shape.name);
        case FieldKind::pair:
        case FieldKind::optionalPair:
            return asVector(object.numbers2(shape.name));
        case FieldKind::triple:
            return asVector(object.numbers3(shape.name));
        case FieldKind::wholeTriple:
            return asVector(object.integers3(shape.name));
        case FieldKind::numbers:
            return object.numbers(shape.name);
        case FieldKind::wholes:
            return wholeNumbers(object, shape);
        case FieldKind::texts:
            return object.texts(shape.name);
        case FieldKind::choice:
            return object.choice(shape.name, {words.begin(), words.end()});
    }
    return {};
}

bool isUnset(const FieldValue& value) {
    if (std::holds_alternative<std::monostate>(value)) return true;
    if (const auto* flag = std::get_if<bool>(&value)) return !*flag;
    if (const auto* text = std::get_if<std::string>(&value)) return text->empty();
    if (const auto* list = std::get_if<std::vector<Index>>(&value)) return list->empty();
    if (const auto* list = std::get_if<std::vector<double>>(&value)) return list->empty();
    if (const auto* list = std::get_if<std::vector<std::string>>(&value)) return list->empty();
    return false;
}

}  // namespace

std::size_t placeOf(std::string_view word, std::span<const FieldWord> words) {
    const auto found =
        std::ranges::find(words, word, [](const FieldWord& each) { return each.word; });
    return static_cast<std::size_t>(found - words.begin());
}

std::string FieldShape::path() const {
    return section.empty() ? std::string(name) : fmt::format("{}.{}", section, name);
}

FieldValue readField(JsonFields& object, const FieldShape& shape, FieldKind kind,
                     std::span<const FieldWord> words, const FieldValue& fallback) {
    if (!shape.former.empty() && !object.has(shape.name) && object.has(shape.former)) {
        FieldShape earlier = shape;
        earlier.name = std::exchange(earlier.former, {});
        return readField(object, earlier, kind, words, fallback);
    }
    if (shape.presence != FieldPresence::needed && !object.has(shape.name)) {
        object.know(shape.name);
        return fallback;
    }
    return readPresent(object, shape, kind, words);
}

void writeField(nlohmann::ordered_json& object, const FieldShape& shape, const FieldValue& value) {
    const bool isOptional =
        shape.presence == FieldPresence::whereSet || shape.presence == FieldPresence::special;
    if (isOptional && isUnset(value)) return;
    const std::string name(shape.name);
    std::visit(
        [&](const auto& held) {
            using T = std::decay_t<decltype(held)>;
            if constexpr (std::is_same_v<T, std::monostate>)
                object[name] = nullptr;
            else if constexpr (std::is_same_v<T, double>)
                object[name] = plainNumber(held);
            else if constexpr (std::is_same_v<T, std::vector<double>> ||
                               std::is_same_v<T, std::vector<Index>>)
                object[name] = listOf(held);
            else
                object[name] = held;
        },
        value);
}

void field_table::failOnMissing(std::string_view path) {
    throwError<InternalError>("no field is called {}", path);
}

}  // namespace gantry
