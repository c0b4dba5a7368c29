#pragma once

#include <memory>
#include <stop_token>
#include <vector>

#include "core/iterate/iteration.h"

namespace gantry {

/// What one family of methods does in an iteration. Iteration does what all have in common.
class IterationSteps {
  public:
    virtual ~IterationSteps() = default;

    [[nodiscard]] virtual Preparation preparation() const = 0;
    /// The volume comes first.
    [[nodiscard]] virtual std::vector<NamedVector> vectors() = 0;
    /// From what the volume holds.
    virtual void begin(const std::stop_token& stop) = 0;
    /// One iteration, of which it reports all but the change and the stop. report: of the one
    /// before, with the new number
    virtual void step(const PreparedViews& views, IterationReport& report,
                      const std::stop_token& stop) = 0;
    [[nodiscard]] virtual StateNumbers numbers() const = 0;
    /// numbers: as many as numbers() gives
    virtual void setNumbers(const StateNumbers& numbers) = 0;
};

[[nodiscard]] std::unique_ptr<IterationSteps> makeSubsetSteps(IterationSpace& space,
                                                              const IterativeMethod& method);
[[nodiscard]] std::unique_ptr<IterationSteps> makeCglsSteps(IterationSpace& space,
                                                            const IterativeMethod& method);

/// Puts the sums of residuals into the report.
void reportResidual(const ResidualSums& sums, const PreparedViews& views, IterationReport& report);

}  // namespace gantry
