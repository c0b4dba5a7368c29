#include "gpu/engine/gpu_filter.h"

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/base/parallel.h"
#include "core/filter/fdk_weights.h"
#include "core/filter/ramp_kernel.h"
#include "gpu/device/cuda_check.h"

namespace gantry {

namespace {

gpu::Preparation preparationOf(const DeviceJob& job) {
    if (job.handedOver == ViewState::prepared) return gpu::Preparation::none;
    return preparationOf(*job.acquisition);
}

Index pairsOf(IndexRange rows) {
    return (rows.size() + 1) / 2;
}

}  // namespace

FilterLayout::FilterLayout(const DeviceJob& job)
    : columns(job.acquisition->geometry.detector.columns),
      weightedColumns(job.acquisition->redundancy.beyondBefore() + columns +
                      job.acquisition->redundancy.beyondAfter()),
      length(paddedLength(weightedColumns)) {
    constexpr Index kChunkBytes = Index{32} << 20;
    // A batch may have two blocks of rows, and each may end with an odd row.
    const Index pairs = std::max<Index>(1, job.batchViews * ((job.maxRows + 2) / 2));
    const Index max =
        std::max<Index>(1, kChunkBytes / (length * static_cast<Index>(sizeof(float2))));
    chunks = (pairs + max - 1) / max;
    chunk = (pairs + chunks - 1) / chunks;
}

GpuFilter::GpuFilter(const DeviceJob& job)
    : m_layout(job),
      m_transforms(m_layout.length, m_layout.chunk),
      m_pairs(m_layout.points()),
      m_invalid(gpu::kInvalidKinds),
      m_views(job.acquisition->geometry.views),
      m_batchViews(job.batchViews),
      m_maxRows(job.maxRows),
      m_rows(job.acquisition->geometry.detector.rows),
      m_pixelBytes(job.handedOver == ViewState::prepared
                       ? Index{sizeof(float)}
                       : sizeBytes(job.acquisition->stored.pixelType)) {
    const Acquisition& acquisition = *job.acquisition;
    const AlignedDetector& detector = acquisition.geometry.detector;
    const bool isPrepared = job.handedOver == ViewState::prepared;
    require(job.handedOver != ViewState::filtered, "filtered views came to be filtered");
    require(isPrepared || acquisition.rectifier.isIdentity(),
            "views of a tilted detector came to the device before they were rectified");
    m_task.preparation = preparationOf(job);
    m_task.type =
        isPrepared ? gpu::StoredType::float32 : storedTypeOf(acquisition.stored.pixelType);
    m_task.padBefore = isPrepared ? 0 : static_cast<int>(acquisition.redundancy.padBefore);
    m_task.columns = static_cast<int>(detector.columns);
    m_task.storedColumns =
        static_cast<int>(isPrepared ? detector.columns : acquisition.calibration->columns);
    m_task.length = static_cast<int>(m_layout.length);
    const RowExtension& extension = acquisition.redundancy.extension;
    m_task.firstMeasured = static_cast<int>(acquisition.redundancy.padBefore);
    m_task.measuredColumns = static_cast<int>(detector.columns - acquisition.redundancy.padBefore -
                                              acquisition.redundancy.padAfter);
    m_task.extendBefore = static_cast<int>(extension.before);
    m_task.extendAfter = static_cast<int>(extension.after);
    m_task.perColumn = static_cast<float>(extension.perColumn);
    m_task.invalid = m_invalid.data();

    const Stream stream;
    check(cudaMemsetAsync(m_pairs.data(), 0, static_cast<std::size_t>(m_pairs.sizeBytes()),
                          stream.get()),
          "clearing rows");
    clearInvalid(stream.get());
    m_images = DetectorImages(acquisition, m_task.preparation, stream);
    m_task.saturation = m_images.saturation;
    m_task.dark = m_images.dark.data();
    m_task.netSignal = m_images.netSignal.data();
    m_task.offsets = m_images.offsets.data();
    uploadWeights(acquisition, stream);
    uploadResponse(acquisition.geometry.detector, job.filter, stream);
    stream.synchronize();
}

gpu::FilteredViews GpuFilter::apply(const std::byte* batch, IndexRange views,
                                    const IndexRanges& rows, IndexRange counted,
                                    cudaStream_t stream) {
    require(views.size() <= m_batchViews && rows.size() <= m_maxRows,
            "a batch came to the device that is larger than planned");
    require(views.begin >= 0 && views.end <= m_views && rows.hull().begin >= 0 &&
                rows.hull().end <= m_rows,
            "a batch came to the device with views or rows that the scan does not have");
    if (views.empty() || rows.empty())
        return gpu::plainViews(reinterpret_cast<const float*>(m_pairs.data()),
                               static_cast<int>(std::max<Index>(0, views.size())), 0,
                               m_task.columns);
    const IndexRange lower = rows.parts().front();
    const gpu::FilteredViews first = filterBlock(batch, views, lower, counted, 0, stream);
    if (rows.parts().size() == 1) return first;
    const IndexRange upper = rows.parts()[1];
    const Index pixels = views.size() * lower.size() * m_task.storedColumns;
    return gpu::joined(first,
                       filterBlock(batch + pixels * m_pixelBytes, views, upper, counted,
                                   views.size() * pairsOf(lower), stream),
                       static_cast<int>(upper.begin - lower.begin));
}

void GpuFilter::enqueueInvalid(PinnedInvalidPixels& to, cudaStream_t stream) {
    to.pixels = std::exchange(m_pixels, 0);
    check(cudaMemcpyAsync(to.found.data(), m_invalid.data(),
                          static_cast<std::size_t>(m_invalid.sizeBytes()), cudaMemcpyDeviceToHost,
                          stream),
          "counting invalid pixels");
    clearInvalid(stream);
}

// Filters one block of rows; its pairs are stored from place `toPair` on.
gpu::FilteredViews GpuFilter::filterBlock(const std::byte* pixels, IndexRange views,
                                          IndexRange rows, IndexRange counted, Index toPair,
                                          cudaStream_t stream) {
    gpu::PrepareTask task = m_task;
    task.pixels = pixels;
    task.nV = static_cast<int>(rows.size());
    task.firstView = static_cast<int>(views.begin);
    task.firstRow = static_cast<int>(rows.begin);
    task.countFrom = static_cast<int>(std::clamp(counted.begin, rows.begin, rows.end));
    task.countEnd = static_cast<int>(std::clamp(counted.end, Index{task.countFrom}, rows.end));
    if (task.preparation != gpu::Preparation::none)
        m_pixels += (task.countEnd - task.countFrom) * views.size() * m_task.storedColumns;

    const Index pairs = views.size() * pairsOf(rows);
    for (Index first = 0; first < pairs; first += m_layout.chunk)
        filterChunk(task, first, std::min(m_layout.chunk, pairs - first), toPair, stream);

    const Index pairStride = 2 * m_layout.length;
    return {reinterpret_cast<const float*>(m_pairs.data() + toPair * m_layout.length),
            static_cast<int>(views.size()),
            task.nV,
            task.columns,
            pairsOf(rows) * pairStride,
            pairStride,
            1,
            2};
}

// Row pairs [first, first + pairs) of a block, to place `toPair` + first. The transforms always
// take a whole chunk; rows beyond are ignored.
void GpuFilter::filterChunk(const gpu::PrepareTask& task, Index first, Index pairs, Index toPair,
                            cudaStream_t stream) {
    float2* rows = m_pairs.data() + (toPair + first) * m_layout.length;
    gpu::prepareRows(task, first, static_cast<int>(pairs), rows, stream);
    checkLaunch("preparing detector rows");
    m_transforms.forward(rows, stream);
    gpu::multiplySpectra(rows, static_cast<int>(pairs), m_task.length, m_response.data(), stream);
    checkLaunch("filtering detector rows");
    m_transforms.inverse(rows, stream);
}

void GpuFilter::clearInvalid(cudaStream_t stream) {
    check(cudaMemsetAsync(m_invalid.data(), 0, static_cast<std::size_t>(m_invalid.sizeBytes()),
                          stream),
          "clearing counters");
}

// Uploads the FDK weights. Where each view has its own detector, the terms under the root
// differ from view to view.
void GpuFilter::uploadWeights(const Acquisition& acquisition, const Stream& stream) {
    const FdkWeights weights(acquisition.geometry, acquisition.redundancy);
    const auto columns = static_cast<std::size_t>(m_layout.weightedColumns);
    const auto rows = static_cast<std::size_t>(acquisition.geometry.detector.rows);
    const auto views = static_cast<std::size_t>(acquisition.geometry.views);
    const std::size_t rooted = weights.areOwn() ? views : 1;
    std::vector<float> viewScale(views * columns);
    std::vector<float> squareU(rooted * columns);
    std::vector<float> squareV(rooted * rows);
    parallelFor(
        availableThreads(), acquisition.geometry.views, 16, [&](Index begin, Index end, int) {
            for (auto s = static_cast<std::size_t>(begin); s < static_cast<std::size_t>(end); ++s) {
                const auto view = static_cast<Index>(s);
                weights.viewScale(view, {viewScale.data() + s * columns, columns});
                if (s >= rooted) continue;
                weights.squareU(view, {squareU.data() + s * columns, columns});
                for (std::size_t v = 0; v < rows; ++v)
                    squareV[s * rows + v] = weights.squareV(view, static_cast<Index>(v));
            }
        });
    m_viewScale = upload(viewScale, stream);
    m_squareU = upload(squareU, stream);
    m_squareV = upload(squareV, stream);
    m_task.viewScale = m_viewScale.data() + weights.columnsBefore();
    m_task.squareU = m_squareU.data() + weights.columnsBefore();
    m_task.viewScaleStride = static_cast<int>(columns);
    m_task.squareV = m_squareV.data();
    if (!weights.areOwn()) return;
    m_task.squareUStride = static_cast<int>(columns);
    m_task.squareVStride = static_cast<int>(rows);
}

void GpuFilter::uploadResponse(const AlignedDetector& detector, const FilterSpec& filter,
                               const Stream& stream) {
    std::vector<float> response;
    for (const double gain : rampResponse(m_layout.length, detector.pitchAtAxisMm, filter))
        response.push_back(static_cast<float>(gain / static_cast<double>(m_layout.length)));
    m_response = upload(response, stream);
}

PinnedInvalidPixels::PinnedInvalidPixels() : found(gpu::kInvalidKinds) {
    std::fill_n(found.data(), gpu::kInvalidKinds, 0ULL);
}

InvalidPixels PinnedInvalidPixels::counts() const {
    const auto number = [&](gpu::InvalidKind kind) {
        return static_cast<Index>(found.data()[static_cast<int>(kind)]);
    };
    InvalidPixels counts;
    counts.pixels = pixels;
    counts.bad = number(gpu::InvalidKind::bad);
    counts.notFinite = number(gpu::InvalidKind::notFinite);
    counts.saturated = number(gpu::InvalidKind::saturated);
    counts.zero = number(gpu::InvalidKind::zero);
    counts.negative = number(gpu::InvalidKind::negative);
    return counts;
}

std::string whyNoCufft() {
    try {
        int devices = 0;
        const bool hasDevice = cudaGetDeviceCount(&devices) == cudaSuccess && devices > 0;
        forgetError();
        if (hasDevice)
            const RowTransforms tiny(16, 1);  // a version too new for the driver fails here
        else
            const CufftLibrary library;
        return {};
    } catch (const Error& error) {
        return error.message();
    }
}

Index gpuFilterBytes(const DeviceJob& job) {
    if (job.handedOver == ViewState::filtered) return 0;
    const FilterLayout layout(job);
    const AlignedDetector& detector = job.acquisition->geometry.detector;
    Index floats = 2 * layout.points() + layout.length;
    const Index views = job.acquisition->geometry.views;
    const Index rooted = job.acquisition->geometry.areAligned() ? 1 : views;
    floats += (views + rooted) * layout.weightedColumns + rooted * detector.rows;
    return floats * static_cast<Index>(sizeof(float)) +
           DetectorImages::bytesNeeded(*job.acquisition, preparationOf(job)) +
           RowTransforms::bytesNeeded(layout.length, layout.chunk);
}

}  // namespace gantry
