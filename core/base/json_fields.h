#pragma once

#include <fmt/core.h>

#include <array>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/types.h"

namespace gantry {

/// Parses a JSON file. @throws InputError with the file, line and column of what is malformed, or
/// the field that an object has twice
[[nodiscard]] nlohmann::json readJsonFile(const std::filesystem::path& path);
[[nodiscard]] nlohmann::json parseJson(std::string_view text, std::string_view where);

/// Reads the fields of one JSON object strictly: a wrong type, a number that is not finite, a
/// missing field or (at finish()) an unknown one is an InputError that names the file, the field
/// by its full path ("detector.pitchMm[1]"), what was found and what is allowed.
/// Tests: tests/core/base/json_fields_test.cpp
class JsonFields {
  public:
    /// `where` begins messages, usually the file's name; `path` is the object's own name. The
    /// object must outlive this reader.
    JsonFields(const nlohmann::json& object, std::string where, std::string path = {});

    [[nodiscard]] bool has(std::string_view name) const;
    [[nodiscard]] const std::string& where() const { return m_where; }

    [[nodiscard]] double number(std::string_view name);
    [[nodiscard]] double number(std::string_view name, double fallback);
    [[nodiscard]] Index integer(std::string_view name);
    [[nodiscard]] Index integer(std::string_view name, Index fallback);
    [[nodiscard]] bool boolean(std::string_view name, bool fallback);
    [[nodiscard]] std::string text(std::string_view name);
    [[nodiscard]] std::string text(std::string_view name, std::string_view fallback);
    /// One of `allowed`.
    [[nodiscard]] std::string choice(std::string_view name, const std::vector<std::string>& allowed,
                                     std::string_view fallback = {});
    [[nodiscard]] std::array<double, 2> numbers2(std::string_view name);
    [[nodiscard]] std::array<double, 2> numbers2(std::string_view name,
                                                 std::array<double, 2> fallback);
    [[nodiscard]] std::array<double, 3> numbers3(std::string_view name);
    [[nodiscard]] std::array<double, 3> numbers3(std::string_view name,
                                                 std::array<double, 3> fallback);
    [[nodiscard]] std::array<Index, 3> integers3(std::string_view name);
    [[nodiscard]] std::vector<double> numbers(std::string_view name);
    [[nodiscard]] std::vector<std::string> texts(std::string_view name);
    /// The nested object `name`.
    [[nodiscard]] JsonFields object(std::string_view name);
    /// The raw value, for a field of unusual shape; counts as known.
    [[nodiscard]] const nlohmann::json& raw(std::string_view name);

    /// Lists a field that may be there among the known ones, as reading it does.
    void know(std::string_view name);

    /// @throws InputError when the object has a field that was not read, with all known ones
    void finish() const;

    /// @throws InputError "scan.json: detector.pitchMm <predicate>."
    [[noreturn]] void fail(std::string_view name, std::string_view predicate) const;
    template <class Value, class... Values>
    [[noreturn]] void fail(std::string_view name, fmt::format_string<Value, Values...> predicate,
                           Value&& value, Values&&... values) const {
        fail(name, std::string_view(fmt::format(predicate, std::forward<Value>(value),
                                                std::forward<Values>(values)...)));
    }

  private:
    [[nodiscard]] std::string fullName(std::string_view name) const;
    [[nodiscard]] double finite(const nlohmann::json& value, const std::string& name) const;
    [[nodiscard]] Index whole(const nlohmann::json& value, const std::string& name) const;
    [[nodiscard]] const nlohmann::json& list(std::string_view name, std::size_t length);

    const nlohmann::json* m_object;
    std::string m_where;
    std::string m_path;
    std::vector<std::string> m_known;
};

}  // namespace gantry
