#include <cstddef>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/iterate/iteration_steps.h"

namespace gantry {

namespace {

class CglsSteps final : public IterationSteps {
  public:
    CglsSteps(IterationSpace& space, const IterativeMethod& method)
        : m_space(space),
          m_useCounts(method.useCounts),
          m_modelError(method.stop.modelError),
          m_volume(space.make(VectorKind::volume)),
          m_direction(space.make(VectorKind::volume)),
          m_gradient(space.make(VectorKind::volume)),
          m_residual(space.make(VectorKind::views, space.shape().views)),
          m_projected(space.make(VectorKind::views, space.shape().views)) {
        for (Index i = 3; i < vectorsOf(method).volumes; ++i)
            m_kept.push_back(space.make(VectorKind::volume));
        m_keptSquares.resize(m_kept.size());
    }

    [[nodiscard]] Preparation preparation() const override {
        constexpr float kInfinity = std::numeric_limits<float>::infinity();
        return {.weights = m_useCounts ? RowWeights::counts : RowWeights::one,
                .bounds = {-kInfinity, kInfinity},
                .modelError = m_modelError};
    }

    [[nodiscard]] std::vector<NamedVector> vectors() override {
        std::vector<NamedVector> all = {{"volume", m_volume.get()},
                                        {"direction", m_direction.get()},
                                        {"residual", m_residual.get()}};
        for (std::size_t i = 0; i < m_kept.size(); ++i)
            all.push_back({"gradient" + std::to_string(i + 1), m_kept[i].get()});
        return all;
    }

    void begin(const std::stop_token& stop) override {
        const IndexRange all = {0, m_space.shape().views};
        m_space.residual(*m_volume, all, *m_residual, stop);
        m_keptCount = 0;
        makeGradient(stop);
        m_space.combine(1, *m_gradient, 0, *m_direction);
    }

    void step(const PreparedViews& views, IterationReport& report,
              const std::stop_token& stop) override {
        m_space.project(*m_direction, *m_projected, stop);
        const double squares = m_space.dot(*m_projected, *m_projected);
        // Both are 0 once nothing is left to gain.
        const double alpha = squares > 0 ? m_gradientSquares / squares : 0;
        m_space.combine(alpha, *m_direction, 1, *m_volume);
        m_space.combine(-alpha, *m_projected, 1, *m_residual);
        reportResidual(m_space.sumsOf(*m_residual), views, report);
        const double before = m_gradientSquares;
        makeGradient(stop);
        m_space.combine(1, *m_gradient, before > 0 ? m_gradientSquares / before : 0, *m_direction);
    }

    [[nodiscard]] StateNumbers numbers() const override {
        StateNumbers numbers = {m_gradientSquares, static_cast<double>(m_keptCount)};
        numbers.insert(numbers.end(), m_keptSquares.begin(), m_keptSquares.end());
        return numbers;
    }
    void setNumbers(const StateNumbers& numbers) override {
        const bool isPossible = numbers[1] >= 0 && numbers[1] <= static_cast<double>(m_kept.size());
        if (!isPossible) throw InputError("The stored state is not one of CGLS.");
        m_gradientSquares = numbers[0];
        m_keptCount = static_cast<std::size_t>(numbers[1]);
        m_keptSquares.assign(numbers.begin() + 2, numbers.end());
    }

  private:
    // In exact arithmetic it is orthogonal to all before. Rounding brings back what the first ones
    // have removed, the components of the largest singular values, and these grow from then on.
    void makeGradient(const std::stop_token& stop) {
        m_space.adjoint(*m_residual, *m_gradient, stop);
        for (std::size_t i = 0; i < m_keptCount; ++i) {
            const double share = m_space.dot(*m_gradient, *m_kept[i]) / m_keptSquares[i];
            m_space.combine(-share, *m_kept[i], 1, *m_gradient);
        }
        m_gradientSquares = m_space.dot(*m_gradient, *m_gradient);
        if (m_keptCount == m_kept.size() || !(m_gradientSquares > 0)) return;
        m_space.combine(1, *m_gradient, 0, *m_kept[m_keptCount]);
        m_keptSquares[m_keptCount++] = m_gradientSquares;
    }

    IterationSpace& m_space;
    bool m_useCounts;
    double m_modelError;
    std::unique_ptr<IterationVector> m_volume;
    std::unique_ptr<IterationVector> m_direction;
    std::unique_ptr<IterationVector> m_gradient;
    std::unique_ptr<IterationVector> m_residual;
    std::unique_ptr<IterationVector> m_projected;  // the direction's views
    std::vector<std::unique_ptr<IterationVector>> m_kept;
    std::vector<double> m_keptSquares;
    std::size_t m_keptCount = 0;
    double m_gradientSquares = 0;
};

}  // namespace

std::unique_ptr<IterationSteps> makeCglsSteps(IterationSpace& space,
                                              const IterativeMethod& method) {
    return std::make_unique<CglsSteps>(space, method);
}

}  // namespace gantry
