#pragma once

#include <span>
#include <vector>

#include "core/base/types.h"
#include "core/simulate/simulate_scan.h"

namespace gantry {

/// What a detector with lag reads of views that come one after the other: a view's signal less the
/// share that comes later, and of each view before it (1 − e^(−1/n))·e^(−(k−1)/n) of that share,
/// where it was k views ago and n is LagFault::views. Before the first view the detector has seen
/// that one for long. One thread uses it. Tests: tests/core/simulate/faults_test.cpp
class LaggedSignal {
  public:
    explicit LaggedSignal(const LagFault& lag) : m_lag(lag) {}

    /// lineIntegrals: what the next view brings; becomes what is read. Of the same size each time.
    void read(std::span<float> lineIntegrals, int threads);

  private:
    LagFault m_lag;
    std::vector<double> m_later;  ///< of earlier views, what the next one still gets, a pixel each
};

}  // namespace gantry
