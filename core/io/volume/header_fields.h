#pragma once

#include <array>
#include <filesystem>
#include <functional>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/types.h"
#include "core/io/volume/voxel_encoding.h"

namespace gantry {

/// A short form of a header's text for messages, in quotes: damaged headers may contain anything.
[[nodiscard]] std::string shownField(std::string_view text);

/// The values of a text header by their keys, and their conversion, whose errors are InputErrors
/// "PATH: SENTENCE." that name the key and the text found.
/// Tests: tests/core/io/metaimage_test.cpp, tests/core/io/flat_formats_test.cpp
class HeaderFields {
  public:
    explicit HeaderFields(std::filesystem::path path) : m_path(std::move(path)) {}

    /// Adds a value. @returns whether it is the first one of that key; only that is kept
    bool add(std::string_view key, std::string_view value) {
        return m_values.emplace(key, value).second;
    }
    [[nodiscard]] const std::filesystem::path& path() const { return m_path; }

    /// The value of the first key that is there.
    [[nodiscard]] std::optional<std::string_view> find(
        std::initializer_list<std::string_view> aliases) const;
    /// @throws InputError if it is missing
    [[nodiscard]] std::string_view text(std::string_view key) const;
    [[nodiscard]] bool boolean(std::initializer_list<std::string_view> aliases,
                               bool fallback) const;
    /// So many finite numbers, separated by blanks.
    [[nodiscard]] std::vector<double> numbers(std::string_view key, std::string_view value,
                                              std::size_t count) const;
    [[nodiscard]] double number(std::initializer_list<std::string_view> aliases,
                                double fallback) const;
    [[nodiscard]] Index integer(std::string_view key, std::string_view value) const;
    [[nodiscard]] Index integer(std::string_view key, Index fallback) const;
    /// Up to three sizes of 1 or more, whose product with voxelBytes is no overflow; 1 beyond them.
    [[nodiscard]] std::array<Index, 3> sizes(std::string_view key, std::size_t dimensions,
                                             Index voxelBytes) const;
    /// The unit of the values as scaleText() writes it; 1/mm if it is missing.
    [[nodiscard]] ValueScale scale(std::string_view key) const;
    /// The file that a value names beside the header. @throws InputError if there is none
    [[nodiscard]] std::filesystem::path fileBeside(std::string_view key,
                                                   std::string_view name) const;

    /// "PATH: SENTENCE." @throws InputError always
    [[noreturn]] void fail(const std::string& sentence) const;

  private:
    std::filesystem::path m_path;
    std::map<std::string, std::string, std::less<>> m_values;
};

}  // namespace gantry
