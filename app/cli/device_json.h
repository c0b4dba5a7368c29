#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "gpu/device/device_list.h"

namespace gantry {

/// All facts about a GPU.
[[nodiscard]] nlohmann::ordered_json deviceJson(const DeviceInfo& device);

/// 13000 → "13.0", as CUDA counts its versions.
[[nodiscard]] std::string cudaVersion(int number);

}  // namespace gantry
