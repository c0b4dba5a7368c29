#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <fstream>
#include <pugixml.hpp>
#include <sstream>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/geometry/exchange/exchange.h"
#include "core/geometry/exchange/rtk_projection.h"
#include "core/geometry/views/projection_matrix.h"
#include "tests/core/geometry/expect_same_poses.h"
#include "tests/core/geometry/random_geometry.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

namespace gantry {
namespace {

using Matrix4 = std::array<std::array<double, 4>, 4>;

// Written by RTK 2 (itk-rtk) for SID 1000, SDD 1536.123456789, angles from -30.3 in steps of
// -200/7, projection offsets 10.5 and -7.25, out of plane 1.25, in plane -2.75, source offsets 3.3
// and -4.4.
constexpr const char* kWrittenByRtk = R"(<?xml version="1.0"?>
<!DOCTYPE RTKGEOMETRY>
<RTKThreeDCircularGeometry version="3">
    <SourceToIsocenterDistance>1000</SourceToIsocenterDistance>
    <SourceToDetectorDistance>1536.123456789</SourceToDetectorDistance>
    <SourceOffsetX>3.3</SourceOffsetX>
    <SourceOffsetY>-4.4</SourceOffsetY>
    <ProjectionOffsetX>10.5</ProjectionOffsetX>
    <ProjectionOffsetY>-7.25</ProjectionOffsetY>
    <InPlaneAngle>357.25</InPlaneAngle>
    <OutOfPlaneAngle>1.25</OutOfPlaneAngle>
  <Projection>
    <GantryAngle>329.7</GantryAngle>
    <Matrix>
         -1321.9342203349    73.8398571243058   -778.951029978655    12269.2074074037
         -48.182666989202   -1534.05147387208   -63.6231334508614    -9608.9432098716
       -0.504407559903113 -0.0218148850345611     0.8631900858464               -1000
    </Matrix>
  </Projection>
  <Projection>
    <GantryAngle>301.128571428571</GantryAngle>
    <Matrix>
        -788.414721635997    73.8398571243058   -1316.31189947705    12269.2074074037
        -11.8870409072012   -1534.05147387208   -78.9187605501315    -9608.9432098716
       -0.855805693740468 -0.0218148850345611   0.516837232939273               -1000
    </Matrix>
  </Projection>
  <Projection>
    <GantryAngle>272.557142857143</GantryAngle>
    <Matrix>
        -62.8714142719322    73.8398571243058   -1533.07598483072    12269.2074074037
          27.303755452725   -1534.05147387208   -74.9931826666681    -9608.9432098716
       -0.998766485808794 -0.0218148850345611  0.0446051299300876               -1000
    </Matrix>
  </Projection>
  <Projection>
    <GantryAngle>243.985714285714</GantryAngle>
    <Matrix>
         677.984656912181    73.8398571243058   -1376.44890751125    12269.2074074037
         59.8445350524174   -1534.05147387208    -52.802501196993    -9608.9432098716
       -0.898470855452439 -0.0218148850345611  -0.438490858164103               -1000
    </Matrix>
  </Projection>
</RTKThreeDCircularGeometry>
)";

Matrix4 product(const Matrix4& a, const Matrix4& b) {
    Matrix4 result{};
    for (std::size_t i = 0; i < 4; ++i)
        for (std::size_t j = 0; j < 4; ++j)
            for (std::size_t k = 0; k < 4; ++k)
                result[i][j] += a[i][k] * b[k][j];
    return result;
}

// Rotation by an angle that turns axis a towards axis b.
Matrix4 rotation(std::size_t a, std::size_t b, double angleDeg) {
    Matrix4 matrix{{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}}};
    matrix[a][a] = matrix[b][b] = std::cos(radians(angleDeg));
    matrix[b][a] = std::sin(radians(angleDeg));
    matrix[a][b] = -matrix[b][a];
    return matrix;
}

// What the tags of one projection say, straight from the XML.
struct Tags {
    double gantry, inPlane, outOfPlane, sid, sdd, sx, sy, px, py;
};

// RTK's documented product, from its world to mm on the detector.
Matrix4 documentedMatrix(const Tags& t) {
    const Matrix4 r = product(product(rotation(0, 1, -t.inPlane), rotation(1, 2, -t.outOfPlane)),
                              rotation(2, 0, -t.gantry));
    const Matrix4 source{{{1, 0, 0, -t.sx}, {0, 1, 0, -t.sy}, {0, 0, 1, 0}, {0, 0, 0, 1}}};
    const Matrix4 magnify{{{-t.sdd, 0, 0, 0}, {0, -t.sdd, 0, 0}, {0, 0, 1, -t.sid}, {0, 0, 0, 1}}};
    const Matrix4 detector{
        {{1, 0, t.sx - t.px, 0}, {0, 1, t.sy - t.py, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}}};
    return product(product(detector, magnify), product(source, r));
}

std::vector<Tags> tagsOf(const std::string& xml) {
    pugi::xml_document document;
    EXPECT_TRUE(document.load_string(xml.c_str()));
    const pugi::xml_node root = document.document_element();
    const auto global = [&](const char* name) { return root.child(name).text().as_double(); };
    std::vector<Tags> all;
    for (const pugi::xml_node projection : root.children("Projection"))
        all.push_back({projection.child("GantryAngle").text().as_double(), global("InPlaneAngle"),
                       global("OutOfPlaneAngle"), global("SourceToIsocenterDistance"),
                       global("SourceToDetectorDistance"), global("SourceOffsetX"),
                       global("SourceOffsetY"), global("ProjectionOffsetX"),
                       global("ProjectionOffsetY")});
    return all;
}

// The Matrix tags as they stand in the file.
std::vector<Matrix4> matricesOf(const std::string& xml) {
    pugi::xml_document document;
    EXPECT_TRUE(document.load_string(xml.c_str()));
    std::vector<Matrix4> all;
    for (const pugi::xml_node projection : document.document_element().children("Projection")) {
        std::istringstream numbers(projection.child("Matrix").text().as_string());
        Matrix4& matrix = all.emplace_back();
        for (std::size_t i = 0; i < 3; ++i)
            for (std::size_t j = 0; j < 4; ++j)
                numbers >> matrix[i][j];
        EXPECT_FALSE(numbers.fail());
    }
    return all;
}

// Pixel that one of RTK's matrices puts a point of our world on (X=x, Y=-z, Z=y).
std::array<double, 2> pixelOf(const Matrix4& matrix, Vec3 p, const Detector& detector) {
    const std::array<double, 4> rtk = {p.x, p.z, -p.y, 1};
    std::array<double, 3> image{};
    for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t j = 0; j < 4; ++j)
            image[i] += matrix[i][j] * rtk[j];
    return {
        image[0] / image[2] / detector.pitchMm[0] + (static_cast<double>(detector.columns) - 1) / 2,
        image[1] / image[2] / detector.pitchMm[1] + (static_cast<double>(detector.rows) - 1) / 2};
}

void expectSamePixels(const std::vector<Matrix4>& rtk, const ScanGeometry& geometry,
                      double tolerance) {
    test::RandomGeometry random(61);
    ASSERT_EQ(static_cast<Index>(rtk.size()), geometry.views());
    const std::vector<ProjectionMatrix> ours = projectionMatrices(geometry);
    for (std::size_t s = 0; s < rtk.size(); ++s) {
        const Vec3 p = {random.between(-60, 60), random.between(-60, 60), random.between(-60, 60)};
        const auto expected = pixelOf(rtk[s], p, geometry.detector);
        const ProjectionMatrix::Point found = ours[s].project(p.x, p.y, p.z);
        EXPECT_NEAR(found.u, expected[0], tolerance) << "view " << s;
        EXPECT_NEAR(found.v, expected[1], tolerance) << "view " << s;
    }
}

class RtkGeometry : public testing::Test {
  protected:
    ScanGeometry read(const std::string& text,
                      const Detector& detector = {.columns = 200,
                                                  .rows = 101,
                                                  .pitchMm = {0.8, 0.5}},
                      const std::array<double, 2>& imageMiddleMm = {0, 0}) const {
        std::ofstream(m_folder / "geometry.xml") << text;
        return readRtkGeometry(m_folder / "geometry.xml",
                               {detector.columns, detector.rows, detector.pitchMm, imageMiddleMm});
    }

  private:
    test::TemporaryFolder m_folder;
};

std::string document(const std::string& body) {
    return "<?xml version=\"1.0\"?>\n<!DOCTYPE RTKGEOMETRY>\n"
           "<RTKThreeDCircularGeometry version=\"3\">\n" +
           body + "</RTKThreeDCircularGeometry>\n";
}

const std::string kDistances =
    "<SourceToIsocenterDistance>1000</SourceToIsocenterDistance>\n"
    "<SourceToDetectorDistance>1500</SourceToDetectorDistance>\n";

TEST_F(RtkGeometry, AFileOfRtkProjectsAsItsMatricesDo) {
    const ScanGeometry geometry = read(kWrittenByRtk);
    EXPECT_NEAR(geometry.cone().startDeg, 329.7, 1e-11);
    EXPECT_NEAR(geometry.cone().arcDeg, -4 * 200.0 / 7, 1e-10);  // the file has 15 digits
    EXPECT_TRUE(geometry.cone().anglesDeg.empty());
    EXPECT_NEAR(geometry.detector.rollDeg, -2.75, 1e-11);
    EXPECT_NEAR(geometry.detector.tiltDeg, -1.25, 1e-11);
    // 15 digits of a matrix that is divided by a depth of 10³ mm.
    expectSamePixels(matricesOf(kWrittenByRtk), geometry, 1e-9);
}

TEST_F(RtkGeometry, WrittenTagsAndMatricesProjectAsTheScanDoes) {
    test::RandomGeometry random(62);
    for (int i = 0; i < 60; ++i) {
        const ScanGeometry geometry = i % 2 == 0 ? random.tilted() : random.listed();
        const std::string xml = toRtkXml(geometry);
        std::vector<Matrix4> documented;
        for (const Tags& tags : tagsOf(xml))
            documented.push_back(documentedMatrix(tags));
        // Pixel coordinates of 10³ from products of 10³ mm by 10³ mm.
        expectSamePixels(documented, geometry, 1e-8);
        expectSamePixels(matricesOf(xml), geometry, 1e-8);
    }
}

TEST_F(RtkGeometry, RoundTripKeepsEveryPose) {
    test::RandomGeometry random(63);
    for (int i = 0; i < 120; ++i) {
        const ScanGeometry geometry = i % 3 == 0   ? random.aligned()
                                      : i % 3 == 1 ? random.tilted()
                                                   : random.listed();
        const ScanGeometry found = read(toRtkXml(geometry), geometry.detector);
        test::expectSamePoses(found, geometry);
        EXPECT_EQ(found.detector.pitchMm, geometry.detector.pitchMm);
    }
}

TEST_F(RtkGeometry, AnAlignedScanKeepsItsNumbers) {
    ScanGeometry geometry;
    geometry.cone().sourceToIsocenterMm = 600.1;
    geometry.cone().sourceToDetectorMm = 1200.3;
    geometry.cone().sourceOffsetMm = {1.7, -2.9};
    geometry.cone().startDeg = 12.3;
    geometry.cone().arcDeg = -360;
    geometry.cone().views = 720;
    geometry.detector = {.columns = 64, .rows = 32, .pitchMm = {0.4, 0.3}, .offsetMm = {-5.1, 0.7}};
    EXPECT_EQ(read(toRtkXml(geometry), geometry.detector), geometry);
}

TEST_F(RtkGeometry, OffsetsOfOneMillimetreAreKept) {
    for (const double sign : {1.0, -1.0}) {
        ScanGeometry geometry;
        geometry.cone().sourceToIsocenterMm = 600;
        geometry.cone().sourceToDetectorMm = 1100;
        geometry.cone().sourceOffsetMm = {sign, -sign};
        geometry.cone().views = 30;
        geometry.detector = {
            .columns = 64, .rows = 32, .pitchMm = {0.4, 0.3}, .offsetMm = {-sign, sign}};
        const ScanGeometry found = read(toRtkXml(geometry), geometry.detector);
        EXPECT_EQ(found.cone().sourceOffsetMm, geometry.cone().sourceOffsetMm);
        EXPECT_EQ(found.detector.offsetMm, geometry.detector.offsetMm);
    }
}

// RTK adds the place of the image's middle to the projection's offset, in the rolled detector.
TEST_F(RtkGeometry, TheImagesOwnPlaceIsAdded) {
    test::RandomGeometry random(65);
    for (int i = 0; i < 40; ++i) {
        const ScanGeometry geometry = i % 2 == 0 ? random.aligned() : random.tilted();
        const std::array<double, 2> middleMm = {random.between(-20, 20), random.between(-9, 9)};
        ScanGeometry withoutPlace = geometry;
        withoutPlace.detector.offsetMm = {};
        std::string xml = toRtkXml(withoutPlace);
        const ScanGeometry found = read(xml, geometry.detector, middleMm);
        ASSERT_EQ(found.views(), geometry.views());
        for (Index s = 0; s < found.views(); ++s) {
            const ViewPose bare = viewPose(withoutPlace, s);
            const Vec3 expected = bare.detectorCenterMm +
                                  (middleMm[0] / length(bare.uStepMm)) * bare.uStepMm +
                                  (middleMm[1] / length(bare.vStepMm)) * bare.vStepMm;
            EXPECT_LT(length(viewPose(found, s).detectorCenterMm - expected), 1e-9);
        }
    }
}

TEST_F(RtkGeometry, WrittenAnglesLieInOneTurn) {
    ScanGeometry geometry;
    geometry.cone().sourceToIsocenterMm = 600;
    geometry.cone().sourceToDetectorMm = 1100;
    geometry.cone().startDeg = -500.5;
    geometry.cone().arcDeg = 720;
    geometry.cone().views = 17;
    geometry.detector = {.columns = 64, .rows = 32, .pitchMm = {0.4, 0.3}};
    const std::vector<Tags> all = tagsOf(toRtkXml(geometry));
    EXPECT_EQ(all.size(), 17U);
    for (const Tags& tags : all) {
        EXPECT_GE(tags.gantry, 0);
        EXPECT_LT(tags.gantry, 360);
    }
}

TEST_F(RtkGeometry, TheAngleOfAPoseLiesInOneTurn) {
    const ScanGeometry geometry = test::RandomGeometry(64).aligned();
    for (const double angle : {0.0, 90.0, 180.5, 270.0, 359.5})
        EXPECT_NEAR(rtkProjection(viewPoseAt(geometry, angle)).gantryDeg, angle, 1e-10);
}

TEST_F(RtkGeometry, MissingTagsAreInherited) {
    const ScanGeometry geometry =
        read(document("<SourceToIsocenterDistance>1000</SourceToIsocenterDistance>\n"
                      "<Projection><SourceToDetectorDistance>1500</SourceToDetectorDistance>"
                      "<SourceOffsetX>4</SourceOffsetX><Angle>10</Angle></Projection>\n"
                      "<!-- a remark -->"
                      "<Projection><GantryAngle> 20 </GantryAngle></Projection>"
                      "<Projection><GantryAngle>30</GantryAngle></Projection>"));
    EXPECT_EQ(geometry.cone().sourceToDetectorMm, 1500);
    EXPECT_EQ(geometry.cone().sourceOffsetMm[0], 4);
    EXPECT_EQ(geometry.cone().startDeg, 10);
    EXPECT_NEAR(geometry.cone().arcDeg, 30, 1e-9);
}

TEST_F(RtkGeometry, TakesVersion2AndCollimation) {
    std::string text = document("<CollimationUInf>100</CollimationUInf>" + kDistances +
                                "<Projection><GantryAngle>0</GantryAngle></Projection>"
                                "<Projection><GantryAngle>180</GantryAngle></Projection>");
    text.replace(text.find("\"3\""), 3, "\"2\"");
    EXPECT_EQ(read(text).views(), 2);
}

TEST_F(RtkGeometry, SaysWhichValueIsWrong) {
    const auto refused = [&](const std::string& text, const char* reason) {
        EXPECT_ERROR((void)read(text), InputError, reason);
    };
    const std::string view = "<Projection><GantryAngle>0</GantryAngle></Projection>";
    refused("", "geometry.xml: line 1 is not well-formed XML");
    refused("no xml", "geometry.xml: line 1 is not well-formed XML");
    refused(document("<Projection>\n<GantryAngle>0</Gantry></Projection>"),
            "geometry.xml: line 5 is not well-formed XML");
    refused(document(kDistances), "geometry.xml holds no view");
    refused("<Geometry/>", "geometry.xml is not an RTK geometry: it begins with <Geometry>");
    refused("<RTKThreeDCircularGeometry/>", "the version is missing; Gantry reads 2 and 3");
    refused("<RTKThreeDCircularGeometry version='4'/>", "the version is 4");
    refused(document(view), "projection 0: SourceToIsocenterDistance is 0 mm or missing");
    refused(document(kDistances + view +
                     "<Projection><SourceToDetectorDistance>0</SourceToDetectorDistance>"
                     "</Projection>"),
            "projection 1: SourceToDetectorDistance is 0 mm or missing (RTK's sign of a parallel");
    refused(document(kDistances + "<Projection><GantryAngle>nan</GantryAngle></Projection>"),
            "projection 0: GantryAngle: 'nan' is not a finite number");
    refused(document("\n\n" + kDistances + view +
                     "\n<Projection>\n<GantryAngle>nan</GantryAngle></Projection>"),
            "geometry.xml: line 9: projection 1: GantryAngle: 'nan' is not a finite number");
    refused(document(kDistances + "<Projection><GantryAngle>1 2</GantryAngle></Projection>"),
            "projection 0: GantryAngle has 2 numbers");
    refused(document(kDistances + "<Projection><GantryAngle/></Projection>"),
            "projection 0: GantryAngle has 0 numbers");
    refused(document(kDistances + "<Projection><GantryAngel>1</GantryAngel></Projection>"),
            "projection 0: the tag <GantryAngel> is unknown");
    std::string endless = kDistances;
    for (int i = 0; i <= 1'000'000; ++i)
        endless += "<Projection/>";
    refused(document(endless), "projection 1000000: there are more than 1000000 views");
    refused(
        document("<RadiusCylindricalDetector>500</RadiusCylindricalDetector>" + kDistances + view),
        "RadiusCylindricalDetector is 500 mm; it must be 0, as only flat detectors");
}

TEST_F(RtkGeometry, RefusesAMatrixThatContradictsTheTags) {
    std::string text = kWrittenByRtk;
    const std::string value = "12269.2074074037";
    std::size_t second = text.find(value, text.find(value) + 1);
    text.replace(second, value.size(), "12269.5074074037");
    EXPECT_ERROR((void)read(text), InputError,
                 "projection 1: Matrix has 12269.50741 in row 1, column 4, where the other tags "
                 "give 12269.20741; a difference of up to 0.2454 is allowed");
    text.replace(second, value.size(), "12269.2079074037");  // RTK would take it too
    EXPECT_EQ(read(text).views(), 4);
    text.replace(second, value.size(), "                ");
    EXPECT_ERROR((void)read(text), InputError, "projection 1: Matrix has 11 numbers");
}

// MATLAB and C++ streams print six digits unless they are asked for more.
TEST_F(RtkGeometry, TakesMatricesAndAnglesOfSixDigits) {
    const auto document = [](int digits) {
        std::string text =
            "<RTKThreeDCircularGeometry version=\"3\">"
            "<SourceToIsocenterDistance>1000</SourceToIsocenterDistance>"
            "<SourceToDetectorDistance>1500</SourceToDetectorDistance>"
            "<ProjectionOffsetX>-160</ProjectionOffsetX>";
        for (int view = 0; view < 60; ++view) {
            RtkProjection projection;
            projection.gantryDeg = view * 5.91;
            projection.sourceToIsocenter = 1000;
            projection.sourceToDetector = 1500;
            projection.projectionOffsetX = -160;
            text += fmt::format("<Projection><GantryAngle>{:.{}g}</GantryAngle><Matrix>",
                                projection.gantryDeg, digits);
            for (const auto& row : rtkMatrix(projection))
                for (const double value : row)
                    text += fmt::format(" {:.{}g}", value, digits);
            text += "</Matrix></Projection>";
        }
        return text + "</RTKThreeDCircularGeometry>";
    };
    EXPECT_EQ(read(document(6)).views(), 60);
    EXPECT_ERROR((void)read(document(4)), InputError,
                 "Print matrices with more digits, or remove them all");
}

TEST_F(RtkGeometry, MakesPosesOfAnOrbitThatIsNoCircle) {
    const auto view = [](double angle, double sid) {
        return fmt::format(
            "<Projection><GantryAngle>{}</GantryAngle><SourceToIsocenterDistance>{}"
            "</SourceToIsocenterDistance></Projection>",
            angle, sid);
    };
    const ScanGeometry read4 = read(
        document(kDistances + view(0, 1000) + view(90, 1000) + view(180, 1002) + view(270, 1000)));
    ASSERT_NE(read4.poses(), nullptr);
    EXPECT_NEAR(length(read4.poses()->poses()[2].sourceMm), 1002, 1e-9);
    EXPECT_NEAR(length(read4.poses()->poses()[3].sourceMm), 1000, 1e-9);
}

}  // namespace
}  // namespace gantry
