#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <memory>
#include <numbers>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "core/io/memory_source.h"
#include "core/scan/inspect/picture_checks.h"
#include "tests/support/random_values.h"

namespace gantry {
namespace {

// What is told of a rod with a hole aside of its middle, which parallel rays see over half a turn,
// by what its pixels are.
class CountsChecks : public testing::Test {
  protected:
    static constexpr Index kViews = 24;
    static constexpr Index kRows = 20;
    static constexpr Index kColumns = 64;
    static constexpr float kOpen = 3000;
    static constexpr float kDark = 100;

    ProjectionKind m_kind = ProjectionKind::attenuation;
    float m_noise = 0.002F;
    DetectorCalibration m_calibration;
    // Makes the stored value of a line integral.
    std::function<float(float)> m_store = [](float p) { return p; };
    std::function<void(Span3<float> views)> m_change = [](Span3<float>) {};

    // Counts of so much open beam, less where a pixel would exceed `largest`.
    void useCounts(float open, float largest) {
        m_kind = ProjectionKind::counts;
        m_calibration.rows = kRows;
        m_calibration.columns = kColumns;
        m_calibration.dark = HostBuffer<float>(kRows * kColumns);
        m_calibration.flat = HostBuffer<float>(kRows * kColumns);
        std::ranges::fill(m_calibration.dark.span(), kDark);
        std::ranges::fill(m_calibration.flat.span(), std::min(open, largest));
        m_store = [=](float p) {
            return std::min(largest, std::round(kDark + (open - kDark) * std::exp(-p)));
        };
    }
    [[nodiscard]] std::vector<std::string> problems() {
        std::vector<float> pixels(kViews * kRows * kColumns);
        const Span3<float> views(pixels.data(), kViews, kRows, kColumns);
        std::mt19937 random(3);
        test::NormalValues<float> noise;
        for (Index s = 0; s < kViews; ++s)
            for (Index v = 0; v < kRows; ++v)
                for (Index u = 0; u < kColumns; ++u)
                    views(s, v, u) = m_store(lineIntegral(s, u) + m_noise * noise(random));
        m_change(views);
        ScanGeometry geometry;
        geometry.trajectory =
            ParallelBeam{{.startDeg = 0, .arcDeg = 180, .views = kViews, .anglesDeg = {}}};
        geometry.detector = {.columns = kColumns, .rows = kRows, .pitchMm = {1, 1}};
        std::shared_ptr<DetectorCalibration> calibration;
        if (m_kind == ProjectionKind::counts)
            calibration = std::make_shared<DetectorCalibration>(std::move(m_calibration));
        const OpenScan scan =
            openScan(geometry, std::make_shared<MemorySource>(views), m_kind, calibration);
        std::vector<std::string> sentences;
        for (const Problem& problem : checkPictures(scan, 2, {})) {
            // A rod does go on there.
            if (problem.message.find("goes on above and below") == std::string::npos)
                sentences.push_back(problem.field + ": " + problem.message);
        }
        return sentences;
    }
    void expectOnly(const std::string& field, const std::vector<std::string>& words) {
        const std::vector<std::string> found = problems();
        ASSERT_EQ(found.size(), 1U) << (found.size() > 1 ? found[0] + "\n" + found[1] : words[0]);
        EXPECT_EQ(found[0].substr(0, field.size() + 2), field + ": ");
        for (const std::string& word : words)
            EXPECT_NE(found[0].find(word), std::string::npos) << found[0];
    }

    // 1.6 at its darkest.
    [[nodiscard]] static float lineIntegral(Index s, Index u) {
        const double angle = std::numbers::pi * static_cast<double>(s) / kViews;
        const double at = static_cast<double>(u) - 31.5;
        const auto chord = [at](double center, double radius) {
            const double square = radius * radius - (at - center) * (at - center);
            return square > 0 ? 2 * std::sqrt(square) : 0;
        };
        return static_cast<float>(0.04 * (chord(0, 20) - chord(9 * std::cos(angle), 5)));
    }
};

TEST_F(CountsChecks, TellNothingOfLineIntegralsAndCounts) {
    EXPECT_EQ(problems(), std::vector<std::string>());
    m_store = [](float p) { return 6 * p; };
    EXPECT_EQ(problems(), std::vector<std::string>());
    useCounts(kOpen, 65535);
    EXPECT_EQ(problems(), std::vector<std::string>());
}

// The lower part of some views was never written; all else that this makes is not told.
TEST_F(CountsChecks, SayThatViewsWereWrittenInPart) {
    const auto blank = [](Index from, Index end, IndexRange rows) {
        return [=](Span3<float> views) {
            for (Index s = from; s < end; ++s)
                for (Index v = rows.begin; v < rows.end; ++v)
                    std::fill_n(&views(s, v, 0), kColumns, 0.0F);
        };
    };
    m_change = blank(16, kViews, {0, 10});
    expectOnly("projections.files", {"8 of the 24 views that were looked at, from view 16 to view "
                                     "23, have one value alone in up to 50 % of the rows from the "
                                     "lower edge on"});
    useCounts(kOpen, 65535);
    m_change = blank(7, 8, {15, 20});
    expectOnly("projections.files", {"view 7, has one value", "25 % of the rows from the upper"});
    // What all views lack is the detector's, and is told elsewhere.
    useCounts(kOpen, 65535);
    m_change = blank(0, kViews, {0, 10});
    for (const std::string& found : problems())
        EXPECT_EQ(found.find("written in part"), std::string::npos) << found;
}

TEST_F(CountsChecks, SayThatLineIntegralsAreShares) {
    m_store = [](float p) { return std::exp(-p); };
    expectOnly("projections.kind", {"shares of the open beam", "\"flatValue\": 1"});
}

TEST_F(CountsChecks, SayThatLineIntegralsAreCounts) {
    m_store = [](float p) { return std::round(kOpen * std::exp(-p)); };
    expectOnly("projections.kind", {"they are counts", "\"flatValue\": 3000"});
}

TEST_F(CountsChecks, SayThatLineIntegralsHaveTheWrongSign) {
    m_store = [](float p) { return -p; };
    expectOnly("projections.kind", {"their sign is wrong"});
}

TEST_F(CountsChecks, SayThatLineIntegralsAreScaled) {
    m_store = [](float p) { return 10000 * p; };
    expectOnly("projections.kind", {"of the pixels are above 20", "scaled"});
}

// The walls of a wide tube may be as even, and there is less in its middle.
TEST_F(CountsChecks, TakeNoTubeForShares) {
    m_store = [](float p) { return 1.0F - 0.2F * p; };
    for (const std::string& sentence : problems())
        EXPECT_EQ(sentence.find("projections.kind"), std::string::npos) << sentence;
}

TEST_F(CountsChecks, SayThatCountsAreInverted) {
    useCounts(kOpen, 65535);
    m_store = [](float p) { return kOpen - (kOpen - kDark - 60) * std::exp(-p); };
    expectOnly("projections.kind", {"is darker", "inverted"});
}

TEST_F(CountsChecks, SayThatTwelveBitsAreSaturated) {
    useCounts(4600, 4095);
    expectOnly("projections.files",
               {"of the views' pixels and 100 % of the flat field's have exactly 4095 counts",
                "12 bits", "less exposure"});
}

TEST_F(CountsChecks, SayThatViewsAreSaturatedAlone) {
    m_noise = 0.02F;
    useCounts(4200, 4095);
    std::ranges::fill(m_calibration.flat.span(), 4000.0F);
    const std::vector<std::string> found = problems();
    ASSERT_FALSE(found.empty());
    EXPECT_NE(found[0].find("of the views' pixels have exactly 4095 counts"), std::string::npos)
        << found[0];
}

// Without noise all air has one value, which is the largest. With noise, the tail of few pixels
// ends at the largest value of 12 bits by chance.
TEST_F(CountsChecks, TakeNoEvenAirForSaturated) {
    m_noise = 0;
    useCounts(1000, 65535);
    EXPECT_EQ(problems(), std::vector<std::string>());
    m_noise = 0.01F;
    useCounts(3980, 65535);
    m_change = [](Span3<float> views) {
        for (Index i = 0; i < views.count(); ++i)
            views.data()[i] = std::min(views.data()[i], 4095.0F);
    };
    EXPECT_EQ(problems(), std::vector<std::string>());
}

TEST_F(CountsChecks, SayWhichPixelsAreSaturatedInAllViews) {
    useCounts(kOpen, 65535);
    m_calibration.saturation = 65535;
    const auto setColumns = [](IndexRange columns, IndexRange rows) {
        return [=](Span3<float> views) {
            for (Index s = 0; s < kViews; ++s)
                for (Index v = rows.begin; v < rows.end; ++v)
                    for (Index u = columns.begin; u < columns.end; ++u)
                        views(s, v, u) = 65535;
        };
    };
    m_change = setColumns({40, 44}, {0, kRows});
    expectOnly("projections.files", {"columns 40 to 43 of all rows have 65535 counts"});
    useCounts(kOpen, 65535);
    m_calibration.saturation = 65535;
    m_change = setColumns({30, 38}, {5, 9});
    expectOnly("projections.files", {"columns 30 to 37 of rows 5 to 8 have 65535 counts"});
}

TEST_F(CountsChecks, SayThatLineIntegralsAreLogarithms) {
    m_store = [](float p) { return std::log10(50000 * std::exp(-p)); };
    expectOnly("projections.kind", {"logarithms of counts", "air's, 4.69", "5e+04 counts"});
    m_store = [](float p) { return std::log(50000 * std::exp(-p)); };
    expectOnly("projections.kind", {"logarithms of counts"});
}

TEST_F(CountsChecks, SayThatTheByteOrderIsTheOther) {
    m_change = [](Span3<float> views) {
        for (Index i = 0; i < views.count(); ++i) {
            auto* const bytes = reinterpret_cast<std::byte*>(views.data() + i);
            std::reverse(bytes, bytes + sizeof(float));
        }
    };
    expectOnly("projections.files", {"byte order is the other one"});
    // Noise alone is as rough in either order.
    m_store = [noise = std::normal_distribution<float>(1000, 30),
               random = std::mt19937(5)](float) mutable { return noise(random); };
    m_change = [](Span3<float>) {};
    for (const std::string& sentence : problems())
        EXPECT_EQ(sentence.find("byte order"), std::string::npos) << sentence;
}

TEST_F(CountsChecks, SayThatTheFlatFieldHasTheObjectInIt) {
    useCounts(kOpen, 65535);
    for (Index i = 0; i < kRows * kColumns; ++i)
        m_calibration.flat[i] = kDark + (kOpen - kDark) * std::exp(-lineIntegral(7, i % kColumns));
    const std::vector<std::string> found = problems();
    ASSERT_FALSE(found.empty());
    EXPECT_NE(found[0].find("a part is brighter than the flat field"), std::string::npos)
        << found[0];
    EXPECT_NE(found[0].find("in the beam of the flat frames"), std::string::npos) << found[0];
}

class DeadInViews : public CountsChecks {
  protected:
    // Sets pixels of all views.
    void set(IndexRange columns, IndexRange rows, float value) {
        m_change = [=](Span3<float> views) {
            for (Index s = 0; s < kViews; ++s)
                for (Index v = rows.begin; v < rows.end; ++v)
                    for (Index u = columns.begin; u < columns.end; ++u)
                        views(s, v, u) = value;
        };
    }
};

TEST_F(DeadInViews, AreToldOfLineIntegrals) {
    set({24, 26}, {0, kRows}, 0);
    expectOnly("projections.files", {"pixels of columns 24 to 25 have one value, 0, in every"});
    set({0, kColumns}, {9, 10}, 0);
    expectOnly("projections.files", {"pixels of row 9 (from the bottom) have one value, 0"});
    set({28, 34}, {8, 13}, 0);
    expectOnly("projections.files",
               {"pixels of columns 28 to 33 of rows 8 to 12 (from the bottom) have one value, 0"});
}

TEST_F(DeadInViews, AreToldOfCounts) {
    useCounts(kOpen, 65535);
    set({0, kColumns}, {9, 10}, kOpen);
    expectOnly("projections.files", {"pixels of row 9 (from the bottom) have one value, 3000"});
    useCounts(kOpen, 65535);
    set({28, 34}, {8, 13}, kDark);
    expectOnly("projections.files", {"pixels of columns 28 to 33 of rows 8 to 12"});
}

// Air between two objects, one above the other, has one value in a simulation without noise, and
// so has all air beside them.
TEST_F(DeadInViews, AreNotAirBetweenObjects) {
    m_noise = 0;
    set({0, kColumns}, {7, 13}, 0);
    for (const std::string& sentence : problems())
        EXPECT_EQ(sentence.find("one value"), std::string::npos) << sentence;
}

}  // namespace
}  // namespace gantry
