#include <cmath>
#include <memory>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "core/iterate/iteration_steps.h"
#include "core/iterate/subsets.h"

namespace gantry {

namespace {

// SIRT, OS-SART and TV.
class SubsetSteps final : public IterationSteps {
  public:
    SubsetSteps(IterationSpace& space, const IterativeMethod& method)
        : m_space(space),
          m_method(method),
          m_subsets(space.shape().views, subsetCount(method, space.shape().views)),
          m_volume(space.make(VectorKind::volume)),
          m_residual(space.make(VectorKind::views, m_subsets.largest())) {
        if (const auto* sirt = std::get_if<Sirt>(&method.kind)) {
            m_relaxation = sirt->relaxation;
            if (sirt->isAccelerated) m_previous = space.make(VectorKind::volume);
        }
        if (const auto* osSart = std::get_if<OsSart>(&method.kind)) {
            m_relaxation = osSart->relaxation;
            m_relaxationFactor = osSart->relaxationFactor;
        }
        if (const auto* tv = std::get_if<TotalVariation>(&method.kind)) {
            m_relaxation = tv->relaxation;
            m_strength = tv->strength;
            m_tv = *tv;
            m_dual = space.make(VectorKind::gradient);
        }
    }

    [[nodiscard]] Preparation preparation() const override {
        return {.weights = m_method.useCounts ? RowWeights::counts : RowWeights::chord,
                .subsets = m_subsets.count(),
                .hasColumnWeights = true,
                .bounds = m_method.bounds,
                .modelError = m_method.stop.modelError};
    }

    [[nodiscard]] std::vector<NamedVector> vectors() override {
        std::vector<NamedVector> all = {{"volume", m_volume.get()}};
        if (m_previous) all.push_back({"previous", m_previous.get()});
        if (m_dual) all.push_back({"dual", m_dual.get()});
        return all;
    }

    void begin(const std::stop_token& /*stop*/) override { m_momentum = 1; }

    void step(const PreparedViews& views, IterationReport& report,
              const std::stop_token& stop) override {
        const auto pass = static_cast<double>(report.iteration - 1);
        const double omega = m_relaxation * std::pow(m_relaxationFactor, pass);
        if (m_previous) moveAhead();
        ResidualSums sums;
        for (Index m = 0; m < m_subsets.count(); ++m) {
            const IndexRange range = m_subsets.range(m);
            sums += m_space.residual(*m_volume, range, *m_residual, stop);
            m_space.update(*m_volume, omega, *m_residual, range, stop);
        }
        reportResidual(sums, views, report);
        if (m_strength <= 0 && m_tv)
            m_strength = usualStrength(m_subsets.count(), relativeNoise(views, sums));
        if (m_tv) flatten(views, report, stop);
    }

    [[nodiscard]] StateNumbers numbers() const override { return {m_strength, m_momentum}; }
    void setNumbers(const StateNumbers& numbers) override {
        m_strength = numbers[0];
        m_momentum = numbers[1];
    }

  private:
    // volume ← volume + β·(volume − previous), previous ← volume
    void moveAhead() {
        const double next = (1 + std::sqrt(1 + 4 * m_momentum * m_momentum)) / 2;
        const double beta = (m_momentum - 1) / next;
        m_space.combine(1 + beta, *m_volume, -beta, *m_previous);
        std::swap(m_volume, m_previous);
        m_momentum = next;
    }

    // The mean variance of the used rays over their mean square; 0 where counts are not known. A
    // residual of a pass over the subsets is no measure of the noise itself, as each subset's is
    // one of views that the volume has not seen last: it grows where the others are fitted too
    // closely.
    [[nodiscard]] static double relativeNoise(const PreparedViews& views,
                                              const ResidualSums& sums) {
        if (sums.chiSquares <= 0 || views.weightedSquares <= 0) return 0;
        const double variance = sums.weightedSquares / sums.chiSquares;
        return variance * static_cast<double>(views.usedRays) / views.weightedSquares;
    }

    void flatten(const PreparedViews& views, IterationReport& report, const std::stop_token& stop) {
        report.strength = m_strength;
        const double weight = m_strength * views.level;
        if (weight > 0)
            report.variation =
                m_space.flatten(*m_volume, *m_dual, weight, m_tv->flatteningSteps, stop);
    }

    IterationSpace& m_space;
    IterativeMethod m_method;
    Subsets m_subsets;
    std::optional<TotalVariation> m_tv;
    double m_relaxation = 1;
    double m_relaxationFactor = 1;
    double m_strength = 0;
    double m_momentum = 1;
    std::unique_ptr<IterationVector> m_volume;
    std::unique_ptr<IterationVector> m_previous;  // where it is accelerated
    std::unique_ptr<IterationVector> m_residual;  // of a subset
    std::unique_ptr<IterationVector> m_dual;      // of TV alone
};

}  // namespace

std::unique_ptr<IterationSteps> makeSubsetSteps(IterationSpace& space,
                                                const IterativeMethod& method) {
    return std::make_unique<SubsetSteps>(space, method);
}

}  // namespace gantry
