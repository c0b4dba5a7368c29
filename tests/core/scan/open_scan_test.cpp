#include "core/scan/open_scan.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "tests/support/expect_error.h"
#include "tests/support/small_scan.h"
#include "tests/support/temporary_folder.h"

namespace gantry {
namespace {

using test::simulated;
using test::smallScan;
using test::TemporaryFolder;

TEST(OpenScan, WithAnotherGeometryItIsAsOpenedAnew) {
    const TemporaryFolder folder;
    ScanFile scan = simulated(smallScan(24, 40, 30, 410), folder / "scan");
    const OpenScan opened = openScan(scan);
    ScanGeometry offset = scan.geometry;
    offset.detector.offsetMm = {90, -4};
    offset.cone().sourceToDetectorMm = 1100;
    ScanGeometry rolled = scan.geometry;
    rolled.detector.rollDeg = 4;
    rolled.cone().arcDeg = -250;
    for (const ScanGeometry& geometry : {offset, rolled}) {
        const OpenScan derived = withGeometry(opened, geometry);
        scan.geometry = geometry;
        const OpenScan anew = openScan(scan);
        EXPECT_EQ(derived.geometry, anew.geometry);
        EXPECT_EQ(derived.description.geometry, geometry);
        EXPECT_EQ(derived.files, anew.files);
        EXPECT_EQ(derived.redundancy.reason, anew.redundancy.reason);
        EXPECT_EQ(derived.redundancy.kind, anew.redundancy.kind);
        EXPECT_EQ(derived.redundancy.padBefore, anew.redundancy.padBefore);
        EXPECT_EQ(derived.redundancy.padAfter, anew.redundancy.padAfter);
        EXPECT_EQ(derived.rectifier.isIdentity(), anew.rectifier.isIdentity());
        EXPECT_EQ(derived.rectifier.toReal(3, 4).u, anew.rectifier.toReal(3, 4).u);
        EXPECT_EQ(derived.rectifier.toReal(3, 4).v, anew.rectifier.toReal(3, 4).v);
        // The files are not read again.
        EXPECT_EQ(derived.source, opened.source);
        EXPECT_EQ(derived.calibration, opened.calibration);
    }
    EXPECT_EQ(opened.description.geometry.detector.offsetMm[0], 0);
}

TEST(OpenScan, AGeometryThatDoesNotFitTheFilesIsRefusedInTheSameWords) {
    const TemporaryFolder folder;
    const ScanFile scan = simulated(smallScan(24, 40, 30, 410), folder / "scan");
    const OpenScan opened = openScan(scan);
    const auto refused = [&](auto change, const char* words) {
        ScanFile changed = scan;
        change(changed.geometry);
        EXPECT_ERROR((void)withGeometry(opened, changed.geometry), InputError, words);
        EXPECT_ERROR((void)openScan(changed), InputError, words);
    };
    refused([](ScanGeometry& geometry) { geometry.cone().views = 25; }, "25 views");
    refused([](ScanGeometry& geometry) { geometry.detector.columns = 41; }, "40 × 30 pixels");
    refused([](ScanGeometry& geometry) { geometry.cone().sourceToDetectorMm = 400; },
            "trajectory.sourceToDetectorMm");
    refused([](ScanGeometry& geometry) { geometry.cone().arcDeg = 8; }, "one side alone");
}

TEST(OpenScan, AStackThatIsCutOffHasItsLastViewsAsBadOnes) {
    const TemporaryFolder folder;
    SimulationSpec spec = smallScan(18, 33, 21, 410);
    spec.layout = SimulationSpec::Layout::multiPage;
    const ScanFile scan = simulated(spec, folder / "scan");
    const std::filesystem::path stack = folder / "scan/proj.tif";
    // Within the eighth of 18 pages of one size.
    std::filesystem::resize_file(stack, std::filesystem::file_size(stack) * 15 / 36);
    const OpenScan opened = openScan(scan, {}, BadViews::list);
    EXPECT_EQ(opened.source->info().views, 7);
    ASSERT_EQ(opened.leftOut.size(), 11U);
    for (std::size_t i = 0; i < 11; ++i) {
        EXPECT_EQ(opened.leftOut[i].view, static_cast<Index>(7 + i));
        EXPECT_TRUE(opened.leftOut[i].isBad);
    }
}

// Writes values over pixels of an uncompressed TIFF file, which follow its header of 8 bytes.
template <class T>
void writePixels(const std::filesystem::path& file, Index first, const std::vector<T>& values) {
    std::fstream image(file, std::ios::binary | std::ios::in | std::ios::out);
    image.seekp(8 + first * Index{sizeof(T)});
    image.write(reinterpret_cast<const char*>(values.data()),
                static_cast<std::streamsize>(values.size() * sizeof(T)));
}

TEST(OpenScan, ThePixelsInTheCornersOfTheMaskAreDead) {
    const TemporaryFolder folder;
    SimulationSpec spec = smallScan(4, 33, 21, 410);
    spec.deadPixels = 1;
    const ScanFile scan = simulated(spec, folder / "scan");
    const std::filesystem::path mask = folder / "scan/bad-pixels.tif";
    std::vector<std::uint8_t> marked(33 * 21);
    // An image's first row is the detector's top one, which comes last.
    const std::array<std::size_t, 4> corners = {0, 32, 20 * 33, 20 * 33 + 32};
    for (const std::size_t corner : corners)
        marked[corner] = 1;
    writePixels(mask, 0, marked);
    const OpenScan opened = openScan(scan);
    const auto bad = opened.calibration->bad.span();
    for (const std::size_t corner : corners)
        EXPECT_EQ(bad[corner], 1) << corner;
}

// Changes the tag that says whether 0 is black (1) or white (0).
void setWhiteZero(const std::filesystem::path& file) {
    std::fstream image(file, std::ios::binary | std::ios::in | std::ios::out);
    const std::string bytes{std::istreambuf_iterator<char>(image), {}};
    const std::size_t tag = bytes.find(std::string("\x06\x01\x03\0\x01\0\0\0\x01", 9));
    ASSERT_NE(tag, std::string::npos);
    image.clear();
    image.seekp(static_cast<std::streamoff>(tag) + 8);
    image.put('\0');
}

// ImageJ shows masks by an inverting table of colours, which it stores as "0 is white".
TEST(OpenScan, AMaskIsReadAsStoredWhateverIsWhiteInIt) {
    const TemporaryFolder folder;
    SimulationSpec spec = smallScan(4, 33, 21, 410);
    spec.deadPixels = 5;
    const ScanFile scan = simulated(spec, folder / "scan");
    const OpenScan black = openScan(scan);
    setWhiteZero(folder / "scan/bad-pixels.tif");
    const OpenScan white = openScan(scan);
    EXPECT_TRUE(std::ranges::equal(white.calibration->bad.span(), black.calibration->bad.span()));
    EXPECT_EQ(std::ranges::count(white.calibration->bad.span(), 1), 5);
}

TEST(OpenScan, AMaskThatLeavesLessThanHalfOfThePixelsIsRefused) {
    const TemporaryFolder folder;
    SimulationSpec spec = smallScan(4, 33, 21, 410);
    spec.deadPixels = 1;
    const ScanFile scan = simulated(spec, folder / "scan");
    const std::filesystem::path mask = folder / "scan/bad-pixels.tif";
    std::vector<std::uint8_t> marked(33 * 21, 1);
    std::fill_n(marked.begin() + 5 * 33, 3, std::uint8_t{0});
    writePixels(mask, 0, marked);
    EXPECT_ERROR((void)openScan(scan), InputError,
                 "bad-pixels.tif: projections.badPixels: 690 of its 693 pixels are not 0, which "
                 "means that they are bad, and at most half may be. If the bad ones are 0 in it");
    std::ranges::fill(marked, std::uint8_t{0});
    std::fill_n(marked.begin(), 346, std::uint8_t{1});
    writePixels(mask, 0, marked);
    // And the one that is dead by its flat field.
    EXPECT_EQ(std::ranges::count(openScan(scan).calibration->bad.span(), 1), 347);
}

TEST(OpenScan, PixelsThatAreSaturatedInTheFlatFieldAreDead) {
    const TemporaryFolder folder;
    SimulationSpec spec = smallScan(4, 33, 21, 410);
    spec.layout = SimulationSpec::Layout::multiPage;
    spec.fieldFrames = 1;
    ScanFile scan = simulated(spec, folder / "scan");
    const std::filesystem::path flat = folder / "scan/flat.tif";
    writePixels(flat, 5 * 33, std::vector<std::uint16_t>(4 * 33, 65535));
    const OpenScan opened = openScan(scan);
    EXPECT_EQ(std::ranges::count(opened.calibration->bad.span(), 1), 4 * 33);
    ASSERT_TRUE(opened.repair);
    EXPECT_EQ(opened.storedRows({13, 14}), IndexRanges(11, 17));
    writePixels(flat, 5 * 33, std::vector<std::uint16_t>(12 * 33, 65535));
    EXPECT_ERROR((void)openScan(scan), InputError,
                 "projections.flat: 57 % of its pixels are saturated, at 65535 counts or more");
}

// Whoever opens a scan to work with its views, as alignment does.
TEST(OpenScan, NamesThatHoldTheAnglesInAnotherOrderAreRefused) {
    const TemporaryFolder folder;
    ScanFile scan = simulated(smallScan(6, 33, 21, 410), folder / "scan");
    const std::filesystem::path folderOfViews = folder / "scan" / "proj";
    std::vector<std::filesystem::path> views;
    for (const auto& entry : std::filesystem::directory_iterator(folderOfViews))
        views.push_back(entry.path());
    std::ranges::sort(views);
    for (std::size_t i = 0; i < views.size(); ++i)
        std::filesystem::rename(
            views[i], folderOfViews / fmt::format("p_{:.1f}.tif", 60.5 * static_cast<double>(i)));
    scan.projections.files = "proj/*.tif";
    scan.geometry.angles().anglesDeg = {0, 121, 60.5, 181.5, 242, 302.5};
    EXPECT_ERROR((void)openScan(scan), InputError,
                 "The names hold the angles of the trajectory in another order");
    EXPECT_EQ(openScan(scan, {}, BadViews::list).source->info().views, 6) << "as it is shown";
    scan.geometry.angles().anglesDeg = {0, 60.5, 121, 181.5, 242, 302.5};
    EXPECT_EQ(openScan(scan).source->info().views, 6);
}

// A detector of 12 bits in files of 16: what is between its modules has the largest value.
TEST(OpenScan, GapsAtTheLargestValueOfADetectorOfFewerBitsAreDead) {
    for (const std::uint16_t largest : std::array<std::uint16_t, 3>{1023, 4095, 16383}) {
        SCOPED_TRACE(largest);
        const TemporaryFolder folder;
        SimulationSpec spec = smallScan(4, 33, 21, 410);
        spec.layout = SimulationSpec::Layout::multiPage;
        spec.fieldFrames = 1;
        spec.flatCounts = largest / 2.0;
        spec.darkCounts = largest / 50.0;
        const ScanFile scan = simulated(spec, folder / "scan");
        writePixels(folder / "scan/flat.tif", 5 * 33, std::vector<std::uint16_t>(4 * 33, largest));
        const OpenScan opened = openScan(scan);
        EXPECT_EQ(std::ranges::count(opened.calibration->bad.span(), 1), 4 * 33);
    }
}

TEST(OpenScan, RowsThatAreStuckAtAnOrdinaryValueAreDeadAndTold) {
    const TemporaryFolder folder;
    SimulationSpec spec = smallScan(9, 33, 21, 410);
    spec.fieldFrames = 1;
    const ScanFile scan = simulated(spec, folder / "scan");
    const std::vector<std::uint16_t> stuck(5 * 33, 3000);
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder / "scan"))
        if (entry.path().extension() == ".tif" &&
            entry.path().string().find("dark") == std::string::npos)
            writePixels(entry.path(), 6 * 33, stuck);
    const OpenScan opened = openScan(scan);
    EXPECT_EQ(std::ranges::count(opened.calibration->bad.span(), 1), 5 * 33);
    ASSERT_FALSE(opened.fieldNotes.empty());
    EXPECT_NE(opened.fieldNotes.back().find("165 detector pixels in columns 0 to 32 and rows 10 to "
                                            "14 (from the bottom) have one value"),
              std::string::npos);
}

}  // namespace
}  // namespace gantry
