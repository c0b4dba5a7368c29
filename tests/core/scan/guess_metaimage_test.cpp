// Projections in MetaImages, whose header says where the detector is.
#include <gtest/gtest.h>

#include <algorithm>

#include "core/scan/geometry_file.h"
#include "core/scan/guess/guess_scan.h"
#include "tests/core/io/image_files.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

namespace gantry {
namespace {

namespace fs = std::filesystem;
using test::TemporaryFolder;

// A bright square that stays where it is, as an axis that is seen on column 7.
void writeStack(const fs::path& path, const std::string& fields) {
    constexpr Index kColumns = 21;
    constexpr Index kRows = 12;
    constexpr Index kViews = 24;
    std::vector<float> pixels(static_cast<std::size_t>(kColumns * kRows * kViews), 0.1F);
    for (Index i = 0; i < std::ssize(pixels); ++i)
        if (const Index u = i % kColumns; u >= 5 && u <= 9)
            pixels[static_cast<std::size_t>(i)] = 1 + 0.1F * static_cast<float>(u % 2);
    const std::string text = "ObjectType = Image\nNDims = 3\nDimSize = 21 12 24\n" + fields +
                             "ElementType = MET_FLOAT\nElementDataFile = LOCAL\n";
    test::Bytes bytes(text.size());
    std::memcpy(bytes.data(), text.data(), text.size());
    const auto data = std::as_bytes(std::span(pixels));
    bytes.insert(bytes.end(), data.begin(), data.end());
    test::writeBytes(path, bytes);
}

GuessedScan guessOf(const fs::path& path) {
    Inspection bare;
    bare.path = path;
    return guessScan(bare);
}

const GuessedScan::Guess& guessOf(const GuessedScan& scan, const std::string& field) {
    const auto found = std::ranges::find_if(
        scan.guesses, [&](const GuessedScan::Guess& guess) { return guess.field == field; });
    EXPECT_NE(found, scan.guesses.end()) << field;
    return *found;
}

TEST(GuessMetaImage, PixelsFarFromSquareAreDoubted) {
    const TemporaryFolder folder;
    writeStack(folder / "far.mha", "ElementSpacing = 0.0065 6.5 1\n");
    writeStack(folder / "binned.mha", "ElementSpacing = 0.4 1.6 1\n");
    const GuessedScan far = guessOf(folder / "far.mha");
    EXPECT_TRUE(guessOf(far, "detector.pitchMm").isUnsure);
    EXPECT_NE(guessOf(far, "detector.pitchMm").reason.find("0.0065 × 6.5 mm are far from square"),
              std::string::npos);
    const GuessedScan binned = guessOf(folder / "binned.mha");
    EXPECT_FALSE(guessOf(binned, "detector.pitchMm").isUnsure);
}

TEST(GuessMetaImage, TakesPitchPlaceAndRowOrderOfTheHeader) {
    const TemporaryFolder folder;
    writeStack(folder / "Ansichten é.mha", "ElementSpacing = 2 1.5 1\nOffset = -14 -8.25 0\n");
    const GuessedScan guess = guessOf(folder / "Ansichten é.mha");
    const Detector& detector = guess.scan.geometry.detector;
    EXPECT_EQ(detector.pitchMm, (std::array<double, 2>{2, 1.5}));
    EXPECT_EQ(detector.offsetMm, (std::array<double, 2>{6, 0}));
    EXPECT_FALSE(guess.scan.projections.firstRowIsTop);
    for (const char* field : {"detector.pitchMm", "detector.offsetMm[0]", "detector.firstRow"})
        EXPECT_NE(guessOf(guess, field).reason.find("header"), std::string::npos) << field;
    // It has no distance of the source; that makes no parallel beam of it.
    EXPECT_EQ(guess.scan.geometry.cone().sourceToDetectorMm, 1200);
}

TEST(GuessMetaImage, AHeaderWithoutAPlaceSaysNothing) {
    const TemporaryFolder folder;
    writeStack(folder / "p.mha", "ElementSpacing = 1 1 1\nOffset = 0 0 0\n");
    const GuessedScan guess = guessOf(folder / "p.mha");
    EXPECT_EQ(guess.scan.geometry.detector.pitchMm[0], 0.8);
    EXPECT_TRUE(guess.scan.projections.firstRowIsTop);
}

TEST(GuessMetaImage, AMiddleFarOutIsThatOfAProgramThatPlacesNothing) {
    const TemporaryFolder folder;
    writeStack(folder / "p.mha", "ElementSpacing = 0.4 0.4 1\nOffset = 0 0 0\n");
    const GuessedScan guess = guessOf(folder / "p.mha");
    EXPECT_EQ(guess.scan.geometry.detector.pitchMm[0], 0.4);
    EXPECT_EQ(guess.scan.geometry.detector.offsetMm[1], 0);
}

TEST(GuessMetaImage, AContradictionIsSaid) {
    const TemporaryFolder folder;
    writeStack(folder / "p.mha",
               "ElementSpacing = 2 2 1\nTransformMatrix = 1 0 0 0 1 0 0 0 1\n"
               "AnatomicalOrientation = RPI\n");
    const GuessedScan::Guess said = guessOf(guessOf(folder / "p.mha"), "detector.firstRow");
    EXPECT_TRUE(said.isUnsure);
    EXPECT_NE(said.reason.find("contradict"), std::string::npos) << said.reason;
}

TEST(GuessMetaImage, AScanThatSaysOtherwiseIsWarnedOf) {
    const TemporaryFolder folder;
    writeStack(folder / "p.mha", "ElementSpacing = 2 1.5 1\nOffset = -14 -8.25 0\n");
    ScanFile scan = guessOf(folder / "p.mha").scan;
    EXPECT_TRUE(contradictedByImages(scan).empty());
    scan.projections.firstRowIsTop = true;
    scan.geometry.detector.pitchMm = {1, 1.5};
    scan.geometry.detector.offsetMm = {0, 0};
    test::writeText(folder / "scan.json", toJson(scan));
    const Inspection found = inspectPath(folder / "scan.json", {2, false, {}});
    for (const char* said : {"detector.firstRow is top; the projections' file has the bottom row",
                             "detector.pitchMm is 1 × 1.5 mm; the projections' file has 2 × 1.5 mm",
                             "detector.offsetMm is 0, 0 mm; the projections' file has the "
                             "detector's middle at 6, 0 mm"})
        EXPECT_TRUE(std::ranges::any_of(found.problems, [&](const Problem& problem) {
            return problem.severity == Problem::Severity::warning &&
                   (problem.field + " " + problem.message).starts_with(said);
        })) << said;
}

TEST(GuessMetaImage, ABadFileAmongManyHidesNothing) {
    const TemporaryFolder folder;
    fs::create_directory(folder / "proj");
    for (int i = 0; i < 5; ++i)
        writeStack(folder / ("proj/p" + std::to_string(i) + ".mha"), "ElementSpacing = 2 2 1\n");
    test::writeText(folder / "proj/p0.mha", "NDims = 3\n");
    const GuessedScan guess = guessOf(folder / "proj");
    EXPECT_EQ(guess.scan.geometry.detector.pitchMm[0], 2);
}

}  // namespace
}  // namespace gantry
