#include "ui/workspace/jobs/host_plan.h"

#include <gtest/gtest.h>

#include <QDir>
#include <QSettings>
#include <fstream>

#include "core/base/file.h"
#include "core/remote/shell/host_scan.h"
#include "tests/support/temporary_folder.h"
#include "tests/ui/support/ui_test.h"
#include "tests/ui/workspace/own_host.h"
#include "tests/ui/workspace/small_scan.h"
#include "ui/models/text.h"
#include "ui/workspace/scan/scan_document.h"

namespace gantry {
namespace {

using test::waitUntil;

class HostPlanTest : public testing::Test {
  protected:
    void SetUp() override {
        QSettings().clear();
        Host cluster = m_host.host("cluster");
        cluster.address = "nowhere";
        cluster.scheduler = Scheduler::slurm;
        cluster.maxNodes = 8;
        cluster.ranksPerNode = 4;
        cluster.gpusPerNode = 4;
        cluster.timeMinutes = 120;
        cluster.cluster = "h200";
        addHost(cluster);
        m_plan.reload();
        m_scan.open(toText(test::makeScan(m_folder / "scan")));
        ASSERT_TRUE(waitUntil([&] { return m_scan.openScan() && m_plan.known().size() == 2; }));
    }
    [[nodiscard]] bool isPlanned() {
        return waitUntil([&] { return !m_plan.isPlanning(); });
    }

    test::OwnHost m_host;
    test::TemporaryFolder m_folder;
    ScanDocument m_scan;
    HostPlan m_plan{m_scan};
};

TEST_F(HostPlanTest, ThisMachineDoesItUntilAHostIsChosen) {
    EXPECT_EQ(m_plan.host(), nullptr);
    EXPECT_FALSE(m_plan.order());
    m_plan.choose("cluster");
    ASSERT_TRUE(isPlanned());
    ASSERT_TRUE(m_plan.order()) << m_plan.problem().toStdString();
    EXPECT_NE(m_plan.order()->resources.reason.find("predicted to take"), std::string::npos);
    EXPECT_TRUE(m_plan.madeScript().contains("#SBATCH --gpus-per-node=4\n"));
    EXPECT_EQ(m_plan.order()->way, DataWay::sent);
    m_plan.choose({});
    EXPECT_FALSE(m_plan.order());
}

TEST_F(HostPlanTest, WishesComeToTheScript) {
    m_plan.choose("cluster");
    HostWishes wishes;
    wishes.nodes = 4;
    wishes.minutes = 60;
    wishes.bring = BringBack::preview;
    m_plan.setWishes(wishes);
    ASSERT_TRUE(isPlanned());
    EXPECT_EQ(m_plan.order()->resources.ranks(), 16);
    EXPECT_EQ(m_plan.order()->wishes.bring, BringBack::preview);
    EXPECT_TRUE(m_plan.madeScript().contains("--nodes=4\n"));
    EXPECT_TRUE(m_plan.madeScript().contains("--time=60\n"));
    wishes.script = "#!/bin/sh\nmine\n";
    m_plan.setWishes(wishes);
    ASSERT_TRUE(isPlanned());
    EXPECT_EQ(m_plan.order()->wishes.script, "#!/bin/sh\nmine\n");
}

TEST_F(HostPlanTest, AScanThatIsThereAlreadyNeedsItsPlace) {
    m_plan.choose("cluster");
    HostWishes wishes;
    wishes.way = DataWay::there;
    m_plan.setWishes(wishes);
    ASSERT_TRUE(isPlanned());
    EXPECT_FALSE(m_plan.order());
    EXPECT_TRUE(m_plan.problem().contains("where the scan is"));
    wishes.placeThere = "/data/scans/it's/scan.json";
    m_plan.setWishes(wishes);
    ASSERT_TRUE(isPlanned());
    ASSERT_TRUE(m_plan.order());
    const JobSpec spec = HostPlan::specFor(m_scan.request().job, *m_plan.order());
    EXPECT_EQ(spec.scan.path, "/data/scans/it's/scan.json");
    EXPECT_EQ(spec.scan.folder, "/data/scans/it's");
}

TEST_F(HostPlanTest, TheSameFilesNeedAMap) {
    m_plan.choose("cluster");
    HostWishes wishes;
    wishes.way = DataWay::mapped;
    m_plan.setWishes(wishes);
    ASSERT_TRUE(isPlanned());
    EXPECT_TRUE(m_plan.problem().contains("pathMap")) << m_plan.problem().toStdString();
    Host host = *m_plan.find("cluster");
    host.pathMap = {{m_folder.path().string(), "/net/scans"}};
    keepHost(host);
    m_plan.reload();
    ASSERT_TRUE(waitUntil([&] { return m_plan.order().has_value(); }));
    EXPECT_EQ(m_plan.order()->way, DataWay::mapped);
}

TEST_F(HostPlanTest, ADamagedFileIsListedAndSaysWhy) {
    writeFileAtomically(hostsFolder() / "bad.json", "{\"gantryHost\": 1}");
    m_plan.reload();
    ASSERT_TRUE(waitUntil([&] { return m_plan.known().size() == 3; }));
    EXPECT_EQ(m_plan.known().front().name, "bad");
    EXPECT_TRUE(m_plan.known().front().problem.contains("scratch"));
    EXPECT_EQ(m_plan.find("bad"), nullptr);
    m_plan.choose("cluster");
    removeHost("cluster");
    m_plan.reload();
    EXPECT_TRUE(waitUntil([&] { return m_plan.chosen().isEmpty(); }));
}

// A scan of the host "here", whose images are not looked at.
class PlanOfAHostsScanTest : public HostPlanTest {
  protected:
    void SetUp() override {
        HostPlanTest::SetUp();
        m_plan.choose("cluster");
        const std::filesystem::path copy =
            bringScan(m_host.host("here"), (m_folder / "scan/scan.json").string(), {});
        m_scan.open(toText(copy));
        ASSERT_TRUE(waitUntil([&] { return m_scan.there().has_value(); }));
        ASSERT_TRUE(isPlanned());
    }
};

TEST_F(PlanOfAHostsScanTest, ItsHostIsChosenAndNoImageIsNeeded) {
    EXPECT_EQ(m_plan.chosen(), "here");
    EXPECT_TRUE(m_plan.takesScanThere());
    EXPECT_TRUE(m_scan.lacksImagesOnly());
    EXPECT_EQ(m_scan.openScan(), nullptr);
    ASSERT_TRUE(m_plan.order()) << m_plan.problem().toStdString();
    EXPECT_EQ(m_plan.order()->way, DataWay::there);
    const JobSpec spec = HostPlan::specFor(m_scan.request().job, *m_plan.order());
    EXPECT_EQ(spec.scan.path, m_folder / "scan/scan.json");
    EXPECT_EQ(spec.scan.folder, m_folder / "scan");
    // The volume is not put beside the copy, where no one looks.
    EXPECT_EQ(spec.output.path.parent_path(), toPath(QDir::homePath()));
}

TEST_F(PlanOfAHostsScanTest, AWrongGeometryIsStillInTheWay) {
    m_scan.editJob([](JobSpec& job) { job.scan.geometry.cone().sourceToDetectorMm = 1; }, "test");
    EXPECT_FALSE(m_scan.lacksImagesOnly());
    ASSERT_TRUE(isPlanned());
    EXPECT_FALSE(m_plan.order());
    m_scan.undoStack().undo();
    ASSERT_TRUE(isPlanned());
    EXPECT_TRUE(m_plan.order());
}

TEST_F(PlanOfAHostsScanTest, OtherHostsAndThisMachineSeeNoImages) {
    m_plan.choose("cluster");
    ASSERT_TRUE(isPlanned());
    EXPECT_FALSE(m_plan.takesScanThere());
    EXPECT_FALSE(m_plan.order());
    m_plan.choose("here");
    EXPECT_TRUE(m_plan.takesScanThere());
    ASSERT_TRUE(isPlanned());
    EXPECT_TRUE(m_plan.order());
}

TEST_F(PlanOfAHostsScanTest, ThePlaceOfOneScanIsNotThatOfTheNext) {
    m_scan.open(toText(test::makeScan(m_folder / "other")));
    ASSERT_TRUE(waitUntil([&] { return m_scan.openScan() != nullptr; }));
    EXPECT_FALSE(m_scan.there());
    EXPECT_FALSE(m_plan.takesScanThere());
    EXPECT_FALSE(m_plan.wishes().way);
    EXPECT_TRUE(m_plan.wishes().placeThere.empty());
}

}  // namespace
}  // namespace gantry
