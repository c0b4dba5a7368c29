#include "ui/desktop/window/menu_actions.h"

#include <QDesktopServices>
#include <QDockWidget>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QMenu>
#include <QMenuBar>
#include <QPushButton>
#include <QUrl>

#include "ui/desktop/window/main_window.h"
#include "ui/desktop/window/problem_sign.h"
#include "ui/widgets/new_widget.h"
#include "ui/widgets/style/theme.h"
#include "ui/workspace/workspace.h"

namespace gantry {

namespace {

bool isActive(const JobEntry& job) {
    return job.status.state == JobState::queued || job.status.state == JobState::running;
}

bool canResume(const JobEntry& job) {
    return job.status.state == JobState::cancelled || job.status.state == JobState::failed;
}

}  // namespace

MenuActions::MenuActions(MainWindow& window) : QObject(&window), m_window(window) {
    buildFileMenu();
    buildEditMenu();
    buildViewMenu();
    buildJobMenu();
    buildHelpMenu();
    addSearch();
    Workspace& workspace = window.workspace();
    const auto update = [this] { updateEnabled(); };
    connect(&workspace.scan(), &ScanDocument::stateChanged, this, update);
    connect(&workspace.scan(), &ScanDocument::scanChanged, this, update);
    connect(&workspace.volume(), &VolumeDocument::volumeChanged, this, update);
    connect(&workspace.volume(), &VolumeDocument::openingChanged, this, update);
    connect(&workspace.selection(), &Selection::jobFolderChanged, this, update);
    connect(&workspace.jobs(), &JobStore::reset, this, update);
    connect(&workspace.jobs(), &JobStore::changed, this, update);
    updateEnabled();
}

QList<QAction*> MenuActions::all() const {
    QList<QAction*> actions;
    for (const QAction* top : m_window.menuBar()->actions()) {
        if (!top->menu()) continue;
        for (QAction* action : top->menu()->actions()) {
            if (action->menu())
                actions += action->menu()->actions();
            else if (!action->isSeparator())
                actions += action;
        }
    }
    return actions;
}

QAction* MenuActions::add(QMenu* menu, const QString& text, const char* iconName, const char* keys,
                          const std::function<void()>& act) {
    return addAside(menu, text, iconName, keys, [this, act] {
        if (m_window.takeEdits()) act();
    });
}

QAction* MenuActions::addAside(QMenu* menu, const QString& text, const char* iconName,
                               const char* keys, const std::function<void()>& act) {
    QAction* action = menu->addAction(text);
    if (*iconName) action->setIcon(icon(iconName));
    if (*keys) action->setShortcut(QKeySequence(keys));
    connect(action, &QAction::triggered, this, act);
    return action;
}

void MenuActions::buildFileMenu() {
    MainWindow& window = m_window;
    QMenu* menu = window.menuBar()->addMenu(tr("&File"));
    add(menu, tr("&Open file…"), "open", "Ctrl+O", [&window] { window.chooseFile(); });
    add(menu, tr("Open &folder…"), "folder", "Ctrl+Shift+O", [&window] { window.chooseFolder(); });
    add(menu, tr("Open as pro&jections…"), "projections", "",
        [&window] { window.chooseProjections(); });
    add(menu, tr("Open a scan on a &host…"), "link", "", [&window] { window.chooseScanOnHost(); });
    m_recent = menu->addMenu(tr("Open &recent"));
    connect(m_recent, &QMenu::aboutToShow, this, &MenuActions::fillRecent);
    fillRecent();
    menu->addSeparator();
    m_save =
        add(menu, tr("&Save scan as…"), "save", "Ctrl+S", [&window] { window.chooseScanToSave(); });
    m_import = add(menu, tr("&Import geometry…"), "import", "Ctrl+I",
                   [&window] { window.chooseGeometryToImport(); });
    m_export = add(menu, tr("&Export geometry…"), "export", "Ctrl+E",
                   [&window] { window.chooseGeometryToExport(); });
    menu->addSeparator();
    m_close = add(menu, tr("&Close scan"), "close", "Ctrl+W", [&window] { window.closeScan(); });
    m_closeVolume =
        add(menu, tr("Close &volume"), "", "Ctrl+Shift+W", [&window] { window.closeVolume(); });
    m_compare = add(menu, tr("Co&mpare the volume with…"), "compare", "Ctrl+Shift+C",
                    [&window] { window.chooseComparison(); });
    m_compareFolder = add(menu, tr("Compare the volume with a fol&der…"), "", "",
                          [&window] { window.chooseComparisonFolder(); });
    add(menu, tr("&Quit"), "", "Ctrl+Q", [&window] { window.close(); });
}

void MenuActions::fillRecent() {
    Workspace& workspace = m_window.workspace();
    m_recent->clear();
    for (const QString& path : workspace.recentFiles()) {
        // An ampersand would mark a key.
        add(m_recent, QString(path).replace('&', "&&"), "", "",
            [&workspace, path] { workspace.open(path); });
    }
    m_recent->setEnabled(!m_recent->isEmpty());
    if (m_recent->isEmpty()) return;
    m_recent->addSeparator();
    connect(m_recent->addAction(tr("Clear this list")), &QAction::triggered, &workspace,
            &Workspace::clearRecentFiles);
}

void MenuActions::buildEditMenu() {
    QMenu* menu = m_window.menuBar()->addMenu(tr("&Edit"));
    ScanDocument& scan = m_window.workspace().scan();
    QUndoStack& stack = scan.undoStack();
    QAction* undo = add(menu, {}, "undo", "Ctrl+Z", [&stack] { stack.undo(); });
    QAction* redo = add(menu, {}, "redo", "Ctrl+Shift+Z", [&stack] { stack.redo(); });
    followStack(undo, redo);
    m_reset = add(menu, tr("Reset to &file"), "reset", "", [&scan] { scan.resetToFile(); });
    m_findCentre = add(menu, tr("Find the ce&ntre of rotation…"), "search", "",
                       [this] { m_window.findCentre(); });
    m_calibrate = add(menu, tr("Calibrate with &balls…"), "", "", [this] { m_window.calibrate(); });
    m_checkConventions = add(menu, tr("Check the con&ventions…"), "compare", "",
                             [this] { m_window.checkConventions(); });
    add(menu, tr("Compare val&ues…"), "", "",
        [this] { m_window.compareValues("detector.axisColumn"); });
    menu->addSeparator();
    addAside(menu, tr("&Preferences…"), "settings", "Ctrl+,",
             [this] { m_window.showPreferences(); });
}

// The stack's own actions would undo before pending edits are applied.
void MenuActions::followStack(QAction* undo, QAction* redo) {
    const QUndoStack& stack = m_window.workspace().scan().undoStack();
    const auto nameUndo = [undo](const QString& edit) {
        undo->setText(edit.isEmpty() ? tr("&Undo") : tr("&Undo: %1").arg(edit));
    };
    const auto nameRedo = [redo](const QString& edit) {
        redo->setText(edit.isEmpty() ? tr("&Redo") : tr("&Redo: %1").arg(edit));
    };
    connect(&stack, &QUndoStack::undoTextChanged, undo, nameUndo);
    connect(&stack, &QUndoStack::redoTextChanged, redo, nameRedo);
    connect(&stack, &QUndoStack::canUndoChanged, undo, &QAction::setEnabled);
    connect(&stack, &QUndoStack::canRedoChanged, redo, &QAction::setEnabled);
    nameUndo(stack.undoText());
    nameRedo(stack.redoText());
    undo->setEnabled(stack.canUndo());
    redo->setEnabled(stack.canRedo());
}

void MenuActions::buildViewMenu() {
    QMenu* menu = m_window.menuBar()->addMenu(tr("&View"));
    const auto addTab = [&](const QString& text, const char* iconName, const char* keys,
                            MainWindow::Tab tab) {
        add(menu, text, iconName, keys, [this, tab] { m_window.showTab(tab); });
    };
    addTab(tr("&Projections"), "projections", "Ctrl+1", MainWindow::Tab::projections);
    addTab(tr("&Slices"), "slices", "Ctrl+2", MainWindow::Tab::slices);
    addTab(tr("&Volume"), "volume", "Ctrl+3", MainWindow::Tab::volume);
    addTab(tr("&Live slices"), "live", "Ctrl+4", MainWindow::Tab::live);
    addTab(tr("V&erify"), "verify", "Ctrl+5", MainWindow::Tab::verify);
    menu->addSeparator();
    int number = 1;
    for (auto* dock : m_window.findChildren<QDockWidget*>(QString(), Qt::FindDirectChildrenOnly)) {
        QAction* action = dock->toggleViewAction();
        action->setShortcut(QKeySequence(QString("Alt+%1").arg(number++)));
        menu->addAction(action);
    }
    menu->addSeparator();
    addAside(menu, tr("Switch &dark/light theme"), "moon", "Ctrl+Shift+D",
             [this] { m_window.toggleTheme(); });
    addAside(menu, tr("&Reset the layout"), "dock", "", [this] { m_window.resetLayout(); });
    m_alone = addAside(menu, tr("Picture &alone"), "eye", "F9",
                       [this] { m_window.showAlone(m_alone->isChecked()); });
    m_alone->setCheckable(true);
    addAside(menu, tr("&Full screen"), "maximise", "F11",
             [this] { m_window.setWindowState(m_window.windowState() ^ Qt::WindowFullScreen); });
}

void MenuActions::buildJobMenu() {
    QMenu* menu = m_window.menuBar()->addMenu(tr("&Job"));
    Workspace& workspace = m_window.workspace();
    m_reconstruct =
        add(menu, tr("&Reconstruct"), "reconstruct", "Ctrl+R", [this] { m_window.reconstruct(); });
    m_live =
        add(menu, tr("Start &live slices"), "live", "Ctrl+L", [this] { m_window.startLive(); });
    menu->addSeparator();
    m_cancel = addAside(menu, tr("&Cancel the selected job"), "cancel", "Ctrl+.", [&workspace] {
        workspace.jobs().cancel(workspace.selection().jobFolder());
    });
    m_resume =
        addAside(menu, tr("Re&sume the selected job"), "resume", "Ctrl+Shift+R",
                 [&workspace] { workspace.jobs().resume(workspace.selection().jobFolder()); });
    m_report = addAside(menu, tr("Show the re&port of the selected job"), "info", "", [&workspace] {
        const QString report = workspace.selection().jobFolder() + "/report.html";
        if (QFileInfo::exists(report) && QDesktopServices::openUrl(QUrl::fromLocalFile(report)))
            return;
        emit workspace.messageRaised(
            {Message::Kind::warning, tr("The job's report cannot be shown: %1").arg(report)});
    });
    menu->addSeparator();
    addAside(menu, tr("&Hosts…"), "link", "", [this] { m_window.showHosts(); });
}

void MenuActions::buildHelpMenu() {
    QMenu* menu = m_window.menuBar()->addMenu(tr("&Help"));
    addAside(menu, tr("&Manual"), "help", "F1", [this] { m_window.showHelp(); });
    add(menu, tr("&Guided example"), "cube", "", [this] { m_window.beginExample(); });
    addAside(menu, tr("&Keyboard and mouse"), "", "",
             [this] { m_window.showHelpPage("desktop-keys.md"); });
    addAside(menu, tr("&Search actions and fields…"), "search", "Ctrl+K",
             [this] { m_window.showCommandPalette(); });
    menu->addSeparator();
    addAside(menu, tr("&About Gantry"), "info", "", [this] { m_window.showAbout(); });
}

void MenuActions::addSearch() {
    auto* search =
        named(new QPushButton(icon("search"), tr("Search actions (Ctrl+K)")), "searchActions");
    search->setFlat(true);
    search->setFocusPolicy(Qt::NoFocus);
    connect(search, &QPushButton::clicked, &m_window, &MainWindow::showCommandPalette);
    auto* problems = new ProblemSign(m_window.workspace());
    connect(problems, &QPushButton::clicked, &m_window, &MainWindow::showProblems);
    auto* corner = new QWidget;
    auto* row = spaced(new QHBoxLayout(corner), kSpacing);
    row->addWidget(problems);
    row->addWidget(search);
    m_window.menuBar()->setCornerWidget(corner);
}

void MenuActions::updateEnabled() {
    Workspace& workspace = m_window.workspace();
    const ScanDocument& scan = workspace.scan();
    for (QAction* action : {m_save, m_import, m_export, m_close})
        action->setEnabled(scan.hasScan());
    m_reset->setEnabled(!scan.isSaved());
    const bool isSound = scan.state() == ScanDocument::State::open && !scan.hasErrors();
    m_findCentre->setEnabled(isSound);
    m_live->setEnabled(scan.hasScan() && !scan.hasErrors());
    m_calibrate->setEnabled(isSound);
    m_checkConventions->setEnabled(scan.state() == ScanDocument::State::open && scan.inspection());
    m_reconstruct->setEnabled(isSound || scan.lacksImagesOnly());
    m_closeVolume->setEnabled(workspace.volume().volume() || workspace.volume().isOpening());
    for (QAction* action : {m_compare, m_compareFolder})
        action->setEnabled(workspace.volume().volume() != nullptr);
    const JobEntry* job = workspace.jobs().find(workspace.selection().jobFolder());
    m_cancel->setEnabled(job && isActive(*job));
    m_resume->setEnabled(job && canResume(*job));
    m_report->setEnabled(job && job->status.state == JobState::done);
}

}  // namespace gantry
