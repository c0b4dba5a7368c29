#include "core/scan/view_stages.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>

#include "core/filter/cpu_filter.h"
#include "tests/support/noise_scan.h"

namespace gantry {
namespace {

ScanGeometry geometryWith(double offsetMm, double rollDeg) {
    ScanGeometry geometry;
    geometry.cone().sourceToIsocenterMm = 600;
    geometry.cone().sourceToDetectorMm = 1150;
    geometry.cone().views = 9;
    geometry.detector = {.columns = 61, .rows = 57, .pitchMm = {6, 5}};
    geometry.detector.offsetMm = {offsetMm, 3};
    geometry.detector.rollDeg = rollDeg;
    return geometry;
}

struct Filtered {
    Batch batch;
    InvalidPixels invalid;
};

Filtered filtered(const OpenScan& scan, const IndexRanges& rows, IndexRange counted) {
    const Index columns = scan.geometry.detector.columns;
    Filtered result;
    Batch& batch = result.batch;
    batch.views = {2, 7};
    batch.rows = rows;
    batch.storedRows = scan.storedRows(rows);
    batch.counted = counted;
    batch.stored = HostBuffer<std::byte>(5 * batch.storedRows.size() * scan.storedRowBytes());
    batch.values = HostBuffer<float>(5 * rows.size() * columns);
    loadViews(scan, batch, 3, {});
    result.invalid = ViewPreparer(scan, 2).prepare(batch, {});
    CpuFilter filter(scan.geometry, {}, scan.redundancy, 1);
    filterViews(filter, batch, columns, {});
    return result;
}

TEST(ViewStages, TwoBlocksHoldTheSameRowsAsOne) {
    for (const OpenScan& scan :
         {test::noiseScan(geometryWith(0, 0)), test::noiseScan(geometryWith(60, 0)),
          test::noiseScan(geometryWith(0, 4), FilterRows::upright)}) {
        const IndexRange lower = {3, 12};
        const IndexRange upper = {41, 54};
        const IndexRanges rows = {lower, upper};
        ASSERT_EQ(scan.rowsInBlocks(rows), rows);
        const Index columns = scan.geometry.detector.columns;
        Filtered two = filtered(scan, rows, {0, 57});
        Filtered whole = filtered(scan, {0, 57}, {0, 57});
        for (const std::size_t part : {0U, 1U}) {
            const IndexRange held = rows.parts()[part];
            const Span3<float> block = two.batch.valueBlock(part, columns);
            ASSERT_EQ(block.size(1), held.size());
            for (Index s = 0; s < 5; ++s) {
                const float* from = whole.batch.valueBlock(0, columns).row(s, held.begin);
                EXPECT_TRUE(
                    std::equal(block.row(s, 0), block.row(s, 0) + held.size() * columns, from))
                    << "view " << s << ", rows from " << held.begin;
            }
        }
        // Each alone counts what both count together.
        InvalidPixels each = filtered(scan, lower, {0, 57}).invalid;
        each += filtered(scan, upper, {0, 57}).invalid;
        EXPECT_EQ(two.invalid, each);
        EXPECT_GT(two.invalid.negative, 0);
    }
}

TEST(ViewStages, DeadRowsAreReadWithThoseAroundThem) {
    for (const double rollDeg : {0.0, 4.0}) {
        OpenScan scan = test::noiseScan(geometryWith(0, rollDeg), FilterRows::upright);
        DetectorCalibration calibration;
        calibration.rows = 57;
        calibration.columns = 61;
        calibration.bad = HostBuffer<unsigned char>(57 * 61);
        for (Index i = 0; i < 57 * 61; ++i)
            calibration.bad[i] = i / 61 >= 20 && i / 61 < 24 ? 1 : 0;
        scan.repair = PixelRepair::of(calibration);
        ASSERT_TRUE(scan.repair);
        EXPECT_FALSE(scan.areRowsAlone());
        if (rollDeg == 0) {
            EXPECT_EQ(scan.storedRows({22, 30}), IndexRanges(19, 30));
        }
        const Index columns = scan.geometry.detector.columns;
        Filtered some = filtered(scan, {22, 30}, {0, 57});
        Filtered whole = filtered(scan, {0, 57}, {0, 57});
        for (Index s = 0; s < 5; ++s) {
            const float* from = whole.batch.valueBlock(0, columns).row(s, 22);
            const float* found = some.batch.valueBlock(0, columns).row(s, 0);
            EXPECT_TRUE(std::equal(found, found + 8 * columns, from)) << "view " << s;
        }
    }
}

TEST(ViewStages, InvalidPixelsAreCountedWithinTheWindowAlone) {
    const OpenScan scan = test::noiseScan(geometryWith(0, 0));
    const IndexRanges rows = {{3, 12}, {41, 54}};
    const InvalidPixels all = filtered(scan, rows, {0, 57}).invalid;
    EXPECT_EQ(all.pixels, 5 * 22 * 61);
    EXPECT_EQ(filtered(scan, rows, {}).invalid, InvalidPixels());
    EXPECT_EQ(filtered(scan, rows, {9, 43}).invalid.pixels, 5 * (3 + 2) * 61);
    InvalidPixels parts;
    for (const IndexRange window : {IndexRange{0, 5}, {5, 8}, {8, 50}, {50, 57}})
        parts += filtered(scan, rows, window).invalid;
    EXPECT_EQ(parts, all);
}

TEST(ViewStages, RowsWhoseStoredRowsMeetAreOneBlock) {
    const OpenScan upright = test::noiseScan(geometryWith(0, 0));
    const OpenScan rolled = test::noiseScan(geometryWith(0, 4), FilterRows::upright);
    const IndexRanges near = {{3, 25}, {30, 54}};
    EXPECT_EQ(upright.rowsInBlocks(near), near);
    EXPECT_EQ(rolled.rowsInBlocks(near), IndexRanges(3, 54));
    EXPECT_EQ(rolled.storedRows(near).parts().size(), 1U);
}

}  // namespace
}  // namespace gantry
