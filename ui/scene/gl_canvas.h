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

/// An OpenGL context of its own in which a VTK renderer draws, off screen, into an image. Off
/// screen, because a QOpenGLWidget would have the whole window composed by OpenGL: with a software
/// OpenGL every repaint of anything in it then costs 6 ms more, and the window is closed and made
/// anew when the first such widget joins it.
/// Made and destroyed in the GUI thread, used in one thread at a time; other OpenGL contexts may be
/// current before, none is after a call.
/// Tests: tests/ui/scene/vtk_view_test.cpp
class GlCanvas {
  public:
    /// Makes the context. The renderer must outlive the canvas.
    explicit GlCanvas(vtkRenderer& renderer);
    ~GlCanvas();
    GlCanvas(const GlCanvas&) = delete;
    GlCanvas& operator=(const GlCanvas&) = delete;

    /// Why nothing can be drawn, a sentence; empty: all is well.
    [[nodiscard]] const QString& problem() const;
    [[nodiscard]] const QString& graphicsName() const;
    [[nodiscard]] bool isSoftware() const;
    /// Memory of the card that was free at first; 0 where the driver does not tell.
    [[nodiscard]] Index freeBytes() const;

    /// Whether edges of surfaces are smooth, which takes four times the pixels; at first they are.
    void setSmoothEdges(bool areSmooth);
    /// The scene in that many device pixels, the renderer's background as it is set, with its alpha
    /// (premultiplied). Null after a problem.
    [[nodiscard]] QImage draw(QSize size);
    /// The same for the first picture, on a thread of its own, as drivers compile shaders then (300
    /// ms with llvmpipe). Until `done` is called, in the GUI thread, the scene belongs to that
    /// thread. It is not called when the canvas is destroyed before, which waits.
    void drawFirst(QSize size, std::function<void(const QImage&)> done);
    /// From the thread that uses it to the one that will; the scene goes with it.
    void moveToThread(QThread& thread);
    /// Frees what the card holds for a part of the scene that was taken out.
    void release(vtkProp& prop);

  private:
    struct Parts;
    std::unique_ptr<Parts> m_parts;
};

/// Points the renderer's camera as `camera` says, the depth range around a sphere about the focus.
void applyCamera(const OrbitCamera& camera, QSizeF view, double sceneRadiusMm,
                 vtkRenderer& renderer);
/// Narrows such a camera, whose vertical angle is given, to some rows of the view, counted from its
/// top.
void lookAtRows(int first, int count, int viewRows, double verticalAngleDeg, vtkRenderer& renderer);

}  // namespace gantry
