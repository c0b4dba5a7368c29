#include "ui/desktop/window/main_window.h"

#include <QApplication>
#include <QCloseEvent>
#include <QDragEnterEvent>
#include <QKeyEvent>
#include <QMessageBox>
#include <QMimeData>
#include <QPushButton>
#include <QStackedWidget>
#include <QStatusBar>
#include <QTabBar>
#include <QTabWidget>
#include <QVBoxLayout>
#include <QWidget>
#include <algorithm>
#include <memory>

#include "core/io/input_files.h"
#include "ui/desktop/help/example_scan.h"
#include "ui/desktop/help/guide_bar.h"
#include "ui/desktop/help/start_page.h"
#include "ui/desktop/window/awaited_job.h"
#include "ui/desktop/window/command_palette.h"
#include "ui/desktop/window/folding_dock.h"
#include "ui/desktop/window/menu_actions.h"
#include "ui/desktop/window/preferences.h"
#include "ui/desktop/window/status_line.h"
#include "ui/desktop/window/tool_actions.h"
#include "ui/desktop/window/window_layout.h"
#include "ui/models/path_text.h"
#include "ui/models/text.h"
#include "ui/panels/geometry/geometry_panel.h"
#include "ui/panels/jobs/jobs_panel.h"
#include "ui/panels/live/live_panel.h"
#include "ui/panels/projections/projections_panel.h"
#include "ui/panels/reconstruction/reconstruction_panel.h"
#include "ui/panels/scan/scan_panel.h"
#include "ui/panels/slices/slices_panel.h"
#include "ui/panels/timeline/timeline_panel.h"
#include "ui/panels/verify/verify_panel.h"
#include "ui/panels/volume/volume_panel.h"
#include "ui/scene/schematic/schematic_view.h"
#include "ui/widgets/fields/pending_edit.h"
#include "ui/widgets/fields/spared_files.h"
#include "ui/widgets/message_bar.h"
#include "ui/widgets/new_widget.h"
#include "ui/widgets/placeholder.h"
#include "ui/widgets/style/theme.h"
#include "ui/workspace/workspace.h"

namespace gantry {

/// The middle of the window while a view of a dock is maximised. Afterwards the view returns to its
/// place; its settings and its owner do not change.
/// Tests: tests/ui/desktop/maximise_test.cpp
class MaximisedView : public QWidget {
  public:
    explicit MaximisedView(QWidget* parent = nullptr);

    /// Takes the view out of its layout, and leaves a sentence in its place.
    void take(QWidget& view);
    void giveBack();
    [[nodiscard]] bool isEmpty() const { return !m_view; }

  private:
    QPointer<QWidget> m_view;
    QPointer<QWidget> m_standIn;
};

namespace {

void exchange(QWidget& from, QWidget& to) {
    QWidget* parent = from.parentWidget();
    to.setParent(parent);
    const std::unique_ptr<QLayoutItem> item(parent->layout()->replaceWidget(&from, &to));
    to.show();
}

// All files of the scan and the volumes that are open.
ReadFiles openFiles(Workspace& workspace) {
    ReadFiles read;
    if (workspace.scan().hasScan()) addScanFiles(read, workspace.scan().request().job.scan);
    for (const auto& volume : {workspace.volume().volume(), workspace.comparison().second()})
        if (volume && !volume->path.isEmpty()) addVolumeFiles(read, toPath(volume->path));
    return read;
}

}  // namespace

MaximisedView::MaximisedView(QWidget* parent) : QWidget(parent) {
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
}

void MaximisedView::take(QWidget& view) {
    giveBack();
    auto* standIn = new Placeholder(
        tr("Shown in the middle of the window. A double click there brings it back."));
    standIn->setSizePolicy(view.sizePolicy());
    exchange(view, *standIn);
    m_view = &view;
    m_standIn = standIn;
    layout()->addWidget(&view);
    view.show();
    view.setFocus();
}

void MaximisedView::giveBack() {
    if (!m_view) return;
    layout()->removeWidget(m_view);
    if (m_standIn) {
        exchange(*m_standIn, *m_view);
        m_standIn->hide();
        m_standIn->deleteLater();
    }
    m_view = nullptr;
}

MainWindow::MainWindow(Workspace& workspace, QWidget* parent)
    : QMainWindow(parent), m_workspace(workspace) {
    setObjectName("mainWindow");
    setAcceptDrops(true);
    setDockNestingEnabled(true);
    new SparedFiles(*this, [&workspace](const std::filesystem::path& output) {
        openFiles(workspace).requireApart(output);
    });
    {
        const StyledAtOnce styled;
        buildCentre();
        buildDocks();
        m_actions = new MenuActions(*this);
        buildFoot();
    }
    holdWidths();
    connectWorkspace();
    m_layout = new WindowLayout(*this, m_workspace);
    m_layout->restore();
    connect(m_layout, &WindowLayout::aloneChanged, m_actions, &MenuActions::showAlone);
    connect(m_tabs, &QTabWidget::currentChanged, this, &MainWindow::layOutTab);
    updateCentre();
    updateTitle();
}

MainWindow::~MainWindow() {
    m_workspace.setAskBeforeReplacing({});
    // A field that loses the focus as the window goes takes what was typed, and signals of that
    // must find the whole window.
    hide();
}

void MainWindow::buildCentre() {
    auto* centre = new QWidget;
    auto* layout = spaced(new QVBoxLayout(centre), 0);
    m_guide = new GuideBar(m_workspace);
    m_centre = new QStackedWidget;
    m_startPage = new StartPage;
    m_tabs = named(new QTabWidget, "tabs");
    m_tabs->tabBar()->installEventFilter(this);
    const auto addTab = [this](QWidget* panel, const char* iconName, const QString& title,
                               const QString& helpPage) {
        panel->setProperty("helpPage", helpPage);
        m_tabs->addTab(panel, icon(iconName), title);
    };
    addTab(new ProjectionsPanel(m_workspace), "projections", tr("Projections"),
           "desktop-projections.md");
    auto* slices = new SlicesPanel(m_workspace);
    connect(slices, &SlicesPanel::compareRequested, this, &MainWindow::chooseComparison);
    connect(slices, &SlicesPanel::compareFolderRequested, this,
            &MainWindow::chooseComparisonFolder);
    addTab(slices, "slices", tr("Slices"), "desktop-slices.md");
    auto* volume = new VolumePanel(m_workspace);
    new ExampleLook(m_workspace.volume(), *volume, this);
    addTab(volume, "volume", tr("Volume"), "desktop-slices.md");
    m_live = new LivePanel(m_workspace);
    connect(m_live, &LivePanel::comparisonWanted, this,
            [this] { compareValues("detector.axisColumn"); });
    addTab(m_live, "live", tr("Live slices"), "desktop-live.md");
    addTab(new VerifyPanel(m_workspace), "verify", tr("Verify"), "verification.md");
    m_centre->addWidget(m_startPage);
    m_centre->addWidget(m_tabs);
    m_maximised = new MaximisedView;
    m_centre->addWidget(m_maximised);
    layout->addWidget(m_guide);
    layout->addWidget(m_centre, 1);
    setCentralWidget(centre);
}

// Messages are below everything else, and lie over nothing.
void MainWindow::buildFoot() {
    m_messages = named(new MessageBar, "messages");
    statusBar()->setSizeGripEnabled(false);
    statusBar()->addWidget(new StatusLine(m_workspace, m_messages), 1);
}

void MainWindow::addDock(QWidget* panel, const QString& name, const QString& title,
                         const QString& helpPage, Qt::DockWidgetArea area) {
    auto* dock = new FoldingDock(name, title, panel, this);
    dock->setProperty("helpPage", helpPage);
    addDockWidget(area, dock);
}

// A panel's text changes while the user types; its width must not.
void MainWindow::holdWidths() {
    constexpr int kMinWidth = 37 * kSpacing;
    for (FoldingDock* dock : findChildren<FoldingDock*>()) {
        const bool isBelow = dockWidgetArea(dock) == Qt::BottomDockWidgetArea;
        QWidget* panel = dock->panel();
        const int needed = isBelow ? 0 : panel->minimumSizeHint().width();
        panel->setMinimumWidth(std::max(kMinWidth, needed));
    }
}

void MainWindow::buildDocks() {
    auto* scan = new ScanPanel(m_workspace);
    m_geometry = new GeometryPanel(m_workspace);
    m_reconstruction = new ReconstructionPanel(m_workspace);
    addDock(scan, "scanDock", tr("Scan"), "desktop-geometry.md", Qt::LeftDockWidgetArea);
    addDock(m_geometry, "geometryDock", tr("Geometry"), "desktop-geometry.md",
            Qt::LeftDockWidgetArea);
    addDock(m_reconstruction, "reconstructionDock", tr("Reconstruction"),
            "desktop-reconstruction.md", Qt::RightDockWidgetArea);
    addDock(new TimelinePanel(m_workspace), "timelineDock", tr("Timeline"), "desktop-timeline.md",
            Qt::BottomDockWidgetArea);
    auto* jobs = new JobsPanel(m_workspace);
    addDock(jobs, "jobsDock", tr("Jobs"), "desktop-jobs.md", Qt::BottomDockWidgetArea);
    connect(scan, &ScanPanel::liveWanted, this, &MainWindow::startLive);
    connect(scan, &ScanPanel::fieldWanted, this, [this](const QString& field) {
        const bool isVolume = field.startsWith("volume");
        m_layout->bringUp(isVolume ? "reconstructionDock" : "geometryDock");
        if (!isVolume) m_geometry->focusField(field);
    });
    connect(m_reconstruction, &ReconstructionPanel::hostsWanted, this, &MainWindow::showHosts);
    connect(m_reconstruction, &ReconstructionPanel::comparisonWanted, this,
            [this] { compareValues("prep.rings"); });
    auto* schematic = m_geometry->findChild<SchematicView*>();
    connect(schematic, &OrbitWidget::maximiseRequested, this,
            [this, schematic] { toggleMaximised(*schematic); });
    connect(jobs, &JobsPanel::timelineWanted, this, [this] { m_layout->bringUp("timelineDock"); });
    connect(&m_workspace, &Workspace::showJobLog, this, [this, jobs](const QString& folder) {
        m_layout->bringUp("jobsDock");
        jobs->showLogOf(folder);
    });
}

// What is needed beside the picture depends on whether a reconstruction is set up or looked at.
void MainWindow::layOutTab(int tab) {
    const std::pair<const char*, bool> tabs[] = {{"projections", false},
                                                 {"slices", true},
                                                 {"volume", true},
                                                 {"live", false},
                                                 {"verify", true}};
    const auto& [name, isViewing] = tabs[tab];
    m_layout->setTab(name, isViewing);
}

void MainWindow::showAlone(bool isAlone) {
    m_layout->showAlone(isAlone);
}

void MainWindow::showProblems() {
    m_layout->bringUp("scanDock");
}

void MainWindow::resetLayout() {
    m_layout->reset();
}

void MainWindow::connectWorkspace() {
    m_example = new ExampleScan(this);
    connect(&m_workspace, &Workspace::messageRaised, m_messages, &MessageBar::show);
    connect(&m_workspace, &Workspace::withdrawn, m_messages, &MessageBar::withdraw);
    connect(&m_workspace, &Workspace::succeeded, m_messages, &MessageBar::succeed);
    connect(m_example, &ExampleScan::messageRaised, m_messages, &MessageBar::show);
    connect(m_example, &ExampleScan::progressed, m_startPage, &StartPage::setExampleProgress);
    connect(m_example, &ExampleScan::made, this, [this](const QString& scanFile) {
        m_workspace.open(scanFile);
        m_guide->begin();
    });
    connect(m_guide, &GuideBar::projectionsWanted, this, [this] { showTab(Tab::projections); });
    connect(m_startPage, &StartPage::openFileRequested, this, &MainWindow::chooseFile);
    connect(m_startPage, &StartPage::openFolderRequested, this, &MainWindow::chooseFolder);
    connect(m_startPage, &StartPage::openRequested, &m_workspace, &Workspace::open);
    connect(m_startPage, &StartPage::exampleRequested, this, &MainWindow::beginExample);
    connect(m_startPage, &StartPage::exampleCancelled, m_example, &ExampleScan::cancel);
    const auto showRecent = [this] { m_startPage->setRecentFiles(m_workspace.recentFiles()); };
    connect(&m_workspace, &Workspace::recentFilesChanged, this, showRecent);
    showRecent();
    connect(&m_workspace, &Workspace::showProjections, this, [this] { showTab(Tab::projections); });
    connect(&m_workspace, &Workspace::showVolume, this, [this] { showTab(Tab::slices); });
    m_awaited = new AwaitedJob(*this);
    connect(&m_workspace.jobs(), &JobStore::started, m_awaited, &AwaitedJob::begin);
    connect(&m_workspace.jobs(), &JobStore::finished, this, &MainWindow::showFinished);
    m_workspace.setAskBeforeReplacing([this] { return mayLoseEdits(); });
    connect(&m_workspace.scan(), &ScanDocument::stateChanged, this, [this] {
        updateCentre();
        updateTitle();
    });
    connect(&m_workspace.scan(), &ScanDocument::entriesFound, this, &MainWindow::askForEntry);
    connect(&m_workspace.scan(), &ScanDocument::scanChanged, this, &MainWindow::updateTitle);
    connect(&m_workspace.scan().undoStack(), &QUndoStack::cleanChanged, this,
            &MainWindow::updateTitle);
    connect(&m_workspace.volume(), &VolumeDocument::volumeChanged, this, &MainWindow::updateCentre);
    connect(&m_workspace.volume(), &VolumeDocument::openingChanged, this,
            &MainWindow::updateCentre);
}

// A job that the user does not wait for is only announced.
void MainWindow::showFinished(int row) {
    const JobEntry& job = m_workspace.jobs().jobs()[row];
    if (!job.hasVolume() || !m_awaited->is(job.folder) || !Preferences::read().openFinishedVolumes)
        return;
    m_workspace.volume().open(job.output);
    const QWidget* keyboard = focusWidget();
    showTab(Tab::slices);
    // Its dock may be folded in that tab, and the next widget of the dock is not what is looked at.
    if (keyboard && !keyboard->isVisible()) m_tabs->setFocus();
}

void MainWindow::updateCentre() {
    const bool isEmpty = !m_workspace.scan().hasScan() && !m_workspace.volume().volume() &&
                         !m_workspace.volume().isOpening() &&
                         m_workspace.scan().state() != ScanDocument::State::opening;
    if (isEmpty) m_maximised->giveBack();
    QWidget* shown = m_maximised->isEmpty() ? static_cast<QWidget*>(m_tabs) : m_maximised;
    m_centre->setCurrentWidget(isEmpty ? m_startPage : shown);
}

void MainWindow::updateTitle() {
    const QString scan = m_workspace.scan().title();
    setWindowTitle(scan.isEmpty() ? tr("Gantry") : tr("%1[*] – Gantry").arg(scan));
    setWindowModified(!scan.isEmpty() && !m_workspace.scan().isSaved());
}

// Moves a dock's view to the middle of the window, or back.
void MainWindow::toggleMaximised(QWidget& view) {
    if (m_maximised->isEmpty())
        m_maximised->take(view);
    else
        m_maximised->giveBack();
    updateCentre();
}

void MainWindow::showTab(Tab tab) {
    m_maximised->giveBack();
    m_tabs->setCurrentIndex(static_cast<int>(tab));
    updateCentre();
}

void MainWindow::reconstruct() {
    m_reconstruction->reconstruct();
}

void MainWindow::closeScan() {
    if (mayLoseEdits()) m_workspace.scan().close();
}

void MainWindow::closeVolume() {
    m_workspace.volume().close();
}

void MainWindow::beginExample() {
    m_example->make();
}

void MainWindow::showCommandPalette() {
    const QList<QAction*> tools =
        toolActions(*m_tabs, [this](int tab) { showTab(static_cast<Tab>(tab)); });
    auto* palette = new CommandPalette(m_actions->all() + tools + fieldActions(*this), this);
    palette->move(mapToGlobal(QPoint((width() - palette->width()) / 2, 48)));
    palette->show();
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event) {
    if (event->mimeData()->hasUrls()) event->acceptProposedAction();
}

void MainWindow::dropEvent(QDropEvent* event) {
    for (const QUrl& url : event->mimeData()->urls()) {
        if (!url.isLocalFile()) continue;
        event->acceptProposedAction();
        if (takeEdits()) m_workspace.open(pathTextOf(url));
        return;
    }
    m_messages->show({Message::Kind::error,
                      tr("What was dropped is not a file on this computer. Copy it here first."),
                      {},
                      {}});
}

bool MainWindow::takeEdits() {
    return takePendingEdits(*this);
}

// A click on a tab does not move the focus, which would apply pending edits.
bool MainWindow::eventFilter(QObject* watched, QEvent* event) {
    const bool isPress =
        event->type() == QEvent::MouseButtonPress || event->type() == QEvent::KeyPress;
    if (watched != m_tabs->tabBar() || !isPress) return QMainWindow::eventFilter(watched, event);
    const bool isLeaving = event->type() == QEvent::KeyPress &&
                           (static_cast<QKeyEvent*>(event)->key() == Qt::Key_Tab ||
                            static_cast<QKeyEvent*>(event)->key() == Qt::Key_Backtab);
    return !isLeaving && !takeEdits();
}

bool MainWindow::mayLoseEdits() {
    if (!takeEdits()) return false;
    const ScanDocument& scan = m_workspace.scan();
    if (!scan.hasScan() || scan.isSaved()) return true;
    QMessageBox box(this);
    box.setObjectName("saveQuestion");
    box.setText(tr("The changes to the scan %1 are not saved.").arg(scan.title()));
    box.setInformativeText(tr("Jobs that were started keep the values they were started with."));
    QPushButton* save = box.addButton(tr("Save as…"), QMessageBox::AcceptRole);
    QPushButton* discard = box.addButton(tr("Discard"), QMessageBox::DestructiveRole);
    box.addButton(QMessageBox::Cancel);
    box.exec();
    if (box.clickedButton() == save) {
        chooseScanToSave();
        return scan.isSaved();
    }
    return box.clickedButton() == discard;
}

void MainWindow::closeEvent(QCloseEvent* event) {
    if (!mayLoseEdits()) {
        event->ignore();
        return;
    }
    m_layout->save();
    QMainWindow::closeEvent(event);
    QApplication::quit();
}

}  // namespace gantry
