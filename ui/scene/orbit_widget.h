#pragma once

#include <QTimer>
#include <QWidget>

#include "ui/scene/orbit_camera.h"
#include "ui/widgets/style/theme.h"

namespace gantry {

/// Base of the 3D views: a camera that is turned with the left button or the arrow keys, moved with
/// the middle button, zoomed with the wheel or + and −, and reset by 0. A double click or Enter
/// asks to maximise the view. Each view does its own painting. Tests:
/// tests/ui/scene/schematic_view_test.cpp
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
    /// The camera after a reset.
    [[nodiscard]] virtual OrbitCamera homeCamera() const { return {}; }
    /// Called when the camera has changed. While `isMoving`, more changes will follow at once.
    virtual void cameraMoved(bool isMoving) = 0;
    /// Whether a handle takes the press: what follows until the release then goes to it, not to the
    /// camera.
    [[nodiscard]] virtual bool takesDrag(QPointF at, Qt::MouseButton button);
    virtual void dragged(QPointF at, Qt::KeyboardModifiers modifiers);
    virtual void dragEnded();
    virtual void hovered(QPointF at);

    /// Paints the world's axes in the lower right corner, as a camera sees them.
    void paintTriad(QPainter& painter, const OrbitCamera& camera, const Theme& theme) const;
    /// The area that these cover.
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
