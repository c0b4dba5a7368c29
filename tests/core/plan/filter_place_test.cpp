#include <gtest/gtest.h>

#include "core/machine/measure.h"
#include "core/plan/plan_forecast.h"
#include "core/plan/questions.h"
#include "tests/support/cpu_device.h"
#include "tests/support/small_job.h"
#include "tests/support/temporary_folder.h"

namespace gantry {
namespace {

// A rank of two that gather, and make the volume on a GPU each.
class FilterPlace : public testing::Test {
  protected:
    FilterPlace() {
        m_backends.gpu = test::cpuDevices({{1e12}}, m_log);
        m_scan.emplace(openScan(m_file));
        m_learned = learnAndPlan(*m_scan, m_spec, m_backends, m_sink, Purpose::forecast).facts;
    }

    // The plan of the second rank, whose CPU filters so many pixels a second.
    JobPlan planned(double filterPixels, const std::vector<FilterOn>& before) {
        Facts facts = m_learned;
        for (const auto& [question, answer] : m_learned.all())
            if (const auto* host = std::get_if<HostRates>(&answer))
                facts.add(question, HostRates{host->loadBytes, 1e12, filterPixels});
        GridPart part = {assignToGrid({m_scan->geometry, m_spec.volume, m_none},
                                      {2, 1, Exchange::gather}, std::vector<RankShare>(2, {1, 40})),
                         1};
        part.plan.filterOn = before;
        return planPart(*m_scan, m_spec, m_backends, m_sink, part, {part.plan.slabs.slabs, {}},
                        facts)
            .plan;
    }
    FilterOn placeOf(double filterPixels, const std::vector<FilterOn>& before = {}) {
        return planned(filterPixels, before).filteredFrom ? FilterOn::gpu : FilterOn::cpu;
    }

    static constexpr double kFast = 1e15;
    static constexpr double kSlow = 1e3;
    test::TemporaryFolder m_folder;
    test::CpuDeviceLog m_log;
    Backends m_backends = test::backends();
    ScanFile m_file = test::simulated(test::smallScan(24, 49, 39, 410), m_folder / "scan");
    JobSpec m_spec = test::jobOf(m_file, 41, m_folder / "v.mha");
    SinkNeeds m_sink = sinkNeedsOf(m_spec);
    std::optional<FinishedSlabs> m_none;
    std::optional<OpenScan> m_scan;
    Facts m_learned;
};

TEST_F(FilterPlace, OfAGridThatWasPlannedBeforeIsKept) {
    EXPECT_EQ(placeOf(kFast), FilterOn::cpu);
    EXPECT_EQ(placeOf(kSlow), FilterOn::gpu);
    const FilterOn cpu = FilterOn::cpu;
    const FilterOn gpu = FilterOn::gpu;
    EXPECT_EQ(placeOf(kFast, {cpu, gpu}), gpu);
    EXPECT_EQ(placeOf(kSlow, {gpu, cpu}), cpu);
    EXPECT_EQ(placeOf(kSlow, {cpu}), gpu) << "of another rank alone";
}

TEST_F(FilterPlace, IsAsTheRequestSaysInAnyCase) {
    m_spec.filterOn = FilterOn::cpu;
    EXPECT_EQ(placeOf(kSlow, {FilterOn::gpu, FilterOn::gpu}), FilterOn::cpu);
    m_spec.filterOn = FilterOn::gpu;
    EXPECT_EQ(placeOf(kFast, {FilterOn::cpu, FilterOn::cpu}), FilterOn::gpu);
}

TEST_F(FilterPlace, IsTheCpuWhereTheGpuFiltersNoMore) {
    m_backends.gpu.whyNoFilter = [](int) { return std::string("its memory is too small"); };
    m_learned = learnAndPlan(*m_scan, m_spec, m_backends, m_sink, Purpose::forecast).facts;
    EXPECT_EQ(placeOf(kSlow, {FilterOn::gpu, FilterOn::gpu}), FilterOn::cpu);
}

}  // namespace
}  // namespace gantry
