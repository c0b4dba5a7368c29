#include "ui/desktop/menu_actions.h"

#include <QAction>
#include <QDir>
#include <QDockWidget>
#include <QMenu>
#include <QMenuBar>
#include <QPushButton>

#include "ui/desktop/main_window.h"
#include "ui/widgets/theme.h"
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
    connect(&workspace.scan(), &ScanDocument::requestChanged, this, update);
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
                          void (MainWindow::*slot)()) {
    QAction* action = menu->addAction(text);
    if (*iconName) action->setIcon(icon(iconName));
    if (*keys) action->setShortcut(QKeySequence(keys));
    if (slot) connect(action, &QAction::triggered, &m_window, slot);
    return action;
}

void MenuActions::buildFileMenu() {
    QMenu* menu = m_window.menuBar()->addMenu(tr("&File"));
    add(menu, tr("&Open file…"), "open", "Ctrl+O", &MainWindow::chooseFile);
    add(menu, tr("Open &folder…"), "folder", "Ctrl+Shift+O", &MainWindow::chooseFolder);
    m_recent = menu->addMenu(tr("Open &recent"));
    connect(m_recent, &QMenu::aboutToShow, this, &MenuActions::fillRecent);
    fillRecent();
    menu->addSeparator();
    m_save = add(menu, tr("&Save scan as…"), "save", "Ctrl+S", &MainWindow::chooseScanToSave);
    m_import =
        add(menu, tr("&Import geometry…"), "import", "Ctrl+I", &MainWindow::chooseGeometryToImport);
    m_export =
        add(menu, tr("&Export geometry…"), "export", "Ctrl+E", &MainWindow::chooseGeometryToExport);
    menu->addSeparator();
    m_close = add(menu, tr("&Close scan"), "close", "Ctrl+W", &MainWindow::closeScan);
    QAction* quit = add(menu, tr("&Quit"), "", "Ctrl+Q", nullptr);
    connect(quit, &QAction::triggered, &m_window, &QWidget::close);
}

void MenuActions::fillRecent() {
    Workspace& workspace = m_window.workspace();
    m_recent->clear();
    for (const QString& path : workspace.recentFiles()) {
        // An ampersand would be taken as the mark of a key.
        QAction* action = m_recent->addAction(QString(path).replace('&', "&&"));
        connect(action, &QAction::triggered, &workspace,
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
    QUndoStack& stack = m_window.workspace().scan().undoStack();
    QAction* undo = stack.createUndoAction(this, tr("&Undo"));
    undo->setShortcut(QKeySequence::Undo);
    undo->setIcon(icon("undo"));
    QAction* redo = stack.createRedoAction(this, tr("&Redo"));
    redo->setShortcut(QKeySequence("Ctrl+Shift+Z"));
    redo->setIcon(icon("redo"));
    menu->addActions({undo, redo});
    m_reset = add(menu, tr("Reset to &file"), "reset", "", nullptr);
    connect(m_reset, &QAction::triggered, this,
            [this] { m_window.workspace().scan().resetToFile(); });
    menu->addSeparator();
    add(menu, tr("&Preferences…"), "settings", "Ctrl+,", &MainWindow::showPreferences);
}

void MenuActions::buildViewMenu() {
    QMenu* menu = m_window.menuBar()->addMenu(tr("&View"));
    const auto addTab = [&](const QString& text, const char* iconName, const char* keys,
                            MainWindow::Tab tab) {
        QAction* action = add(menu, text, iconName, keys, nullptr);
        connect(action, &QAction::triggered, &m_window, [this, tab] { m_window.showTab(tab); });
    };
    addTab(tr("&Projections"), "projections", "Ctrl+1", MainWindow::Tab::projections);
    addTab(tr("&Slices"), "slices", "Ctrl+2", MainWindow::Tab::slices);
    addTab(tr("&Volume"), "volume", "Ctrl+3", MainWindow::Tab::volume);
    menu->addSeparator();
    int number = 1;
    for (auto* dock : m_window.findChildren<QDockWidget*>(QString(), Qt::FindDirectChildrenOnly)) {
        QAction* action = dock->toggleViewAction();
        action->setShortcut(QKeySequence(QString("Alt+%1").arg(number++)));
        menu->addAction(action);
    }
    menu->addSeparator();
    add(menu, tr("Change between &dark and light"), "moon", "Ctrl+Shift+D",
        &MainWindow::toggleTheme);
    add(menu, tr("&Reset the layout"), "dock", "", &MainWindow::resetLayout);
    QAction* full = add(menu, tr("&Full screen"), "maximise", "F11", nullptr);
    connect(full, &QAction::triggered, &m_window,
            [this] { m_window.setWindowState(m_window.windowState() ^ Qt::WindowFullScreen); });
}

void MenuActions::buildJobMenu() {
    QMenu* menu = m_window.menuBar()->addMenu(tr("&Job"));
    Workspace& workspace = m_window.workspace();
    m_reconstruct =
        add(menu, tr("&Reconstruct"), "reconstruct", "Ctrl+R", &MainWindow::reconstruct);
    menu->addSeparator();
    m_cancel = add(menu, tr("&Cancel the selected job"), "cancel", "Ctrl+.", nullptr);
    connect(m_cancel, &QAction::triggered, this,
            [&workspace] { workspace.jobs().cancel(workspace.selection().jobFolder()); });
    m_resume = add(menu, tr("Re&sume the selected job"), "resume", "Ctrl+Shift+R", nullptr);
    connect(m_resume, &QAction::triggered, this,
            [&workspace] { workspace.jobs().resume(workspace.selection().jobFolder()); });
}

void MenuActions::buildHelpMenu() {
    QMenu* menu = m_window.menuBar()->addMenu(tr("&Help"));
    add(menu, tr("&Manual"), "help", "F1", &MainWindow::showHelp);
    add(menu, tr("&Guided example"), "cube", "", &MainWindow::beginExample);
    QAction* keys = add(menu, tr("&Keyboard and mouse"), "", "", nullptr);
    connect(keys, &QAction::triggered, this, [this] { m_window.showHelpPage("desktop-keys.md"); });
    add(menu, tr("&Search actions…"), "search", "Ctrl+K", &MainWindow::showCommandPalette);
    menu->addSeparator();
    add(menu, tr("&About Gantry"), "info", "", &MainWindow::showAbout);
}

void MenuActions::addSearch() {
    auto* search = new QPushButton(icon("search"), tr("Search actions (Ctrl+K)"));
    search->setObjectName("searchActions");
    search->setFlat(true);
    search->setFocusPolicy(Qt::NoFocus);
    connect(search, &QPushButton::clicked, &m_window, &MainWindow::showCommandPalette);
    m_window.menuBar()->setCornerWidget(search);
}

void MenuActions::updateEnabled() {
    Workspace& workspace = m_window.workspace();
    const ScanDocument& scan = workspace.scan();
    for (QAction* action : {m_save, m_import, m_export, m_close, m_reset})
        action->setEnabled(scan.hasScan());
    m_reconstruct->setEnabled(scan.state() == ScanDocument::State::open && !scan.hasErrors());
    const JobEntry* job = workspace.jobs().find(workspace.selection().jobFolder());
    m_cancel->setEnabled(job && isActive(*job));
    m_resume->setEnabled(job && canResume(*job));
}

}  // namespace gantry
