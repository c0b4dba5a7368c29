#include "app/cli/over_field.h"

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "tests/support/expect_error.h"

namespace gantry {
namespace {

std::vector<std::string> wordsIn(const std::string& text) {
    return overWords(text, "cutoff=0.5,0.8").values;
}

TEST(OverWords, AreAListOrARange) {
    EXPECT_EQ(overWords("ring-width=5,11,21", "").field, "ring-width");
    EXPECT_EQ(wordsIn("ring-width=5,11,21"), (std::vector<std::string>{"5", "11", "21"}));
    EXPECT_EQ(wordsIn("cutoff=0.2..1/5"),
              (std::vector<std::string>{"0.2", "0.4", "0.6", "0.8", "1"}));
    EXPECT_EQ(wordsIn("x=-0.3..0.3/7"),
              (std::vector<std::string>{"-0.3", "-0.2", "-0.1", "0", "0.1", "0.2", "0.3"}));
    EXPECT_EQ(wordsIn("x=2..-2/2"), (std::vector<std::string>{"2", "-2"}));
}

TEST(OverWords, RefuseWhatIsNeither) {
    EXPECT_ERROR((void)wordsIn("cutoff"), InputError, "such as cutoff=0.5,0.8");
    EXPECT_ERROR((void)wordsIn("=1,2"), InputError, "--over is '=1,2'");
    EXPECT_ERROR((void)wordsIn("cutoff="), InputError, "--over is 'cutoff='");
    EXPECT_ERROR((void)wordsIn("x=0..1/1"), InputError, "2 to 1000");
    EXPECT_ERROR((void)wordsIn("x=0..b/4"), InputError, "'b'");
}

TEST(OverField, IsAnyOfTheTables) {
    JobSpec job;
    const VariedField width = overField("ring-width", job);
    EXPECT_EQ(width.path, "prep.ringWidthPx");
    EXPECT_EQ(width.unit, "px");
    EXPECT_FALSE(width.isScored());
    EXPECT_FALSE(width.hasEffect(job)) << "no rings are removed";
    width.assign(job, variedValue(width.option, "w", "11"));
    EXPECT_EQ(job.corrections.rings.widthPx, 11);
    job.corrections.rings.method = RingMethod::sorting;
    EXPECT_TRUE(width.hasEffect(job));

    const VariedField window = overField("filter.window", job);
    window.assign(job, variedValue(window.option, "w", "hann"));
    EXPECT_EQ(job.filter.window, FilterWindow::hann);
    const VariedField mirrored = overField("detector.mirrored", job);
    mirrored.assign(job, variedValue(mirrored.option, "m", "true"));
    EXPECT_TRUE(job.scan.projections.isMirrored);
}

TEST(OverField, IsOneNumberOfAFieldOfSeveral) {
    JobSpec job;
    job.scan.geometry.detector.offsetMm = {1, 2};
    for (const char* name : {"detector.offsetMm[1]", "scan.detector.offsetMm[1]"}) {
        const VariedField offset = overField(name, job);
        EXPECT_EQ(offset.label, "Detector offset v");
        EXPECT_EQ(offset.unit, "mm");
        EXPECT_TRUE(offset.isScored());
        offset.assign(job, variedValue(offset.option, "o", "-0.5"));
        EXPECT_EQ(job.scan.geometry.detector.offsetMm, (std::array<double, 2>{1, -0.5}));
    }
}

TEST(OverField, IsNamedAsFormsDoToo) {
    JobSpec job;
    job.scan.geometry.cone().sourceToIsocenterMm = 500;
    job.scan.geometry.cone().sourceToDetectorMm = 800;
    Detector& detector = job.scan.geometry.detector;
    detector = {.columns = 101, .rows = 5, .pitchMm = {0.5, 0.5}};
    const VariedField column = overField("detector.axisColumn", job);
    EXPECT_TRUE(column.isScored());
    column.assign(job, 52.0);
    EXPECT_DOUBLE_EQ(detector.offsetMm[0], -1);
}

TEST(OverField, OfAnotherTrajectoryIsUnknown) {
    JobSpec job;
    job.scan.geometry.trajectory.emplace<ParallelBeam>();
    EXPECT_ERROR((void)overField("trajectory.sourceToIsocenterMm", job), InputError, "no field");
    EXPECT_EQ(overField("trajectory.startDeg", job).unit, "°");
}

TEST(OverField, UnknownNamesGetWhatIsNear) {
    EXPECT_ERROR((void)overField("rings.width", {}), InputError, "prep.ringWidthPx");
    EXPECT_ERROR((void)overField("detector.offsetMm", {}), InputError, "detector.offsetMm[0]");
    EXPECT_ERROR((void)overField("xyz", {}), InputError, "such as prep.ringWidthPx");
    EXPECT_ERROR((void)overField("phase", {}), InputError, "prep.phaseEnergyKeV");
}

TEST(OverField, ValuesAreWithinTheFieldsLimits) {
    const JobSpec job;
    const auto value = [&](const char* name, const char* word) {
        return variedValue(overField(name, job).option, name, word);
    };
    EXPECT_ERROR((void)value("cutoff", "2"), InputError, "cutoff is 2; it must be 0.05 to 1.");
    EXPECT_ERROR((void)value("ring-width", "2"), InputError, "ring-width is 2");
    EXPECT_ERROR((void)value("window", "han"), InputError, "it must be one of");
    EXPECT_ERROR((void)value("detector.mirrored", "yes"), InputError, "true, false");
    EXPECT_EQ(std::get<double>(value("zingers", "0")), 0) << "none, as is usual";
}

}  // namespace
}  // namespace gantry
