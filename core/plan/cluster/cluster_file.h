#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/plan/cluster/cluster_model.h"

namespace gantry {

/// Reads the description of a cluster: JSON with the fields listed on the manual's page on
/// clusters. where: the file's name in messages
/// @throws InputError naming the field, what was found and what is allowed
/// Tests: tests/core/plan/cluster_file_test.cpp
[[nodiscard]] Cluster parseCluster(std::string_view json, const std::string& where);

/// The description in the file of that path, or else the built-in one of that name. @throws
/// InputError as parseCluster(), and where there is neither
[[nodiscard]] Cluster findCluster(const std::filesystem::path& fileOrName);

/// Names of the built-in descriptions: "abci".
[[nodiscard]] std::vector<std::string> knownClusters();

}  // namespace gantry
