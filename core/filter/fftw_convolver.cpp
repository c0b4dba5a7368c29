#include "core/filter/fftw_convolver.h"

#include <fftw3.h>

#include <algorithm>
#include <cmath>
#include <mutex>

#include "core/base/error.h"
#include "core/base/host_buffer.h"
#include "core/filter/ramp_kernel.h"

namespace gantry {

namespace {

// FFTW's planner is one for the whole program and may be used by one thread at a time.
std::mutex plannerMutex;

}  // namespace

void FftwConvolver::PlanDeleter::operator()(fftwf_plan_s* plan) const noexcept {
    const std::scoped_lock lock(plannerMutex);
    fftwf_destroy_plan(plan);
}

FftwConvolver::FftwConvolver(Index columns, std::span<const double> response)
    : m_columns(columns), m_length(paddedLength(columns)) {
    require(static_cast<Index>(response.size()) == m_length,
            "the filter's response does not have the length of the padded row");
    for (Index k = 0; k <= m_length / 2; ++k)
        m_response.push_back(static_cast<float>(response[static_cast<std::size_t>(k)] /
                                                static_cast<double>(m_length)));

    // A measured plan is a third faster, but another one in the next run: a run that is resumed
    // must give the bits of one that was not interrupted.
    HostBuffer<float> row(scratchFloats());
    auto* spectrum = reinterpret_cast<fftwf_complex*>(row.data());
    const int length = static_cast<int>(m_length);
    const std::scoped_lock lock(plannerMutex);
    m_forward.reset(fftwf_plan_dft_r2c_1d(length, row.data(), spectrum, FFTW_ESTIMATE));
    m_inverse.reset(fftwf_plan_dft_c2r_1d(length, spectrum, row.data(), FFTW_ESTIMATE));
    require(m_forward && m_inverse, "FFTW has no plan for the padded row");
}

void FftwConvolver::filter(const LaneRows& rows) const {
    float* row = rows.scratch;
    auto* spectrum = reinterpret_cast<fftwf_complex*>(row);
    for (Index u = 0; u < m_columns; ++u)
        row[u] = rows.first[u] * (rows.scale[u] / std::sqrt(rows.squareV[0] + rows.squareU[u]));
    std::fill(row + m_columns, row + m_length, 0.0f);
    fftwf_execute_dft_r2c(m_forward.get(), row, spectrum);
    for (Index k = 0; k <= m_length / 2; ++k) {
        row[2 * k] *= m_response[static_cast<std::size_t>(k)];
        row[2 * k + 1] *= m_response[static_cast<std::size_t>(k)];
    }
    fftwf_execute_dft_c2r(m_inverse.get(), spectrum, row);
    std::copy_n(row, m_columns, rows.first);
}

}  // namespace gantry
