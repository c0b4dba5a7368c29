#include "ui/workspace/geometry_file.h"

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"
#include "tests/ui/workspace/small_scan.h"

namespace gantry {
namespace {

TEST(GeometryFile, ComesBackThroughEveryFormat) {
    const test::TemporaryFolder folder;
    ScanGeometry geometry = test::smallScan().geometry;
    geometry.detector.offsetMm = {3, -2};
    for (const char* name : {"geometry.xml", "Geometrie \"ä\".XML", "vectors.txt", "vectors"}) {
        writeGeometryFile(folder / name, geometry);
        const ScanGeometry read = readGeometryFile(folder / name, geometry.detector);
        EXPECT_EQ(read.views(), geometry.views()) << name;
        EXPECT_EQ(read.detector.columns, geometry.detector.columns) << name;
        EXPECT_NEAR(read.cone().sourceToDetectorMm, 1200, 1e-6) << name;
        EXPECT_NEAR(read.detector.offsetMm[0], 3, 1e-6) << name;
    }
}

TEST(GeometryFile, TakesThatOfAScan) {
    const test::TemporaryFolder folder;
    const auto scan = test::makeScan(folder / "scan");
    EXPECT_EQ(readGeometryFile(scan, {}), test::smallScan().geometry);
    EXPECT_ERROR(writeGeometryFile(folder / "geometry.json", test::smallScan().geometry),
                 InputError, ".xml (RTK)");
}

TEST(GeometryFile, SaysWhatIsWrong) {
    const test::TemporaryFolder folder;
    writeFileAtomically(folder / "other.xml", "<html></html>");
    EXPECT_ERROR((void)readGeometryFile(folder / "other.xml", {}), InputError, "other.xml");
    EXPECT_ERROR((void)readGeometryFile(folder / "missing.txt", {}), InputError, "missing.txt");
    ScanGeometry wrong = test::smallScan().geometry;
    wrong.cone().sourceToDetectorMm = 1;
    EXPECT_ERROR(writeGeometryFile(folder / "wrong.xml", wrong), InputError, "sourceToDetectorMm");
    EXPECT_FALSE(pathExists(folder / "wrong.xml"));
}

}  // namespace
}  // namespace gantry
