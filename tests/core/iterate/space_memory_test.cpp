#include <gtest/gtest.h>
#include <malloc.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "core/iterate/iteration.h"
#include "core/project/cpu_projector.h"
#include "core/project/host_space.h"

namespace gantry {
namespace {

Index bytesInUse() {
    const auto all = ::mallinfo2();
    return static_cast<Index>(all.uordblks + all.hblkhd);
}

// Looks at the memory in use whenever it is called.
class WeighedProjector final : public Projector {
  public:
    WeighedProjector(std::unique_ptr<Projector> projector, Index& max)
        : m_projector(std::move(projector)), m_max(max) {}

    void begin(const VolumeGrid& grid, IndexRange slices) override {
        m_projector->begin(grid, slices);
        weigh();
    }
    void set(IndexRange slices, Span3<const float> voxels) override {
        m_projector->set(slices, voxels);
    }
    void project(IndexRange views, Span3<float> out, const std::stop_token& stop) override {
        m_projector->project(views, out, stop);
        weigh();
    }
    void adjoint(IndexRange views, Span3<const float> rays, const std::stop_token& stop) override {
        m_projector->adjoint(views, rays, stop);
        weigh();
    }
    void read(IndexRange slices, Span3<float> out) override {
        m_projector->read(slices, out);
        weigh();
    }
    [[nodiscard]] Index bytesNeeded(const VolumeGrid& grid, Index slices) const override {
        return m_projector->bytesNeeded(grid, slices);
    }

  private:
    void weigh() const { m_max = std::max(m_max, bytesInUse()); }

    std::unique_ptr<Projector> m_projector;
    Index& m_max;
};

void expectForecast(const IterativeMethod& method, Index slabSlices, bool hasMask) {
    ScanGeometry scan;
    scan.cone().sourceToIsocenterMm = 500;
    scan.cone().sourceToDetectorMm = 800;
    scan.cone().views = 13;
    scan.detector = {.columns = 90, .rows = 131, .pitchMm = {1, 1}};
    const VolumeGrid grid = {{51, 45, 73}, {1, 1, 1}, {}};
    const Subsets subsets(13, subsetCount(method, 13));
    const Index before = bytesInUse();
    Index max = before;
    {
        HostSpace space(projectedViews(scan), grid, subsets,
                        {.threads = 1, .slabSlices = slabSlices, .hasCounts = method.useCounts},
                        [&](ProjectedViews views, int threads) {
                            return std::make_unique<WeighedProjector>(
                                makeCpuProjector(std::move(views), threads), max);
                        });
        if (hasMask) {
            const std::vector<unsigned char> mask(static_cast<std::size_t>(grid.count()), 1);
            space.setMask({mask.data(), 73, 45, 51});
        }
        const std::vector<float> ones(std::size_t{13} * 131 * 90, 1);
        const Span3<const float> rays(ones.data(), 13, 131, 90);
        space.setViews({0, 13}, rays, method.useCounts ? rays : Span3<const float>());
        max = before;  // the arrays of the test are no more
        Iteration run(space, method);
        run.begin({});
        run.step({});
        max = std::max(max, bytesInUse());
    }
    const Index ofTest = Index{13} * 131 * 90 * Index{sizeof(float)};
    const auto projector = makeCpuProjector(projectedViews(scan), 1);
    const Index slab = slabSlices > 0 ? slabSlices : 73;
    const Index needed = HostSpace::bytesNeeded({grid.voxels, 13, 131, 90, method.useCounts},
                                                method, projector->bytesNeeded(grid, slab), 73);
    const Index held = max - before - ofTest;
    // The geometry of rays and the lists of threads are not counted.
    EXPECT_LE(held, needed + 100'000);
    EXPECT_GE(held, needed * 4 / 5);
}

TEST(HostSpaceMemory, IsWhatIsForecast) {
    if (bytesInUse() == 0) GTEST_SKIP() << "sanitizers do not tell how much memory is in use";
    const std::vector<IterativeMethod::Kind> kinds = {Sirt(), OsSart(), TotalVariation(), Cgls()};
    for (const IterativeMethod::Kind& kind : kinds) {
        IterativeMethod method;
        method.kind = kind;
        SCOPED_TRACE(nameOf(method));
        method.iterations = 3;
        expectForecast(method, 0, false);
        method.useCounts = true;
        expectForecast(method, 20, true);
    }
}

}  // namespace
}  // namespace gantry
