#include "core/engine/shared_view_steps.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/base/host_buffer.h"

namespace gantry {
namespace {

constexpr Index kColumns = 3;

// A device that multiplies line integrals by its number, holds those that came last, and has found
// as many invalid pixels in a view as the view's number says.
class TimesSteps final : public ViewSteps {
  public:
    TimesSteps(float factor, std::vector<IndexRange>& corrected)
        : m_factor(factor), m_corrected(corrected) {}

    void begin(std::span<const StepRows> blocks, const RowCounts&) override {
        m_rows.clear();
        for (const StepRows& block : blocks)
            m_rows.push_back(block.read.size());
    }
    void correct(IndexRange views, std::span<const std::span<const std::byte>> pixels,
                 const std::stop_token& stop) override {
        if (stop.stop_requested()) throw Cancelled();
        m_corrected.push_back(views);
        m_loaded = views;
        m_blocks.clear();
        for (std::size_t b = 0; b < pixels.size(); ++b) {
            EXPECT_EQ(std::ssize(pixels[b]), views.size() * m_rows[b] * kColumns * 4);
            std::vector<float> values(pixels[b].size() / sizeof(float));
            std::memcpy(values.data(), pixels[b].data(), pixels[b].size());
            for (float& value : values)
                value *= m_factor;
            m_blocks.push_back(std::move(values));
        }
    }
    void correctAllViews(const std::stop_token&) override { FAIL(); }
    void correctAllViews(Span3<float> views, IndexRange rows, const std::stop_token&) override {
        for (Index s = 0; s < views.size(0); ++s)
            for (Index v = rows.begin; v < rows.end; ++v)
                for (Index u = 0; u < views.size(2); ++u)
                    views(s, v, u) *= m_factor;
    }
    void read(IndexRange views, IndexRange rows, Span3<float> out) override {
        EXPECT_EQ(out.size(0), views.size());
        for (Index s = views.begin; s < views.end; ++s)
            for (Index v = rows.begin; v < rows.end; ++v)
                std::memcpy(out.row(s - views.begin, v - rows.begin), rowOf(s, v),
                            kColumns * sizeof(float));
    }
    void resample(IndexRange views, std::size_t, IndexRange rows, float* out,
                  Index viewStride) override {
        for (Index s = views.begin; s < views.end; ++s)
            for (Index v = rows.begin; v < rows.end; ++v)
                std::memcpy(out + (s - views.begin) * viewStride + (v - rows.begin) * kColumns,
                            rowOf(s, v), kColumns * sizeof(float));
    }
    InvalidPixels invalidIn(IndexRange views, Index) override {
        InvalidPixels found;
        for (Index s = views.begin; s < views.end; ++s)
            found.bad += s;
        return found;
    }

  private:
    // Rows are counted through all blocks.
    const float* rowOf(Index view, Index row) {
        EXPECT_TRUE(m_loaded.contains(view));
        std::size_t b = 0;
        for (; row >= m_rows[b]; ++b)
            row -= m_rows[b];
        return m_blocks[b].data() + ((view - m_loaded.begin) * m_rows[b] + row) * kColumns;
    }

    float m_factor;
    std::vector<IndexRange>& m_corrected;
    std::vector<Index> m_rows;
    std::vector<std::vector<float>> m_blocks;
    IndexRange m_loaded;
};

struct SharedSteps : testing::Test {
    static constexpr Index kViews = 23;
    std::vector<IndexRange> corrected[3];
    std::unique_ptr<ViewSteps> steps;
    HostBuffer<float> lower{kViews * 2 * kColumns};  // two rows of each view, then five
    HostBuffer<float> upper{kViews * 5 * kColumns};

    SharedSteps() {
        std::vector<std::unique_ptr<ViewSteps>> devices;
        for (const int d : {0, 1, 2})
            devices.push_back(
                std::make_unique<TimesSteps>(static_cast<float>(d + 2), corrected[d]));
        steps = sharedViewSteps(std::move(devices), kViews);
        std::iota(lower.data(), lower.data() + lower.count(), 1.0F);
        std::iota(upper.data(), upper.data() + upper.count(), 1000.0F);
        steps->begin(std::vector<StepRows>{{{4, 6}, {4, 6}}, {{9, 14}, {9, 14}}}, {});
    }

    void correct(IndexRange views, const std::stop_token& stop = {}) {
        const auto of = [&](const HostBuffer<float>& block, Index rows) {
            return std::as_bytes(
                std::span(block.data() + views.begin * rows * kColumns,
                          static_cast<std::size_t>(views.size() * rows * kColumns)));
        };
        const std::vector<std::span<const std::byte>> pixels = {of(lower, 2), of(upper, 5)};
        steps->correct(views, pixels, stop);
    }
};

TEST_F(SharedSteps, EachDeviceCorrectsAPartOfTheViewsThatCome) {
    const IndexRange views = {5, 16};
    correct(views);
    EXPECT_EQ(corrected[0], (std::vector<IndexRange>{{5, 8}}));
    EXPECT_EQ(corrected[1], (std::vector<IndexRange>{{8, 12}}));
    EXPECT_EQ(corrected[2], (std::vector<IndexRange>{{12, 16}}));
    const auto factorOf = [](Index s) { return s < 8 ? 2.0F : s < 12 ? 3.0F : 4.0F; };
    // The last row of the first block and the first two of the second.
    HostBuffer<float> read(views.size() * 3 * kColumns);
    steps->read(views, {1, 4}, {read.data(), views.size(), 3, kColumns});
    HostBuffer<float> upright(views.size() * 20);
    steps->resample(views, 0, {1, 4}, upright.data(), 20);
    for (Index s = views.begin; s < views.end; ++s)
        for (Index v = 1; v < 4; ++v)
            for (Index u = 0; u < kColumns; ++u) {
                const float stored = v < 2 ? lower[(s * 2 + v) * kColumns + u]
                                           : upper[(s * 5 + v - 2) * kColumns + u];
                const Index place = s - views.begin;
                EXPECT_EQ(read[(place * 3 + v - 1) * kColumns + u], factorOf(s) * stored);
                EXPECT_EQ(upright[place * 20 + (v - 1) * kColumns + u], factorOf(s) * stored);
            }
    // Each view's are counted once: 6 to 13.
    EXPECT_EQ(steps->invalidIn({6, 14}, 0).bad, 76);
}

TEST_F(SharedSteps, EachDeviceTakesAPartOfTheRowsOfAllViews) {
    const Span3<float> views = {upper.data(), kViews, 5, kColumns};
    steps->correctAllViews(views, {0, 5}, {});
    const float factors[] = {2, 3, 3, 4, 4};
    for (Index i = 0; i < upper.count(); ++i)
        EXPECT_EQ(upper[i], factors[i / kColumns % 5] * (1000 + static_cast<float>(i)));
    EXPECT_THROW(steps->correctAllViews(std::stop_token()), InternalError);
}

TEST_F(SharedSteps, FewerViewsThanDevicesAreCorrectedOnce) {
    correct({7, 8});
    EXPECT_EQ(corrected[0].size() + corrected[1].size() + corrected[2].size(), 1U);
    HostBuffer<float> read(7 * kColumns);
    steps->read({7, 8}, {0, 7}, {read.data(), 1, 7, kColumns});
    EXPECT_EQ(std::fmod(read[0], lower[7 * 2 * kColumns]), 0);
    EXPECT_EQ(steps->invalidIn({7, 8}, 0).bad, 7);
}

TEST_F(SharedSteps, WhatADeviceThrowsIsThrown) {
    std::stop_source source;
    source.request_stop();
    EXPECT_THROW(correct({0, 9}, source.get_token()), Cancelled);
}

TEST(SharedViewSteps, OneDeviceIsUsedAsItIs) {
    std::vector<IndexRange> corrected;
    std::vector<std::unique_ptr<ViewSteps>> one;
    one.push_back(std::make_unique<TimesSteps>(2.0F, corrected));
    const ViewSteps* const device = one.front().get();
    EXPECT_EQ(sharedViewSteps(std::move(one), 9).get(), device);
}

}  // namespace
}  // namespace gantry
