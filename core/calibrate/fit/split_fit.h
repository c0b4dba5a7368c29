#pragma once

#include <array>
#include <optional>
#include <span>
#include <vector>

namespace gantry {

/// Normal equations of a few numbers that all residuals depend on, and of three for each ball,
/// which only its own residuals depend on: these are eliminated (Schur's complement), so that the
/// whole costs little more than the few. Tests: tests/core/calibrate/circle_bundle_test.cpp
class SplitFit {
  public:
    /// A value of each number and of each ball's three: a step, or derivatives by them.
    struct Unknowns {
        std::vector<double> numbers;
        std::vector<std::array<double, 3>> balls;
    };

    /// balls: 0 where the residuals know none
    SplitFit(std::size_t numbers, std::size_t balls);

    /// A residual with its derivatives (`ofBall` is ignored where there are no balls).
    void add(std::span<const double> ofNumbers, std::size_t ball,
             const std::array<double, 3>& ofBall, double residual, double weight);

    /// The step that makes the squares of the residuals (residual + derivatives · step) least; the
    /// diagonal grows by `damping` of itself (Levenberg and Marquardt). None where it is not
    /// determined.
    [[nodiscard]] std::optional<Unknowns> solve(double damping) const;

    /// The variance of a value with these derivatives, where that of a residual of weight one is 1;
    /// derivatives that are left out at the end are 0. Infinite where it is not determined.
    [[nodiscard]] double varianceOf(Unknowns derivatives) const;

  private:
    [[nodiscard]] std::optional<Unknowns> solved(const Unknowns& right, double damping) const;

    // JᵀJ, column by column: of the numbers, of a ball, and of both.
    struct Ball {
        std::array<double, 9> square{};
        std::vector<double> mixed;  // [axis][number]
    };
    std::vector<double> m_square;
    std::vector<Ball> m_balls;
    Unknowns m_right;  // −Jᵀ · residuals
};

}  // namespace gantry
