#include <cmath>

#include "core/align/small_fit.h"
#include "core/calibrate/balls/ball_tracks.h"

namespace gantry {

std::optional<OrbitImage> OrbitImage::fit(const std::vector<double>& anglesRad,
                                          const std::vector<std::array<double, 2>>& points,
                                          std::array<double, 2> size) {
    constexpr std::size_t kUnknowns = 8;
    // Errors relative to half a detector; and the usual size of the denominator's terms, without
    // which a short arc could give any result.
    constexpr double kPointError = 1e-3;
    constexpr double kUsualTerm = 0.3;
    if (points.size() < 5) return std::nullopt;
    OrbitImage orbit;
    orbit.m_size = size;
    Matrix normal = squareMatrix(kUnknowns);
    std::array<double, kUnknowns> right{};
    for (std::size_t i = 0; i < points.size(); ++i) {
        const double c = std::cos(anglesRad[i]);
        const double s = std::sin(anglesRad[i]);
        const double u = 2 * points[i][0] / size[0] - 1;
        const double v = 2 * points[i][1] / size[0] - size[1] / size[0];
        const std::array<double, kUnknowns> ofU = {1, c, s, 0, 0, 0, -u * c, -u * s};
        const std::array<double, kUnknowns> ofV = {0, 0, 0, 1, c, s, -v * c, -v * s};
        for (std::size_t p = 0; p < kUnknowns; ++p) {
            right[p] += ofU[p] * u + ofV[p] * v;
            for (std::size_t q = 0; q < kUnknowns; ++q)
                normal[p][q] += ofU[p] * ofU[q] + ofV[p] * ofV[q];
        }
    }
    constexpr double kRidge = (kPointError / kUsualTerm) * (kPointError / kUsualTerm);
    normal[6][6] += kRidge;
    normal[7][7] += kRidge;
    const auto solved = inverse(normal);
    if (!solved) return std::nullopt;
    for (std::size_t p = 0; p < kUnknowns; ++p)
        for (std::size_t q = 0; q < kUnknowns; ++q)
            orbit.m_numbers[p] += (*solved)[p][q] * right[q];
    return orbit;
}

std::array<double, 2> OrbitImage::at(double angleRad) const {
    const auto& n = m_numbers;
    const double c = std::cos(angleRad);
    const double s = std::sin(angleRad);
    const double w = 1 + n[6] * c + n[7] * s;
    const double u = (n[0] + n[1] * c + n[2] * s) / w;
    const double v = (n[3] + n[4] * c + n[5] * s) / w;
    return {(u + 1) * m_size[0] / 2, (v + m_size[1] / m_size[0]) * m_size[0] / 2};
}

}  // namespace gantry
