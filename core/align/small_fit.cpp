#include "core/align/small_fit.h"

#include <cmath>
#include <numeric>
#include <utility>

namespace gantry {

Matrix squareMatrix(std::size_t n) {
    return Matrix(n, std::vector<double>(n));
}

// By Gauss and Jordan, with pivots.
std::optional<Matrix> inverse(Matrix a) {
    const std::size_t n = a.size();
    Matrix result = squareMatrix(n);
    for (std::size_t i = 0; i < n; ++i)
        result[i][i] = 1;
    for (std::size_t i = 0; i < n; ++i) {
        std::size_t pivot = i;
        for (std::size_t k = i + 1; k < n; ++k)
            if (std::abs(a[k][i]) > std::abs(a[pivot][i])) pivot = k;
        if (!(std::abs(a[pivot][i]) > 1e-300)) return std::nullopt;
        std::swap(a[i], a[pivot]);
        std::swap(result[i], result[pivot]);
        const double factor = 1 / a[i][i];
        for (std::size_t c = 0; c < n; ++c) {
            a[i][c] *= factor;
            result[i][c] *= factor;
        }
        for (std::size_t k = 0; k < n; ++k) {
            if (k == i) continue;
            const double share = a[k][i];
            for (std::size_t c = 0; c < n; ++c) {
                a[k][c] -= share * a[i][c];
                result[k][c] -= share * result[i][c];
            }
        }
    }
    return result;
}

FittedLine fittedLine(std::span<const double> x, std::span<const double> y,
                      std::span<const double> weights) {
    FittedLine line;
    const double all = std::accumulate(weights.begin(), weights.end(), 0.0);
    for (std::size_t i = 0; i < x.size(); ++i) {
        line.meanX += weights[i] * x[i] / all;
        line.meanY += weights[i] * y[i] / all;
    }
    double spread = 0;
    double common = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        spread += weights[i] * (x[i] - line.meanX) * (x[i] - line.meanX);
        common += weights[i] * (x[i] - line.meanX) * (y[i] - line.meanY);
    }
    line.slope = spread > 0 ? common / spread : 0;
    line.atZero = line.meanY - line.slope * line.meanX;
    double squares = 0;
    for (std::size_t i = 0; i < x.size(); ++i)
        squares += weights[i] * std::pow(y[i] - line.atZero - line.slope * x[i], 2);
    const auto n = static_cast<double>(x.size());
    const double variance = squares / (n - 2);  // of a point of weight one
    line.scatter = std::sqrt(variance * n / all);
    line.slopeDeviation = std::sqrt(variance / spread);
    line.meanDeviation = std::sqrt(variance / all);
    return line;
}

}  // namespace gantry
