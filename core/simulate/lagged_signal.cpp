#include "core/simulate/lagged_signal.h"

#include <cmath>

#include "core/base/parallel.h"

namespace gantry {

void LaggedSignal::read(std::span<float> lineIntegrals, int threads) {
    constexpr Index kPixelsAtOnce = 10'000;
    const double fading = std::exp(-1 / m_lag.views);
    const bool isFirst = m_later.empty();
    m_later.resize(lineIntegrals.size());
    parallelFor(threads, std::ssize(lineIntegrals), kPixelsAtOnce,
                [&](Index begin, Index end, int) {
                    for (Index i = begin; i < end; ++i) {
                        const double signal = std::exp(-static_cast<double>(lineIntegrals[i]));
                        if (isFirst) m_later[i] = m_lag.share * signal;
                        lineIntegrals[i] =
                            static_cast<float>(-std::log((1 - m_lag.share) * signal + m_later[i]));
                        m_later[i] = m_lag.share * (1 - fading) * signal + fading * m_later[i];
                    }
                });
}

}  // namespace gantry
