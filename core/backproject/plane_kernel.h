#pragma once

#include "core/backproject/plain_kernel.h"
#include "core/backproject/simd_kernels.h"

// Included beside columns_kernel.h, so that the same flags apply to both.
namespace gantry {
namespace {

// Adds to rows of a plane in blocks of as many neighbouring pixels as a SIMD register has lanes.
// The begin of a block is computed in double; from there on float suffices, because positions are
// relative to a pixel of the view that is near all of them.
template <class Simd>
class PlaneKernel {
  public:
    static void addRows(const PlaneTask& task, Index rowBegin, Index rowEnd, float* sums) {
        for (int s = 0; s < task.nS; ++s)
            for (Index row = rowBegin; row < rowEnd; ++row)
                addRow(task, s, static_cast<double>(row), sums + (row - rowBegin) * task.stride);
    }

  private:
    using Float = typename Simd::Float;
    static constexpr int kLanes = Simd::kLanes;
    static constexpr double kMargin = 1e-3;  // pixels; float places are closer
    // pixels of a block: beyond that, float is too coarse
    static constexpr double kMaxSpan = 128;
    static constexpr double kMaxOffset = 4e6;  // that floats count exactly, and split() accepts
    static constexpr double kMinDepth = 1e-6;  // mm

    // A pixel of the plane as a view sees it.
    struct Place {
        double u, v, z;
    };
    static Place placeOf(const double (&m)[3][3], double x, double y) {
        const double z = m[2][0] * x + m[2][1] * y + m[2][2];
        const double f = 1 / z;
        return {(m[0][0] * x + m[0][1] * y + m[0][2]) * f,
                (m[1][0] * x + m[1][1] * y + m[1][2]) * f, z};
    }

    static void addRow(const PlaneTask& task, int s, double y, float* sums) {
        const auto& m = task.matrices[s].m;
        const float* view = task.views + static_cast<Index>(s) * task.nV * task.nU;
        Place begin = placeOf(m, 0, y);
        for (Index x = 0; x < task.columns; x += kLanes) {
            const Place end = placeOf(m, static_cast<double>(x + kLanes), y);
            if (!addBlock(task, m, view, begin, end, sums + x))
                for (Index i = x; i < x + kLanes && i < task.columns; ++i)
                    sums[i] += pixelOf(task, view, placeOf(m, static_cast<double>(i), y));
            begin = end;
        }
    }

    // The value of any pixel, with zeros around the view.
    static float pixelOf(const PlaneTask& task, const float* view, const Place& at) {
        if (!(at.z > 0)) return 0;
        if (!(at.u > -1 && at.v > -1 && at.u < task.nU && at.v < task.nV)) return 0;
        const int column = static_cast<int>(at.u + 1) - 1;
        const int row = static_cast<int>(at.v + 1) - 1;
        const double du = at.u - column;
        const double dv = at.v - row;
        const auto pixel = [&](int r, int c) -> double {
            return plainPixel(view, task.nU, task.nV, r, c);
        };
        const double below = pixel(row, column) * (1 - du) + pixel(row, column + 1) * du;
        const double above = pixel(row + 1, column) * (1 - du) + pixel(row + 1, column + 1) * du;
        return static_cast<float>((below * (1 - dv) + above * dv) / (at.z * at.z));
    }

    static double min(double a, double b) { return a < b ? a : b; }
    static double max(double a, double b) { return a < b ? b : a; }

    // Adds to the pixels from `begin` to before `end`, if all lie within the view; false otherwise.
    // It suffices to test the ends, because positions along a line in space follow a line in the
    // view.
    static bool addBlock(const PlaneTask& task, const double (&m)[3][3], const float* view,
                         const Place& begin, const Place& end, float* sums) {
        if (!(begin.z > kMinDepth && end.z > kMinDepth)) return false;
        const double left = min(begin.u, end.u) - kMargin;
        const double low = min(begin.v, end.v) - kMargin;
        const double right = max(begin.u, end.u) + kMargin;
        const double high = max(begin.v, end.v) + kMargin;
        if (!(left >= 0 && low >= 0 && right < task.nU - 1 && high < task.nV - 1)) return false;
        if (right - left > kMaxSpan || high - low > kMaxSpan) return false;
        const int column = static_cast<int>(left);
        const int row = static_cast<int>(low);
        if (kMaxSpan * task.nU > kMaxOffset) return false;

        const auto one = [](double value) { return Simd::set(static_cast<float>(value)); };
        const Float steps = Simd::lanes();
        // u − u(begin) = (m₀₀ − u(begin)·m₂₀)·steps/z, and v likewise.
        const Float perDepth = one(1) / Simd::fma(one(m[2][0]), steps, one(begin.z));
        const Float along = Simd::mul(steps, perDepth);
        const Float u = Simd::fma(one(m[0][0] - begin.u * m[2][0]), along, one(begin.u - column));
        const Float v = Simd::fma(one(m[1][0] - begin.v * m[2][0]), along, one(begin.v - row));
        const Float du = Simd::split(u).fraction;
        const Float dv = Simd::split(v).fraction;
        const Float offset = Simd::fma(Simd::sub(v, dv), one(task.nU), Simd::sub(u, du));
        const auto at = Simd::whole(Simd::split(offset).row, Simd::wholeLanes(0));
        const float* pixels = view + static_cast<Index>(row) * task.nU + column;
        const auto between = [&](const float* line) {
            const auto [first, second] = Simd::gatherPairs(line, at);
            return Simd::fma(du, Simd::sub(second, first), first);
        };
        const Float below = between(pixels);
        const Float above = between(pixels + task.nU);
        const Float value = Simd::fma(dv, Simd::sub(above, below), below);
        Simd::store(sums, Simd::fma(Simd::mul(perDepth, perDepth), value, Simd::load(sums)));
        return true;
    }
};

}  // namespace
}  // namespace gantry
