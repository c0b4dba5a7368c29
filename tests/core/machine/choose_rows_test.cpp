#include "core/machine/choose_rows.h"

#include <gtest/gtest.h>

#include <optional>

#include "core/io/memory_source.h"
#include "core/machine/measure.h"
#include "tests/support/cpu_backends.h"
#include "tests/support/fake_gpus.h"

namespace gantry {
namespace {

// A scan that one thread resamples in a good while, and GPUs that only tell how fast they are.
class ChooseRows : public testing::Test {
  protected:
    void SetUp() override {
        m_geometry.cone().sourceToIsocenterMm = 600;
        m_geometry.cone().sourceToDetectorMm = 1200;
        m_geometry.cone().views = 100;
        m_geometry.detector = {
            .columns = 240, .rows = 240, .pitchMm = {1.6, 1.6}, .tiltDeg = 2, .slantDeg = 1};
        m_backends.gpu = test::fakeGpus(1, 1'000'000'000, m_rates);
    }
    RowsChoice choose() {
        const Detector& detector = m_geometry.detector;
        m_pixels = HostBuffer<float>(m_geometry.views() * detector.rows * detector.columns);
        const OpenScan scan = openScan(
            m_geometry, std::make_shared<MemorySource>(Span3<const float>(
                            m_pixels.data(), m_geometry.views(), detector.rows, detector.columns)));
        m_job.scan = scan.description;
        m_job.volume = fitGrid(m_geometry, 64);
        m_job.threads = 1;
        const Machine machine = machineOf(m_backends);
        m_before = rowsByFacts({}, scan, m_job, machine);
        Facts known;
        const RowsChoice choice = chooseRows(known, scan, m_job, machine, m_backends, {});
        EXPECT_EQ(rowsByFacts(known, scan, m_job, machine).reason, choice.reason);
        return choice;
    }

    ScanGeometry m_geometry;
    HostBuffer<float> m_pixels;
    test::FakeGpuRates m_rates;
    Backends m_backends = test::backends();
    JobSpec m_job;
    RowsChoice m_before;
};

TEST_F(ChooseRows, TakesTheDetectorsOwnWhereResamplingWouldTakeLonger) {
    const RowsChoice choice = choose();
    EXPECT_EQ(choice.rows, FilterRows::own);
    EXPECT_EQ(choice.reason.substr(0, 37), "The detector's own rows were chosen: ");
    EXPECT_EQ(m_rates.tried, 2);
    EXPECT_EQ(m_rates.measured, 0);
    // Nothing is known, so that the rows stay as they were.
    EXPECT_EQ(m_before.rows, FilterRows::upright);
    EXPECT_EQ(m_before.reason, "");
}

TEST_F(ChooseRows, ResamplesWhereTheKernelForAnyPoseWouldTakeLonger) {
    m_rates.posedUpdates = 1e6;
    const RowsChoice choice = choose();
    EXPECT_EQ(choice.rows, FilterRows::upright);
    EXPECT_EQ(choice.reason.substr(0, 26), "Upright rows were chosen: ");
}

TEST_F(ChooseRows, HasNoChoiceWhereOneIsAskedForOrWrongOrTheDetectorIsUpright) {
    m_job.rows = FilterRows::upright;
    EXPECT_EQ(choose().rows, FilterRows::upright);
    m_job.rows.reset();
    m_geometry.detector.rollDeg = 1;
    m_geometry.detector.offsetMm[0] = 90;  // rolled rows would give wrong levels
    EXPECT_EQ(choose().rows, FilterRows::upright);
    m_geometry.detector = {.columns = 240, .rows = 240, .pitchMm = {1.6, 1.6}};
    EXPECT_EQ(choose().rows, FilterRows::own);
    EXPECT_EQ(m_rates.tried, 0);
}

TEST_F(ChooseRows, TriesNothingForAShortRun) {
    m_geometry.cone().views = 40;
    EXPECT_EQ(choose().rows, FilterRows::upright);
    EXPECT_EQ(m_rates.tried, 0);
}

}  // namespace
}  // namespace gantry
