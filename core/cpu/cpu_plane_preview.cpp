#include "core/cpu/cpu_backend.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "core/backproject/interpolate.h"
#include "core/backproject/simd_kernels.h"
#include "core/base/error.h"
#include "core/base/host_buffer.h"
#include "core/base/parallel.h"
#include "core/filter/cpu_filter.h"

namespace gantry {

namespace {

// A thread makes this many rows of a plane together, so that it reads each view in a narrow band.
constexpr Index kPieceRows = 32;

class CpuPlanePreview final : public PlanePreview {
  public:
    // kernels: null for sums in double
    CpuPlanePreview(int threads, const SimdKernels* kernels)
        : m_threads(threads), m_kernels(kernels) {}

    void setViews(Span3<const float> views, const std::stop_token& /*stop*/) override {
        m_views = views;
        m_matrices.clear();
    }

    bool setLineIntegrals(Span3<const float> views, const std::stop_token& /*stop*/) override {
        m_lineIntegrals = views;
        m_views = {};
        m_matrices.clear();
        return false;
    }

    void setFilter(std::shared_ptr<const Acquisition> acquisition,
                   const FilterSpec& filter) override {
        const AlignedViews& geometry = acquisition->geometry;
        require(geometry.views == m_lineIntegrals.size(0) &&
                    geometry.detector.rows == m_lineIntegrals.size(1),
                "the preview was given a filter of other views");
        m_filter.emplace(geometry, filter, acquisition->redundancy, m_threads);
        m_acquisition = std::move(acquisition);
        const AlignedDetector& detector = geometry.detector;
        const Index count = geometry.views * detector.rows * detector.columns;
        if (m_filtered.count() < count) m_filtered = HostBuffer<float>(count);
        m_views = {m_filtered.data(), geometry.views, detector.rows, detector.columns};
    }

    void filter(IndexRange views, const std::stop_token& stop) override {
        require(m_filter && views.begin >= 0 && views.end <= m_views.size(0),
                "the preview was asked to filter views that it does not have");
        const Span3<float> all = {m_filtered.data(), m_views.size(0), m_views.size(1),
                                  m_views.size(2)};
        parallelFor(
            m_threads, views.size(), 1,
            [&](Index begin, Index end, int) {
                for (Index s = views.begin + begin; s < views.begin + end; ++s)
                    alignView(s, all.slices({s, s + 1}));
            },
            stop);
        m_filter->apply(all.slices(views), views.begin, 0, stop);
    }

    void setGeometry(std::span<const ProjectionMatrix> matrices) override {
        require(std::ssize(matrices) == m_views.size(0),
                "the preview was given matrices of other views");
        m_matrices.assign(matrices.begin(), matrices.end());
    }

    std::vector<Span3<const float>> render(std::span<const Plane> planes, Precision /*precision*/,
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
    // out: [1][v][u], padded
    void alignView(Index s, Span3<float> out) const {
        const Index rows = m_lineIntegrals.size(1);
        const Index columns = m_lineIntegrals.size(2);
        const Rectifier& rectifier = m_acquisition->rectifier;
        if (rectifier.isIdentity())
            std::copy_n(m_lineIntegrals.row(s, 0), rows * columns, out.data());
        else
            rectifier.apply(m_lineIntegrals.slices({s, s + 1}), 0, {out.data(), 1, rows, columns},
                            0);
        padRowsInPlace(m_acquisition->redundancy, out);
    }

    void renderPlane(const Plane& plane, float* pixels, const std::stop_token& stop) const {
        std::vector<PlaneMatrix> matrices;
        matrices.reserve(m_matrices.size());
        for (const ProjectionMatrix& matrix : m_matrices)
            matrices.push_back(onPlanePixels(matrix, plane));
        const std::vector<PlaneToView> plain = plainOf(matrices);
        parallelFor(
            m_threads, plane.rows, kPieceRows,
            [&](Index first, Index end, int) {
                float* piece = pixels + first * plane.columns;
                if (m_kernels)
                    addFast(plain, plane.columns, {first, end}, piece);
                else
                    addExactly(matrices, plane.columns, {first, end}, piece);
            },
            stop);
    }

    static std::vector<PlaneToView> plainOf(const std::vector<PlaneMatrix>& matrices) {
        std::vector<PlaneToView> plain(matrices.size());
        for (std::size_t s = 0; s < matrices.size(); ++s)
            for (std::size_t i = 0; i < 3; ++i)
                std::copy_n(matrices[s][i].begin(), 3, plain[s].m[i]);
        return plain;
    }

    void addFast(const std::vector<PlaneToView>& matrices, Index columns, IndexRange rows,
                 float* pixels) const {
        const Index stride = (columns + kColumnAlignment - 1) / kColumnAlignment * kColumnAlignment;
        std::vector<float> sums(rows.size() * stride);
        const PlaneTask task = {m_views.data(),
                                matrices.data(),
                                static_cast<int>(m_views.size(0)),
                                static_cast<int>(m_views.size(1)),
                                static_cast<int>(m_views.size(2)),
                                columns,
                                stride};
        m_kernels->addPlaneRows(task, rows.begin, rows.end, sums.data());
        for (Index row = 0; row < rows.size(); ++row)
            std::copy_n(sums.data() + row * stride, columns, pixels + row * columns);
    }

    void addExactly(const std::vector<PlaneMatrix>& matrices, Index columns, IndexRange rows,
                    float* pixels) const {
        std::vector<double> sums(rows.size() * columns);
        for (Index s = 0; s < m_views.size(0); ++s)
            for (Index row = rows.begin; row < rows.end; ++row)
                addRow(matrices[s], s, row,
                       std::span(sums).subspan((row - rows.begin) * columns, columns));
        std::ranges::transform(sums, pixels, [](double sum) { return static_cast<float>(sum); });
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
    const SimdKernels* m_kernels;
    Span3<const float> m_lineIntegrals;  // [s][v][u], the caller's
    std::shared_ptr<const Acquisition> m_acquisition;
    std::optional<CpuFilter> m_filter;
    HostBuffer<float> m_filtered;  // may be larger than the views
    Span3<const float> m_views;    // [s][v][u], the caller's or filtered here
    std::vector<ProjectionMatrix> m_matrices;
    HostBuffer<float> m_pixels;  // the planes' pictures, one after the other
};

}  // namespace

std::unique_ptr<PlanePreview> makeCpuPlanePreview(int threads) {
    return makeCpuPlanePreview(threads, supportedSimdLevels().back());
}

std::unique_ptr<PlanePreview> makeCpuPlanePreview(int threads, SimdLevel level) {
    return std::make_unique<CpuPlanePreview>(threads, &simdKernels(level));
}

std::unique_ptr<PlanePreview> makeReferencePlanePreview(int threads) {
    return std::make_unique<CpuPlanePreview>(threads, nullptr);
}

}  // namespace gantry
