#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/plan/job_plan.h"
#include "core/plan/performance_model.h"

namespace gantry {

/// As ranks tell it to each other, and as plan.json keeps it.
[[nodiscard]] nlohmann::ordered_json toJson(const GridPlan& plan);

/// Nothing where the value is no plan of a grid.
/// Tests: tests/core/job/grid_plan_json_test.cpp
[[nodiscard]] std::optional<GridPlan> parseGridPlan(const nlohmann::json& value);

/// What one of the ranks does, as plan.json tells it.
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
    Forecast forecast{};                ///< of what it makes, with what it exchanges
};
[[nodiscard]] nlohmann::ordered_json toJson(const RankPlan& plan);
/// value: of toJson(), by another rank of the same run
[[nodiscard]] RankPlan parseRankPlan(const nlohmann::json& value);

}  // namespace gantry
