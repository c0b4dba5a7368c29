#pragma once

#include <span>
#include <string_view>

namespace gantry {

/// A built-in description: a file of resources/clusters.
struct DescribedCluster {
    std::string_view name;  ///< of the file, without .json
    std::string_view json;
};
extern const std::span<const DescribedCluster> kDescribedClusters;

}  // namespace gantry
