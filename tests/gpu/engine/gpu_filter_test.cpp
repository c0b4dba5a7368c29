#include "gpu/engine/gpu_filter.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "core/filter/cpu_filter.h"
#include "gpu/device/cuda_check.h"
#include "gpu/device/device_buffer.h"
#include "gpu/device/stream.h"
#include "tests/gpu/engine/filter_case.h"
#include "tests/gpu/support/device.h"

namespace gantry {
namespace {

using test::ScanCase;

InvalidPixels invalidBy(GpuFilter& filter, const Stream& stream) {
    PinnedInvalidPixels invalid;
    filter.enqueueInvalid(invalid, stream.get());
    stream.synchronize();
    return invalid.counts();
}

// Scan, job and pixels of one case, and what the device and the processor make of them.
class Trial {
  public:
    explicit Trial(const ScanCase& scan)
        : m_case(scan),
          m_full(test::largest(scan.type)),
          m_acquisition(test::acquisitionOf(scan, m_full, m_random)) {
        m_job.acquisition = &m_acquisition;
        m_job.filter = scan.filter;
        m_job.handedOver = scan.handedOver;
        m_job.batchViews = scan.views;
        m_job.maxRows = scan.rows;
        m_filter = std::make_unique<GpuFilter>(m_job);
    }

    [[nodiscard]] const DeviceJob& job() const { return m_job; }

    void compare(IndexRange views, IndexRange rows, Index countFrom) {
        SCOPED_TRACE(m_case.name + ", views from " + std::to_string(views.begin) + ", rows from " +
                     std::to_string(rows.begin));
        const Index columns = handedColumns();
        const std::vector<double> pixels =
            test::randomPixels(m_case, views.size() * rows.size() * columns, m_full, m_random);
        const std::vector<std::byte> batch = test::storedAs(typeHandedOver(), pixels);
        expectEqual(onDevice(batch, views, rows, countFrom),
                    onProcessor(batch, views, rows, countFrom));
        EXPECT_EQ(invalidBy(*m_filter, m_stream), m_invalid);
        EXPECT_EQ(invalidBy(*m_filter, m_stream), InvalidPixels{}) << "they are reported once";
    }

    // Two blocks of rows at once, of which those from countFrom on are counted.
    void compareBlocks(IndexRange views, IndexRange lower, IndexRange upper, Index countFrom) {
        std::vector<std::byte> both;
        std::vector<std::vector<float>> expected;
        InvalidPixels invalid;
        for (const IndexRange rows : {lower, upper}) {
            const std::vector<std::byte> block = test::storedAs(
                typeHandedOver(),
                test::randomPixels(m_case, views.size() * rows.size() * handedColumns(), m_full,
                                   m_random));
            both.insert(both.end(), block.begin(), block.end());
            expected.push_back(onProcessor(block, views, rows, std::max(rows.begin, countFrom)));
            invalid += m_invalid;
        }
        const DeviceBuffer<std::byte> buffer = uploaded(both);
        const gpu::FilteredViews out = m_filter->apply(buffer.data(), views, {lower, upper},
                                                       {countFrom, upper.end}, m_stream.get());
        EXPECT_EQ(out.nV, upper.end - lower.begin);
        EXPECT_EQ(out.upperRow, upper.begin - lower.begin);
        expectEqual(valuesOf(gpu::blockOf(out, false)), expected[0]);
        expectEqual(valuesOf(gpu::blockOf(out, true)), expected[1]);
        EXPECT_EQ(invalidBy(*m_filter, m_stream), invalid);
    }

  private:
    void expectEqual(const std::vector<float>& found, const std::vector<float>& expected) const {
        ASSERT_EQ(found.size(), expected.size());
        double error = 0;
        double norm = 0;
        for (std::size_t i = 0; i < found.size(); ++i) {
            error += std::pow(static_cast<double>(found[i]) - static_cast<double>(expected[i]), 2);
            norm += std::pow(static_cast<double>(expected[i]), 2);
        }
        EXPECT_LE(std::sqrt(error), m_case.tolerance * std::sqrt(norm));  // dead rows are all 0
    }

    [[nodiscard]] bool isPrepared() const { return m_case.handedOver == ViewState::prepared; }
    [[nodiscard]] Index handedColumns() const {
        return isPrepared() ? m_acquisition.geometry.detector.columns : m_case.columns;
    }
    [[nodiscard]] PixelType typeHandedOver() const {
        return isPrepared() ? PixelType::float32 : m_case.type;
    }

    InvalidPixels toIntegrals(Index view, Index firstRow, Span3<float> rows) const {
        if (rows.size(1) == 0) return {};
        const BeamOffset offset = m_acquisition.offsetOf(view);
        return m_case.kind == ProjectionKind::counts
                   ? toLineIntegrals(*m_acquisition.calibration, firstRow, rows, view, offset)
                   : cleanAttenuation(*m_acquisition.calibration, firstRow, rows, offset);
    }

    // By core's own functions, in the order of ViewPreparer.
    std::vector<float> onProcessor(const std::vector<std::byte>& batch, IndexRange views,
                                   IndexRange rows, Index countFrom) {
        const Index columns = handedColumns();
        const Index padded = m_acquisition.geometry.detector.columns;
        const Index pixels = rows.size() * columns;
        const Index old = countFrom - rows.begin;
        const Index viewBytes = pixels * sizeBytes(typeHandedOver());
        std::vector<float> values(static_cast<std::size_t>(views.size() * rows.size() * padded));
        m_invalid = {};
        for (Index s = 0; s < views.size(); ++s) {
            float* view = values.data() + s * rows.size() * padded;
            toFloat(typeHandedOver(),
                    std::span(batch).subspan(static_cast<std::size_t>(s * viewBytes),
                                             static_cast<std::size_t>(viewBytes)),
                    {view, static_cast<std::size_t>(pixels)});
            if (isPrepared()) continue;
            const Index number = views.begin + s;
            (void)toIntegrals(number, rows.begin, {view, 1, old, columns});
            m_invalid += toIntegrals(number, countFrom,
                                     {view + old * columns, 1, rows.size() - old, columns});
            padRowsInPlace(m_acquisition.redundancy, {view, 1, rows.size(), padded});
        }
        CpuFilter(m_acquisition.geometry, m_case.filter, m_acquisition.redundancy, 2)
            .apply({values.data(), views.size(), rows.size(), padded}, views.begin, rows.begin, {});
        return values;
    }

    std::vector<float> onDevice(const std::vector<std::byte>& batch, IndexRange views,
                                IndexRange rows, Index countFrom) {
        const DeviceBuffer<std::byte> buffer = uploaded(batch);
        const gpu::FilteredViews out =
            m_filter->apply(buffer.data(), views, rows, {countFrom, rows.end}, m_stream.get());
        EXPECT_EQ(out.nS, views.size());
        EXPECT_EQ(out.nV, rows.size());
        EXPECT_EQ(out.nU, m_acquisition.geometry.detector.columns);
        return valuesOf(out);
    }

    [[nodiscard]] DeviceBuffer<std::byte> uploaded(const std::vector<std::byte>& batch) const {
        DeviceBuffer<std::byte> buffer(static_cast<Index>(batch.size()));
        check(cudaMemcpyAsync(buffer.data(), batch.data(), batch.size(), cudaMemcpyHostToDevice,
                              m_stream.get()),
              "uploading a test");
        return buffer;
    }

    [[nodiscard]] std::vector<float> valuesOf(const gpu::FilteredViews& out) const {
        std::vector<float> memory(static_cast<std::size_t>(out.viewStride * out.nS));
        check(cudaMemcpyAsync(memory.data(), out.data, memory.size() * sizeof(float),
                              cudaMemcpyDeviceToHost, m_stream.get()),
              "reading a test");
        m_stream.synchronize();
        std::vector<float> values;
        for (int s = 0; s < out.nS; ++s)
            for (int v = 0; v < out.nV; ++v)
                for (int u = 0; u < out.nU; ++u)
                    values.push_back(memory[static_cast<std::size_t>(
                        s * out.viewStride + v / 2 * out.pairStride + v % 2 * out.oddStride +
                        u * out.columnStride)]);
        return values;
    }

    std::mt19937 m_random{5};
    ScanCase m_case;
    double m_full;  ///< counts of a pixel that is full
    Acquisition m_acquisition;
    DeviceJob m_job;
    Stream m_stream;
    std::unique_ptr<GpuFilter> m_filter;
    InvalidPixels m_invalid;  ///< on the processor
};

#define GANTRY_NEEDS_CUFFT() \
    GANTRY_NEEDS_DEVICE();   \
    if (!whyNoCufft().empty()) GTEST_SKIP() << whyNoCufft()

TEST(GpuFilter, EveryPixelTypeGivesTheCpusResult) {
    GANTRY_NEEDS_CUFFT();
    for (const PixelType type :
         {PixelType::uint8, PixelType::int8, PixelType::uint16, PixelType::int16, PixelType::uint32,
          PixelType::int32, PixelType::float32, PixelType::float64}) {
        const ScanCase scan = {.name = std::string(name(type)), .type = type};
        Trial(scan).compare({0, scan.views}, {0, scan.rows}, 0);
    }
}

TEST(GpuFilter, EveryKindOfScanGivesTheCpusResult) {
    GANTRY_NEEDS_CUFFT();
    const std::vector<ScanCase> scans = {
        {.name = "short scan", .arcDeg = 230},
        {.name = "clockwise", .arcDeg = -230},
        {.name = "offset to the right", .offsetMm = 32},
        {.name = "offset to the left", .offsetMm = -35},
        {.name = "most pixels odd", .badShare = 0.3, .oddShare = 0.7},
        // The ramp takes away most of a row that is all alike, but not what was rounded of it.
        {.name = "all pixels odd", .type = PixelType::float32, .oddShare = 1, .tolerance = 3e-6},
        {.name = "dark rows", .hasDarkRows = true, .tolerance = 3e-6},
        {.name = "no bad pixels", .badShare = 0},
        {.name = "window", .filter = {FilterWindow::hann, 0.7}},
        {.name = "one row", .columns = 128, .rows = 5, .views = 3},
        {.name = "attenuation",
         .type = PixelType::float32,
         .kind = ProjectionKind::attenuation,
         .offsetMm = 32},
        {.name = "attenuation without a mask",
         .type = PixelType::float64,
         .kind = ProjectionKind::attenuation,
         .badShare = 0},
        {.name = "prepared", .handedOver = ViewState::prepared, .offsetMm = 32, .oddShare = 0},
    };
    for (const ScanCase& scan : scans)
        Trial(scan).compare({0, scan.views}, {0, scan.rows}, 0);
}

// The root in an extended row makes a difference of rounding at its end much larger there. About an
// axis in the middle both edges are extended.
TEST(GpuFilter, RowsAreExtendedAsOnTheCpu) {
    GANTRY_NEEDS_CUFFT();
    const std::vector<ScanCase> scans = {
        {.name = "both edges", .offsetMm = 0, .tolerance = 3e-6, .extension = {60, 41, 0.01}},
        {.name = "both edges, of which some is shown",
         .offsetMm = 0,
         .tolerance = 3e-6,
         .extension = {60, 41, 0.01, 25, 50}},
        {.name = "shown on an offset detector",
         .offsetMm = 32,
         .tolerance = 3e-6,
         .extension = {30, 30, 0.01, 70, 12}},
        {.name = "one edge", .arcDeg = 230, .tolerance = 3e-6, .extension = {0, 33, 0.02}},
        {.name = "smoothly to zero", .offsetMm = 0, .tolerance = 3e-6, .extension = {38, 38, 0}},
        {.name = "window",
         .offsetMm = 0,
         .filter = {FilterWindow::hann, 0.7},
         .tolerance = 3e-6,
         .extension = {77, 77, 0.02}},
        {.name = "offset", .offsetMm = 32, .tolerance = 3e-6, .extension = {30, 30, 0.01}},
        {.name = "poses", .poseDeg = 2, .tolerance = 3e-6, .extension = {30, 20, 0.01}},
        {.name = "most pixels odd",
         .offsetMm = 0,
         .badShare = 0.3,
         .oddShare = 0.7,
         .tolerance = 3e-6,
         .extension = {30, 20, 0.01}},
        {.name = "dark rows",
         .offsetMm = 0,
         .hasDarkRows = true,
         .tolerance = 3e-6,
         .extension = {9, 20, 0.1}},
        {.name = "few columns",
         .offsetMm = 0,
         .tolerance = 3e-6,
         .columns = 5,
         .extension = {5, 5, 0.1}},
        {.name = "prepared",
         .handedOver = ViewState::prepared,
         .offsetMm = 0,
         .oddShare = 0,
         .tolerance = 3e-6,
         .extension = {40, 50, 0.02}},
    };
    for (const ScanCase& scan : scans) {
        Trial trial(scan);
        trial.compare({0, scan.views}, {0, scan.rows}, 0);
        trial.compareBlocks({1, 6}, {3, 4}, {30, 41}, 4);
    }
}

TEST(GpuFilter, ViewsWithWeightsOfTheirOwnGiveTheCpusResult) {
    GANTRY_NEEDS_CUFFT();
    const std::vector<ScanCase> scans = {
        {.name = "poses", .poseDeg = 6},
        {.name = "poses on a short scan", .arcDeg = 230, .poseDeg = 2},
        {.name = "poses, offset to the left", .offsetMm = -35, .poseDeg = 2},
        {.name = "a tilted detector's own rows", .isTilted = true},
        {.name = "RTK's weights", .isTilted = true, .along = FilterRows::rtk},
    };
    for (const ScanCase& scan : scans) {
        Trial trial(scan);
        ASSERT_FALSE(trial.job().acquisition->geometry.areAligned());
        trial.compare({0, scan.views}, {0, scan.rows}, 0);
        trial.compare({2, 6}, {7, 20}, 7);  // each by its number in the scan and the detector
    }
}

TEST(GpuFilter, ABeamThatDriftsIsThatOfEachView) {
    GANTRY_NEEDS_CUFFT();
    const std::vector<ScanCase> scans = {
        {.name = "counts", .offsetMm = 32, .hasDarkRows = true, .doesBeamDrift = true},
        {.name = "attenuation",
         .type = PixelType::float32,
         .kind = ProjectionKind::attenuation,
         .doesBeamDrift = true},
        {.name = "prepared",
         .handedOver = ViewState::prepared,
         .oddShare = 0,
         .doesBeamDrift = true},
    };
    for (ScanCase scan : scans) {
        scan.tolerance = 3e-6;
        Trial trial(scan);
        trial.compare({0, scan.views}, {0, scan.rows}, 0);
        trial.compare({2, 6}, {7, 20}, 7);
    }
}

TEST(GpuFilter, BatchesOfAnySizeFollowEachOther) {
    GANTRY_NEEDS_CUFFT();
    const ScanCase scan = {.name = "parts", .arcDeg = 230};
    Trial trial(scan);
    trial.compare({0, 7}, {0, 41}, 0);
    trial.compare({2, 3}, {5, 6}, 5);
    trial.compare({3, 7}, {30, 41}, 35);
    trial.compare({0, 5}, {2, 22}, 22);  // counted before, by another slab
    trial.compare({6, 7}, {0, 41}, 7);
}

TEST(GpuFilter, TwoBlocksOfRowsAreFilteredAtOnce) {
    GANTRY_NEEDS_CUFFT();
    const ScanCase scan = {.name = "two blocks", .arcDeg = 230};
    Trial trial(scan);
    trial.compareBlocks({0, 7}, {0, 11}, {28, 41}, 0);
    trial.compareBlocks({1, 6}, {3, 4}, {30, 41}, 4);  // of the upper block all are counted
    const ScanCase wide = {.name = "wide", .columns = 9001, .rows = 65, .views = 9};
    Trial(wide).compareBlocks({0, wide.views}, {0, 33}, {34, 65}, 0);
}

TEST(GpuFilter, LongRowsAndManyChunks) {
    GANTRY_NEEDS_CUFFT();
    const ScanCase wide = {.name = "wide", .columns = 9001, .rows = 65, .views = 9};
    Trial(wide).compare({0, wide.views}, {0, wide.rows}, 0);
}

TEST(GpuFilter, AnEmptyBatchIsNoViews) {
    GANTRY_NEEDS_CUFFT();
    Trial trial({.name = "empty"});
    GpuFilter filter(trial.job());
    const Stream stream;
    EXPECT_EQ(filter.apply(nullptr, {0, 7}, IndexRange{4, 4}, {}, stream.get()).nV, 0);
    EXPECT_EQ(invalidBy(filter, stream), InvalidPixels{});
}

TEST(GpuFilter, TakesNoMoreMemoryThanItSays) {
    GANTRY_NEEDS_CUFFT();
    const auto freeBytes = [] {
        std::size_t free = 0;
        std::size_t total = 0;
        check(cudaMemGetInfo(&free, &total), "asking for free memory");
        return static_cast<Index>(free);
    };
    for (const double poseDeg : {0.0, 1.0}) {
        const ScanCase scan = {
            .name = "memory", .poseDeg = poseDeg, .columns = 2048, .rows = 512, .views = 32};
        const Index before = freeBytes();
        const Trial trial(scan);
        // Allocations are rounded up to pages of 2 MB.
        constexpr Index kPagesBytes = 12 * (Index{2} << 20);
        EXPECT_LE(before - freeBytes(), gpuFilterBytes(trial.job()) + kPagesBytes);
    }
}

TEST(CufftLibrary, IsThereOrTheReasonNamesIt) {
    const std::string reason = whyNoCufft();
    if (!reason.empty()) {
        EXPECT_NE(reason.find("libcufft"), std::string::npos) << reason;
        EXPECT_NE(reason.find("--filter-on cpu"), std::string::npos) << reason;
    }
}

}  // namespace
}  // namespace gantry
