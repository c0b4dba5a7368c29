#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "core/engine/backends.h"
#include "core/plan/facts.h"

namespace gantry {

/// Facts about a machine, for transfer between processes. Tests: tests/core/job/facts_json_test.cpp
[[nodiscard]] nlohmann::ordered_json toJson(const Facts& facts);
[[nodiscard]] nlohmann::ordered_json toJson(const std::vector<DeviceFacts>& devices);
/// where: begins messages. @throws InputError  it was not written by toJson()
[[nodiscard]] Facts parseFacts(const nlohmann::json& list, const std::string& where);
[[nodiscard]] std::vector<DeviceFacts> parseDeviceFacts(const nlohmann::json& list,
                                                        const std::string& where);

}  // namespace gantry
