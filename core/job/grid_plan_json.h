#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/plan/job_plan.h"
#include "core/plan/performance_model.h"

namespace gantry {

/// The form in which ranks send it to each other, and in plan.json.
[[nodiscard]] nlohmann::ordered_json toJson(const GridPlan& plan);

/// Nothing where the value is no plan of a grid.
/// Tests: tests/core/job/grid_plan_json_test.cpp
[[nodiscard]] std::optional<GridPlan> parseGridPlan(const nlohmann::json& value);

/// The part of one rank, in the form of plan.json.
struct RankPlan {
    std::string host;
    std::string engine;
    Index hostBytes = 0;
    Index budgetBytes = 0;
    std::vector<Assignment> assignments;
    int devices = 1;
    /// First slabs of passes of other rows that it has the memory for.
    std::vector<Index> spare{};
    FilterOn filterOn = FilterOn::cpu;  ///< where it filters views
    Forecast forecast{};                ///< for what it makes, including what it exchanges
};
[[nodiscard]] nlohmann::ordered_json toJson(const RankPlan& plan);
/// value: from toJson(), of another rank of the same run
[[nodiscard]] RankPlan parseRankPlan(const nlohmann::json& value);

}  // namespace gantry
