#include "core/prep/pixel_defects.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

// Defects of detectors that are made by hand are found, and no others.
namespace gantry {
namespace {

constexpr Index kRowsOfPanel = 131;
constexpr Index kColumnsOfPanel = 173;
constexpr Index kPixelsOfPanel = kRowsOfPanel * kColumnsOfPanel;

// A panel of 2 × 2 modules of other dark levels and gains, whose beam falls off to its corners, and
// whose pixels differ as those of good panels do.
class Panel {
  public:
    explicit Panel(unsigned seed = 1) : m_random(seed) {
        m_calibration.rows = kRowsOfPanel;
        m_calibration.columns = kColumnsOfPanel;
        m_calibration.dark = HostBuffer<float>(kPixelsOfPanel);
        m_calibration.flat = HostBuffer<float>(kPixelsOfPanel);
        for (Index i = 0; i < kPixelsOfPanel; ++i) {
            const Index v = i / kColumnsOfPanel;
            const Index u = i % kColumnsOfPanel;
            const bool isUp = v >= 65;
            const bool isRight = u >= 88;
            const double x = 2.0 * static_cast<double>(u) / kColumnsOfPanel - 1;
            const double y = 2.0 * static_cast<double>(v) / kRowsOfPanel - 1;
            const double dark = 300 + (isUp ? 80 : 0) + (isRight ? -110 : 0) + normal(8);
            const double net = 40000 * (1 - 0.35 * (x * x + y * y)) * (isUp ? 0.7 : 1) *
                               (isRight ? 1.2 : 1) * (1 + normal(0.02));
            m_calibration.dark[i] = static_cast<float>(dark);
            m_calibration.flat[i] = static_cast<float>(dark + net);
        }
    }
    [[nodiscard]] DetectorCalibration& calibration() { return m_calibration; }
    static Index at(Index v, Index u) { return v * kColumnsOfPanel + u; }
    double normal(double sigma) { return sigma * m_normal(m_random); }
    // Frames of noise about 1000 counts, but for pixels that have more of it.
    [[nodiscard]] FrameMean frames(Index count, const std::map<Index, double>& noisy) {
        FrameMean mean(kPixelsOfPanel, FrameMean::Keeps::spread);
        std::vector<float> frame(static_cast<std::size_t>(kPixelsOfPanel));
        for (Index n = 0; n < count; ++n) {
            for (Index i = 0; i < kPixelsOfPanel; ++i) {
                const auto found = noisy.find(i);
                frame[i] =
                    static_cast<float>(1000 + normal(found == noisy.end() ? 20 : found->second));
            }
            mean.add(frame);
        }
        return mean;
    }

  private:
    std::mt19937 m_random;
    std::normal_distribution<double> m_normal;
    DetectorCalibration m_calibration;
};

Index total(const DefectMap& map) {
    Index count = 0;
    for (const PixelDefect pixel : map.pixels)
        count += pixel == PixelDefect::none ? 0 : 1;
    return count;
}

TEST(PixelDefects, OfGoodPanelsAreNone) {
    for (unsigned seed = 1; seed < 5; ++seed) {
        Panel panel(seed);
        DefectMap map = defectsOf(panel.calibration());
        EXPECT_EQ(total(map), 0) << map.text();
        for (const Index frames : {3, 4, 5, 20})
            markNoisyPixels(panel.frames(frames, {}), map);
        // At most 0.01 % by chance.
        EXPECT_LE(total(map), kPixelsOfPanel / 10000) << map.text();
    }
}

TEST(PixelDefects, AreToldByKind) {
    Panel panel;
    DetectorCalibration& calibration = panel.calibration();
    const Index hot = Panel::at(0, 3);
    const Index cold = Panel::at(64, 87);  // at the corner of a module
    const Index weak = Panel::at(90, 100);
    const Index pair = Panel::at(91, 100);  // beside it
    const Index strong = Panel::at(130, 172);
    calibration.dark[hot] += 900;
    calibration.flat[hot] += 900;
    calibration.dark[cold] -= 280;
    calibration.flat[cold] -= 280;
    for (const Index pixel : {weak, pair})
        calibration.flat[pixel] =
            calibration.dark[pixel] + 0.5F * (calibration.flat[pixel] - calibration.dark[pixel]);
    calibration.flat[strong] =
        calibration.dark[strong] + 1.6F * (calibration.flat[strong] - calibration.dark[strong]);
    calibration.flat[Panel::at(20, 20)] = calibration.dark[Panel::at(20, 20)];
    ASSERT_EQ(markDeadPixels(calibration), 1);
    DefectMap map = defectsOf(calibration);
    EXPECT_EQ(map.pixels[hot], PixelDefect::hot);
    EXPECT_EQ(map.pixels[cold], PixelDefect::hot);
    for (const Index pixel : {weak, pair, strong})
        EXPECT_EQ(map.pixels[pixel], PixelDefect::uneven) << pixel;
    EXPECT_EQ(total(map), 6) << map.text();
    const std::map<Index, double> noisy = {{Panel::at(7, 9), 400.0}, {Panel::at(88, 0), 300.0}};
    markNoisyPixels(panel.frames(3, noisy), map);
    EXPECT_EQ(map.count(PixelDefect::noisy), 0);
    markNoisyPixels(panel.frames(12, noisy), map);
    for (const auto& [pixel, sigma] : noisy)
        EXPECT_EQ(map.pixels[pixel], PixelDefect::noisy) << pixel;
    EXPECT_EQ(map.text(), "1 dead, 2 hot, 3 of another gain, 2 noisy");
}

TEST(PixelDefects, OfLaterFieldsCountToo) {
    Panel panel;
    DetectorCalibration& calibration = panel.calibration();
    calibration.laterFlats.push_back({100, HostBuffer<float>(kPixelsOfPanel)});
    HostBuffer<float>& later = calibration.laterFlats[0].image;
    for (Index i = 0; i < kPixelsOfPanel; ++i)
        later[i] = calibration.flat[i];
    later[Panel::at(40, 41)] *= 0.4F;
    const DefectMap map = defectsOf(calibration);
    EXPECT_EQ(map.pixels[Panel::at(40, 41)], PixelDefect::uneven);
    EXPECT_EQ(total(map), 1);
}

// Without fields, as of attenuation, only what is listed is known.
TEST(PixelDefects, OfAMaskAreDead) {
    DetectorCalibration calibration;
    calibration.rows = 3;
    calibration.columns = 5;
    EXPECT_EQ(defectsOf(calibration).text(), "");
    (void)mergeBadPixels(calibration,
                         std::vector<unsigned char>{0, 0, 0, 9, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0});
    const DefectMap map = defectsOf(calibration);
    EXPECT_EQ(map.text(), "2 dead");
    EXPECT_EQ(map.pixels[7], PixelDefect::dead);
}

TEST(FrameMean, KeepsTheSpreadOfFrames) {
    FrameMean mean(2, FrameMean::Keeps::spread);
    for (const float value : {60000.0F, 60004.0F, 59999.0F})
        mean.add(std::vector<float>{value, value > 60000 ? NAN : value});
    EXPECT_EQ(mean.frames(), 3);
    EXPECT_NEAR(mean.spread()[0], std::sqrt(7.0), 1e-3);
    EXPECT_NEAR(mean.spread()[1], std::sqrt(0.5), 1e-3);
}

}  // namespace
}  // namespace gantry
