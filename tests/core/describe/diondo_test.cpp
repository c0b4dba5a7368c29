#include <gtest/gtest.h>

#include <string>

#include "tests/core/describe/described.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

namespace gantry {
namespace {

namespace fs = std::filesystem;

// No real file is public; the names are those that open readers look for.
constexpr const char* kDiondoXml = R"(<?xml version="1.0"?>
<Project>
  <ScanParameter><HelixMode>false</HelixMode><Laminography>false</Laminography></ScanParameter>
  <Recon>
    <ProjectionDimX>64</ProjectionDimX><ProjectionDimY>48</ProjectionDimY>
    <ProjectionPixelSizeX>0.4</ProjectionPixelSizeX>
    <ProjectionPixelSizeY>0.4</ProjectionPixelSizeY>
    <ProjectionCount>80</ProjectionCount>
    <ProjectionCountPer360deg>120</ProjectionCountPer360deg>
    <ProjectionCenterOffsetX>-2.5</ProjectionCenterOffsetX>
  </Recon>
  <Geometrie>
    <SourceObjectDist>200</SourceObjectDist>
    <SourceDetectorDist>800</SourceDetectorDist>
    <Slices><string>123.45mm, 0</string></Slices>
  </Geometrie>
</Project>
)";

TEST(Diondo, AFileIsRead) {
    const test::TemporaryFolder folder;
    writeFileAtomically(folder / "scan.xml", kDiondoXml);
    fs::create_directory(folder / "Projection");
    writeFileAtomically(folder / "Projection/_0123,45_0000.raw", "pixels");
    const ScanDescription found = readScanDescription(folder / "scan.xml");
    const ScanGeometry& geometry = found.scan.geometry;
    EXPECT_EQ(found.format, "Diondo");
    EXPECT_DOUBLE_EQ(geometry.cone().sourceToIsocenterMm, 200);
    EXPECT_EQ(geometry.views(), 80);
    EXPECT_DOUBLE_EQ(geometry.angles().arcDeg, -240);
    EXPECT_NEAR(geometry.axisColumn(), 31.5 - 2.5, 1e-9);
    EXPECT_DOUBLE_EQ(geometry.cone().sourceOffsetMm[0], 2.5 * 0.4 / 4);
    EXPECT_EQ(found.scan.projections.files, "Projection/_0123,45_????.raw");
    EXPECT_EQ(found.scan.projections.rawType, "uint16");
    EXPECT_EQ(test::problemsOf(found, Problem::Severity::error), "");
}

TEST(Diondo, AHelixIsRefused) {
    const test::TemporaryFolder folder;
    std::string text = kDiondoXml;
    text.replace(text.find("false"), 5, "true");
    writeFileAtomically(folder / "scan.xml", text);
    EXPECT_ERROR((void)readDescribedScan(folder / "scan.xml"), InputError, "HelixMode is true");
}

}  // namespace
}  // namespace gantry
