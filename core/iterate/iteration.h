#pragma once

#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/types.h"
#include "core/iterate/iteration_space.h"
#include "core/iterate/method.h"

namespace gantry {

enum class StopReason { none, iterations, chiSquare, change };

/// Max slices in which a change is measured, which an Iteration keeps twice.
inline constexpr Index kSampledSlices = 16;

/// What an iteration has done.
struct IterationReport {
    Index iteration = 0;  ///< from 1
    /// √(Σ M r² / Σ M b²), of the volume before this iteration for SIRT, in the course of the pass
    /// for ordered subsets, after it for CGLS.
    double residual = 0;
    double change = 0;     ///< |Δx|/|x|, in kSampledSlices spread over the volume
    double chiSquare = 0;  ///< of the same volume as the residual; 0 where counts are not known
    double variation = 0;  ///< Σ|∇x| after a TV iteration, in 1/mm; else 0
    double strength = 0;   ///< of TV in this iteration; else 0
    StopReason stop = StopReason::none;  ///< why no further iteration is due
};

/// A vector of a state, by a name that is also fit for a file.
struct NamedVector {
    std::string name;
    IterationVector* vector = nullptr;
};

/// The numbers of a state. They are stored as text that restores every bit, or as bytes.
using StateNumbers = std::vector<double>;

class IterationSteps;

/// A method at work, one iteration at a time.
///
///     Iteration run(space, method);
///     space.write(run.volume(), 0, start);      // else it begins at zero
///     run.begin(stop);                          // or: write run.state() …, run.resume(numbers,
///     stop) while (run.report().stop == StopReason::none) run.step(stop);
///
/// Not thread-safe. After Cancelled the volume can be read, but not continued.
/// Tests: tests/core/iterate/
class Iteration {
  public:
    /// Makes all vectors. The space has to outlive it.
    /// @throws FieldError  an option is out of range, or asks for counts that are not known;
    ///         ResourceError
    Iteration(IterationSpace& space, const IterativeMethod& method);
    ~Iteration();
    Iteration(const Iteration&) = delete;
    Iteration& operator=(const Iteration&) = delete;

    /// After every step it may be another vector.
    [[nodiscard]] IterationVector& volume();
    [[nodiscard]] const IterativeMethod& method() const { return m_method; }

    /// Begins from what the volume holds, within mask and bounds.
    /// @throws InputError  views have values that are not finite: how many, and the first view
    void begin(const std::stop_token& stop);

    /// One iteration. More of them than the method's may be done.
    /// @throws InputError  it diverges: the residual is not finite, or larger than that of an
    ///         empty volume and than the first
    IterationReport step(const std::stop_token& stop);
    /// What the last step gave; iteration 0 after begin().
    [[nodiscard]] const IterationReport& report() const { return m_report; }

    /// All that further iterations need besides the views: for a checkpoint, between two steps. The
    /// volume comes first.
    [[nodiscard]] std::vector<NamedVector> state();
    [[nodiscard]] StateNumbers numbers() const;
    /// Continues, to the bit, where numbers() was taken, once all vectors of state() are written as
    /// they were.
    /// @throws InputError  the numbers are of another method; views as begin()
    void resume(const StateNumbers& numbers, const std::stop_token& stop);

  private:
    void prepare(const std::stop_token& stop);
    void checkDivergence() const;
    [[nodiscard]] StopReason dueStop() const;

    IterationSpace& m_space;
    IterativeMethod m_method;
    std::unique_ptr<IterationSteps> m_steps;
    std::vector<float> m_sample;  ///< slices of the volume
    PreparedViews m_views;
    double m_firstResidual = 0;
    IterationReport m_report;
};

}  // namespace gantry
