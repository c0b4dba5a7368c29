#pragma once

namespace gantry {

/// How far a run is.
struct Progress {
    double fraction = 0;        ///< of all view batches of all slabs
    double elapsedSeconds = 0;  ///< time the job has run so far, earlier runs included (WorkTime)
    double leftSeconds = 0;     ///< estimate; negative while unknown
    double gups = 0;            ///< voxel updates a second so far, in 2³⁰
};

}  // namespace gantry
