#include "core/scan/guess/guess_scan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "core/io/tiff/tiff_file.h"
#include "core/scan/guess/find_frames.h"
#include "tests/support/expect_error.h"
#include "tests/support/level_frames.h"
#include "tests/support/small_scan.h"
#include "tests/support/temporary_folder.h"

namespace gantry {
namespace {

namespace fs = std::filesystem;
using test::TemporaryFolder;

const InspectOptions kOptions = {2, false, {}};

GuessedScan guessed(const fs::path& path) {
    return guessScan(inspectPath(path, kOptions));
}

bool isGuess(const GuessedScan& guess, const std::string& field) {
    const auto found =
        std::ranges::find_if(guess.guesses, [&](const auto& one) { return one.field == field; });
    return found != guess.guesses.end() && found->reason.ends_with('.');
}

// An image of 12 × 9 pixels about `level`, as so many pages of one file.
template <class Pixel>
void writeImages(const fs::path& path, double level, int pages = 1) {
    fs::create_directories(path.parent_path());
    TiffPage page;
    page.columns = 12;
    page.rows = 9;
    if (std::is_same_v<Pixel, float>) page.type = PixelType::float32;
    TiffWriter writer(path, TiffWriter::Mode::classic);
    for (int i = 0; i < pages; ++i) {
        std::vector<Pixel> pixels(12 * 9);
        for (std::size_t p = 0; p < pixels.size(); ++p)
            pixels[p] = static_cast<Pixel>(level * (1 + 0.001 * static_cast<double>(p % 12)));
        writer.write(page, std::as_bytes(std::span(pixels)));
    }
    writer.close();
}

void writeScan(const fs::path& folder, const std::string& name, double level, int count) {
    for (int i = 0; i < count; ++i)
        writeImages<std::uint16_t>(folder / (name + "_" + std::to_string(100 + i) + ".tif"), level);
}

TEST(GuessScan, TheToothIsOpenedWithoutItsDescription) {
    const TemporaryFolder folder;
    fs::copy(fs::path(GANTRY_SAMPLES) / "tooth", folder / "tooth", fs::copy_options::recursive);
    fs::remove(folder / "tooth/scan.json");
    const GuessedScan guess = guessed(folder / "tooth");
    EXPECT_EQ(guess.scan.name, "tooth");
    EXPECT_EQ(guess.scan.projections.files, "proj/proj_*.tif");
    EXPECT_EQ(guess.scan.projections.dark, "dark/dark_*.tif");
    EXPECT_EQ(guess.scan.projections.flat, "flat/flat_*.tif");
    EXPECT_EQ(guess.scan.projections.kind, ProjectionKind::counts);
    EXPECT_EQ(guess.scan.geometry.views(), 181);
    EXPECT_EQ(guess.scan.geometry.detector.columns, 640);
    EXPECT_EQ(guess.scan.geometry.detector.rows, 2);
    EXPECT_EQ(guess.scan.geometry.angles().arcDeg, 180);
    EXPECT_NEAR(guess.scan.geometry.axisColumn(), 295.88, 0.1);
    for (const char* field : {"trajectory.type", "trajectory.arcDeg", "trajectory.direction",
                              "detector.pitchMm", "detector.offsetMm[0]", "detector.offsetMm[1]",
                              "projections.kind", "projections.dark", "projections.flat"})
        EXPECT_TRUE(isGuess(guess, field)) << field;
    EXPECT_EQ(openScan(guess.scan).source->info().views, 181);

    // The folder of the projections alone and one of the projections give the same.
    for (const char* part : {"tooth/proj", "tooth/proj/", "tooth/proj/proj_007.tif"}) {
        const GuessedScan same = guessed(folder / part);
        EXPECT_EQ(toJson(same.scan), toJson(guess.scan)) << part;
        EXPECT_EQ(same.scan.folder, guess.scan.folder) << part;
        EXPECT_EQ(same.scan.path, guess.scan.folder / "scan.json");
    }
}

TEST(GuessScan, FilesOfOneFolderAreToldApartByTheirNames) {
    const TemporaryFolder folder;
    writeScan(folder.path(), "walnut", 4000, 12);
    writeScan(folder.path(), "walnut_di", 100, 3);
    writeScan(folder.path(), "walnut_io", 9000, 2);
    const GuessedScan guess = guessed(folder.path());
    const OpenScan scan = openScan(guess.scan);
    EXPECT_EQ(scan.source->info().views, 12);
    EXPECT_NEAR(static_cast<double>(scan.calibration->dark[0]), 100, 1);
    EXPECT_NEAR(static_cast<double>(scan.calibration->flat[0]), 9000, 1);
}

TEST(GuessScan, DigitsThatAllNumbersEndWithArePartOfThem) {
    const TemporaryFolder folder;
    for (const char* name : {"a_100.tif", "a_110.tif", "a_120.tif", "a_130.tif"})
        writeImages<std::uint16_t>(folder / "scan" / name, 4000);
    EXPECT_EQ(guessed(folder / "scan").scan.projections.files, "a_*.tif");
}

TEST(GuessScan, WhatIsCalledBackgroundIsToldByItsBrightness) {
    for (const double level : {20.0, 9000.0}) {
        const TemporaryFolder folder;
        writeScan(folder / "scan/radiographs", "a", 4000, 5);
        writeScan(folder / "scan/Background", "b", level, 2);
        const GuessedScan guess = guessed(folder / "scan");
        const std::string& place =
            level > 4000 ? guess.scan.projections.flat : guess.scan.projections.dark;
        EXPECT_EQ(place, "Background/b_*.tif");
        EXPECT_NO_THROW((void)openScan(guess.scan));
    }
}

TEST(GuessScan, FieldsWithSwappedNamesAreSwappedBack) {
    const TemporaryFolder folder;
    writeScan(folder / "proj", "a", 4000, 5);
    writeScan(folder / "offset", "b", 9000, 2);
    writeScan(folder / "gain", "c", 20, 2);
    const GuessedScan guess = guessed(folder.path());
    EXPECT_EQ(guess.scan.projections.dark, "gain/c_*.tif");
    EXPECT_EQ(guess.scan.projections.flat, "offset/b_*.tif");
    EXPECT_NO_THROW((void)openScan(guess.scan));
}

TEST(GuessScan, WithoutFlatFramesTheBrightestPixelsStandForThem) {
    const TemporaryFolder folder;
    writeImages<std::uint16_t>(folder / "stack.tif", 5000, 7);
    writeImages<std::uint16_t>(folder / "dark.tif", 6000, 2);  // even where it is the brighter
    const GuessedScan guess = guessed(folder / "stack.tif");
    EXPECT_EQ(guess.scan.name, "stack");
    EXPECT_EQ(guess.scan.projections.files, "stack.tif");
    EXPECT_EQ(guess.scan.projections.dark, "dark.tif");
    EXPECT_TRUE(isGuess(guess, "projections.flatValue"));
    EXPECT_EQ(openScan(guess.scan).source->info().views, 7);
    fs::remove(folder / "dark.tif");
    const GuessedScan alone = guessed(folder / "stack.tif");
    EXPECT_NEAR(*alone.scan.projections.flatValue, 5000 * 1.011, 1);
    EXPECT_TRUE(isGuess(alone, "projections.dark"));
    EXPECT_NO_THROW((void)openScan(alone.scan));
}

TEST(GuessScan, FramesFromBeforeAndAfterTheScanAreBothFound) {
    const TemporaryFolder folder;
    writeScan(folder / "scan/Tomo", "t", 4000, 7);
    writeScan(folder / "scan/Flat_After", "f", 8000, 2);
    writeScan(folder / "scan/Flat_Before", "f", 9000, 2);
    writeScan(folder / "scan/Dark_After", "d", 110, 2);
    writeScan(folder / "scan/Dark_Before", "d", 100, 2);
    writeScan(folder / "scan/flat_spare", "f", 5000, 2);
    const FoundFrames found = findFrames(folder / "scan");
    EXPECT_EQ(found.projections.pattern, "Tomo/t_*.tif");
    EXPECT_EQ(found.flat.value().pattern, "Flat_Before/f_*.tif");
    EXPECT_EQ(found.flatAfter.value().pattern, "Flat_After/f_*.tif");
    EXPECT_EQ(found.dark.value().pattern, "Dark_Before/d_*.tif");
    EXPECT_EQ(found.darkAfter.value().pattern, "Dark_After/d_*.tif");
    ASSERT_EQ(found.unused.size(), 1U);
    EXPECT_NE(found.unused[0].clause.find("flat_spare"), std::string::npos);
    // What is not used is told, as a doubt.
    const GuessedScan guess = guessed(folder / "scan");
    const auto flat = std::ranges::find_if(
        guess.guesses, [](const auto& one) { return one.field == "projections.flat"; });
    ASSERT_NE(flat, guess.guesses.end());
    EXPECT_TRUE(flat->isUnsure);
    EXPECT_NE(flat->reason.find("flat_spare"), std::string::npos);
    EXPECT_EQ(guess.scan.projections.flatAfter, "Flat_After/f_*.tif");
    EXPECT_EQ(guess.scan.projections.darkAfter, "Dark_After/d_*.tif");

    for (const char* name : {"ob_pre", "ob_post", "df", "sample"})
        writeScan(folder / "short" / name, "im", name[0] == 's' ? 4000 : 9000,
                  name[0] == 's' ? 7 : 2);
    const FoundFrames shortNames = findFrames(folder / "short");
    EXPECT_EQ(shortNames.projections.pattern, "sample/im_*.tif");
    EXPECT_EQ(shortNames.flat.value().pattern, "ob_pre/im_*.tif");
    EXPECT_EQ(shortNames.flatAfter.value().pattern, "ob_post/im_*.tif");
    EXPECT_EQ(shortNames.dark.value().pattern, "df/im_*.tif");

    for (const char* name : {"Flat_Before", "flat_spare", "Dark_Before"})
        fs::remove_all(folder / "scan" / name);
    const FoundFrames later = findFrames(folder / "scan");
    EXPECT_EQ(later.flat.value().pattern, "Flat_After/f_*.tif");
    EXPECT_FALSE(later.flatAfter);
}

TEST(GuessScan, FlatFramesBesideAnHdf5FileMayBeInHdf5FilesOfTheirOwn) {
    const TemporaryFolder folder;
    {
        test::Hdf5Writer file(folder / "scan.nxs");
        test::writeNxFrames(file, {100, 5000, 5000, 5000}, {2, 0, 0, 0});
    }
    {
        test::Hdf5Writer file(folder / "flats.nxs");
        test::writeNxFrames(file, {9000, 9100}, {1, 1});
    }
    const GuessedScan guess = guessed(folder / "scan.nxs");
    EXPECT_EQ(guess.scan.projections.dark, "scan.nxs");
    EXPECT_EQ(guess.scan.projections.flat, "flats.nxs");
    EXPECT_NEAR(static_cast<double>(openScan(guess.scan).calibration->flat[0]), 9050, 1);

    // The first of several formats is taken, and the others are named.
    writeScan(folder.path(), "flat", 7000, 1);
    const GuessedScan several = guessed(folder / "scan.nxs");
    EXPECT_EQ(several.scan.projections.flat, "flats.nxs");
    const auto flat = std::ranges::find_if(
        several.guesses, [](const auto& one) { return one.field == "projections.flat"; });
    ASSERT_NE(flat, several.guesses.end());
    EXPECT_TRUE(flat->isUnsure);
    EXPECT_NE(flat->reason.find("flat_100.tif are not used"), std::string::npos) << flat->reason;

    // Frames that cannot be read are not passed over in silence.
    for (const char* name : {"flats.nxs", "flat_100.tif"})
        fs::remove(folder / name);
    std::ofstream(folder / "flat.tif") << "no image";
    const GuessedScan none = guessed(folder / "scan.nxs");
    const auto value = std::ranges::find_if(
        none.guesses, [](const auto& one) { return one.field == "projections.flatValue"; });
    ASSERT_NE(value, none.guesses.end());
    EXPECT_TRUE(value->isUnsure);
    EXPECT_NE(value->reason.find("Flat frames are not used: "), std::string::npos) << value->reason;
}

TEST(GuessScan, SeveralFoldersOfDarkFramesAreAllUsed) {
    const TemporaryFolder folder;
    writeScan(folder / "scan/proj", "p", 4000, 7);
    writeScan(folder / "scan/flat", "f", 9000, 2);
    writeScan(folder / "scan/dark", "d", 100, 2);
    writeScan(folder / "scan/dark2", "d", 120, 2);
    const GuessedScan guess = guessed(folder / "scan");
    EXPECT_EQ(guess.scan.projections.dark, "dark/d_*.tif");
    EXPECT_EQ(guess.scan.projections.darkAfter, "dark2/d_*.tif");
    EXPECT_EQ(openScan(guess.scan).calibration->laterDarks.size(), 1U);
}

TEST(GuessScan, FieldsOfAnotherSizeAreLeftAside) {
    const TemporaryFolder folder;
    (void)test::simulated(test::smallScan(4, 20, 30, 410), folder / "other");
    fs::create_directory(folder / "scan");
    fs::copy(folder / "other/proj", folder / "scan/flat", fs::copy_options::recursive);
    writeScan(folder / "scan/proj", "a", 4000, 5);
    const GuessedScan guess = guessed(folder / "scan");
    EXPECT_TRUE(guess.scan.projections.flat.empty());
    EXPECT_NO_THROW((void)openScan(guess.scan));
}

TEST(GuessScan, FractionsAreAttenuationUnlessTheyAreBrightBesideTheObject) {
    const TemporaryFolder folder;
    SimulationSpec spec = test::smallScan(16, 24, 20, 410);
    spec.kind = ProjectionKind::attenuation;
    (void)test::simulated(spec, folder / "lines");
    fs::remove(folder / "lines/scan.json");
    const GuessedScan lines = guessed(folder / "lines");
    EXPECT_EQ(lines.scan.projections.kind, ProjectionKind::attenuation);
    EXPECT_TRUE(lines.scan.projections.flat.empty());
    EXPECT_NO_THROW((void)openScan(lines.scan));

    writeImages<float>(folder / "shares.tif", 0.97, 5);
    const GuessedScan shares = guessed(folder / "shares.tif");
    EXPECT_EQ(shares.scan.projections.kind, ProjectionKind::counts);
    EXPECT_NEAR(*shares.scan.projections.flatValue, 0.98, 0.01);
    writeImages<float>(folder / "large.tif", 1200, 5);
    EXPECT_EQ(guessed(folder / "large.tif").scan.projections.kind, ProjectionKind::counts);
}

TEST(GuessScan, AMetaImageStackIsAScanToo) {
    const TemporaryFolder folder;
    std::ofstream file(folder / "stack.mha", std::ios::binary);
    file << "ObjectType = Image\nNDims = 3\nBinaryData = True\nDimSize = 6 5 4\n"
            "ElementSpacing = 1 1 1\nElementType = MET_USHORT\nElementDataFile = LOCAL\n";
    for (int i = 0; i < 6 * 5 * 4; ++i) {
        const auto pixel = static_cast<std::uint16_t>(1000 + i);
        file.write(reinterpret_cast<const char*>(&pixel), sizeof(pixel));
    }
    file.close();
    const GuessedScan guess = guessed(folder / "stack.mha");
    EXPECT_EQ(guess.scan.geometry.views(), 4);
    EXPECT_EQ(guess.scan.projections.files, "stack.mha");
    EXPECT_EQ(openScan(guess.scan).source->info().columns, 6);
}

TEST(GuessScan, ADescribedScanIsTakenAsItIs) {
    const TemporaryFolder folder;
    const ScanFile scan = test::simulated(test::smallScan(8, 16, 12, 410), folder / "scan");
    const GuessedScan guess = guessed(folder / "scan");
    EXPECT_EQ(toJson(guess.scan), toJson(scan));
    EXPECT_TRUE(guess.guesses.empty());
}

TEST(GuessScan, OddImagesAreSurvived) {
    const TemporaryFolder folder;
    writeScan(folder / "black", "a", 0, 4);
    EXPECT_NO_THROW((void)openScan(guessed(folder / "black").scan));
    writeImages<float>(folder / "nan.tif", std::nan(""), 3);
    EXPECT_ERROR((void)guessed(folder / "nan.tif"), InputError, "none of the images holds");
    writeImages<std::uint16_t>(folder / "single/one.tif", 7);
    EXPECT_ERROR((void)guessed(folder / "single"), InputError, "is a single image");
    Inspection gone;
    gone.path = folder / "absent";
    EXPECT_THROW((void)guessScan(gone), InputError);
    writeScan(folder / "darks", "dark", 10, 4);  // nothing else: then these are the projections
    EXPECT_EQ(guessed(folder / "darks").scan.geometry.views(), 4);
}

TEST(GuessScan, ADetectorOfOnePixelIsAScan) {
    const TemporaryFolder folder;
    TiffPage page;
    page.columns = page.rows = 1;
    TiffWriter writer(folder / "pixel.tif", TiffWriter::Mode::classic);
    for (std::uint16_t i = 0; i < 5; ++i) {
        const std::uint16_t pixel = static_cast<std::uint16_t>(100 + i);
        writer.write(page, std::as_bytes(std::span(&pixel, 1)));
    }
    writer.close();
    EXPECT_NO_THROW((void)openScan(guessed(folder / "pixel.tif").scan));
}

}  // namespace
}  // namespace gantry
