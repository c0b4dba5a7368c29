#include "core/scan/held_views.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

#include "core/scan/stack/load_view_stack.h"
#include "core/scan/view_preview.h"
#include "core/scan/view_stages.h"
#include "tests/support/expect_error.h"
#include "tests/support/noise_scan.h"

namespace gantry {
namespace {

ScanGeometry heldGeometry() {
    ScanGeometry geometry;
    geometry.cone().sourceToIsocenterMm = 600;
    geometry.cone().sourceToDetectorMm = 1150;
    geometry.cone().views = 13;
    geometry.detector = {.columns = 31, .rows = 27, .pitchMm = {6, 5}};
    return geometry;
}

const Corrections kAll = {.zingers = {.ratio = 1.5},
                          .phase = {.energyKeV = 25, .distanceMm = 5e5, .deltaOverBeta = 1000},
                          .rings = {.method = RingMethod::sorting, .widthPx = 5}};

// All views, whole, by the functions of core/prep. zingers: gets how many were replaced
std::vector<float> correctedWhole(const OpenScan& scan, const Corrections& corrections,
                                  Index* zingers = nullptr) {
    const Detector& detector = scan.description.geometry.detector;
    const Index pixels = detector.rows * detector.columns;
    std::vector<float> all(static_cast<std::size_t>(scan.stored.views * pixels));
    const Span3<float> views = {all.data(), scan.stored.views, detector.rows, detector.columns};
    // The object is magnified 1150/600 times on the detector.
    const double magnification = 1150.0 / 600;
    PhaseSpec phase = corrections.phase;
    phase.distanceMm /= magnification;
    for (Index s = 0; s < views.size(0); ++s) {
        const Span3<float> view = views.slices({s, s + 1});
        readView(*scan.source, s, {view.data(), static_cast<std::size_t>(pixels)});
        (void)toLineIntegrals(*scan.calibration, 0, view);
        if (scan.repair) scan.repair->apply(0, view);
        if (corrections.hasZingers())
            ZingerRemover(corrections.zingers, detector.columns)
                .apply(view, [&](Index, Index replaced) { *zingers += replaced; });
        if (corrections.hasPhase())
            PhaseRetriever(phase, {6 / magnification, 5 / magnification}, detector.rows,
                           detector.columns)
                .apply(view);
    }
    for (Index row = 0; row < detector.rows; ++row)
        RingRemover(corrections.rings, scan.stored.views, detector.columns).apply(views, row);
    return all;
}

// Views [first, last) of these rows as they are put into a batch, beside those of whole views.
void expectFilled(HeldViews& held, const OpenScan& scan, Span3<const float> whole, IndexRange views,
                  const IndexRanges& rows) {
    Batch batch;
    batch.views = views;
    batch.rows = batch.storedRows = rows;
    batch.stored = HostBuffer<std::byte>(views.size() * rows.size() * scan.storedRowBytes());
    held.fill(batch);
    for (std::size_t part = 0; part < rows.parts().size(); ++part) {
        const Span3<std::byte> block = batch.storedBlock(part, scan.storedRowBytes());
        for (Index s = 0; s < views.size(); ++s)
            for (Index v = 0; v < block.size(1); ++v)
                EXPECT_EQ(
                    std::memcmp(block.row(s, v),
                                whole.row(views.begin + s, rows.parts()[part].begin + v), 31 * 4),
                    0)
                    << s << ", " << v;
    }
}

constexpr IndexRange kBlocks[] = {{0, 5}, {5, 10}, {10, 13}};

TEST(HeldViews, AreThoseOfWholeViewsWhicheverRowsAreHeld) {
    const OpenScan stored = test::noiseScan(heldGeometry());
    Corrections withoutPhase = kAll;
    withoutPhase.phase = {};
    Corrections withoutRings = kAll;
    withoutRings.rings = {};
    for (const Corrections& corrections : {kAll, withoutPhase, withoutRings}) {
        Index zingers = 0;
        std::vector<float> expected = correctedWhole(stored, corrections, &zingers);
        const Span3<const float> whole = {expected.data(), 13, 27, 31};
        const OpenScan scan = corrected(stored, corrections);
        EXPECT_EQ(scan.storedRowBytes(), 31 * 4);
        HeldViews held(scan, 5, 3);
        EXPECT_EQ(held.isByBlock(), !corrections.hasRings());
        InvalidPixels counted;
        for (const IndexRanges& rows :
             {IndexRanges(4, 9), IndexRanges({0, 4}, {20, 27}), IndexRanges(9, 20)}) {
            held.begin(rows, rows.hull());
            for (const IndexRange& block : kBlocks) {
                held.load(block, {});
                held.correct({});
                if (held.isByBlock()) expectFilled(held, scan, whole, block, rows);
            }
            held.correctAllViews({});
            counted += held.invalidIn({0, 13});
            if (!held.isByBlock()) expectFilled(held, scan, whole, {3, 10}, rows);
        }
        EXPECT_EQ(counted.zingers, zingers);
        EXPECT_GT(std::exchange(counted.zingers, 0), 0);
        // Each pixel once, though rows between two ranges are within what is counted of them.
        Batch all;
        all.views = {0, 13};
        all.rows = all.storedRows = IndexRange{0, 27};
        all.counted = {0, 27};
        all.stored = HostBuffer<std::byte>(13 * 27 * stored.storedRowBytes());
        all.values = HostBuffer<float>(13 * 27 * 31);
        loadViews(stored, all, 1, {});
        EXPECT_EQ(counted, ViewPreparer(stored, 1).prepare(all, {}));
        EXPECT_GT(counted.bad, 0);
    }
}

TEST(HeldViews, AScanWithoutCorrectionsIsItself) {
    const OpenScan stored = test::noiseScan(heldGeometry());
    EXPECT_EQ(corrected(stored, {}).source, stored.source);
    EXPECT_FALSE(corrected(stored, {}).uncorrected);
    // Its source gives views as they are without the others.
    const OpenScan scan = corrected(stored, kAll);
    std::vector<float> found(31 * 3);
    scan.source->readRows(4, {5, 8}, std::as_writable_bytes(std::span(found)));
    Corrections single = kAll;
    single.rings = {};
    Index zingers = 0;
    const std::vector<float> expected = correctedWhole(stored, single, &zingers);
    EXPECT_TRUE(std::equal(found.begin(), found.end(),
                           expected.begin() + static_cast<std::ptrdiff_t>((4 * 27 + 5) * 31)));
}

TEST(HeldViews, PicturesAndStacksShowTheCorrectedViews) {
    const OpenScan stored = test::noiseScan(heldGeometry());
    const OpenScan scan = corrected(stored, kAll);
    Index zingers = 0;
    std::vector<float> all = correctedWhole(stored, kAll, &zingers);
    const Span3<const float> whole = {all.data(), 13, 27, 31};
    const FloatImage rows = sinogram(scan, 11, 2, {});
    for (Index s = 0; s < 13; ++s)
        EXPECT_TRUE(std::equal(whole.row(s, 11), whole.row(s, 12), rows.pixels.data() + s * 31))
            << s;
    StackRequest request;
    request.maxViews = 13;
    request.rows = {0, 27};
    const ViewStack stack = loadViewStack(scan, request, 2, [](double) {}, {});
    EXPECT_TRUE(std::equal(all.begin(), all.end(), stack.pixels.data()));
    // A single view, whose rings stay, beside what the file has of it.
    Corrections single = kAll;
    single.rings = {};
    std::vector<float> withRings = correctedWhole(stored, single, &zingers);
    const Span3<const float> each = {withRings.data(), 13, 27, 31};
    const ViewPreview view = previewView(scan, 6, {}, 2, {});
    EXPECT_TRUE(std::equal(each.row(6, 0), each.row(7, 0), view.corrected.pixels.data()));
    const FloatImage asStored = storedView(*stored.source, 6);
    EXPECT_TRUE(std::ranges::equal(view.stored.pixels.span(), asStored.pixels.span()));
}

}  // namespace
}  // namespace gantry
