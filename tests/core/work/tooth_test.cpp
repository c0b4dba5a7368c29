#include <fmt/format.h>
#include <gtest/gtest.h>
#include <png.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "core/scan/guess/guess_scan.h"
#include "tests/support/small_job.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/tooth_files.h"

namespace gantry {
namespace {

constexpr Index kSize = 640;
using Image = std::vector<double>;  // kSize × kSize

Image readGreyPng(const std::filesystem::path& path) {
    png_image png{};
    png.version = PNG_IMAGE_VERSION;
    EXPECT_NE(png_image_begin_read_from_file(&png, path.c_str()), 0) << png.message;
    EXPECT_EQ(png.width, kSize);
    EXPECT_EQ(png.height, kSize);
    png.format = PNG_FORMAT_GRAY;
    std::vector<unsigned char> grey(kSize * kSize);
    EXPECT_NE(png_image_finish_read(&png, nullptr, grey.data(), 0, nullptr), 0);
    return {grey.begin(), grey.end()};
}

// The slice of the files' upper row.
Image upperSlice(const Volume& volume) {
    const float* slice = volume.span().row(1, 0);
    return {slice, slice + kSize * kSize};
}

// Correlation within the circle that every view sees; the picture's rows run along y, as ours do.
double likeness(const Image& a, const Image& b) {
    double n = 0, sumA = 0, sumB = 0, sumAA = 0, sumBB = 0, sumAB = 0;
    for (Index y = 0; y < kSize; ++y)
        for (Index x = 0; x < kSize; ++x) {
            if (std::hypot(double(x) - 319.5, double(y) - 319.5) > 280) continue;
            const double va = a[static_cast<std::size_t>(y * kSize + x)];
            const double vb = b[static_cast<std::size_t>(y * kSize + x)];
            n += 1;
            sumA += va;
            sumB += vb;
            sumAA += va * va;
            sumBB += vb * vb;
            sumAB += va * vb;
        }
    return (sumAB - sumA * sumB / n) /
           std::sqrt((sumAA - sumA * sumA / n) * (sumBB - sumB * sumB / n));
}

TEST(Tooth, TheRealScanGivesTheSliceThatFilteredBackProjectionGives) {
    const test::TemporaryFolder folder;
    const std::filesystem::path sample = GANTRY_SAMPLES "/tooth";
    const Image picture = readGreyPng(sample / "slice-by-fbp.png");
    const ScanFile scan = readScanFile(sample / "scan.json");
    JobSpec spec = test::jobOf(scan, 100, folder / "tooth.mha");
    spec.volume = {{kSize, kSize, 2}, {0.01, 0.01, 0.01}, {0, 0, 0}};
    const JobResult result = test::run(spec);
    // The picture has 8 bits and a clipped window; edges and rings fall on the same voxels.
    EXPECT_GT(likeness(upperSlice(readVolume(spec.output.path)), picture), 0.99);
    ASSERT_FALSE(result.notes.empty());
    EXPECT_NE(result.notes[0].find("half a turn of parallel rays"), std::string::npos)
        << result.notes[0];
    EXPECT_EQ(result.invalidPixels.pixels, 181 * 640 * 2);
    EXPECT_EQ(
        result.invalidPixels.notFinite + result.invalidPixels.negative + result.invalidPixels.zero,
        0);

    // Without the axis' offset every edge is seen twice, 48 voxels apart.
    spec.scan.geometry.detector.offsetMm = {0, 0};
    EXPECT_LT(likeness(upperSlice(test::reconstructed(spec)), picture), 0.8);
}

// Root mean square of rings about the axis between two radii: of the mean along each circle, what
// differs from the nine circles around it.
double ringsOf(const Image& image, Index from, Index to) {
    std::vector<double> sum(460);
    std::vector<double> count(460);
    for (Index y = 0; y < kSize; ++y)
        for (Index x = 0; x < kSize; ++x) {
            const auto r =
                static_cast<std::size_t>(std::hypot(double(x) - 319.5, double(y) - 319.5));
            sum[r] += image[static_cast<std::size_t>(y * kSize + x)];
            count[r] += 1;
        }
    double all = 0;
    for (Index r = from; r < to; ++r) {
        double around = 0;
        for (Index i = r - 4; i <= r + 4; ++i)
            around += sum[static_cast<std::size_t>(i)] / count[static_cast<std::size_t>(i)] / 9;
        const auto at = static_cast<std::size_t>(r);
        all += std::pow(sum[at] / count[at] - around, 2);
    }
    return std::sqrt(all / static_cast<double>(to - from));
}

TEST(Tooth, RingsBecomeFainterAndTheToothStays) {
    const test::TemporaryFolder folder;
    const ScanFile scan = readScanFile(GANTRY_SAMPLES "/tooth/scan.json");
    const auto sliceOf = [&](RingMethod method) {
        JobSpec spec = test::jobOf(scan, 100, folder / fmt::format("{}.mha", name(method)));
        spec.volume = {{kSize, kSize, 2}, {0.01, 0.01, 0.01}, {0, 0, 0}};
        spec.corrections.rings.method = method;
        const JobResult result = test::run(spec);
        EXPECT_EQ(result.invalidPixels.pixels, 181 * 640 * 2);
        EXPECT_EQ(std::ranges::count(result.notes, describe(spec.corrections)),
                  method == RingMethod::none ? 0 : 1);
        return upperSlice(readVolume(spec.output.path));
    };
    const Image plain = sliceOf(RingMethod::none);
    const double rings = ringsOf(plain, 150, 270);
    // The same filters in NumPy and SciPy make them about 4, 10 and 11 times fainter; what remains
    // is the tooth's own, and differs with the interpolation.
    for (const auto& [method, fainter] : {std::pair(RingMethod::sorting, 3.5),
                                          {RingMethod::wavelets, 8.0},
                                          {RingMethod::smoothedMean, 8.0}}) {
        const Image slice = sliceOf(method);
        EXPECT_GT(rings / ringsOf(slice, 150, 270), fainter) << name(method);
        EXPECT_GT(likeness(slice, plain), 0.985) << name(method);
    }
}

// What the files say of themselves is the whole scan but for the axis, whose guess is a part of a
// pixel from what the sample states, and which row is the lowest.
TEST(Tooth, NxTomoAndDataExchangeGiveTheVolumeOfTheTiffs) {
    const test::TemporaryFolder folder;
    const test::ToothFiles files(GANTRY_SAMPLES);
    files.writeNxTomo(folder / "tooth.nxs");
    files.writeExchange(folder / "tooth.h5");
    const ScanFile tiffs = readScanFile(GANTRY_SAMPLES "/tooth/scan.json");
    const auto volumeOf = [&](const ScanFile& scan, const char* name) {
        JobSpec spec = test::jobOf(scan, 100, folder / name);
        spec.volume = {{213, 213, 2}, {0.03, 0.03, 0.01}, {0, 0, 0}};
        return test::reconstructed(spec);
    };
    const Volume expected = volumeOf(tiffs, "tiffs.mha");
    for (const char* name : {"tooth.nxs", "tooth.h5"}) {
        SCOPED_TRACE(name);
        Inspection bare;
        bare.path = folder / name;
        ScanFile scan = guessScan(bare).scan;
        EXPECT_TRUE(scan.geometry.isParallel());
        EXPECT_NEAR(scan.geometry.axisColumn(), tiffs.geometry.axisColumn(), 0.1);
        scan.geometry.detector.offsetMm = tiffs.geometry.detector.offsetMm;
        scan.projections.firstRowIsTop = false;
        const Volume volume = volumeOf(scan, (std::string(name) + ".mha").c_str());
        // The same counts, so the same sums; an angle is read from text or computed.
        EXPECT_LT(test::relativeRmse(volume, expected), 1e-6);
    }
}

// Mean size of the steps between neighbours: what ghosts and blur take away.
double sharpness(const Image& image) {
    double sum = 0;
    for (Index y = 1; y < kSize; ++y)
        for (Index x = 1; x < kSize; ++x) {
            const auto at = static_cast<std::size_t>(y * kSize + x);
            sum += std::hypot(image[at] - image[at - 1], image[at] - image[at - kSize]);
        }
    return sum / (kSize * kSize);
}

TEST(Tooth, BareImagesGiveASliceAsSharpAsTheGeometryThatIsKnown) {
    const test::TemporaryFolder folder;
    const std::filesystem::path sample = GANTRY_SAMPLES "/tooth";
    std::filesystem::copy(sample, folder / "bare", std::filesystem::copy_options::recursive);
    std::filesystem::remove(folder / "bare/scan.json");
    Inspection bare;
    bare.path = folder / "bare";
    const auto sliceOf = [&](const ScanFile& scan, const char* name) {
        JobSpec spec = test::jobOf(scan, 100, folder / name);
        spec.volume = {{kSize, kSize, 2}, {0.01, 0.01, 0.01}, {0, 0, 0}};
        return upperSlice(test::reconstructed(spec));
    };
    const Image known = sliceOf(readScanFile(sample / "scan.json"), "known.mha");
    const Image guessed = sliceOf(guessScan(bare).scan, "guessed.mha");
    EXPECT_GT(likeness(guessed, known), 0.98);
    EXPECT_GT(sharpness(guessed), 0.98 * sharpness(known));
}

}  // namespace
}  // namespace gantry
