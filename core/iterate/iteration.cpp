#include "core/iterate/iteration.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <utility>

#include "core/base/throw_error.h"
#include "core/iterate/iteration_steps.h"

namespace gantry {

namespace {

// The residual of an empty volume is 1. Above that, and above where it began, it diverges; where
// bounds hold the volume it then goes to and fro between nothing and too much.
constexpr double kMaxGrowth = 1.05;

std::unique_ptr<IterationSteps> makeSteps(IterationSpace& space, const IterativeMethod& method) {
    requireValid(method);
    for (const auto& [asks, field] : {std::pair{method.useCounts, "useCounts"},
                                      std::pair{method.stop.chiSquare > 0, "chiSquare"}})
        if (asks && !space.shape().hasCounts)
            throw FieldError(field, "the counts of the rays have to be known for this");
    if (std::holds_alternative<Cgls>(method.kind)) return makeCglsSteps(space, method);
    return makeSubsetSteps(space, method);
}

std::vector<float> sampleOf(IterationSpace& space, const IterationVector& volume) {
    const Index slices = volume.parts();
    const Index taken = std::min(slices, kSampledSlices);
    const Index count = volume.partCount();
    std::vector<float> sample(static_cast<std::size_t>(taken * count));
    for (Index i = 0; i < taken; ++i)
        space.read(volume, (2 * i + 1) * slices / (2 * taken),
                   std::span(sample).subspan(static_cast<std::size_t>(i * count),
                                             static_cast<std::size_t>(count)));
    return sample;
}

double relativeChange(const std::vector<float>& before, const std::vector<float>& now) {
    double change = 0;
    double all = 0;
    for (std::size_t i = 0; i < now.size(); ++i) {
        const double difference = static_cast<double>(now[i]) - before[i];
        change += difference * difference;
        all += static_cast<double>(now[i]) * now[i];
    }
    return all > 0 ? std::sqrt(change / all) : 0;
}

double relaxationOf(const IterativeMethod& method) {
    return std::visit(
        [](const auto& kind) {
            if constexpr (requires { kind.relaxation; }) return kind.relaxation;
            return 0.0;
        },
        method.kind);
}

}  // namespace

void reportResidual(const ResidualSums& sums, const PreparedViews& views, IterationReport& report) {
    report.residual =
        std::sqrt(sums.weightedSquares / (views.weightedSquares > 0 ? views.weightedSquares : 1));
    report.chiSquare =
        views.usedRays > 0 ? sums.chiSquares / static_cast<double>(views.usedRays) : 0;
}

Iteration::Iteration(IterationSpace& space, const IterativeMethod& method)
    : m_space(space), m_method(method), m_steps(makeSteps(space, method)) {}

Iteration::~Iteration() = default;

IterationVector& Iteration::volume() {
    return *m_steps->vectors().front().vector;
}

void Iteration::prepare(const std::stop_token& stop) {
    if (const InvalidRays invalid = m_space.findInvalidRays(); invalid.count > 0)
        throwError<InputError>(
            "{} rays of the views are not numbers, the first of them in view {}. An iterative "
            "method would spread them over the whole volume; mark these pixels as invalid.",
            invalid.count, invalid.firstView);
    m_views = m_space.prepare(m_steps->preparation(), stop);
    if (m_views.usedRays == 0)
        throw InputError("No ray of the views passes the volume within its mask.");
}

void Iteration::begin(const std::stop_token& stop) {
    prepare(stop);
    m_space.constrain(volume());
    if (!std::isfinite(m_space.dot(volume(), volume())))
        throw InputError("The volume to begin from contains values that are not numbers.");
    m_steps->begin(stop);
    m_sample = sampleOf(m_space, volume());
    m_report = {};
    m_firstResidual = 0;
}

IterationReport Iteration::step(const std::stop_token& stop) {
    require(!m_sample.empty(), "an iteration before begin()");
    ++m_report.iteration;
    m_steps->step(m_views, m_report, stop);
    std::vector<float> sample = sampleOf(m_space, volume());
    m_report.change = relativeChange(m_sample, sample);
    m_sample = std::move(sample);
    if (m_report.iteration == 1) m_firstResidual = m_report.residual;
    checkDivergence();
    m_report.stop = dueStop();
    return m_report;
}

void Iteration::checkDivergence() const {
    if (m_report.residual <= kMaxGrowth * std::max(m_firstResidual, 1.0)) return;
    const double relaxation = relaxationOf(m_method);
    if (relaxation > 0)
        throwError<InputError>(
            "{} diverges: in iteration {} the residual is {:.3g} times the views. A relaxation of "
            "{:g} is too high for them; try {:g}.",
            nameOf(m_method), m_report.iteration, m_report.residual, relaxation,
            std::min(1.0, relaxation / 2));
    throwError<InputError>(
        "{} diverges: in iteration {} the residual is {:.3g} times the views. Use fewer "
        "iterations.",
        nameOf(m_method), m_report.iteration, m_report.residual);
}

StopReason Iteration::dueStop() const {
    const StopRules& rules = m_method.stop;
    if (rules.chiSquare > 0 && m_report.chiSquare <= rules.chiSquare) return StopReason::chiSquare;
    if (rules.change > 0 && m_report.change <= rules.change) return StopReason::change;
    return m_report.iteration >= m_method.iterations ? StopReason::iterations : StopReason::none;
}

std::vector<NamedVector> Iteration::state() {
    return m_steps->vectors();
}

StateNumbers Iteration::numbers() const {
    StateNumbers numbers = {static_cast<double>(m_report.iteration),
                            m_report.residual,
                            m_report.change,
                            m_report.chiSquare,
                            m_report.variation,
                            m_report.strength,
                            m_firstResidual};
    const StateNumbers own = m_steps->numbers();
    numbers.insert(numbers.end(), own.begin(), own.end());
    return numbers;
}

void Iteration::resume(const StateNumbers& numbers, const std::stop_token& stop) {
    constexpr std::ptrdiff_t kCommon = 7;
    if (numbers.size() != this->numbers().size())
        throwError<InputError>("The stored state is not one of {}.", nameOf(m_method));
    prepare(stop);
    m_report = {.iteration = static_cast<Index>(numbers[0]),
                .residual = numbers[1],
                .change = numbers[2],
                .chiSquare = numbers[3],
                .variation = numbers[4],
                .strength = numbers[5]};
    m_firstResidual = numbers[6];
    m_steps->setNumbers({numbers.begin() + kCommon, numbers.end()});
    m_sample = sampleOf(m_space, volume());
    m_report.stop = m_report.iteration > 0 ? dueStop() : StopReason::none;
}

}  // namespace gantry
