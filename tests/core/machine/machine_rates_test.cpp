#include "core/machine/machine_rates.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "core/base/error.h"
#include "tests/support/small_job.h"
#include "tests/support/temporary_folder.h"

namespace gantry {
namespace {

TEST(MachineRates, ForecastIsMadeOfMeasuredRates) {
    const test::TemporaryFolder folder;
    const ScanFile scan = test::simulated(test::smallScan(24, 48, 40, 410), folder / "scan");
    const JobSpec job = test::jobOf(scan, 40, folder / "v.mha");
    const OpenScan open = openScan(scan);
    const Backends backends = test::backends();
    const JobPlan plan = planJob(open, job, *backends.cpuColumns(2), {});
    const MachineRates rates = measureRates(open, job, plan, backends, {});
    for (const double rate : {rates.loadBytes, rates.preparePixels, rates.filterPixels,
                              rates.updates, rates.storeBytes})
        EXPECT_GT(rate, 0);
    const Forecast forecast = forecastJob(open, job, plan, rates);
    const double updates = static_cast<double>(job.volume.count() * 24);
    EXPECT_DOUBLE_EQ(forecast.backproject, updates / rates.updates);
    EXPECT_GE(forecast.wall, forecast.backproject);
    // Only the scan is left there.
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1);
    std::stop_source stop;
    stop.request_stop();
    EXPECT_THROW((void)measureRates(open, job, plan, backends, stop.get_token()), Cancelled);
}

}  // namespace
}  // namespace gantry
