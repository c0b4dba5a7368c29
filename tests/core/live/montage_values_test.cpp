#include "core/live/montage_values.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/live/montage_sheet.h"
#include "tests/support/expect_error.h"
#include "tests/support/small_scan.h"

namespace gantry {
namespace {

class MontageValuesTest : public testing::Test {
  protected:
    MontageValuesTest() {
        m_job.scan.geometry = test::smallScan(60, 151, 60, 300).geometry;
        m_job.volume = {{40, 30, 20}, {1, 2, 3}, {5, 0, -1}};
        m_job.corrections.rings.method = RingMethod::sorting;
    }
    [[nodiscard]] MontageValues values(const std::string& path,
                                       const std::vector<std::string>& words) const {
        const std::vector<VariedField> fields = variedFields(m_job);
        return montageValues(*std::ranges::find(fields, path, &VariedField::path), words, m_job,
                             "The field");
    }

    JobSpec m_job;
};

TEST_F(MontageValuesTest, AreJobsThatDifferInTheFieldAlone) {
    const MontageValues made = values("prep.ringWidthPx", {"5", "11"});
    ASSERT_EQ(made.jobs.size(), 2U);
    EXPECT_EQ(made.jobs[1].corrections.rings.widthPx, 11);
    EXPECT_EQ(made.values[0], FieldValue(Index{5}));
    JobSpec back = made.jobs[1];
    back.corrections.rings.widthPx = m_job.corrections.rings.widthPx;
    EXPECT_TRUE(haveSameSlices(back, m_job));
}

TEST_F(MontageValuesTest, NameWhatIsWrong) {
    const std::vector<std::string> many(kMaxMontageValues + 1, "1");
    EXPECT_ERROR((void)values("filter.cutoff", many), InputError, "The field: a montage shows 2");
    EXPECT_ERROR((void)values("filter.cutoff", {"0.5"}), InputError, "there is one");
    EXPECT_ERROR((void)values("filter.cutoff", {"0.5", "x"}), InputError, "The field is 'x'");
    EXPECT_ERROR((void)values("filter.cutoff", {"0.5", "1.5"}), InputError, "0.05 to 1");
    EXPECT_ERROR((void)values("filter.cutoff", {"0.5", "0.50"}), InputError, "twice");
    EXPECT_ERROR((void)values("prep.ringWidthPx", {"5", "6"}), InputError, "odd");
    EXPECT_ERROR((void)values("output.type", {"uint8", "uint16"}), InputError, "does not depend");
    m_job.corrections.rings.method = RingMethod::none;
    EXPECT_ERROR((void)values("prep.ringWidthPx", {"5", "7"}), InputError, "no effect");
}

TEST_F(MontageValuesTest, SliceLiesWhereItIsAsked) {
    const MontageSlice middle = montageSlice(m_job.volume, 0, std::nullopt, "The place");
    EXPECT_EQ(middle.atMm, -1);
    EXPECT_EQ(middle.plane.columns, 40);
    EXPECT_EQ(middle.plane.rows, 30);
    EXPECT_DOUBLE_EQ(pixelAspect(middle.plane), 2);
    const MontageSlice sagittal = montageSlice(m_job.volume, 2, 20, "The place", 10);
    EXPECT_DOUBLE_EQ(sagittal.plane.originMm.x, 20);
    EXPECT_LE(std::max(sagittal.plane.columns, sagittal.plane.rows), 10);
    EXPECT_EQ(sliceText(sagittal, 2),
              "sagittal slice at x = 20 mm, from detector pixels averaged 2 × 2 for memory");
    EXPECT_ERROR((void)montageSlice(m_job.volume, 2, 26, "The place"), InputError,
                 "The place is 26 mm; the volume is at x = -15 to 25 mm.");
}

TEST_F(MontageValuesTest, OnlyTheAlignmentIsScored) {
    const std::vector<std::optional<double>> sharpness = {1, 2};
    EXPECT_EQ(scoresOf(values("detector.rollDeg", {"0", "1"}).field, sharpness).best, 1U);
    EXPECT_FALSE(scoresOf(values("filter.cutoff", {"0.5", "1"}).field, sharpness).shares[0]);
}

TEST_F(MontageValuesTest, SheetHasTheirUnitsAndScores) {
    const MontageValues made = values("detector.rollDeg", {"0", "1.5"});
    const MontageSlice slice = montageSlice(m_job.volume, 0, std::nullopt, "The place");
    const std::vector<float> pixels(1200, 0.5F);
    const MontageSheet sheet =
        montageSheet(made, slice, {{pixels, pixels}, 1, scoresOf({1.0, 2.0})}, "walnut", 300);
    EXPECT_EQ(sheet.title, "Roll (detector.rollDeg)");
    EXPECT_EQ(sheet.subtitle, "walnut: axial slice at z = -1 mm");
    EXPECT_EQ(sheet.pictures[1].value, "1.5°");
    EXPECT_EQ(sheet.pictures[1].note, "sharpness 1.000, the sharpest");
    EXPECT_EQ(sheet.pictures[0].note, "sharpness 0.500");
    EXPECT_TRUE(sheet.pictures[1].isBest);
    EXPECT_EQ(sheet.columns * sheet.rows, 1200);
}

}  // namespace
}  // namespace gantry
