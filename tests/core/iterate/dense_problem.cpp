#include "tests/core/iterate/dense_problem.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <utility>

#include "core/project/cpu_projector.h"
#include "tests/support/random_values.h"

namespace gantry::test {

namespace {

std::unique_ptr<Projector> cpuProjector(ProjectedViews views, int threads) {
    return makeCpuProjector(std::move(views), threads);
}

double sumOfProducts(const Doubles& a, const Doubles& b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
        sum += a[i] * b[i];
    return sum;
}

std::vector<Doubles> matrixOf(const DenseProblem& problem) {
    const auto& [nX, nY, nZ] = problem.grid.voxels;
    const Detector& detector = problem.scan.detector;
    const auto projector = makeCpuProjector(projectedViews(problem.scan), 1);
    const Index rays = problem.views() * problem.viewRays();
    std::vector<Doubles> matrix(static_cast<std::size_t>(rays),
                                Doubles(static_cast<std::size_t>(problem.grid.count())));
    std::vector<float> volume(static_cast<std::size_t>(problem.grid.count()));
    for (std::size_t voxel = 0; voxel < volume.size(); ++voxel) {
        if (!problem.isFree(static_cast<Index>(voxel))) continue;
        std::vector<float> views(static_cast<std::size_t>(rays));
        volume[voxel] = 1;
        projector->begin(problem.grid, {0, nZ});
        projector->set({0, nZ}, Span3<const float>(volume.data(), nZ, nY, nX));
        projector->project({0, problem.views()},
                           {views.data(), problem.views(), detector.rows, detector.columns}, {});
        volume[voxel] = 0;
        for (std::size_t ray = 0; ray < views.size(); ++ray)
            matrix[ray][voxel] = views[ray];
    }
    return matrix;
}

// What the textbook's methods have in common.
class Reference {
  public:
    Reference(const DenseProblem& problem, const IterativeMethod& method)
        : m_problem(problem),
          m_method(method),
          m_subsets(subsetCount(method, problem.views())),
          m_b(problem.integrals.begin(), problem.integrals.end()),
          m_x(problem.start.begin(), problem.start.end()) {
        Doubles ones(m_x.size());
        for (std::size_t i = 0; i < ones.size(); ++i)
            ones[i] = problem.isFree(static_cast<Index>(i)) ? 1 : 0;
        m_chords = problem.project(ones);
    }

    Doubles run() {
        makeWeights();
        if (std::holds_alternative<Cgls>(m_method.kind))
            cgls();
        else
            subsets();
        return m_x;
    }

  private:
    void makeWeights() {
        const double longest = *std::max_element(m_chords.begin(), m_chords.end());
        double counts = 0;
        double used = 0;
        for (std::size_t i = 0; i < m_chords.size(); ++i) {
            const bool isUsed = m_chords[i] >= 0.01 * longest && m_problem.counts[i] > 0;
            m_weights.push_back(isUsed ? 1 : 0);
            counts += isUsed ? m_problem.counts[i] : 0;
            used += isUsed ? 1 : 0;
        }
        for (std::size_t i = 0; i < m_chords.size(); ++i) {
            if (m_weights[i] == 0) continue;
            if (m_method.useCounts)
                m_weights[i] = m_problem.counts[i] * used / counts;
            else if (!std::holds_alternative<Cgls>(m_method.kind))
                m_weights[i] = 1 / m_chords[i];
        }
    }

    [[nodiscard]] Doubles weighted(const Doubles& r) const {
        Doubles out(r.size());
        for (std::size_t i = 0; i < r.size(); ++i)
            out[i] = m_weights[i] * r[i];
        return out;
    }

    [[nodiscard]] Doubles residual() const {
        Doubles r = m_problem.project(m_x);
        for (std::size_t i = 0; i < r.size(); ++i)
            r[i] = m_b[i] - r[i];
        return r;
    }

    [[nodiscard]] double allowed(std::size_t voxel, double value) const {
        if (!m_problem.isFree(static_cast<Index>(voxel))) return 0;
        return std::clamp<double>(value, m_method.bounds.min, m_method.bounds.max);
    }

    void subsets() {
        for (std::size_t i = 0; i < m_x.size(); ++i)
            m_x[i] = allowed(i, m_x[i]);
        Doubles columns(m_x.size());
        for (Index m = 0; m < m_subsets; ++m) {
            const Doubles sums = m_problem.adjoint(weighted(m_chords), m, m_subsets);
            for (std::size_t i = 0; i < sums.size(); ++i)
                columns[i] = std::max(columns[i], sums[i]);
        }
        for (double& column : columns)
            column = column > 0 ? 1 / column : 0;
        double omega = std::visit(
            [](const auto& kind) {
                if constexpr (requires { kind.relaxation; }) return kind.relaxation;
                return 0.0;
            },
            m_method.kind);
        const auto* sirt = std::get_if<Sirt>(&m_method.kind);
        Doubles before = m_x;
        double t = 1;
        for (Index pass = 0; pass < m_method.iterations; ++pass) {
            if (sirt && sirt->isAccelerated) {
                const double next = 0.5 + std::sqrt(0.25 + t * t);
                const Doubles now = m_x;
                for (std::size_t i = 0; i < now.size(); ++i)
                    m_x[i] += (t - 1) / next * (now[i] - before[i]);
                before = now;
                t = next;
            }
            for (Index m = 0; m < m_subsets; ++m) {
                const Doubles step = m_problem.adjoint(weighted(residual()), m, m_subsets);
                for (std::size_t i = 0; i < m_x.size(); ++i)
                    m_x[i] = allowed(i, m_x[i] + omega * columns[i] * step[i]);
            }
            if (const auto* osSart = std::get_if<OsSart>(&m_method.kind))
                omega *= osSart->relaxationFactor;
            if (const auto* tv = std::get_if<TotalVariation>(&m_method.kind)) flatten(*tv);
        }
    }

    // The differences of a volume along all axes, voxel by voxel, and the transpose of that.
    [[nodiscard]] Index neighbour(Index voxel, std::size_t axis) const {
        const auto& [nX, nY, nZ] = m_problem.grid.voxels;
        const Index strides[] = {1, nX, nX * nY};
        const Index place = voxel / strides[axis] % m_problem.grid.voxels[axis];
        return place + 1 < m_problem.grid.voxels[axis] ? voxel + strides[axis] : -1;
    }
    [[nodiscard]] double scale(std::size_t axis) const {
        const auto& pitch = m_problem.grid.pitchMm;
        return *std::min_element(pitch.begin(), pitch.end()) / pitch[axis];
    }

    [[nodiscard]] Doubles primal(const Doubles& v, double weight) const {
        Doubles x = v;
        for (Index voxel = 0; voxel < std::ssize(v); ++voxel)
            for (std::size_t axis = 0; axis < 3; ++axis) {
                const Index next = neighbour(voxel, axis);
                if (next < 0) continue;
                const double share =
                    weight * scale(axis) * m_dual[static_cast<std::size_t>(voxel) * 3 + axis];
                x[static_cast<std::size_t>(voxel)] += share;
                x[static_cast<std::size_t>(next)] -= share;
            }
        for (std::size_t i = 0; i < x.size(); ++i)
            x[i] = allowed(i, x[i]);
        return x;
    }

    void flatten(const TotalVariation& tv) {
        const Doubles rays = weighted(m_b);
        const double weight =
            tv.strength * sumOfProducts(rays, m_b) / sumOfProducts(rays, m_chords);
        m_dual.resize(3 * m_x.size());
        double norm = 0;
        for (std::size_t axis = 0; axis < 3; ++axis)
            norm += 4 * scale(axis) * scale(axis);
        for (Index step = 0; step < tv.flatteningSteps; ++step) {
            const Doubles u = primal(m_x, weight);
            for (std::size_t voxel = 0; voxel < u.size(); ++voxel) {
                double* p = m_dual.data() + voxel * 3;
                for (std::size_t axis = 0; axis < 3; ++axis) {
                    const Index next = neighbour(static_cast<Index>(voxel), axis);
                    if (next < 0) continue;
                    const double difference = u[static_cast<std::size_t>(next)] - u[voxel];
                    p[axis] += scale(axis) * difference / (weight * norm);
                }
                const double length = std::max(1.0, std::hypot(p[0], p[1], p[2]));
                for (std::size_t axis = 0; axis < 3; ++axis)
                    p[axis] /= length;
            }
        }
        m_x = primal(m_x, weight);
    }

    void cgls() {
        Doubles r = residual();
        Doubles s = m_problem.adjoint(weighted(r), 0, 1);
        Doubles p = s;
        std::vector<Doubles> gradients = {s};
        double gamma = sumOfProducts(s, s);
        for (Index i = 0; i < m_method.iterations; ++i) {
            const Doubles q = m_problem.project(p);
            const double alpha = gamma / sumOfProducts(weighted(q), q);
            for (std::size_t j = 0; j < m_x.size(); ++j)
                m_x[j] += alpha * p[j];
            for (std::size_t j = 0; j < r.size(); ++j)
                r[j] -= alpha * q[j];
            s = m_problem.adjoint(weighted(r), 0, 1);
            // Without this even double has lost the sequence after twenty iterations.
            for (const Doubles& before : gradients) {
                const double share = sumOfProducts(s, before) / sumOfProducts(before, before);
                for (std::size_t j = 0; j < s.size(); ++j)
                    s[j] -= share * before[j];
            }
            gradients.push_back(s);
            const double next = sumOfProducts(s, s);
            for (std::size_t j = 0; j < p.size(); ++j)
                p[j] = s[j] + next / gamma * p[j];
            gamma = next;
        }
    }

    const DenseProblem& m_problem;
    const IterativeMethod& m_method;
    Index m_subsets;
    Doubles m_b;
    Doubles m_x;
    Doubles m_chords;
    Doubles m_weights;
    Doubles m_dual;
};

}  // namespace

std::unique_ptr<HostSpace> DenseProblem::space(Index subsets, HostSpaceOptions options) const {
    auto space = std::make_unique<HostSpace>(projectedViews(scan), grid, Subsets(views(), subsets),
                                             options, cpuProjector);
    const auto spanOf = [&](const std::vector<float>& rays) {
        return Span3<const float>(rays.data(), views(), scan.detector.rows, scan.detector.columns);
    };
    space->setViews({0, views()}, spanOf(integrals),
                    options.hasCounts ? spanOf(counts) : Span3<const float>());
    space->setMask({mask.data(), 1, grid.voxels[1], grid.voxels[0]});
    return space;
}

Doubles DenseProblem::project(const Doubles& x) const {
    Doubles out(matrix.size());
    for (std::size_t ray = 0; ray < matrix.size(); ++ray)
        out[ray] = sumOfProducts(matrix[ray], x);
    return out;
}

Doubles DenseProblem::adjoint(const Doubles& r, Index m, Index subsets) const {
    Doubles out(static_cast<std::size_t>(grid.count()));
    for (std::size_t ray = 0; ray < matrix.size(); ++ray)
        if (static_cast<Index>(ray) / viewRays() % subsets == m)
            for (std::size_t voxel = 0; voxel < out.size(); ++voxel)
                out[voxel] += matrix[ray][voxel] * r[ray];
    return out;
}

DenseProblem denseProblem(unsigned seed) {
    DenseProblem problem;
    problem.scan.cone().sourceToIsocenterMm = 300;
    problem.scan.cone().sourceToDetectorMm = 500;
    problem.scan.cone().startDeg = 13;
    problem.scan.cone().views = 11;
    problem.scan.detector.columns = 13;
    problem.scan.detector.rows = 9;
    problem.scan.detector.pitchMm = {12, 11};
    problem.scan.detector.offsetMm = {3, -2};
    problem.grid.voxels = {9, 11, 7};
    problem.grid.pitchMm = {7, 7.5, 6.1};
    problem.grid.centerMm = {2, -3, 1.5};
    problem.mask = fieldOfViewMask(problem.grid, {.radiusMm = 33, .centerMm = {2, -3}});
    problem.matrix = matrixOf(problem);
    std::mt19937 random(seed);
    Doubles truth;
    for (Index i = 0; i < problem.grid.count(); ++i) {
        truth.push_back(0.02 * uniformValue<double>(random));
        const float begin = 0.02F * uniformValue<float>(random);
        problem.start.push_back(problem.isFree(i) ? begin : 0);
    }
    for (const double integral : problem.project(truth)) {
        problem.integrals.push_back(
            static_cast<float>(integral * (0.95 + 0.1 * uniformValue<double>(random))));
        const float count = 1000 * std::exp(-problem.integrals.back());
        // Some rays are not measured.
        problem.counts.push_back(random() % 20 == 0 ? 0 : count);
    }
    return problem;
}

std::vector<float> iterated(const DenseProblem& problem, const IterativeMethod& method,
                            HostSpaceOptions options) {
    const auto space = problem.space(subsetCount(method, problem.views()), options);
    Iteration run(*space, method);
    space->write(run.volume(), 0, problem.start);
    run.begin({});
    while (run.report().stop == StopReason::none)
        run.step({});
    std::vector<float> volume(problem.start.size());
    space->read(run.volume(), 0, volume);
    return volume;
}

Doubles reference(const DenseProblem& problem, const IterativeMethod& method) {
    return Reference(problem, method).run();
}

}  // namespace gantry::test
