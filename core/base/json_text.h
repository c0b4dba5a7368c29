#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace gantry {

// nlohmann's reader and writer are large templates: sources call these functions, so that the
// templates are compiled once.

/// The value in the form of a file; with `indent` < 0 on one line.
/// @throws nlohmann::json::type_error for a text that is not UTF-8
/// Tests: tests/core/base/json_text_test.cpp
[[nodiscard]] std::string jsonText(const nlohmann::json& value, int indent = 2);
[[nodiscard]] std::string jsonText(const nlohmann::ordered_json& value, int indent = 2);

/// The same for messages and logs: bytes that are not UTF-8 become "�".
[[nodiscard]] std::string shownJson(const nlohmann::json& value, int indent = 2);
[[nodiscard]] std::string shownJson(const nlohmann::ordered_json& value, int indent = 2);

/// Parses a text that Gantry wrote; is_discarded() if it was cut off since. Text from outside is
/// read by parseJson().
[[nodiscard]] nlohmann::json ownJson(std::string_view text);
[[nodiscard]] nlohmann::ordered_json ownOrderedJson(std::string_view text);

}  // namespace gantry
