// Scans in HDF5 files, which say themselves what others are guessed from.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/scan/geometry_file.h"
#include "core/scan/guess/find_scan.h"
#include "core/scan/guess/guess_scan.h"
#include "core/scan/inspect/picture_checks.h"
#include "core/scan/open_scan.h"
#include "tests/support/level_frames.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/tooth_files.h"

namespace gantry {
namespace {

namespace fs = std::filesystem;
using test::TemporaryFolder;

class ToothInHdf5 : public ::testing::Test {
  protected:
    TemporaryFolder m_folder;
    test::ToothFiles m_files{GANTRY_SAMPLES};
    OpenScan m_tiffs = openScan(readScanFile(fs::path(GANTRY_SAMPLES) / "tooth/scan.json"));
};

TEST_F(ToothInHdf5, IsTheSameScanAsItsTiffs) {
    m_files.writeNxTomo(m_folder / "Zahn 'a'.nxs");
    m_files.writeExchange(m_folder / "tooth.h5");
    for (const char* name : {"Zahn 'a'.nxs", "tooth.h5"}) {
        Inspection bare;
        bare.path = m_folder / name;
        GuessedScan guess = guessScan(bare);
        const ProjectionFiles& files = guess.scan.projections;
        EXPECT_EQ(files.files, name);
        EXPECT_EQ(files.dark, name);
        EXPECT_EQ(files.flat, name);
        EXPECT_EQ(files.kind, ProjectionKind::counts);
        const ScanGeometry& geometry = guess.scan.geometry;
        EXPECT_EQ(geometry.views(), 181);
        EXPECT_NEAR(geometry.coverageDeg(), 180, 1e-9);
        EXPECT_TRUE(geometry.angles().anglesDeg.empty());
        EXPECT_NEAR(geometry.detector.pitchMm[0], 0.01, 1e-12);
        EXPECT_NEAR(geometry.detector.pitchMm[1], 0.01, 1e-12);
        EXPECT_LT(geometry.magnification(), 1.00001);
        EXPECT_NEAR(geometry.axisColumn(), 295.88, 0.1);
        for (const char* field : {"trajectory.arcDeg", "detector.pitchMm", "projections.flat"}) {
            const auto said = std::ranges::find_if(
                guess.guesses, [&](const auto& one) { return one.field == field; });
            ASSERT_NE(said, guess.guesses.end()) << field;
            EXPECT_NE(said->reason.find("file"), std::string::npos) << said->reason;
            EXPECT_FALSE(said->isUnsure);
        }
        // Both store row 0 as the lowest here.
        guess.scan.projections.firstRowIsTop = false;
        const OpenScan opened = openScan(guess.scan);
        EXPECT_EQ(test::countsOf(*opened.source), m_files.projections());
        const DetectorCalibration& calibration = *opened.calibration;
        EXPECT_TRUE(std::ranges::equal(calibration.flat.span(), m_tiffs.calibration->flat.span()));
        EXPECT_TRUE(std::ranges::equal(calibration.dark.span(), m_tiffs.calibration->dark.span()));
    }
}

TEST_F(ToothInHdf5, AFolderWithItIsOpenedToo) {
    fs::create_directory(m_folder / "scan");
    m_files.writeNxTomo(m_folder / "scan/tooth.nxs");
    const GuessedScan guess = guessScan(inspectPath(m_folder / "scan", {2, false, {}}));
    EXPECT_EQ(guess.scan.projections.files, "tooth.nxs");
    EXPECT_EQ(guess.scan.name, "tooth");
}

TEST_F(ToothInHdf5, OneOfSeveralIsTakenWholeAsIsAsked) {
    const fs::path path = m_folder / "two.h5";
    {
        test::Hdf5Writer file(path);
        test::writeNxFrames(file, {5, 900, 300, 310}, {2, 1, 0, 0});
        file.text("/second/definition", "NXtomo");
        test::writeFrames(file, "/second/instrument/detector/data", {7, 410, 420, 430, 950});
        file.numbers("/second/instrument/detector/image_key", {2, 0, 0, 0, 1});
        file.numbers("/second/sample/rotation_angle", {0, 0, 60, 120, 0}, "deg");
    }
    const ScanAtPath at = scanAt(path, "/second");
    EXPECT_EQ(at.scan.projections.entry, "/second");
    EXPECT_EQ(at.scan.geometry.views(), 3);
    // Written and read back it is the same: dark and flat frames are of the entry, too.
    const OpenScan opened = openScan(parseScan(toJson(at.scan), at.scan.path));
    EXPECT_EQ(opened.source->info().views, 3);
    EXPECT_NEAR(opened.calibration->dark.span()[0], 7, 1e-6);
    EXPECT_NEAR(opened.calibration->flat.span()[0], 950, 1e-3);
    InspectOptions options;
    options.entry = "/second";
    const Inspection inspection = inspectPath(path, options);
    EXPECT_EQ(inspection.series.front().info.views, 3);
    EXPECT_EQ(guessScan(inspection).scan.projections.entry, "/second");
}

// A file with one dataset of three dimensions at its top may be a volume, unless an entry is named.
TEST_F(ToothInHdf5, ADatasetThatIsNamedHoldsProjections) {
    const fs::path path = m_folder / "plain.h5";
    {
        test::Hdf5Writer file(path);
        test::writeFrames(file, "/high", {410, 420, 430, 440});
        test::writeFrames(file, "/low/images", {300, 310, 320});
    }
    InspectOptions options;
    EXPECT_TRUE(inspectPath(path, options).volume);
    options.entry = "low/images";
    const Inspection inspection = inspectPath(path, options);
    EXPECT_FALSE(inspection.volume);
    EXPECT_EQ(inspection.series.front().info.views, 3);
    EXPECT_EQ(scanAt(path, "high").scan.geometry.views(), 4);
}

const GuessedScan::Guess* guessOnField(const GuessedScan& guess, const char* field) {
    const auto found = std::ranges::find(guess.guesses, field, &GuessedScan::Guess::field);
    return found == guess.guesses.end() ? nullptr : &*found;
}

// Ten views of nothing in half a turn, whose beam a monitor says to be what it is not.
void writeEmptyScan(const fs::path& path, const std::vector<double>& monitor,
                    const std::string& fieldOfView = {}) {
    std::vector<double> levels = {100, 40100};
    std::vector<double> keys = {2, 1};
    std::vector<double> angles = {0, 0};
    for (int i = 0; i < 10; ++i) {
        levels.push_back(40100);
        keys.push_back(0);
        angles.push_back(18 * i);
    }
    test::Hdf5Writer file(path);
    test::writeNxFrames(file, levels, keys);
    file.numbers("/entry/sample/rotation_angle", angles, "deg");
    if (!monitor.empty()) file.numbers("/entry/control/data", monitor);
    if (!fieldOfView.empty()) file.text("/entry/instrument/detector/field_of_view", fieldOfView);
    std::vector<double> mask(test::kFrameRows * test::kFrameColumns, 0.0);
    mask[1] = 64;
    file.images("/entry/instrument/detector/pixel_mask", PixelType::float64,
                {test::kFrameRows, test::kFrameColumns}, std::as_bytes(std::span(mask)));
}

TEST(GuessHdf5, AMaskOfBadPixelsIsTaken) {
    const TemporaryFolder folder;
    writeEmptyScan(folder / "scan.nxs", {});
    Inspection bare;
    bare.path = folder / "scan.nxs";
    const GuessedScan guess = guessScan(bare);
    EXPECT_EQ(guess.scan.projections.badPixels, "scan.nxs");
    const GuessedScan::Guess* const mask = guessOnField(guess, "projections.badPixels");
    ASSERT_NE(mask, nullptr);
    EXPECT_TRUE(mask->isStated);
    EXPECT_NE(mask->reason.find("1 of 108 pixels that are not usable"), std::string::npos);
    // Rows of a calibration begin with the lowest one.
    const OpenScan opened = openScan(guess.scan);
    const HostBuffer<unsigned char>& marks = opened.calibration->bad;
    std::vector<Index> bad;
    for (Index p = 0; p < marks.count(); ++p)
        if (marks[p] != 0) bad.push_back(p);
    EXPECT_EQ(bad, std::vector<Index>{(test::kFrameRows - 1) * test::kFrameColumns + 1});
    // A scan.json that does not name it is told.
    ScanFile without = guess.scan;
    without.projections.badPixels.clear();
    const std::vector<Problem> told = contradictedByImages(without);
    EXPECT_TRUE(std::ranges::any_of(
        told, [](const Problem& problem) { return problem.field == "projections.badPixels"; }));
}

TEST(GuessHdf5, AMonitorThatContradictsTheAirIsToBeLeftUnused) {
    const TemporaryFolder folder;
    writeEmptyScan(folder / "scan.nxs", {10, 10, 10, 9, 8, 7, 6, 5, 6, 7, 8, 9});
    Inspection bare;
    bare.path = folder / "scan.nxs";
    GuessedScan guess = guessScan(bare);
    const auto drifts = [&] {
        std::string text;
        for (const Problem& problem : checkPictures(openScan(guess.scan), 1, {}))
            if (problem.message.find("the beam drifts") != std::string::npos)
                text = problem.message;
        return text;
    };
    EXPECT_NE(drifts().find("\"ignoreMonitor\": true"), std::string::npos) << drifts();
    guess.scan.projections.ignoresMonitor = true;
    EXPECT_EQ(drifts(), "");
}

// Where the file does not state the axis, too.
TEST(GuessHdf5, AHalfFieldOfViewWithTheAxisInTheMiddleIsDoubted) {
    const TemporaryFolder folder;
    for (const char* const field : {"Half", "Full"}) {
        SCOPED_TRACE(field);
        const bool isHalf = std::string(field) == "Half";
        writeEmptyScan(folder / "scan.nxs", {}, field);
        Inspection bare;
        bare.path = folder / "scan.nxs";
        GuessedScan guess = guessScan(bare);
        const GuessedScan::Guess* const axis = guessOnField(guess, "detector.offsetMm[0]");
        ASSERT_NE(axis, nullptr);
        EXPECT_EQ(axis->isUnsure, isHalf) << axis->reason;
        EXPECT_EQ(axis->reason.find("the field of view is half of the object") != std::string::npos,
                  isHalf)
            << axis->reason;
        const std::vector<Problem> told = contradictedByImages(guess.scan);
        EXPECT_EQ(std::ranges::any_of(told,
                                      [](const Problem& problem) {
                                          return problem.field == "detector.offsetMm" &&
                                                 problem.message.find("field of view is half") !=
                                                     std::string::npos;
                                      }),
                  isHalf);
        const Detector& detector = guess.scan.geometry.detector;
        guess.scan.geometry.detector.offsetMm[0] =
            0.4 * static_cast<double>(detector.columns) * detector.pitchMm[0];
        EXPECT_TRUE(contradictedByImages(guess.scan).empty()) << "near an edge";
    }
}

}  // namespace
}  // namespace gantry
