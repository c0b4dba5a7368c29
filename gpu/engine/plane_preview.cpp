#include "gpu/engine/gpu_engine.h"

#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/engine/acquisition.h"
#include "core/filter/filter_spec.h"
#include "gpu/device/cuda_check.h"
#include "gpu/device/device_buffer.h"
#include "gpu/device/layered_texture.h"
#include "gpu/device/stream.h"
#include "gpu/engine/gpu_filter.h"
#include "gpu/kernels/plane.h"
#include "gpu/kernels/repack_views.h"

namespace gantry {

namespace {

// Keeps line integrals in the current device's memory and filters them whenever settings change.
// Not thread-safe. Tests: tests/gpu/engine/plane_preview_test.cpp
class PreviewFilter {
  public:
    static constexpr Index kBatchViews = 16;  ///< at most, in one apply()

    /// views: [s][v][u]; read by the stream until it is synchronised
    /// @throws ResourceError
    PreviewFilter(Span3<const float> views, cudaStream_t stream);

    /// @throws ResourceError; InputError where the cut-off is out of range
    void set(std::shared_ptr<const Acquisition> acquisition, const FilterSpec& filter);
    /// Filters those views; the result lies in memory of this object, valid until the next call.
    [[nodiscard]] gpu::FilteredViews apply(IndexRange views, cudaStream_t stream);

    [[nodiscard]] Index views() const { return m_views; }
    [[nodiscard]] Index rows() const { return m_rows; }

  private:
    Index m_views;
    Index m_rows;
    Index m_columns;
    DeviceBuffer<float> m_lineIntegrals;  // [s][v][u]
    std::shared_ptr<const Acquisition> m_acquisition;
    std::unique_ptr<GpuFilter> m_filter;
    gpu::AlignTask m_align;
    bool m_isAligned = false;       // needs no resampling and no padding
    DeviceBuffer<float> m_aligned;  // of a batch
};

PreviewFilter::PreviewFilter(Span3<const float> views, cudaStream_t stream)
    : m_views(views.size(0)),
      m_rows(views.size(1)),
      m_columns(views.size(2)),
      m_lineIntegrals(views.count()) {
    check(cudaMemcpyAsync(m_lineIntegrals.data(), views.data(),
                          static_cast<std::size_t>(m_lineIntegrals.sizeBytes()),
                          cudaMemcpyHostToDevice, stream),
          "copying views for the preview");
}

void PreviewFilter::set(std::shared_ptr<const Acquisition> acquisition, const FilterSpec& filter) {
    const AlignedDetector& detector = acquisition->geometry.detector;
    require(acquisition->geometry.views == m_views && detector.rows == m_rows &&
                detector.columns >= m_columns,
            "the preview was given a filter of other views");
    m_isAligned = acquisition->rectifier.isIdentity() && detector.columns == m_columns;
    m_align.rows = static_cast<int>(m_rows);
    m_align.columns = static_cast<int>(m_columns);
    m_align.padBefore = static_cast<int>(acquisition->redundancy.padBefore);
    m_align.padded = static_cast<int>(detector.columns);
    for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t j = 0; j < 3; ++j)
            m_align.toReal[i][j] = acquisition->rectifier.homography()[i][j];
    if (!m_isAligned) m_aligned.reserve(kBatchViews * m_rows * detector.columns);

    m_filter.reset();  // freed before the new one is allocated
    m_acquisition = std::move(acquisition);
    DeviceJob job;
    job.acquisition = m_acquisition.get();
    job.filter = filter;
    job.handedOver = ViewState::prepared;
    job.batchViews = kBatchViews;
    job.maxRows = m_rows;
    m_filter = std::make_unique<GpuFilter>(job);
}

gpu::FilteredViews PreviewFilter::apply(IndexRange views, cudaStream_t stream) {
    require(m_filter != nullptr && views.size() <= kBatchViews && views.begin >= 0 &&
                views.end <= m_views,
            "the preview was asked to filter views that it does not have");
    const float* batch = m_lineIntegrals.data() + views.begin * m_rows * m_columns;
    if (!m_isAligned) {
        gpu::alignViews(m_align, batch, static_cast<int>(views.size()), m_aligned.data(), stream);
        checkLaunch("aligning views");
        batch = m_aligned.data();
    }
    return m_filter->apply(reinterpret_cast<const std::byte*>(batch), views,
                           IndexRanges(IndexRange{0, m_rows}), {0, 0}, stream);
}

constexpr Index kMaxLayers = 2048;  // of one texture, on every device
constexpr Index kCopiedViews = 32;  // at a time, so that setting views can be stopped

// The view's matrix on a plane as the kernel takes it. A texture's pixel 0 has its centre at ½.
gpu::PlaneView planeView(const ProjectionMatrix& matrix, const Plane& plane) {
    const PlaneMatrix m = onPlanePixels(matrix, plane);
    gpu::PlaneView view = {};
    for (std::size_t i = 0; i < 3; ++i) {
        view.u[i] = static_cast<float>(m[0][i] + 0.5 * m[2][i]);
        view.v[i] = static_cast<float>(m[1][i] + 0.5 * m[2][i]);
        view.z[i] = static_cast<float>(m[2][i]);
    }
    return view;
}

Stream streamOn(int device) {
    makeCurrent(device);
    return Stream();
}

class GpuPlanePreview final : public PlanePreview {
  public:
    explicit GpuPlanePreview(const DeviceInfo& device)
        : m_device(device.number), m_stream(streamOn(device.number)) {}

    void setViews(Span3<const float> views, const std::stop_token& stop) override {
        require(views.count() > 0, "the preview was given no views");
        makeCurrent(m_device);
        forget();
        requireRoom(views, views.count());
        std::vector<LayeredTexture> textures =
            texturesOf(views.size(0), views.size(1), views.size(2));
        Index first = 0;
        for (const LayeredTexture& texture : textures) {
            fill(texture, views, first, stop);
            first += texture.layers();
        }
        m_stream.synchronize();
        m_textures = std::move(textures);
        m_nS = views.size(0);
    }

    bool setLineIntegrals(Span3<const float> views, const std::stop_token& stop) override {
        require(views.count() > 0, "the preview was given no views");
        if (stop.stop_requested()) throw Cancelled();
        makeCurrent(m_device);
        forget();
        requireRoom(views, 2 * views.count());
        m_filter.emplace(views, m_stream.get());
        m_stream.synchronize();  // the caller may free the views
        return true;
    }

    void setFilter(std::shared_ptr<const Acquisition> acquisition,
                   const FilterSpec& filter) override {
        require(m_filter.has_value(), "the preview has no line integrals");
        makeCurrent(m_device);
        const Index columns = acquisition->geometry.detector.columns;
        m_filter->set(std::move(acquisition), filter);
        if (!m_textures.empty() && m_textures.front().width() == columns) return;
        m_textures.clear();
        m_textures = texturesOf(m_filter->views(), m_filter->rows(), columns);
        m_nS = m_filter->views();
    }

    void filter(IndexRange views, const std::stop_token& stop) override {
        makeCurrent(m_device);
        for (Index first = views.begin; first < views.end;) {
            if (stop.stop_requested()) throw Cancelled();
            const Index layer = first % kMaxLayers;
            const Index count =
                std::min({PreviewFilter::kBatchViews, views.end - first, kMaxLayers - layer});
            const LayeredTexture& texture = m_textures[first / kMaxLayers];
            gpu::repackToSurface(m_filter->apply({first, first + count}, m_stream.get()),
                                 {texture.surface(), static_cast<int>(texture.height()),
                                  static_cast<int>(texture.width()), static_cast<int>(layer)},
                                 m_stream.get());
            checkLaunch("keeping filtered views");
            first += count;
        }
        m_stream.synchronize();  // a newer request then waits for these views only
    }

    void setGeometry(std::span<const ProjectionMatrix> matrices) override {
        require(std::ssize(matrices) == m_nS, "the preview was given matrices of other views");
        m_matrices.assign(matrices.begin(), matrices.end());
    }

    std::vector<Span3<const float>> render(std::span<const Plane> planes, Precision precision,
                                           const std::stop_token& stop) override {
        require(!m_matrices.empty(), "the preview has no views or geometry yet");
        if (stop.stop_requested()) throw Cancelled();
        makeCurrent(m_device);
        const Index pixels = pixelCount(planes);
        reserve(pixels, std::ssize(planes) * m_nS);
        const cudaStream_t stream = m_stream.get();
        placePlanes(planes, stream);
        check(cudaMemsetAsync(m_pixels.data(), 0, bytesOf<float>(pixels), stream),
              "clearing the preview");
        launch(planes, precision == Precision::exact, stream);
        check(cudaMemcpyAsync(m_pictures.data(), m_pixels.data(), bytesOf<float>(pixels),
                              cudaMemcpyDeviceToHost, stream),
              "copying the preview");
        m_stream.synchronize();
        return picturesOf(planes, m_pictures.data());
    }

  private:
    template <class T>
    static std::size_t bytesOf(Index count) {
        return static_cast<std::size_t>(count) * sizeof(T);
    }

    void forget() {
        m_matrices.clear();
        m_textures.clear();
        m_filter.reset();
        m_nS = 0;
    }

    static std::vector<LayeredTexture> texturesOf(Index views, Index rows, Index columns) {
        std::vector<LayeredTexture> textures;
        for (Index first = 0; first < views; first += kMaxLayers)
            textures.emplace_back(std::min(kMaxLayers, views - first), rows, columns, 1,
                                  LayeredTexture::Read::bilinear);
        return textures;
    }

    // Checks the memory beforehand: the driver's own error would not state what the user can do.
    static void requireRoom(Span3<const float> views, Index floats) {
        std::size_t freeBytes = 0;
        std::size_t allBytes = 0;
        check(cudaMemGetInfo(&freeBytes, &allBytes), "reading its free memory");
        if (bytesOf<float>(floats) <= freeBytes) return;
        throw ResourceError(
            fmt::format("The GPU lacks memory: the preview of {} views of {} × {} pixels needs {}, "
                        "and {} are free. Close other programs that use the GPU, or preview fewer "
                        "views.",
                        views.size(0), views.size(2), views.size(1),
                        formatBytes(static_cast<Index>(bytesOf<float>(floats))),
                        formatBytes(static_cast<Index>(freeBytes))),
            {.code = ErrorCode::deviceMemory});
    }

    // Copies views from `first` on, one to a layer.
    void fill(const LayeredTexture& texture, Span3<const float> views, Index first,
              const std::stop_token& stop) const {
        const auto width = static_cast<std::size_t>(views.size(2));
        const auto height = static_cast<std::size_t>(views.size(1));
        for (Index layer = 0; layer < texture.layers(); layer += kCopiedViews) {
            if (stop.stop_requested()) {
                m_stream.synchronize();  // the caller may free the views
                throw Cancelled();
            }
            const Index count = std::min(kCopiedViews, texture.layers() - layer);
            // The runtime takes a non-const pointer though it only reads.
            auto* from = const_cast<float*>(views.row(first + layer, 0));
            cudaMemcpy3DParms copy = {};
            copy.srcPtr = {from, width * sizeof(float), width, height};
            copy.dstArray = texture.array();
            copy.dstPos.z = static_cast<std::size_t>(layer);
            copy.extent = {width, height, static_cast<std::size_t>(count)};
            copy.kind = cudaMemcpyHostToDevice;
            check(cudaMemcpy3DAsync(&copy, m_stream.get()), "copying views for the preview");
        }
    }

    void reserve(Index pixels, Index planeViews) {
        m_pixels.reserve(pixels);
        m_planeViews.reserve(planeViews);
        if (m_pictures.count() < pixels) m_pictures = PinnedBuffer<float>(pixels);
        if (m_placed.count() < planeViews) m_placed = PinnedBuffer<gpu::PlaneView>(planeViews);
    }

    void placePlanes(std::span<const Plane> planes, cudaStream_t stream) {
        gpu::PlaneView* placed = m_placed.data();
        for (const Plane& plane : planes)
            for (const ProjectionMatrix& matrix : m_matrices)
                *placed++ = planeView(matrix, plane);
        check(cudaMemcpyAsync(m_planeViews.data(), m_placed.data(),
                              bytesOf<gpu::PlaneView>(placed - m_placed.data()),
                              cudaMemcpyHostToDevice, stream),
              "copying the preview's geometry");
    }

    void launch(std::span<const Plane> planes, bool exact, cudaStream_t stream) const {
        constexpr auto max = static_cast<std::size_t>(gpu::kMaxPlanes);
        float* pixels = m_pixels.data();
        for (std::size_t first = 0; first < planes.size(); first += max) {
            gpu::PlaneBatch batch;
            for (const Plane& plane : planes.subspan(first, std::min(max, planes.size() - first))) {
                batch.planes[batch.count++] = {pixels, nullptr, static_cast<int>(plane.columns),
                                               static_cast<int>(plane.rows)};
                pixels += plane.columns * plane.rows;
            }
            Index firstView = 0;
            for (const LayeredTexture& texture : m_textures) {
                for (int i = 0; i < batch.count; ++i)
                    batch.planes[i].views =
                        m_planeViews.data() + (static_cast<Index>(first) + i) * m_nS + firstView;
                gpu::addPlanes(batch, texture.texture(), static_cast<int>(texture.layers()), exact,
                               stream);
                checkLaunch("rendering the preview");
                firstView += texture.layers();
            }
        }
    }

    int m_device;
    Stream m_stream;
    std::optional<PreviewFilter> m_filter;   // none where views came filtered
    std::vector<LayeredTexture> m_textures;  // the views, up to kMaxLayers in each
    Index m_nS = 0;
    std::vector<ProjectionMatrix> m_matrices;   // one a view
    PinnedBuffer<gpu::PlaneView> m_placed;      // [plane][view]
    DeviceBuffer<gpu::PlaneView> m_planeViews;  // the same on the device
    DeviceBuffer<float> m_pixels;               // pictures, one after the other
    PinnedBuffer<float> m_pictures;             // the same on the host
};

}  // namespace

std::unique_ptr<PlanePreview> makeGpuPlanePreview(const DeviceInfo& device) {
    return std::make_unique<GpuPlanePreview>(device);
}

}  // namespace gantry
