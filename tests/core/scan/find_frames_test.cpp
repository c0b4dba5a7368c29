#include "core/scan/guess/find_frames.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/scan/guess/guess_scan.h"
#include "core/scan/inspect/inspect_scan.h"
#include "core/scan/open_scan.h"
#include "tests/support/expect_error.h"
#include "tests/support/level_frames.h"
#include "tests/support/temporary_folder.h"

namespace gantry {
namespace {

namespace fs = std::filesystem;
using test::TemporaryFolder;
using test::writeTiffFrames;

std::vector<double> frames(std::size_t count, double level) {
    return std::vector<double>(count, level);
}

GuessedScan bareScanAt(const fs::path& path) {
    Inspection bare;
    bare.path = path;
    return guessScan(bare);
}

const GuessedScan::Guess& guessAt(const GuessedScan& guess, const std::string& field) {
    const auto found = std::ranges::find(guess.guesses, field, &GuessedScan::Guess::field);
    if (found == guess.guesses.end()) throw std::runtime_error("no guess of " + field);
    return *found;
}

// A guess that is doubted with this in its reason.
void expectDoubt(const GuessedScan& guess, const std::string& field, const std::string& part) {
    const GuessedScan::Guess& one = guessAt(guess, field);
    EXPECT_TRUE(one.isUnsure) << one.reason;
    EXPECT_NE(one.reason.find(part), std::string::npos) << one.reason;
}

// Only the scan's own frames are taken, and the neighbours say nothing against them.
TEST(FindFrames, OtherScansBesideOneGiveItNoFramesWhereItHasItsOwn) {
    for (const char* other : {"mouse_offset_scan", "white_mouse", "dark_chocolate", "flatfish",
                              "x_dark_y", "open_beam_test", "mouse_post"}) {
        const TemporaryFolder folder;
        writeTiffFrames(folder / "mouse", "p", frames(9, 4000));
        writeTiffFrames(folder / "mouse", "flat", frames(3, 9000));
        writeTiffFrames(folder / "mouse", "dark", frames(2, 100));
        writeTiffFrames(folder / other, "p", frames(6, 3000));
        const FoundFrames found = findFrames(folder / "mouse");
        EXPECT_EQ(found.folder, folder / "mouse") << other;
        EXPECT_EQ(found.dark.value().pattern, "dark_*.tif") << other;
        EXPECT_EQ(found.flat.value().pattern, "flat_*.tif") << other;
        EXPECT_FALSE(found.darkAfter || found.flatAfter) << other;
        EXPECT_FALSE(found.flat->isUnsure || found.dark->isUnsure);
        EXPECT_TRUE(std::ranges::none_of(found.unused, &UnusedFrames::isDoubt)) << other;
    }
}

TEST(FindFrames, OtherScansBesideOneWithoutFramesAreNamedAndNotTaken) {
    for (const char* other : {"mouse_offset_scan", "dark_chocolate", "flatfish", "x_dark_y"}) {
        const TemporaryFolder folder;
        writeTiffFrames(folder / "mouse", "p", frames(9, 4000));
        writeTiffFrames(folder / other, "p", frames(6, 3000));
        const GuessedScan guess = bareScanAt(folder / "mouse");
        EXPECT_TRUE(guess.scan.projections.dark.empty()) << other;
        EXPECT_TRUE(guess.scan.projections.flat.empty()) << other;
        const bool isFlat = std::string(other) == "flatfish";
        expectDoubt(guess, isFlat ? "projections.flatValue" : "projections.dark", other);
    }
}

TEST(FindFrames, FramesBesideAScanAreTakenButUnsure) {
    for (const char* name : {"flat_before", "white", "I0", "OpenBeam_80kV", "mouse_flat", "ref",
                             "air", "bright-fields 2", "gain"}) {
        const TemporaryFolder folder;
        writeTiffFrames(folder / "mouse", "p", frames(9, 4000));
        writeTiffFrames(folder / name, "p", frames(3, 9000));
        writeTiffFrames(folder / "black", "p", frames(3, 90));
        const GuessedScan guess = bareScanAt(folder / "mouse");
        EXPECT_EQ(guess.scan.projections.flat, std::string(name) + "/p_*.tif");
        EXPECT_EQ(guess.scan.projections.dark, "black/p_*.tif");
        expectDoubt(guess, "projections.flat", name);
        expectDoubt(guess, "projections.dark", "black, which is outside the folder mouse");
        EXPECT_NO_THROW((void)openScan(guess.scan));
    }
}

// By the name alone these may be frames; what is there says otherwise.
TEST(FindFrames, AScanBesideAnotherIsNoneOfItsFramesWhateverItIsCalled) {
    const auto whyNot = [](const char* name, std::size_t count, const char* stem, bool described,
                           const char* why) {
        const TemporaryFolder folder;
        writeTiffFrames(folder / "mouse", "p", frames(9, 4000));
        writeTiffFrames(folder / name, stem, frames(count, 9000));
        if (described) std::ofstream(folder / name / "scan.json") << "{}";
        const GuessedScan guess = bareScanAt(folder / "mouse");
        EXPECT_TRUE(guess.scan.projections.flat.empty()) << why;
        expectDoubt(guess, "projections.flatValue", why);
    };
    whyNot("white", 9, "p", false, "as many as a scan has");
    whyNot("white_mouse", 12, "p", false, "as many as a scan has");
    whyNot("white", 5, "angle", false, "state angles");
    whyNot("white", 5, "p", true, "a description");
}

TEST(FindFrames, ANumberedNeighbourOfAnotherScanIsNoneOfThisOnes) {
    const TemporaryFolder folder;
    writeTiffFrames(folder / "rock_02", "p", frames(9, 4000));
    writeTiffFrames(folder / "black_rock_01", "p", frames(3, 90));
    EXPECT_FALSE(findFrames(folder / "rock_02").dark);
    writeTiffFrames(folder / "black_rock_02", "p", frames(3, 90));
    EXPECT_EQ(findFrames(folder / "rock_02").dark.value().pattern, "black_rock_02/p_*.tif");
}

TEST(FindFrames, FramesOfAnotherSizeOrTypeBesideAScanAreNotTaken) {
    const TemporaryFolder folder;
    writeTiffFrames(folder / "mouse", "p", frames(9, 4000));
    fs::create_directories(folder / "white");
    TiffPage page;
    page.columns = 12;
    page.rows = 9;
    page.type = PixelType::float32;
    TiffWriter writer(folder / "white/f.tif", TiffWriter::Mode::classic);
    const std::vector<float> pixels(12 * 9, 9000.0F);
    writer.write(page, std::as_bytes(std::span(pixels)));
    writer.close();
    const GuessedScan guess = bareScanAt(folder / "mouse");
    EXPECT_TRUE(guess.scan.projections.flat.empty());
    expectDoubt(guess, "projections.flatValue", "float32");
}

TEST(FindFrames, AScanOfWhiteThingsIsNotItsOwnFlatField) {
    const TemporaryFolder folder;
    writeTiffFrames(folder / "white_mouse", "white_mouse", frames(9, 4000));
    writeTiffFrames(folder / "white_mouse", "flat", frames(3, 9000));
    const FoundFrames found = findFrames(folder / "white_mouse");
    EXPECT_EQ(found.projections.pattern, "white_mouse_*.tif");
    EXPECT_EQ(found.projections.views, 9);
    EXPECT_EQ(found.flat.value().pattern, "flat_*.tif");

    // One of two scans in a folder is taken, and the other is not its field.
    writeTiffFrames(folder / "two/mouse", "p", frames(9, 4000));
    writeTiffFrames(folder / "two/white_mouse", "p", frames(6, 3000));
    writeTiffFrames(folder / "two/flatfish", "p", frames(6, 3000));
    const FoundFrames two = findFrames(folder / "two");
    EXPECT_EQ(two.projections.pattern, "mouse/p_*.tif");
    EXPECT_TRUE(!two.flat || two.flat->isUnsure);
    EXPECT_TRUE(std::ranges::any_of(two.unused, [](const UnusedFrames& unused) {
        return unused.clause.find("flatfish") != std::string::npos;
    }));
}

TEST(FindFrames, FramesInTheFolderOfAnotherScanAreItsOwn) {
    const TemporaryFolder folder;
    writeTiffFrames(folder / "mouse", "p", frames(9, 4000));
    writeTiffFrames(folder / "rat", "p", frames(9, 3000));
    for (const char* scan : {"mouse", "rat"})
        writeTiffFrames(folder / scan, "dark", frames(2, 100));
    const FoundFrames two = findFrames(folder.path());
    EXPECT_EQ(two.projections.pattern, "mouse/p_*.tif");
    EXPECT_EQ(two.dark.value().pattern, "mouse/dark_*.tif");
    EXPECT_FALSE(two.darkAfter);
    expectDoubt(bareScanAt(folder.path()), "projections.files", "The folder rat holds 9 images");

    // A folder of nothing but frames is the scan's.
    for (const char* kind : {"dark", "flat"})
        writeTiffFrames(folder / "one/fields", kind, frames(2, kind[0] == 'd' ? 100 : 9000));
    writeTiffFrames(folder / "one/views", "p", frames(9, 4000));
    const FoundFrames one = findFrames(folder / "one");
    EXPECT_EQ(one.dark.value().pattern, "fields/dark_*.tif");
    EXPECT_EQ(one.flat.value().pattern, "fields/flat_*.tif");
}

TEST(FindFrames, AnHdf5FileOfAnotherScanGivesNoDarkFrames) {
    const TemporaryFolder folder;
    {
        test::Hdf5Writer file(folder / "scan.nxs");
        test::writeNxFrames(file, {5000, 5000, 5000}, {0, 0, 0});
    }
    {
        test::Hdf5Writer file(folder / "offset1000.nxs");
        test::writeNxFrames(file, {100, 9000, 4000, 4000, 4000}, {2, 1, 0, 0, 0});
    }
    const GuessedScan guess = bareScanAt(folder / "scan.nxs");
    EXPECT_TRUE(guess.scan.projections.dark.empty());
    expectDoubt(guess, "projections.dark", "offset1000.nxs");
}

TEST(FindFrames, TwoSeriesOrStacksInOneFolderAreAQuestion) {
    const TemporaryFolder folder;
    writeTiffFrames(folder / "series", "a", frames(7, 4000));
    writeTiffFrames(folder / "series", "b", frames(7, 3000));
    EXPECT_ERROR((void)findFrames(folder / "series"), InputError, "holds two series of images");
    EXPECT_EQ(findFrames(folder / "series/b_002.tif").projections.pattern, "b_*.tif");

    const auto writeStack = [](const fs::path& path) {
        fs::create_directories(path.parent_path());
        TiffPage page;
        page.columns = test::kFrameColumns;
        page.rows = test::kFrameRows;
        TiffWriter writer(path, TiffWriter::Mode::classic);
        const std::vector<std::uint16_t> pixels = test::pixelsOf({4000});
        for (int i = 0; i < 7; ++i)
            writer.write(page, std::as_bytes(std::span(pixels)));
        writer.close();
    };
    for (const char* name : {"a.tif", "b.tif"})
        writeStack(folder / "stacks" / name);
    EXPECT_ERROR((void)findFrames(folder / "stacks"), InputError, "stacks of images, from a.tif");
    // The same as a reconstruction says.
    const Inspection inspection = inspectPath(folder / "stacks", {1, false, {}});
    ASSERT_FALSE(inspection.problems.empty());
    EXPECT_NE(inspection.problems[0].message.find("stacks of images"), std::string::npos);
    EXPECT_EQ(findFrames(folder / "stacks/b.tif").projections.views, 7);

    // A scan may be in several files that are numbered.
    for (const char* name : {"part_1.tif", "part_2.tif"})
        writeStack(folder / "parts" / name);
    const GuessedScan parts = bareScanAt(folder / "parts");
    EXPECT_EQ(parts.scan.geometry.views(), 14);
    expectDoubt(parts, "projections.files", "taken for parts of one scan");
}

TEST(FindFrames, WhatIsUnlikeTheViewsIsLeftOutAndNamed) {
    const TemporaryFolder folder;
    writeTiffFrames(folder / "proj", "p", frames(9, 4000));
    writeTiffFrames(folder / "proj", "thumb", frames(1, 4000));
    std::ofstream volume(folder / "proj/vol.mha", std::ios::binary);
    volume << "ObjectType = Image\nNDims = 3\nBinaryData = True\nDimSize = 2 2 2\n"
              "ElementSpacing = 1 1 1\nElementType = MET_UCHAR\nElementDataFile = LOCAL\n12345678";
    volume.close();
    std::ofstream(folder / "proj/vol.mha.provenance.json") << "{}";
    fs::create_directories(folder / "proj/vol.mha.job");
    std::ofstream(folder / "proj/vol.mha.job/job.json") << "{}";
    const GuessedScan guess = bareScanAt(folder / "proj");
    EXPECT_EQ(guess.scan.geometry.views(), 9);
    const std::string reason = guessAt(guess, "projections.files").reason;
    EXPECT_NE(reason.find("vol.mha is left out: it is a volume"), std::string::npos) << reason;
    EXPECT_NE(reason.find("thumb_000.tif is left out"), std::string::npos) << reason;
    // A volume beside a single stack is not the scan, nor is one of the views' format.
    fs::create_directories(folder / "one");
    fs::copy_file(folder / "proj/vol.mha", folder / "one/a.mha");
    fs::copy_file(folder / "proj/p_000.tif", folder / "one/b.tif");
    EXPECT_EQ(findFrames(folder / "one").projections.pattern, "b.tif");
    fs::copy_file(folder / "proj/vol.mha", folder / "one/c.mha");
    std::ofstream(folder / "one/a.mha.provenance.json") << "{}";
    fs::remove(folder / "one/b.tif");
    EXPECT_EQ(findFrames(folder / "one").projections.pattern, "c.mha");
    const Inspection inspection = inspectPath(folder / "proj", {1, false, {}});
    ASSERT_EQ(inspection.series.size(), 1U);
    EXPECT_EQ(inspection.series[0].info.views, 9);
    EXPECT_TRUE(inspection.problems.empty());
}

// Fields are averages at times, or signed where the views are not.
TEST(FindFrames, FieldsOfAnotherTypeInTheScansOwnFolderAreInspectedAsWhatTheyAre) {
    const TemporaryFolder folder;
    TiffPage page;
    page.columns = 12;
    page.rows = 9;
    page.type = PixelType::int16;
    for (int i = 0; i < 9; ++i) {
        TiffWriter writer(folder / ("p_10" + std::to_string(i) + ".tif"),
                          TiffWriter::Mode::classic);
        const std::vector<std::int16_t> pixels(12 * 9, 4000);
        writer.write(page, std::as_bytes(std::span(pixels)));
        writer.close();
    }
    writeTiffFrames(folder.path(), "flat", frames(3, 9000));
    const Inspection inspection = inspectPath(folder.path(), {1, false, {}});
    ASSERT_EQ(inspection.series.size(), 2U);
    EXPECT_EQ(inspection.series[0].info.views, 9);
    EXPECT_EQ(inspection.series[1].info.views, 3);
    EXPECT_TRUE(inspection.problems.empty());
    const GuessedScan guess = bareScanAt(folder.path());
    EXPECT_EQ(guess.scan.projections.flat, "flat_*.tif");
    EXPECT_FALSE(guessAt(guess, "projections.flat").isUnsure);
}

}  // namespace
}  // namespace gantry
