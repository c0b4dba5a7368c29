#include <gtest/gtest.h>

#include <string>

#include "tests/core/describe/described.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

namespace gantry {
namespace {

namespace fs = std::filesystem;
using Severity = Problem::Severity;

fs::path prm() {
    return test::headers("rigaku") / "Recon.prm";
}

TEST(Rigaku, ARealHeaderIsRead) {
    const ScanDescription found = readScanDescription(prm());
    const ScanGeometry& geometry = found.scan.geometry;
    const ProjectionFiles& files = found.scan.projections;
    EXPECT_EQ(found.format, "Rigaku");
    EXPECT_DOUBLE_EQ(geometry.cone().sourceToIsocenterMm, 47);
    EXPECT_DOUBLE_EQ(geometry.cone().sourceToDetectorMm, 430);
    EXPECT_EQ(geometry.detector.columns, 2944);
    EXPECT_EQ(geometry.detector.rows, 2352);
    EXPECT_DOUBLE_EQ(geometry.detector.pitchMm[0], 0.0495);
    EXPECT_EQ(geometry.views(), 950);
    // ROT is 1; the steps of Angle.prm are even to its six digits.
    EXPECT_DOUBLE_EQ(geometry.angles().arcDeg, -360);
    EXPECT_TRUE(geometry.angles().anglesDeg.empty());
    // PROJECTION_MIRROR is 1, so higher columns are to the left.
    EXPECT_TRUE(files.isMirrored);
    EXPECT_DOUBLE_EQ(geometry.detector.offsetMm[0], 0.185625);
    EXPECT_EQ(files.files, "0???.raw");  // "Gain.raw" must not match
    EXPECT_EQ(files.rawType, "uint16");
    EXPECT_EQ(files.dark, "Offset.raw");
    EXPECT_EQ(files.flat, "Gain.raw");
    // The other file is in UTF-16.
    EXPECT_EQ(test::statementOf(found, "projections.dark").places.front(),
              "Recon.mnri:22 [Frame] DarkFrameName");
    EXPECT_EQ(test::statementOf(found, "trajectory.sourceToIsocenterMm").places.front(),
              "Recon.prm:20 MM_SOD");
    EXPECT_EQ(test::problemsOf(found, Severity::error), "");
    // 0.13845 mm · 47 / 430 = 0.015132 mm against 0.0149 mm
    EXPECT_NE(test::problemsOf(found, Severity::warning).find("make 0.0151324 mm"),
              std::string::npos);
}

TEST(Rigaku, UnevenAnglesAreListedInDegrees) {
    const test::TemporaryFolder folder;
    fs::copy_file(prm(), folder / "a.prm");
    test::changed(test::headers("rigaku") / "Angle.prm", folder / "Angle.prm", "0.013228",
                  "0.014228");
    const ScanDescription found = readScanDescription(folder / "a.prm");
    const std::vector<double>& angles = found.scan.geometry.angles().anglesDeg;
    ASSERT_EQ(angles.size(), 950);
    EXPECT_NEAR(angles[2], -0.014228 * 180 / 3.14159265358979, 1e-9);
    EXPECT_EQ(found.scan.projections.files, "0???.raw");

    test::changed(prm(), folder / "b.prm", "= 950", "= 951");
    EXPECT_ERROR((void)readScanDescription(folder / "b.prm"), InputError,
                 "has 950 angles; PROJECTION in b.prm is 951");
    fs::remove(folder / "Angle.prm");
    EXPECT_NE(test::problemsOf(readScanDescription(folder / "a.prm"), Severity::warning)
                  .find("even steps are taken"),
              std::string::npos);
}

TEST(Rigaku, QuartersOfATurnAreRefused) {
    const test::TemporaryFolder folder;
    EXPECT_ERROR((void)readDescribedScan(test::changed(prm(), folder / "a.prm", "DET_ROTATION = 2",
                                                       "DET_ROTATION = 1")),
                 InputError, "quarters of a turn");
}

}  // namespace
}  // namespace gantry
