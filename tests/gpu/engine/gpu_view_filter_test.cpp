#include "gpu/engine/gpu_engine.h"

#include <gtest/gtest.h>

#include <cmath>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "gpu/engine/gpu_filter.h"
#include "tests/gpu/engine/filter_case.h"
#include "tests/gpu/support/device.h"
#include "tests/support/cpu_device.h"

namespace gantry {
namespace {

using test::ScanCase;

class GpuViewFilterTest : public testing::Test {
  protected:
    void SetUp() override {
        GANTRY_NEEDS_DEVICE();
        if (const std::string why = whyNoCufft(); !why.empty()) GTEST_SKIP() << why;
    }

    // A batch of views that lie apart in memory, as those of a larger one.
    void make(const ScanCase& scan, IndexRange views, IndexRange rows) {
        m_full = test::largest(scan.type);
        m_acquisition.emplace(test::acquisitionOf(scan, m_full, m_random));
        const bool isStored = scan.handedOver == ViewState::stored;
        m_job.acquisition = &*m_acquisition;
        m_job.filter = scan.filter;
        m_job.handedOver = scan.handedOver;
        m_job.batchViews = views.size();
        m_job.maxRows = rows.size();
        m_columns = m_acquisition->geometry.detector.columns;
        const Index columns = isStored ? scan.columns : m_columns;
        const PixelType type = isStored ? scan.type : PixelType::float32;
        const std::vector<double> pixels =
            test::randomPixels(scan, views.size() * rows.size() * columns, m_full, m_random);
        m_memory = test::storedAs(type, pixels);
        m_batch.number = 3;
        m_batch.views = views;
        m_batch.rowBytes = columns * sizeBytes(type);
        m_batch.rowBlocks[0] = {rows, m_memory.data(), rows.size() * m_batch.rowBytes};
    }

    std::vector<float> filtered(ViewFilter& filter, IndexRange counted) {
        const Index rows = m_batch.rowCount();
        std::vector<float> out(static_cast<std::size_t>(m_batch.views.size() * rows * m_columns),
                               -1);
        m_invalid =
            filter.apply(m_batch, counted, {out.data(), m_batch.views.size(), rows, m_columns}, {});
        return out;
    }

    // Either side rounds relative to what a row holds, so the error is one of the whole.
    static void expectEqual(std::span<const float> found, std::span<const float> expected,
                            double tolerance) {
        ASSERT_EQ(found.size(), expected.size());
        double error = 0;
        double norm = 0;
        for (std::size_t i = 0; i < found.size(); ++i) {
            error += std::pow(static_cast<double>(found[i]) - static_cast<double>(expected[i]), 2);
            norm += std::pow(static_cast<double>(expected[i]), 2);
        }
        EXPECT_GT(norm, 0);
        EXPECT_LE(std::sqrt(error), tolerance * std::sqrt(norm));
    }

    void expectAsOnTheCpu(const ScanCase& scan, IndexRange counted) {
        const auto gpu = makeGpuViewFilter(
            test::testDevice(), m_job, [&](const TimelineSpan& span) { m_spans.push_back(span); },
            0);
        test::CpuViewFilter cpu(
            0, m_job, [](const TimelineSpan&) {}, 0);
        for (int again = 0; again < 2; ++again) {
            const std::vector<float> expected = filtered(cpu, counted);
            const InvalidPixels invalid = m_invalid;
            const std::vector<float> found = filtered(*gpu, counted);
            EXPECT_EQ(m_invalid, invalid);
            expectEqual(found, expected, scan.tolerance);
        }
    }

    std::mt19937 m_random{7};
    double m_full = 0;
    std::optional<Acquisition> m_acquisition;
    DeviceJob m_job;
    Index m_columns = 0;
    std::vector<std::byte> m_memory;
    DeviceBatch m_batch;
    InvalidPixels m_invalid;
    std::vector<TimelineSpan> m_spans;
};

TEST_F(GpuViewFilterTest, HandsBackWhatTheCpuWouldMake) {
    for (const ScanCase& scan :
         {ScanCase{.name = "counts"}, ScanCase{.name = "offset detector", .offsetMm = 32},
          ScanCase{.name = "prepared", .handedOver = ViewState::prepared, .oddShare = 0},
          ScanCase{.name = "attenuation",
          .type = PixelType::float32,
          .kind = ProjectionKind::attenuation}}) {
        SCOPED_TRACE(scan.name);
        make(scan, {2, 7}, {4, 29});
        expectAsOnTheCpu(scan, {9, 20});
    }
}

TEST_F(GpuViewFilterTest, FiltersInPlaceAndTellsItsTimes) {
    const ScanCase scan = {.name = "in place", .handedOver = ViewState::prepared, .oddShare = 0};
    make(scan, {0, 4}, {0, 41});
    test::CpuViewFilter cpu(
        0, m_job, [](const TimelineSpan&) {}, 0);
    const std::vector<float> expected = filtered(cpu, {});
    const auto gpu = makeGpuViewFilter(
        test::testDevice(), m_job, [&](const TimelineSpan& span) { m_spans.push_back(span); }, 0);
    auto* values = reinterpret_cast<float*>(m_memory.data());
    (void)gpu->apply(m_batch, {}, {values, 4, 41, m_columns}, {});
    expectEqual({values, expected.size()}, expected, scan.tolerance);
    ASSERT_EQ(m_spans.size(), 3U);
    const std::vector<Stage> stages = {Stage::upload, Stage::filter, Stage::download};
    for (std::size_t i = 0; i < 3; ++i) {
        EXPECT_EQ(m_spans[i].lane, "GPU " + std::to_string(test::testDevice().number) + " filter");
        EXPECT_EQ(m_spans[i].stage, stages[i]);
        EXPECT_EQ(m_spans[i].batch, 3);
        EXPECT_EQ(m_spans[i].bytes, 4 * 41 * m_columns * 4);
    }
}

TEST_F(GpuViewFilterTest, RefusesBatchesThatAreLargerThanPlanned) {
    make({.name = "large"}, {0, 5}, {0, 20});
    m_job.batchViews = 3;
    const auto gpu = makeGpuViewFilter(
        test::testDevice(), m_job, [](const TimelineSpan&) {}, 0);
    EXPECT_THROW((void)filtered(*gpu, {}), InternalError);
}

}  // namespace
}  // namespace gantry
