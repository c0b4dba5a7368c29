#include "core/filter/row_convolver.h"

#include <cmath>
#include <complex>
#include <kissfft/kissfft.hh>

#include "core/base/error.h"
#include "core/filter/ramp_kernel.h"
#include "core/geometry/vec3.h"

namespace gantry {

std::vector<const LaneKernel*> supportedLaneKernels() {
    std::vector<const LaneKernel*> kernels = {portableLaneKernel()};
#if defined(__x86_64__)
    if (avx2LaneKernel() && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        kernels.push_back(avx2LaneKernel());
    if (avx512LaneKernel() && __builtin_cpu_supports("avx512f"))
        kernels.push_back(avx512LaneKernel());
#endif
    return kernels;
}

RowConvolver::RowConvolver(const LaneKernel& kernel, Index columns,
                           std::span<const double> response)
    : m_kernel(&kernel),
      m_columns(columns),
      m_length(paddedLength(columns) / 2),
      m_passes(m_length) {
    require(std::ssize(response) == 2 * m_length,
            "the filter's response does not have the length of the padded row");
    setResponse(response);
    m_twist.reserve(2 * static_cast<std::size_t>(columns));
    for (Index j = 0; j < columns; ++j) {
        const double angle = kPi * static_cast<double>(j) / (2 * static_cast<double>(m_length));
        m_twist.push_back(static_cast<float>(std::cos(angle)));
        m_twist.push_back(static_cast<float>(std::sin(angle)));
    }
    m_tables = {static_cast<int>(columns), static_cast<int>(m_length), m_passes.count(),
                m_passes.stages(),         m_response.data(),          m_twist.data()};
}

void RowConvolver::setResponse(std::span<const double> response) {
    using Complex = std::complex<double>;
    std::vector<Complex> spectrum(response.begin(), response.end());
    std::vector<Complex> kernel(response.size());
    const kissfft<double> inverse(response.size(), true);
    inverse.transform(spectrum.data(), kernel.data());

    // Samples the even kernel's spectrum at the frequencies (k + 1/4)/m_length, where the twisted
    // transform of the rows has its points. Kernel samples from `columns` on are left out, because
    // no two pixels of a row are that far apart.
    const auto n = static_cast<std::size_t>(m_length);
    const double scale = 1 / static_cast<double>(response.size());
    std::vector<Complex> half(n);
    for (std::size_t j = 1; j < static_cast<std::size_t>(m_columns); ++j)
        half[j] = kernel[j].real() * scale *
                  std::polar(1.0, -kPi * static_cast<double>(j) / (2 * static_cast<double>(n)));
    std::vector<Complex> between(n);
    const kissfft<double> forward(n, false);
    forward.transform(half.data(), between.data());
    m_response.resize(n);
    for (std::size_t k = 0; k < n; ++k) {
        const double value = kernel[0].real() * scale + 2 * between[k].real();
        m_response[m_passes.positionOf(static_cast<Index>(k))] =
            static_cast<float>(value / static_cast<double>(n));
    }
}

}  // namespace gantry
