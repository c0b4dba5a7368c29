#include "core/scan/inspect/inspect_scan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <random>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/io/tiff/tiff_file.h"
#include "core/io/volume/open_sink.h"
#include "core/io/volume/read_volume.h"
#include "core/io/volume/stored_volume.h"
#include "tests/support/expect_error.h"
#include "tests/support/small_scan.h"
#include "tests/support/temporary_folder.h"

namespace gantry {
namespace {

namespace fs = std::filesystem;
using test::simulated;
using test::smallScan;
using test::TemporaryFolder;

const InspectOptions kInspectOptions = {2, false, {}};

template <class Pixel>
void writeImage(const fs::path& path, const std::vector<Pixel>& pixels, Index columns) {
    TiffPage page;
    if (std::is_same_v<Pixel, float>) page.type = PixelType::float32;
    page.columns = columns;
    page.rows = static_cast<Index>(pixels.size()) / columns;
    TiffWriter writer(path, TiffWriter::Mode::classic);
    writer.write(page, std::as_bytes(std::span(pixels)));
    writer.close();
}

TEST(Inspect, StatisticsAreThoseOfThePixels) {
    const TemporaryFolder folder;
    std::mt19937 random(5);
    std::vector<double> all;
    for (int s = 0; s < 7; ++s) {
        std::vector<std::uint16_t> pixels(31 * 11);
        for (auto& pixel : pixels) {
            pixel = static_cast<std::uint16_t>(1000 + random() % 5000);
            all.push_back(pixel);
        }
        writeImage(folder / ("view" + std::to_string(s) + ".tif"), pixels, 31);
    }
    const Inspection inspection = inspectPath(folder.path(), kInspectOptions);
    ASSERT_EQ(inspection.series.size(), 1U);
    const SeriesInspection& series = inspection.series[0];
    EXPECT_EQ(series.info.views, 7);
    EXPECT_EQ(series.info.columns, 31);
    EXPECT_EQ(series.info.rows, 11);
    EXPECT_TRUE(series.suspects.empty());
    EXPECT_FALSE(inspection.missing.empty());
    std::sort(all.begin(), all.end());
    double sum = 0;
    double squares = 0;
    for (const double value : all) {
        sum += value;
        squares += value * value;
    }
    const double mean = sum / static_cast<double>(all.size());
    const double deviation = std::sqrt(squares / static_cast<double>(all.size()) - mean * mean);
    EXPECT_EQ(series.statistics.images, 7);
    EXPECT_EQ(series.statistics.smallest, all.front());
    EXPECT_EQ(series.statistics.largest, all.back());
    // Sums of 2387 values in double.
    EXPECT_NEAR(series.statistics.mean, mean, 1e-9 * mean);
    EXPECT_NEAR(series.statistics.standardDeviation, deviation, 1e-6 * deviation);
    for (std::size_t i = 0; i < kPercentiles.size(); ++i)
        EXPECT_EQ(series.statistics.percentiles[i],
                  all[(all.size() - 1) * static_cast<std::size_t>(kPercentiles[i]) / 100]);
}

TEST(Inspect, SuspectFramesAreNamedWithTheirReason) {
    const TemporaryFolder folder;
    for (int s = 0; s < 20; ++s) {
        std::vector<std::uint16_t> pixels(64);
        for (std::size_t i = 0; i < pixels.size(); ++i)
            pixels[i] = static_cast<std::uint16_t>(10000 + 100 * s + 5 * static_cast<int>(i));
        if (s == 3) std::fill(pixels.begin(), pixels.end(), std::uint16_t{777});
        if (s == 8)
            for (auto& pixel : pixels)
                pixel = static_cast<std::uint16_t>(pixel / 3);
        if (s == 15) std::fill(pixels.begin(), pixels.begin() + 5, std::uint16_t{65535});
        writeImage(folder / ("view" + std::to_string(s) + ".tif"), pixels, 8);
    }
    const Inspection inspection = inspectPath(folder.path(), kInspectOptions);
    const std::vector<SuspectFrame>& suspects = inspection.series[0].suspects;
    ASSERT_EQ(suspects.size(), 3U);
    EXPECT_EQ(suspects[0].number, 3);
    EXPECT_NE(suspects[0].reason.find("constant"), std::string::npos);
    EXPECT_EQ(suspects[1].number, 8);
    EXPECT_NE(suspects[1].reason.find("darker"), std::string::npos);
    EXPECT_EQ(suspects[2].number, 15);
    EXPECT_NE(suspects[2].reason.find("saturated"), std::string::npos);
    EXPECT_NE(suspects[2].name.find("view15.tif"), std::string::npos);
}

TEST(Inspect, PixelsThatAreNoNumbersAreCounted) {
    const TemporaryFolder folder;
    constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    writeImage(folder / "view0.tif", std::vector<float>{1, 2, 3, 4, 5, 6}, 3);
    writeImage(folder / "view1.tif", std::vector<float>{kNan, 2, kInfinity, 4, 5, -kInfinity}, 3);
    const Inspection inspection = inspectPath(folder.path(), kInspectOptions);
    const std::vector<SuspectFrame>& suspects = inspection.series[0].suspects;
    ASSERT_EQ(suspects.size(), 1U);
    EXPECT_EQ(suspects[0].number, 1);
    EXPECT_EQ(suspects[0].suspicion, Suspicion::notFinite);
    EXPECT_EQ(suspects[0].reason, "3 pixels are NaN or infinite");
}

TEST(Inspect, GeometryFactsAreThoseOfTheScan) {
    const TemporaryFolder folder;
    SimulationSpec spec = smallScan(40, 64, 48, 410);
    spec.geometry.cone().arcDeg = 240;
    const ScanFile scan = simulated(spec, folder / "scan");
    const Inspection inspection = inspectPath(folder / "scan", kInspectOptions);
    ASSERT_TRUE(inspection.geometry);
    // The head is taller than this detector.
    ASSERT_EQ(inspection.problems.size(), 1U);
    EXPECT_NE(inspection.problems[0].message.find("above and below"), std::string::npos);
    EXPECT_DOUBLE_EQ(inspection.geometry->magnification, 2);
    EXPECT_DOUBLE_EQ(inspection.geometry->voxelMm[0], 410.0 / 64 / 2);
    EXPECT_DOUBLE_EQ(inspection.geometry->fanAngleDeg, 2 * degrees(std::atan2(205, 1200)));
    EXPECT_DOUBLE_EQ(inspection.geometry->arcDeg, 240);
    EXPECT_EQ(inspection.geometry->redundancy->kind, Redundancy::shortScan);
    EXPECT_EQ(inspection.geometry->fitted, fitGrid(scan.geometry));
    EXPECT_EQ(inspection.series.size(), 3U);
}

TEST(Inspect, AWarningLeavesTheGeometryItsFactsAndAnErrorDoesNot) {
    const TemporaryFolder folder;
    SimulationSpec spec = smallScan(16, 32, 24, 410);
    spec.geometry.cone().arcDeg = 400;
    ScanFile scan = simulated(spec, folder / "scan");
    const Inspection warned = inspectPath(scan.path, kInspectOptions);
    ASSERT_FALSE(warned.problems.empty());
    EXPECT_EQ(warned.problems[0].severity, Problem::Severity::warning);
    ASSERT_TRUE(warned.geometry);
    EXPECT_DOUBLE_EQ(warned.geometry->arcDeg, 400);
    scan.geometry.cone().sourceToDetectorMm = 500;  // nearer than the object
    writeFileAtomically(scan.path, toJson(scan));
    const Inspection refused = inspectPath(scan.path, kInspectOptions);
    ASSERT_FALSE(refused.problems.empty());
    EXPECT_EQ(refused.problems[0].severity, Problem::Severity::error);
    EXPECT_FALSE(refused.geometry);
}

TEST(Inspect, ViewsThatAreLeftOutMakeAGap) {
    const TemporaryFolder folder;
    SimulationSpec spec = smallScan(40, 64, 48, 410);
    spec.geometry.detector.offsetMm[0] = 110;
    ScanFile scan = simulated(spec, folder / "scan");
    const auto problemOfArc = [&] {
        const Inspection inspection = inspectPath(scan.path, kInspectOptions);
        const auto found =
            std::ranges::find(inspection.problems, "trajectory.arcDeg", &Problem::field);
        return found != inspection.problems.end() ? found->message : "";
    };
    EXPECT_EQ(problemOfArc(), "");
    scan.projections.skipViews = {11, 12, 13, 14, 15, 16};
    writeFileAtomically(scan.path, toJson(scan));
    // Six views of 9°.
    EXPECT_NE(problemOfArc().find("lack up to 54° of 360°"), std::string::npos) << problemOfArc();
}

TEST(Inspect, ProblemsAreListedWithTheirFields) {
    const TemporaryFolder folder;
    ScanFile scan = simulated(smallScan(16, 32, 24, 410), folder / "scan");
    scan.geometry.cone().views = 17;
    scan.geometry.cone().arcDeg = 120;
    scan.projections.dark = "absent/*.tif";
    writeFileAtomically(scan.path, toJson(scan));
    const Inspection inspection = inspectPath(scan.path, kInspectOptions);
    const auto has = [&](const std::string& field, const std::string& text) {
        return std::any_of(
            inspection.problems.begin(), inspection.problems.end(), [&](const Problem& problem) {
                return problem.field == field && problem.message.find(text) != std::string::npos;
            });
    };
    EXPECT_TRUE(has("projections.files", "17"));
    EXPECT_TRUE(has("projections.dark", "absent"));
    EXPECT_TRUE(std::any_of(
        inspection.problems.begin(), inspection.problems.end(),
        [](const Problem& problem) { return problem.message.find("120") != std::string::npos; }));
}

// A view with gaps between modules, which are stored as the largest value, and the bright pixels
// that it has beside these.
void saturate(const fs::path& file, Index columns, Index bright) {
    std::vector<std::uint16_t> pixels(static_cast<std::size_t>(columns * 24), 20000);
    for (std::size_t i = 0; i < pixels.size(); ++i) {
        const auto u = static_cast<Index>(i) % columns;
        pixels[i] = static_cast<std::uint16_t>(u < 2 || u < bright ? 65535 : pixels[i] + i % 99);
    }
    writeImage(file, pixels, columns);
}

TEST(Inspect, DeadPixelsMakeNoViewASaturatedOne) {
    const TemporaryFolder folder;
    ScanFile scan = simulated(smallScan(16, 32, 24, 410), folder / "scan");
    std::vector<fs::path> views = entriesOf(scan.folder / "proj");
    std::ranges::sort(views);
    for (const fs::path& view : views)
        saturate(view, 32, view == views[5] ? 16 : 0);
    for (const fs::path& flat : entriesOf(scan.folder / "flat"))
        saturate(flat, 32, 0);
    const Inspection inspection = inspectPath(scan.path, kInspectOptions);
    const std::vector<SuspectFrame>& suspects = inspection.series[0].suspects;
    ASSERT_EQ(suspects.size(), 1U);
    EXPECT_EQ(suspects[0].number, 5);
    EXPECT_EQ(suspects[0].reason, "46.7 % of it is saturated");  // 14 of 30 columns
}

TEST(Inspect, VolumesTellTheirGridAndScaledValues) {
    const TemporaryFolder folder;
    const VolumeGrid grid = {{20, 19, 13}, {0.31, 0.33, 0.4}, {1.25, -2, 7}};
    std::minstd_rand random(3);
    std::uniform_real_distribution<float> attenuation(-0.012F, 0.031F);
    Volume written{grid, HostBuffer<float>(grid.count())};
    for (float& voxel : written.voxels.span())
        voxel = attenuation(random);
    for (const char* file : {"v.mha", "v.mhd", "v.raw", "v.tif", "slices"}) {
        const auto sink =
            openSink({folder / file, PixelType::uint16, {{-0.01, 0.03}}}, grid, SinkStart::fresh);
        sink->write(0, written.span());
        sink->finish();
        const Inspection inspection = inspectPath(folder / file, kInspectOptions);
        ASSERT_TRUE(inspection.volume) << file;
        EXPECT_EQ(inspection.volume->voxels, grid.voxels);
        for (std::size_t axis = 0; axis < 3; ++axis) {
            // Decimal text in the header.
            EXPECT_NEAR(inspection.volume->pitchMm[axis], grid.pitchMm[axis], 1e-9);
            EXPECT_NEAR(inspection.volume->centerMm[axis], grid.centerMm[axis], 1e-6);
        }
        const Volume volume = readVolume(folder / file);
        const auto [low, high] =
            std::minmax_element(volume.voxels.data(), volume.voxels.data() + volume.voxels.count());
        // The same scale in float and in double.
        const ImageStatistics& statistics = inspection.series[0].statistics;
        EXPECT_NEAR(statistics.smallest, static_cast<double>(*low), 1e-8) << file;
        EXPECT_NEAR(statistics.largest, static_cast<double>(*high), 1e-8) << file;
    }
}

TEST(Inspect, WhatCannotBeInspectedIsSaid) {
    const TemporaryFolder folder;
    EXPECT_ERROR((void)inspectPath(folder / "absent", kInspectOptions), InputError, "absent");
    EXPECT_ERROR((void)inspectPath(folder.path(), kInspectOptions), InputError, "no images");
    std::ofstream(folder / "notes.txt") << "hello";
    EXPECT_ERROR((void)inspectPath(folder / "notes.txt", kInspectOptions), InputError, "notes.txt");
    std::ofstream(folder / "Geometry.XML") << "<?xml version=\"1.0\"?>";
    EXPECT_ERROR((void)inspectPath(folder / "Geometry.XML", kInspectOptions), InputError,
                 "open the images first");
    fs::create_directory(folder / "v.mha.job");
    std::ofstream(folder / "v.mha.job/job.json") << "{}";
    EXPECT_ERROR((void)inspectPath(folder / "v.mha.job", kInspectOptions), InputError,
                 "is the folder of a job");
    std::stop_source stop;
    stop.request_stop();
    writeImage(folder / "a.tif", std::vector<std::uint16_t>(64, 5), 8);
    EXPECT_THROW((void)inspectPath(folder / "a.tif", {1, false, stop.get_token()}), Cancelled);
}

TEST(Inspect, AZarrThatCannotBeReadHasItsOwnReason) {
    const TemporaryFolder folder;
    fs::create_directory(folder / "v.zarr");
    std::ofstream(folder / "v.zarr/.zarray")
        << R"({"zarr_format": 2, "shape": [6, 7, 8], "chunks": [4, 4, 4], "dtype": "<f4",)"
        << R"( "compressor": {"id": "lz4"}, "fill_value": 0, "order": "C", "filters": null})";
    std::string reason;
    try {
        (void)openStoredVolume(folder / "v.zarr");
    } catch (const InputError& error) {
        reason = error.what();
    }
    EXPECT_NE(reason.find("lz4"), std::string::npos) << reason;
    EXPECT_ERROR((void)inspectPath(folder / "v.zarr", kInspectOptions), InputError, reason);
}

// Line integrals of nothing: noise about 0, to which no view is so many times as bright.
TEST(Inspect, NeighboursWithoutASignalMakeNoViewSuspect) {
    const TemporaryFolder folder;
    for (int s = 0; s < 7; ++s) {
        std::vector<float> pixels(18);
        for (std::size_t i = 0; i < pixels.size(); ++i)
            pixels[i] = (i % 2 == 0 ? 0.25F : -0.25F) + (s == 3 ? 0.125F : 0.0F);
        writeImage(folder / ("view" + std::to_string(s) + ".tif"), pixels, 6);
    }
    const Inspection inspection = inspectPath(folder.path(), kInspectOptions);
    EXPECT_EQ(inspection.series[0].info.views, 7);
    EXPECT_TRUE(inspection.series[0].suspects.empty());
}

}  // namespace
}  // namespace gantry
