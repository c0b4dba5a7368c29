#include "core/doctor/settle.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/base/file.h"
#include "core/cpu/cpu_backend.h"
#include "core/describe/description_format.h"
#include "core/doctor/answer_groups.h"
#include "tests/core/doctor/stored_scan.h"
#include "tests/support/temporary_folder.h"

namespace gantry {
namespace {

// A scan whose axis is 6 mm off, and how its scanner may describe it.
ScanDescription described(const test::TemporaryFolder& folder, double axisOffsetMm,
                          const Answers& answers = {}) {
    const std::filesystem::path file = folder / "a.xtekct";
    writeFileAtomically(file,
                        "[XTekCT]\nName=a\nSrcToObject=300\nSrcToDetector=550\nDetectorPixelsX=65\n"
                        "DetectorPixelsY=57\nDetectorPixelSizeX=3.1\nDetectorPixelSizeY=3.1\n"
                        "Projections=90\nAngularStep=4\nInitialAngle=30\nWhiteLevel=60000\n"
                        "ObjectOffsetX=" +
                            std::to_string(axisOffsetMm) + "\n");
    return readScanDescription(file, answers);
}

Settlement settled(const ScanDescription& description, const test::StoredScan& scan) {
    const auto preview = makeCpuPlanePreview(2);
    DiagnosisOptions options;
    options.threads = 2;
    return settleQuestions(description, scan.open(description.scan.geometry), *preview, options);
}

const OpenQuestion& questionOf(const ScanDescription& description, const char* name) {
    return *std::ranges::find(description.questions, name, &OpenQuestion::name);
}

TEST(Settle, WhatTheViewsShowIsTakenAndHandednessIsLeft) {
    const test::TemporaryFolder folder;
    const ScanDescription truth =
        described(folder, 6, {{"rotation", "clockwise"}, {"axisOffset", "negated"}});
    const test::StoredScan scan(test::pebbles(), truth.scan.geometry);
    const Settlement found = settled(described(folder, 6), scan);
    EXPECT_EQ(found.description.scan.geometry, truth.scan.geometry);
    EXPECT_EQ(questionOf(found.description, "rotation").how, "found on the views (sure)");
    EXPECT_EQ(questionOf(found.description, "axisOffset").taken, "negated");
    for (const char* flip : {"mirrored", "firstRow"})
        EXPECT_NE(questionOf(found.description, flip).how.find("a mirror image is as sharp"),
                  std::string::npos);
    EXPECT_FALSE(found.fitsBadly);
    // It is written down, and read again.
    const std::vector<std::string>& written = found.description.scan.origin.answers;
    EXPECT_EQ(answersIn(written).at("axisOffset"), "negated");
    const auto read = answeredAs(described(folder, 6).questions, written);
    EXPECT_TRUE(isSettled(*std::ranges::find(read, "rotation", &OpenQuestion::name)));
    EXPECT_EQ(sentenceOf(read[1]),
              "mirrored: yes, as usual: the views cannot tell, a mirror image "
              "is as sharp");
}

TEST(Settle, APersonsAnswerStays) {
    const test::TemporaryFolder folder;
    const ScanDescription truth = described(folder, 6, {{"rotation", "clockwise"}});
    // Who does not take the images as mirrored sees them so.
    const test::StoredScan scan(test::pebbles(), truth.scan.geometry, {.mirrored = true});
    const Settlement found = settled(described(folder, 6, {{"mirrored", "no"}}), scan);
    EXPECT_EQ(questionOf(found.description, "mirrored").how, "as told");
    // In a mirror the views turn the other way.
    EXPECT_EQ(questionOf(found.description, "rotation").taken, "counter-clockwise");
}

TEST(Settle, ARoundPartSettlesNothing) {
    const test::TemporaryFolder folder;
    const ScanDescription description = described(folder, 0);
    const test::StoredScan scan(test::roundPart(), description.scan.geometry);
    const Settlement found = settled(description, scan);
    EXPECT_EQ(found.description.scan.geometry, description.scan.geometry);
    for (const OpenQuestion& question : found.description.questions)
        EXPECT_FALSE(isSettled(question)) << sentenceOf(question);
}

// Four ways to flip and two to turn make two groups; an offset of the axis doubles them.
TEST(Settle, AnswersThatNoViewTellsApartAreOneGroup) {
    const test::TemporaryFolder folder;
    EXPECT_EQ(groupsOfAnswers(described(folder, 0), 0.1).size(), 2U);
    const std::vector<AnswerGroup> groups = groupsOfAnswers(described(folder, 6), 0.1);
    EXPECT_EQ(groups.size(), 4U);
    EXPECT_EQ(groups.front().members.front().changes, 0U);
    for (const AnswerGroup& group : groups)
        EXPECT_EQ(group.members.size(), 4U);
}

}  // namespace
}  // namespace gantry
