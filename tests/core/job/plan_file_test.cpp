#include "core/job/plan_file.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "core/base/file.h"
#include "tests/support/temporary_folder.h"

namespace gantry {
namespace {

TEST(PlanFile, TellsWhoMakesWhat) {
    JobPlan plan;
    plan.engine = EngineKind::gpu;
    plan.devices = {{1, "One \"GPU\"", {{"tile-8x8x128"}, 1e12}, 5, 9}, {3, "Other", {}, 6, 8}};
    plan.handedOver = ViewState::prepared;
    plan.slabs = {{{{0, 4}, {8, 12}}, {{0, 13}, {18, 31}}}, {{4, 8}, {9, 22}}};
    plan.passes = {{{{0, 0, 0, {0, 90}}, {0, 1, 1, {0, 90}}}, {0, 31}}};
    plan.hostBytes = 1234;
    plan.notes = {"A note."};
    const test::TemporaryFolder folder;
    writePlan(folder.path(), plan);
    const auto read = nlohmann::json::parse(readTextFile(folder / "plan.json"));
    EXPECT_EQ(read.at("engine"), "gpu");
    EXPECT_EQ(read.at("handedOver"), "prepared");
    EXPECT_EQ(read.at("memoryBytes"), 1234);
    EXPECT_EQ(read.at("devices")[0].at("kernel"), "tile-8x8x128");
    EXPECT_EQ(read.at("devices")[1].at("device"), 3);
    EXPECT_EQ(read.at("slabs")[0].at("slices").dump(), "[[0,4],[8,12]]");
    EXPECT_EQ(read.at("slabs")[0].at("rows").dump(), "[[0,13],[18,31]]");
    EXPECT_EQ(read.at("slabs")[1].at("slices").dump(), "[[4,8]]");
    EXPECT_EQ(read.at("slabs")[1].at("rows").dump(), "[9,22]");
    EXPECT_EQ(read.at("passes")[0].at("rows").dump(), "[0,31]");
    EXPECT_EQ(read.at("passes")[0].at("assignments")[1],
              nlohmann::json::parse(R"({"rank":0,"device":1,"slab":1,"views":[0,90]})"));
    EXPECT_EQ(read.at("notes")[0], "A note.");
}

TEST(PlanFile, OfRanksKeepsTheirGrid) {
    JobPlan plan;
    const test::TemporaryFolder folder;
    EXPECT_FALSE(readGridPlan(folder.path())) << "there is no plan";
    writePlan(folder.path(), plan);
    EXPECT_FALSE(readGridPlan(folder.path())) << "one process made it";
    plan.part = GridPart{};
    plan.part->plan.grid = {1, 2, Exchange::rows};
    plan.part->plan.slabs = {{{0, 9}}, {0}};
    plan.part->plan.views = {{0, 40}, {40, 90}};
    writePlan(
        folder.path(), plan,
        {{"a", "CPU", 5, 9, {{0, 0, 0, {0, 40}}}}, {"b", "CPU", 6, 9, {{1, 0, 0, {40, 90}}}}});
    EXPECT_EQ(readGridPlan(folder.path()), plan.part->plan);
    const auto read = nlohmann::json::parse(readTextFile(folder / "plan.json"));
    EXPECT_EQ(read.at("ranks")[1].at("host"), "b");
    EXPECT_EQ(read.at("ranks")[1].at("assignments")[0],
              nlohmann::json::parse(R"({"rank":1,"device":0,"slab":0,"views":[40,90]})"));
    writeFileAtomically(folder / "plan.json", "{\"grid\": 3");
    EXPECT_FALSE(readGridPlan(folder.path())) << "what cannot be read is not taken";
}

}  // namespace
}  // namespace gantry
