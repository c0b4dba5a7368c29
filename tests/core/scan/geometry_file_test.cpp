#include "core/scan/geometry_file.h"

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/base/file.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

namespace gantry {
namespace {

namespace fs = std::filesystem;

ScanGeometry circle() {
    ScanGeometry geometry;
    geometry.cone().sourceToIsocenterMm = 600;
    geometry.cone().sourceToDetectorMm = 1200;
    geometry.cone().views = 18;
    geometry.detector = {.columns = 25, .rows = 16, .pitchMm = {16, 12}, .offsetMm = {3, -2}};
    return geometry;
}

ExchangedGeometry read(const fs::path& path, const std::optional<StatedGeometry>& images = {}) {
    Detector sizeAlone = circle().detector;
    sizeAlone.offsetMm = {};
    return readGeometryFile(path, geometryFormatOf(path), sizeAlone, images);
}

TEST(GeometryFile, ComesBackThroughEveryFormat) {
    const test::TemporaryFolder folder;
    for (const char* name : {"geometry.xml", "Geometrie \"ä\".XML", "vectors.txt", "vectors"}) {
        writeGeometryFile(folder / name, geometryFormatOf(name), {circle(), true});
        const ScanGeometry found = read(folder / name).geometry;
        EXPECT_EQ(found.views(), 18) << name;
        EXPECT_EQ(found.detector.columns, 25) << name;
        EXPECT_NEAR(found.cone().sourceToDetectorMm, 1200, 1e-6) << name;
        EXPECT_NEAR(found.detector.offsetMm[0], 3, 1e-6) << name;
    }
}

TEST(GeometryFile, ATextIsAstrasOrLeaps) {
    const test::TemporaryFolder folder;
    writeGeometryFile(folder / "vectors.txt", GeometryFormat::astra, {circle(), true});
    EXPECT_EQ(geometryFormatAt(folder / "vectors.txt").geometry, GeometryFormat::astra);
    writeFileAtomically(folder / "leap.cfg", "# of LEAP\nnumX = 3\n  geometry = cone\n");
    EXPECT_EQ(geometryFormatAt(folder / "leap.cfg").geometry, GeometryFormat::leap);
    EXPECT_ERROR(writeGeometryFile(folder / "leap.cfg", GeometryFormat::leap, {circle(), {}}),
                 InputError, "Cannot export");
}

TEST(GeometryFile, RowOrderIsTheFilesOrTheImages) {
    const test::TemporaryFolder folder;
    for (const bool isTop : {true, false}) {
        writeGeometryFile(folder / "v.txt", GeometryFormat::astra, {circle(), isTop});
        EXPECT_EQ(read(folder / "v.txt").firstRowIsTop, isTop);
        writeGeometryFile(folder / "g.xml", GeometryFormat::rtk, {circle(), isTop});
        EXPECT_EQ(read(folder / "g.xml").firstRowIsTop, std::nullopt);
        StatedGeometry images;
        images.firstRowIsTop = isTop;
        images.pitchMm = {8, 6};
        images.offsetMm = {10, 1};
        const ExchangedGeometry found = read(folder / "g.xml", images);
        EXPECT_EQ(found.firstRowIsTop, isTop);
        EXPECT_EQ(found.geometry.detector.pitchMm, (std::array<double, 2>{8, 6}));
        EXPECT_NEAR(found.geometry.detector.offsetMm[0], 13, 1e-9);
        EXPECT_NEAR(found.geometry.detector.offsetMm[1], -1, 1e-9);
    }
}

// What a file cannot say of the images is said beside it; ASTRA's vectors say all of it.
TEST(GeometryFile, WhatImagesNeedForAnotherProgramIsSaid) {
    const auto note = [](GeometryFormat format, bool isTop, bool isMirrored) {
        return imagesNote(format, {circle(), isTop, isMirrored});
    };
    EXPECT_EQ(note(GeometryFormat::rtk, false, false), "");
    EXPECT_NE(note(GeometryFormat::rtk, true, false).find("turn them upside down"),
              std::string::npos);
    EXPECT_NE(note(GeometryFormat::rtk, false, true).find("mirror them"), std::string::npos);
    EXPECT_NE(note(GeometryFormat::rtk, true, true).find("rotate them by 180°"), std::string::npos);
    EXPECT_EQ(note(GeometryFormat::astra, true, true), "");
    EXPECT_EQ(note(GeometryFormat::poses, true, true), "");
}

TEST(GeometryFile, TakesThatOfAScan) {
    const test::TemporaryFolder folder;
    ScanFile scan;
    scan.geometry = circle();
    scan.projections.files = "proj/*.tif";
    scan.projections.kind = ProjectionKind::attenuation;
    scan.projections.firstRowIsTop = false;
    scan.projections.isMirrored = true;
    writeFileAtomically(folder / "scan.json", toJson(scan));
    EXPECT_EQ(read(folder / "scan.json").geometry, circle());
    EXPECT_EQ(read(folder / "scan.json").firstRowIsTop, false);
    EXPECT_EQ(read(folder / "scan.json").isMirrored, true);
    EXPECT_ERROR(writeGeometryFile(folder / "geometry.json", GeometryFormat::scan, {circle(), {}}),
                 InputError, ".xml (RTK)");
}

TEST(GeometryFile, SaysWhatIsWrong) {
    const test::TemporaryFolder folder;
    writeFileAtomically(folder / "other.xml", "<html></html>");
    EXPECT_ERROR((void)read(folder / "other.xml"), InputError, "other.xml");
    EXPECT_ERROR((void)read(folder / "missing.txt"), InputError, "missing.txt");
    ScanGeometry wrong = circle();
    wrong.cone().sourceToDetectorMm = 1;
    EXPECT_ERROR(writeGeometryFile(folder / "wrong.xml", GeometryFormat::rtk, {wrong, {}}),
                 InputError, "sourceToDetectorMm");
    EXPECT_FALSE(pathExists(folder / "wrong.xml"));
}

}  // namespace
}  // namespace gantry
