#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/base/field_word.h"
#include "core/base/types.h"
#include "core/geometry/views/aligned_views.h"
#include "core/geometry/volume_grid.h"
#include "core/pipeline/timeline.h"

namespace gantry {

/// A rate that depends on the size of the work, such as a kernel's on the slices of a slab.
struct RateAt {
    double size = 0;
    double rate = 0;
};

/// A cluster of equal nodes, one rank a GPU, as the model of a run needs it. Rates are a second.
struct Cluster {
    std::string name;
    int gpusPerNode = 1;
    int coresPerNode = 0;       ///< processors of a node that jobs may ask for; 0: not known
    Index slabBytes = 0;        ///< size of slab that a GPU makes at a time
    std::vector<RateAt> rates;  ///< voxel updates of a GPU, by slices of a slab; thin ones first
    double filterPixels = 0;    ///< of a node's CPUs
    double linkBytes = 0;       ///< between host and GPUs, each way, of one link
    int linksPerNode = 1;
    bool uploadsWholeViews = false;  ///< uploads all detector rows, not only those that a slab
                                     ///< needs
    /// Filtered views that a rank receives, by ranks of its column: each waits for all of them.
    std::vector<RateAt> gatherBytes;
    double networkBytes = 0;    ///< that a node receives of them; 0: counted above
    Index gatheredViews = 32;   ///< that a column gathers at a time; 0: one of each rank
    double gatherExposed = 0;   ///< the part of the gather that slows the device, 0 to 1
    double messageSeconds = 0;  ///< of a message to another rank, however short
    double reduceBytes = 0;     ///< of its slab that a rank reduces
    double loadBytes = 0;       ///< of the shared file system, all ranks together
    double storeBytes = 0;
    double opensPerSecond = 0;      ///< files that it opens, all ranks together; 0: at once
    double startSeconds = 0;        ///< until the first view is read: launcher, MPI, planning
    bool coresBackproject = false;  ///< there are no GPUs, so the times of a rank's stages add up
    /// A rank's part of its node stays the same where a grid leaves ranks of the node out.
    bool arePartsFixed = false;
};

/// The problem to be reconstructed; each view is a file.
struct ClusterProblem {
    const AlignedViews& aligned;
    VolumeGrid grid;
    Index storedBytesPerPixel = 2;
    Index outputBytesPerVoxel = 4;
};

/// How views reach the ranks: they are filtered once and gathered along a column of the grid, as
/// iFDK does, or each rank reads and filters the detector rows of its own slices.
enum class Exchange { gather, rows };
inline constexpr FieldWord kExchanges[] = {"auto", "gather", "rows"};
[[nodiscard]] std::string_view name(Exchange exchange);  ///< "gather", "rows"

/// R × C ranks (iFDK, section 4.1.1): a row makes a range of slices, a column adds a part of the
/// views.
struct RankGrid {
    Index rows = 1;
    Index columns = 1;
    Exchange exchange = Exchange::gather;
    Index slabs = 1;  ///< min. slabs that a rank makes one after the other: it may need more to fit

    [[nodiscard]] Index ranks() const { return rows * columns; }
    friend bool operator==(const RankGrid&, const RankGrid&) = default;
};

/// Seconds of each stage on the slowest rank, iFDK equations 8 to 19.
struct ClusterForecast {
    RankGrid grid;
    Index slabs = 1;    ///< slabs that a rank makes one after the other
    Index slices = 0;   ///< max slices that a rank makes of the volume
    Index batches = 1;  ///< of views, for a slab
    double start = 0;
    double load = 0;
    double filter = 0;
    double gather = 0;
    double upload = 0;
    double backproject = 0;  ///< including the upload before it
    double compute = 0;      ///< all stages up to here, which overlap
    double download = 0;
    double reduce = 0;
    double store = 0;
    double post = 0;  ///< the three stages before, one after the other
    double wall = 0;
    double gups = 0;  ///< voxel updates a second over 2³⁰
    Stage boundingStage = Stage::backproject;
};

/// Equations 8 to 19 with these additions:
/// - The rate of the kernel depends on a slab's slices.
/// - A gather takes the network, which the ranks of a node share, and after it the memory, through
///   which each rank takes all that it receives: one thread of MPI does both. Each message and each
///   file that is opened takes a time of its own.
/// - Stages overlap but for the first and the last batch, and a part of the gather slows the device
///   by its memory traffic.
/// - A rank whose slices do not fit at once makes them in several slabs, and reads the views once
///   for each.
/// Tests: tests/core/plan/cluster_model_test.cpp
[[nodiscard]] ClusterForecast forecast(const Cluster& cluster, const ClusterProblem& problem,
                                       const RankGrid& grid);

/// Constraints on the grid; the model chooses what is left open.
struct GridWishes {
    std::optional<Exchange> exchange;
    std::optional<Index> rows;
    Index slabs = 1;
};

/// The grid of these ranks that is predicted to be fastest. It leaves some of them out where all
/// make a clearly slower one, as a prime number of them does; not if rows are given. If only
/// `gather` is given, R is the smallest with which slabs fit (equation 7), because a large C is
/// best there.
/// @throws InputError where the given rows do not divide the ranks, or there are more ranks in a
///         column than slices
[[nodiscard]] ClusterForecast chooseGrid(const Cluster& cluster, const ClusterProblem& problem,
                                         Index ranks, const GridWishes& wishes);

/// The slices of row `row` of the grid, and the detector rows that they need.
struct RowOfGrid {
    IndexRange slices;
    IndexRange detectorRows;
};
[[nodiscard]] RowOfGrid rowOfGrid(const ClusterProblem& problem, Index gridRows, Index row);

}  // namespace gantry
