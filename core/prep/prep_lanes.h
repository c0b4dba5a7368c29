#pragma once

#include <vector>

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

/// What corrections do in SIMD lanes. Plain pointers only: the functions are compiled once for
/// every instruction set and must not share inline functions of the library with the rest of the
/// program.
struct PrepLanes {
    const char* name;
    int lanes;  ///< floats of a register
    void (*sortColumns)(const ColumnSort&);
    /// Replaces `lanes` ranks. Beyond its ends a row continues as its mirror image.
    void (*takeMedians)(const RankMedian&);
};

/// Those of this program; null if this build lacks one.
[[nodiscard]] const PrepLanes* portablePrepLanes();
[[nodiscard]] const PrepLanes* avx2PrepLanes();
[[nodiscard]] const PrepLanes* avx512PrepLanes();

/// Those that this processor can run, slowest first; the portable ones are always there.
[[nodiscard]] std::vector<const PrepLanes*> supportedPrepLanes();

}  // namespace gantry
