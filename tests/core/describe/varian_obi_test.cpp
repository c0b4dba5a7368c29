#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <string>

#include "tests/core/describe/described.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

namespace gantry {
namespace {

namespace fs = std::filesystem;

// The names are those that an open reader looks for. Scans with images: tests/cli/test_scanners.py.
void writeObi(const fs::path& folder, const std::string& fan) {
    writeFileAtomically(folder / "ProjectionInfo.xml",
                        "<?xml version=\"1.0\"?>\n<Info><Calibration>\n"
                        "<CalibratedSAD>1000</CalibratedSAD>\n<CalibratedSID>1500</CalibratedSID>\n"
                        "<CalibratedDetectorOffsetX>0.5</CalibratedDetectorOffsetX>\n"
                        "<CalibratedDetectorOffsetY>-2</CalibratedDetectorOffsetY>\n"
                        "</Calibration><DetectorPosLat>-148</DetectorPosLat>\n<FanType>" +
                            fan + "</FanType></Info>\n");
}

// An image of a row of 4 pixels.
void writeRow(const fs::path& file, double angleDeg) {
    std::string bytes(1024 + 4 * 4, '\0');
    const auto put = [&](std::size_t at, auto value) {
        std::memcpy(bytes.data() + at, &value, sizeof value);
    };
    put(120, std::uint32_t{4});
    put(124, std::uint32_t{1});
    put(352, 0.388);
    put(360, 0.776);
    put(432, angleDeg);
    writeFileAtomically(file, bytes);
}

TEST(VarianObi, DistancesAreOfTheFileAndTheRestOfItsImages) {
    const test::TemporaryFolder folder;
    writeObi(folder.path(), "HalfFan");
    fs::create_directory(folder / "Scan0");
    for (int view = 0; view < 6; ++view)
        writeRow(folder / ("Scan0/Proj_" + std::to_string(view) + ".hnd"), (200 + 60 * view) % 360);
    const ScanDescription found = readScanDescription(folder / "ProjectionInfo.xml");
    const ScanGeometry& geometry = found.scan.geometry;
    EXPECT_EQ(found.format, "Varian OBI");
    EXPECT_EQ(found.scan.projections.files, "Scan0/*.hnd");
    EXPECT_DOUBLE_EQ(geometry.cone().sourceToIsocenterMm, 1000);
    EXPECT_DOUBLE_EQ(geometry.cone().sourceToDetectorMm, 1500);
    EXPECT_EQ(geometry.detector.columns, 4);
    EXPECT_DOUBLE_EQ(geometry.detector.pitchMm[1], 0.776);
    EXPECT_DOUBLE_EQ(geometry.detector.offsetMm[0], -147.5);
    EXPECT_DOUBLE_EQ(geometry.detector.offsetMm[1], -2);
    EXPECT_FALSE(found.scan.projections.firstRowIsTop);
    EXPECT_EQ(geometry.angles().anglesDeg, (std::vector<double>{200, 260, 320, 380, 440, 500}));
    EXPECT_EQ(test::statementOf(found, "trajectory.sourceToIsocenterMm").places.front(),
              "ProjectionInfo.xml:3 [Calibration] CalibratedSAD");
    EXPECT_EQ(test::unknownKeys(found), 0);
    writeObi(folder.path(), "FullFan");
    const ScanDescription full =
        readScanDescription(folder / "ProjectionInfo.xml", {{"mirrored", "yes"}});
    EXPECT_DOUBLE_EQ(full.scan.geometry.detector.offsetMm[0], -0.5);
}

TEST(VarianObi, AFileWithoutImagesIsRefused) {
    const test::TemporaryFolder folder;
    writeObi(folder.path(), "HalfFan");
    EXPECT_THROW((void)readScanDescription(folder / "ProjectionInfo.xml"), InputError);
    writeFileAtomically(folder / "a.hnd", "short");
    EXPECT_ERROR((void)readScanDescription(folder / "ProjectionInfo.xml"), InputError,
                 "none of the 1 .hnd images can be read");
}

}  // namespace
}  // namespace gantry
