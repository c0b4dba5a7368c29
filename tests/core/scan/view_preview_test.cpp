#include "core/scan/view_preview.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/filter/cpu_filter.h"
#include "core/scan/view_stages.h"
#include "tests/support/expect_error.h"
#include "tests/support/small_scan.h"
#include "tests/support/temporary_folder.h"

namespace gantry {
namespace {

using test::simulated;
using test::smallScan;
using test::TemporaryFolder;

constexpr FilterSpec kFilter = {FilterWindow::hann, 0.8};

// All views as a reconstruction corrects and, where wanted, filters them; [s][v][u], padded.
HostBuffer<float> asReconstructed(const OpenScan& scan, bool filtered) {
    const AlignedViews& geometry = scan.geometry;
    const SourceInfo& info = scan.source->info();
    ViewPreparer preparer(scan, 2);
    Batch batch;
    batch.views = {0, geometry.views};
    batch.rows = {0, geometry.detector.rows};
    batch.storedRows = scan.storedRows(batch.rows);
    batch.stored = HostBuffer<std::byte>(geometry.views * batch.storedRows.size() * info.columns *
                                         sizeBytes(info.pixelType));
    batch.values =
        HostBuffer<float>(geometry.views * geometry.detector.rows * geometry.detector.columns);
    loadViews(scan, batch, 2, {});
    (void)preparer.prepare(batch, {});
    if (filtered)
        CpuFilter(geometry, kFilter, scan.redundancy, 2)
            .apply(batch.valueBlock(0, geometry.detector.columns), 0, 0, {});
    return std::move(batch.values);
}

// Row v of view s without the columns that were added.
std::span<const float> rowOf(const OpenScan& scan, const HostBuffer<float>& views, Index s,
                             Index v) {
    const AlignedDetector& padded = scan.geometry.detector;
    const Index begin = (s * padded.rows + v) * padded.columns + scan.redundancy.padBefore;
    return {views.data() + begin, static_cast<std::size_t>(scan.source->info().columns)};
}

std::span<const float> rowOf(const FloatImage& image, Index row) {
    return {image.pixels.data() + row * image.columns, static_cast<std::size_t>(image.columns)};
}

class Previews : public ::testing::TestWithParam<const char*> {
  protected:
    static SimulationSpec spec(const std::string& kind) {
        SimulationSpec spec = smallScan(30, 67, 41, 410);
        if (kind == "offset") spec.geometry.detector.offsetMm = {80, 3};
        if (kind == "rolled") spec.geometry.detector.rollDeg = 11;
        if (kind == "short") spec.geometry.cone().arcDeg = 230;
        if (kind == "attenuation") spec.kind = ProjectionKind::attenuation;
        return spec;
    }
};

TEST_P(Previews, EqualWhatAReconstructionBackProjects) {
    const TemporaryFolder folder;
    const OpenScan scan = openScan(simulated(spec(GetParam()), folder / "scan"));
    const Index rows = scan.source->info().rows;
    const Index columns = scan.source->info().columns;
    EXPECT_EQ(scan.geometry.detector.columns > columns, GetParam() == std::string("offset"));
    const HostBuffer<float> corrected = asReconstructed(scan, false);
    const HostBuffer<float> filtered = asReconstructed(scan, true);
    const HostBuffer<float> stored = test::readAll(*scan.source);
    for (const Index view : {Index{0}, Index{17}}) {
        const ViewPreview preview = previewView(scan, view, kFilter, 2, {});
        EXPECT_EQ(preview.view, view);
        for (const FloatImage* image : {&preview.stored, &preview.corrected, &preview.filtered}) {
            ASSERT_EQ(image->rows, rows);
            ASSERT_EQ(image->columns, columns);
        }
        EXPECT_TRUE(std::ranges::equal(
            preview.stored.pixels.span(),
            stored.span().subspan(static_cast<std::size_t>(view * rows * columns),
                                  static_cast<std::size_t>(rows * columns))));
        for (Index v = 0; v < rows; ++v) {
            EXPECT_TRUE(
                std::ranges::equal(rowOf(preview.corrected, v), rowOf(scan, corrected, view, v)));
            EXPECT_TRUE(
                std::ranges::equal(rowOf(preview.filtered, v), rowOf(scan, filtered, view, v)));
        }
    }
}

TEST_P(Previews, SinogramsAreTheRowOfEveryView) {
    const TemporaryFolder folder;
    const OpenScan scan = openScan(simulated(spec(GetParam()), folder / "scan"));
    const HostBuffer<float> corrected = asReconstructed(scan, false);
    const HostBuffer<float> filtered = asReconstructed(scan, true);
    for (const Index row : {Index{0}, Index{23}, Index{40}}) {
        const FloatImage lines = sinogram(scan, row, 2, {});
        ASSERT_EQ(lines.rows, 30);
        ASSERT_EQ(lines.columns, 67);
        const FloatImage swept = filteredSinogram(scan, lines, row, kFilter, 2, {});
        for (Index s = 0; s < lines.rows; ++s) {
            EXPECT_TRUE(std::ranges::equal(rowOf(lines, s), rowOf(scan, corrected, s, row)));
            EXPECT_TRUE(std::ranges::equal(rowOf(swept, s), rowOf(scan, filtered, s, row)));
        }
    }
}

INSTANTIATE_TEST_SUITE_P(OfScans, Previews,
                         ::testing::Values("plain", "offset", "rolled", "short", "attenuation"),
                         [](const auto& scan) { return std::string(scan.param); });

TEST(ViewPreview, StoredViewsNeedNoGeometry) {
    const TemporaryFolder folder;
    const OpenScan scan = openScan(simulated(smallScan(20, 33, 21, 410), folder / "scan"));
    const HostBuffer<float> all = test::readAll(*scan.source);
    const FloatImage image = storedView(*scan.source, 7);
    EXPECT_EQ(image.rows, 21);
    EXPECT_EQ(image.columns, 33);
    EXPECT_TRUE(std::ranges::equal(image.pixels.span(), all.span().subspan(7 * 33 * 21, 33 * 21)));
}

TEST(ViewPreview, WhatIsNotThereIsRefused) {
    const TemporaryFolder folder;
    const OpenScan scan = openScan(simulated(smallScan(20, 33, 21, 410), folder / "scan"));
    EXPECT_ERROR((void)previewView(scan, 20, kFilter, 1, {}), InputError, "view 20");
    EXPECT_ERROR((void)storedView(*scan.source, -1), InputError, "view -1");
    EXPECT_ERROR((void)sinogram(scan, 21, 1, {}), InputError, "row 21");
    EXPECT_ERROR((void)previewView(scan, 0, {FilterWindow::hann, 0}, 1, {}), InputError, "cut");
    std::stop_source stop;
    stop.request_stop();
    EXPECT_THROW((void)previewView(scan, 0, kFilter, 1, stop.get_token()), Cancelled);
    EXPECT_THROW((void)sinogram(scan, 0, 1, stop.get_token()), Cancelled);
    const FloatImage lines = sinogram(scan, 0, 1, {});
    EXPECT_THROW((void)filteredSinogram(scan, lines, 0, kFilter, 1, stop.get_token()), Cancelled);
}

TEST(ViewPreview, ARowThatTheTiltedDetectorDoesNotSeeIsZero) {
    const TemporaryFolder folder;
    const OpenScan straight = openScan(simulated(smallScan(8, 9, 300, 40), folder / "scan"), {},
                                       BadViews::refuse, FilterRows::upright);
    ScanGeometry geometry = straight.description.geometry;
    geometry.detector.tiltDeg = 55;
    const OpenScan tilted = withGeometry(straight, geometry);
    const FloatImage lines = sinogram(tilted, 299, 2, {});
    EXPECT_TRUE(
        std::ranges::all_of(lines.pixels.span(), [](float value) { return value == 0.0F; }));
}

}  // namespace
}  // namespace gantry
