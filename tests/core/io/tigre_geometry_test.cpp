#include "core/io/matlab/tigre_geometry.h"

#include <gtest/gtest.h>
#include <matio.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <fstream>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "core/geometry/scan_geometry.h"
#include "core/io/hdf5/hdf5_file.h"
#include "tests/support/expect_error.h"
#include "tests/support/file_bytes.h"
#include "tests/support/temporary_folder.h"

namespace gantry {
namespace {

// Column by column, as in MATLAB.
struct MatlabNumbers {
    std::size_t rows;
    std::size_t columns;
    std::vector<double> values;
};

matvar_t* variableOf(const char* name, MatlabNumbers numbers) {
    std::size_t size[] = {numbers.rows, numbers.columns};
    return Mat_VarCreate(name, MAT_C_DOUBLE, MAT_T_DOUBLE, 2, size, numbers.values.data(), 0);
}

class TigreGeometryTest : public testing::Test {
  protected:
    TigreGeometryTest() {
        prepareHdf5();  // libmatio calls libhdf5
        set("DSD", {1, 1, {900}});
        set("DSO", {1, 1, {500}});
        set("nDetector", {2, 1, {31, 21}});
        set("dDetector", {2, 1, {0.8, 1.1}});
        set("sDetector", {2, 1, {24.8, 23.1}});
    }

    void set(const std::string& field, MatlabNumbers numbers) {
        remove(field);
        m_fields.emplace_back(field, std::move(numbers));
    }
    void remove(const std::string& field) {
        std::erase_if(m_fields, [&](const auto& each) { return each.first == field; });
    }

    ExchangedGeometry read() {
        write();
        return readTigreGeometry(m_path);
    }

    void write() {
        mat_t* file = Mat_CreateVer(m_path.c_str(), nullptr, MAT_FT_MAT5);
        std::vector<const char*> names;
        for (const auto& [name, numbers] : m_fields)
            names.push_back(name.c_str());
        if (!m_mode.empty()) names.push_back("mode");
        std::size_t one[] = {1, 1};
        matvar_t* geo =
            Mat_VarCreateStruct("geo", 2, one, names.data(), static_cast<unsigned>(names.size()));
        for (auto& [name, numbers] : m_fields)
            Mat_VarSetStructFieldByName(geo, name.c_str(), 0, variableOf(nullptr, numbers));
        if (!m_mode.empty()) {
            std::size_t size[] = {1, m_mode.size()};
            Mat_VarSetStructFieldByName(
                geo, "mode", 0,
                Mat_VarCreate(nullptr, MAT_C_CHAR, MAT_T_UINT8, 2, size, m_mode.data(), 0));
        }
        matvar_t* other = variableOf("comment", {1, 2, {1, 2}});
        for (matvar_t* each : {other, geo, variableOf("angles", m_angles)}) {
            Mat_VarWrite(file, each, m_compression);
            Mat_VarFree(each);
        }
        Mat_Close(file);
    }

    test::TemporaryFolder m_folder;
    std::filesystem::path m_path = m_folder / "Zähler's scan.mat";
    std::vector<std::pair<std::string, MatlabNumbers>> m_fields;
    MatlabNumbers m_angles = {1, 4, {0, 0.5, 1, 1.5}};
    std::string m_mode;
    matio_compression m_compression = MAT_COMPRESSION_ZLIB;
};

void expectNear(Vec3 found, Vec3 expected) {
    constexpr double kDigits = 1e-8;  // mm: of the numbers below
    EXPECT_LT(length(found - expected), kDigits)
        << found.x << " " << found.y << " " << found.z << " instead of " << expected.x << " "
        << expected.y << " " << expected.z;
}

TEST_F(TigreGeometryTest, OneRigidCircleIsOne) {
    m_mode = "cone";
    set("offDetector", {2, 1, {3, -1.5}});
    set("rotDetector", {3, 1, {0.02, 0, 0}});
    const ExchangedGeometry read = this->read();
    ASSERT_TRUE(read.geometry.isCone());
    EXPECT_EQ(read.firstRowIsTop, false);
    EXPECT_EQ(read.geometry.detector.columns, 31);
    EXPECT_EQ(read.geometry.detector.rows, 21);
    constexpr double kRounding = 1e-9;
    EXPECT_NEAR(read.geometry.cone().sourceToIsocenterMm, 500, kRounding);
    EXPECT_NEAR(read.geometry.cone().sourceToDetectorMm, 900, kRounding);
    // The source begins on the x axis, which here is at 90 degrees; angles grow alike.
    EXPECT_NEAR(read.geometry.cone().startDeg, 90, kRounding);
    EXPECT_NEAR(read.geometry.cone().angleDeg(3), 90 + degrees(1.5), kRounding);
    EXPECT_NEAR(read.geometry.detector.offsetMm[0], 3, kRounding);
    EXPECT_NEAR(read.geometry.detector.offsetMm[1], -1.5, kRounding);
    EXPECT_NEAR(read.geometry.detector.rollDeg, degrees(0.02), kRounding);
    EXPECT_NEAR(read.geometry.detector.pitchMm[1], 1.1, kRounding);
}

// The numbers are those of TIGRE's computeDeltas_Siddon(), done in Python for the middle of the
// detector and its first steps.
TEST_F(TigreGeometryTest, WhateverDiffersFromViewToViewBecomesPoses) {
    m_angles = {3, 3, {0.3, 0.05, 0.1, 1.1, -0.02, 0.02, 2.0, 0.01, -0.03}};
    set("DSO", {1, 3, {500, 501.5, 498}});
    set("DSD", {1, 3, {900, 903, 897}});
    set("offDetector", {2, 3, {3, 0.5, -2, -1, 1.5, 2}});
    set("rotDetector", {3, 3, {0.01, -0.02, 0.03, 0.02, 0.015, -0.01, -0.01, 0.01, 0.02}});
    set("COR", {1, 3, {0.7, -0.4, 1.1}});
    set("offOrigin", {3, 3, {10, 4, -3, 10.5, 4, -2, 9, 4.25, -3.5}});
    const ExchangedGeometry read = this->read();
    ASSERT_TRUE(read.geometry.poses());
    const std::array<ViewPose, 3> expected = {
        {{{459.729654252, 195.194167583, -24.8647408007},
          {-369.300102847, -152.180931568, 20.4061365445},
          {-0.333119495379, 0.727226039079, 0.0131791457739},
          {0.0371234149516, -0.00291823691776, 1.09936951748}},
         {{218.305744676, 451.129566061, 9.0273255473},
          {-173.224335392, -362.353767791, -10.0268589513},
          {-0.716453345159, 0.355589281767, 0.0158387784577},
          {0.0170623822359, -0.0146084907648, 1.09977064296}},
         {{-193.554877038, 458.112268834, -4.47767620583},
          {153.686313027, -368.881424551, 6.48758824074},
          {-0.730628137517, -0.325756452555, -0.00807826012086},
          {-0.019101296334, 0.0155701862631, 1.09972392435}}}};
    for (Index s = 0; s < 3; ++s) {
        SCOPED_TRACE(s);
        const ViewPose pose = viewPose(read.geometry, s);
        const ViewPose& wanted = expected[static_cast<std::size_t>(s)];
        expectNear(pose.sourceMm, wanted.sourceMm);
        expectNear(pose.detectorCenterMm, wanted.detectorCenterMm);
        expectNear(pose.uStepMm, wanted.uStepMm);
        expectNear(pose.vStepMm, wanted.vStepMm);
    }
}

TEST_F(TigreGeometryTest, WhatDoesNotFitIsASentence) {
    const auto expectRefused = [&](const std::string& part) {
        EXPECT_ERROR((void)read(), InputError, part);
        EXPECT_ERROR((void)read(), InputError, m_path.string());
    };
    const auto good = m_fields;
    m_mode = "parallel";
    expectRefused("geo.mode is parallel; only cone can be read");
    m_mode.clear();
    set("DSD", {1, 3, {900, 900, 900}});
    expectRefused(
        "geo.DSD has 1 rows and 3 columns; it must have 1 row, and 1 or one for each of "
        "the 4 views");
    set("DSD", {1, 1, {0}});
    expectRefused("geo.DSD is 0 mm at view 0; it must be greater than 0");
    set("DSD", {1, 1, {400}});
    expectRefused("geo.DSD is 400 mm at view 0; it must not be less than DSO, 500 mm");
    remove("DSD");
    expectRefused("no struct with the fields of TIGRE's geometry");
    m_fields = good;
    remove("DSO");
    expectRefused("geo.DSO is missing");
    m_fields = good;
    set("nDetector", {2, 1, {31.5, 21}});
    expectRefused("geo.nDetector has 31.5; it must be whole numbers from 1 to 65536");
    set("nDetector", {2, 1, {1e300, 21}});
    expectRefused("geo.nDetector has 1e+300");
    set("nDetector", {3, 1, {31, 21, 1}});
    expectRefused("geo.nDetector has 3 numbers; it must have two");
    m_fields = good;
    set("dDetector", {2, 1, {0.8, 1.2}});
    expectRefused("geo.sDetector has 23.1 mm, but nDetector times dDetector are 25.2 mm");
    m_fields = good;
    set("COR", {1, 1, {std::numeric_limits<double>::quiet_NaN()}});
    expectRefused("COR has nan as its number 1; all must be finite");
    m_fields = good;
    m_angles = {2, 4, std::vector<double>(8)};
    expectRefused("angles has 2 rows and 4 columns");
    m_angles = {1, 2, {0, std::numeric_limits<double>::infinity()}};
    expectRefused("angles has inf as its number 2");
}

TEST_F(TigreGeometryTest, OtherFilesAreASentence) {
    const auto expectRefused = [&](const std::string& content, const std::string& part) {
        std::ofstream(m_path, std::ios::binary) << content;
        EXPECT_ERROR((void)readTigreGeometry(m_path), InputError, part);
        EXPECT_ERROR((void)readTigreGeometry(m_path), InputError, m_path.string());
    };
    expectRefused("", "is not a file of MATLAB");
    expectRefused("MATLAB 7.3 MAT-file, Platform: GLNXA64", "save it with the option '-v7'");
    expectRefused("MATLAB 5.0 MAT-file", "cut off");
    expectRefused("MATLAB 5.0 MAT-file" + std::string(107, ' ') + "IM", "");
}

// The sizes of a variable stand in the file as two numbers of four bytes.
TEST_F(TigreGeometryTest, HugeSizesAreRefusedBeforeMemoryIsTakenForThem) {
    m_compression = MAT_COMPRESSION_NONE;
    const auto declare = [&](const std::array<int, 2>& was, const std::array<int, 2>& is) {
        write();
        std::string content = test::fileBytes(m_path);
        const std::string from(reinterpret_cast<const char*>(was.data()), sizeof was);
        const std::size_t at = content.rfind(from);
        ASSERT_NE(at, std::string::npos);
        content.replace(at, sizeof is, reinterpret_cast<const char*>(is.data()), sizeof is);
        std::ofstream(m_path, std::ios::binary) << content;
    };
    m_angles = {1, 7, std::vector<double>(7)};
    declare({1, 7}, {1, 2'000'000'000});
    EXPECT_ERROR((void)readTigreGeometry(m_path), InputError,
                 "angles has 1 rows and 2000000000 columns; it must have 3000000 numbers at most");
    declare({1, 7}, {1, 2'000'000});
    EXPECT_ERROR((void)readTigreGeometry(m_path), InputError, m_path.string());
    set("COR", {1, 5, {1, 2, 3, 4, 5}});
    declare({1, 5}, {65'536, 2'000'000'000});
    EXPECT_ERROR((void)readTigreGeometry(m_path), InputError, m_path.string());
}

// Changed anywhere, a file is read, or refused in a sentence that names it; cut off, it is refused.
TEST_F(TigreGeometryTest, DamagedFilesEndInASentence) {
    for (const matio_compression compression : {MAT_COMPRESSION_NONE, MAT_COMPRESSION_ZLIB}) {
        m_compression = compression;
        write();
        const std::string whole = test::fileBytes(m_path);
        // Every byte would take long: each try is a process.
        const std::size_t step = whole.size() / 40;
        for (std::size_t i = 1; i < whole.size(); i += step)
            for (const bool isCut : {true, false}) {
                std::string damaged = isCut ? whole.substr(0, i) : whole;
                if (!isCut) damaged[i] = static_cast<char>(damaged[i] ^ 0x5a);
                std::ofstream(m_path, std::ios::binary) << damaged;
                try {
                    (void)readTigreGeometry(m_path);
                    EXPECT_FALSE(isCut) << "with " << i << " of " << whole.size() << " bytes";
                } catch (const InputError& error) {
                    const std::string sentence = error.what();
                    EXPECT_NE(sentence.find(m_path.string()), std::string::npos) << sentence;
                }
            }
    }
}

}  // namespace
}  // namespace gantry
