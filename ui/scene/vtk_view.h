#pragma once

#include <QString>
#include <QWidget>
#include <memory>

class vtkRenderer;

namespace gantry {

/// The one widget that VTK draws into. It makes its OpenGL context only when it is first shown, and
/// where the display has no OpenGL 3.2 it says so in its place and the rest of the program goes on.
/// Renders when asked and when resized, never by itself; hands mouse, wheel and keys to the
/// interactor style. Correct at any device pixel ratio, when floated in a dock, and when grabbed.
/// Tests: tests/ui/scene/vtk_view_test.cpp
class VtkView : public QWidget {
    Q_OBJECT

  public:
    explicit VtkView(QWidget* parent = nullptr);
    ~VtkView() override;

    [[nodiscard]] vtkRenderer& renderer();
    /// Draws at the next turn of the event loop; several requests are one.
    void requestRender();
    /// Whether the graphics are drawn by software, and slowly; known after the first drawing.
    [[nodiscard]] bool isSoftware() const;
    [[nodiscard]] bool isUnavailable() const;  ///< no OpenGL 3.2
    [[nodiscard]] QString graphicsName() const;

  signals:
    void firstRendered();
    void unavailable(const QString& sentence);

  private:
    struct Parts;
    std::unique_ptr<Parts> m_parts;
};

}  // namespace gantry
