#include "core/scan/dead_rows.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/io/memory_source.h"

namespace gantry {
namespace {

constexpr Index kDetectorRows = 20;
constexpr Index kDetectorColumns = 16;

// A parallel beam, in which slice z and row z have the same place.
OpenScan withDead(const std::vector<IndexRange>& rows, const HostBuffer<float>& pixels,
                  IndexRange columns = {}) {
    ScanGeometry geometry;
    ParallelBeam parallel;
    parallel.views = 4;
    parallel.arcDeg = 180;
    geometry.trajectory = parallel;
    geometry.detector = {.columns = kDetectorColumns, .rows = kDetectorRows, .pitchMm = {1, 1}};
    auto calibration = std::make_shared<DetectorCalibration>();
    calibration->rows = kDetectorRows;
    calibration->columns = kDetectorColumns;
    calibration->bad = HostBuffer<unsigned char>(kDetectorRows * kDetectorColumns);
    for (Index i = 0; i < kDetectorRows * kDetectorColumns; ++i) {
        calibration->bad[i] = columns.contains(i % kDetectorColumns) ? 1 : 0;
        for (const IndexRange& dead : rows)
            if (dead.contains(i / kDetectorColumns)) calibration->bad[i] = 1;
    }
    return openScan(geometry,
                    std::make_shared<MemorySource>(
                        Span3<const float>(pixels.data(), 4, kDetectorRows, kDetectorColumns)),
                    ProjectionKind::attenuation, calibration);
}

TEST(DeadRows, NameTheSlicesThatNeedThem) {
    const HostBuffer<float> pixels(4 * kDetectorRows * kDetectorColumns);
    const VolumeGrid grid = {{8, 8, kDetectorRows}, {1, 1, 1}, {0, 0, 0.25}};
    EXPECT_TRUE(deadRowsNotes(withDead({}, pixels), grid).empty());
    const std::vector<std::string> notes = deadRowsNotes(withDead({{0, 2}, {9, 10}}, pixels), grid);
    ASSERT_EQ(notes.size(), 2U);
    EXPECT_EQ(notes[0],
              "Nothing is known of detector rows 0 to 1 (from the bottom), without a usable pixel "
              "and without good rows on both sides within 64 rows: do not trust slices 0 to 1.");
    EXPECT_EQ(notes[1],
              "Detector row 9 (from the bottom) has no usable pixel: slices 8 to 9, which need it, "
              "are interpolated from the rows above and below.");
    const VolumeGrid above = {{8, 8, 4}, {1, 1, 1}, {0, 0, 5}};
    EXPECT_TRUE(deadRowsNotes(withDead({{0, 2}}, pixels), above).empty());
}

TEST(DeadRows, NameTheRadiusThatDeadColumnsSpoil) {
    const HostBuffer<float> pixels(4 * kDetectorRows * kDetectorColumns);
    EXPECT_TRUE(deadColumnsNotes(withDead({{3, 5}}, pixels)).empty());
    // Columns are 1 mm wide, and the axis is between 7 and 8.
    EXPECT_EQ(deadColumnsNotes(withDead({}, pixels, {3, 6})),
              std::vector<std::string>{
                  "Detector columns 3 to 5 have no usable pixel, and are interpolated from those "
                  "to the left and right: what is finer than that is lost 3.5 mm from the rotation "
                  "axis, where a ring may show."});
}

}  // namespace
}  // namespace gantry
