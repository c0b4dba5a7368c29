#include "core/plan/filter_rows.h"

#include <gtest/gtest.h>

#include "core/io/memory_source.h"
#include "core/scan/open_scan.h"
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

// Rolled rows give the right levels where opposite views share all rays evenly.
TEST_F(FilterRowsTest, OfARolledDetectorAreUprightWhereViewsDoNotShareEvenly) {
    m_spec.scan.geometry = test::smallScan(45, 90, 83, 410).geometry;
    const ScanGeometry circle = m_spec.scan.geometry;
    for (const bool isOffset : {true, false}) {
        m_spec.scan.geometry = circle;
        if (isOffset)
            detector().offsetMm[0] = 90;
        else
            cone().arcDeg = 230;
        detector().tiltDeg = 3;
        EXPECT_EQ(rows(false), FilterRows::own);
        detector().rollDeg = 0.1;
        EXPECT_EQ(rows(false), FilterRows::own);
        detector().rollDeg = -1.5;
        EXPECT_EQ(rows(false), FilterRows::upright);
    }
    m_spec.scan.geometry.trajectory = ParallelBeam{GantryAngles(circle.cone())};
    m_spec.scan.geometry.angles().arcDeg = 180;
    m_spec.scan.geometry.detector.tiltDeg = 0;
    EXPECT_EQ(rows(false), FilterRows::upright);
    Machine machine;
    machine.cpu = test::backends().cpu.info;
    EXPECT_EQ(usualRows(m_spec, machine).reason.substr(0, 62),
              "Upright rows were chosen: the detector is rolled by -1.5°, an");
    // What cannot be opened is told by opening it.
    m_spec.scan.geometry.angles().arcDeg = 3;
    EXPECT_EQ(rows(false), FilterRows::own);
}

std::string noteOf(ScanGeometry geometry, double rollDeg) {
    geometry.detector.rollDeg = rollDeg;
    const HostBuffer<float> pixels(geometry.views() * geometry.detector.rows *
                                   geometry.detector.columns);
    return rowsNote(openScan(geometry, std::make_shared<MemorySource>(Span3<const float>(
                                           pixels.data(), geometry.views(), geometry.detector.rows,
                                           geometry.detector.columns))),
                    EngineKind::cpu);
}

TEST_F(FilterRowsTest, SayWhatRolledOnesLose) {
    ScanGeometry geometry = test::smallScan(45, 40, 8, 410).geometry;
    const std::string harm =
        "These rows are rolled by 1.5°, and opposite views do not share all rays";
    EXPECT_EQ(noteOf(geometry, 1.5).find(harm), std::string::npos);
    geometry.detector.offsetMm[0] = 90;
    EXPECT_NE(noteOf(geometry, 1.5).find(harm), std::string::npos) << noteOf(geometry, 1.5);
    EXPECT_EQ(noteOf(geometry, 0.1).find("These rows are rolled"), std::string::npos);
    geometry.trajectory = ParallelBeam{GantryAngles(geometry.cone())};
    EXPECT_NE(noteOf(geometry, 1.5).find(harm), std::string::npos) << noteOf(geometry, 1.5);
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
