#include "core/work/measure_request.h"

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/work/job_forecast.h"
#include "tests/support/cpu_device.h"
#include "tests/support/expect_error.h"
#include "tests/support/small_job.h"
#include "tests/support/temporary_folder.h"

namespace gantry {
namespace {

class MeasureRequestTest : public testing::Test {
  protected:
    void SetUp() override {
        const ScanFile file =
            test::simulated(test::smallScan(24, 48, 40, 410), m_folder / "a scan \"ü\"");
        m_spec = test::jobOf(file, 40, m_folder / "v.mha");
    }
    [[nodiscard]] Measured answered(const std::string& request) const {
        return parseMeasured(answerMeasureRequest(request, "the request", m_backends, {}));
    }

    test::TemporaryFolder m_folder;
    JobSpec m_spec;
    Backends m_backends = test::backends();
};

TEST_F(MeasureRequestTest, AnotherProcessLearnsWhatAForecastNeeds) {
    const Measured measured = answered(measureRequest(m_spec, {}));
    EXPECT_TRUE(measured.gpus.empty());
    EXPECT_EQ(measured.whyNoGpu, "this test has none");
    const OpenScan scan = openScan(m_spec.scan);
    EXPECT_TRUE(forecastJob(scan, m_spec, test::machine(), measured.facts).isComplete());
    // What is known is not measured again.
    const Measured again = answered(measureRequest(m_spec, measured.facts));
    ASSERT_EQ(again.facts.all().size(), measured.facts.all().size());
    for (std::size_t i = 0; i < again.facts.all().size(); ++i) {
        const auto* host = std::get_if<HostRates>(&again.facts.all()[i].answer);
        if (!host) continue;
        EXPECT_EQ(host->loadBytes, std::get<HostRates>(measured.facts.all()[i].answer).loadBytes);
    }
}

TEST_F(MeasureRequestTest, AnEmptyRequestAsksForTheGpusAlone) {
    test::CpuDeviceLog log;
    m_backends.gpu = test::cpuDevices({{1e9, 7'000'000}, {1e9, 9'000'000}}, log);
    m_backends.whyNoGpu = "";
    const Measured measured = answered("");
    ASSERT_EQ(measured.gpus.size(), 2U);
    EXPECT_EQ(measured.gpus[1].number, 1);
    EXPECT_EQ(measured.gpus[1].name, "Test 1");
    EXPECT_EQ(measured.gpus[1].freeBytes, 9'000'000);
    EXPECT_TRUE(measured.facts.all().empty());
}

TEST_F(MeasureRequestTest, WhatIsNoRequestOrAnswerIsRefused) {
    EXPECT_ERROR((void)answered("{"), InputError, "the request");
    EXPECT_ERROR((void)answered("{\"job\": {}, \"facts\": []}"), InputError, "the request");
    std::string more = measureRequest(m_spec, {});
    more.insert(more.rfind('}'), R"(,"hurry":true)");
    EXPECT_ERROR((void)answered(more), InputError, "hurry");
    EXPECT_ERROR((void)parseMeasured("[]"), InputError, "answer");
    EXPECT_ERROR((void)parseMeasured("gantry: a crash"), InputError, "answer");
    m_spec.scan.projections.files = "absent*.tif";
    EXPECT_ERROR((void)answered(measureRequest(m_spec, {})), InputError, "absent");
}

}  // namespace
}  // namespace gantry
