#include "core/io/scan_file/pose_file.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/io/scan_file/scan_file.h"
#include "tests/core/geometry/random_geometry.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

namespace gantry {
namespace {

class PoseFile : public testing::Test {
  protected:
    static std::vector<ViewPose> somePoses() {
        test::RandomGeometry random(4);
        return random.jittered(random.aligned(), 1, 0.5).poses()->poses();
    }
    std::filesystem::path write(const std::string& text) {
        writeFileAtomically(m_folder / "poses.csv", text);
        return m_folder / "poses.csv";
    }
    void refused(const std::string& text, const char* reason) {
        EXPECT_ERROR((void)readPoseFile(write(text)), InputError, reason);
    }
    // A scan.json with those poses, as its field has them.
    ScanFile scanWith(const std::string& poses, const std::string& detector = "") {
        return parseScan(fmt::format(R"({{"gantryScan": 1,
              "trajectory": {{"type": "calibrated-poses", "poses": {}}},
              "detector": {{"columns": 64, "rows": 48{}}},
              "projections": {{"files": "proj", "kind": "attenuation"}}}})",
                                     poses, detector),
                         m_folder / "scan.json");
    }

    test::TemporaryFolder m_folder;
    const std::string m_header =
        "sourceXMm,sourceYMm,sourceZMm,detectorXMm,detectorYMm,detectorZMm,"
        "uXMm,uYMm,uZMm,vXMm,vYMm,vZMm\n";
    const std::string m_good = "0,-500,0,0,250,0,0.4,0,0,0,0,0.4\n";
};

TEST_F(PoseFile, IsReadBackAsItWasWritten) {
    const std::vector<ViewPose> poses = somePoses();
    EXPECT_EQ(readPoseFile(write(toPoseCsv(poses))), poses);
}

TEST_F(PoseFile, TakesColumnsInAnyOrderAndPassesRemarksOver) {
    const auto poses = readPoseFile(
        write("\xef\xbb\xbf# calibrated\r\n"
              "view, vZMm,vYMm,vXMm,uXMm,uYMm,uZMm,detectorXMm,detectorYMm,detectorZMm,sourceXMm,"
              "sourceYMm,sourceZMm\r\n\r\n 0, 0.4,0,0,0.3,0,0,1,250,2,3,-500,4\r\n"));
    ASSERT_EQ(poses.size(), 1U);
    EXPECT_EQ(poses[0].sourceMm, (Vec3{3, -500, 4}));
    EXPECT_EQ(poses[0].detectorCenterMm, (Vec3{1, 250, 2}));
    EXPECT_EQ(poses[0].uStepMm, (Vec3{0.3, 0, 0}));
    EXPECT_EQ(poses[0].vStepMm, (Vec3{0, 0, 0.4}));
}

TEST_F(PoseFile, NamesTheLineAndTheColumn) {
    refused("", "poses.csv holds no poses");
    refused(m_header, "poses.csv holds no poses");
    refused("a\x01,b\n", "poses.csv, line 1: the column 'a ' is unknown; known are view, source");
    refused("sourceXMm,sourceXMm\n", "line 1: the column sourceXMm is named twice");
    refused("#\nsourceXMm,sourceYMm\n", "line 2: the column sourceZMm is missing");
    refused(m_header + m_good + "0,-500,0\n", "line 3: there are 3 values for 12 columns");
    refused(m_header + "0,-500,0,0,250,0,0.4,0,0,0,nan,0.4\n",
            "line 2: vYMm is 'nan', which is not a finite number");
    refused(m_header + "0,-500,1e999,0,250,0,0.4,0,0,0,0,0.4\n", "line 2: sourceZMm is '1e999'");
    refused(m_header + m_good + "\n0,-500,0,0,250,0,-0.4,0,0,0,0,0.4\n",
            "line 4: view 1 shows the detector mirrored");
    refused("view," + m_header + "0," + m_good + "2," + m_good,
            "line 3: view is 2, where 1 follows");
    std::string endless = m_header;
    for (int i = 0; i <= 1'000'000; ++i)
        endless += m_good;
    refused(endless, "line 1000002: there are more than 1000000 views");
}

TEST_F(PoseFile, AScanNamesItOrListsThePoses) {
    const std::vector<ViewPose> poses = somePoses();
    (void)write(toPoseCsv(poses));
    const ScanFile named = scanWith("\"poses.csv\"");
    ASSERT_NE(named.geometry.poses(), nullptr);
    EXPECT_EQ(named.geometry.poses()->poses(), poses);
    EXPECT_EQ(named.geometry.detector.columns, 64);
    EXPECT_NEAR(named.geometry.detector.pitchMm[0], length(poses[0].uStepMm), 1e-9);
    ScanFile moved = named;
    moved.geometry.detector.offsetMm = {0.5, 0};
    moved.geometry.detector.tiltDeg = 1;
    EXPECT_EQ(parseScan(toJson(moved), m_folder / "again.json").geometry, moved.geometry);
    const ScanFile listed = parseScan(toJson(named), m_folder / "again.json");
    EXPECT_EQ(listed.geometry, named.geometry);
    EXPECT_EQ(listed.projections.firstRowIsTop, true);
}

TEST_F(PoseFile, AScanSaysWhichFieldIsWrong) {
    const auto wrong = [&](const std::string& poses, const char* reason,
                           const std::string& detector = "") {
        EXPECT_ERROR((void)scanWith(poses, detector), InputError, reason);
    };
    const std::string pose = "[0,-500,0,0,250,0,0.4,0,0,0,0,0.4]";
    wrong("[]", "scan.json: trajectory.poses must be a list of poses");
    wrong("[" + pose + ", [1,2]]", "trajectory.poses[1] must be a list of 12 numbers");
    wrong("[[0,-500,null,0,250,0,0.4,0,0,0,0,0.4]]", "trajectory.poses[0][2] is null");
    wrong("[" + pose + "], \"views\": 2", "trajectory.views is 2, but poses lists 1");
    wrong("[" + pose + "], \"startDeg\": 2", "trajectory.startDeg is an unknown field");
    wrong("[" + pose + "]", "detector.pitch is an unknown field", ", \"pitch\": 1");
}

}  // namespace
}  // namespace gantry
