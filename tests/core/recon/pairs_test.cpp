#include <gtest/gtest.h>

#include <atomic>
#include <optional>
#include <utility>
#include <vector>

#include "core/io/volume/memory_sink.h"
#include "core/recon/reconstruct.h"
#include "tests/support/cpu_backends.h"
#include "tests/support/cpu_device.h"
#include "tests/support/noise_scan.h"

// Slabs that are pairs of ranges, against the same slices in slabs of one range each.
namespace gantry {
namespace {

ScanGeometry someGeometry() {
    ScanGeometry geometry;
    geometry.cone().sourceToIsocenterMm = 300;
    geometry.cone().sourceToDetectorMm = 470;
    geometry.cone().views = 23;
    geometry.detector = {.columns = 37, .rows = 61, .pitchMm = {2.1, 1.7}, .offsetMm = {0.8, 0}};
    return geometry;
}

struct Made {
    std::vector<float> volume;
    InvalidPixels invalid;
    Index loadedBytes = 0;

    friend bool operator==(const Made& a, const Made& b) {
        return a.volume == b.volume && a.invalid == b.invalid;
    }
};

// A scan of noise and a volume off its middle: slices 0 to 30 mirror each other, 31 to 34 nothing.
class PairsTest : public testing::Test {
  protected:
    PairsTest() { see(); }
    void see() {
        m_scan.emplace(test::noiseScan(m_geometry));
        m_request.volume = {{29, 27, 35}, {2, 2, 1.6}, {1, -2, 3.2}};
        m_request.threads = 2;
        m_request.batchViews = 5;
    }

    Made made(const std::vector<IndexRanges>& slabs, const Backends& all) {
        const JobPlan plan = test::planned(*m_scan, m_request, all, FinishedSlabs{slabs, {}});
        const auto [nX, nY, nZ] = m_request.volume.voxels;
        Made result;
        result.volume.resize(static_cast<std::size_t>(nX * nY * nZ));
        MemorySink sink({result.volume.data(), nZ, nY, nX});
        RunObserver observer;
        std::atomic<Index> loaded = 0;
        observer.span = [&](const TimelineSpan& span) {
            if (span.stage == Stage::load) loaded += span.bytes;
        };
        result.invalid = reconstruct(*m_scan, m_request, plan, all, sink, observer, {});
        sink.finish();
        result.loadedBytes = loaded;
        return result;
    }

    ScanGeometry m_geometry = someGeometry();
    std::optional<OpenScan> m_scan;
    ReconstructionRequest m_request;
    const std::vector<IndexRanges> m_pairs = {
        {{0, 5}, {26, 31}}, {{5, 9}, {22, 26}}, {9, 22}, {31, 35}};
    const std::vector<IndexRanges> m_plain = {{0, 5},   {5, 9},   {9, 22},
                                              {22, 26}, {26, 31}, {31, 35}};
};

TEST_F(PairsTest, OnTheCpuGiveTheSameVolumeByteForByte) {
    const Backends all = test::backends();
    for (const char* kernel : {kUsualCpuKernel, kReferenceKernel}) {
        m_request.cpuKernel = kernel;
        const Made plain = made(m_plain, all);
        const Made pairs = made(m_pairs, all);
        EXPECT_TRUE(pairs == plain) << kernel;
        EXPECT_GT(pairs.invalid.negative, 0);
        EXPECT_GT(pairs.invalid.bad, 0);
    }
    // A kernel that makes each voxel by itself makes the same in one slab of all slices.
    EXPECT_TRUE(made(m_pairs, all).volume == made({{0, 35}}, all).volume);
}

TEST_F(PairsTest, OfARolledOrWideDetectorGiveTheSame) {
    const Backends all = test::backends();
    m_request.cpuKernel = kReferenceKernel;
    for (const auto& [rollDeg, offsetMm] : {std::pair(2.0, 0.8), std::pair(0.0, 14.0)}) {
        m_geometry.detector.rollDeg = rollDeg;
        m_geometry.detector.offsetMm[0] = offsetMm;
        see();
        EXPECT_TRUE(made(m_pairs, all) == made(m_plain, all)) << rollDeg;
    }
}

TEST_F(PairsTest, ReadOnlyTheRowsThatTheyNeed) {
    const Backends all = test::backends();
    const JobPlan plan = test::planned(*m_scan, m_request, all, FinishedSlabs{m_pairs, {}});
    ASSERT_EQ(plan.slabs[0].rows.parts().size(), 2U);
    EXPECT_LT(plan.slabs[0].rows.size(), plan.slabs[0].rows.hull().size());
    Index rows = 0;
    for (const PassPlan& pass : plan.passes)
        rows += pass.rows.size();
    EXPECT_EQ(made(m_pairs, all).loadedBytes, rows * 23 * 37 * 2);
}

TEST_F(PairsTest, HoldTheMemoryOfBothBlocks) {
    const Backends all = test::backends();
    const JobPlan pair = test::planned(*m_scan, m_request, all, FinishedSlabs{m_pairs, {1, 2, 3}});
    ASSERT_EQ(pair.slabs[0].rows.parts().size(), 2U);
    const Index rows = pair.slabs[0].rows.size();
    const JobPlan lower =
        test::planned(*m_scan, m_request, all, FinishedSlabs{{{0, 5}, {5, 35}}, {1}});
    const Index lowerRows = lower.slabs[0].rows.size();
    // Stored and filtered views of the upper rows too, in every slot.
    const Index batches = pair.ringSlots * 5 * (rows - lowerRows) * 37 * (2 + 4);
    EXPECT_GE(pair.hostBytes - lower.hostBytes, batches + 5 * 29 * 27 * 4);
}

TEST_F(PairsTest, OnDevicesThatShareTheViewsGiveTheSame) {
    for (const FilterOn place : {FilterOn::automatic, FilterOn::cpu})
        for (const std::size_t count : {1U, 2U, 3U}) {
            test::CpuDeviceLog log;
            Backends all = test::backends();
            all.gpu = test::cpuDevices(std::vector<test::CpuDeviceSpec>(count), log);
            m_request.filterOn = place;
            const Made plain = made(m_plain, all);
            const Made pairs = made(m_pairs, all);
            EXPECT_TRUE(pairs.volume == plain.volume) << count;
            EXPECT_EQ(pairs.invalid, plain.invalid) << count;
        }
}

}  // namespace
}  // namespace gantry
