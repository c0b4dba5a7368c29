#pragma once

#include <QPointer>
#include <QWidget>
#include <memory>

namespace gantry {

class Workspace;

/// Every field of the scan's geometry with its unit and what is wrong with it, the derived values,
/// presets, import and export, above the 3D schematic.
/// Tests: tests/ui/panels/geometry_panel_test.cpp
class GeometryPanel : public QWidget {
    Q_OBJECT

  public:
    explicit GeometryPanel(Workspace& workspace, QWidget* parent = nullptr);
    ~GeometryPanel() override;

    /// Brings a field into view and gives it the keyboard; of a field that the form lacks (one of
    /// the volume) nothing happens.
    void focusField(const QString& name);
    // Each asks for a file.
    void askForImport();
    void askForExport();
    /// Opens the window that finds the centre of rotation, or brings it to the front.
    void findCentre();
    /// The same of the window that calibrates with balls.
    void calibrate();
    /// The same with the window that tries other conventions.
    void checkConventions();

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

  private:
    void shareHeight();
    struct Parts;
    [[nodiscard]] QWidget* makeTools();
    [[nodiscard]] QWidget* makeSchematic();
    void addPresets();
    void addExchange();
    void refresh();
    void showScan();
    void drawScan();
    void enableSearches();
    template <class Window>
    void openOnce(QPointer<Window>& opened);
    void moveDetector(double uMm, double vMm, bool isFinal);

    std::unique_ptr<Parts> m_parts;
};

}  // namespace gantry
