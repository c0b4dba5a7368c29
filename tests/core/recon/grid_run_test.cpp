#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "core/base/error.h"
#include "core/base/host_buffer.h"
#include "core/io/memory_source.h"
#include "core/io/volume/memory_sink.h"
#include "core/phantom/analytic_projector.h"
#include "core/phantom/phantom.h"
#include "core/plan/cluster/rank_facts.h"
#include "core/recon/reconstruct.h"
#include "core/scan/corrected_scan.h"
#include "tests/support/cpu_backends.h"
#include "tests/support/cpu_device.h"
#include "tests/support/thread_ranks.h"

namespace gantry {
namespace {

struct Case {
    Index rows = 1;
    Index columns = 1;
    Exchange exchange = Exchange::rows;
    bool isShort = false;
    Index max = 100;  ///< slices of a slab
    double offsetMm = 0;
    std::array<double, 3> centerMm = {};
    Index batchViews = 8;
    bool onDevices = false;
    FilterOn filterOn = FilterOn::automatic;
    double rollDeg = 0;
    bool moves = false;  ///< rows make passes as they come, whose they may be
    bool isParallel = false;
    double tiltDeg = 0;
    Corrections corrections = {};
};

constexpr ZingerSpec kZingers = {.ratio = 1.02};
constexpr RingSpec kRings = {.method = RingMethod::sorting, .widthPx = 5};

class Balls {
  public:
    explicit Balls(const Case& of) : m_case(of) {
        ScanGeometry geometry;
        geometry.cone().sourceToIsocenterMm = 600;
        geometry.cone().sourceToDetectorMm = 1200;
        geometry.cone().views = 61;
        if (of.isShort) geometry.cone().arcDeg = 220;
        geometry.detector = {
            .columns = 53, .rows = 47, .pitchMm = {6, 5}, .offsetMm = {of.offsetMm, 4}};
        geometry.detector.rollDeg = of.rollDeg;
        if (of.isParallel) {
            const GantryAngles angles = geometry.cone();
            geometry.trajectory = ParallelBeam{angles};
            geometry.detector.pitchMm = {3, 2.5};
            geometry.detector.tiltDeg = of.tiltDeg;
        }
        m_views = HostBuffer<float>(geometry.views() * 47 * 53);
        const Phantom ball = {"ball",
                              {{PhantomShape::Kind::ellipsoid,
                                {5, 8, -3},
                                {40, 50, 45},
                                {Vec3{1, 0, 0}, Vec3{0, 1, 0}, Vec3{0, 0, 1}},
                                0.02}}};
        const Span3<float> views = {m_views.data(), geometry.views(), 47, 53};
        for (Index s = 0; s < geometry.views(); ++s)
            projectPhantom(ball, viewPose(geometry, s), geometry.detector, {0, 47},
                           {views.row(s, 0), std::size_t{47} * 53});
        for (Index i = 100; i < views.count(); i += 2771)
            m_views[i] = std::numeric_limits<float>::quiet_NaN();
        for (Index i = 500; i < views.count() && of.corrections.hasZingers(); i += 1931)
            m_views[i] -= 0.3F;
        // Devices filter along an upright detector's rows.
        m_scan.emplace(openScan(geometry, std::make_shared<MemorySource>(views),
                                ProjectionKind::attenuation, {},
                                of.onDevices ? FilterRows::upright : FilterRows::own));
        m_request.corrections = of.corrections;
        m_scan = corrected(*m_scan, of.corrections);
        m_request.volume = {{37, 41, 31}, {3.1, 3.0, 3.4}, {}};
        m_request.volume.centerMm = of.centerMm;
        m_request.threads = 1;
        m_request.batchViews = of.batchViews;
    }

    std::vector<float> alone() {
        std::vector<float> volume(static_cast<std::size_t>(m_request.volume.count()));
        MemorySink sink(spanOf(volume));
        const Backends backends = test::backends();
        m_invalid = reconstruct(*m_scan, m_request, test::planned(*m_scan, m_request, backends),
                                backends, sink, {}, {});
        return volume;
    }

    // By the ranks of a grid, each in a thread.
    std::vector<float> together(const std::optional<FinishedSlabs>& finished = {}) {
        const Index ranks = m_case.rows * m_case.columns;
        const std::vector<RankShare> shares(static_cast<std::size_t>(ranks), {1, m_case.max});
        GridPlan plan = assignToGrid({m_scan->geometry, m_request.volume, finished},
                                     {m_case.rows, m_case.columns, m_case.exchange}, shares);
        plan.chunkSlices = 2;
        plan.moves = m_case.moves;
        m_given.assign(static_cast<std::size_t>(m_case.rows), {});
        m_left.clear();
        for (Index i = 0; i < std::ssize(plan.slabs.slabs); ++i)
            if (!finished || !finished->done.contains(i)) m_left.push_back(i);
        std::vector<float> volume(static_cast<std::size_t>(m_request.volume.count()));
        std::vector<std::unique_ptr<test::Table>> tables;
        for (Index i = 0; i < m_case.rows + m_case.columns; ++i) {
            const bool isRow = i < m_case.rows;
            const GridPart part = {plan,
                                   static_cast<int>(isRow ? i * m_case.columns : i - m_case.rows)};
            tables.push_back(
                std::make_unique<test::Table>(isRow ? part.ranksOfRow() : part.ranksOfColumn()));
        }
        m_invalid = {};
        std::vector<std::jthread> threads;
        for (int rank = 0; rank < ranks; ++rank)
            threads.emplace_back([&, rank] { make({plan, rank}, tables, finished, volume); });
        threads.clear();
        return volume;
    }

    InvalidPixels invalid() const { return m_invalid; }
    const std::vector<TimelineSpan>& spans() const { return m_spans; }

  private:
    Span3<float> spanOf(std::vector<float>& volume) {
        const auto [nX, nY, nZ] = m_request.volume.voxels;
        return {volume.data(), nZ, nY, nX};
    }

    // Each rank has one device, which prepares and filters what is not gathered.
    [[nodiscard]] Backends backends(test::CpuDeviceLog& log) const {
        Backends all = test::backends();
        if (!m_case.onDevices) return all;
        all.gpu = test::cpuDevices({{}}, log);
        all.whyNoGpu.clear();
        return all;
    }

    // Assigns the highest of all slabs that are left, the same to all ranks of a row.
    std::optional<Index> nextSlab(const GridPart& part, std::size_t made) {
        const std::scoped_lock lock(m_mutex);
        std::vector<Index>& given = m_given[static_cast<std::size_t>(part.row())];
        if (made == given.size()) {
            if (m_left.empty()) return std::nullopt;
            given.push_back(m_left.back());
            m_left.pop_back();
        }
        return given[made];
    }

    void make(GridPart part, const std::vector<std::unique_ptr<test::Table>>& tables,
              const std::optional<FinishedSlabs>& finished, std::vector<float>& volume) {
        test::CpuDeviceLog log;
        const Backends backends = this->backends(log);
        const std::set<Index> done = finished ? finished->done : std::set<Index>();
        const FinishedSlabs own = part.plan.isGathered()
                                      ? FinishedSlabs{part.plan.slabs.slabs, done}
                                      : slabsForRank(part, done);
        if (m_case.moves)
            for (Index i = 0; i < std::ssize(part.plan.slabs.slabs); ++i)
                if (!own.done.contains(i) || !done.contains(i)) part.spare.insert(i);
        for (Index i = 0; i < std::ssize(own.slabs); ++i)
            if (!own.done.contains(i)) part.spare.erase(i);
        ReconstructionRequest request = m_request;
        request.filterOn = m_case.filterOn;
        const JobPlan plan = planPart(*m_scan, request, backends, {}, part, own, {}).plan;
        ASSERT_EQ(plan.engine, m_case.onDevices ? EngineKind::gpu : EngineKind::cpu);
        const bool isHandedBack =
            part.plan.isGathered() && m_case.onDevices && m_case.filterOn != FilterOn::cpu;
        ASSERT_EQ(plan.filteredFrom.has_value(), isHandedBack);
        test::Seat row(*tables[static_cast<std::size_t>(part.row())], part.rank);
        test::Seat column(*tables[static_cast<std::size_t>(m_case.rows + part.column())],
                          part.rank);
        RankGroups groups;
        if (m_case.columns > 1) groups.row = &row;
        if (part.plan.isGathered()) groups.column = &column;
        if (m_case.moves)
            groups.nextPass =
                [&, made = std::size_t{0}](const std::stop_token&) mutable -> std::optional<Index> {
                const std::optional<Index> slab = nextSlab(part, made++);
                for (Index pass = 0; slab && pass < plan.passCount(); ++pass)
                    if (plan.pass(pass).assignments.front().slab == *slab) return pass;
                return std::nullopt;
            };
        MemorySink sink(spanOf(volume));
        RunObserver observer;
        observer.span = [&](const TimelineSpan& span) {
            const std::scoped_lock lock(m_mutex);
            m_spans.push_back(span);
        };
        const InvalidPixels found =
            reconstruct(*m_scan, m_request, plan, backends, sink, observer, {}, groups);
        const std::scoped_lock lock(m_mutex);
        m_invalid += found;
    }

    const Case m_case;
    HostBuffer<float> m_views;
    std::optional<OpenScan> m_scan;
    ReconstructionRequest m_request;
    std::mutex m_mutex;
    InvalidPixels m_invalid;
    std::vector<TimelineSpan> m_spans;
    std::vector<std::vector<Index>> m_given;  ///< [row] slabs
    std::vector<Index> m_left;
};

double relativeRmse(const std::vector<float>& volume, const std::vector<float>& reference) {
    double error = 0;
    double all = 0;
    for (std::size_t i = 0; i < volume.size(); ++i) {
        error += std::pow(static_cast<double>(volume[i]) - static_cast<double>(reference[i]), 2);
        all += std::pow(static_cast<double>(reference[i]), 2);
    }
    return std::sqrt(error / all);
}

class GridRun : public testing::TestWithParam<Case> {};

TEST_P(GridRun, MakesTheVolumeOfOneProcess) {
    Balls balls(GetParam());
    const std::vector<float> alone = balls.alone();
    const InvalidPixels looked = balls.invalid();
    const std::vector<float> together = balls.together();
    // Columns are summed in single precision, as batches of views are.
    EXPECT_LT(relativeRmse(together, alone), 1e-6);
    EXPECT_EQ(balls.invalid().pixels, looked.pixels) << "each pixel is looked at once";
    EXPECT_EQ(balls.invalid().notFinite, looked.notFinite);
    EXPECT_GT(looked.notFinite, 0);
    EXPECT_EQ(balls.invalid().zingers, looked.zingers);
    EXPECT_EQ(looked.zingers > 0, GetParam().corrections.hasZingers());
    EXPECT_EQ(balls.together(), together) << "the same plan makes the same volume";
}

TEST_P(GridRun, ResumesFromFinishedSlabs) {
    Balls balls(GetParam());
    const std::vector<float> alone = balls.alone();
    FinishedSlabs finished;
    for (const IndexRange slices : {IndexRange{0, 7}, {7, 12}, {12, 20}, {20, 26}, {26, 31}})
        finished.slabs.emplace_back(slices);
    finished.done = {1};
    std::vector<float> together = balls.together(finished);
    const std::size_t slice = 37 * 41;
    for (std::size_t i = 7 * slice; i < 12 * slice; ++i)
        ASSERT_EQ(together[i], 0) << "what is done is not made again";
    std::copy(alone.begin() + 7 * slice, alone.begin() + 12 * slice, together.begin() + 7 * slice);
    EXPECT_LT(relativeRmse(together, alone), 1e-6);
}

constexpr auto kGather = Exchange::gather;
constexpr auto kRows = Exchange::rows;
INSTANTIATE_TEST_SUITE_P(
    Grids, GridRun,
    testing::Values(
        Case{1, 1, kRows}, Case{1, 2, kRows, false, 9}, Case{2, 1, kGather},
        Case{2, 2, kGather, true, 5}, Case{2, 2, kRows, true, 5, 20},
        Case{3, 1, kGather, false, 4, 0, {4, -7, 9}}, Case{1, 5, kRows, true, 100, -15, {0, 0, 60}},
        Case{3, 2, kGather, false, 100, 12, {-6, 3, -11}, 7},
        Case{2, 3, kRows, false, 1, 0, {}, 64}, Case{7, 1, kGather, true, 3, 0, {0, 0, 20}, 3},
        Case{5, 1, kRows}, Case{2, 2, kGather, true, 4, 0, {}, 8, true},
        Case{2, 1, kGather, false, 5, 9, {}, 7, true, FilterOn::gpu},
        Case{3, 1, kGather, true, 6, 0, {2, 3, 7}, 2, true, FilterOn::gpu, 1.5},
        Case{2, 2, kGather, false, 8, 0, {}, 8, true, FilterOn::cpu},
        Case{1, 3, kRows, false, 6, 9, {2, 3, 7}, 5, true},
        Case{2, 1, kRows, false, 3, 0, {}, 8, false, FilterOn::automatic, 0, true},
        Case{3, 2, kRows, true, 2, 9, {2, 3, 7}, 8, false, FilterOn::automatic, 0, true},
        Case{2, 2, kRows, false, 4, 0, {}, 7, true, FilterOn::automatic, 0, true},
        Case{2, 2, kGather, true, 5, 9, {2, 3, 7}, 7, false, FilterOn::automatic, 1.5},
        Case{.rows = 2, .columns = 2, .max = 5, .offsetMm = 30, .isParallel = true},
        Case{.rows = 2, .exchange = kGather, .max = 6, .isParallel = true, .tiltDeg = 25},
        Case{.rows = 2,
             .columns = 2,
             .max = 6,
             .corrections = {.zingers = kZingers, .rings = kRings}},
        Case{.rows = 2,
             .exchange = kGather,
             .max = 9,
             .onDevices = true,
             .corrections = {.zingers = kZingers}}),
    [](const auto& of) {
        return std::to_string(of.param.rows) + "x" + std::to_string(of.param.columns) +
               std::string(name(of.param.exchange)) + std::to_string(of.index);
    });

TEST(GridRunTimeline, ShowsDevicesThatFilterWhatIsGathered) {
    for (const FilterOn place : {FilterOn::automatic, FilterOn::cpu}) {
        Balls balls({2, 1, kGather, false, 5, 0, {}, 8, true, place});
        (void)balls.together();
        std::map<std::string, Index> pixels;
        for (const TimelineSpan& span : balls.spans())
            if (span.stage == Stage::filter) pixels[span.lane] += span.bytes / 4;
        ASSERT_EQ(pixels.size(), 1U);
        EXPECT_EQ(pixels.begin()->first, place == FilterOn::cpu ? "filter" : "GPU 0 filter");
    }
}

TEST(GridRunTimeline, HasLanesForWhatRanksExchange) {
    Balls balls({2, 2, kGather, false, 5});
    (void)balls.together();
    std::map<std::string, Stage> lanes;
    for (const TimelineSpan& span : balls.spans())
        lanes[span.lane] = span.stage;
    ASSERT_TRUE(lanes.contains("gather"));
    ASSERT_TRUE(lanes.contains("reduce"));
    EXPECT_EQ(lanes["gather"], Stage::gather);
    EXPECT_EQ(lanes["reduce"], Stage::reduce);
    const TimelineSummary summary = summarise(balls.spans());
    const auto bytesOf = [&](Stage stage) {
        return summary.stages[static_cast<std::size_t>(stage)].bytes;
    };
    // Each voxel is stored once, and summed by the two ranks of its row.
    EXPECT_EQ(bytesOf(Stage::store), 37 * 41 * 31 * 4);
    EXPECT_EQ(bytesOf(Stage::reduce), 2 * bytesOf(Stage::store));
}

}  // namespace
}  // namespace gantry
