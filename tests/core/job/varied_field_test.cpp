#include "core/job/varied_field.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/expect_error.h"

namespace gantry {
namespace {

const VariedField& fieldAt(const std::vector<VariedField>& fields, const std::string& path) {
    return *std::ranges::find(fields, path, &VariedField::path);
}

TEST(VariedFieldTest, HasTheValueThatItAssigns) {
    JobSpec job;
    job.scan.geometry.detector.offsetMm = {1.5, -2};
    const std::vector<VariedField> fields = variedFields(job);
    const VariedField& offset = fieldAt(fields, "detector.offsetMm[1]");
    EXPECT_EQ(std::get<double>(offset.value(job)), -2);
    offset.assign(job, 0.25);
    EXPECT_EQ(std::get<double>(offset.value(job)), 0.25);
    EXPECT_EQ(job.scan.geometry.detector.offsetMm[0], 1.5);
    const VariedField& rings = fieldAt(fields, "prep.rings");
    rings.assign(job, std::string("sorting"));
    EXPECT_EQ(job.corrections.rings.method, RingMethod::sorting);
    EXPECT_EQ(std::get<std::string>(rings.value(job)), "sorting");
    EXPECT_EQ(rings.choices.size(), rings.option.words.size());
}

TEST(VariedFieldTest, WritesUnitsAsAPersonDoes) {
    const std::vector<VariedField> fields = variedFields({});
    EXPECT_EQ(fieldAt(fields, "prep.ringWidthPx").withUnit("11"), "11 px");
    EXPECT_EQ(fieldAt(fields, "detector.rollDeg").withUnit("-0.5"), "-0.5°");
    EXPECT_EQ(fieldAt(fields, "filter.window").withUnit("hann"), "hann");
}

TEST(VariedFieldTest, ASettingGivesWayToWhatWasAskedFor) {
    JobSpec job;
    EXPECT_TRUE(assignIfUsual(job, "filter.window", "hamming"));
    EXPECT_EQ(job.filter.window, FilterWindow::hamming);
    EXPECT_FALSE(assignIfUsual(job, "filter.window", "hann"));
    EXPECT_EQ(job.filter.window, FilterWindow::hamming);
    EXPECT_TRUE(assignIfUsual(job, "filter.cutoff", "0.75"));
    EXPECT_EQ(job.filter.cutoff, 0.75);
    assignWord(job, "filter.window", "hann");
    EXPECT_EQ(job.filter.window, FilterWindow::hann);
    EXPECT_ERROR(assignWord(job, "filter.cutoff", "7"), InputError, "filter.cutoff is 7");
}

TEST(ValueWords, MayHaveBlanks) {
    EXPECT_EQ(valueWords("5, 11 ,21", "Ring width"), (std::vector<std::string>{"5", "11", "21"}));
    EXPECT_EQ(valueWords("0.5", "Cut-off"), std::vector<std::string>{"0.5"});
    EXPECT_EQ(valueWords("1,,2", "Cut-off"), (std::vector<std::string>{"1", "", "2"}));
    EXPECT_EQ(valueWords("3..9/3", "Ring width"), (std::vector<std::string>{"3", "6", "9"}));
    EXPECT_ERROR((void)valueWords("1..2/5000", "Cut-off"), InputError, "Cut-off 1..2/5000");
}

}  // namespace
}  // namespace gantry
