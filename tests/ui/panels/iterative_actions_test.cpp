#include "ui/panels/jobs/iterative_actions.h"

#include <gtest/gtest.h>

#include <QSettings>
#include <memory>

#include "core/base/file.h"
#include "tests/support/small_job.h"
#include "tests/support/temporary_folder.h"
#include "tests/ui/support/fake_machine.h"
#include "tests/ui/support/ui_test.h"
#include "tests/ui/workspace/small_scan.h"
#include "ui/models/text.h"
#include "ui/workspace/jobs/job_reading.h"
#include "ui/workspace/workspace.h"

namespace gantry {
namespace {

class IterativeActionsTest : public testing::Test {
  protected:
    void SetUp() override {
        QSettings().clear();
        m_scan = readScanFile(test::makeScan(m_folder / "scan"));
        m_workspace = std::make_unique<Workspace>(m_machine.machine(), m_machine.program());
        m_actions = std::make_unique<IterativeActions>(*m_workspace);
    }

    // A finished job of SIRT in the list, with its volume.
    JobEntry madeBySirt() {
        JobSpec spec = test::jobOf(m_scan, 12, m_folder / "sirt.mha");
        spec.method.method = Method::sirt;
        spec.method.iterations = 2;
        return made(spec);
    }
    JobEntry made(const JobSpec& spec) {
        (void)test::run(spec);
        const JobEntry entry = readJobEntry(toText(jobFolderFor(spec.output.path))).value();
        m_workspace->jobs().adopt(entry);
        return entry;
    }
    [[nodiscard]] bool waitForPair(const std::string& first, const std::string& second) {
        return test::waitUntil([&] {
            const auto a = m_workspace->volume().volume();
            const auto b = m_workspace->comparison().second();
            return a && b && a->path == toText(m_folder / first) &&
                   b->path == toText(m_folder / second);
        });
    }

    test::TemporaryFolder m_folder;
    ScanFile m_scan;
    test::FakeMachine m_machine;
    std::unique_ptr<Workspace> m_workspace;
    std::unique_ptr<IterativeActions> m_actions;
};

TEST_F(IterativeActionsTest, FurtherIterationsBeginFromTheVolume) {
    const JobEntry job = madeBySirt();
    m_actions->goOn(job);
    const auto request = [&] { return m_workspace->scan().request().job; };
    ASSERT_TRUE(test::waitUntil([&] { return request().method.isIterative(); }));
    EXPECT_EQ(request().method.start, (m_folder / "sirt.mha").string());
    EXPECT_EQ(request().method.iterations, 2);
    EXPECT_EQ(request().output.path, m_folder / "sirt-2.mha");
}

TEST_F(IterativeActionsTest, AVolumeByFdkOfTheSameScanIsShownBeside) {
    const JobEntry job = madeBySirt();
    // Neither another volume nor another method will do.
    (void)made(test::jobOf(m_scan, 10, m_folder / "coarse.mha"));
    (void)made(test::jobOf(m_scan, 12, m_folder / "fdk.mha"));
    (void)made(test::jobOf(m_scan, 11, m_folder / "other.mha"));
    m_actions->compareWithFdk(job);
    EXPECT_TRUE(waitForPair("sirt.mha", "fdk.mha"));
}

TEST_F(IterativeActionsTest, WithoutOneItIsMade) {
    m_actions->compareWithFdk(madeBySirt());
    EXPECT_TRUE(waitForPair("sirt.mha", "sirt-fdk.mha"));
}

}  // namespace
}  // namespace gantry
