#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

namespace gantry {

/// Values that a program has found, in a JSON file for later runs: objects with the fields of a key
/// and of a value. A file that is missing, unreadable or of another kind counts as empty, one that
/// cannot be written stays unchanged.
/// Tests: tests/core/base/kept_values_test.cpp
class KeptValues {
  public:
    /// file: empty: nothing is kept
    /// kind: the field that identifies the kind of file. list: the field with the values
    KeptValues(std::filesystem::path file, std::string kind, std::string list);

    /// The newest object with the fields of the key, if there is one.
    [[nodiscard]] std::optional<nlohmann::json> find(const nlohmann::json& key) const;
    /// Its number of that name, if it is positive.
    [[nodiscard]] std::optional<double> findPositive(const nlohmann::json& key,
                                                     const char* name) const;
    /// All objects with these fields, the newest first.
    [[nodiscard]] std::vector<nlohmann::json> findAll(const nlohmann::json& fields) const;
    /// Replaces the value of the key. The file keeps the newest few hundred.
    void keep(const nlohmann::json& key, const nlohmann::json& value) const noexcept;

  private:
    std::filesystem::path m_file;
    std::string m_kind;
    std::string m_list;
};

/// A positive number of a kept object; 0 if it has none of that name.
[[nodiscard]] double positiveOf(const nlohmann::json& kept, const char* name);

}  // namespace gantry
