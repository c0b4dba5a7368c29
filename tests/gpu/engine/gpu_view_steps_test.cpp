#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/engine/shared_view_steps.h"
#include "core/engine/view_steps.h"
#include "core/scan/corrected_scan.h"
#include "core/scan/held_views.h"
#include "core/scan/view_stages.h"
#include "gpu/engine/gpu_engine.h"
#include "gpu/engine/gpu_filter.h"
#include "tests/gpu/support/device.h"
#include "tests/support/noise_scan.h"

namespace gantry {
namespace {

struct StepsCase {
    std::string name;
    Corrections corrections;
    Index views = 53;
    bool isAttenuation = false;
    bool hasDeadRow = false;  ///< which the host makes from the rows above and below
    bool isCut = false;       ///< two ranges of rows that lie apart
    bool doesBeamDrift = false;
    double tolerance = 1e-6;  ///< logarithms and sums of floats are rounded in another order
};

std::ostream& operator<<(std::ostream& out, const StepsCase& one) {
    return out << one.name;
}

constexpr Index kColumns = 131;
constexpr Index kRows = 48;
constexpr Index kBlock = 20;

OpenScan scanOf(const StepsCase& one) {
    ScanGeometry geometry;
    geometry.cone().sourceToIsocenterMm = 600;
    geometry.cone().sourceToDetectorMm = 1150;
    geometry.cone().views = one.views;
    geometry.detector = {.columns = kColumns, .rows = kRows, .pitchMm = {0.6, 0.5}};
    OpenScan scan = test::noiseScan(geometry);
    auto calibration = std::make_shared<DetectorCalibration>();
    calibration->rows = kRows;
    calibration->columns = kColumns;
    if (!one.isAttenuation) {
        calibration->dark = HostBuffer<float>(kRows * kColumns);
        calibration->flat = HostBuffer<float>(kRows * kColumns);
        for (Index i = 0; i < kRows * kColumns; ++i) {
            calibration->dark[i] = scan.calibration->dark[i];
            calibration->flat[i] = scan.calibration->flat[i];
        }
    }
    std::vector<unsigned char> bad(static_cast<std::size_t>(kRows * kColumns));
    for (std::size_t i = 5; i < bad.size(); i += 97)
        bad[i] = 1;
    if (one.hasDeadRow)
        for (Index u = 0; u < kColumns; ++u)
            bad[static_cast<std::size_t>(9 * kColumns + u)] = 1;
    mergeBadPixels(*calibration, bad);
    if (one.isAttenuation) scan.kind = ProjectionKind::attenuation;
    scan.repair = one.hasDeadRow ? PixelRepair::of(*calibration) : nullptr;
    scan.calibration = std::move(calibration);
    if (one.doesBeamDrift)
        for (Index s = 0; s < one.views; ++s)
            scan.offsets.push_back({0.01F * static_cast<float>(s % 7), 1e-3F, -2e-3F});
    return corrected(std::move(scan), one.corrections);
}

class GpuViewSteps : public testing::TestWithParam<StepsCase> {
  protected:
    void SetUp() override {
        GANTRY_NEEDS_DEVICE();
        if (const std::string why = whyNoCufft(); !why.empty()) GTEST_SKIP() << why;
    }

    // All views in the rows that are wanted, and how many of their pixels were invalid.
    std::vector<float> correctedViews(HeldViews& held, const OpenScan& scan, InvalidPixels& invalid,
                                      bool areCountsApart) const {
        const IndexRanges rows = this->rows();
        const Index viewFloats = rows.size() * kColumns;
        std::vector<float> all(static_cast<std::size_t>(scan.stored.views * viewFloats));
        const auto fill = [&](IndexRange views) {
            Batch batch;
            batch.views = views;
            batch.rows = batch.storedRows = rows;
            batch.stored = HostBuffer<std::byte>(views.size() * viewFloats * Index{sizeof(float)});
            held.fill(batch);
            std::size_t first = 0;
            for (std::size_t part = 0; part < rows.parts().size(); ++part) {
                const Span3<std::byte> block = batch.storedBlock(part, kColumns * 4);
                for (Index s = 0; s < views.size(); ++s)
                    std::memcpy(
                        all.data() + (views.begin + s) * viewFloats + static_cast<Index>(first),
                        block.row(s, 0), static_cast<std::size_t>(block.size(1)) * kColumns * 4);
                first += static_cast<std::size_t>(block.size(1)) * kColumns;
            }
        };
        const Index counts = held.isByBlock() || !areCountsApart ? 1 : 2;
        if (counts == 2) {
            RowCounts ofRows = countedOnce(kRows, {2, 40});
            std::fill(ofRows.begin() + 20, ofRows.begin() + 40, std::int16_t{1});
            held.beginAll(rows, ofRows);
        } else {
            held.begin(rows, {2, 40});
        }
        for (Index first = 0; first < scan.stored.views; first += kBlock) {
            const IndexRange views = {first, std::min(first + kBlock, scan.stored.views)};
            held.load(views, {});
            held.correct({});
            if (held.isByBlock()) fill(views);
        }
        held.correctAllViews({});
        if (!held.isByBlock())
            for (Index first = 0; first < scan.stored.views; first += 7)
                fill({first, std::min(first + 7, scan.stored.views)});
        for (Index count = 0; count < counts; ++count)
            invalid += held.invalidIn({0, scan.stored.views}, count);
        return all;
    }

    [[nodiscard]] IndexRanges rows() const {
        return GetParam().isCut ? IndexRanges({3, 14}, {25, 44}) : IndexRanges(3, 44);
    }

    void expectAsOnTheCpu(bool isHeld, bool isShared = false) const {
        const OpenScan scan = scanOf(GetParam());
        InvalidPixels onCpu;
        InvalidPixels onGpu;
        HeldViews cpu(scan, kBlock, 2);
        const std::vector<float> expected = correctedViews(cpu, scan, onCpu, false);

        ViewStepsJob job;
        job.stored = scan.beforeSteps.get();
        job.corrections = scan.corrections;
        job.phase = scan.phase;
        job.areIntegrals = needsHostIntegrals(*job.stored);
        job.blockViews = kBlock;
        for (const StepRows& block : stepRows(scan, rows()))
            job.maxReadRows += block.read.size();
        job.maxRows = rows().size();
        job.isHeld = isHeld;
        job.countSets = 2;
        ASSERT_GT(gpuViewStepsBytes(job).value(), 0);
        HeldViews gpu(scan, kBlock, 2);
        std::vector<std::unique_ptr<ViewSteps>> devices;
        for (int d = 0; d < (isShared ? 2 : 1); ++d)
            devices.push_back(makeGpuViewSteps(test::testDevice(), job));
        gpu.useDevice(sharedViewSteps(std::move(devices), scan.stored.views), isHeld, {});
        const std::vector<float> found =
            correctedViews(gpu, scan, onGpu, isHeld && !job.areIntegrals);

        EXPECT_EQ(onGpu, onCpu);
        double error = 0;
        double norm = 0;
        for (std::size_t i = 0; i < found.size(); ++i) {
            error += std::pow(static_cast<double>(found[i]) - static_cast<double>(expected[i]), 2);
            norm += std::pow(static_cast<double>(expected[i]), 2);
        }
        EXPECT_GT(norm, 0);
        EXPECT_LE(std::sqrt(error), GetParam().tolerance * std::sqrt(norm));
    }
};

TEST_P(GpuViewSteps, AreThoseOfTheCpu) {
    expectAsOnTheCpu(false);
}

TEST_P(GpuViewSteps, AreThoseOfTheCpuWhereTheDeviceHoldsAllViews) {
    const Corrections& corrections = GetParam().corrections;
    if (corrections.needsAllViews() || corrections.hasPhase()) expectAsOnTheCpu(true);
}

// The same device stands for both.
TEST_P(GpuViewSteps, AreThoseOfTheCpuWhereTwoDevicesShareThem) {
    expectAsOnTheCpu(false, true);
}

Corrections rings(RingMethod method, Index widthPx = 21) {
    return {.rings = {.method = method, .widthPx = widthPx}};
}

const ZingerSpec kZingers = {.ratio = 1.3};
// The filter falls by e over 1 pixel and over 6: within the detector's rows it never forgets.
const PhaseSpec kNarrow = {.energyKeV = 25, .distanceMm = 5e4, .deltaOverBeta = 1000};
const PhaseSpec kWide = {.energyKeV = 25, .distanceMm = 2e6, .deltaOverBeta = 1000};

const StepsCase kCases[] = {
    {.name = "Zingers", .corrections = {.zingers = kZingers}},
    {.name = "WideZingersInTwoRanges",
     .corrections = {.zingers = {.ratio = 1.2, .widthPx = 7}},
     .isCut = true},
    {.name = "Phase", .corrections = {.phase = kNarrow}},
    {.name = "WidePhase", .corrections = {.phase = kWide}, .isCut = true},
    {.name = "Sorting", .corrections = rings(RingMethod::sorting)},
    {.name = "SortingOfManyViews",
     .corrections = rings(RingMethod::sorting, 201),
     .views = 1100,
     .isCut = true},
    {.name = "Wavelets", .corrections = rings(RingMethod::wavelets)},
    {.name = "SmoothedMean", .corrections = rings(RingMethod::smoothedMean, 9), .isCut = true},
    // A dark pixel behind bright ones multiplies what rounding does to them.
    {.name = "Lag", .corrections = {.lag = {0.04, 3}}, .isCut = true, .tolerance = 1e-5},
    {.name = "LagAndWavelets",
     .corrections = {.lag = {0.02, 1}, .rings = {.method = RingMethod::wavelets}},
     .tolerance = 1e-5},
    {.name = "All",
     .corrections = {.zingers = kZingers,
                     .phase = kNarrow,
                     .rings = {.method = RingMethod::sorting, .widthPx = 11}},
     // Two of the 53 values of a column that rounding makes change places take medians apart.
     .tolerance = 1e-4},
    {.name = "ZingersOfAttenuation",
     .corrections = {.zingers = {.ratio = 1.4}},
     .isAttenuation = true},
    {.name = "WaveletsBesideDeadRows",
     .corrections = {.zingers = kZingers, .rings = {.method = RingMethod::wavelets}},
     .hasDeadRow = true,
     .isCut = true},
    {.name = "ZingersOfABeamThatDrifts",
     .corrections = {.zingers = kZingers},
     .doesBeamDrift = true},
};

INSTANTIATE_TEST_SUITE_P(All, GpuViewSteps, testing::ValuesIn(kCases),
                         [](const auto& one) { return one.param.name; });

TEST(GpuViewPreparer, ResamplesAsTheCpu) {
    GANTRY_NEEDS_DEVICE();
    ScanGeometry geometry;
    geometry.cone().sourceToIsocenterMm = 600;
    geometry.cone().sourceToDetectorMm = 1150;
    geometry.cone().views = 9;
    geometry.detector = {.columns = kColumns, .rows = kRows, .pitchMm = {0.6, 0.5}};
    geometry.detector.rollDeg = 3;
    geometry.detector.tiltDeg = -7;
    geometry.detector.slantDeg = 5;
    geometry.detector.offsetMm = {11, -3};  // rows are padded on one side
    const OpenScan scan = test::noiseScan(geometry, FilterRows::upright);
    ViewStepsJob job;
    job.stored = &scan;
    job.blockViews = 6;
    job.maxRows = job.maxReadRows = kRows;
    ViewPreparer cpu(scan, 2);
    ViewPreparer gpu(scan, 2);
    gpu.useDevice(makeGpuViewSteps(test::testDevice(), job));
    ViewPreparer twoGpus(scan, 2);
    std::vector<std::unique_ptr<ViewSteps>> two;
    for (int d = 0; d < 2; ++d)
        two.push_back(makeGpuViewSteps(test::testDevice(), job));
    twoGpus.useDevice(sharedViewSteps(std::move(two), scan.stored.views));
    for (const IndexRanges& rows : {IndexRanges(0, kRows), IndexRanges({2, 9}, {37, 44})}) {
        Batch batch;
        batch.views = {2, 8};
        batch.rows = rows;
        batch.storedRows = scan.storedRows(rows);
        batch.counted = {5, 40};
        const Index pixels = batch.views.size() * rows.size() * scan.geometry.detector.columns;
        batch.stored = HostBuffer<std::byte>(batch.views.size() * batch.storedRows.size() *
                                             scan.storedRowBytes());
        batch.values = HostBuffer<float>(pixels);
        loadViews(scan, batch, 1, {});
        const InvalidPixels onCpu = cpu.prepare(batch, {});
        const std::vector<float> expected(batch.values.data(), batch.values.data() + pixels);
        for (ViewPreparer* devices : {&gpu, &twoGpus}) {
            std::fill_n(batch.values.data(), pixels, -1.0F);
            EXPECT_EQ(devices->prepare(batch, {}), onCpu);
            for (Index i = 0; i < pixels; ++i)  // logarithms of up to 11 are rounded twice
                EXPECT_NEAR(batch.values[i], expected[static_cast<std::size_t>(i)], 4e-6) << i;
        }
    }
}

TEST(GpuViewStepsBytes, AreNoneWhereTheDeviceCannotSortAllViews) {
    StepsCase many = {.name = "", .corrections = rings(RingMethod::sorting), .views = 8193};
    ViewStepsJob job;
    const OpenScan scan = scanOf(many);
    job.stored = scan.beforeSteps.get();
    job.corrections = scan.corrections;
    job.blockViews = 1;
    job.maxReadRows = job.maxRows = 1;
    EXPECT_FALSE(gpuViewStepsBytes(job));
}

}  // namespace
}  // namespace gantry
