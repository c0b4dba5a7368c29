#pragma once

#include "core/backproject/columns_kernel.h"
#include "core/backproject/general_runs.h"
#include "core/backproject/simd_kernels.h"

// Included with columns_kernel.h, so that the same flags apply to both.
namespace gantry {
namespace {

// Adds views of any position to columns along z by runs of voxels; see general_runs.h. A run
// crosses few detector columns, and the rows of each that a register of its voxels needs fit in two
// registers.
template <class Simd>
class GeneralKernel {
  public:
    static void addBrick(const GeneralTask& task, const ColumnsBrick& brick) {
        const Index runs = task.zStride / kRunVoxels;
        for (Index run = 0; run < runs; run += kRunsPerBlock) {
            const Index left = runs - run;
            addBlock(task, brick, run,
                     static_cast<int>(left < kRunsPerBlock ? left : kRunsPerBlock));
        }
    }

  private:
    using Runs = GeneralRuns<Simd>;
    using Pieces = typename Runs::Pieces;
    using Piece = typename Runs::Piece;
    using Pixels = GeneralPixels<Simd>;
    using Float = typename Simd::Float;
    using Doubles = typename Simd::Doubles;
    static constexpr int kLanes = Simd::kLanes;
    static constexpr int kGroup = Runs::kGroup;
    static constexpr int kRunVoxels = Runs::kRunVoxels;
    static constexpr int kBlockVoxels = Runs::kBlockVoxels;
    static constexpr int kRunsPerBlock = Runs::kRunsPerBlock;
    static constexpr int kRegisters = kRunVoxels / kLanes;

    static constexpr double kMaxRows = 29;  // rows of a run that its registers' windows hold
    // columns a run, so that most runs lie between two columns
    static constexpr double kFewCrossed = 0.3;

    // The position of a run's first voxel.
    struct First {
        Float u;
        Float v;
        Float alongU;
        Float alongV;
    };
    struct Place {
        Float u;
        Float v;
        Float perDepth;
    };
    // Positions of a column's voxels, computed before pixels are read.
    struct Voxels {
        alignas(64) float u[kBlockVoxels];
        alignas(64) float v[kBlockVoxels];  // fraction above the row
        alignas(64) float weight[kBlockVoxels];
        alignas(64) int row[kBlockVoxels];
        alignas(64) int inWindow[kBlockVoxels];
    };

    static void addBlock(const GeneralTask& task, const ColumnsBrick& brick, Index run, int runs) {
        const BrickPlaces<Simd> places(task, brick, run * kRunVoxels);
        const Doubles k = Doubles{} + static_cast<double>(run * kRunVoxels);
        for (Index s = 0; s < task.viewCount; ++s)
            for (Index group = 0; group * kGroup < places.count; ++group) {
                const Doubles x = places.x[group];
                const Doubles y = places.y[group];
                const Pieces pieces =
                    Runs::piecesOf(task, task.views[s], x, y, k, runs * kRunVoxels);
                const Index end = places.count - group * kGroup;
                for (Index i = 0; i < (end < kGroup ? end : kGroup); ++i)
                    addColumn(task, task.views[s], {x[i], y[i], k[i]}, pieces, i, runs,
                              places.voxels[group * kGroup + i]);
            }
    }

    // The first voxel of a piece.
    struct Start {
        double x, y, k;
    };

    static void addColumn(const GeneralTask& task, const GeneralView& view, const Start& start,
                          const Pieces& pieces, Index i, int runs, float* voxels) {
        const int way = pieces.way[i];
        if (way == Runs::kInside || way == Runs::kAcross)
            addPiece(task, view, Runs::pick(pieces, i), way, runs, voxels);
        else if (way == Runs::kApart && runs > 1)
            addApart(task, view, start, runs, voxels);
        else if (way == Runs::kApart)
            addSingly(task, view, start.x, start.y, start.k, kRunVoxels, voxels);
    }

    // Adds to a column that reaches the source's plane or comes near it, run by run.
    static void addApart(const GeneralTask& task, const GeneralView& view, const Start& start,
                         int runs, float* voxels) {
        const Doubles x = Doubles{} + start.x;
        const Doubles y = Doubles{} + start.y;
        for (int run = 0; run < runs; run += kGroup) {
            Doubles k{};
            for (int i = 0; i < kGroup; ++i)
                k[i] = start.k + (run + i) * kRunVoxels;
            const Pieces pieces = Runs::piecesOf(task, view, x, y, k, kRunVoxels);
            for (int i = 0; i < (runs - run < kGroup ? runs - run : kGroup); ++i)
                addColumn(task, view, {start.x, start.y, k[i]}, pieces, i, 1,
                          voxels + (run + i) * kRunVoxels);
        }
    }

    // A piece whose runs have been placed.
    struct Column {
        const float* view;
        Index stride;      // floats from one detector column to the next
        Index lastColumn;  // of the view
        const Runs& runs;
        int count;
        float stepZ;
        float* voxels;

        [[nodiscard]] First firstOf(int r) const {
            return {Simd::set(runs.u[r]), Simd::set(runs.v[r]), Simd::set(runs.alongU[r]),
                    Simd::set(runs.alongV[r])};
        }
    };

    // Not inlined, because it is called both for columns and for single runs.
    [[gnu::noinline]] static void addPiece(const GeneralTask& task, const GeneralView& view,
                                           const Piece& piece, int way, int count, float* voxels) {
        Runs runs;
        if (way == Runs::kInside)
            for (int r = 0; r < count; r += kGroup)
                runs.template place<true>(task, view, piece, r);
        else
            for (int r = 0; r < count; r += kGroup)
                runs.template place<false>(task, view, piece, r);
        const Column column{view.rows,
                            task.viewColumnStride,
                            task.columns - 1,
                            runs,
                            count,
                            static_cast<float>(view.m[2][2]),
                            voxels};
        if (piece.spanZ >= Runs::kMaxBent) {
            addFetched<true>(column);
            return;
        }
        if constexpr (Simd::kPicks)
            if (piece.spanU < Simd::kMaxPicked - 2 && piece.spanV < kMaxRows &&
                (Simd::kDownwards || piece.perV > 0)) {
                if constexpr (kRegisters > 1)
                    addPlaced(column);
                else if (piece.spanU < kFewCrossed)
                    addRuns<false>(
                        column, [](const Pixels& pixels, const Place& place, int columns) {
                            const auto at = Pixels::at(place.u, place.v);
                            return columns == 2 ? pixels.ofTwo(at) : pixels.ofMore(at, 3);
                        });
                else
                    addCounted<3>(column, static_cast<int>(piece.spanU) + 3);
                return;
            }
        addFetched<false>(column);
    }

    // Adds to all runs; a voxel's value is value(pixels, place, columns).
    template <bool kBent, class Value>
    static void addRuns(const Column& column, const Value& value) {
        const Column c = column;
        for (int r = 0; r < c.count; ++r) {
            const int columns = c.runs.columns[r];
            if (columns > 0)
                addRun<kBent>(c, r, [&](const Pixels& pixels, const Place& place) {
                    return value(pixels, place, columns);
                });
            else if (columns == Runs::kAtEdge)
                addAtEdge<kBent>(column, r);
        }
    }

    template <bool kBent, class Value>
    static void addRun(const Column& column, int r, const Value& value) {
        const Pixels pixels = {column.view + column.runs.pixel[r], column.stride};
        const First first = column.firstOf(r);
        for (int i = 0; i < kRegisters; ++i) {
            const Place place = placeOf<kBent>(column, first, r, i);
            float* to = column.voxels + r * kRunVoxels + i * kLanes;
            Simd::store(to, Simd::fma(Simd::mul(place.perDepth, place.perDepth),
                                      value(pixels, place), Simd::load(to)));
        }
    }

    // Not inlined, because few runs cross the view's first or last column.
    template <bool kBent>
    [[gnu::noinline]] static void addAtEdge(const Column& column, int r) {
        const Index end = column.lastColumn - column.runs.pixel[r] / column.stride;
        addRun<kBent>(column, r, [&](const Pixels& pixels, const Place& place) {
            return pixels.fetchedWithin(place.u, place.v, static_cast<float>(end));
        });
    }

    template <bool kBent>
    static void addFetched(const Column& column) {
        addRuns<kBent>(column, [](const Pixels& pixels, const Place& place, int) {
            return pixels.fetched(place.u, place.v);
        });
    }

    // All runs of a piece read the same number of detector columns: reading one too many costs less
    // than a mispredicted branch.
    template <int kColumns>
    static void addCounted(const Column& column, int columns) {
        if constexpr (kColumns < Simd::kMaxPicked)
            if (columns > kColumns) {
                addCounted<kColumns + 1>(column, columns);
                return;
            }
        addRuns<false>(column, [](const Pixels& pixels, const Place& place, int) {
            return pixels.ofMore(Pixels::at(place.u, place.v), kColumns);
        });
    }

    // If a run takes several registers, all its positions are computed first.
    static void addPlaced(const Column& column) {
        Voxels places;
        const Column c = column;
        for (int r = 0; r < c.count; ++r) {
            const First first = c.firstOf(r);
            for (int i = 0; i < kRegisters; ++i) {
                const Place place = placeOf<false>(c, first, r, i);
                const auto [row, fraction] = Simd::split(place.v);
                const int at = r * kRunVoxels + i * kLanes;
                Simd::store(places.u + at, place.u);
                Simd::store(places.v + at, fraction);
                Simd::store(places.weight + at, Simd::mul(place.perDepth, place.perDepth));
                Simd::keepRows(row, places.row + at, places.inWindow + at);
            }
        }
        for (int r = 0; r < c.count; ++r) {
            const int columns = c.runs.columns[r];
            if (columns == Runs::kAtEdge) addAtEdge<false>(column, r);
            if (columns <= 0) continue;
            const Pixels pixels = {c.view + c.runs.pixel[r], c.stride};
            for (int at = r * kRunVoxels; at < (r + 1) * kRunVoxels; at += kLanes) {
                const typename Pixels::At place = {Simd::load(places.u + at),
                                                   Simd::load(places.v + at), places.row + at,
                                                   Simd::loadRows(places.inWindow + at)};
                const Float value =
                    columns == 2 ? pixels.ofTwo(place) : pixels.ofMore(place, columns);
                float* to = c.voxels + at;
                Simd::store(to, Simd::fma(Simd::load(places.weight + at), value, Simd::load(to)));
            }
        }
    }

    template <bool kBent>
    static Place placeOf(const Column& column, const First& first, int r, int i) {
        const Float lanes = Simd::add(Simd::lanes(), Simd::set(static_cast<float>(i * kLanes)));
        const Runs& runs = column.runs;
        Float perDepth;
        if constexpr (kBent)
            perDepth = Simd::reciprocal(Simd::fma(lanes, Simd::set(column.stepZ),
                                                  Simd::reciprocal(Simd::set(runs.perDepth[r]))));
        else
            perDepth = Simd::fma(
                Simd::fma(Simd::set(runs.perDepth2[r]), lanes, Simd::set(runs.perDepth1[r])), lanes,
                Simd::set(runs.perDepth[r]));
        const Float along = Simd::mul(lanes, perDepth);
        return {Simd::fma(first.alongU, along, first.u), Simd::fma(first.alongV, along, first.v),
                perDepth};
    }
};

}  // namespace
}  // namespace gantry
