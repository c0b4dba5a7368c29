#include "core/io/scan_file/scan_file.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <random>

#include "tests/core/io/image_files.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

namespace gantry {
namespace {

using test::writeText;

constexpr const char* kWalnut = R"({ "gantryScan": 1, "name": "walnut",
  "trajectory": {"type": "circular-cone", "sourceToIsocenterMm": 600, "sourceToDetectorMm": 1200,
                 "startDeg": 5, "arcDeg": -360, "views": 720, "sourceOffsetMm": [0.5, -1]},
  "detector": {"columns": 1024, "rows": 768, "pitchMm": [0.4, 0.3], "offsetMm": [12.25, -3],
               "rollDeg": 0.1, "tiltDeg": 0.2, "slantDeg": 0.3, "firstRow": "bottom",
               "mirrored": true},
  "projections": {"files": "proj/*.tif", "kind": "counts", "dark": "dark/*.tif",
                  "flat": "flat/*.tif", "saturationValue": 65000, "badPixels": "bad.tif"},
  "volume": {"voxels": [512, 256, 128], "pitchMm": [0.2, 0.3, 0.4], "centerMm": [1, 2, 3]} })";

// A scan can be no shorter.
nlohmann::json smallest() {
    return nlohmann::json::parse(R"({"gantryScan": 1,
        "trajectory": {"type": "circular-cone", "sourceToIsocenterMm": 600,
                       "sourceToDetectorMm": 1200, "views": 8},
        "detector": {"columns": 10, "rows": 11, "pitchMm": [0.4, 0.4]},
        "projections": {"files": "proj", "flat": "flat"}})");
}

TEST(ScanFile, ReadsEveryField) {
    const ScanFile scan = parseScan(kWalnut, "/data/walnut/scan.json");
    EXPECT_EQ(scan.folder, "/data/walnut");
    EXPECT_EQ(scan.name, "walnut");
    const ScanGeometry& geometry = scan.geometry;
    EXPECT_EQ(geometry.cone().sourceToIsocenterMm, 600);
    EXPECT_EQ(geometry.cone().sourceToDetectorMm, 1200);
    EXPECT_EQ(geometry.cone().startDeg, 5);
    EXPECT_EQ(geometry.cone().arcDeg, -360);
    EXPECT_EQ(geometry.views(), 720);
    EXPECT_EQ(geometry.cone().sourceOffsetMm, (std::array<double, 2>{0.5, -1}));
    EXPECT_EQ(geometry.detector, (Detector{1024, 768, {0.4, 0.3}, {12.25, -3}, 0.1, 0.2, 0.3}));
    EXPECT_EQ(scan.projections.files, "proj/*.tif");
    EXPECT_EQ(scan.projections.kind, ProjectionKind::counts);
    EXPECT_EQ(scan.projections.dark, "dark/*.tif");
    EXPECT_EQ(scan.projections.flat, "flat/*.tif");
    EXPECT_EQ(scan.projections.saturationValue, 65000);
    EXPECT_EQ(scan.projections.flatValue, std::nullopt);
    EXPECT_EQ(scan.projections.badPixels, "bad.tif");
    EXPECT_FALSE(scan.projections.firstRowIsTop);
    EXPECT_TRUE(scan.projections.isMirrored);
    ASSERT_TRUE(scan.volume);
    EXPECT_EQ(*scan.volume, (VolumeGrid{{512, 256, 128}, {0.2, 0.3, 0.4}, {1, 2, 3}}));
}

TEST(ScanFile, LeavesOutWhatHasADefault) {
    const ScanFile scan = parseScan(smallest().dump(), "scan.json");
    EXPECT_EQ(scan.geometry.cone().startDeg, 0);
    EXPECT_EQ(scan.geometry.cone().arcDeg, 360);
    EXPECT_EQ(scan.geometry.detector.offsetMm, (std::array<double, 2>{0, 0}));
    EXPECT_EQ(scan.projections.kind, ProjectionKind::counts);
    EXPECT_TRUE(scan.projections.firstRowIsTop);
    EXPECT_FALSE(scan.projections.isMirrored);
    EXPECT_FALSE(scan.volume);
}

TEST(ScanFile, KeepsWhatItWasReadFromAndHowImagesAreTurned) {
    nlohmann::json json = smallest();
    json["detector"]["turnDeg"] = 270;
    json["description"] = {{"format", "Nikon X-Tek"},
                           {"file", "a.xtekct"},
                           {"answers", {"rotation=clockwise; found on the views (sure)"}}};
    ScanFile scan = parseScan(json.dump(), "/data/scan.json");
    EXPECT_EQ(scan.projections.turnDeg, 270);
    EXPECT_EQ(scan.origin.format, "Nikon X-Tek");
    EXPECT_EQ(scan.origin.answers.size(), 1U);
    const nlohmann::json written = nlohmann::json::parse(toJson(scan));
    EXPECT_EQ(written["description"], json["description"]);
    EXPECT_EQ(written["detector"]["turnDeg"], 270);
    moveScan(scan, "/elsewhere/scan.json");
    EXPECT_EQ(scan.origin.file, "/data/a.xtekct");
    json["detector"]["turnDeg"] = 45;
    EXPECT_ERROR((void)parseScan(json.dump(), "/data/scan.json"), InputError,
                 "turnDeg is 45; it must be 0, 90, 180 or 270");
}

TEST(ScanFile, AParallelBeamHasItsAnglesAlone) {
    nlohmann::json json = smallest();
    json["trajectory"] = {{"type", "parallel-beam"}, {"startDeg", 5}, {"views", 8}};
    ScanFile scan = parseScan(json.dump(), "scan.json");
    ASSERT_TRUE(scan.geometry.isParallel());
    EXPECT_EQ(scan.geometry.angles(), (GantryAngles{5, 180, 8, {}}));
    EXPECT_EQ(parseScan(toJson(scan), "scan.json").geometry, scan.geometry);
    scan.geometry.angles() = {0, 180, 3, {0, 61.5, 120}};
    const std::string written = toJson(scan);
    EXPECT_EQ(parseScan(written, "scan.json").geometry.angles().anglesDeg,
              scan.geometry.angles().anglesDeg);
    EXPECT_EQ(written.find("source"), std::string::npos);
    json["trajectory"]["sourceToDetectorMm"] = 1200;
    EXPECT_ERROR((void)parseScan(json.dump(), "scan.json"), InputError,
                 "trajectory.sourceToDetectorMm is an unknown field");
}

TEST(ScanFile, AnglesComeAsAListOrAFile) {
    const test::TemporaryFolder folder;
    nlohmann::json scan = smallest();
    scan["trajectory"].erase("views");
    scan["trajectory"]["anglesDeg"] = {0, 90.5, -17e-1};
    const std::vector<double> expected = {0, 90.5, -1.7};
    EXPECT_EQ(parseScan(scan.dump(), "scan.json").geometry.cone().anglesDeg, expected);
    EXPECT_EQ(parseScan(scan.dump(), "scan.json").geometry.views(), 3);

    scan["trajectory"]["anglesDeg"] = "angles.txt";
    writeText(folder / "scan.json", scan.dump());
    writeText(folder / "angles.txt", "\xef\xbb\xbf# degrees\r\n0\r\n\r\n  +90.5 \n-1.7");
    EXPECT_EQ(readScanFile(folder / "scan.json").geometry.cone().anglesDeg, expected);
    writeText(folder / "angles.txt", "0\n1\nnan\n");
    EXPECT_ERROR((void)readScanFile(folder / "scan.json"), InputError, "angles.txt, line 3: 'nan'");
    writeText(folder / "angles.txt", "0 1\n");
    EXPECT_ERROR((void)readScanFile(folder / "scan.json"), InputError, "angles.txt, line 1: '0 1'");
    writeText(folder / "angles.txt", "\n# none\n");
    EXPECT_ERROR((void)readScanFile(folder / "scan.json"), InputError,
                 "angles.txt holds no angles");
    std::filesystem::remove(folder / "angles.txt");
    EXPECT_ERROR((void)readScanFile(folder / "scan.json"), InputError,
                 "angles.txt cannot be opened");
}

// People have such files: those with one number a line are read, all else is refused by its line.
TEST(ScanFile, FilesOfAnglesAreReadOrRefusedByTheirLine) {
    struct Form {
        const char* text;
        const char* refused;  // words of the reason; empty: it is read
    };
    const test::TemporaryFolder folder;
    nlohmann::json scan = smallest();
    scan["trajectory"].erase("views");
    scan["trajectory"]["anglesDeg"] = "angles.txt";
    writeText(folder / "scan.json", scan.dump());
    const std::vector<double> expected = {0, 2.25, 4.5};
    for (const auto& [text, refused] : std::vector<Form>{
             {"0.000\n2.250\n4.500\n", ""},
             {"0.000\r\n2.250\r\n4.500\r\n\r\n\n", ""},
             {"   0.000  \n\t2.250\n4.500", ""},
             {"0.000000e+00\n2.250000e+00\n+4.5\n", ""},
             {"# angle in deg\n0\n2.25\n# and the last\n4.5", ""},
             {"0,000\n2,250\n4,500\n", "line 1: '0,000' is not an angle"},
             {"0.000,2.250,4.500\n", "line 1: '0.000,2.250,4.500' is not an angle"},
             {"0.000 2.250 4.500\n", "line 1: '0.000 2.250 4.500' is not an angle"},
             {"0\t0.000\n1\t2.250\n2\t4.500\n", "line 1: '0"},
             {"0 0.000\n1 2.250\n2 4.500\n", "line 1: '0 0.000' is not an angle"},
             {"Angle\n0.000\n2.250\n4.500\n", "line 1: 'Angle' is not an angle"},
             {"0.000\n2.250\n4,500\n", "line 3: '4,500' is not an angle"},
             {"0.000\ninf\n4.500\n", "line 2: 'inf' is not an angle"},
         }) {
        SCOPED_TRACE(text);
        writeText(folder / "angles.txt", text);
        if (*refused == '\0')
            EXPECT_EQ(readScanFile(folder / "scan.json").geometry.cone().anglesDeg, expected);
        else
            EXPECT_ERROR((void)readScanFile(folder / "scan.json"), InputError, refused);
    }
}

void expectSame(const ScanFile& a, const ScanFile& b) {
    EXPECT_EQ(a.name, b.name);
    EXPECT_EQ(a.geometry, b.geometry);
    EXPECT_EQ(a.projections.files, b.projections.files);
    EXPECT_EQ(a.projections.kind, b.projections.kind);
    EXPECT_EQ(a.projections.dark, b.projections.dark);
    EXPECT_EQ(a.projections.flat, b.projections.flat);
    EXPECT_EQ(a.projections.flatValue, b.projections.flatValue);
    EXPECT_EQ(a.projections.saturationValue, b.projections.saturationValue);
    EXPECT_EQ(a.projections.badPixels, b.projections.badPixels);
    EXPECT_EQ(a.projections.firstRowIsTop, b.projections.firstRowIsTop);
    EXPECT_EQ(a.projections.isMirrored, b.projections.isMirrored);
    EXPECT_EQ(a.volume, b.volume);
}

TEST(ScanFile, IsReadBackExactlyAsWritten) {
    expectSame(parseScan(toJson(parseScan(kWalnut, "s.json")), "s.json"),
               parseScan(kWalnut, "s.json"));
    std::mt19937_64 random(3);
    std::uniform_real_distribution<double> exponent(-300, 300);
    const auto number = [&] { return std::pow(10, exponent(random)) * (random() % 2 ? 1 : -1); };
    for (int round = 0; round < 200; ++round) {
        ScanFile scan = parseScan(kWalnut, "s.json");
        scan.name = "\"Nuß\" \\ \n" + std::to_string(round);
        scan.geometry.cone().sourceToDetectorMm = number();
        scan.geometry.cone().startDeg = number();
        scan.geometry.detector.pitchMm = {number(), number()};
        scan.geometry.detector.tiltDeg = number();
        scan.volume->pitchMm = {number(), number(), number()};
        scan.projections.flat = "";
        scan.projections.flatValue = std::abs(number());
        if (round % 2) {
            scan.geometry.cone().startDeg = 0;
            scan.geometry.cone().arcDeg = 360;
            scan.geometry.cone().anglesDeg = {number(), number(), number()};
            scan.geometry.cone().views = 3;
            scan.volume.reset();
        }
        expectSame(parseScan(toJson(scan), "s.json"), scan);
    }
}

TEST(ScanFile, IsWrittenAsAPersonWould) {
    ScanFile scan = parseScan(smallest().dump(), "scan.json");
    scan.name = "nut";
    EXPECT_EQ(toJson(scan), R"({
  "gantryScan": 1,
  "name": "nut",
  "trajectory": {
    "type": "circular-cone",
    "sourceToIsocenterMm": 600,
    "sourceToDetectorMm": 1200,
    "startDeg": 0,
    "arcDeg": 360,
    "views": 8,
    "sourceOffsetMm": [0, 0]
  },
  "detector": {
    "columns": 10,
    "rows": 11,
    "pitchMm": [0.4, 0.4],
    "offsetMm": [0, 0],
    "rollDeg": 0,
    "tiltDeg": 0,
    "slantDeg": 0,
    "firstRow": "top"
  },
  "projections": {
    "files": "proj",
    "kind": "counts",
    "flat": "flat"
  }
}
)");
}

TEST(ScanFile, AnUnknownFieldIsToldBesideAllThatMayBeThere) {
    const auto listed = [](const char* pointer, const std::string& name) {
        nlohmann::json scan = smallest();
        scan[nlohmann::json::json_pointer(pointer)] = 1;
        EXPECT_ERROR((void)parseScan(scan.dump(), "scan.json"), InputError,
                     " is an unknown field. Known here are ");
        EXPECT_ERROR((void)parseScan(scan.dump(), "scan.json"), InputError, ", " + name);
    };
    for (const char* name : {"skipViews", "dark", "flatAfter", "saturationValue", "badPixels"})
        listed("/projections/skipViewz", name);
    listed("/trajectory/angles", "anglesDeg");
    listed("/detector/turn", "turnDeg");
}

// A change to the smallest scan at a JSON pointer, and what is said of it.
struct BadField {
    const char* pointer;
    const char* value;  // null: the field is removed
    const char* message;

    friend void PrintTo(const BadField& field, std::ostream* out) { *out << field.pointer; }
};

class ScanFileRefuses : public testing::TestWithParam<BadField> {};

TEST_P(ScanFileRefuses, ABadField) {
    nlohmann::json scan = smallest();
    const nlohmann::json::json_pointer pointer(GetParam().pointer);
    if (GetParam().value)
        scan[pointer] = nlohmann::json::parse(GetParam().value);
    else
        scan[pointer.parent_pointer()].erase(pointer.back());
    EXPECT_ERROR((void)parseScan(scan.dump(), "a/scan.json"), InputError,
                 std::string("a/scan.json: ") + GetParam().message);
}

INSTANTIATE_TEST_SUITE_P(
    Fields, ScanFileRefuses,
    testing::Values(
        BadField{"/gantryScan", "2", "gantryScan is 2; this version of Gantry reads 1"},
        BadField{"/gantryScan", "\"1\"", "gantryScan must be a number"},
        BadField{"/name", "7", "name must be a text in quotes"},
        BadField{"/colour", "7", "colour is an unknown field"},
        BadField{"/trajectory", nullptr, "trajectory is missing"},
        BadField{"/trajectory", "[]", "trajectory must be an object"},
        BadField{"/trajectory/type", nullptr, "trajectory.type is missing"},
        BadField{"/trajectory/type", "\"helix\"",
                 "trajectory.type is \"helix\"; it must be circular-cone, calibrated-poses or "
                 "parallel-beam."},
        BadField{"/trajectory/views", nullptr, "trajectory.views is missing"},
        BadField{"/trajectory/views", "7.5", "trajectory.views must be a whole number"},
        BadField{"/trajectory/views", "1e300", "trajectory.views must be a whole number"},
        BadField{"/trajectory/speed", "1", "trajectory.speed is an unknown field"},
        BadField{"/trajectory/arcDeg", "null", "trajectory.arcDeg must be a number"},
        BadField{"/trajectory/sourceOffsetMm", "[1]", "trajectory.sourceOffsetMm must be a list"},
        BadField{"/trajectory/anglesDeg", "[]", "trajectory.anglesDeg is empty"},
        BadField{"/trajectory/anglesDeg", "[0, \"1\"]", "trajectory.anglesDeg[1] must be"},
        BadField{"/trajectory/anglesDeg", "5", "trajectory.anglesDeg must be a list"},
        BadField{"/trajectory/anglesDeg", "[0, 1]",
                 "trajectory.views is 8, but anglesDeg lists 2 angles"},
        BadField{"/trajectory", R"({"type": "circular-cone", "sourceToIsocenterMm": 600,
                 "sourceToDetectorMm": 1200, "anglesDeg": [0, 1], "arcDeg": 360})",
                 "trajectory.arcDeg is given together with anglesDeg"},
        BadField{"/detector/pitchMm", "0.4", "detector.pitchMm must be a list of 2"},
        BadField{"/detector/pitchMm", "[0.4, true]", "detector.pitchMm[1] must be a number"},
        BadField{"/detector/columns", "true", "detector.columns must be a number"},
        BadField{"/detector/firstRow", "\"left\"",
                 "detector.firstRow is \"left\"; it must be top or bottom."},
        BadField{"/detector/yawDeg", "0", "detector.yawDeg is an unknown field"},
        BadField{"/projections/files", nullptr, "projections.files is missing"},
        BadField{"/projections/files", "\"\"", "projections.files is empty"},
        BadField{"/projections/files", "[\"a\"]", "projections.files must be a text in quotes"},
        BadField{"/projections/kind", "\"images\"",
                 "projections.kind is \"images\"; it must be counts or attenuation."},
        BadField{"/projections/flat", nullptr, "projections.flat is missing. Counts need"},
        BadField{"/projections/flatValue", "5",
                 "projections.flatValue is given together with flat"},
        BadField{"/projections/saturationValue", "0",
                 "projections.saturationValue is 0; it must be greater than 0"},
        BadField{"/projections/saturationValue", "-0.5", "projections.saturationValue is -0.5"},
        BadField{"/projections/saturationValue", "null",
                 "projections.saturationValue must be a number"},
        BadField{"/projections", R"({"files": "*.tif", "flatValue": -3})",
                 "projections.flatValue is -3; it must be greater than 0"},
        BadField{"/projections", R"({"files": "*.tif", "flatValue": 0})",
                 "projections.flatValue is 0"},
        BadField{"/volume", "{}", "volume.voxels is missing"},
        BadField{"/volume", R"({"voxels": [1, 2], "pitchMm": [1, 1, 1]})",
                 "volume.voxels must be a list of 3"},
        BadField{"/volume", R"({"voxels": [1, 2, 3.5], "pitchMm": [1, 1, 1]})",
                 "volume.voxels[2] must be a whole number"}));

TEST(ScanFile, MalformedFilesAreNamedWithTheirLine) {
    const test::TemporaryFolder folder;
    const auto expectError = [&](const std::string& text, const char* message) {
        writeText(folder / "scan.json", text);
        EXPECT_ERROR((void)readScanFile(folder / "scan.json"), InputError, message);
    };
    expectError("", "scan.json is not valid JSON: see line 1, column 1.");
    expectError("{\"gantryScan\": 1,\n \"name\": }", "scan.json is not valid JSON: see line 2");
    expectError("{\"gantryScan\": NaN}", "is not valid JSON");
    expectError("{\"gantryScan\": 1e999}", "scan.json holds a number that is out of range");
    expectError("[]", "must be an object");
    expectError("\xff\xfe{", "is not valid JSON");
    expectError("{\"name\": \"settings\"}", "scan.json is not a Gantry scan");
    EXPECT_ERROR((void)readScanFile(folder / "none.json"), InputError,
                 "none.json cannot be opened");
    EXPECT_ERROR((void)readScanFile(folder.path()), InputError, "cannot be opened");
}

}  // namespace
}  // namespace gantry
