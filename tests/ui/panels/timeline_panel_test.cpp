#include "ui/panels/timeline/timeline_panel.h"

#include <gtest/gtest.h>

#include <QFileDialog>
#include <QFileInfo>
#include <QImage>
#include <QLabel>
#include <QMenu>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTabBar>
#include <QTableView>
#include <QTest>
#include <QToolButton>
#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/base/file.h"
#include "core/job/forecast_file.h"
#include "core/job/job_directory.h"
#include "tests/support/small_job.h"
#include "tests/support/temporary_folder.h"
#include "tests/ui/panels/timeline_spans.h"
#include "tests/ui/support/compared_pictures.h"
#include "tests/ui/support/fake_machine.h"
#include "tests/ui/support/ui_test.h"
#include "tests/ui/workspace/small_scan.h"
#include "ui/models/text.h"
#include "ui/panels/timeline/timeline_view.h"
#include "ui/workspace/jobs/job_reading.h"
#include "ui/workspace/workspace.h"

namespace gantry {
namespace {

class TimelinePanelTest : public testing::Test {
  protected:
    void select() { m_workspace.selection().setJobFolder(toText(m_folder.path())); }
    void open(QSize size = {1600, 280}) {
        select();
        test::show(m_panel, size);
        ASSERT_TRUE(test::waitUntil([&] { return view().isVisible(); }));
    }
    void writeRun(int batches = 60) {
        Forecast forecast;
        forecast.load = 0.9;
        forecast.prepare = 0.3;
        forecast.filter = 1.2;
        forecast.backproject = 2.4;
        forecast.store = 0.3;
        forecast.wall = 2.9;
        writeForecast(m_folder.path(), forecast);
        test::writeState(m_folder.path(), JobState::running);
        test::writeSpans(m_folder.path(), test::pipelineSpans(batches));
    }
    template <class T>
    T& part(const char* name) {
        return *m_panel.findChild<T*>(name);
    }
    TimelineView& view() { return part<TimelineView>("timelineView"); }
    QString text(const char* label) { return part<QLabel>(label).text(); }
    QString cell(const char* table, int row, int column) {
        return part<QTableView>(table).model()->index(row, column).data().toString();
    }
    // No cell is wider than its column.
    void expectWhole(const char* table) {
        auto& shown = part<QTableView>(table);
        const QAbstractItemView& base = shown;
        for (int column = 0; column < shown.model()->columnCount(); ++column) {
            if (shown.isColumnHidden(column)) continue;
            EXPECT_LE(base.sizeHintForColumn(column), shown.columnWidth(column))
                << table << " " << column;
        }
    }
    QString emptySentence() {
        for (const QLabel* label : m_panel.findChildren<QLabel*>())
            if (label->isVisible()) return label->text();
        return {};
    }

    test::TemporaryFolder m_folder;
    test::FakeMachine m_machine;
    Workspace m_workspace{m_machine.machine(), m_machine.program()};
    TimelinePanel m_panel{m_workspace};
};

TEST_F(TimelinePanelTest, SaysInOneSentenceWhatToDoWhileThereIsNothing) {
    test::show(m_panel, {1000, 200});
    EXPECT_TRUE(emptySentence().contains("select a job")) << emptySentence().toStdString();
    select();
    EXPECT_TRUE(test::waitUntil([&] { return emptySentence().contains("No stage has finished"); }));
    test::screenshots(m_panel, "timeline-empty");
}

TEST_F(TimelinePanelTest, FillsWhileTheJobRuns) {
    writeRun(20);
    open();
    ASSERT_TRUE(test::waitUntil([&] { return text("timelineWall").contains("forecast 2.90 s"); }));
    EXPECT_TRUE(part<QToolButton>("timelineFollow").isEnabled());
    EXPECT_TRUE(part<QToolButton>("timelineFollow").isChecked());
    test::screenshots(m_panel, "timeline-live");
    const QString before = cell("timelineStages", 0, 1);
    std::vector<TimelineSpan> later = test::pipelineSpans(20);
    for (TimelineSpan& span : later) {
        span.beginNs += 3'000'000'000;
        span.endNs += 3'000'000'000;
        span.slab = 1;
    }
    test::writeSpans(m_folder.path(), later);
    EXPECT_TRUE(test::waitUntil([&] { return cell("timelineStages", 0, 1) != before; }));
    test::writeState(m_folder.path(), JobState::done);
    EXPECT_TRUE(test::waitUntil([&] { return !part<QToolButton>("timelineFollow").isEnabled(); }));
}

TEST_F(TimelinePanelTest, FiguresAreOfTheRunOrOfWhatIsSelected) {
    writeRun();
    test::writeState(m_folder.path(), JobState::done);
    open();
    EXPECT_EQ(cell("timelineStages", 0, 0), "load");
    EXPECT_EQ(cell("timelineStages", 0, 4), "0.90 s");
    EXPECT_EQ(text("timelineBound"), "Bound by back-project");
    EXPECT_TRUE(text("timelineOverlap").startsWith("Overlap 1.") ||
                text("timelineOverlap").startsWith("Overlap 2."));
    EXPECT_TRUE(part<QLabel>("timelineOverlap").toolTip().contains("wall time"));
    const QPoint from = view().pointOf(1, 500'000'000).toPoint();
    test::drag(view(), from, from + QPoint(150, 0), Qt::LeftButton, Qt::ShiftModifier);
    EXPECT_TRUE(text("timelineWall").startsWith("Selected 0."));
    EXPECT_EQ(cell("timelineStages", 0, 4), "–");
    test::screenshots(m_panel, "timeline-selection");
    QTest::keyClick(&view(), Qt::Key_Escape);
    EXPECT_TRUE(text("timelineWall").startsWith("Wall "));
}

// 2 s of work, killed; resumed 12 min later, and done after 1 s more.
TEST_F(TimelinePanelTest, APauseIsMarkedAndIsNotWaiting) {
    constexpr std::int64_t kS = 1'000'000'000;
    const auto state = [](const char* name, std::int64_t ns) {
        return QString(R"({"event":"state","t":%1,"state":"%2"})").arg(ns).arg(name) + '\n';
    };
    const auto span = [](const char* stage, int batch, std::int64_t begin, std::int64_t end) {
        return QString(R"({"event":"span","rank":0,"lane":"%1","stage":"%1","beginNs":%2,)"
                       R"("endNs":%3,"slab":0,"batch":%4})")
                   .arg(stage)
                   .arg(begin)
                   .arg(end)
                   .arg(batch) +
               '\n';
    };
    const std::int64_t again = 722 * kS;
    const QString log = R"({"event":"start","t":0,"epochNs":1})" + QString("\n") +
                        state("running", 0) + span("load", 0, 0, kS) +
                        span("filter", 0, kS, 2 * kS) + state("running", again) +
                        span("load", 1, again, again + kS / 2) +
                        span("filter", 1, again + kS / 2, again + kS) + state("done", again + kS);
    writeFileAtomically(m_folder / "events.jsonl", log.toStdString());
    open();
    EXPECT_EQ(text("timelineWall"), "Wall 3.00 s, paused 12 min");
    EXPECT_EQ(text("timelineOverlap"), "Overlap 1.00");
    EXPECT_EQ(cell("timelineStages", 0, 2), "50 %");
    auto& gaps = part<QTableView>("timelineGaps");
    for (int row = 0; row < gaps.model()->rowCount(); ++row)
        EXPECT_TRUE(cell("timelineGaps", row, 0).startsWith("1.00 s") ||
                    cell("timelineGaps", row, 0).startsWith("0.50 s"))
            << cell("timelineGaps", row, 0).toStdString();
    // The whole of the work is seen, with one mark where it was paused.
    EXPECT_NEAR(view().pointOf(0, 3 * kS).x() - view().pointOf(0, 0).x(),
                view().width() - view().pointOf(0, 0).x(), 2);
    QTest::mouseMove(&view(), view().pointOf(0, 2 * kS).toPoint());
    const auto* tip = view().findChild<QLabel*>("timelineTip");
    ASSERT_TRUE(test::waitUntil([&] { return tip->text().contains("paused 12 min"); }));
    EXPECT_FALSE(tip->text().contains("waited"));
    test::screenshots(m_panel, "timeline-paused");
    m_panel.exportTrace(toText(m_folder / "trace.json"));
    ASSERT_TRUE(test::waitUntil([&] { return pathExists(m_folder / "trace.json"); }));
    EXPECT_NE(readTextFile(m_folder / "trace.json").find("\"ts\":722000000.000"),
              std::string::npos);
}

TEST_F(TimelinePanelTest, ACancelledJobIsResumedWhereItSaysSo) {
    const ScanFile scan = readScanFile(test::makeScan(m_folder / "scan"));
    const JobSpec spec = test::jobOf(scan, 24, m_folder / "volume.mha");
    const std::filesystem::path folder = jobFolderFor(spec.output.path);
    (void)JobDirectory::create(folder, spec);
    test::writeState(folder, JobState::running);
    test::writeSpans(folder, test::pipelineSpans(5));
    test::writeState(folder, JobState::cancelled);
    m_workspace.jobs().adopt(readJobEntry(toText(folder)).value());
    m_workspace.selection().setJobFolder(toText(folder));
    test::show(m_panel, {1600, 280});
    auto& resume = part<QToolButton>("timelineResume");
    ASSERT_TRUE(test::waitUntil([&] { return resume.isVisible(); }));
    EXPECT_EQ(text("timelineNote"), "Cancelled");
    test::screenshots(m_panel, "timeline-cancelled");
    QTest::mouseClick(&resume, Qt::LeftButton);
    EXPECT_FALSE(resume.isVisible());
    EXPECT_TRUE(test::waitUntil(
        [&] { return m_workspace.jobs().find(toText(folder))->status.state == JobState::done; }));
}

TEST_F(TimelinePanelTest, AGapOfTheListIsShownWhenClicked) {
    writeRun();
    test::writeState(m_folder.path(), JobState::done);
    open();
    auto& tabs = part<QTabBar>("timelineFiguresTabs");
    QTest::mouseClick(&tabs, Qt::LeftButton, {}, tabs.tabRect(1).center());
    auto& gaps = part<QTableView>("timelineGaps");
    ASSERT_GT(gaps.model()->rowCount(), 2);
    const TimeAxis before = view().axis();
    QTest::mouseClick(gaps.viewport(), Qt::LeftButton, {},
                      gaps.visualRect(gaps.model()->index(2, 1)).center());
    EXPECT_LT(view().axis().nsPerPixel, before.nsPerPixel);
    test::screenshots(m_panel, "timeline-gap");
    QTest::mouseClick(&part<QToolButton>("timelineFit"), Qt::LeftButton);
    EXPECT_EQ(view().axis(), before);
}

TEST_F(TimelinePanelTest, ShowsTheMomentUnderThePointerInTheStatus) {
    writeRun();
    open();
    QTest::mouseMove(&view(), view().pointOf(1, 1'000'000'000).toPoint());
    test::pass(20);
    EXPECT_TRUE(m_workspace.selection().readout().startsWith("t 1.0") ||
                m_workspace.selection().readout().startsWith("t 0.99"))
        << m_workspace.selection().readout().toStdString();
}

TEST_F(TimelinePanelTest, ExportsATraceThatCanBeReadAgain) {
    writeRun(5);
    open();
    QSignalSpy said(&m_workspace, &Workspace::messageRaised);
    part<QToolButton>("timelineExport").menu()->actions().front()->trigger();
    auto* dialog = m_panel.findChild<QFileDialog*>("timelineSaveDialog");
    ASSERT_NE(dialog, nullptr);
    dialog->selectFile(toText(m_folder / "trace.json"));
    QMetaObject::invokeMethod(dialog, "accept");
    ASSERT_TRUE(test::waitUntil([&] { return said.count() == 1; }));
    const auto trace = nlohmann::json::parse(readTextFile(m_folder / "trace.json"));
    int spans = 0;
    for (const auto& event : trace.at("traceEvents"))
        spans += event.at("ph") == "X" ? 1 : 0;
    EXPECT_EQ(spans, static_cast<int>(test::pipelineSpans(5).size()));
}

TEST_F(TimelinePanelTest, ExportsAPictureAndSaysWhereItCannot) {
    writeRun(20);
    open();
    QSignalSpy said(&m_workspace, &Workspace::messageRaised);
    m_panel.exportPicture(toText(m_folder / "timeline.png"));
    ASSERT_TRUE(test::waitUntil([&] { return said.count() == 1; }));
    const QImage image(toText(m_folder / "timeline.png"));
    EXPECT_GT(image.width(), 2000);
    EXPECT_GT(image.height(), 200);
    m_panel.exportPicture("/nowhere/timeline.png");
    ASSERT_TRUE(test::waitUntil([&] { return said.count() == 2; }));
    const auto message = said.back().front().value<Message>();
    EXPECT_EQ(message.kind, Message::Kind::error);
    EXPECT_TRUE(message.text.contains("/nowhere"));
}

TEST_F(TimelinePanelTest, FitsIntoASmallDock) {
    writeRun();
    test::writeState(m_folder.path(), JobState::done);
    open({800, 200});
    EXPECT_TRUE(part<QTableView>("timelineStages").isVisible());
    EXPECT_FALSE(part<QTableView>("timelineGaps").isVisible());
    expectWhole("timelineStages");
    test::screenshots(m_panel, "timeline-small");
    auto& tabs = part<QTabBar>("timelineFiguresTabs");
    QTest::mouseClick(&tabs, Qt::LeftButton, {}, tabs.tabRect(1).center());
    EXPECT_TRUE(part<QTableView>("timelineGaps").isVisible());
    expectWhole("timelineGaps");
    test::screenshots(m_panel, "timeline-small-gaps");
}

// The panel is as wide as beside the fields of a screen of 1280 x 800.
TEST_F(TimelinePanelTest, BesideTheFieldsOfASmallScreenNothingIsCutOff) {
    writeRun();
    test::writeState(m_folder.path(), JobState::done);
    m_panel.setMinimumWidth(300);  // as the window does
    open({583, 184});
    for (const char* name : {"timelineExport", "timelineFit", "timelineWall", "timelineStages"}) {
        const auto& each = part<QWidget>(name);
        EXPECT_TRUE(each.isVisible()) << name;
        EXPECT_TRUE(m_panel.rect().contains(QRect(each.mapTo(&m_panel, QPoint()), each.size())))
            << name;
        EXPECT_GE(each.width(), std::min(each.sizeHint().width(), 200)) << name;
    }
    EXPECT_GE(part<QLabel>("timelineJob").width(), 60) << "the job's name";
    EXPECT_GE(view().width(), 320);
    auto& stages = part<QTableView>("timelineStages");
    EXPECT_TRUE(stages.horizontalScrollBar()->maximum() > 0) << "the rest is scrolled to";
    EXPECT_TRUE(part<QLabel>("timelineBound").isVisible() ||
                part<QLabel>("timelineWall").toolTip().contains("Bound by"));
    test::screenshots(m_panel, "timeline-narrow");
    m_panel.resize(800, 200);
    test::pass(50);
    expectWhole("timelineStages");
}

TEST_F(TimelinePanelTest, ShowsBothTablesWholeWhereThereIsRoom) {
    writeRun(400);
    std::vector<TimelineSpan> other = test::pipelineSpans(400, 37, 1);
    test::writeSpans(m_folder.path(), other);
    test::writeState(m_folder.path(), JobState::done);
    open({1900, 280});
    EXPECT_TRUE(part<QTableView>("timelineGaps").isVisible());
    EXPECT_TRUE(part<QTableView>("timelineStages").isVisible());
    expectWhole("timelineStages");
    expectWhole("timelineGaps");
    test::screenshots(m_panel, "timeline-wide");
}

using PicturesOfTimeline = TimelinePanelTest;

TEST_F(PicturesOfTimeline, LookAsBefore) {
    const std::filesystem::path folder = m_folder / "walnut.mha.job";
    std::filesystem::create_directory(folder);
    test::writeState(folder, JobState::running);
    test::writeSpans(folder, test::pipelineSpans(60));
    test::writeSpans(folder, test::pipelineSpans(60, 37, 1));
    test::writeState(folder, JobState::done);
    m_workspace.selection().setJobFolder(toText(folder));
    test::show(m_panel, {1200, 280});
    ASSERT_TRUE(test::waitUntil([&] { return view().isVisible(); }));
    test::comparePictures(m_panel, "timeline");
}

}  // namespace
}  // namespace gantry
