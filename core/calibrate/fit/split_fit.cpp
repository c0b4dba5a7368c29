#include "core/calibrate/fit/split_fit.h"

#include <algorithm>
#include <cmath>

namespace gantry {

namespace {

// The inverse of a symmetric matrix whose numbers have different units: scaled to a diagonal of 1.
std::optional<Matrix> scaledInverse(Matrix a) {
    const std::size_t n = a.size();
    std::vector<double> scale(n);
    for (std::size_t i = 0; i < n; ++i) {
        if (!(a[i][i] > 0)) return std::nullopt;
        scale[i] = 1 / std::sqrt(a[i][i]);
    }
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j)
            a[i][j] *= scale[i] * scale[j];
    std::optional<Matrix> result = inverse(std::move(a));
    if (!result) return std::nullopt;
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j)
            (*result)[i][j] *= scale[i] * scale[j];
    return result;
}

}  // namespace

SplitFit::SplitFit(std::size_t numbers, std::size_t balls)
    : m_square(squareMatrix(numbers)), m_right(numbers), m_balls(balls) {
    for (Ball& ball : m_balls)
        ball.mixed.resize(numbers);
}

void SplitFit::add(std::span<const double> ofNumbers, std::size_t ball,
                   const std::array<double, 3>& ofBall, double residual, double weight) {
    for (std::size_t i = 0; i < ofNumbers.size(); ++i) {
        m_right[i] -= weight * ofNumbers[i] * residual;
        for (std::size_t j = 0; j < ofNumbers.size(); ++j)
            m_square[i][j] += weight * ofNumbers[i] * ofNumbers[j];
    }
    if (m_balls.empty()) return;
    Ball& own = m_balls[ball];
    for (std::size_t k = 0; k < 3; ++k) {
        own.right[k] -= weight * ofBall[k] * residual;
        for (std::size_t l = 0; l < 3; ++l)
            own.square[k][l] += weight * ofBall[k] * ofBall[l];
        for (std::size_t i = 0; i < ofNumbers.size(); ++i)
            own.mixed[i][k] += weight * ofNumbers[i] * ofBall[k];
    }
}

// By cofactors; three numbers of one unit.
SplitFit::Small SplitFit::inverted(const Ball& ball, double damping) {
    Small a = ball.square;
    for (std::size_t k = 0; k < 3; ++k)
        a[k][k] *= 1 + damping;
    Small result{};
    for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t j = 0; j < 3; ++j) {
            const std::size_t i1 = (i + 1) % 3, i2 = (i + 2) % 3;
            const std::size_t j1 = (j + 1) % 3, j2 = (j + 2) % 3;
            result[j][i] = a[i1][j1] * a[i2][j2] - a[i1][j2] * a[i2][j1];
        }
    const double determinant =
        a[0][0] * result[0][0] + a[0][1] * result[1][0] + a[0][2] * result[2][0];
    for (auto& row : result)
        for (double& value : row)
            value /= determinant;
    return result;
}

Matrix SplitFit::reduced(double damping) const {
    const std::size_t n = m_right.size();
    Matrix square = m_square;
    for (std::size_t i = 0; i < n; ++i)
        square[i][i] *= 1 + damping;
    for (const Ball& ball : m_balls) {
        const Small inverse = inverted(ball, damping);
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t k = 0; k < 3; ++k) {
                double share = 0;
                for (std::size_t l = 0; l < 3; ++l)
                    share += ball.mixed[i][l] * inverse[l][k];
                for (std::size_t j = 0; j < n; ++j)
                    square[i][j] -= share * ball.mixed[j][k];
            }
    }
    return square;
}

std::optional<SplitFit::Step> SplitFit::solve(double damping) const {
    const std::size_t n = m_right.size();
    std::vector<double> right = m_right;
    for (const Ball& ball : m_balls) {
        const Small inverse = inverted(ball, damping);
        for (std::size_t k = 0; k < 3; ++k)
            for (std::size_t l = 0; l < 3; ++l)
                for (std::size_t i = 0; i < n; ++i)
                    right[i] -= ball.mixed[i][k] * inverse[k][l] * ball.right[l];
    }
    const std::optional<Matrix> solved = scaledInverse(reduced(damping));
    if (!solved) return std::nullopt;
    Step step{std::vector<double>(n), std::vector<std::array<double, 3>>(m_balls.size())};
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j)
            step.numbers[i] += (*solved)[i][j] * right[j];
    for (std::size_t b = 0; b < m_balls.size(); ++b) {
        const Small inverse = inverted(m_balls[b], damping);
        for (std::size_t k = 0; k < 3; ++k) {
            double left = m_balls[b].right[k];
            for (std::size_t i = 0; i < n; ++i)
                left -= m_balls[b].mixed[i][k] * step.numbers[i];
            for (std::size_t l = 0; l < 3; ++l)
                step.balls[b][l] += inverse[l][k] * left;
        }
    }
    return step;
}

std::optional<Matrix> SplitFit::covariance() const {
    return scaledInverse(reduced(0));
}

double SplitFit::varianceOf(std::span<const std::array<double, 3>> ofBalls) const {
    const std::size_t n = m_right.size();
    std::vector<double> ofNumbers(n);
    double variance = 0;
    for (std::size_t b = 0; b < m_balls.size(); ++b) {
        const Small inverse = inverted(m_balls[b], 0);
        for (std::size_t k = 0; k < 3; ++k)
            for (std::size_t l = 0; l < 3; ++l) {
                variance += ofBalls[b][k] * inverse[k][l] * ofBalls[b][l];
                for (std::size_t i = 0; i < n; ++i)
                    ofNumbers[i] += m_balls[b].mixed[i][k] * inverse[k][l] * ofBalls[b][l];
            }
    }
    const std::optional<Matrix> solved = covariance();
    for (std::size_t i = 0; solved && i < n; ++i)
        for (std::size_t j = 0; j < n; ++j)
            variance += ofNumbers[i] * (*solved)[i][j] * ofNumbers[j];
    return variance;
}

}  // namespace gantry
