#include "core/backproject/plane_projector.h"

#include <algorithm>
#include <cmath>

#include "core/backproject/interpolate.h"
#include "core/base/error.h"
#include "core/base/host_buffer.h"
#include "core/base/parallel.h"

namespace gantry {

namespace {

// Rows of a plane that a thread makes together: each view is read in a narrow band.
constexpr Index kPieceRows = 8;

class CpuPlaneProjector final : public PlaneProjector {
  public:
    explicit CpuPlaneProjector(int threads) : m_threads(threads) {}

    void setViews(Span3<const float> views, const std::stop_token& /*stop*/) override {
        m_views = views;
        m_matrices.clear();
    }

    void setGeometry(std::span<const ProjectionMatrix> matrices) override {
        require(static_cast<Index>(matrices.size()) == m_views.size(0),
                "the preview was given matrices of other views");
        m_matrices.assign(matrices.begin(), matrices.end());
    }

    std::vector<Span3<const float>> render(std::span<const Plane> planes,
                                           const std::stop_token& stop) override {
        require(!m_matrices.empty(), "the preview has no views or geometry yet");
        const Index count = pixelCount(planes);
        if (m_pixels.count() < count) m_pixels = HostBuffer<float>(count);
        float* pixels = m_pixels.data();
        for (const Plane& plane : planes) {
            renderPlane(plane, pixels, stop);
            pixels += plane.columns * plane.rows;
        }
        return picturesOf(planes, m_pixels.data());
    }

  private:
    void renderPlane(const Plane& plane, float* pixels, const std::stop_token& stop) const {
        std::vector<PlaneMatrix> matrices;
        for (const ProjectionMatrix& matrix : m_matrices)
            matrices.push_back(onPlanePixels(matrix, plane));
        const auto renderRows = [&](Index first, Index end, int) {
            std::vector<double> sums(static_cast<std::size_t>((end - first) * plane.columns));
            for (Index s = 0; s < m_views.size(0); ++s)
                for (Index row = first; row < end; ++row)
                    addRow(matrices[static_cast<std::size_t>(s)], s, row,
                           std::span(sums).subspan(
                               static_cast<std::size_t>((row - first) * plane.columns),
                               static_cast<std::size_t>(plane.columns)));
            std::transform(sums.begin(), sums.end(), pixels + first * plane.columns,
                           [](double sum) { return static_cast<float>(sum); });
        };
        parallelFor(m_threads, plane.rows, kPieceRows, renderRows, stop);
    }

    void addRow(const PlaneMatrix& m, Index s, Index row, std::span<double> sums) const {
        const auto y = static_cast<double>(row);
        double x = 0;
        for (double& sum : sums) {
            const auto line = [&](std::size_t i) { return m[i][0] * x + m[i][1] * y + m[i][2]; };
            const double z = line(2);
            const double f = 1 / z;
            if (z > 0) sum += f * f * interpolate(m_views, s, line(0) * f, line(1) * f);
            ++x;
        }
    }

    int m_threads;
    Span3<const float> m_views;  // [s][v][u], the caller's
    std::vector<ProjectionMatrix> m_matrices;
    HostBuffer<float> m_pixels;  // the planes' pictures, one after the other
};

}  // namespace

Vec3 Plane::positionMm(double column, double row) const {
    return originMm + ((column + 0.5) / static_cast<double>(columns)) * alongRowMm +
           ((row + 0.5) / static_cast<double>(rows)) * alongColumnMm;
}

std::array<Plane, 3> orthogonalPlanes(const VolumeGrid& grid, Vec3 throughMm,
                                      Index pixelsAlongLongest) {
    const Index longest = *std::max_element(grid.voxels.begin(), grid.voxels.end());
    const auto pixelsAlong = [&](std::size_t axis) -> Index {
        if (pixelsAlongLongest <= 0) return grid.voxels[axis];
        const double scale = static_cast<double>(pixelsAlongLongest) / static_cast<double>(longest);
        return std::max<Index>(1, std::lround(scale * static_cast<double>(grid.voxels[axis])));
    };
    const Vec3 corner = grid.positionMm(-0.5, -0.5, -0.5);
    const Vec3 edges[3] = {{static_cast<double>(grid.voxels[0]) * grid.pitchMm[0], 0, 0},
                           {0, static_cast<double>(grid.voxels[1]) * grid.pitchMm[1], 0},
                           {0, 0, static_cast<double>(grid.voxels[2]) * grid.pitchMm[2]}};
    const auto plane = [&](Vec3 origin, std::size_t rowAxis, std::size_t columnAxis) {
        return Plane{origin, edges[rowAxis], edges[columnAxis], pixelsAlong(rowAxis),
                     pixelsAlong(columnAxis)};
    };
    return {plane({corner.x, corner.y, throughMm.z}, 0, 1),
            plane({corner.x, throughMm.y, corner.z}, 0, 2),
            plane({throughMm.x, corner.y, corner.z}, 1, 2)};
}

PlaneMatrix onPlanePixels(const ProjectionMatrix& matrix, const Plane& plane) {
    const Vec3 first = plane.positionMm(0, 0);
    const Vec3 columnStep = (1 / static_cast<double>(plane.columns)) * plane.alongRowMm;
    const Vec3 rowStep = (1 / static_cast<double>(plane.rows)) * plane.alongColumnMm;
    PlaneMatrix result{};
    for (std::size_t i = 0; i < 3; ++i) {
        const auto& row = matrix.m[i];
        const Vec3 normal = {row[0], row[1], row[2]};
        result[i] = {dot(normal, columnStep), dot(normal, rowStep), dot(normal, first) + row[3]};
    }
    return result;
}

std::vector<Span3<const float>> picturesOf(std::span<const Plane> planes, const float* pixels) {
    std::vector<Span3<const float>> pictures;
    for (const Plane& plane : planes) {
        pictures.emplace_back(pixels, 1, plane.rows, plane.columns);
        pixels += plane.columns * plane.rows;
    }
    return pictures;
}

Index pixelCount(std::span<const Plane> planes) {
    Index count = 0;
    for (const Plane& plane : planes) {
        require(plane.columns > 0 && plane.rows > 0, "a plane without pixels was to be rendered");
        count += plane.columns * plane.rows;
    }
    return count;
}

std::unique_ptr<PlaneProjector> makeCpuPlaneProjector(int threads) {
    return std::make_unique<CpuPlaneProjector>(threads);
}

}  // namespace gantry
