#include "core/engine/problem_class.h"

#include <gtest/gtest.h>

#include <cmath>
#include <optional>
#include <string>

namespace gantry {
namespace {

// An oblique first view, pixels and voxels that are not square, and sizes that are no powers of 2.
class ProblemClassTest : public testing::Test {
  protected:
    ProblemClassTest() {
        m_scan.cone().sourceToIsocenterMm = 500;
        m_scan.cone().sourceToDetectorMm = 1000;
        m_scan.cone().startDeg = 30;
        m_scan.cone().views = 9;
        m_scan.detector.columns = 1600;
        m_scan.detector.rows = 50;
        m_scan.detector.pitchMm = {0.5, 0.8};
        m_job.volume = {{300, 200, 90}, {0.7, 0.9, 0.3}, {0, 0, 0}};
        m_job.maxSlices = 90;
        m_job.batchViews = 20;
        see();
    }
    // Takes over what was changed of the scan.
    void see() {
        const SourceInfo stored;
        const RedundancyPlan redundancy;
        m_acquisition.emplace(Acquisition{stored, ProjectionKind::counts, nullptr,
                                          Rectifier(m_scan), redundancy, alignedViews(m_scan)});
        m_job.acquisition = &*m_acquisition;
    }

    ScanGeometry m_scan;
    std::optional<Acquisition> m_acquisition;
    DeviceJob m_job;
};

// Exponents of the nearest powers of two. A voxel is 0.7 mm wide and 0.3 mm high and magnified
// twice: 2.8 columns of 0.5 mm and 0.75 rows of 0.8 mm. The volume's corners are hypot(105, 90) mm
// from the axis, where rays from the source, 500 mm from it, spread 1 / (1 - 0.277) times as far.
TEST_F(ProblemClassTest, SaysSizesAndTheVoxelsStepOnTheDetector) {
    EXPECT_EQ(
        problemClass(m_job, false),
        "volume 2^(8,8,6) detector 2^(11,6) batch 20 step 2.80x0.75 near 1.40 symmetric exact");
    m_job.maxSlices = 40;
    m_job.maxRows = 13;
    EXPECT_EQ(
        problemClass(m_job, true),
        "volume 2^(8,8,5) detector 2^(11,4) batch 20 step 2.80x0.75 near 1.40 symmetric fast");
    m_job.volume.centerMm[2] = 0.1;
    EXPECT_EQ(
        problemClass(m_job, true),
        "volume 2^(8,8,5) detector 2^(11,4) batch 20 step 2.80x0.75 near 1.40 one-sided fast");
}

// The isocentre is as far from the source in every view.
TEST_F(ProblemClassTest, IsTheSameWhereverTheScanBegins) {
    const std::string at30 = problemClass(m_job, false);
    for (const double degrees : {0.0, 71.0, 90.0, 200.0}) {
        m_scan.cone().startDeg = degrees;
        see();
        EXPECT_EQ(problemClass(m_job, false), at30) << degrees;
    }
}

TEST_F(ProblemClassTest, BatchesOfMoreViewsThanAKernelTakesAtOnceAreAlike) {
    m_job.batchViews = 32;
    const std::string full = problemClass(m_job, false);
    for (const Index more : {33, 40, 500}) {
        m_job.batchViews = more;
        EXPECT_EQ(problemClass(m_job, false), full) << more;
    }
    m_job.batchViews = 31;
    EXPECT_NE(problemClass(m_job, false), full);
}

TEST_F(ProblemClassTest, ANamedKernelIsAClassOfItsOwn) {
    m_job.kernel = "tiles";
    EXPECT_TRUE(problemClass(m_job, true).ends_with(" symmetric tiles"));
}

TEST_F(ProblemClassTest, AVolumeIsSymmetricWhereItsHalvesMirrorEachOtherOnWholeRows) {
    EXPECT_TRUE(isSymmetric(m_job));
    m_job.maxSlices = 7;
    EXPECT_TRUE(isSymmetric(m_job)) << "its slabs can be pairs";
    m_job.volume.centerMm[2] = 0.01;
    EXPECT_FALSE(isSymmetric(m_job));
    m_job.volume.centerMm = {3, -4, 0};
    EXPECT_TRUE(isSymmetric(m_job));
    // A height is as good as the mid-plane's when it is a small part of a voxel, however high.
    for (const double heightMm : {0.01, 10.0}) {
        m_job.volume.pitchMm[2] = heightMm;
        m_job.volume.centerMm[2] = 1e-7 * heightMm;
        EXPECT_TRUE(isSymmetric(m_job)) << heightMm;
        m_job.volume.centerMm[2] = 1e-5 * heightMm;
        EXPECT_FALSE(isSymmetric(m_job)) << heightMm;
    }
    m_job.volume.centerMm[2] = 0;
    // Rows mirror each other about the middle of a row or the edge between two, nowhere else.
    for (const double rows : {0.5, -7.0, 0.25, 3.1}) {
        m_scan.detector.offsetMm[1] = rows * 0.8;
        see();
        EXPECT_EQ(isSymmetric(m_job), 2 * rows == std::round(2 * rows)) << rows;
    }
}

}  // namespace
}  // namespace gantry
