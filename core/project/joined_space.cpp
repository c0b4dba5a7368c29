#include "core/project/joined_space.h"

#include <algorithm>
#include <cstddef>
#include <exception>
#include <iterator>
#include <span>
#include <thread>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/base/host_buffer.h"
#include "core/project/thread_peers.h"

namespace gantry {

namespace {

struct JoinedVector final : IterationVector {
    using IterationVector::IterationVector;
    std::vector<std::unique_ptr<IterationVector>> parts;
};

IterationVector& partOf(IterationVector& vector, std::size_t part) {
    return *dynamic_cast<JoinedVector&>(vector).parts[part];
}
const IterationVector& partOf(const IterationVector& vector, std::size_t part) {
    return *dynamic_cast<const JoinedVector&>(vector).parts[part];
}

class JoinedSpace final : public ProjectionSpace {
  public:
    JoinedSpace(const SpaceTask& task, std::vector<SpacePart> parts, int threads,
                const MakePartSpace& makePart)
        : ProjectionSpace({.voxels = task.grid.voxels,
                           .views = std::ssize(task.views.poses),
                           .rows = task.views.rows,
                           .columns = task.views.columns,
                           .hasCounts = task.hasCounts}),
          m_meeting(std::move(parts)) {
        m_spaces.resize(count());
        for (std::size_t part = 0; part < count(); ++part)
            m_peers.push_back(std::make_unique<ThreadPeers>(m_meeting, part, threads));
        onEach([&](std::size_t part) {
            m_spaces[part] = makePart(static_cast<Index>(part), *m_peers[part]);
        });
    }

    void setViews(IndexRange views, Span3<const float> integrals,
                  Span3<const float> counts) override {
        for (std::size_t part = 0; part < count(); ++part)
            for (Index s = 0; s < views.size(); ++s)
                m_spaces[part]->setViews(
                    {views.begin + s, views.begin + s + 1}, rowsOf(part, integrals, s),
                    shape().hasCounts ? rowsOf(part, counts, s) : Span3<const float>());
    }
    void setMask(Span3<const unsigned char> mask) override {
        for (std::size_t part = 0; part < count(); ++part)
            m_spaces[part]->setMask(mask.size(0) == 1 ? mask : mask.slices(parts()[part].slices));
    }

    [[nodiscard]] std::unique_ptr<IterationVector> make(VectorKind kind, Index views) override {
        const bool areViews = kind == VectorKind::views;
        auto vector = std::make_unique<JoinedVector>(
            kind, areViews ? views : shape().voxels[2],
            areViews ? shape().viewRays()
                     : (kind == VectorKind::gradient ? 3 : 1) * shape().sliceVoxels());
        for (const auto& space : m_spaces)
            vector->parts.push_back(space->make(kind, views));
        return vector;
    }

    void write(IterationVector& vector, Index first, std::span<const float> values) override {
        for (std::size_t part = 0; part < count(); ++part) {
            if (vector.kind() != VectorKind::views) {
                m_spaces[part]->write(partOf(vector, part), first, values);
                continue;
            }
            const Span3<const float> views = viewsOf(values);
            for (Index s = 0; s < views.size(0); ++s) {
                const Span3<const float> rows = rowsOf(part, views, s);
                m_spaces[part]->write(partOf(vector, part), first + s,
                                      {rows.data(), static_cast<std::size_t>(rows.count())});
            }
        }
    }
    void read(const IterationVector& vector, Index first, std::span<float> out) override {
        if (vector.kind() == VectorKind::views)
            readViews(vector, first, out);
        else
            readSlices(vector, first, out);
    }
    void readHeld(const IterationVector& vector, Index first, std::span<float> out) override {
        read(vector, first, out);
    }

    void combine(double alpha, const IterationVector& x, double beta, IterationVector& y) override {
        onEach([&](std::size_t part) {
            m_spaces[part]->combine(alpha, partOf(x, part), beta, partOf(y, part));
        });
    }
    [[nodiscard]] double dot(const IterationVector& a, const IterationVector& b) override {
        return ofAll<double>([&](std::size_t part) {
            return m_spaces[part]->dot(partOf(a, part), partOf(b, part));
        });
    }
    [[nodiscard]] ResidualSums sumsOf(const IterationVector& r) override {
        return ofAll<ResidualSums>(
            [&](std::size_t part) { return m_spaces[part]->sumsOf(partOf(r, part)); });
    }
    void constrain(IterationVector& x) override {
        onEach([&](std::size_t part) { m_spaces[part]->constrain(partOf(x, part)); });
    }
    [[nodiscard]] InvalidRays findInvalidRays() override {
        return ofAll<InvalidRays>(
            [&](std::size_t part) { return m_spaces[part]->findInvalidRays(); });
    }
    PreparedViews prepare(const Preparation& preparation, const std::stop_token& stop) override {
        return ofAll<PreparedViews>(
            [&](std::size_t part) { return m_spaces[part]->prepare(preparation, stop); });
    }
    ResidualSums residual(const IterationVector& x, IndexRange views, IterationVector& r,
                          const std::stop_token& stop) override {
        return ofAll<ResidualSums>([&](std::size_t part) {
            return m_spaces[part]->residual(partOf(x, part), views, partOf(r, part), stop);
        });
    }
    void update(IterationVector& x, double omega, const IterationVector& r, IndexRange views,
                const std::stop_token& stop) override {
        onEach([&](std::size_t part) {
            m_spaces[part]->update(partOf(x, part), omega, partOf(r, part), views, stop);
        });
    }
    void project(const IterationVector& p, IterationVector& q,
                 const std::stop_token& stop) override {
        onEach([&](std::size_t part) {
            m_spaces[part]->project(partOf(p, part), partOf(q, part), stop);
        });
    }
    void adjoint(const IterationVector& r, IterationVector& s,
                 const std::stop_token& stop) override {
        onEach([&](std::size_t part) {
            m_spaces[part]->adjoint(partOf(r, part), partOf(s, part), stop);
        });
    }
    double flatten(IterationVector& x, IterationVector& dual, double weight, Index steps,
                   const std::stop_token& stop) override {
        return ofAll<double>([&](std::size_t part) {
            return m_spaces[part]->flatten(partOf(x, part), partOf(dual, part), weight, steps,
                                           stop);
        });
    }

  private:
    [[nodiscard]] const std::vector<SpacePart>& parts() const { return m_meeting.parts(); }
    [[nodiscard]] std::size_t count() const { return parts().size(); }
    // What a part sees of a view.
    [[nodiscard]] Span3<const float> rowsOf(std::size_t part, Span3<const float> views,
                                            Index s) const {
        const IndexRange rows = parts()[part].rows;
        return {views.row(s, rows.begin), 1, rows.size(), views.size(2)};
    }
    [[nodiscard]] Span3<const float> viewsOf(std::span<const float> values) const {
        return {values.data(), std::ssize(values) / shape().viewRays(), shape().rows,
                shape().columns};
    }

    void readSlices(const IterationVector& vector, Index first, std::span<float> out) {
        const Index floats = vector.partCount();
        const IndexRange asked = {first, first + std::ssize(out) / floats};
        for (std::size_t part = 0; part < count(); ++part) {
            const IndexRange has = parts()[part].slices;
            const IndexRange both = {std::max(asked.begin, has.begin),
                                     std::min(asked.end, has.end)};
            if (both.empty()) continue;
            m_spaces[part]->readHeld(
                partOf(vector, part), both.begin,
                out.subspan(static_cast<std::size_t>((both.begin - asked.begin) * floats),
                            static_cast<std::size_t>(both.size() * floats)));
        }
    }
    // Rows that several parts have are the same in each.
    void readViews(const IterationVector& vector, Index first, std::span<float> out) {
        const Index views = std::ssize(out) / shape().viewRays();
        std::ranges::fill(out, 0.0F);  // rows that no part sees
        for (std::size_t part = 0; part < count(); ++part) {
            const IndexRange rows = parts()[part].rows;
            const Index floats = rows.size() * shape().columns;
            HostBuffer<float> own(floats);
            for (Index s = 0; s < views; ++s) {
                m_spaces[part]->readHeld(partOf(vector, part), first + s, own.span());
                std::copy_n(own.data(), floats,
                            out.data() + s * shape().viewRays() + rows.begin * shape().columns);
            }
        }
    }

    // Calls work(part) of all parts at once. When one fails, the others stop waiting for it.
    template <class Work>
    void onEach(const Work& work) {
        std::vector<std::exception_ptr> failures(count());
        const auto run = [&](std::size_t part) {
            try {
                work(part);
            } catch (...) {
                failures[part] = std::current_exception();
                m_meeting.giveUp();
            }
        };
        {
            std::vector<std::jthread> threads;
            for (std::size_t part = 1; part < count(); ++part)
                threads.emplace_back([&run, part] { run(part); });
            run(0);
        }
        m_meeting.reopen();
        rethrow(failures);
    }
    // That one failed says more than that others gave up then.
    static void rethrow(const std::vector<std::exception_ptr>& failures) {
        std::exception_ptr cancelled;
        for (const std::exception_ptr& failure : failures) {
            if (!failure) continue;
            try {
                std::rethrow_exception(failure);
            } catch (const Cancelled&) {
                cancelled = failure;
            }
        }
        if (cancelled) std::rethrow_exception(cancelled);
    }
    // The same for what gives a result, which all parts agree on.
    template <class Result, class Work>
    [[nodiscard]] Result ofAll(const Work& work) {
        std::vector<Result> results(count());
        onEach([&](std::size_t part) { results[part] = work(part); });
        return results.front();
    }

    PartMeeting m_meeting;
    std::vector<std::unique_ptr<ThreadPeers>> m_peers;
    std::vector<std::unique_ptr<ProjectionSpace>> m_spaces;
};

}  // namespace

std::unique_ptr<ProjectionSpace> joinSpaces(const SpaceTask& task, std::vector<SpacePart> parts,
                                            int threads, const MakePartSpace& makePart) {
    return std::make_unique<JoinedSpace>(task, std::move(parts), threads, makePart);
}

}  // namespace gantry
