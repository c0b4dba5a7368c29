#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "core/engine/backends.h"
#include "core/plan/facts.h"

namespace gantry {

/// Converts facts about a machine to JSON and back, to transfer them between processes.
/// Tests: tests/core/job/facts_json_test.cpp
[[nodiscard]] nlohmann::ordered_json toJson(const Facts& facts);
[[nodiscard]] nlohmann::ordered_json toJson(const std::vector<DeviceFacts>& devices);
/// where: the source of the JSON, with which error messages begin
/// @throws InputError if toJson() did not write it
[[nodiscard]] Facts parseFacts(const nlohmann::json& list, const std::string& where);
[[nodiscard]] std::vector<DeviceFacts> parseDeviceFacts(const nlohmann::json& list,
                                                        const std::string& where);

}  // namespace gantry
