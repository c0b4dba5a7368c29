#include "core/base/lane_transform.h"

#include <cmath>
#include <numbers>

namespace gantry {

// Factors the length into radix passes, and makes the twiddle factors of each.
LanePasses::LanePasses(Index points) {
    int length = static_cast<int>(points);
    for (const int radix : {5, 3, 4, 2}) {
        for (; length % radix == 0; length /= radix) {
            std::vector<float> twiddles;
            for (int j = 0; j < length / radix; ++j) {
                for (int q = 1; q < radix; ++q) {
                    const double angle = -2 * std::numbers::pi * j * q / length;
                    twiddles.push_back(static_cast<float>(std::cos(angle)));
                    twiddles.push_back(static_cast<float>(std::sin(angle)));
                }
            }
            m_twiddles.push_back(std::move(twiddles));
            m_stages.push_back({radix, length, m_twiddles.back().data()});
        }
    }
}

Index LanePasses::positionOf(Index k) const {
    Index position = 0;
    for (const LaneStage& stage : m_stages) {
        position += k % stage.radix * (stage.length / stage.radix);
        k /= stage.radix;
    }
    return position;
}

}  // namespace gantry
