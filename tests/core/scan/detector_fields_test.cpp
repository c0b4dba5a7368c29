#include "core/scan/detector_fields.h"

#include <gtest/gtest.h>

#include <cmath>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/scan/corrected_scan.h"
#include "core/scan/open_scan.h"
#include "core/scan/view_stages.h"
#include "tests/support/expect_error.h"
#include "tests/support/level_frames.h"
#include "tests/support/temporary_folder.h"

namespace gantry {
namespace {

using test::Hdf5Writer;
using test::TemporaryFolder;

ScanFile scanOf(const TemporaryFolder& folder, Index views) {
    ScanFile scan;
    scan.folder = folder.path();
    scan.path = folder / "scan.json";
    ParallelBeam beam;
    beam.arcDeg = 180;
    beam.views = views;
    scan.geometry.trajectory = beam;
    scan.geometry.detector.columns = test::kFrameColumns;
    scan.geometry.detector.rows = test::kFrameRows;
    scan.geometry.detector.pitchMm = {1, 1};
    return scan;
}

ScanFile scanInFile(const TemporaryFolder& folder, const std::string& name, Index views) {
    ScanFile scan = scanOf(folder, views);
    scan.projections.files = name;
    scan.projections.dark = name;
    scan.projections.flat = name;
    return scan;
}

// Every view's line integral in the middle pixel.
std::vector<double> integralsOf(const OpenScan& scan) {
    std::vector<double> integrals;
    HostBuffer<float> view(scan.stored.rows * scan.stored.columns);
    for (Index s = 0; s < scan.source->info().views; ++s) {
        const IndexRange rows = {0, scan.stored.rows};
        HostBuffer<std::byte> stored(rows.size() * scan.storedRowBytes());
        readStoredRows(scan, s, rows, stored.span());
        InvalidPixels ignored;
        ViewCorrector(scan, {}).integrals({s, rows, stored.span(), rows, {}},
                                          {view.data(), 1, rows.size(), scan.stored.columns},
                                          ignored);
        integrals.push_back(static_cast<double>(view[view.count() / 2]));
    }
    return integrals;
}

void expectAll(const OpenScan& scan, double expected) {
    for (const double integral : integralsOf(scan))
        EXPECT_NEAR(integral, expected, 0.001);
}

constexpr double kHalf = 0.693147;

TEST(DetectorFields, FlatFramesFromBothEndsOfAnNxTomoFileAreInterpolated) {
    const TemporaryFolder folder;
    {
        // The beam falls from 40,000 to 32,000 counts over five views that let half of it through.
        Hdf5Writer file(folder / "scan.nxs");
        test::writeNxFrames(file,
                            {100, 40100, 40100, 20100, 19100, 18100, 17100, 16100, 32100, 32100},
                            {2, 1, 1, 0, 0, 0, 0, 0, 1, 1});
    }
    ScanFile description = scanInFile(folder, "scan.nxs", 5);
    const OpenScan scan = openScan(description);
    EXPECT_FALSE(scan.areFieldsConstant());
    ASSERT_EQ(scan.calibration->laterFlats.size(), 1U);
    EXPECT_EQ(scan.calibration->laterFlats[0].view, 4);
    EXPECT_TRUE(scan.calibration->laterDarks.empty());
    expectAll(scan, kHalf);
    // Corrections before batches see the same.
    Corrections corrections;
    corrections.zingers.ratio = 1.2;
    const OpenScan corrected = gantry::corrected(scan, corrections);
    HostBuffer<float> last(scan.stored.rows * scan.stored.columns);
    readView(*corrected.source, 4, last.span());
    EXPECT_NEAR(static_cast<double>(last[0]), kHalf, 0.001);
    // Views keep their numbers where others are left out.
    expectAll(withGeometry(scan, description.geometry, {0, 2}), kHalf);
}

TEST(DetectorFields, FlatFramesInTheMiddleOfAnNxTomoFileHoldThere) {
    const TemporaryFolder folder;
    {
        Hdf5Writer file(folder / "scan.nxs");
        test::writeNxFrames(file,
                            {100, 40100, 20100, 18100, 34100, 16100, 16100, 32100, 100, 16100},
                            {2, 1, 0, 0, 1, 0, 0, 1, 2, 3});
    }
    const OpenScan scan = openScan(scanInFile(folder, "scan.nxs", 4));
    ASSERT_EQ(scan.calibration->laterFlats.size(), 2U);
    EXPECT_EQ(scan.calibration->laterFlats[0].view, 1.5);
    EXPECT_EQ(scan.calibration->laterFlats[1].view, 3);
    EXPECT_EQ(scan.calibration->laterDarks.size(), 1U);
    const std::vector<double> integrals = integralsOf(scan);
    EXPECT_NEAR(integrals[0], kHalf, 0.001);
    EXPECT_NEAR(integrals[1], kHalf, 0.001);
    EXPECT_NEAR(integrals[3], kHalf, 0.001);
}

TEST(DetectorFields, DataExchangePlacesFlatFramesByTheirAngles) {
    const TemporaryFolder folder;
    {
        Hdf5Writer file(folder / "scan.h5");
        test::writeFrames(file, "/exchange/data", {20100, 19100, 18100, 17100, 16100});
        test::writeFrames(file, "/exchange/data_white", {40100, 40100, 32100});
        test::writeFrames(file, "/exchange/data_dark", {100});
        file.numbers("/exchange/theta", {0, 36, 72, 108, 144}, "deg");
        file.numbers("/exchange/theta_white", {0, 0, 144}, "deg");
    }
    const OpenScan scan = openScan(scanInFile(folder, "scan.h5", 5));
    ASSERT_EQ(scan.calibration->laterFlats.size(), 1U);
    expectAll(scan, kHalf);
}

TEST(DetectorFields, DataExchangeSaysThatHalfOfTheFlatFramesAreFromAfterTheScan) {
    const TemporaryFolder folder;
    for (const bool areBoth : {true, false}) {
        {
            Hdf5Writer file(folder / "scan.h5");
            test::writeFrames(file, "/exchange/data", {20100, 19100, 18100, 17100, 16100});
            test::writeFrames(file, "/exchange/data_white", {40100, 40100, 32100, 32100});
            test::writeFrames(file, "/exchange/data_dark", {100});
            file.numbers("/exchange/theta", {0, 36, 72, 108, 144}, "deg");
            file.text("/process/acquisition/flat_fields/flat_field_mode",
                      areBoth ? "Both" : "Start");
        }
        const OpenScan scan = openScan(scanInFile(folder, "scan.h5", 5));
        EXPECT_EQ(scan.calibration->laterFlats.size(), areBoth ? 1U : 0U);
        if (areBoth) expectAll(scan, kHalf);
    }
}

TEST(DetectorFields, FramesFromBeforeAndAfterTheScanMayBeInFoldersOfTheirOwn) {
    const TemporaryFolder folder;
    test::writeTiffFrames(folder / "proj", "p", {20100, 19125, 18150, 17175, 16200});
    test::writeTiffFrames(folder / "flat", "f", {40100, 40100});
    test::writeTiffFrames(folder / "flat2", "f", {32200});
    test::writeTiffFrames(folder / "dark", "d", {100});
    test::writeTiffFrames(folder / "dark2", "d", {200, 200, 200});
    ScanFile description = scanOf(folder, 5);
    description.projections.files = "proj/*.tif";
    description.projections.dark = "dark";
    description.projections.darkAfter = "dark2";
    description.projections.flat = "flat";
    description.projections.flatAfter = "flat2";
    const OpenScan scan = openScan(description);
    expectAll(scan, kHalf);
    EXPECT_EQ(scan.fieldFiles.size(), 2U + 1U + 1U + 3U);
    // The description keeps them.
    const ScanFile again = parseScan(toJson(description), description.path);
    EXPECT_EQ(again.projections.flatAfter, "flat2");
    EXPECT_EQ(again.projections.darkAfter, "dark2");
    ScanFile lonely = description;
    lonely.projections.dark.clear();
    EXPECT_ERROR((void)parseScan(toJson(lonely), lonely.path), InputError,
                 "projections.darkAfter is given without dark");
    description.projections.flatAfter = "nowhere";
    try {
        (void)openScan(description);
        ADD_FAILURE() << "opened without its frames";
    } catch (const InputError& error) {
        EXPECT_EQ(error.field(), "projections.flatAfter") << error.what();
    }
    // Frames of one time alone hold for all views.
    description.projections.darkAfter.clear();
    description.projections.flatAfter.clear();
    EXPECT_TRUE(openScan(description).areFieldsConstant());
}

TEST(DetectorFields, ABeamMonitorNormalisesTheViewsUnlessItIsIgnored) {
    const TemporaryFolder folder;
    {
        // At the flat frames of the end the beam has half of its intensity.
        Hdf5Writer file(folder / "scan.nxs");
        test::writeNxFrames(file, {100, 40100, 20100, 16100, 12100, 14100, 20100},
                            {2, 1, 0, 0, 0, 0, 1});
        file.numbers("/entry/control/data", {0, 10, 10, 8, 6, 7, 5});
    }
    ScanFile description = scanInFile(folder, "scan.nxs", 4);
    const OpenScan scan = openScan(description);
    EXPECT_FALSE(scan.areFieldsConstant());
    expectAll(scan, kHalf);
    expectAll(withGeometry(scan, description.geometry, {1}), kHalf);
    description.projections.ignoresMonitor = true;
    EXPECT_TRUE(parseScan(toJson(description), description.path).projections.ignoresMonitor);
    EXPECT_NEAR(integralsOf(openScan(description))[1], std::log((40000 - 20000 / 3.0) / 16000),
                0.001);
}

// A monitor of the views alone says nothing of the flat field.
TEST(DetectorFields, ABeamMonitorThatTheFlatFramesLackIsToldAsUnused) {
    const TemporaryFolder folder;
    {
        Hdf5Writer file(folder / "scan.nxs");
        test::writeNxFrames(file, {20100, 16100, 12100, 14100}, {0, 0, 0, 0});
        file.numbers("/entry/control/data", {10, 8, 6, 7});
    }
    test::writeTiffFrames(folder / "flat", "flat", {40000, 40000});
    ScanFile description = scanOf(folder, 4);
    description.projections.files = "scan.nxs";
    description.projections.flat = "flat/flat_*.tif";
    const auto expectTold = [&](const char* why) {
        const OpenScan scan = openScan(description);
        ASSERT_EQ(scan.fieldNotes.size(), 1U);
        EXPECT_NE(scan.fieldNotes[0].find("The beam monitor of the projections, which goes from 6 "
                                          "to 10 over the views, is not used, as " +
                                          std::string(why)),
                  std::string::npos)
            << scan.fieldNotes[0];
    };
    expectTold("not all flat frames have one");
    const std::string flat = std::exchange(description.projections.flat, "");
    description.projections.flatValue = 40000;
    expectTold("a flatValue has none");
    description.projections.ignoresMonitor = true;
    EXPECT_TRUE(openScan(description).fieldNotes.empty());
    description.projections.flatValue.reset();
    description.projections.flat = flat;
    EXPECT_TRUE(openScan(description).fieldNotes.empty());
}

// A mask of NeXus that somebody wrote the other way round.
TEST(DetectorFields, AMaskInAnHdf5FileThatMarksTheGoodPixelsIsRefused) {
    const TemporaryFolder folder;
    {
        Hdf5Writer file(folder / "scan.nxs");
        test::writeNxFrames(file, {100, 40100, 20100, 20100, 20100, 20100}, {2, 1, 0, 0, 0, 0});
        std::vector<double> mask(static_cast<std::size_t>(test::kFrameRows * test::kFrameColumns),
                                 1.0);
        mask[40] = 0;
        const std::vector<hsize_t> sizes = {static_cast<hsize_t>(test::kFrameRows),
                                            static_cast<hsize_t>(test::kFrameColumns)};
        file.images("/entry/instrument/detector/pixel_mask", PixelType::float64, sizes,
                    std::as_bytes(std::span(mask)));
    }
    ScanFile description = scanInFile(folder, "scan.nxs", 4);
    description.projections.badPixels = "scan.nxs";
    try {
        (void)openScan(description);
        ADD_FAILURE() << "opened with one pixel";
    } catch (const InputError& error) {
        EXPECT_EQ(error.field(), "projections.badPixels");
        EXPECT_NE(std::string(error.what()).find("107 of its 108 pixels are not 0"),
                  std::string::npos)
            << error.what();
    }
}

// The shutter was closed in one of four flat frames, and the beam monitor says so.
TEST(DetectorFields, AFlatFrameThatIsLeftOutDoesNotCountForTheMonitor) {
    const TemporaryFolder folder;
    {
        Hdf5Writer file(folder / "scan.nxs");
        test::writeNxFrames(file,
                            {100, 40100, 40100, 150, 40100, 20100, 20100, 20100, 20100, 20100},
                            {2, 1, 1, 1, 1, 0, 0, 0, 0, 0});
        file.numbers("/entry/control/data", {80, 80, 80, 1, 80, 80, 80, 80, 80, 80});
    }
    const OpenScan scan = openScan(scanInFile(folder, "scan.nxs", 5));
    ASSERT_EQ(scan.fieldNotes.size(), 1U);
    EXPECT_NE(scan.fieldNotes[0].find("is unlike the other flat frames"), std::string::npos)
        << scan.fieldNotes[0];
    expectAll(scan, kHalf);
}

}  // namespace
}  // namespace gantry
