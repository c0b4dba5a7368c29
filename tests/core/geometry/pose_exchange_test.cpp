#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/geometry/exchange/exchange.h"
#include "tests/core/geometry/expect_same_poses.h"
#include "tests/core/geometry/random_geometry.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

namespace gantry {
namespace {

class PoseExchange : public testing::Test {
  protected:
    static ScanGeometry jittered(unsigned seed) {
        test::RandomGeometry random(seed);
        ScanGeometry scan = random.aligned();
        scan.cone().views += 20;
        return random.jittered(scan, 1, 0.5);
    }
    std::filesystem::path write(const char* name, const std::string& text) {
        const std::filesystem::path path = m_folder / name;
        writeFileAtomically(path, text);
        return path;
    }
    test::TemporaryFolder m_folder;
};

TEST_F(PoseExchange, AstraVectorsComeBackAsTheyWere) {
    for (unsigned seed = 0; seed < 10; ++seed) {
        const ScanGeometry scan = jittered(seed);
        for (const bool topFirst : {true, false}) {
            const ExchangedGeometry found =
                readAstraVectors(write("vectors.txt", toAstraVectors({scan, topFirst})),
                                 scan.detector.columns, scan.detector.rows);
            ASSERT_NE(found.geometry.poses(), nullptr);
            EXPECT_EQ(found.firstRowIsTop, topFirst);
            EXPECT_EQ(found.geometry.poses()->poses(), scan.poses()->poses());
        }
    }
}

TEST_F(PoseExchange, RtkXmlComesBackAsItWas) {
    for (unsigned seed = 0; seed < 10; ++seed) {
        const ScanGeometry scan = jittered(seed);
        const Detector& detector = scan.detector;
        const ScanGeometry found =
            readRtkGeometry(write("geometry.xml", toRtkXml(scan)),
                            {detector.columns, detector.rows, detector.pitchMm, {0, 0}});
        ASSERT_NE(found.poses(), nullptr);
        test::expectSamePoses(found, scan);
    }
}

TEST_F(PoseExchange, RtkHasOnePitch) {
    const ScanGeometry scan = jittered(1);
    std::vector<ViewPose> poses = scan.poses()->poses();
    poses[3].uStepMm = 1.01 * poses[3].uStepMm;
    EXPECT_ERROR((void)toRtkXml(geometryOfPoses(poses, 8, 8)), InputError,
                 "RTK has one pitch for all images: view");
}

TEST_F(PoseExchange, NamesTheLineOfAPoseThatIsWrong) {
    ScanGeometry scan = jittered(2);
    std::vector<ViewPose> poses = scan.poses()->poses();
    poses[4].vStepMm = poses[4].vStepMm + 0.1 * poses[4].uStepMm;
    const auto path =
        write("vectors.txt", "# one\n" + toAstraVectors({geometryOfPoses(poses, 8, 8), false}));
    EXPECT_ERROR((void)readAstraVectors(path, 8, 8), InputError,
                 "vectors.txt: line 6: view 4 has pixel steps at");
}

}  // namespace
}  // namespace gantry
