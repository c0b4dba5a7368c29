#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "core/io/volume/read_volume.h"
#include "core/work/settled_spec.h"
#include "tests/support/small_job.h"
#include "tests/support/small_scan.h"
#include "tests/support/temporary_folder.h"

namespace gantry {
namespace {

// A job of a head that is wider than the detector.
class CutOffJob : public testing::Test {
  protected:
    void SetUp() override {
        SimulationSpec scan = test::smallScan(45, 60, 47, 410);
        scan.geometry.detector.pitchMm = {1.9, 1.9};
        m_spec = test::jobOf(test::simulated(scan, m_folder / "scan"), 40, m_folder / "volume.mha");
    }
    [[nodiscard]] SettledSpec settledBy(Settling by, const std::optional<Checkpoint>& begun = {}) {
        return settled(m_spec, begun, test::backends(), by, {});
    }

    test::TemporaryFolder m_folder;
    JobSpec m_spec;
};

TEST_F(CutOffJob, ExtendsRowsByItself) {
    const JobResult result = test::run(m_spec);
    EXPECT_TRUE(test::isNoted(result, "each row is continued beyond, by up to"));
    const Volume extended = readVolume(m_spec.output.path);
    m_spec.output.path = m_folder / "off.mha";
    m_spec.corrections.truncation.method = TruncationMethod::none;
    EXPECT_TRUE(test::isNoted(test::run(m_spec), "a bright rim and wrong levels"));
    EXPECT_GT(test::relativeRmse(extended, readVolume(m_spec.output.path)), 0.1);
}

// The other ranks take over what the first one finds; who resumes, what the first run has found.
TEST_F(CutOffJob, FindsTheExtensionOnce) {
    const SettledSpec first = settledBy(Settling::byTrial);
    ASSERT_TRUE(first.spec.extension && first.spec.extension->any());
    EXPECT_EQ(settledBy(Settling::byViews).spec.extension, first.spec.extension);
    EXPECT_EQ(settledBy(Settling::byRules).spec.extension, RowExtension());
    EXPECT_EQ(recordedChoices(first.spec).extension, *first.spec.extension);

    Checkpoint begun;
    begun.slabs = {{{0, 20}, {20, 40}}, {0}};
    EXPECT_EQ(settledBy(Settling::byTrial, begun).spec.extension, RowExtension())
        << "earlier versions extended none";
    begun.choices.extension = {3, 4, 0.5};
    EXPECT_EQ(settledBy(Settling::byTrial, begun).spec.extension, begun.choices.extension);
}

}  // namespace
}  // namespace gantry
