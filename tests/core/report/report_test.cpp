#include "core/report/report.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/base/file.h"
#include "core/job/forecast_file.h"
#include "tests/support/small_job.h"
#include "tests/support/temporary_folder.h"

namespace gantry {
namespace {

using Row = std::vector<std::string>;

TimelineSummary measured() {
    TimelineSummary timeline;
    timeline.wallSeconds = 10;
    timeline.stages[static_cast<std::size_t>(Stage::load)] = {4, 3, 1000, 0};
    timeline.stages[static_cast<std::size_t>(Stage::filter)] = {2, 3, 1000, 0};
    timeline.stages[static_cast<std::size_t>(Stage::backproject)] = {16, 6, 1000, 1'000'000};
    return timeline;
}

TEST(Report, WithoutAForecastThereIsNoColumnForIt) {
    const std::vector<Row> rows = stageTable(measured());
    ASSERT_EQ(rows.size(), 4U);
    EXPECT_EQ(rows[0].size(), 4U);
    EXPECT_EQ(wallText(10, {}), "10.0 s");
}

TEST(Report, TheForecastStandsBesideTheMeasurement) {
    Forecast forecast;
    forecast.load = 3;
    forecast.backproject = 7.5;
    forecast.devices = 2;
    const std::vector<Row> rows = stageTable(measured(), forecast);
    ASSERT_EQ(rows.size(), 4U);
    EXPECT_EQ(rows[0].back(), "Forecast");
    EXPECT_EQ(rows[1].back(), "3.00 s");
    EXPECT_EQ(rows[2].back(), "–");
    // Both devices together, as they are measured.
    EXPECT_EQ(rows[3].back(), "15.0 s");
    EXPECT_EQ(wallText(10, forecast), "10.0 s");
    forecast.wall = 9.5;
    forecast.boundingStage = "back-project";
    EXPECT_EQ(wallText(10, forecast), "10.0 s; the forecast was 9.50 s, bound by back-project");
    forecast.wall = 0.5;
    EXPECT_EQ(wallText(1, forecast), "1.00 s; the forecast was 0.50 s, bound by back-project");
}

TEST(Report, OnlyInvalidPixelsThatOccurredAreDescribed) {
    InvalidPixels counts;
    counts.pixels = 1000;
    EXPECT_EQ(describe(counts), "");
    counts.saturated = 3;
    counts.bad = 2;
    EXPECT_EQ(describe(counts),
              "Invalid pixels among 1000 read: 3 saturated, 2 dead. Saturated ones were kept; the "
              "others were replaced by values of good pixels near them, where there are any.");
    counts.saturated = 0;
    EXPECT_EQ(describe(counts),
              "Invalid pixels among 1000 read: 2 dead. They were replaced by values of good pixels "
              "near them, where there are any.");
    counts.zero = 61;
    EXPECT_EQ(describe(counts),
              "Invalid pixels among 1000 read: 61 without signal, 2 dead. They were replaced by "
              "values of good pixels near them or, in a row where no pixel can be used, by the "
              "largest that can be measured.");
    counts = {.pixels = 9, .saturated = 2};
    EXPECT_EQ(describe(counts),
              "Invalid pixels among 9 read: 2 saturated. Saturated ones were kept.");
}

TEST(Report, ARunsReportHasTheForecastOfItsJob) {
    const test::TemporaryFolder folder;
    const ScanFile file = test::simulated(test::smallScan(20, 32, 30, 410), folder / "scan");
    const JobSpec spec = test::jobOf(file, 16, folder / "volume.mha");
    const std::filesystem::path job = jobFolderFor(spec.output.path);
    (void)JobDirectory::create(job, spec);
    writeForecast(job, {.load = 100,
                        .prepare = 200,
                        .filter = 300,
                        .backproject = 400,
                        .store = 500,
                        .wall = 1234,
                        .boundingStage = "store"});
    (void)test::resume(spec);
    const std::string page = readTextFile(job / "report.html");
    EXPECT_NE(page.find("<th>Forecast</th>"), std::string::npos);
    EXPECT_NE(page.find("the forecast was 20 min 34 s, bound by store"), std::string::npos);
}

TEST(Report, PicturesAreEmbeddedAsBase64) {
    // RFC 4648, section 10, and its two last digits.
    const std::pair<std::string, std::string> vectors[] = {
        {"foobar", "Zm9vYmFy"}, {"fooba", "Zm9vYmE="}, {"foob", "Zm9vYg=="}, {"\xfb\xff", "+/8="}};
    for (const auto& [bytes, text] : vectors) {
        ReportPage page("Title");
        page.picture(bytes, "caption");
        EXPECT_NE(page.html().find("\"data:image/png;base64," + text + "\""), std::string::npos)
            << text;
    }
}

VolumeSummary::Image evenSlice(Index width, Index height, float value) {
    return {width, height, 1, 1,
            std::vector<float>(static_cast<std::size_t>(width * height), value)};
}

// Central slices of a volume of one value, with voxels of 1 mm.
std::array<VolumeSummary::Image, 3> evenSlices(Index nX, Index nY, Index nZ, float value) {
    return {evenSlice(nX, nY, value), evenSlice(nX, nZ, value), evenSlice(nY, nZ, value)};
}

TEST(Report, ASliceOfOneVoxelIsTwoPixelsWide) {
    // 480 mm on 480 pixels; 8 between pictures.
    const Picture picture = slicesPicture(evenSlices(1, 480, 300, 0.5F), 0, 1);
    EXPECT_EQ(picture.width, 2 + 8 + 2 + 8 + 480);
    EXPECT_EQ(picture.height, 480);
}

TEST(Report, AComparisonShowsVolumeTruthAndDifferenceInRows) {
    Comparison comparison;
    comparison.volume = evenSlices(4, 3, 2, 0.75F);
    comparison.truth = evenSlices(4, 3, 2, 0.5F);
    comparison.low = 0;
    comparison.high = 1;
    const Picture all = comparisonPicture(comparison, 0.5);
    // 4 mm on 480 pixels: 360 high, with 8 between the rows.
    ASSERT_EQ(all.width, 480 + 8 + 480 + 8 + 360);
    ASSERT_EQ(all.height, 3 * 360 + 2 * 8);
    const auto pixel = [&](Index row) {
        const std::uint8_t* rgb = all.rgb.data() + 3 * row * all.width;
        return std::vector<int>{rgb[0], rgb[1], rgb[2]};
    };
    // 0.75 and 0.5 of 255; a difference of half of the most is half way from white to red.
    EXPECT_EQ(pixel(0), (std::vector<int>{191, 191, 191}));
    EXPECT_EQ(pixel(368), (std::vector<int>{128, 128, 128}));
    EXPECT_EQ(pixel(736), (std::vector<int>{255, 128, 128}));
    EXPECT_EQ(pixel(1095), (std::vector<int>{255, 128, 128}));
}

TEST(Report, TheGreyWindowLeavesOutTheFewDarkestAndBrightestPixels) {
    const test::TemporaryFolder folder;
    JobSpec spec;
    spec.scan.geometry = test::smallScan(20, 32, 30, 410).geometry;
    spec.volume = fitGrid(spec.scan.geometry, 16);
    spec.output.path = folder / "volume.mha";
    const JobDirectory job = JobDirectory::create(jobFolderFor(spec.output.path), spec);
    // 1101 pixels of 0, 0.001, … 1.1 in disorder. Half a percent of 1100 are 5.5, and 0.998 are
    // 1097.8.
    JobResult result;
    result.centralSlices = {evenSlice(7, 11, 0), evenSlice(16, 32, 0), evenSlice(32, 16, 0)};
    int i = 0;
    for (VolumeSummary::Image& slice : result.centralSlices)
        for (float& value : slice.values)
            value = static_cast<float>(i++ * 389 % 1101) / 1000;
    writeReport(job, result);
    EXPECT_NE(readTextFile(job.file("report.html")).find("black is 0.005 /mm, white 1.097 /mm."),
              std::string::npos);
}

}  // namespace
}  // namespace gantry
