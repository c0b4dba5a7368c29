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
}

TEST(Report, ARunsReportHasTheForecastOfItsJob) {
    const test::TemporaryFolder folder;
    const ScanFile file = test::simulated(test::smallScan(20, 32, 30, 410), folder / "scan");
    const JobSpec spec = test::jobOf(file, 16, folder / "volume.mha");
    const std::filesystem::path job = jobFolderFor(spec.output.path);
    (void)JobDirectory::create(job, spec);
    writeForecast(job, {100, 200, 300, 0, 400, 0, 500, 1234, "store"});
    (void)test::resume(spec);
    const std::string page = readTextFile(job / "report.html");
    EXPECT_NE(page.find("<th>Forecast</th>"), std::string::npos);
    EXPECT_NE(page.find("the forecast was 20 min 34 s, bound by store"), std::string::npos);
}

}  // namespace
}  // namespace gantry
