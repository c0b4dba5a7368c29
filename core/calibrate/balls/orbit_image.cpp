#include <Eigen/Cholesky>
#include <cmath>

#include "core/calibrate/balls/ball_tracks.h"

namespace gantry {

std::optional<OrbitImage> OrbitImage::fit(const std::vector<double>& anglesRad,
                                          const std::vector<std::array<double, 2>>& points,
                                          std::array<double, 2> size) {
    using Row = Eigen::Matrix<double, 8, 1>;
    // Errors relative to half a detector; and the usual size of the denominator's terms, without
    // which a short arc could give any result.
    constexpr double kPointError = 1e-3;
    constexpr double kUsualTerm = 0.3;
    constexpr double kRidge = (kPointError / kUsualTerm) * (kPointError / kUsualTerm);
    if (points.size() < 5) return std::nullopt;
    OrbitImage orbit;
    orbit.m_size = size;
    Eigen::Matrix<double, 8, 8> normal = Row(0, 0, 0, 0, 0, 0, kRidge, kRidge).asDiagonal();
    Row right = Row::Zero();
    for (std::size_t i = 0; i < points.size(); ++i) {
        const double c = std::cos(anglesRad[i]);
        const double s = std::sin(anglesRad[i]);
        const double u = 2 * points[i][0] / size[0] - 1;
        const double v = 2 * points[i][1] / size[0] - size[1] / size[0];
        const Row ofU(1, c, s, 0, 0, 0, -u * c, -u * s);
        const Row ofV(0, 0, 0, 1, c, s, -v * c, -v * s);
        normal += ofU * ofU.transpose() + ofV * ofV.transpose();
        right += u * ofU + v * ofV;
    }
    const Eigen::LDLT<Eigen::Matrix<double, 8, 8>> solved(normal);
    if (!(solved.vectorD().minCoeff() > 0)) return std::nullopt;
    Row::Map(orbit.m_numbers.data()) = solved.solve(right);
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
