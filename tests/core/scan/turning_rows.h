#pragma once

#include <cmath>
#include <functional>
#include <random>
#include <vector>

#include "core/scan/inspect/sinogram.h"
#include "tests/support/random_values.h"

namespace gantry::test {

/// The rows of parallel rays through three smooth rods that turn about the middle, over a half
/// turn: one row a view.
struct TurningRows {
    Index views = 90;
    Index columns = 128;
    double noise = 0.002;
    /// How far view s is shifted, in columns.
    std::function<double(Index)> shift = [](Index) { return 0.0; };
    /// What is added to view s at x, from −1 to 1 over the columns.
    std::function<double(Index, double)> beam = [](Index, double) { return 0.0; };

    [[nodiscard]] double angleDeg(Index s) const {
        return 180 * static_cast<double>(s) / static_cast<double>(views);
    }
    [[nodiscard]] std::vector<std::vector<double>> made() const {
        struct Rod {
            double distance, atDeg, width, level;
        };
        const Rod rods[] = {{3, 20, 14, 0.5}, {17, 75, 3, 0.3}, {24, 190, 2.5, 0.2}};
        std::mt19937 random(11);
        NormalValues<double> apart(noise);
        std::vector<std::vector<double>> rows;
        for (Index s = 0; s < views; ++s) {
            std::vector<double>& row = rows.emplace_back();
            for (Index u = 0; u < columns; ++u) {
                const double at = static_cast<double>(u) - static_cast<double>(columns - 1) / 2;
                double value = beam(s, 2 * at / static_cast<double>(columns - 1)) + apart(random);
                for (const Rod& rod : rods) {
                    const double angle = radians(angleDeg(s) - rod.atDeg);
                    const double away =
                        (at - shift(s) - rod.distance * std::cos(angle)) / rod.width;
                    value += rod.level * std::exp(-away * away / 2);
                }
                row.push_back(value);
            }
        }
        return rows;
    }
    /// The rows, in the order of this list of views.
    [[nodiscard]] Sinogram sinogram(const std::vector<Index>& order) const {
        const std::vector<std::vector<double>> rows = made();
        std::vector<double> anglesDeg;
        std::vector<float> values;
        for (Index s = 0; s < views; ++s) {
            anglesDeg.push_back(angleDeg(s));
            for (const double value : rows[order[s]])
                values.push_back(static_cast<float>(value));
        }
        return {anglesDeg, std::move(values), 1, 180 / static_cast<double>(views)};
    }
};

}  // namespace gantry::test
