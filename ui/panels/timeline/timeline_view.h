#pragma once

#include <QImage>
#include <QLabel>
#include <QWidget>
#include <memory>
#include <optional>

#include "ui/models/timeline/timeline_axis.h"
#include "ui/models/timeline/timeline_hit.h"
#include "ui/models/timeline/timeline_snapshot.h"
#include "ui/panels/timeline/timeline_drawing.h"

class QScrollBar;

namespace gantry {

/// What is under the pointer, at once and beside it; takes no mouse events.
class TimelineTip : public QLabel {
    Q_OBJECT

  public:
    explicit TimelineTip(QWidget* owner);

    /// richText: empty hides it. at: the pointer, on the screen
    void tell(const QString& richText, QPoint at);
};

/// The lanes of a job over time. Wheel zooms at the pointer, left or middle drag pans, Shift and
/// left drag selects a stretch of time, double click shows the whole run. Keys: ← → pan, ↑ ↓ scroll
/// the lanes, + − zoom, 0 or F shows the whole run, Home and End go to its ends, Esc takes the
/// selection away.
/// Tests: tests/ui/panels/timeline_view_test.cpp
class TimelineView : public QWidget {
    Q_OBJECT

  public:
    explicit TimelineView(QWidget* parent = nullptr);

    /// A newer state of the same job keeps the visible range; of another job, or one that was begun
    /// anew, the whole run is shown. Null: nothing.
    void setSnapshot(std::shared_ptr<const TimelineSnapshot> snapshot);

    [[nodiscard]] const TimeAxis& axis() const { return m_axis; }
    void fit() {
        if (m_snapshot) setAxis(TimeAxis::fitted(m_snapshot->run(), plotWidth()), false);
    }
    void showRange(const TimeRange& range);
    void panBy(double pixels) { setAxis(m_axis.panned(pixels), true); }
    void zoomBy(double factor, double x);  ///< x: from the view's left edge

    /// While a job runs, its end stays in view.
    void setFollowing(bool following);
    [[nodiscard]] bool isFollowing() const { return m_isFollowing; }

    [[nodiscard]] const std::optional<TimeRange>& selection() const { return m_selection; }
    void clearSelection();

    /// Where a moment of a lane is in this view.
    [[nodiscard]] QPointF pointOf(std::size_t lane, std::int64_t ns) const;
    /// All lanes over the time that is shown, with title and legend.
    [[nodiscard]] QImage picture(const QString& title) const;

    [[nodiscard]] QSize sizeHint() const override { return {640, 180}; }
    [[nodiscard]] QSize minimumSizeHint() const override { return {240, 80}; }

  signals:
    void followingChanged(bool following);
    void selectionChanged();
    void pointed(const QString& moment);  ///< "12.3456 s"; empty: the pointer left

  protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void hideEvent(QHideEvent* event) override;

  private:
    struct Drag {
        enum class Kind { pan, select };
        Kind kind;
        QPointF from;
        QPointF last;
        bool moved = false;
    };

    [[nodiscard]] double plotWidth() const;
    [[nodiscard]] double plotX(double viewX) const { return viewX - m_layout.labelWidth; }
    [[nodiscard]] bool isLive() const { return m_snapshot && !m_snapshot->isOver; }
    void arrange();
    void setAxis(const TimeAxis& axis, bool byUser);
    void redraw();
    void point(std::optional<QPointF> at);
    void select(double fromX, double toX);
    void drawOverlay(QPainter& painter) const;
    void drawSelection(QPainter& painter) const;
    void drawPointer(QPainter& painter) const;
    void drawHit(QPainter& painter) const;

    std::shared_ptr<const TimelineSnapshot> m_snapshot;
    TimelineLayout m_layout;
    TimeAxis m_axis;
    bool m_isFitted = true;
    bool m_isFollowing = true;
    std::optional<TimeRange> m_selection;
    std::optional<Drag> m_drag;
    std::optional<QPointF> m_pointer;
    TimelineHit m_hit;
    std::size_t m_hitTrack = 0;
    QImage m_drawn;  ///< all but what follows the pointer
    bool m_isDrawn = false;
    QScrollBar* m_scroll = nullptr;
    TimelineTip* m_tip = nullptr;
};

}  // namespace gantry
