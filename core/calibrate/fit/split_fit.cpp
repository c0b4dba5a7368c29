#include "core/calibrate/fit/split_fit.h"

#include <Eigen/Cholesky>
#include <limits>

namespace gantry {

namespace {

using Eigen::Map, Eigen::Matrix3d, Eigen::MatrixXd, Eigen::Vector3d, Eigen::VectorXd;
// Products of this type are written as lazyProduct(): code for large matrices takes long to
// compile.
using Mixed = Eigen::Matrix<double, Eigen::Dynamic, 3>;

}  // namespace

SplitFit::SplitFit(std::size_t numbers, std::size_t balls)
    : m_square(numbers * numbers), m_balls(balls) {
    for (Ball& ball : m_balls)
        ball.mixed.resize(3 * numbers);
    m_right.numbers.resize(numbers);
    m_right.balls.resize(balls);
}

void SplitFit::add(std::span<const double> ofNumbers, std::size_t ball,
                   const std::array<double, 3>& ofBall, double residual, double weight) {
    const auto n = std::ssize(ofNumbers);
    const Map<const VectorXd> few(ofNumbers.data(), n);
    Map<MatrixXd>(m_square.data(), n, n) += weight * few * few.transpose();
    Map<VectorXd>(m_right.numbers.data(), n) -= weight * residual * few;
    if (m_balls.empty()) return;
    const Map<const Vector3d> own(ofBall.data());
    Map<Matrix3d>(m_balls[ball].square.data()) += weight * own * own.transpose();
    Map<Mixed>(m_balls[ball].mixed.data(), n, 3) += weight * few * own.transpose();
    Map<Vector3d>(m_right.balls[ball].data()) -= weight * residual * own;
}

std::optional<SplitFit::Unknowns> SplitFit::solved(const Unknowns& right, double damping) const {
    const auto n = std::ssize(right.numbers);
    MatrixXd square = Map<const MatrixXd>(m_square.data(), n, n);
    VectorXd rest = Map<const VectorXd>(right.numbers.data(), n);
    square.diagonal() *= 1 + damping;
    std::vector<Matrix3d> inverses;
    for (std::size_t b = 0; b < m_balls.size(); ++b) {
        Matrix3d own = Map<const Matrix3d>(m_balls[b].square.data());
        own.diagonal() *= 1 + damping;
        const Eigen::LDLT<Matrix3d> ball(own);
        if (!(ball.vectorD().minCoeff() > 0)) return std::nullopt;
        Matrix3d& inverse = inverses.emplace_back();
        for (int k = 0; k < 3; ++k)
            inverse.col(k) = ball.solve(Vector3d::Unit(k));
        const Map<const Mixed> mixed(m_balls[b].mixed.data(), n, 3);
        const Mixed share = mixed.lazyProduct(inverse);
        square -= share.lazyProduct(mixed.transpose());
        rest -= share.lazyProduct(Map<const Vector3d>(right.balls[b].data()));
    }
    if (!(square.diagonal().array() > 0).all()) return std::nullopt;
    Unknowns found = right;
    Map<VectorXd> numbers(found.numbers.data(), n);
    numbers = square.ldlt().solve(rest);
    for (std::size_t b = 0; b < m_balls.size(); ++b) {
        Map<Vector3d> ball(found.balls[b].data());
        const Map<const Mixed> mixed(m_balls[b].mixed.data(), n, 3);
        ball = inverses[b] * (ball - mixed.transpose().lazyProduct(numbers));
    }
    return found;
}

std::optional<SplitFit::Unknowns> SplitFit::solve(double damping) const {
    return solved(m_right, damping);
}

double SplitFit::varianceOf(Unknowns derivatives) const {
    derivatives.numbers.resize(m_right.numbers.size());
    derivatives.balls.resize(m_right.balls.size());
    constexpr double kUndetermined = std::numeric_limits<double>::infinity();
    const auto moved = solved(derivatives, 0);
    if (!moved) return kUndetermined;
    double variance = 0;
    for (std::size_t i = 0; i < moved->numbers.size(); ++i)
        variance += derivatives.numbers[i] * moved->numbers[i];
    for (std::size_t b = 0; b < moved->balls.size(); ++b)
        for (std::size_t k = 0; k < 3; ++k)
            variance += derivatives.balls[b][k] * moved->balls[b][k];
    // Where the scan does not determine the value, rounding alone makes the variance, which may
    // then be negative.
    return variance >= 0 ? variance : kUndetermined;
}

}  // namespace gantry
