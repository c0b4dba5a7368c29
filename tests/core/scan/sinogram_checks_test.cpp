#include "core/scan/inspect/sinogram_checks.h"
#include "tests/support/random_values.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <optional>
#include <random>
#include <string>
#include <vector>

namespace gantry {
namespace {

struct Disk {
    double x, y, radiusMm, perMm;
};

// Nothing in it looks the same from two sides.
const std::vector<Disk> kUneven = {
    {0, 0, 20, 0.02}, {8, 3, 4, 0.02}, {-6, 9, 3, -0.02}, {2, -11, 3, 0.03}};
const std::vector<Disk> kRound = {{0, 0, 20, 0.02}};
const std::vector<Disk> kAside = {{4, 2, 14, 0.02}};
const std::vector<Disk> kUnevenWide = {
    {0, 0, 36, 0.02}, {8, 3, 4, 0.02}, {-6, 9, 3, -0.02}, {2, -11, 3, 0.03}, {20, -11, 3, 0.03}};

std::vector<Disk> gear(int teeth) {
    std::vector<Disk> disks = {{0, 0, 12, 0.02}};
    for (int i = 0; i < teeth; ++i) {
        const double angle = 2 * std::numbers::pi * i / teeth;
        disks.push_back({14 * std::cos(angle), 14 * std::sin(angle), 3, 0.02});
    }
    return disks;
}

ScanGeometry coneScan(double arcDeg, Index views, Index columns = 96, double offsetMm = 0) {
    ScanGeometry geometry;
    geometry.cone().sourceToIsocenterMm = 300;
    geometry.cone().sourceToDetectorMm = 450;
    geometry.cone().startDeg = 7;
    geometry.cone().arcDeg = arcDeg;
    geometry.cone().views = views;
    geometry.detector = {.columns = columns, .rows = 9, .pitchMm = {0.8, 0.7}};
    geometry.detector.offsetMm[0] = offsetMm;
    return geometry;
}

ScanGeometry parallelBeamScan(double arcDeg, Index views, Index columns = 80, double offsetMm = 0) {
    ScanGeometry geometry = coneScan(arcDeg, views, columns, offsetMm);
    geometry.trajectory =
        ParallelBeam{{.startDeg = -4, .arcDeg = arcDeg, .views = views, .anglesDeg = {}}};
    geometry.detector.pitchMm = {0.6, 0.7};
    return geometry;
}

// Line integrals of disks on the mid-plane, along rays of the positions in
// resources/help/architecture.md.
class SinogramChecks : public testing::Test {
  protected:
    std::vector<Disk> m_object = kUneven;
    double m_noise = 0.0007;  // of eight rows with 0.002 each

    // What is told of a scan that was as `real` and is stated as `stated`.
    [[nodiscard]] std::vector<std::string> told(const ScanGeometry& real,
                                                const ScanGeometry& stated) {
        const std::vector<std::vector<double>> rows = rowsOf(real);
        std::vector<double> anglesDeg;
        std::vector<float> values;
        std::vector<PictureFacts> facts;
        for (std::size_t i = 0; i < rows.size(); ++i) {
            anglesDeg.push_back(stated.angleDeg(static_cast<Index>(i)));
            values.insert(values.end(), rows[i].begin(), rows[i].end());
            if (i % 3 == 0) facts.push_back(factOf(rows[i], anglesDeg.back()));
        }
        const double contrast = contrastOf(facts);
        const double stepDeg = std::abs(anglesDeg[1] - anglesDeg[0]);
        const Sinogram sinogram(anglesDeg, values, 1, stepDeg);
        std::vector<std::string> sentences;
        if (const auto problem = checkTurning(stated, facts, sinogram, contrast))
            sentences.push_back(problem->field + ": " + problem->message);
        return sentences;
    }
    [[nodiscard]] std::vector<std::string> toldOf(const ScanGeometry& right) {
        return told(right, right);
    }
    // The first sentence is of this field and has the words.
    static void expectFirst(const std::vector<std::string>& found, const std::string& field,
                            const std::string& words) {
        ASSERT_FALSE(found.empty()) << words;
        EXPECT_EQ(found[0].substr(0, field.size() + 2), field + ": ") << found[0];
        EXPECT_NE(found[0].find(words), std::string::npos) << found[0];
    }
    static double numberBehind(const std::string& sentence, const std::string& words) {
        const std::size_t at = sentence.find(words);
        return at == std::string::npos ? std::nan("")
                                       : std::stod(sentence.substr(at + words.size()));
    }

  private:
    [[nodiscard]] std::vector<std::vector<double>> rowsOf(const ScanGeometry& geometry) {
        std::mt19937 random(5);
        test::NormalValues<double> noise;
        std::vector<std::vector<double>> rows;
        for (Index s = 0; s < geometry.views(); ++s) {
            std::vector<double>& row = rows.emplace_back();
            for (Index u = 0; u < geometry.detector.columns; ++u) {
                const double center = static_cast<double>(u) - geometry.axisColumn();
                row.push_back((lineIntegral(geometry, s, center - 0.25) +
                               lineIntegral(geometry, s, center + 0.25)) /
                                  2 +
                              m_noise * noise(random));
            }
        }
        return rows;
    }
    [[nodiscard]] double lineIntegral(const ScanGeometry& geometry, Index s, double column) const {
        const double u = column * geometry.detector.pitchMm[0];
        double angle = geometry.angleDeg(s) * std::numbers::pi / 180;
        double fromAxis = u;
        if (!geometry.isParallel()) {
            const double fan = std::atan(u / geometry.cone().sourceToDetectorMm);
            angle -= fan;
            fromAxis = geometry.cone().sourceToIsocenterMm * std::sin(fan);
        }
        double sum = 0;
        for (const Disk& disk : m_object) {
            const double aside = disk.x * std::cos(angle) + disk.y * std::sin(angle) - fromAxis;
            const double square = disk.radiusMm * disk.radiusMm - aside * aside;
            if (square > 0) sum += 2 * disk.perMm * std::sqrt(square);
        }
        return sum;
    }
    [[nodiscard]] static PictureFacts factOf(const std::vector<double>& row, double angleDeg) {
        PictureFacts fact;
        fact.angleDeg = angleDeg;
        fact.middleRows = row;
        const std::size_t n = row.size();
        fact.left.level = (row[0] + row[1] + row[2]) / 3;
        fact.left.slope = row[2] - row[0];
        fact.right.level = (row[n - 1] + row[n - 2] + row[n - 3]) / 3;
        fact.right.slope = row[n - 3] - row[n - 1];
        for (const double value : row)
            fact.darkest = std::max(fact.darkest, value);
        return fact;
    }
};

TEST_F(SinogramChecks, TellNothingOfScansThatAreRight) {
    ScanGeometry listed = coneScan(360, 3);
    listed.angles().anglesDeg = {};
    for (int i = 0; i < 90; ++i)
        listed.angles().anglesDeg.push_back(std::fmod(137.508 * i, 360));
    listed.angles().views = 90;
    const std::vector<ScanGeometry> scans = {coneScan(360, 120),
                                             coneScan(-360, 120),
                                             coneScan(360, 90, 64, 12),
                                             coneScan(360, 90, 64, -12),
                                             coneScan(357, 120, 64, 12),
                                             coneScan(210, 105),
                                             coneScan(-240, 120),
                                             coneScan(400, 100),
                                             coneScan(720, 181),
                                             coneScan(364, 91),
                                             coneScan(120, 60),
                                             coneScan(360, 31),
                                             parallelBeamScan(180, 90),
                                             parallelBeamScan(182, 91),
                                             parallelBeamScan(360, 120, 60, 15),
                                             parallelBeamScan(360, 120),
                                             parallelBeamScan(-360, 90, 60, -15),
                                             parallelBeamScan(200, 90),
                                             parallelBeamScan(180, 60, 50, 5),
                                             parallelBeamScan(120, 60),
                                             parallelBeamScan(180, 25),
                                             coneScan(360, 24),
                                             coneScan(-360, 12),
                                             parallelBeamScan(360, 30),
                                             parallelBeamScan(360, 13),
                                             parallelBeamScan(180, 16),
                                             parallelBeamScan(180, 9),
                                             listed};
    const std::vector<std::vector<Disk>> objects = {kUneven,     kRound,  kAside,
                                                    kUnevenWide, gear(4), gear(5)};
    const std::vector<double> noises = {0, 0.0007, 0.01};
    for (std::size_t i = 0; i < scans.size(); ++i)
        for (std::size_t j = 0; j < objects.size(); ++j) {
            m_object = objects[j];
            m_noise = noises[(i + j) % noises.size()];
            EXPECT_EQ(toldOf(scans[i]), std::vector<std::string>())
                << "scan " << i << ", object " << j << ", noise " << m_noise;
        }
}

TEST_F(SinogramChecks, SayWhichArcItIs) {
    struct Case {
        ScanGeometry real, stated;
        std::string words;
    };
    const std::string opposite = "measured again from the opposite side";
    const std::vector<Case> cases = {
        {coneScan(360, 120), coneScan(180, 120), opposite},
        {coneScan(360, 120), coneScan(720, 120), opposite},
        {coneScan(240, 120), coneScan(360, 120), opposite},
        {coneScan(480, 160), coneScan(360, 160), "its views repeat after"},
        {coneScan(720, 180), coneScan(360, 180), "its views repeat after"},
        {coneScan(200, 120), coneScan(360, 120), opposite},
        {coneScan(-240, 120), coneScan(-360, 120), opposite},
        {coneScan(360, 120), coneScan(345, 120), opposite},
        {parallelBeamScan(360, 120), parallelBeamScan(180, 120), "the mirror image of a view"},
        {parallelBeamScan(180, 120), parallelBeamScan(360, 120), "the mirror image of a view"},
        {parallelBeamScan(180, 120), parallelBeamScan(200, 120), "the mirror image of a view"},
        {parallelBeamScan(200, 120), parallelBeamScan(180, 120), "the mirror image of a view"},
        {parallelBeamScan(720, 180), parallelBeamScan(360, 180), "its views repeat after"},
    };
    for (std::size_t i = 0; i < cases.size(); ++i) {
        const auto& [real, stated, words] = cases[i];
        m_noise = i % 2 == 0 ? 0.0007 : 0.003;
        const std::vector<std::string> found = told(real, stated);
        expectFirst(found, "trajectory.arcDeg", words);
        // Both ends are known to a step, and the closest angle to a tenth of a percent.
        const double step = real.coverageDeg() / static_cast<double>(real.views());
        ASSERT_FALSE(found.empty());
        EXPECT_NEAR(numberBehind(found[0], "as in an arc of "), real.coverageDeg(), step);
    }
}

// With steps above 8° the first and the last view tell.
TEST_F(SinogramChecks, SayThatATurnOfFewViewsIsAHalfOne) {
    for (const Index views : {20, 30, 40}) {
        SCOPED_TRACE(views);
        expectFirst(told(parallelBeamScan(180, views), parallelBeamScan(360, views)),
                    "trajectory.arcDeg", "an arc of 180°");
        expectFirst(told(coneScan(-180, views), coneScan(-360, views)), "trajectory.arcDeg",
                    "an arc of 180°");
    }
}

// A cylinder looks the same at all angles, so that they may be anything.
TEST_F(SinogramChecks, TellNoArcOfACylinder) {
    m_object = kRound;
    for (const double noise : {0.0, 0.0007, 0.01}) {
        m_noise = noise;
        EXPECT_EQ(told(coneScan(240, 120), coneScan(360, 120)), std::vector<std::string>());
        EXPECT_EQ(told(parallelBeamScan(360, 120), parallelBeamScan(180, 120)),
                  std::vector<std::string>());
    }
}

// Five teeth repeat after 72°, which no arc explains alone.
TEST_F(SinogramChecks, TellNoArcOfAGearThatItHasNot) {
    m_object = gear(5);
    for (const double real : {180.0, 360.0, 200.0})
        for (const double stated : {180.0, 360.0, 200.0, 178.0, 300.0})
            for (const std::string& sentence :
                 told(parallelBeamScan(real, 90), parallelBeamScan(stated, 90)))
                EXPECT_NE(sentence.find("arc of " + std::to_string(static_cast<int>(real))),
                          std::string::npos)
                    << real << " stated as " << stated << ": " << sentence;
}

TEST_F(SinogramChecks, SayThatTheAxisOfACutOrOpenScanIsElsewhere) {
    struct Case {
        ScanGeometry real, stated;
        std::string words;
    };
    const std::string reversed = "as if the sign of the detector's offset were reversed";
    const std::vector<Case> cases = {
        {parallelBeamScan(360, 120, 60, 15), parallelBeamScan(360, 120, 60, -15), reversed},
        {parallelBeamScan(360, 120, 60, 15), parallelBeamScan(360, 120, 60, 0), "symmetrical"},
        {parallelBeamScan(360, 120, 60, 15), parallelBeamScan(360, 120, 60, 9), "symmetrical"},
        {parallelBeamScan(180, 90, 60, 6), parallelBeamScan(180, 90, 60, 0), "symmetrical"},
        {coneScan(360, 120, 64, 12), coneScan(360, 120, 64, -12), reversed},
        {coneScan(360, 120, 64, -12), coneScan(360, 120, 64, 12), reversed},
        {coneScan(360, 120, 64, 12), coneScan(360, 120, 64, 0), "symmetrical"},
        {coneScan(360, 120, 64, 12), coneScan(360, 120, 64, 10), "symmetrical"},
        {coneScan(210, 105), coneScan(210, 105, 96, 4), "symmetrical"},
        {coneScan(-210, 105), coneScan(-210, 105, 96, 8), "symmetrical"},
        {coneScan(400, 100), coneScan(400, 100, 96, 8), "symmetrical"},
    };
    for (const std::vector<Disk>& object : {kUneven, kUnevenWide})
        for (std::size_t i = 0; i < cases.size(); ++i) {
            const auto& [real, stated, words] = cases[i];
            m_object = object;
            m_noise = i % 2 == 0 ? 0.0007 : 0.003;
            const std::vector<std::string> found = told(real, stated);
            expectFirst(found, "detector.offsetMm[0]", words);
            ASSERT_FALSE(found.empty());
            EXPECT_NEAR(numberBehind(found[0], "about column "), real.axisColumn(), 0.2);
        }
}

TEST_F(SinogramChecks, SayThatTheGantryTurnsTheOtherWay) {
    expectFirst(told(coneScan(360, 120, 64, 12), coneScan(-360, 120, 64, 12)), "trajectory.arcDeg",
                "only if the gantry turned the other way (");
    expectFirst(told(coneScan(210, 105), coneScan(-210, 105)), "trajectory.arcDeg",
                "only if the gantry turned the other way (");
    // Images that are mirrored have the axis and the sense of the other side.
    m_object = kUnevenWide;
    const std::vector<std::string> mirrored =
        told(coneScan(360, 120, 64, 12), coneScan(-360, 120, 64, -12));
    ASSERT_FALSE(mirrored.empty());
    EXPECT_NE(mirrored[0].find("about column 16.5 instead of 46.5"), std::string::npos)
        << mirrored[0];
    EXPECT_NE(mirrored[0].find("the images seem to be mirrored"), std::string::npos);
}

}  // namespace
}  // namespace gantry
