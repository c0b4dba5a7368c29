#pragma once

#include <QMainWindow>
#include <QPointer>
#include <string>

#include "core/geometry/vec3.h"

class QStackedWidget;
class QTabWidget;

namespace gantry {

class AwaitedJob;
class ExampleScan;
class GeometryPanel;
class GuideBar;
class HelpWindow;
class MaximisedView;
class LivePanel;
class MenuActions;
class MessageBar;
class MontageWindow;
class ReconstructionPanel;
class StartPage;
class WindowLayout;
class Workspace;

/// The window: the workspace's tabs in the middle, every other panel a dock that moves, floats,
/// hides and is remembered. Takes drops anywhere. Jobs continue when it is closed.
/// Tests: tests/ui/desktop/
class MainWindow : public QMainWindow {
    Q_OBJECT

  public:
    explicit MainWindow(Workspace& workspace, QWidget* parent = nullptr);
    ~MainWindow() override;

    [[nodiscard]] Workspace& workspace() { return m_workspace; }
    enum class Tab { projections, slices, volume, live, verify };
    void showTab(Tab tab);
    /// Applies pending edits in any form; false: one cannot be applied, and its field has the
    /// focus.
    [[nodiscard]] bool takeEdits();

    // The commands of the menus.
    void chooseFile();
    void chooseFolder();
    void chooseProjections();
    void chooseComparison();
    void chooseComparisonFolder();
    void closeScan();
    void closeVolume();
    void chooseScanToSave();
    void chooseGeometryToImport();
    void chooseGeometryToExport();
    void findCentre();
    void calibrate();
    void checkConventions();
    /// parameter: its path, where the user has chosen none yet
    void compareValues(const std::string& parameter);
    void showHelp();  ///< at the page of the panel that has the focus
    void showHelpPage(const QString& page);
    void showPreferences();
    void showHosts();
    void askForEntry(const QString& path, const QStringList& entries);
    void chooseScanOnHost();
    void showCommandPalette();
    void showAbout();
    void beginExample();
    void toggleTheme();
    void resetLayout();
    void showAlone(bool isAlone);  ///< the tab without docks
    void showProblems();           ///< of the scan, in its dock
    void reconstruct();
    void startLive();

  protected:
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;
    void closeEvent(QCloseEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    void buildCentre();
    void buildDocks();
    void buildFoot();
    void holdWidths();
    void layOutTab(int tab);
    void addDock(QWidget* panel, const QString& name, const QString& title, const QString& helpPage,
                 Qt::DockWidgetArea area);
    void connectWorkspace();
    void compareWith(const QString& path);
    [[nodiscard]] Vec3 seenPlaceMm();
    void showFinished(int row);
    void toggleMaximised(QWidget& view);
    void updateCentre();
    void updateTitle();
    [[nodiscard]] bool mayLoseEdits();  // applies pending edits, and asks if edits are not saved

    Workspace& m_workspace;
    QStackedWidget* m_centre = nullptr;
    QTabWidget* m_tabs = nullptr;
    MaximisedView* m_maximised = nullptr;
    StartPage* m_startPage = nullptr;
    MessageBar* m_messages = nullptr;
    GuideBar* m_guide = nullptr;
    ExampleScan* m_example = nullptr;
    GeometryPanel* m_geometry = nullptr;
    ReconstructionPanel* m_reconstruction = nullptr;
    LivePanel* m_live = nullptr;
    AwaitedJob* m_awaited = nullptr;
    MenuActions* m_actions = nullptr;
    WindowLayout* m_layout = nullptr;
    QPointer<HelpWindow> m_help;
    QPointer<MontageWindow> m_montage;
};

}  // namespace gantry
