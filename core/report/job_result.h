#pragma once

#include <array>
#include <string>
#include <vector>

#include "core/io/series/bad_view.h"
#include "core/metrics/volume_summary.h"
#include "core/pipeline/progress.h"
#include "core/pipeline/timeline.h"
#include "core/prep/line_integrals.h"

namespace gantry {

/// The outcome of a finished job.
struct JobResult {
    TimelineSummary timeline;  ///< of all runs of the job
    double wallSeconds = 0;    ///< the time that the job ran (WorkTime): all runs, without pauses
    double pausedSeconds = 0;  ///< pauses between interrupted runs and the next ones
    double cpuSeconds = 0;     ///< processor time of all threads in this run
    double gups = 0;           ///< voxel updates a second while it ran, in 2³⁰
    InvalidPixels invalidPixels;
    std::vector<std::string> notes;
    std::vector<LeftOutView> leftOut;
    std::string engine;
    std::vector<IterationFigures> iterations;  ///< of an iterative method, of all runs of the job
    Index slabs = 0;
    Index slabsResumed = 0;  ///< slabs of an interrupted run
    Index forecastHostBytes = 0;
    float smallest = 0;  ///< attenuation in the volume, 1/mm
    float largest = 0;
    std::array<VolumeSummary::Image, 3> centralSlices;
};

}  // namespace gantry
