#pragma once

#include <QTimer>
#include <QWidget>

#include "ui/scene/orbit_camera.h"
#include "ui/widgets/theme.h"

namespace gantry {

/// What the 3D views have in common: a camera that is turned with the left button or the arrow
/// keys, moved with the middle button, zoomed with the wheel or + and −, and brought back by 0. A
/// double click or Enter asks to be maximised. Painting is the views' own.
/// Tests: tests/ui/scene/schematic_view_test.cpp
class OrbitWidget : public QWidget {
    Q_OBJECT

  public:
    explicit OrbitWidget(QWidget* parent = nullptr);

    [[nodiscard]] const OrbitCamera& camera() const { return m_camera; }
    void look(const OrbitCamera& camera);
    void resetCamera() { look(homeCamera()); }

  signals:
    void maximiseRequested();

  protected:
    /// Where the camera stands after a reset.
    [[nodiscard]] virtual OrbitCamera homeCamera() const { return {}; }
    /// The camera is another one. While `isMoving`, more will follow at once.
    virtual void cameraMoved(bool isMoving) = 0;
    /// A press that a handle takes: what follows until the release goes to it, not to the camera.
    [[nodiscard]] virtual bool takesDrag(QPointF at, Qt::MouseButton button);
    virtual void dragged(QPointF at, Qt::KeyboardModifiers modifiers);
    virtual void dragEnded();
    virtual void hovered(QPointF at);

    /// The world's axes in the lower right corner, as a camera sees them.
    void paintTriad(QPainter& painter, const OrbitCamera& camera, const Theme& theme) const;
    /// What it covers.
    [[nodiscard]] QRectF triadArea(const OrbitCamera& camera) const;

    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

  private:
    enum class Drag { none, orbit, pan, taken };
    void endDrag();

    OrbitCamera m_camera;
    Drag m_drag = Drag::none;
    Qt::MouseButton m_button = Qt::NoButton;
    QPointF m_last;
    QTimer m_settled;
};

}  // namespace gantry
