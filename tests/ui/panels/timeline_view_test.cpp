#include "ui/panels/timeline/timeline_view.h"

#include <gtest/gtest.h>

#include <QLabel>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTest>

#include "tests/ui/panels/timeline_spans.h"
#include "tests/ui/support/compared_pictures.h"
#include "tests/ui/support/ui_test.h"
#include "ui/models/timeline/stage_colours.h"

namespace gantry {
namespace {

std::shared_ptr<const TimelineSnapshot> snapshotOf(const std::vector<TimelineSpan>& spans,
                                                   bool isOver = true) {
    auto snapshot = std::make_shared<TimelineSnapshot>();
    snapshot->folder = "/job";
    snapshot->store.append(spans);
    snapshot->isOver = isOver;
    snapshot->uses = laneUse(snapshot->store, isOver);
    snapshot->summary = snapshot->store.summary();
    return snapshot;
}

class TimelineViewTest : public testing::Test {
  protected:
    TimelineViewTest() : m_spans(test::pipelineSpans(30)), m_snapshot(snapshotOf(m_spans)) {
        m_view.setSnapshot(m_snapshot);
        test::show(m_view, {1000, 200});
        m_view.setFocus();
    }
    std::int64_t middle() const { return m_snapshot->run().endNs / 2; }
    double left() const { return m_view.pointOf(0, m_view.axis().beginNs).x(); }
    double plotWidth() const { return m_view.width() - left(); }
    bool isFitted() const {
        return m_view.axis() == TimeAxis::fitted(m_snapshot->run(), plotWidth());
    }
    QString tip() const {
        const auto* label = m_view.findChild<QLabel*>("timelineTip");
        return label->isVisible() ? label->text() : QString();
    }
    void hover(QPointF at) {
        QTest::mouseMove(&m_view, at.toPoint());
        test::pass(20);
    }
    void press(Qt::Key key) { QTest::keyClick(&m_view, key); }

    std::vector<TimelineSpan> m_spans;
    std::shared_ptr<const TimelineSnapshot> m_snapshot;
    TimelineView m_view;
};

TEST_F(TimelineViewTest, ShowsTheWholeRunInTheStagesColours) {
    EXPECT_TRUE(isFitted());
    const QImage image = m_view.grab().toImage();
    const TimelineLane& lane = m_snapshot->store.lanes()[2];
    ASSERT_EQ(lane.name, "back-project");
    const LaneSpan& span = lane.rows[0][15];  // the long one
    const QPointF at = m_view.pointOf(2, span.beginNs + (span.endNs - span.beginNs) / 4);
    const double ratio = image.devicePixelRatio();
    EXPECT_EQ(image.pixelColor((at * ratio).toPoint()).rgb(),
              stageColour(Stage::backproject).rgb());
}

TEST_F(TimelineViewTest, WheelZoomsAtThePointerAndDragPans) {
    const QPointF at = m_view.pointOf(2, middle());
    test::wheel(m_view, at, 5);
    EXPECT_FALSE(isFitted());
    EXPECT_NEAR(m_view.pointOf(2, middle()).x(), at.x(), 1);
    test::drag(m_view, at.toPoint(), at.toPoint() + QPoint(120, 0));
    EXPECT_NEAR(m_view.pointOf(2, middle()).x(), at.x() + 120, 1);
    test::wheel(m_view, at, 2, Qt::ControlModifier);
    test::drag(m_view, at.toPoint(), at.toPoint() - QPoint(120, 0), Qt::MiddleButton);
    QTest::mouseDClick(&m_view, Qt::LeftButton, {}, at.toPoint());
    EXPECT_TRUE(isFitted());
}

TEST_F(TimelineViewTest, ZoomsToFractionsOfAMicrosecondAndBack) {
    const QPointF at = m_view.pointOf(2, middle());
    for (int i = 0; i < 60; ++i)
        test::wheel(m_view, at, 2);
    EXPECT_LE(m_view.axis().nsPerPixel, 1000);
    EXPECT_NEAR(m_view.pointOf(2, middle()).x(), at.x(), 60);
    m_view.grab();
    for (int i = 0; i < 60; ++i)
        test::wheel(m_view, at, -2);
    EXPECT_TRUE(isFitted());
}

TEST_F(TimelineViewTest, KeysDoWhatTheMouseDoes) {
    press(Qt::Key_Plus);
    press(Qt::Key_Plus);
    EXPECT_FALSE(isFitted());
    const TimeAxis zoomed = m_view.axis();
    press(Qt::Key_Right);
    EXPECT_GT(m_view.axis().beginNs, zoomed.beginNs);
    press(Qt::Key_Left);
    EXPECT_NEAR(static_cast<double>(m_view.axis().beginNs), static_cast<double>(zoomed.beginNs), 9);
    press(Qt::Key_End);
    EXPECT_NEAR(m_view.pointOf(0, m_snapshot->run().endNs).x(), m_view.width(), 2);
    press(Qt::Key_Home);
    EXPECT_EQ(m_view.axis().beginNs, m_snapshot->run().beginNs);
    press(Qt::Key_Minus);
    press(Qt::Key_F);
    EXPECT_TRUE(isFitted());
    press(Qt::Key_Plus);
    press(Qt::Key_0);
    EXPECT_TRUE(isFitted());
}

TEST_F(TimelineViewTest, TellsAtOnceWhatIsUnderThePointer) {
    const LaneSpan& span = m_snapshot->store.lanes()[2].rows[0][15];
    const QPointF at = m_view.pointOf(2, (span.beginNs + span.endNs) / 2);
    hover(at);
    EXPECT_TRUE(tip().contains("back-project")) << tip().toStdString();
    EXPECT_TRUE(tip().contains("batch 15"));
    EXPECT_TRUE(tip().contains("GUPS"));
    const auto* label = m_view.findChild<QLabel*>("timelineTip");
    EXPECT_FALSE(label->geometry().contains(m_view.mapToGlobal(at.toPoint())));
    // Meanwhile load had no room, and says so.
    hover(m_view.pointOf(0, (span.beginNs + span.endNs) / 2));
    EXPECT_TRUE(tip().contains("back-project to make room")) << tip().toStdString();
    hover({3, 3});
    EXPECT_TRUE(tip().isEmpty());
}

TEST_F(TimelineViewTest, ShiftDragSelectsAStretchAndEscTakesItAway) {
    QSignalSpy changes(&m_view, &TimelineView::selectionChanged);
    const QPoint from = m_view.pointOf(1, middle()).toPoint();
    test::drag(m_view, from, from + QPoint(100, 0), Qt::LeftButton, Qt::ShiftModifier);
    ASSERT_TRUE(m_view.selection());
    EXPECT_NEAR(static_cast<double>(m_view.selection()->lengthNs()), 100 * m_view.axis().nsPerPixel,
                3 * m_view.axis().nsPerPixel);
    EXPECT_GT(changes.count(), 0);
    EXPECT_TRUE(isFitted()) << "selecting does not pan";
    press(Qt::Key_Escape);
    EXPECT_FALSE(m_view.selection());
    test::drag(m_view, from, from + QPoint(-5000, 0), Qt::LeftButton, Qt::ShiftModifier);
    EXPECT_EQ(m_view.selection()->beginNs, m_snapshot->run().beginNs);
    QTest::mouseClick(&m_view, Qt::LeftButton, {}, from);
    EXPECT_FALSE(m_view.selection());
}

TEST_F(TimelineViewTest, FollowsTheEndOfALiveRunUntilTheUserLooksElsewhere) {
    const auto half = std::vector(m_spans.begin(), m_spans.begin() + 60);
    const auto more = std::vector(m_spans.begin(), m_spans.begin() + 90);
    m_view.setSnapshot(nullptr);
    m_view.setSnapshot(snapshotOf(half, false));
    m_view.setFollowing(true);
    press(Qt::Key_Plus);
    press(Qt::Key_End);
    m_view.setFollowing(true);
    m_view.setSnapshot(snapshotOf(more, false));
    EXPECT_NEAR(m_view.pointOf(0, snapshotOf(more)->run().endNs).x(), m_view.width(), 2);
    press(Qt::Key_Home);
    EXPECT_FALSE(m_view.isFollowing());
    const TimeAxis axis = m_view.axis();
    m_view.setSnapshot(snapshotOf(m_spans, false));
    EXPECT_EQ(m_view.axis(), axis) << "nothing moves under the pointer";
}

TEST_F(TimelineViewTest, ManyLanesScroll) {
    std::vector<TimelineSpan> spans;
    for (int rank = 0; rank < 16; ++rank)
        for (const TimelineSpan& span : test::pipelineSpans(5, 40, rank))
            spans.push_back(span);
    m_view.setSnapshot(snapshotOf(spans));
    const auto* scroll = m_view.findChild<QScrollBar*>();
    ASSERT_TRUE(scroll->isVisible());
    const double before = m_view.pointOf(5, 0).y();
    press(Qt::Key_Down);
    press(Qt::Key_PageDown);
    EXPECT_LT(m_view.pointOf(5, 0).y(), before);
    test::drag(m_view, {400, 100}, {400, 160});
    EXPECT_GT(scroll->value(), 0);
}

TEST_F(TimelineViewTest, SurvivesOddRuns) {
    m_view.setSnapshot(snapshotOf({}));
    m_view.grab();
    for (const Qt::Key key : {Qt::Key_Plus, Qt::Key_F, Qt::Key_End, Qt::Key_Left})
        press(key);
    TimelineSpan instant;
    instant.beginNs = instant.endNs = 5;
    m_view.setSnapshot(snapshotOf({instant}));
    hover({500, 40});
    press(Qt::Key_Plus);
    m_view.grab();
    TimelineSpan far;
    far.beginNs = 99'999'999'999'999'000;
    far.endNs = 100'000'000'000'000'000;
    m_view.setSnapshot(snapshotOf({instant, far}));
    for (int i = 0; i < 100; ++i)
        test::wheel(m_view, {900, 40}, 5);
    m_view.grab();
    m_view.setSnapshot(nullptr);
    hover({500, 40});
    m_view.grab();
    m_view.resize(1, 1);
    m_view.setSnapshot(m_snapshot);
    m_view.grab();
}

using PicturesOfTimelineTip = TimelineViewTest;

TEST_F(PicturesOfTimelineTip, LookAsBefore) {
    hover(m_view.pointOf(2, middle()));
    auto* label = m_view.findChild<QLabel*>("timelineTip");
    ASSERT_TRUE(label->isVisible());
    test::comparePictures(*label, "timeline-tip");
}

}  // namespace
}  // namespace gantry
