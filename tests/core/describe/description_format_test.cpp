#include "core/describe/description_format.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "core/base/text.h"

#include "tests/core/describe/described.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

namespace gantry {
namespace {

namespace fs = std::filesystem;

TEST(DescriptionFormat, WordsDifferAndEndingsAreInLowerCase) {
    std::set<std::string_view> words;
    for (const DescriptionFormat& format : descriptionFormats()) {
        EXPECT_TRUE(words.insert(format.word).second) << format.word;
        EXPECT_FALSE(format.extensions.empty()) << format.word;
        for (const std::string_view ending : format.extensions)
            EXPECT_TRUE(ending.starts_with('.') && ending == inLowerCase(ending)) << ending;
    }
}

TEST(DescriptionFormat, FilesAreKnownByNameAndContent) {
    const test::TemporaryFolder folder;
    writeFileAtomically(folder / "a.log", "12:00 the program has started\n");
    writeFileAtomically(folder / "a.TXT", "1 2 3");
    EXPECT_EQ(scanFormatOf(folder / "a.log"), nullptr);
    EXPECT_EQ(scanFormatOf(folder / "missing.xtekct"), nullptr);
    EXPECT_EQ(scanFormatOf(folder.path()), nullptr);
    fs::create_directory(folder / "b.pca");
    EXPECT_EQ(scanFormatOf(folder / "b.pca"), nullptr);
    EXPECT_EQ(geometryFormatAt(folder / "a.TXT").word, "astra");
    for (const char* maker : {"nikon", "skyscan", "ge", "nsi", "tescan", "rigaku"}) {
        const std::optional<fs::path> file = makersFileIn(test::headers(maker));
        ASSERT_TRUE(file) << maker;
        EXPECT_EQ(&geometryFormatAt(*file), scanFormatOf(*file));
    }
    EXPECT_FALSE(makersFileIn(folder.path()));
}

TEST(DescriptionFormat, TwoDescriptionsAsk) {
    const test::TemporaryFolder folder;
    for (const char* name : {"a.xtekct", "a_01.xtekct"})
        writeFileAtomically(folder / name, "[XTekCT]\nName=a\n");
    EXPECT_ERROR((void)makersFileIn(folder.path()), InputError, "a.xtekct and a_01.xtekct");
}

TEST(DescriptionFormat, OnlyQuestionsOfTheFileAreAnswered) {
    const fs::path file = *makersFileIn(test::headers("ge"));
    EXPECT_ERROR((void)readScanDescription(file, {{"turn", "left"}}), InputError,
                 "there is no question turn");
    EXPECT_ERROR((void)readScanDescription(file, {{"firstRow", "left"}}), InputError,
                 "it must be top or bottom");
}

// A hostile file repeats a key as often as its size allows.
TEST(DescriptionFormat, AKeyThatIsRepeatedWithoutEndIsToldOnce) {
    constexpr int kRepeats = 90'000;
    std::string text =
        "[XTekCT]\nSrcToDetector=800\nDetectorPixelsX=64\nDetectorPixelsY=48\n"
        "DetectorPixelSizeX=1\nDetectorPixelSizeY=1\nProjections=10\n"
        "WhiteLevel=60000\nName=a\n";
    for (int i = 0; i < kRepeats; ++i)
        text += fmt::format("SrcToObject={}\n", 400 + i);
    const test::TemporaryFolder folder;
    writeFileAtomically(folder / "a.xtekct", text);
    const ScanDescription description = readScanDescription(folder / "a.xtekct");
    EXPECT_EQ(description.scan.geometry.cone().sourceToIsocenterMm, 400);
    const std::string warnings = test::problemsOf(description, Problem::Severity::warning);
    EXPECT_NE(warnings.find("a.xtekct:10 [XTekCT] SrcToObject is 400 there and 401 in line 11; "
                            "the first is taken."),
              std::string::npos);
    EXPECT_EQ(warnings.find("line 12"), std::string::npos);
}

}  // namespace
}  // namespace gantry
