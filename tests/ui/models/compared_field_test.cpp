#include "ui/models/job/compared_field.h"

#include <gtest/gtest.h>

#include <QStringList>
#include <algorithm>
#include <set>

#include "tests/support/small_scan.h"

namespace gantry {
namespace {

class ComparedFieldTest : public testing::Test {
  protected:
    ComparedFieldTest() { m_job.scan.geometry = test::smallScan(60, 151, 60, 300).geometry; }

    [[nodiscard]] VariedField field(const std::string& path) const {
        const std::vector<VariedField> fields = comparedFields(m_job);
        return *std::ranges::find(fields, path, &VariedField::path);
    }

    JobSpec m_job;
};

TEST_F(ComparedFieldTest, AreThoseThatASliceDependsOn) {
    std::set<std::string> paths;
    QStringList names;
    for (const VariedField& each : comparedFields(m_job)) {
        EXPECT_TRUE(paths.insert(each.path).second) << each.path << " is there twice";
        names << nameOf(each);
    }
    for (const char* path : {"prep.rings", "prep.ringWidthPx", "filter.window", "filter.cutoff",
                             "detector.axisColumn", "detector.offsetMm[0]", "detector.rollDeg",
                             "trajectory.sourceToDetectorMm", "detector.pitchMm[1]"})
        EXPECT_TRUE(paths.contains(path)) << path;
    for (const char* path : {"threads", "engine", "output.type", "detector.columns",
                             "trajectory.views", "projections.flatValue"})
        EXPECT_FALSE(paths.contains(path)) << path;
    EXPECT_TRUE(names.contains("Corrections: Ring width (px)")) << names.join('\n').toStdString();
    EXPECT_TRUE(names.contains("Alignment: Roll (°)"));
    EXPECT_EQ(names.removeDuplicates(), 0);
}

TEST_F(ComparedFieldTest, ValuesAreInWords) {
    EXPECT_EQ(valueText(field("prep.ringWidthPx"), Index{11}), "11 px");
    EXPECT_EQ(valueText(field("detector.rollDeg"), -0.25), "-0.25°");
    EXPECT_EQ(valueText(field("filter.window"), std::string("hann")), "Hann");
    EXPECT_TRUE(isSameValue(79.5, 79.5000001));
    EXPECT_FALSE(isSameValue(79.5, 79.501));
    EXPECT_FALSE(isSameValue(std::string("hann"), std::string("cosine")));
}

TEST_F(ComparedFieldTest, RangesAreAboutWhatTheJobHasAndWithinTheLimits) {
    m_job.filter.cutoff = 0.95;
    const ValueRange cutoff = usualRange(field("filter.cutoff"), m_job);
    EXPECT_DOUBLE_EQ(cutoff.from, 0.75);
    EXPECT_DOUBLE_EQ(cutoff.to, 1);
    m_job.corrections.rings.widthPx = 7;
    const VariedField width = field("prep.ringWidthPx");
    EXPECT_EQ(rangeText(width, usualRange(width, m_job)), "3, 5, 7, 9, 11, 13, 15");
    EXPECT_EQ(rangeText(width, {5, 21, 3}), "5, 13, 21");
    EXPECT_EQ(rangeText(field("detector.rollDeg"), {-0.3, 0.3, 4}), "-0.3, -0.1, 0.1, 0.3");
    // What is off begins where a person switches it on.
    EXPECT_GT(usualRange(field("prep.zingerRatio"), m_job).from, 1);
}

}  // namespace
}  // namespace gantry
