#include "gpu/engine/preview_filter.h"

#include <cstddef>
#include <utility>

#include "core/base/error.h"
#include "gpu/device/cuda_check.h"

namespace gantry {

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

}  // namespace gantry
