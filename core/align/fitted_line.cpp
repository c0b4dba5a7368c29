#include "core/align/fitted_line.h"

#include <cmath>
#include <numeric>

namespace gantry {

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
