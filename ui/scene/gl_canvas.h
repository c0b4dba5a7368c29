#pragma once

#include <QImage>
#include <QSize>
#include <QString>
#include <functional>
#include <memory>

#include "core/base/types.h"

class QThread;
class vtkProp;
class vtkRenderer;

namespace gantry {

struct OrbitCamera;

/// An OpenGL context of its own in which a VTK renderer draws, off screen, into an image. It is off
/// screen because a QOpenGLWidget makes OpenGL compose the whole window: with a software OpenGL
/// every repaint then costs 6 ms more, and the window is closed and made again when the first such
/// widget is added. Made and destroyed in the GUI thread, used in one thread at a time; other
/// OpenGL contexts may be current before, none is after a call. Tests:
/// tests/ui/scene/vtk_view_test.cpp
class GlCanvas {
  public:
    /// Makes the context. The renderer must outlive the canvas.
    explicit GlCanvas(vtkRenderer& renderer);
    ~GlCanvas();
    GlCanvas(const GlCanvas&) = delete;
    GlCanvas& operator=(const GlCanvas&) = delete;

    /// Why nothing can be drawn, a sentence; empty: there is no problem.
    [[nodiscard]] const QString& problem() const;
    [[nodiscard]] const QString& graphicsName() const;
    [[nodiscard]] bool isSoftware() const;
    /// Free memory of the card at the start; 0 if the driver does not report it.
    [[nodiscard]] Index freeBytes() const;

    /// Sets whether edges of surfaces are smooth (the default), which takes four times the pixels.
    void setSmoothEdges(bool areSmooth);
    /// Draws the scene in that many device pixels, with the renderer's background and its alpha
    /// (premultiplied). Null after a problem.
    [[nodiscard]] QImage draw(QSize size);
    /// Draws the first picture on a thread of its own, because drivers then compile shaders (300 ms
    /// with llvmpipe). Until `done` is called, in the GUI thread, the scene belongs to that thread.
    /// It is not called if the canvas is destroyed before, which waits.
    void drawFirst(QSize size, std::function<void(const QImage&)> done);
    /// Called in the thread that used it so far; the scene moves with it.
    void moveToThread(QThread& thread);
    /// Frees the card's resources for a part of the scene that was removed.
    void release(vtkProp& prop);

  private:
    struct Parts;
    std::unique_ptr<Parts> m_parts;
};

/// Sets the renderer's camera from `camera`, with the depth range of a sphere about the focus.
void applyCamera(const OrbitCamera& camera, QSizeF view, double sceneRadiusMm,
                 vtkRenderer& renderer);
/// Restricts such a camera, whose vertical angle is given, to some rows of the view, counted from
/// its top.
void lookAtRows(int first, int count, int viewRows, double verticalAngleDeg, vtkRenderer& renderer);

}  // namespace gantry
