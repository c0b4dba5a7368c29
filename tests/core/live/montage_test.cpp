#include "core/live/montage.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>

#include "core/base/error.h"
#include "tests/support/expect_error.h"
#include "tests/support/small_job.h"
#include "tests/support/temporary_folder.h"

namespace gantry {
namespace {

class Montage : public testing::Test {
  protected:
    void SetUp() override {
        SimulationSpec scan = test::smallScan(60, 151, 60, 300);
        scan.phantom.placement.scaleMm = 55;  // the detector sees all of it
        m_job = test::jobOf(test::simulated(scan, m_folder / "scan"), 61, m_folder / "volume.mha");
        m_request.plane = orthogonalPlanes(m_job.volume, {0, 0, middleMm()})[0];
        m_request.place.hostBytes = 1'000'000'000;
        m_request.threads = test::kThreads;
    }

    // A slice that the volume has, too.
    [[nodiscard]] double middleMm() const {
        return m_job.volume.positionMm(0, 0, static_cast<double>(middle())).z;
    }
    [[nodiscard]] Index middle() const { return m_job.volume.voxels[2] / 2; }

    [[nodiscard]] JobSpec withOffset(double mm) const {
        JobSpec job = m_job;
        job.scan.geometry.detector.offsetMm[0] += mm;
        return job;
    }
    [[nodiscard]] JobSpec withRings(Index widthPx) const {
        JobSpec job = m_job;
        job.corrections.rings = {.method = RingMethod::sorting, .widthPx = widthPx};
        return job;
    }
    std::vector<MontagePicture> made(std::vector<JobSpec> jobs, const std::stop_token& stop = {}) {
        m_request.jobs = std::move(jobs);
        return makeMontage(m_request, m_backends, stop);
    }

    const test::TemporaryFolder m_folder;
    const Backends m_backends = test::backends();
    JobSpec m_job;
    MontageRequest m_request;
};

void expectSame(const std::vector<float>& pixels, const Span3<const float>& slice) {
    ASSERT_EQ(std::ssize(pixels), slice.count());
    const float largest = *std::max_element(slice.data(), slice.data() + slice.count());
    for (Index i = 0; i < slice.count(); ++i)
        ASSERT_NEAR(pixels[static_cast<std::size_t>(i)], slice.data()[i], 1e-4F * largest) << i;
}

TEST_F(Montage, MakesTheSliceOfEachJobsVolume) {
    std::vector<JobSpec> jobs = {withRings(5), withRings(21)};
    jobs.back().filter.window = FilterWindow::hann;
    const std::vector<MontagePicture> pictures = made(jobs);
    ASSERT_EQ(pictures.size(), 2U);
    for (std::size_t i = 0; i < jobs.size(); ++i) {
        JobSpec job = jobs[i];
        job.output.path = m_folder / ("volume" + std::to_string(i) + ".mha");
        const Volume volume = test::reconstructed(job);
        expectSame(pictures[i].pixels, volume.span().slices({middle(), middle() + 1}));
        EXPECT_EQ(pictures[i].binning, 1);
    }
    EXPECT_NE(pictures[0].pixels, pictures[1].pixels);
}

TEST_F(Montage, IsSharpestAtTheTrueCentre) {
    const double pitchMm = m_job.scan.geometry.detector.pitchMm[0];
    std::vector<JobSpec> jobs;
    for (const double px : {-3.0, -1.5, 0.0, 1.5, 3.0})
        jobs.push_back(withOffset(px * pitchMm));
    const std::vector<MontagePicture> pictures = made(jobs);
    std::vector<std::optional<double>> sharpness;
    for (const MontagePicture& picture : pictures)
        sharpness.push_back(picture.sharpness);
    EXPECT_EQ(scoresOf(sharpness).best, 2U);
}

// Beyond 5 % of the columns an edge is seen from one side alone.
TEST_F(Montage, SharpnessSaysNothingBehindAnOffsetDetector) {
    const std::vector<MontagePicture> pictures = made({withOffset(0), withOffset(40)});
    EXPECT_TRUE(pictures[0].sharpness.has_value());
    EXPECT_FALSE(pictures[1].sharpness.has_value());
}

TEST_F(Montage, ReportsItsProgressAndEndsWhenItIsCancelled) {
    std::stop_source stop;
    std::atomic<double> done = 0;
    m_request.onProgress = [&](double fraction) {
        done = std::max(done.load(), fraction);
        if (fraction >= 0.5) stop.request_stop();
    };
    EXPECT_THROW((void)made({withRings(5), withRings(9)}, stop.get_token()), Cancelled);
    EXPECT_LT(done, 1);
    m_request.onProgress = [&](double fraction) { done = fraction; };
    (void)made({withOffset(0), withOffset(1)});
    EXPECT_EQ(done, 1);
}

TEST_F(Montage, ViewsAreReadOnceForJobsThatCorrectThemAlike) {
    JobSpec other = withOffset(2);
    other.filter.window = FilterWindow::hann;
    EXPECT_TRUE(haveSameViews(m_job, other));
    EXPECT_FALSE(haveSameSlices(m_job, other));
    EXPECT_FALSE(haveSameViews(m_job, withRings(5)));
    EXPECT_FALSE(haveSameViews(withRings(5), withRings(7)));
    other = m_job;
    other.scan.projections.isMirrored = true;
    EXPECT_FALSE(haveSameViews(m_job, other));
    // What only says where and how fast it is done makes no other slice.
    other = m_job;
    other.threads = 7;
    other.output.type = PixelType::uint8;
    EXPECT_TRUE(haveSameSlices(m_job, other));
}

// The kernel of phase retrieval is as wide as a pixel at the object says.
TEST_F(Montage, PhaseIsRetrievedAnewForAnotherPixelAtTheObject) {
    m_job.corrections.phase = {.energyKeV = 20, .distanceMm = 100, .deltaOverBeta = 500};
    EXPECT_TRUE(haveSameViews(m_job, withOffset(2)));
    JobSpec other = m_job;
    other.scan.geometry.cone().sourceToIsocenterMm += 10;
    EXPECT_FALSE(haveSameViews(m_job, other));
}

TEST_F(Montage, NamesWhatIsWrongWithAGeometry) {
    JobSpec wrong = m_job;
    wrong.scan.geometry.cone().arcDeg = 5;
    EXPECT_ERROR((void)made({m_job, wrong}), InputError, "arc");
}

TEST(MontageScores, AreSharesOfTheSharpest) {
    const MontageScores scores = scoresOf({1.0, 2.0, std::nullopt, 1.5});
    EXPECT_EQ(scores.shares, (std::vector<std::optional<double>>{0.5, 1, std::nullopt, 0.75}));
    EXPECT_EQ(scores.best, 1U);
}

TEST(MontageScores, NoneIsBestWhereAllAreAlike) {
    EXPECT_FALSE(scoresOf({0.999, 1.0, 0.998}).best);
    EXPECT_FALSE(scoresOf({0.0, 0.0}).best) << "empty slices";
}

TEST(MontageScores, AreUnknownWhereNoneIsKnown) {
    EXPECT_FALSE(scoresOf({std::nullopt, std::nullopt}).shares[1]);
    EXPECT_FALSE(scoresOf({std::nullopt, 1.0}).best) << "one alone is not the sharpest";
}

}  // namespace
}  // namespace gantry
