#include "core/describe/view_shifts.h"

#include <gtest/gtest.h>

#include "core/base/file.h"
#include "core/geometry/views/projection_matrix.h"
#include "tests/core/describe/described.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

namespace gantry {
namespace {

// A log and, beside it, shifts in pixels of the camera, of which an image's pixel has 2 × 2.
std::filesystem::path written(const test::TemporaryFolder& folder) {
    writeFileAtomically(folder / "bone_TS.csv",
                        "Thermal\nshifts\nof\nbone\nnumber,x,y\n0,3.0,-1.0\n1,-5.0,0.5\n2,0,0\n");
    writeFileAtomically(
        folder / "bone_.log",
        "[System]\nScanner=SkyScan1173\nCamera Pixel Size (um)=50\n[Acquisition]\n"
        "Filename Prefix=bone\nNumber of Files=3\nNumber of Rows=40\nNumber of Columns=60\n"
        "Camera binning=2x2\nImage Pixel Size (um)=50\nObject to Source (mm)=100\n"
        "Rotation Step (deg)=120\nReference Intensity=60000\n");
    return folder / "bone_.log";
}

// Where the middle of the object is seen, in columns and rows of the image.
std::array<double, 2> middleIn(const ScanFile& scan, Index view) {
    const Detector& detector = scan.geometry.detector;
    const auto p = projectionMatrix(viewPose(scan.geometry, view), detector).project(0, 0, 0);
    const double v =
        scan.projections.firstRowIsTop ? static_cast<double>(detector.rows) - 1 - p.v : p.v;
    const double u =
        scan.projections.isMirrored ? static_cast<double>(detector.columns) - 1 - p.u : p.u;
    return {u, v};
}

TEST(ViewShifts, OfASkyscanTableMoveThePicturesWhereTheyAreUsed) {
    const test::TemporaryFolder folder;
    const std::filesystem::path file = written(folder);
    const ScanDescription unused = readScanDescription(file);
    EXPECT_TRUE(unused.scan.geometry.isCone());
    EXPECT_EQ(test::statementOf(unused, "trajectory.poses").note,
              "bone_TS.csv has shifts of up to 2.5 px.");
    const double expected[3][2] = {{1.5, -0.5}, {-2.5, 0.25}, {0, 0}};
    for (const char* mirrored : {"no", "yes"})
        for (const char* firstRow : {"top", "bottom"})
            for (const double sign : {1, -1}) {
                const Answers answers = {{"mirrored", mirrored}, {"firstRow", firstRow}};
                Answers used = answers;
                used["viewShifts"] = sign > 0 ? "stated" : "negated";
                const ScanFile still = readScanDescription(file, answers).scan;
                const ScanFile moved = readScanDescription(file, used).scan;
                for (Index view = 0; view < 3; ++view)
                    for (std::size_t axis = 0; axis < 2; ++axis)
                        EXPECT_NEAR(middleIn(moved, view)[axis] - middleIn(still, view)[axis],
                                    sign * expected[view][axis], 1e-9);
            }
}

TEST(ViewShifts, AreLevelBeyondTheirEnds) {
    const ViewShifts all = interpolated({1, 3}, {{2, 0}, {4, -1}}, 5);
    const ViewShifts expected = {{2, 0}, {2, 0}, {3, -0.5}, {4, -1}, {4, -1}};
    EXPECT_EQ(all, expected);
}

TEST(ViewShifts, ADamagedTableIsNamed) {
    const test::TemporaryFolder folder;
    const std::filesystem::path file = written(folder);
    writeFileAtomically(folder / "bone_TS.csv", "0,1,2\n2,1,2\n");
    EXPECT_ERROR((void)readScanDescription(file), InputError, "line 2: must have the number 1");
    writeFileAtomically(folder / "bone_TS.csv", "0,1,2\n");
    EXPECT_NE(test::problemsOf(readScanDescription(file), Problem::Severity::warning)
                  .find("shifts of 1 views, not of 3"),
              std::string::npos);
}

// The first points and the last one of a real scan's drift.
TEST(ViewShifts, OfAPhoenixScanAreInterpolated) {
    const test::TemporaryFolder folder;
    const std::filesystem::path file = folder / "a.pca";
    std::filesystem::copy_file(test::headers("ge") / "SCN230530_409.pca", file);
    writeFileAtomically(folder / "a.pcr",
                        "[SCO_Values]\nSCO_NumPoints=3\nSCO_0_Index=162\nSCO_0_Scale=1\n"
                        "SCO_0_X=-0.2\nSCO_0_Y=-0\nSCO_1_Index=324\nSCO_1_Scale=1.0003\n"
                        "SCO_1_X=0.1\nSCO_1_Y=0.4\nSCO_2_Index=1301\nSCO_2_X=-0.9\nSCO_2_Y=0.1\n");
    const ScanFile still = readScanDescription(file).scan;
    const ScanFile moved = readScanDescription(file, {{"viewShifts", "stated"}}).scan;
    const auto shift = [&](Index view, std::size_t axis) {
        return middleIn(moved, view)[axis] - middleIn(still, view)[axis];
    };
    EXPECT_NEAR(shift(0, 0), -0.2, 1e-6);
    EXPECT_NEAR(shift(161, 0), -0.2, 1e-6);
    EXPECT_NEAR(shift(242, 0), -0.05, 1e-6);
    EXPECT_NEAR(shift(242, 1), 0.2, 1e-6);
    EXPECT_NEAR(shift(323, 1), 0.4, 1e-6);
}

}  // namespace
}  // namespace gantry
