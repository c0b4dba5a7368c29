#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "core/describe/scan_description.h"

namespace gantry {

/// What a description states, a line for each field with value, unit, certainty and place; its
/// open questions; keys that matter to nobody as a count. Problems are left out.
/// Tests: tests/cli/test_scanners.py
[[nodiscard]] std::string descriptionText(const ScanDescription& description);
/// All of it, with every ignored key.
[[nodiscard]] nlohmann::ordered_json descriptionJson(const ScanDescription& description);

/// Answers to open questions from words "question=answer".
/// @throws InputError for other words, or a question that is answered twice
[[nodiscard]] Answers answersOf(const std::vector<std::string>& words);

}  // namespace gantry
