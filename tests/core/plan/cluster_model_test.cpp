#include "core/plan/cluster/cluster_model.h"

#include <gtest/gtest.h>

#include <array>
#include <tuple>
#include <utility>

#include "core/base/error.h"
#include "core/plan/cluster/cluster_file.h"

namespace gantry {
namespace {

// Pixels × views into a cube, by a circle at 600 and 1200 mm before a detector 410 mm wide.
class PaperScan {
  public:
    explicit PaperScan(Index edge, Index views = 4096, Index pixels = 2048) {
        ScanGeometry scan;
        scan.cone().sourceToIsocenterMm = 600;
        scan.cone().sourceToDetectorMm = 1200;
        scan.cone().views = views;
        scan.detector.columns = scan.detector.rows = pixels;
        scan.detector.pitchMm.fill(409.6 / static_cast<double>(pixels));
        m_aligned = alignedViews(scan);
        m_grid.voxels = {edge, edge, edge};
        m_grid.pitchMm.fill(170.0 / static_cast<double>(edge));
    }
    // The paper stores floats.
    [[nodiscard]] ClusterProblem problem() const { return {m_aligned, m_grid, 4, 4}; }

  private:
    AlignedViews m_aligned;
    VolumeGrid m_grid;
};

Cluster abci() {
    return findCluster("abci");
}

// iFDK, table 5: seconds of the all-gather, of back-projection, and of all that overlaps.
struct PaperRow {
    Index edge;
    Index rows;
    Index ranks;
    double gather;
    double backproject;
    double compute;
};
constexpr std::array<PaperRow, 8> kTable5 = {{{4096, 32, 32, 31.4, 54.8, 70.2},
                                              {4096, 32, 64, 20.7, 27.5, 35.6},
                                              {4096, 32, 128, 15.2, 14.0, 18.9},
                                              {4096, 32, 256, 7.4, 7.0, 10.2},
                                              {8192, 256, 256, 46.9, 83.0, 101.3},
                                              {8192, 256, 512, 26.9, 41.5, 53.1},
                                              {8192, 256, 1024, 17.0, 20.8, 29.7},
                                              {8192, 256, 2048, 8.6, 10.4, 17.2}}};

TEST(ClusterModel, PredictsThePapersRunsOnUpTo2048Gpus) {
    const Cluster cluster = abci();
    for (const PaperRow& row : kTable5) {
        const PaperScan scan(row.edge);
        const ClusterForecast f = forecast(cluster, scan.problem(),
                                           {row.rows, row.ranks / row.rows, Exchange::gather, 1});
        // One rate a volume size was fitted; the rest is the upload.
        EXPECT_NEAR(f.backproject, row.backproject, 0.03 * row.backproject) << row.ranks;
        // A rate of the network and one of a rank for each number of rows.
        EXPECT_NEAR(f.gather, row.gather, 0.05 * row.gather) << row.ranks;
        // What the first all-gather takes, of 128 down to 2, and one part of all for all rows.
        EXPECT_NEAR(f.compute, row.compute, 0.07 * row.compute) << row.ranks;
    }
}

TEST(ClusterModel, ChoosesTheRowsOfThePaper) {
    const GridWishes gather = {.exchange = Exchange::gather, .rows = {}, .slabs = 1};
    const PaperScan four(4096);
    EXPECT_EQ(chooseGrid(abci(), four.problem(), 128, gather).grid,
              (RankGrid{32, 4, Exchange::gather, 1}));
    const PaperScan eight(8192);
    EXPECT_EQ(chooseGrid(abci(), eight.problem(), 2048, gather).grid,
              (RankGrid{256, 8, Exchange::gather, 1}));
}

// "can be instantly solved within 30 seconds and 2 minutes, respectively"
TEST(ClusterModel, IsWithinThePapersTimesOn2048Gpus) {
    const GridWishes gather = {.exchange = Exchange::gather, .rows = {}, .slabs = 1};
    const PaperScan four(4096);
    EXPECT_LT(chooseGrid(abci(), four.problem(), 2048, gather).wall, 30);
    const PaperScan eight(8192);
    const ClusterForecast f = chooseGrid(abci(), eight.problem(), 2048, gather);
    EXPECT_LT(f.wall, 120);
    EXPECT_EQ(f.boundingStage, Stage::store);
}

// What the manual says of 16384³ on 10,000 H200.
TEST(ClusterModel, StoringBoundsBeyondThePaperUnlessDisksAreFastEnough) {
    const PaperScan scan(16384, 8192, 4096);
    const GridWishes gather = {.exchange = Exchange::gather, .rows = {}, .slabs = 1};
    for (const auto& [bytes, seconds, enough] :
         {std::tuple{4, 44.0, 4.8e12}, {2, 22.0, 2.4e12}, {1, 11.0, 1.2e12}}) {
        ClusterProblem problem = scan.problem();
        problem.outputBytesPerVoxel = bytes;
        Cluster cluster = findCluster("h200");
        const ClusterForecast f = chooseGrid(cluster, problem, 10'000, gather);
        EXPECT_NEAR(f.compute, 4, 0.05);      // the last digit that is printed
        EXPECT_NEAR(f.store, seconds, 0.05);  // the last digit that is printed
        EXPECT_EQ(f.boundingStage, Stage::store);
        cluster.storeBytes = enough;
        EXPECT_NE(forecast(cluster, problem, f.grid).boundingStage, Stage::store);
        cluster.storeBytes = 0.9 * enough;
        EXPECT_EQ(forecast(cluster, problem, f.grid).boundingStage, Stage::store);
    }
    // Without a gather all rows read what they share again.
    ClusterProblem problem = scan.problem();
    problem.outputBytesPerVoxel = 1;
    const GridWishes rows = {.exchange = Exchange::rows, .rows = {}, .slabs = 1};
    EXPECT_EQ(chooseGrid(findCluster("h200"), problem, 10'000, rows).boundingStage, Stage::load);
}

TEST(ClusterModel, OneRankIsOneMachine) {
    const PaperScan scan(512, 300);
    Cluster cluster = abci();
    cluster.gpusPerNode = 1;
    const ClusterForecast f = forecast(cluster, scan.problem(), {1, 1, Exchange::gather, 1});
    EXPECT_EQ(f.gather, 0);
    EXPECT_EQ(f.reduce, 0);
    EXPECT_EQ(f.slabs, 1);
    const double updates = 512.0 * 512 * 512 * 300;
    EXPECT_NEAR(f.backproject - f.upload, updates / (190 * double{1 << 30}), 1e-9);
    EXPECT_NEAR(f.gups, updates / f.wall / double{1 << 30}, 1e-9);
}

TEST(ClusterModel, RowsReadWhatTwoSlabsNeedTwiceAndGatherNothing) {
    const PaperScan scan(1024, 512);
    const ClusterProblem problem = scan.problem();
    const ClusterForecast rows = forecast(abci(), problem, {8, 1, Exchange::rows, 1});
    const ClusterForecast gather = forecast(abci(), problem, {8, 1, Exchange::gather, 1});
    EXPECT_EQ(rows.gather, 0);
    EXPECT_GT(gather.gather, 0);
    EXPECT_LT(rows.upload, gather.upload);
    // The rows of eight slabs overlap, and do not cover the detector wholly: the cube is smaller.
    Index read = 0;
    for (Index r = 0; r < 8; ++r)
        read += rowOfGrid(problem, 8, r).detectorRows.size();
    EXPECT_NEAR(rows.load, gather.load * static_cast<double>(read) / 2048, 1e-9);
}

TEST(ClusterModel, MakesSlabsInTurnWhereTheyDoNotFit) {
    const PaperScan scan(4096);
    const ClusterForecast f = forecast(abci(), scan.problem(), {8, 1, Exchange::rows, 1});
    EXPECT_EQ(f.slabs, 4);  // 8 GB of 32
    const ClusterForecast fits = forecast(abci(), scan.problem(), {32, 1, Exchange::rows, 1});
    EXPECT_EQ(fits.slabs, 1);
}

TEST(ClusterModel, RanksOfARowAddUpTheirSlabsAndThoseOfAColumnDoNot) {
    const PaperScan scan(1024, 512);
    const Cluster cluster = abci();
    const double volumeBytes = 4.0 * 1024 * 1024 * 1024;
    const ClusterForecast row = forecast(cluster, scan.problem(), {1, 4, Exchange::rows, 1});
    EXPECT_NEAR(row.reduce, volumeBytes / cluster.reduceBytes, 1e-9 * row.reduce);
    EXPECT_NEAR(row.post, row.download + row.reduce + row.store, 1e-9 * row.post);
    const ClusterForecast both = forecast(cluster, scan.problem(), {2, 2, Exchange::rows, 1});
    EXPECT_NEAR(both.reduce, volumeBytes / 2 / cluster.reduceBytes, 1e-9 * both.reduce);
    const ClusterForecast column = forecast(cluster, scan.problem(), {4, 1, Exchange::rows, 1});
    EXPECT_EQ(column.reduce, 0);
}

TEST(ClusterModel, TakesAnyNumberOfRanks) {
    const PaperScan scan(1024, 512);
    for (const Index ranks : {1, 2, 3, 7, 13, 97}) {
        const ClusterForecast f = chooseGrid(abci(), scan.problem(), ranks, {});
        EXPECT_LE(f.grid.ranks(), ranks);
        EXPECT_GT(f.wall, 0);
        for (const Index rows : {Index{1}, ranks})
            EXPECT_LE(f.wall, forecast(abci(), scan.problem(), {rows, ranks / rows}).wall / 0.95);
    }
}

// All of a prime number could only be one row or one column.
TEST(ClusterModel, LeavesRanksOutOfAPrimeNumberOfThem) {
    const PaperScan scan(8192);
    for (const auto& [prime, neighbour] : {std::pair{1021, 1024}, {9973, 9984}}) {
        const ClusterForecast f = chooseGrid(abci(), scan.problem(), prime, {});
        EXPECT_LT(f.grid.ranks(), prime);
        EXPECT_GT(f.grid.ranks(), 0.96 * prime);
        const ClusterForecast all = chooseGrid(abci(), scan.problem(), neighbour, {});
        EXPECT_NEAR(f.wall, all.wall, 0.03 * f.wall);
        EXPECT_EQ(all.grid.ranks(), neighbour) << "a few that help little are not left out";
    }
    for (const Index rows : {1, 1021})
        EXPECT_LT(chooseGrid(abci(), scan.problem(), 1021, {}).wall,
                  0.8 * forecast(abci(), scan.problem(), {rows, 1021 / rows}).wall);
}

TEST(ClusterModel, CountsMessagesFilesAndTheStart) {
    const PaperScan scan(1024, 512);
    const RankGrid grid = {8, 2, Exchange::gather, 1};
    Cluster cluster = abci();
    cluster.gatheredViews = 32;
    const ClusterForecast before = forecast(cluster, scan.problem(), grid);
    EXPECT_EQ(before.batches, 8);
    cluster.messageSeconds = 1e-3;
    cluster.opensPerSecond = 1e3;
    cluster.startSeconds = 5;
    const ClusterForecast f = forecast(cluster, scan.problem(), grid);
    EXPECT_NEAR(f.gather - before.gather, 8 * 7 * 1e-3, 1e-9);
    EXPECT_NEAR(f.reduce - before.reduce, 1e-3, 1e-9);
    EXPECT_NEAR(f.load - before.load, 0.512, 1e-9);
    EXPECT_EQ(f.start, 5);
    EXPECT_GT(f.wall, before.wall + 5);
    const RankGrid rows = {8, 2, Exchange::rows, 1};
    EXPECT_NEAR(
        forecast(cluster, scan.problem(), rows).load - forecast(abci(), scan.problem(), rows).load,
        8 * 0.512, 1e-9)
        << "each of the rows opens all views";
}

TEST(ClusterModel, RanksOfOneNodeGatherWithoutTheNetwork) {
    const PaperScan scan(1024, 512);
    const RankGrid grid = {4, 1, Exchange::gather, 1};
    Cluster cluster = abci();
    const double four = forecast(cluster, scan.problem(), grid).gather;
    cluster.networkBytes = 1;
    EXPECT_EQ(forecast(cluster, scan.problem(), grid).gather, four);
    cluster.gpusPerNode = 2;
    EXPECT_GT(forecast(cluster, scan.problem(), grid).gather, 1e6);
}

TEST(ClusterModel, RefusesGridsThatCannotBe) {
    const PaperScan scan(64, 90);
    EXPECT_THROW(
        (void)chooseGrid(abci(), scan.problem(), 12, {.exchange = {}, .rows = 5, .slabs = 1}),
        InputError);
    // 128 rows of 64 slices.
    EXPECT_THROW(
        (void)chooseGrid(abci(), scan.problem(), 128, {.exchange = {}, .rows = 128, .slabs = 1}),
        InputError);
}

}  // namespace
}  // namespace gantry
