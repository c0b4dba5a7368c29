#include "core/filter/row_convolver.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "core/base/host_buffer.h"
#include "core/filter/ramp_kernel.h"
#include "core/geometry/vec3.h"

namespace gantry {
namespace {

// Rows of one convolution, without weights, as any number of groups.
struct Rows {
    Index columns = 0;
    std::vector<float> values;  // [row][u]

    [[nodiscard]] Index count() const { return static_cast<Index>(values.size()) / columns; }
};

Rows randomRows(Index columns, Index count, unsigned seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<float> uniform(-1, 1);
    Rows rows = {columns, std::vector<float>(static_cast<std::size_t>(columns * count))};
    for (float& value : rows.values)
        value = uniform(random);
    return rows;
}

Rows filtered(const RowConvolver& convolver, Rows rows, Index atOnce) {
    const std::vector<float> ones(static_cast<std::size_t>(rows.columns), 1.0f);
    const std::vector<float> zeros(64, 0.0f);
    HostBuffer<float> scratch(convolver.scratchFloats());
    for (Index row = 0; row < rows.count(); row += atOnce) {
        const Index count = std::min(atOnce, rows.count() - row);
        convolver.filter({rows.values.data() + row * rows.columns, rows.columns,
                          static_cast<int>(count), ones.data(), ones.data(), zeros.data(),
                          scratch.data()});
    }
    return rows;
}

// Linear convolution by definition, with the circular kernel that the response stands for.
std::vector<double> convolvedDirectly(const Rows& rows, const std::vector<double>& response) {
    const auto length = static_cast<Index>(response.size());
    std::vector<double> kernel(static_cast<std::size_t>(rows.columns));
    for (Index n = 0; n < rows.columns; ++n)
        for (Index k = 0; k < length; ++k)
            kernel[static_cast<std::size_t>(n)] +=
                response[static_cast<std::size_t>(k)] / static_cast<double>(length) *
                std::cos(2 * kPi * static_cast<double>(k * n % length) /
                         static_cast<double>(length));
    std::vector<double> result(rows.values.size());
    for (Index row = 0; row < rows.count(); ++row)
        for (Index u = 0; u < rows.columns; ++u)
            for (Index j = 0; j < rows.columns; ++j)
                result[static_cast<std::size_t>(row * rows.columns + u)] +=
                    kernel[static_cast<std::size_t>(std::abs(u - j))] *
                    static_cast<double>(
                        rows.values[static_cast<std::size_t>(row * rows.columns + j)]);
    return result;
}

double relativeRmse(const std::vector<float>& found, const std::vector<double>& expected) {
    double error = 0;
    double norm = 0;
    for (std::size_t i = 0; i < expected.size(); ++i) {
        error += std::pow(static_cast<double>(found[i]) - expected[i], 2);
        norm += expected[i] * expected[i];
    }
    return std::sqrt(error / norm);
}

class RowConvolverTest : public testing::TestWithParam<const LaneKernel*> {};

TEST_P(RowConvolverTest, MatchesConvolutionByDefinition) {
    // Every radix and mix of radices, odd widths, widths that are no transform length, single ones.
    for (const Index columns : {1, 2, 3, 5, 7, 16, 17, 27, 31, 45, 75, 100, 125, 128, 187, 301}) {
        const FilterSpec spec = {FilterWindow::hann, 0.8};
        const auto response = rampResponse(paddedLength(columns), 0.7, spec);
        const RowConvolver convolver(*GetParam(), columns, response);
        const Rows rows = randomRows(columns, 19, static_cast<unsigned>(columns));
        const Rows found = filtered(convolver, rows, convolver.lanes());
        // A float transform of a few hundred points rounds to 1e-7 to 3e-7 of the rows' energy.
        EXPECT_LT(relativeRmse(found.values, convolvedDirectly(rows, response)), 6e-7)
            << columns << " columns";
    }
}

TEST_P(RowConvolverTest, GivesARowTheSameBitsInAnyCompany) {
    for (const Index columns : {33, 96}) {
        const auto response = rampResponse(paddedLength(columns), 1, {});
        const RowConvolver convolver(*GetParam(), columns, response);
        const Rows rows = randomRows(columns, 37, 5);
        const Rows together = filtered(convolver, rows, convolver.lanes());
        for (Index atOnce = 1; atOnce < convolver.lanes(); ++atOnce)
            EXPECT_EQ(filtered(convolver, rows, atOnce).values, together.values);
    }
}

TEST_P(RowConvolverTest, LeavesWhatLiesBesideTheRowsAlone) {
    constexpr Index kColumns = 21;
    constexpr Index kStride = 24;
    const auto response = rampResponse(paddedLength(kColumns), 1, {});
    const RowConvolver convolver(*GetParam(), kColumns, response);
    std::vector<float> memory(static_cast<std::size_t>(4 * kStride), 7.0f);
    const std::vector<float> ones(kColumns, 1.0f);
    const std::vector<float> zeros(64, 0.0f);
    HostBuffer<float> scratch(convolver.scratchFloats());
    convolver.filter(
        {memory.data(), kStride, 3, ones.data(), ones.data(), zeros.data(), scratch.data()});
    for (std::size_t i = 0; i < memory.size(); ++i) {
        const bool beside = i % kStride >= kColumns || i / kStride == 3;
        EXPECT_EQ(memory[i] == 7.0f, beside) << i;
    }
}

INSTANTIATE_TEST_SUITE_P(EveryLevel, RowConvolverTest, testing::ValuesIn(supportedLaneKernels()),
                         [](const auto& test) {
                             return "Lanes" + std::to_string(test.param->lanes);
                         });

}  // namespace
}  // namespace gantry
