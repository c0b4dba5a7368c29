#pragma once

#include <vector>

#include "core/base/lane_transform.h"

namespace gantry {

/// Columns that are sorted together: as many floats as a cache line holds.
inline constexpr int kSortedColumns = 16;

/// Columns of a sinogram to be sorted, each by value and then by view.
struct ColumnSort {
    const float* first = nullptr;  ///< view 0 of the first column; finite
    long stride = 0;               ///< floats from one view to the next
    int views = 0;
    int columns = 0;          ///< up to kSortedColumns
    float* sorted = nullptr;  ///< [column][rank]
    int* order = nullptr;     ///< [column][rank]: the view that a rank's value came from
    long rankStride = 0;      ///< from one column of both to the next
    double* keys = nullptr;   ///< scratch: kSortedColumns a view, aligned to 64 bytes
};

/// The values of some ranks in all columns, to be replaced by their running medians.
struct RankMedian {
    float* first = nullptr;  ///< rank 0 of the first column; ranks up to PrepLanes::lanes are read
    long rankStride = 0;     ///< floats from one column to the next
    int columns = 0;
    int width = 0;             ///< of the median, odd
    float* scratch = nullptr;  ///< `columns` + 2·`width` registers, aligned to 64 bytes
};

/// Tables of the cosine transform of lines, and of their direction's part of a filter, which
/// multiplies frequencies k and j by scaleU[k]·scaleV[j]/(1 + squareU[k] + squareV[j]).
struct CosineTables {
    int length = 0;  ///< N: of a line, then it goes on as its mirror image
    int stageCount = 0;
    const LaneStage* stages = nullptr;
    const int* position = nullptr;  ///< [k]: LanePasses::positionOf
    const float* turn = nullptr;    ///< [k][2]: cos, sin of πk/(2N), k up to N/2
    const float* scale = nullptr;   ///< [k]
    const float* square = nullptr;  ///< [k]
};

/// A view of which the phase is retrieved.
struct PhasePass {
    float* view = nullptr;  ///< [v][u], in place
    int rows = 0;
    int columns = 0;
    CosineTables alongU;
    CosineTables alongV;       ///< its `scale` and `square` padded to kPhaseRows
    float* values = nullptr;   ///< scratch: [v][u], rows padded to kPhaseRows
    long stride = 0;           ///< from one of these rows to the next, of kPhaseRows or more
    float* scratch = nullptr;  ///< 2·lanes floats a point of the longer line, aligned to 64 bytes
};

/// Lines that the widest registers take at once.
inline constexpr int kPhaseRows = 32;

/// What corrections do in SIMD lanes. Plain pointers only: the functions are compiled once for
/// every instruction set and must not share inline functions of the library with the rest of the
/// program.
struct PrepLanes {
    const char* name;
    int lanes;  ///< floats of a register
    void (*sortColumns)(const ColumnSort&);
    /// Replaces `lanes` ranks. Beyond its ends a row continues as its mirror image.
    void (*takeMedians)(const RankMedian&);
    void (*retrievePhase)(const PhasePass&);
};

/// Those of this program; null if this build lacks one.
[[nodiscard]] const PrepLanes* portablePrepLanes();
[[nodiscard]] const PrepLanes* avx2PrepLanes();
[[nodiscard]] const PrepLanes* avx512PrepLanes();

/// Those that this processor can run, slowest first; the portable ones are always there.
[[nodiscard]] std::vector<const PrepLanes*> supportedPrepLanes();

}  // namespace gantry
