#include "core/scan/guess/stated_axis.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "core/base/host_buffer.h"
#include "core/io/memory_source.h"
#include "core/scan/geometry_file.h"
#include "core/scan/guess/guess_scan.h"
#include "tests/support/hdf5_writer.h"
#include "tests/support/temporary_folder.h"

namespace gantry {
namespace {

using test::TemporaryFolder;

constexpr Index kAxisViews = 60;
constexpr Index kAxisColumns = 80;
constexpr Index kAxisRows = 5;

// Soft bodies, seen in parallel over an arc with the axis on a column. `distance`: of the smaller
// body from the axis, px.
std::vector<float> viewsOf(double axisColumn, double arcDeg, double distance) {
    std::vector<float> views;
    for (Index s = 0; s < kAxisViews; ++s) {
        const double angle = arcDeg * static_cast<double>(s) / kAxisViews * std::numbers::pi / 180;
        for (Index i = 0; i < kAxisRows * kAxisColumns; ++i) {
            const double u = static_cast<double>(i % kAxisColumns) - axisColumn;
            const double other = u - distance * std::cos(angle + 0.7);
            views.push_back(static_cast<float>(std::exp(-u * u / 500) +
                                               (distance > 0 ? std::exp(-other * other / 18) : 0)));
        }
    }
    return views;
}

std::vector<double> anglesOf(double arcDeg) {
    std::vector<double> angles;
    for (Index s = 0; s < kAxisViews; ++s)
        angles.push_back(arcDeg * static_cast<double>(s) / kAxisViews);
    return angles;
}

FittedAxis fittedAxis(const StatedAxis& axis, double column, double arcDeg, double distance,
                      const std::optional<double>& seen = std::nullopt) {
    const std::vector<float> views = viewsOf(column, arcDeg, distance);
    const MemorySource source({views.data(), kAxisViews, kAxisRows, kAxisColumns});
    return fitAxis(axis, 0.5, seen, StripReader(source, nullptr, nullptr, true), anglesOf(arcDeg));
}

TEST(StatedAxis, TheViewsTellWhatItsNumberMeans) {
    for (const double distance : {0.0, 14.0})
        for (const auto& [number, unit] : {std::pair(30.0, ""),
                                           {-9.5, ""},
                                           {9.5, ""},
                                           {-4.75, "mm"},
                                           {15.25, "mm"},
                                           {-0.00475, "m"},
                                           {-4.75, ""}}) {
            const FittedAxis axis = fittedAxis({number, unit, "the axis"}, 30, 180, distance);
            ASSERT_TRUE(axis.reading) << number << unit;
            EXPECT_NEAR(axis.reading->column, 30, 0.01) << number << unit << ": " << axis.why;
            EXPECT_TRUE(axis.isSure) << number << unit << ": " << axis.why;
        }
}

TEST(StatedAxis, AnAxisNearTheEdgeIsFoundOverAWholeTurn) {
    const FittedAxis axis = fittedAxis({6, "", "the axis"}, 6, 360, 14);
    ASSERT_TRUE(axis.reading);
    EXPECT_EQ(axis.reading->column, 6);
    EXPECT_TRUE(axis.isSure) << axis.why;
}

TEST(StatedAxis, WhatTheViewsContradictIsNotUsed) {
    const FittedAxis axis = fittedAxis({5, "", "the axis"}, 39.5, 180, 14, 39.5);
    EXPECT_FALSE(axis.reading);
    EXPECT_FALSE(axis.isSure);
    EXPECT_NE(axis.why.find("the axis states 5, which does not fit"), std::string::npos)
        << axis.why;
    EXPECT_FALSE(fittedAxis({500, "px", "the axis"}, 39.5, 180, 14).reading);
}

TEST(StatedAxis, WithoutOppositeViewsItIsTakenWithADoubt) {
    const FittedAxis axis = fittedAxis({33, "", "the axis"}, 30, 100, 14);
    ASSERT_TRUE(axis.reading);
    EXPECT_EQ(axis.reading->column, 33);
    EXPECT_FALSE(axis.isSure);
}

// Over a whole turn, the views of an object near the edge show the axis in no other way.
TEST(StatedAxis, AHalfFieldOfViewInAnNxTomoFileHasItsAxis) {
    const TemporaryFolder folder;
    const std::vector<float> views = viewsOf(6, 360, 14);
    {
        test::Hdf5Writer file(folder / "scan.nxs");
        const std::string detector = "/entry/instrument/detector/";
        file.text("/entry/definition", "NXtomo");
        file.images(detector + "data", PixelType::float32,
                    {static_cast<hsize_t>(kAxisViews), static_cast<hsize_t>(kAxisRows),
                     static_cast<hsize_t>(kAxisColumns)},
                    std::as_bytes(std::span(views)));
        file.numbers(detector + "x_rotation_axis_pixel_position", {-33.5});
        file.text(detector + "field_of_view", "Half");
        file.numbers(detector + "x_pixel_size", {0.5}, "mm");
        file.numbers("/entry/sample/rotation_angle", anglesOf(360), "deg");
    }
    Inspection bare;
    bare.path = folder / "scan.nxs";
    const GuessedScan guess = guessScan(bare);
    EXPECT_NEAR(guess.scan.geometry.axisColumn(), 6, 0.01);
    for (const GuessedScan::Guess& one : guess.guesses)
        EXPECT_FALSE(one.isUnsure) << one.field << ": " << one.reason;
}

TEST(StatedAxis, AScanInAnNxTomoFileHasItsAxisAndFlips) {
    const TemporaryFolder folder;
    // Stored with its left column on the right, and the lowest row first.
    std::vector<float> views = viewsOf(30, 180, 14);
    for (Index row = 0; row < kAxisViews * kAxisRows; ++row)
        std::reverse(views.begin() + row * kAxisColumns, views.begin() + (row + 1) * kAxisColumns);
    {
        test::Hdf5Writer file(folder / "scan.nxs");
        const std::string detector = "/entry/instrument/detector/";
        file.text("/entry/definition", "NXtomo");
        file.images(detector + "data", PixelType::float32,
                    {static_cast<hsize_t>(kAxisViews), static_cast<hsize_t>(kAxisRows),
                     static_cast<hsize_t>(kAxisColumns)},
                    std::as_bytes(std::span(views)));
        file.numbers(detector + "x_rotation_axis_pixel_position", {49});
        file.flag(detector + "x_flipped", true);
        file.flag(detector + "y_flipped", true);
        file.numbers(detector + "x_pixel_size", {0.5}, "mm");
        file.numbers("/entry/sample/rotation_angle", anglesOf(180), "deg");
    }
    Inspection bare;
    bare.path = folder / "scan.nxs";
    GuessedScan guess = guessScan(bare);
    EXPECT_TRUE(guess.scan.projections.isMirrored);
    EXPECT_FALSE(guess.scan.projections.firstRowIsTop);
    EXPECT_NEAR(guess.scan.geometry.axisColumn(), 30, 0.01);
    for (const GuessedScan::Guess& one : guess.guesses) {
        EXPECT_FALSE(one.isUnsure) << one.field << ": " << one.reason;
        for (const char* stated : {"trajectory.arcDeg", "detector.pitchMm", "detector.firstRow",
                                   "detector.offsetMm[0]", "detector.mirrored"})
            if (one.field == stated) {
                EXPECT_TRUE(one.isStated) << stated;
            }
    }
    // A description that says otherwise is contradicted.
    EXPECT_TRUE(contradictedByImages(guess.scan).empty());
    guess.scan.projections.isMirrored = false;
    guess.scan.geometry.detector.offsetMm[0] = 0;
    const std::vector<Problem> problems = contradictedByImages(guess.scan);
    ASSERT_EQ(problems.size(), 2U);
    EXPECT_EQ(problems[0].field, "detector.offsetMm");
    EXPECT_EQ(problems[1].field, "detector.mirrored");
    guess.scan.geometry.angles().arcDeg = -180;
    EXPECT_EQ(contradictedByImages(guess.scan).size(), 2U) << "the other sense of rotation";
    guess.scan.geometry.angles().arcDeg = 200;
    EXPECT_EQ(contradictedByImages(guess.scan).size(), 3U);
}

}  // namespace
}  // namespace gantry
