#include "core/verify/phantom_source.h"

#include <fmt/format.h>

#include <cmath>
#include <numeric>
#include <vector>

#include "core/base/error.h"
#include "core/phantom/analytic_projector.h"

namespace gantry {

namespace {

std::vector<float> halfGaussian(double sigma) {
    std::vector<float> half;
    if (!(sigma > 0)) return half;
    const int reach = static_cast<int>(std::ceil(4 * sigma));
    double sum = 0;
    for (int i = 0; i <= reach; ++i) {
        half.push_back(static_cast<float>(std::exp(-0.5 * std::pow(i / sigma, 2))));
        sum += (i == 0 ? 1 : 2) * static_cast<double>(half.back());
    }
    for (float& weight : half)
        weight = static_cast<float>(weight / sum);
    return half;
}

// out[i] = Σ kernel[|k|]·in[i + k], where `in` begins kernel.size() − 1 elements before `out`'s
// first.
void blurAlong(std::span<const float> kernel, const float* in, Index stride, Index count,
               float* out, Index outStride) {
    const auto reach = static_cast<Index>(kernel.size()) - 1;
    for (Index i = 0; i < count; ++i) {
        float sum = 0;
        for (Index k = -reach; k <= reach; ++k)
            sum += kernel[static_cast<std::size_t>(std::abs(k))] * in[(i + reach + k) * stride];
        out[i * outStride] = sum;
    }
}

}  // namespace

PhantomSource::PhantomSource(Phantom phantom, const ScanGeometry& geometry, double blurPx)
    : m_phantom(std::move(phantom)), m_geometry(geometry), m_kernel(halfGaussian(blurPx)) {
    m_info.views = geometry.views();
    m_info.rows = geometry.detector.rows;
    m_info.columns = geometry.detector.columns;
    m_info.format = "simulated, 32-bit float";
    m_info.readsRowsAlone = true;
    m_info.storedBytes =
        m_info.views * m_info.rows * m_info.columns * static_cast<Index>(sizeof(float));
}

void PhantomSource::readRows(Index view, IndexRange rows, std::span<std::byte> pixels) const {
    const std::span<float> out = {reinterpret_cast<float*>(pixels.data()),
                                  static_cast<std::size_t>(rows.size() * m_info.columns)};
    if (m_kernel.empty())
        projectPhantom(m_phantom, viewPose(m_geometry, view), m_geometry.detector, rows, out);
    else
        readBlurred(view, rows, out);
}

// Computes the view on a detector that is larger by the kernel's reach on every side.
void PhantomSource::readBlurred(Index view, IndexRange rows, std::span<float> out) const {
    const auto reach = static_cast<Index>(m_kernel.size()) - 1;
    Detector larger = m_geometry.detector;
    larger.columns += 2 * reach;
    larger.rows += 2 * reach;
    const Index columns = m_info.columns;
    const Index moreRows = rows.size() + 2 * reach;
    std::vector<float> sharp(static_cast<std::size_t>(moreRows * larger.columns));
    projectPhantom(m_phantom, viewPose(m_geometry, view), larger,
                   {rows.begin, rows.begin + moreRows}, sharp);
    std::vector<float> alongU(static_cast<std::size_t>(moreRows * columns));
    for (Index v = 0; v < moreRows; ++v)
        blurAlong(m_kernel, sharp.data() + v * larger.columns, 1, columns,
                  alongU.data() + v * columns, 1);
    for (Index u = 0; u < columns; ++u)
        blurAlong(m_kernel, alongU.data() + u, columns, rows.size(), out.data() + u, columns);
}

std::string PhantomSource::viewName(Index view) const {
    return fmt::format("simulated view {}", view);
}

}  // namespace gantry
