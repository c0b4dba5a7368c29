#pragma once

#include <QPointF>
#include <QString>
#include <QWidget>
#include <array>
#include <optional>
#include <vector>

#include "ui/models/image/projection_images.h"

namespace gantry {

class ImageView;

/// The images of the projections panel: raw, corrected and filtered side by side, one of them, the
/// residual, or the sinogram. Each step has a window of its own, automatic at first and then kept,
/// so that playing does not flicker; the sinogram has that of the step that it shows. Tests:
/// tests/ui/panels/projections_panel_test.cpp
class ProjectionsViews : public QWidget {
    Q_OBJECT

  public:
    enum class Mode { all, stored, corrected, filtered, residual, sinogram };

    /// What a user calls a mode, the name of its button, and what it shows.
    struct ModeChoice {
        QString text;
        const char* name;
        QString help;
    };
    /// In the order of the modes.
    [[nodiscard]] static std::vector<ModeChoice> choices();

    explicit ProjectionsViews(QWidget* parent = nullptr);

    void setMode(Mode mode);
    [[nodiscard]] Mode mode() const { return m_mode; }

    void showStep(ProjectionStep step, const ProjectionPicture& picture, const QString& corner);
    void showSinogram(const ProjectionPicture& picture, ProjectionStep step, const QString& corner);
    /// A sentence in place of a step's picture.
    void showWhyNot(ProjectionStep step, const QString& sentence);
    void showWhyNoSinogram(const QString& sentence);
    void setScanName(const QString& name);  ///< whose pictures they are
    void setBusy(bool isBusy);
    void setResidualBusy(bool isBusy);
    void setSinogramBusy(bool isBusy);
    void setRow(Index row);
    void setView(Index view);  ///< a line in the sinogram
    /// Another scan: no pictures, and windows automatic again.
    void reset();
    /// Windows that are automatic follow the next pictures: the geometry has changed their values.
    void renewAutomaticWindows();

    /// The picture of the view that was used last.
    [[nodiscard]] const ProjectionPicture& focusedPicture() const;
    [[nodiscard]] const GreyImage& image(ProjectionStep step) const;
    [[nodiscard]] QString focusedName() const;
    [[nodiscard]] GreyWindow focusedWindow() const;
    void setFocusedWindow(const GreyWindow& window);
    void setFocusedWindowAutomatic();

  signals:
    void modeChanged(gantry::ProjectionsViews::Mode mode);
    void focusedChanged();  ///< another view, picture or window
    void rowMoved(gantry::Index row);
    void viewMoved(gantry::Index view);
    void scrolled(int steps);
    void readoutChanged(const QString& text);
    void playToggled();

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    static constexpr std::size_t kViews = 5;
    static constexpr std::size_t kResidual = 3;
    static constexpr std::size_t kSinogram = 4;

    struct Shown {
        ImageView* view = nullptr;
        ProjectionPicture picture;
        ProjectionStep step = ProjectionStep::stored;
    };
    struct StepWindow {
        std::optional<GreyWindow> window;
        bool isAutomatic = true;
        bool isOutdated = false;
    };

    void connectView(std::size_t number);
    void arrange();
    void show(std::size_t number, const ProjectionPicture& picture, const QString& corner);
    void showWhyNot(std::size_t number, const QString& sentence);
    /// A residual gets one of the same width about zero.
    void setWindow(ProjectionStep step, GreyWindow window, bool isAutomatic);
    void focusOn(std::size_t number);
    void updateReadout();
    [[nodiscard]] StepWindow& windowOf(ProjectionStep step);

    std::array<Shown, kViews> m_shown;
    std::array<StepWindow, kProjectionSteps> m_windows;
    Mode m_mode = Mode::all;
    std::size_t m_focused = 0;
    std::optional<std::size_t> m_hovered;
    QPointF m_hoveredPixel;
};

}  // namespace gantry
