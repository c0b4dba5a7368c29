#pragma once

#include <QString>
#include <memory>

#include "ui/scene/orbit_widget.h"

class QElapsedTimer;
class vtkRenderer;

namespace gantry {

/// The one widget that VTK draws into. It makes its OpenGL context only when it is first shown, and
/// if the display has no OpenGL 3.2 it states so in its area and the rest of the program continues.
/// It renders when asked, when its camera moved and when resized, never by itself. Correct at any
/// device pixel ratio, when floated in a dock, and when grabbed. Tests:
/// tests/ui/scene/vtk_view_test.cpp
class VtkView : public OrbitWidget {
    Q_OBJECT

  public:
    explicit VtkView(QWidget* parent = nullptr);
    ~VtkView() override;

    /// The scene may be changed only in prepareScene(), or before the view is first shown.
    [[nodiscard]] vtkRenderer& renderer();
    /// Draws at the next turn of the event loop; several requests are one.
    void requestRender();
    /// Whether the graphics are drawn by software, and slowly; known after the first drawing.
    [[nodiscard]] bool isSoftware() const;
    [[nodiscard]] bool isUnavailable() const;  ///< no OpenGL 3.2
    [[nodiscard]] QString graphicsName() const;
    /// Time of the last drawing, milliseconds; 0 before the first.
    [[nodiscard]] double lastDrawingMs() const;

  signals:
    void unavailable(const QString& sentence);

  protected:
    /// Called before VTK draws, to update the scene.
    virtual void prepareScene() {}
    /// Called after VTK has drawn, for text and handles, which are not part of the scene.
    virtual void paintOver(QPainter&) {}
    /// Radius of a sphere about the camera's focus that contains the scene.
    [[nodiscard]] virtual double sceneRadiusMm() const { return 4 * camera().radiusMm; }

    void cameraMoved(bool isMoving) override;
    void showEvent(QShowEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void changeEvent(QEvent* event) override;

  private:
    void makeCanvas();
    [[nodiscard]] QSize devicePixels() const;
    void updateScene();
    void draw();
    void setImage(const QImage& image, const QElapsedTimer& timer);
    void showUnavailable(const QString& sentence);

    struct Parts;
    std::unique_ptr<Parts> m_parts;
};

}  // namespace gantry
