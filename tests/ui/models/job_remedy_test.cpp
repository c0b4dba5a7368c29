#include "ui/models/job_remedy.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/base/file.h"
#include "tests/core/recon/scan_and_job.h"
#include "tests/support/temporary_folder.h"
#include "ui/models/job_volume.h"

namespace gantry {
namespace {

constexpr MachineRates kRates = {1e9, 1e9, 1e9, 1e9, 1e9};

class JobRemedyTest : public testing::Test {
  protected:
    void SetUp() override {
        SimulationSpec spec = test::smallScan(18, 24, 16, 384);
        spec.fieldFrames = 2;
        const ScanFile file = test::simulated(spec, m_folder / "scan");
        m_scan.emplace(openScan(file));
        m_spec = test::jobOf(file, 24, m_folder / "volume.mha");
    }

    [[nodiscard]] Refusal refused(const JobSpec& spec) const {
        const auto answer = forecastOrRefusal(*m_scan, spec, test::backends(), kRates, {});
        const Refusal* refusal = std::get_if<Refusal>(&answer);
        EXPECT_NE(refusal, nullptr) << "the request was not refused";
        return refusal ? *refusal : Refusal();
    }
    static const Remedy* find(const Refusal& refusal, const QString& text) {
        const auto found =
            std::find_if(refusal.remedies.begin(), refusal.remedies.end(),
                         [&](const Remedy& remedy) { return remedy.text.contains(text); });
        return found == refusal.remedies.end() ? nullptr : &*found;
    }
    // Every remedy is one.
    void expectMended(const Refusal& refusal) const {
        for (const Remedy& remedy : refusal.remedies) {
            if (!remedy.spec) continue;
            const auto answer =
                forecastOrRefusal(*m_scan, *remedy.spec, test::backends(), kRates, {});
            EXPECT_TRUE(std::holds_alternative<JobForecast>(answer)) << remedy.text.toStdString();
        }
    }

    test::TemporaryFolder m_folder;
    std::optional<OpenScan> m_scan;
    JobSpec m_spec;
};

TEST_F(JobRemedyTest, WhatFitsIsForetold) {
    const auto answer = forecastOrRefusal(*m_scan, m_spec, test::backends(), kRates, {});
    ASSERT_TRUE(std::holds_alternative<JobForecast>(answer));
    EXPECT_GT(std::get<JobForecast>(answer).seconds.wall, 0);
}

TEST_F(JobRemedyTest, TooLittleMemoryIsMendedByMore) {
    m_spec.memoryBytes = 1'000'000;
    const Refusal refusal = refused(m_spec);
    EXPECT_TRUE(refusal.sentence.contains("1.00 MB"));
    ASSERT_NE(find(refusal, "memory"), nullptr);
    EXPECT_EQ(find(refusal, "memory")->spec->memoryBytes, 0);
    expectMended(refusal);
}

TEST_F(JobRemedyTest, TooLittleDiskIsMendedByLess) {
    // Too large by a half for the disk as floats, and not as 16 bits.
    const auto free = static_cast<double>(freeDiskBytes(m_spec.output.path));
    const auto across = static_cast<Index>(std::cbrt(free / 3));
    m_spec.volume = {{across, across, across}, {0, 0, 0}, {0, 0, 0}};
    m_spec.volume.pitchMm.fill(100.0 / static_cast<double>(across));
    const Refusal refusal = refused(m_spec);
    EXPECT_TRUE(refusal.sentence.contains("disk"));
    EXPECT_NE(find(refusal, "16-bit"), nullptr);
    EXPECT_NE(find(refusal, "voxels"), nullptr);
    ASSERT_NE(find(refusal, "another place"), nullptr);
    EXPECT_FALSE(find(refusal, "another place")->spec);
    expectMended(refusal);
    // Without a range the floats are on the disk, too, until the range is known.
    m_spec.output.type = PixelType::uint16;
    EXPECT_GT(diskBytesNeeded(m_spec), static_cast<Index>(free));
}

TEST_F(JobRemedyTest, AMissingFolderIsMendedByAnother) {
    m_spec.output.path = m_folder / "nowhere" / "volume.mha";
    const Refusal refusal = refused(m_spec);
    EXPECT_TRUE(refusal.sentence.contains("nowhere"));
    EXPECT_NE(find(refusal, "another place"), nullptr);
    EXPECT_EQ(refusal.remedies.size(), 1u);
}

TEST_F(JobRemedyTest, AMissingGpuIsMendedByTheCpu) {
    m_spec.engine = Engine::gpu;
    const Refusal refusal = refused(m_spec);
    EXPECT_TRUE(refusal.sentence.contains("this test has none"));
    ASSERT_EQ(refusal.remedies.size(), 1u);
    expectMended(refusal);
}

}  // namespace
}  // namespace gantry
