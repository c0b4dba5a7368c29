#include "core/plan/filter_rows.h"

#include <gtest/gtest.h>

#include "tests/support/fake_gpus.h"
#include "tests/support/small_job.h"

namespace gantry {
namespace {

class FilterRowsTest : public testing::Test {
  protected:
    FilterRows rows(bool hasGpu) {
        Machine machine;
        machine.cpu = test::backends().cpu.info;
        if (hasGpu) {
            machine.gpu = test::fakeGpus(1, 1'000'000'000, m_rates).info;
        } else {
            machine.whyNoGpu = "there is none";
        }
        return filterRowsOf(m_spec, machine);
    }
    CircularCone& cone() { return m_spec.scan.geometry.cone(); }
    Detector& detector() { return m_spec.scan.geometry.detector; }

    test::FakeGpuRates m_rates;
    JobSpec m_spec;
};

TEST_F(FilterRowsTest, AreUprightOnGpusAndTheDetectorsOwnElsewhere) {
    m_spec.scan.geometry = test::smallScan(45, 90, 83, 410).geometry;
    for (double* angle : {&detector().rollDeg, &detector().tiltDeg, &detector().slantDeg}) {
        *angle = 0.5;
        EXPECT_EQ(rows(false), FilterRows::own);
        EXPECT_EQ(rows(true), FilterRows::upright);
        m_spec.engine = Engine::cpu;
        EXPECT_EQ(rows(true), FilterRows::own);
        m_spec.engine = Engine::automatic;
        m_spec.cpuKernel = kReferenceKernel;
        EXPECT_EQ(rows(true), FilterRows::own);
        m_spec.cpuKernel = kUsualCpuKernel;
        *angle = 0;
    }
}

TEST_F(FilterRowsTest, AreThoseThatAreAskedFor) {
    m_spec.scan.geometry = test::smallScan(45, 90, 83, 410).geometry;
    detector().rollDeg = 1;
    for (const FilterRows asked : {FilterRows::own, FilterRows::upright, FilterRows::rtk})
        for (const bool hasGpu : {false, true}) {
            m_spec.rows = asked;
            EXPECT_EQ(rows(hasGpu), asked);
        }
}

}  // namespace
}  // namespace gantry
