#include "gpu/engine/parallel_kernels.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "core/geometry/views/parallel_views.h"
#include "tests/gpu/engine/kernel_slab.h"
#include "tests/support/expect_error.h"

namespace gantry {
namespace {

using test::KernelSlab;

// Views of a parallel beam on voxel indices of a volume, and the truth in double.
struct Beam {
    Index nU, nV, nP;
    std::array<Index, 3> voxels;
    double scale = 1;    // pixels of a voxel
    double offset = 0;   // of the axis, pixels
    double rowStep = 1;  // rows of a slice
    double firstRow = 0;
    float laterTimes = 1;  // as large are pixels of views beyond the first batch

    [[nodiscard]] VolumeGrid grid() const {
        VolumeGrid grid;
        grid.voxels = voxels;
        grid.pitchMm = {1, 1, 1};
        grid.centerMm = {4.25, -7.5, 0};  // pixels are a voxel's size over `scale`
        return grid;
    }

    [[nodiscard]] std::vector<ProjectionMatrix> matrices() const {
        std::vector<ProjectionMatrix> matrices;
        const double middle = static_cast<double>(voxels[2] - 1) / 2;
        for (Index s = 0; s < nP; ++s) {
            const double angle =
                0.02 + 6.2831853 * static_cast<double>(s) / static_cast<double>(nP);
            ProjectionMatrix matrix;
            matrix.m[0] = {scale * std::cos(angle), scale * std::sin(angle), 0,
                           static_cast<double>(nU - 1) / 2 + offset};
            matrix.m[1] = {0, 0, rowStep, firstRow + rowStep * middle};
            matrix.m[2] = {0, 0, 0, 1};
            matrices.push_back(matrix);
        }
        return matrices;
    }

    [[nodiscard]] std::vector<float> views(bool noise) const {
        std::minstd_rand random(3);
        std::uniform_real_distribution<float> value(noise ? -0.5F : 0.0F, noise ? 0.5F : 1.0F);
        std::vector<float> pixels(static_cast<std::size_t>(nP * nV * nU));
        for (float& pixel : pixels)
            pixel = value(random);
        const Index first = std::min(nP, Index{gpu::kMaxViews}) * nV * nU;
        for (auto pixel = pixels.begin() + first; pixel != pixels.end(); ++pixel)
            *pixel *= laterTimes;
        return pixels;
    }

    [[nodiscard]] std::vector<float> truth(const std::vector<float>& pixels, bool nearest) const {
        std::vector<float> volume;
        const VolumeGrid box = grid();
        const std::vector<ProjectionMatrix> all = matrices();
        for (Index z = 0; z < voxels[2]; ++z)
            for (Index y = 0; y < voxels[1]; ++y)
                for (Index x = 0; x < voxels[0]; ++x) {
                    const Vec3 at = box.positionMm(static_cast<double>(x), static_cast<double>(y),
                                                   static_cast<double>(z));
                    double sum = 0;
                    for (Index s = 0; s < nP; ++s) {
                        const auto point =
                            all[static_cast<std::size_t>(s)].project(at.x, at.y, at.z);
                        sum += pixelAt(pixels, s, point.u, point.v, nearest);
                    }
                    volume.push_back(static_cast<float>(sum));
                }
        return volume;
    }

  private:
    [[nodiscard]] double pixelAt(const std::vector<float>& pixels, Index s, double u, double v,
                                 bool nearest) const {
        if (nearest) u = std::floor(u + 0.5);
        double sum = 0;
        for (const double row : {std::floor(v), std::floor(v) + 1})
            for (const double column : {std::floor(u), std::floor(u) + 1}) {
                if (row < 0 || row > static_cast<double>(nV - 1) || column < 0 ||
                    column > static_cast<double>(nU - 1))
                    continue;
                const Index at =
                    (s * nV + static_cast<Index>(row)) * nU + static_cast<Index>(column);
                sum += (1 - std::abs(v - row)) * (1 - std::abs(u - column)) *
                       static_cast<double>(pixels[static_cast<std::size_t>(at)]);
            }
        return sum;
    }
};

class ParallelKernels : public testing::TestWithParam<std::string> {
  protected:
    void SetUp() override {
        GANTRY_NEEDS_DEVICE();
        makeCurrent(test::testDevice().number);
    }

    [[nodiscard]] static bool isNearest() {
        return GetParam().find("nearest") != std::string::npos;
    }
    [[nodiscard]] static bool isOversampled() {
        return GetParam().find("oversampled") != std::string::npos;
    }

    // Exact kernels round coordinates near 2⁵ pixels to float, by some 1e-6 pixels, by which noise
    // changes by its own size. Texture units round the fraction to 8 bits, an error uniform in
    // ±2⁻⁹ of a difference of neighbours: 2⁻⁹/√3·√2·σ of values whose mean square is 2/3·σ²:
    // 1.95e-3. Half floats have 11 bits, of pixels, weights and eight sums each. The nearest of
    // four places is off by up to 1/8 pixel: 0.125/√3·√2/√(2/3) = 0.125 of noise. Positions have 8
    // bits too, so that one nearest pixel in 256 is a neighbour: √(2/256) = 0.09 of noise. On
    // uniform values these errors are random against a mean that adds up: smaller by far more
    // than 5.
    [[nodiscard]] static double maxError(bool noise) {
        if (isExactParallelKernel(GetParam())) return noise ? 5e-6 : 1e-6;
        if (isOversampled()) return noise ? 0.16 : 0.03;
        if (isNearest()) return noise ? 0.11 : 0.02;
        if (GetParam() == "parallel-half") return noise ? 1.2e-3 : 5e-4;
        return noise ? 2.6e-3 : 5e-4;
    }

    static void expectAgreement(const Beam& beam, Index batchViews = 32, double allowance = 1) {
        const ScanGeometry room = test::scanOf(beam.nU, beam.nV, beam.nP);
        KernelSlab slab(makeParallelKernel(GetParam()), room);
        for (const bool noise : {false, true}) {
            const std::vector<float> views = beam.views(noise);
            const std::vector<ProjectionMatrix> matrices = beam.matrices();
            slab.begin(beam.grid(), {0, beam.voxels[2]});
            for (Index s = 0; s < beam.nP; s += batchViews) {
                const Index count = std::min(batchViews, beam.nP - s);
                const auto size = static_cast<std::size_t>(beam.nV * beam.nU);
                slab.add(gpu::plainViews(nullptr, static_cast<int>(count),
                                         static_cast<int>(beam.nV), static_cast<int>(beam.nU)),
                         std::span(views).subspan(static_cast<std::size_t>(s) * size,
                                                  static_cast<std::size_t>(count) * size),
                         std::span(matrices).subspan(static_cast<std::size_t>(s),
                                                     static_cast<std::size_t>(count)),
                         0);
            }
            EXPECT_LE(
                test::relativeRmse(slab.read({0, beam.voxels[2]}), beam.truth(views, isNearest())),
                allowance * maxError(noise))
                << (noise ? "noise" : "uniform");
        }
    }
};

TEST_P(ParallelKernels, OddSizesOffTheAxis) {
    expectAgreement({97, 13, 41, {53, 47, 13}, 1, 3.7});
    expectAgreement({64, 37, 9, {35, 33, 37}, 1, -2.3}, 5);
    // Errors of three voxels and seven views are no average.
    expectAgreement({31, 3, 7, {1, 3, 1}}, 32, 2);
}

TEST_P(ParallelKernels, FineVoxelsAndSlicesBetweenRows) {
    expectAgreement({97, 23, 33, {61, 70, 21}, 0.61, -5.2, 0.83, 1.37});
}

TEST_P(ParallelKernels, MoreSlicesThanRowsBegunBelowTheDetector) {
    expectAgreement({40, 11, 6, {37, 21, 71}, 1, 0, 0.25, -1.6});
}

// Batches are gathered to 128 views by kernels that like many, each with a scale of its own where
// they keep half floats; 170 views leave some for the end.
TEST_P(ParallelKernels, ManyBatchesOfPixelsThatGrow) {
    expectAgreement({41, 5, 170, {29, 33, 5}, 1, 0.7, 1, 0, 1000});
    expectAgreement({41, 5, 170, {29, 33, 5}, 1, 0.7, 1, 0, 1}, 64);
}

TEST_P(ParallelKernels, VolumeLargerThanTheViews) {
    expectAgreement({33, 9, 13, {150, 131, 5}});
}

TEST_P(ParallelKernels, CoarseVoxels) {
    if (GetParam().find("alu") != std::string::npos ||
        GetParam().find("hybrid") != std::string::npos)
        GTEST_SKIP() << "takes fine voxels only";
    expectAgreement({97, 13, 33, {41, 37, 9}, 1.9, 6.2, 1.3, -1.6});
}

TEST_P(ParallelKernels, ConesAreRefused) {
    const ScanGeometry scan = test::scanOf(33, 9, 3);
    KernelSlab slab(makeParallelKernel(GetParam()), scan);
    const auto views = test::randomViews(scan, test::Noise::uniform);
    EXPECT_ERROR((void)slab.make(scan, test::gridOf(scan, {9, 9, 9}, 1), {0, 9}, views),
                 InternalError, "parallel");
}

std::string beamKernelName(const testing::TestParamInfo<std::string>& kernel) {
    std::string name = kernel.param;
    std::replace(name.begin(), name.end(), '-', '_');
    return name;
}

INSTANTIATE_TEST_SUITE_P(All, ParallelKernels, testing::ValuesIn(parallelKernelNames()),
                         beamKernelName);

TEST(SlabAdder, MakesRoomForAsManyViewsAsAKernelLikes) {
    const auto stack = makeParallelKernel("parallel-stack");
    EXPECT_EQ(SlabAdder::roomFor(*stack, 32, 160), 128);
    EXPECT_EQ(SlabAdder::roomFor(*stack, 40, 160), 128);
    EXPECT_EQ(SlabAdder::roomFor(*stack, 32, 41), 64) << "whole launches of the scan's views";
    EXPECT_EQ(SlabAdder::roomFor(*stack, 5, 160), 5) << "smaller batches are not gathered";
    EXPECT_EQ(SlabAdder::roomFor(*makeParallelKernel("parallel-alu"), 40, 160), 32);
    EXPECT_EQ(SlabAdder::roomFor(*makeConeKernel("mirror-texture", {}), 32, 160), 64);
}

TEST(AreParallel, TellsBeamsFromCones) {
    std::vector<ProjectionMatrix> matrices = Beam{20, 4, 5, {3, 3, 3}}.matrices();
    EXPECT_TRUE(areParallel(matrices));
    matrices[3].m[2][1] = 0.01;
    EXPECT_FALSE(areParallel(matrices));
    EXPECT_FALSE(areParallel({}));
}

}  // namespace
}  // namespace gantry
