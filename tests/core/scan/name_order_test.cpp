#include "core/scan/inspect/name_order.h"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>

#include "tests/support/temporary_folder.h"

namespace gantry {
namespace {

using test::TemporaryFolder;
using Names = std::vector<std::string>;

// The problems of a parallel beam's scan with these names and angles, in the files' order.
std::vector<Problem> problemsOf(const Names& names, std::vector<double> anglesDeg) {
    const TemporaryFolder folder;
    for (const std::string& name : names)
        std::ofstream(folder / name) << "x";
    ScanFile scan;
    scan.folder = folder.path();
    scan.projections.files = ".";
    auto& beam = scan.geometry.trajectory.emplace<ParallelBeam>();
    beam.views = static_cast<Index>(anglesDeg.size());
    beam.anglesDeg = std::move(anglesDeg);
    return contradictedByNames(scan);
}

Names named(const char* pattern, const std::vector<double>& values) {
    Names names;
    for (const double value : values)
        names.push_back(fmt::format(fmt::runtime(pattern), value));
    return names;
}

TEST(NameOrder, NamesThatHoldTheAnglesInTheirOrderAreRight) {
    const std::vector<double> angles = {0, 0.25, 0.5, 0.75, 1, 1.25};
    EXPECT_TRUE(problemsOf(named("p_{:g}.tif", angles), angles).empty());
    EXPECT_TRUE(problemsOf(named("scan7_{:.3f}.tif", angles), angles).empty());
    EXPECT_TRUE(problemsOf({"a0.tif", "a1.tif", "a2.tif"}, {0, 60, 120}).empty());
}

TEST(NameOrder, NamesThatHoldTheAnglesInAnotherOrderAreAnError) {
    const std::vector<double> angles = {0, 0.25, 0.5, 0.75, 1, 1.25};
    // Listed as they were taken; a folder has them sorted.
    const auto problems = problemsOf(named("p_{:g}.tif", angles), {0, 0.5, 1, 0.25, 0.75, 1.25});
    ASSERT_EQ(problems.size(), 1U);
    EXPECT_EQ(problems[0].severity, Problem::Severity::error);
    EXPECT_EQ(problems[0].field, "projections.files");
    EXPECT_NE(problems[0].message.find("view 1 is p_0.25.tif, and the trajectory has 0.5° for it"),
              std::string::npos)
        << problems[0].message;
}

TEST(NameOrder, AnglesThatPassAFullTurnAreInTheirOrder) {
    std::vector<double> inNames, angles;
    for (int i = 0; i < 90; ++i) {
        inNames.push_back((270 + 2 * i) % 360);
        angles.push_back(2 * i);
    }
    EXPECT_TRUE(problemsOf(named("p_{:g}.tif", inNames), angles).empty());
    EXPECT_TRUE(problemsOf(named("p_{:g}deg.tif", inNames), angles).empty());
}

// Files sort from 1.5, and the list begins where the scan did: each view is 297° beside its name's.
TEST(NameOrder, ATurnThatBeginsElsewhereIsOnlyTurned) {
    std::vector<double> inNames, angles;
    for (int i = 0; i < 80; ++i) {
        inNames.push_back(1.5 + 4.5 * i);
        angles.push_back(std::fmod(298.5 + 4.5 * i, 360));
    }
    std::ranges::sort(inNames);
    const auto problems = problemsOf(named("p_{:g}.tif", inNames), angles);
    ASSERT_EQ(problems.size(), 1U);
    EXPECT_EQ(problems[0].severity, Problem::Severity::warning);
    EXPECT_NE(problems[0].message.find("turned by"), std::string::npos) << problems[0].message;
}

TEST(NameOrder, WhatTwoOrdersFitIsAsked) {
    Names names;
    std::vector<double> angles;
    for (const char letter : {'m', 'p'})
        for (int i = 11; i < 30; ++i) {
            names.push_back(fmt::format("{}{}.tif", letter, i));
            angles.push_back(static_cast<double>(angles.size()));
        }
    const auto problems = problemsOf(names, angles);
    ASSERT_EQ(problems.size(), 1U);
    EXPECT_NE(problems[0].message.find("letters before the numbers may be signs"),
              std::string::npos);
}

TEST(NameOrder, CountersThatMayBeAnglesAreAsked) {
    const auto problems = problemsOf({"p0.tif", "p1.tif", "p2.tif", "p3.tif"}, {0, 2, 1, 3});
    ASSERT_EQ(problems.size(), 1U);
    EXPECT_EQ(problems[0].severity, Problem::Severity::warning);
    EXPECT_NE(problems[0].message.find("If they are angles"), std::string::npos);
}

TEST(NameOrder, StatedAnglesMustBeTheTrajectorys) {
    const Names names = {"a_10deg.tif", "a_20deg.tif", "a_30deg.tif", "a_40deg.tif"};
    EXPECT_TRUE(problemsOf(names, {0, 10, 20, 30}).empty());     // from another start
    EXPECT_TRUE(problemsOf(names, {0, -10, -20, -30}).empty());  // the other way round
    const auto problems = problemsOf(names, {0, 20, 40, 60});
    ASSERT_EQ(problems.size(), 1U);
    EXPECT_NE(problems[0].message.find("view 3 is a_40deg.tif, and the trajectory has 60°"),
              std::string::npos)
        << problems[0].message;
}

TEST(NameOrder, ACounterInAnotherOrderIsAsked) {
    // Golden angles, in front of the number by which they were taken.
    const Names names = {"p_000_1.tif", "p_137_2.tif", "p_052_4.tif", "p_275_3.tif"};
    const auto problems = problemsOf(names, {0, 90, 180, 270});
    ASSERT_EQ(problems.size(), 1U);
    EXPECT_NE(problems[0].message.find("view 1 is p_052_4.tif, and by that number it would be "
                                       "p_137_2.tif"),
              std::string::npos)
        << problems[0].message;
    EXPECT_TRUE(problemsOf(names, {0, 52, 137, 275}).empty());
}

TEST(NameOrder, TwoSensibleOrdersAreAsked) {
    const auto problems =
        problemsOf({"p_0.5.tif", "p_0.15.tif", "p_0.25.tif", "p_0.35.tif"}, {0, 45, 90, 135});
    ASSERT_EQ(problems.size(), 1U);
    EXPECT_NE(problems[0].message.find("sort in two ways"), std::string::npos);
}

}  // namespace
}  // namespace gantry
