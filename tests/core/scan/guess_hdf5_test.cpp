// Scans in HDF5 files, which say themselves what others are guessed from.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/scan/guess/guess_scan.h"
#include "core/scan/open_scan.h"
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

}  // namespace
}  // namespace gantry
