#pragma once

#include <optional>
#include <string>

#include "core/base/field_word.h"
#include "core/filter/row_extension.h"
#include "core/geometry/views/aligned_views.h"
#include "core/geometry/volume_grid.h"
#include "core/io/scan_file/scan_file.h"
#include "core/io/volume/open_sink.h"
#include "core/plan/cluster/cluster_model.h"
#include "core/plan/request.h"

namespace gantry {

/// Which of several ranks read views and write the volume: all; the first; or the first reads and
/// the last writes.
enum class RankIo { parallel, single, split };

/// Names of FilterRows in job.json and checkpoints, after the word that leaves the choice open.
inline constexpr FieldWord kFilterRows[] = {
    {"auto", "Automatic", "The detector's rows on the processor, upright rows on graphics cards."},
    {"own", "The detector's rows",
     "Nothing is resampled: sharper where pixels are coarse, and slower."},
    {"upright", "Upright rows",
     "Views are resampled onto an upright detector first: faster, a little softer."},
    {"rtk"}};

/// Everything that a job was asked for: the content of job.json. It contains the whole scan, so
/// that a job means the same when the scan's file changes later.
struct JobSpec : ReconstructionRequest {
    ScanFile scan;
    OutputFormat output;
    std::optional<FilterRows> rows;  ///< none: see filterRowsOf()
    /// How rows go on beyond the detector's edges. Not in job.json: a run finds it in the views.
    std::optional<RowExtension> extension = {};
    int ranks = 1;                     ///< processes that a worker starts by MPI on its machine
    std::optional<Exchange> exchange;  ///< between several ranks; none: the model chooses
    Index gridRows = 0;                ///< of their grid; 0: the model chooses
    RankIo rankIo = RankIo::parallel;
    std::string weights = "measured";  ///< how work is shared among several ranks: RankWeights
    bool checksumInput = true;         ///< record CRC-32 of every input file beside the output

    /// The scan's geometry with the pixels that are reconstructed.
    /// @throws InputError as selected()
    [[nodiscard]] ScanGeometry geometry() const {
        return selected(scan.geometry, corrections.pixels);
    }
    /// The volume that fits it. @throws InputError as geometry() and fitGrid()
    [[nodiscard]] VolumeGrid fittedVolume() const {
        return fitGrid(geometry(), 0, corrections.truncation.fieldOfViewMm);
    }
};

}  // namespace gantry
