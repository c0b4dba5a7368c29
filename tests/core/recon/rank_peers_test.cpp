#include "core/recon/rank_peers.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "core/io/memory_source.h"
#include "core/io/volume/memory_sink.h"
#include "core/phantom/analytic_projector.h"
#include "core/phantom/phantom.h"
#include "core/plan/iteration_plan.h"
#include "core/project/cpu_projector.h"
#include "core/project/host_space.h"
#include "core/recon/iterative_run.h"
#include "tests/support/cpu_backends.h"
#include "tests/support/thread_ranks.h"

namespace gantry {
namespace {

constexpr Index kEggViews = 14;

// A scan of few views off the middle, with odd sizes.
struct EggCase {
    const char* name;
    bool isParallel = false;
    double rollDeg = 0;  ///< then all ranks have all rows
};

class EggScan {
  public:
    explicit EggScan(const EggCase& of) {
        m_geometry.cone().sourceToIsocenterMm = 300;
        m_geometry.cone().sourceToDetectorMm = 600;
        m_geometry.cone().views = kEggViews;
        m_geometry.detector = {.columns = 31, .rows = 27, .pitchMm = {11, 10}, .offsetMm = {4, -3}};
        m_geometry.detector.rollDeg = of.rollDeg;
        if (of.isParallel) {
            const GantryAngles angles = m_geometry.cone();
            m_geometry.trajectory = ParallelBeam{angles};
            m_geometry.detector.pitchMm = {5, 4.5};
        }
        const Detector& detector = m_geometry.detector;
        m_views = HostBuffer<float>(kEggViews * detector.rows * detector.columns);
        const Phantom egg = {"egg",
                             {{PhantomShape::Kind::ellipsoid,
                               {5, -9, 3},
                               {40, 30, 35},
                               {Vec3{1, 0, 0}, Vec3{0, 1, 0}, Vec3{0, 0, 1}},
                               0.02}}};
        const Span3<float> views(m_views.data(), kEggViews, detector.rows, detector.columns);
        for (Index s = 0; s < kEggViews; ++s)
            projectPhantom(
                egg, viewPose(m_geometry, s), detector, {0, detector.rows},
                {views.row(s, 0), static_cast<std::size_t>(detector.rows * detector.columns)});
        for (Index i = 100; i < views.count(); i += 1771)
            m_views[i] = std::numeric_limits<float>::quiet_NaN();
        m_scan = openScan(m_geometry, std::make_shared<MemorySource>(views));
        request.volume = {{17, 19, 13}, {5, 6, 7}, {5, -9, 3}};
        request.threads = 1;
        request.method.iterations = 3;
    }

    [[nodiscard]] ProjectedViews views() const { return usedViews(*m_scan); }

    /// The volume that the method makes on so many ranks; 0: in one process without any.
    std::vector<float> made(int ranks) {
        settleMethod(request);
        invalid = {};
        std::vector<float> volume(static_cast<std::size_t>(request.volume.count()));
        if (ranks == 0) {
            make(std::nullopt, nullptr, volume);
            return volume;
        }
        std::vector<int> numbers;
        for (int rank = 0; rank < ranks; ++rank)
            numbers.push_back(rank);
        test::Table table(numbers);
        std::vector<std::jthread> threads;
        for (const int rank : numbers)
            threads.emplace_back([&, rank] {
                test::Seat seat(table, rank);
                make(iterationPart(views(), request.volume, rank, ranks), &seat, volume);
            });
        threads.clear();
        return volume;
    }

    ReconstructionRequest request;
    InvalidPixels invalid;  ///< that the last run found

  private:
    void make(const std::optional<GridPart>& part, RankGroup* group, std::vector<float>& volume) {
        const Backends backends = test::backends();
        const JobPlan plan = learnAndPlan(*m_scan, request, backends, {}, Purpose::run, {}, {},
                                          part ? &*part : nullptr)
                                 .plan;
        const auto [nX, nY, nZ] = request.volume.voxels;
        MemorySink sink({volume.data(), nZ, nY, nX});
        RankGroups groups;
        groups.parts = group;
        const InvalidPixels found =
            reconstruct(*m_scan, request, plan, backends, sink, {}, {}, groups);
        const std::scoped_lock lock(m_mutex);
        invalid += found;
    }

    ScanGeometry m_geometry;
    HostBuffer<float> m_views;
    std::optional<OpenScan> m_scan;
    std::mutex m_mutex;
};

double rmsDifference(const std::vector<float>& volume, const std::vector<float>& reference) {
    double error = 0;
    double all = 0;
    for (std::size_t i = 0; i < volume.size(); ++i) {
        error += std::pow(static_cast<double>(volume[i]) - reference[i], 2);
        all += std::pow(static_cast<double>(reference[i]), 2);
    }
    return std::sqrt(error / all);
}

class IterationsOnRanks : public testing::TestWithParam<EggCase> {};

TEST_P(IterationsOnRanks, MakeTheVolumeOfOneProcess) {
    for (const Method method : {Method::sirt, Method::osSart, Method::cgls, Method::tv}) {
        SCOPED_TRACE(name(method));
        EggScan egg(GetParam());
        egg.request.method.method = method;
        if (method == Method::osSart) egg.request.method.photons = 1e4;
        if (method == Method::cgls) egg.request.method.iterations = 20;
        if (method == Method::tv) egg.request.method.mask = kCylinderMask;
        const std::vector<float> alone = egg.made(0);
        const InvalidPixels found = egg.invalid;
        EXPECT_GT(found.notFinite, 0);
        // Sums of other order differ in the last digits, of which conjugate gradients make more.
        const double tolerance = method == Method::cgls ? 1e-3 : 1e-5;
        std::vector<float> together;
        for (const int ranks : {1, 2, 3}) {
            together = egg.made(ranks);
            EXPECT_LT(rmsDifference(together, alone), tolerance) << ranks << " ranks";
            EXPECT_EQ(egg.invalid.notFinite, found.notFinite) << "each pixel is counted once";
        }
        if (method == Method::tv) {
            EXPECT_EQ(egg.made(3), together) << "the same ranks make the same bits";
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Scans, IterationsOnRanks,
                         testing::Values(EggCase{"Cone"}, EggCase{"Parallel", true},
                                         EggCase{"Rolled", false, 7}),
                         [](const auto& tested) { return std::string(tested.param.name); });

// Spaces of three ranks, each in its thread.
template <class Work>
void onThreeRanks(const Work& work) {
    EggScan egg({"Cone"});
    const VolumeGrid& grid = egg.request.volume;
    const ProjectedViews views = egg.views();
    const std::vector<SpacePart> parts = spaceParts(views, grid, 3);
    test::Table table({0, 1, 2});
    std::vector<std::jthread> threads;
    for (int rank = 0; rank < 3; ++rank)
        threads.emplace_back([&, rank] {
            test::Seat seat(table, rank);
            RankPeers peers(seat, parts,
                            {views.columns, kEggViews, 1,
                             [](Index, const std::function<void()>& move) { move(); }});
            HostSpace space(views, grid, Subsets(kEggViews, 2), {.peers = &peers},
                            [](ProjectedViews some, int count) {
                                return makeCpuProjector(std::move(some), count);
                            });
            work(space, parts[static_cast<std::size_t>(rank)]);
        });
}

TEST(RankSpaces, ReadTheSlicesOfAllAndTellInvalidRaysOnce) {
    onThreeRanks([](HostSpace& space, const SpacePart& part) {
        const auto x = space.make(VectorKind::volume, 0);
        ASSERT_EQ(x->parts(), 13);
        std::vector<float> values(static_cast<std::size_t>(13 * x->partCount()));
        for (std::size_t i = 0; i < values.size(); ++i)
            values[i] = static_cast<float>(i);
        space.write(*x, 0, values);
        std::vector<float> some(static_cast<std::size_t>(9 * x->partCount()));
        space.read(*x, 3, some);
        EXPECT_TRUE(std::equal(some.begin(), some.end(), values.begin() + 3 * x->partCount()));
        double squares = 0;
        for (const float value : values)
            squares += static_cast<double>(value) * value;
        EXPECT_NEAR(space.dot(*x, *x) / squares, 1, 1e-12);

        // One ray that all three see, and one that the last alone sees.
        const Index columns = space.shape().columns;
        std::vector<float> view(static_cast<std::size_t>(part.rows.size() * columns));
        const auto set = [&](Index s, Index row) {
            std::fill(view.begin(), view.end(), 1.0F);
            if (part.rows.contains(row))
                view[static_cast<std::size_t>((row - part.rows.begin) * columns)] = NAN;
            space.setViews({s, s + 1}, {view.data(), 1, part.rows.size(), columns});
        };
        set(9, 13);
        set(5, 26);
        const InvalidRays invalid = space.findInvalidRays();
        EXPECT_EQ(invalid.count, 2);
        EXPECT_EQ(invalid.firstView, 5);
    });
}

}  // namespace
}  // namespace gantry
