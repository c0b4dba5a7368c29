#pragma once

#include <vector>

#include "core/base/types.h"

namespace gantry {

/// One radix pass of the transform of rows in SIMD lanes: blocks of `length` points split into
/// `radix` shorter ones.
struct LaneStage {
    int radix = 0;
    int length = 0;
    const float* twiddles = nullptr;  ///< [j][q−1][2]: w^{jq} = e^{−2πi·jq/length}, q = 1 … radix−1
};

/// The passes of a complex transform in SIMD lanes (lane_transform_impl.h).
/// Tests: tests/core/filter/row_convolver_test.cpp, tests/core/prep/phase_retrieval_test.cpp
class LanePasses {
  public:
    /// points: their number, without a prime factor above 5
    explicit LanePasses(Index points);
    LanePasses(LanePasses&&) = default;
    LanePasses& operator=(LanePasses&&) = default;

    [[nodiscard]] const LaneStage* stages() const { return m_stages.data(); }
    [[nodiscard]] int count() const { return static_cast<int>(m_stages.size()); }
    /// The index at which the transform stores frequency k.
    [[nodiscard]] Index positionOf(Index k) const;

  private:
    std::vector<std::vector<float>> m_twiddles;  ///< [stage]: LaneStage::twiddles
    std::vector<LaneStage> m_stages;
};

}  // namespace gantry
