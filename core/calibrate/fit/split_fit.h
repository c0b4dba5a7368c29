#pragma once

#include <array>
#include <optional>
#include <span>
#include <vector>

#include "core/align/small_fit.h"

namespace gantry {

/// Normal equations of a few numbers that all residuals depend on, and of three for each ball,
/// which only its own residuals depend on: these are eliminated (Schur's complement), so that the
/// whole costs little more than the few. Tests: tests/core/calibrate/circle_bundle_test.cpp
class SplitFit {
  public:
    /// balls: 0 where the residuals know none
    SplitFit(std::size_t numbers, std::size_t balls);

    /// A residual with its derivatives (`ofBall` is ignored where there are no balls).
    void add(std::span<const double> ofNumbers, std::size_t ball,
             const std::array<double, 3>& ofBall, double residual, double weight);

    struct Step {
        std::vector<double> numbers;
        std::vector<std::array<double, 3>> balls;
    };
    /// What makes the squares of the residuals (residual + derivatives · step) least; the diagonal
    /// grows by `damping` of itself (Levenberg and Marquardt). None where it is not determined.
    [[nodiscard]] std::optional<Step> solve(double damping) const;

    /// (JᵀJ)⁻¹ of the numbers, whatever the balls are. None where they are not determined.
    [[nodiscard]] std::optional<Matrix> covariance() const;
    /// The variance of a value that has these derivatives by the balls' places.
    /// ofBalls: [ball]
    [[nodiscard]] double varianceOf(std::span<const std::array<double, 3>> ofBalls) const;

  private:
    struct Ball {
        std::array<std::array<double, 3>, 3> square{};
        std::vector<std::array<double, 3>> mixed;  // [number]
        std::array<double, 3> right{};
    };
    using Small = std::array<std::array<double, 3>, 3>;
    [[nodiscard]] static Small inverted(const Ball& ball, double damping);
    /// The equations of the numbers only, with the balls eliminated.
    [[nodiscard]] Matrix reduced(double damping) const;

    Matrix m_square;
    std::vector<double> m_right;
    std::vector<Ball> m_balls;
};

}  // namespace gantry
