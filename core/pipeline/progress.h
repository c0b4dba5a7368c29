#pragma once

#include "core/base/types.h"

namespace gantry {

/// How far a run is.
struct Progress {
    double fraction = 0;        ///< of all view batches of all slabs
    double elapsedSeconds = 0;  ///< time the job has run so far, earlier runs included (WorkTime)
    double leftSeconds = 0;     ///< estimate; negative while unknown
    double gups = 0;            ///< voxel updates a second so far, in 2³⁰
    Index iteration = 0;        ///< of an iterative method: the one at work, from 1; 0: none yet
    Index iterations = 0;       ///< max number of them
};

/// What an iteration of an iterative method has reached.
struct IterationFigures {
    Index iteration = 0;  ///< from 1
    double residual = 0;  ///< RMS of views minus line integrals of the volume, as a share of views'
    double change = 0;    ///< of the volume in this iteration, RMS, as a share of the volume's
    double seconds = 0;   ///< that it took
};

}  // namespace gantry
