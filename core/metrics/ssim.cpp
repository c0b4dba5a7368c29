#include "core/metrics/ssim.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "core/base/parallel.h"
#include "core/base/throw_error.h"

namespace gantry {

namespace {

constexpr Index kWindow = 7;  // voxels, along x and y

// The sum of the SSIM of several windows, and their number.
struct Sum {
    double ssim = 0;
    Index windows = 0;
};

// Sums of both images, of their squares and of their product over the voxels of a window or column.
struct Moments {
    double a = 0;
    double b = 0;
    double aa = 0;
    double bb = 0;
    double ab = 0;
};

// Sums the SSIM of all windows of a slice. A window's sums are those of its columns, so every
// column is summed only once for all windows that contain it.
class SliceSsim {
  public:
    SliceSsim(Index nY, Index nX, double range)
        : m_nY(nY),
          m_nX(nX),
          m_height(std::min(kWindow, nY)),
          m_width(std::min(kWindow, nX)),
          m_c1(0.01 * range * 0.01 * range),
          m_c2(0.03 * range * 0.03 * range),
          m_columns(static_cast<std::size_t>(nX)),
          m_unusable(static_cast<std::size_t>(nX)) {}

    Sum operator()(const float* image, const float* truth) {
        bool finite = true;
        for (Index i = 0; i < m_nY * m_nX; ++i)
            finite = finite && std::isfinite(image[i]) && std::isfinite(truth[i]);
        Sum sum;
        for (Index y = 0; y + m_height <= m_nY; ++y) {
            sumColumns(image + y * m_nX, truth + y * m_nX);
            if (!finite) findUnusable(image + y * m_nX, truth + y * m_nX);
            addWindows(finite, sum);
        }
        return sum;
    }

  private:
    void sumColumns(const float* image, const float* truth) {
        for (Index x = 0; x < m_nX; ++x) {
            Moments m;
            for (Index y = 0; y < m_height; ++y) {
                const auto a = static_cast<double>(image[y * m_nX + x]);
                const auto b = static_cast<double>(truth[y * m_nX + x]);
                m.a += a;
                m.b += b;
                m.aa += a * a;
                m.bb += b * b;
                m.ab += a * b;
            }
            m_columns[x] = m;
        }
    }

    void findUnusable(const float* image, const float* truth) {
        for (Index x = 0; x < m_nX; ++x) {
            unsigned char unusable = 0;
            for (Index i = x; i < m_height * m_nX; i += m_nX)
                if (!std::isfinite(image[i]) || !std::isfinite(truth[i])) unusable = 1;
            m_unusable[x] = unusable;
        }
    }

    void addWindows(bool finite, Sum& sum) const {
        for (Index x = 0; x + m_width <= m_nX; ++x) {
            const Moments* columns = m_columns.data() + x;
            const auto unusable = m_unusable.begin() + x;
            if (!finite && std::count(unusable, unusable + m_width, 1) > 0) continue;
            Moments m;
            for (Index i = 0; i < m_width; ++i) {
                m.a += columns[i].a;
                m.b += columns[i].b;
                m.aa += columns[i].aa;
                m.bb += columns[i].bb;
                m.ab += columns[i].ab;
            }
            sum.ssim += similarity(m);
            ++sum.windows;
        }
    }

    [[nodiscard]] double similarity(const Moments& m) const {
        const auto n = static_cast<double>(m_height * m_width);
        const double meanA = m.a / n;
        const double meanB = m.b / n;
        // A window of one voxel has no variance, so its divisor only has to differ from 0.
        const double degreesOfFreedom = std::max(1.0, n - 1);
        const double varianceA = (m.aa - m.a * meanA) / degreesOfFreedom;
        const double varianceB = (m.bb - m.b * meanB) / degreesOfFreedom;
        const double covariance = (m.ab - m.a * meanB) / degreesOfFreedom;
        return (2 * meanA * meanB + m_c1) * (2 * covariance + m_c2) /
               ((meanA * meanA + meanB * meanB + m_c1) * (varianceA + varianceB + m_c2));
    }

    Index m_nY;
    Index m_nX;
    Index m_height;
    Index m_width;
    double m_c1;
    double m_c2;
    std::vector<Moments> m_columns;         // [x], for the current rows of windows
    std::vector<unsigned char> m_unusable;  // [x], 1 where the column has a NaN or infinity
};

}  // namespace

double meanSsim(Span3<const float> image, Span3<const float> truth, double range, int threads,
                const std::stop_token& stop) {
    checkSameShape("volume", shapeOf(image), "true volume", shapeOf(truth));
    require(range > 0, "SSIM needs a range of values above 0");
    std::vector<Sum> slices(image.size(0));
    const auto addSlices = [&](Index begin, Index end, int) {
        SliceSsim sliceSsim(image.size(1), image.size(2), range);
        for (Index z = begin; z < end; ++z)
            slices[z] = sliceSsim(image.row(z, 0), truth.row(z, 0));
    };
    parallelFor(threads, image.size(0), 1, addSlices, stop);
    Sum total;
    for (const Sum& slice : slices) {
        total.ssim += slice.ssim;
        total.windows += slice.windows;
    }
    if (total.windows == 0) return std::numeric_limits<double>::quiet_NaN();
    return total.ssim / static_cast<double>(total.windows);
}

void checkSameShape(std::string_view name, const std::array<Index, 3>& found,
                    std::string_view other, const std::array<Index, 3>& wanted) {
    if (found == wanted) return;
    throwError<InputError>("The {} has {} voxels; it must have {} like the {}.", name,
                           fmt::join(found, " × "), fmt::join(wanted, " × "), other);
}

}  // namespace gantry
