#include "core/job/grid_plan_json.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace gantry {
namespace {

GridPlan somePlan() {
    GridPlan plan;
    plan.grid = {2, 3, Exchange::gather};
    plan.slabs = {{{0, 4}, {{4, 6}, {9, 11}}, {6, 9}}, {0, 1, 0}};
    plan.views = {{0, 30}, {30, 61}, {61, 90}};
    plan.chunkSlices = 5;
    plan.why = "as the job asks";
    plan.shares = {0.25, 0.125, 0.125, 0.25, 0.2, 0.05};
    plan.idleRanks = 1;
    plan.moves = true;
    plan.filterOn = {FilterOn::cpu, FilterOn::gpu, FilterOn::cpu,
                     FilterOn::cpu, FilterOn::gpu, FilterOn::gpu};
    return plan;
}

TEST(GridPlanJson, IsReadAsItWasWritten) {
    EXPECT_EQ(parseGridPlan(nlohmann::json(toJson(somePlan()))), somePlan());
}

TEST(GridPlanJson, IsNothingWhereAFieldIsMissingOrWrong) {
    const nlohmann::json whole = toJson(somePlan());
    for (const auto& [field, value] : whole.items()) {
        nlohmann::json without = whole;
        without.erase(field);
        EXPECT_EQ(parseGridPlan(without).has_value(), field == "filterOn" || field == "idleRanks")
            << field;
        nlohmann::json wrong = whole;
        wrong[field] = nlohmann::json::object();
        EXPECT_FALSE(parseGridPlan(wrong)) << field;
    }
    EXPECT_FALSE(parseGridPlan("text"));
    nlohmann::json otherWord = whole;
    otherWord["filterOn"][1] = "GPU";
    EXPECT_FALSE(parseGridPlan(otherWord));
    otherWord = whole;
    otherWord["exchange"] = "row";
    EXPECT_FALSE(parseGridPlan(otherWord));
    nlohmann::json empty = whole;
    empty["rows"] = 0;
    EXPECT_FALSE(parseGridPlan(empty));
    nlohmann::json none = whole;
    none["shares"][2] = 0;
    EXPECT_FALSE(parseGridPlan(none));
    nlohmann::json fewer = whole;
    fewer["idleRanks"] = -1;
    EXPECT_FALSE(parseGridPlan(fewer));
}

TEST(GridPlanJson, OfAnEarlierVersionLeavesOpenWhereViewsAreFiltered) {
    nlohmann::json older = toJson(somePlan());
    older.erase("filterOn");
    GridPlan plan = somePlan();
    plan.filterOn.clear();
    EXPECT_EQ(parseGridPlan(older), plan);
    EXPECT_EQ((GridPart{plan, 4}.filterOn()), FilterOn::automatic);
    EXPECT_EQ((GridPart{somePlan(), 4}.filterOn()), FilterOn::gpu);
}

TEST(GridPlanJson, TellsWhatEachRankDoes) {
    RankPlan rank = {"host \"ü\"", "CPU", 123, 456, {{3, 0, 2, {30, 61}}}, 2, {0, 1, 2, 5, 7, 8}};
    rank.filterOn = FilterOn::gpu;
    const RankPlan read = parseRankPlan(nlohmann::json(toJson(rank)));
    EXPECT_EQ(read.host, rank.host);
    EXPECT_EQ(read.engine, rank.engine);
    EXPECT_EQ(read.hostBytes, 123);
    EXPECT_EQ(read.budgetBytes, 456);
    EXPECT_EQ(read.assignments, rank.assignments);
    EXPECT_EQ(read.devices, 2);
    EXPECT_EQ(read.spare, rank.spare);
    EXPECT_EQ(read.filterOn, FilterOn::gpu);
}

}  // namespace
}  // namespace gantry
