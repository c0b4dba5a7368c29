#include "ui/desktop/window/window_layout.h"

#include <QFontMetrics>
#include <QGuiApplication>
#include <QMainWindow>
#include <QScreen>
#include <QSettings>
#include <algorithm>

#include "ui/desktop/window/folding_dock.h"
#include "ui/widgets/style/theme.h"
#include "ui/workspace/workspace.h"

namespace gantry {

namespace {

// Version of the docks' arrangement: raised when docks are added or removed.
constexpr int kLayoutVersion = 2;
constexpr QSize kWantedSize(1600, 1000);
constexpr const char* kGeometryKey = "window/geometry";
constexpr const char* kStateKey = "window/state";
constexpr const char* kJobsSeenKey = "window/jobsSeen";

QString foldKey(const FoldingDock& dock) {
    return "window/folded/" + dock.objectName();
}

QString byHandKey(const FoldingDock& dock) {
    return "window/foldedByHand/" + dock.objectName();
}

// The window manager's frame is not known before the window is shown.
QRect withoutFrame(const QRect& area) {
    constexpr int kBorder = 4;
    const int title = QFontMetrics(QGuiApplication::font()).height() + 2 * kSpacing;
    return area.adjusted(kBorder, title, -kBorder, -kBorder);
}

bool isSeenWhole(const QRect& rectangle) {
    QRegion hidden(rectangle);
    for (const QScreen* screen : QGuiApplication::screens())
        hidden -= screen->availableGeometry();
    return hidden.isEmpty();
}

}  // namespace

QRect placedInside(const QRect& wanted, const QRect& area) {
    const QSize size = wanted.size().boundedTo(area.size());
    const auto within = [](int from, int extent, int begin, int whole) {
        return std::clamp(from, begin, begin + whole - extent);
    };
    return {QPoint(within(wanted.x(), size.width(), area.x(), area.width()),
                   within(wanted.y(), size.height(), area.y(), area.height())),
            size};
}

WindowLayout::WindowLayout(QMainWindow& window, Workspace& workspace)
    : QObject(&window), m_window(window), m_workspace(workspace) {
    for (FoldingDock* each : docks()) {
        connect(each, &FoldingDock::foldedChanged, this, [this, each] {
            limitHeights();
            share(*each);
        });
        // Queued, because the signals come during changes, even while the window is being
        // destroyed.
        connect(each, &QDockWidget::visibilityChanged, this, &WindowLayout::limitHeights,
                Qt::QueuedConnection);
        connect(each, &QDockWidget::dockLocationChanged, this, &WindowLayout::limitHeights,
                Qt::QueuedConnection);
        connect(each, &FoldingDock::foldedByHand, this, [each](bool isFolded) {
            QSettings().setValue(foldKey(*each), isFolded);
            QSettings().setValue(byHandKey(*each), true);
        });
    }
    connect(&workspace.jobs(), &JobStore::reset, this, &WindowLayout::openForJobs);
    connect(&workspace.scan(), &ScanDocument::stateChanged, this,
            &WindowLayout::makeRoomForQuestions);
}

FoldingDock& WindowLayout::dock(const QString& name) const {
    return *m_window.findChild<FoldingDock*>(name);
}

QList<FoldingDock*> WindowLayout::docks() const {
    return m_window.findChildren<FoldingDock*>(QString(), Qt::FindDirectChildrenOnly);
}

void WindowLayout::restore() {
    placeWindow();
    restoreFolds();
    placeDocks();
    m_window.restoreState(QSettings().value(kStateKey).toByteArray(), kLayoutVersion);
    placeCorners();
    limitHeights();
    openForJobs();
}

void WindowLayout::save() const {
    QSettings settings;
    settings.setValue(kGeometryKey, m_window.saveGeometry());
    settings.setValue(kStateKey, m_window.saveState(kLayoutVersion));
}

void WindowLayout::placeWindow() {
    const bool isRestored = m_window.restoreGeometry(QSettings().value(kGeometryKey).toByteArray());
    if (isRestored && isSeenWhole(m_window.geometry())) return;
    const QScreen* screen =
        isRestored ? QGuiApplication::screenAt(m_window.geometry().center()) : nullptr;
    if (!screen) screen = QGuiApplication::primaryScreen();
    const QRect area = withoutFrame(screen->availableGeometry());
    QRect wanted = m_window.geometry();
    if (!isRestored) {
        wanted = QRect({}, kWantedSize);
        wanted.moveCenter(area.center());
    }
    m_window.setGeometry(placedInside(wanted, area));
}

void WindowLayout::restoreFolds() {
    const QSettings settings;
    for (const char* name : {"timelineDock", "jobsDock"})
        dock(name).setFolded(settings.value(foldKey(dock(name)), true).toBool());
    for (const char* name : {"scanDock", "geometryDock"})
        dock(name).setFolded(settings.value(foldKey(dock(name)), false).toBool());
}

// The geometry's form needs the height, timeline and jobs do not need the whole width. Stored
// arrangements contain corners too, and earlier versions gave both to the timeline.
void WindowLayout::placeCorners() {
    m_window.setCorner(Qt::BottomLeftCorner, Qt::LeftDockWidgetArea);
    m_window.setCorner(Qt::BottomRightCorner, Qt::BottomDockWidgetArea);
}

void WindowLayout::placeDocks() {
    placeCorners();
    for (FoldingDock* each : docks()) {
        each->setFloating(false);
        each->show();
    }
    m_window.addDockWidget(Qt::LeftDockWidgetArea, &dock("scanDock"));
    m_window.splitDockWidget(&dock("scanDock"), &dock("geometryDock"), Qt::Vertical);
    m_window.addDockWidget(Qt::RightDockWidgetArea, &dock("reconstructionDock"));
    m_window.addDockWidget(Qt::BottomDockWidgetArea, &dock("timelineDock"));
    m_window.splitDockWidget(&dock("timelineDock"), &dock("jobsDock"), Qt::Horizontal);
    m_window.resizeDocks({&dock("scanDock"), &dock("reconstructionDock")}, {340, 320},
                         Qt::Horizontal);
    limitHeights();
    shareBottom();
    shareLeft();
}

void WindowLayout::reset() {
    QSettings settings;
    settings.remove("window/folded");
    settings.remove("window/foldedByHand");
    settings.remove(kJobsSeenKey);
    restoreFolds();
    placeDocks();
    openForJobs();
}

void WindowLayout::bringUp(const QString& name) {
    FoldingDock& wanted = dock(name);
    wanted.show();
    wanted.setFolded(false);
    wanted.raise();
}

// Called once, at the first job.
void WindowLayout::openForJobs() {
    QSettings settings;
    if (m_workspace.jobs().jobs().empty() || settings.value(kJobsSeenKey).toBool()) return;
    settings.setValue(kJobsSeenKey, true);
    for (const char* name : {"timelineDock", "jobsDock"}) {
        FoldingDock& each = dock(name);
        if (settings.value(byHandKey(each)).toBool()) continue;
        settings.setValue(foldKey(each), false);
        each.setFolded(false);
    }
}

void WindowLayout::makeRoomForQuestions() {
    const ScanDocument::State state = m_workspace.scan().state();
    if (state == ScanDocument::State::opening) return;
    const bool isAsking = state == ScanDocument::State::incomplete;
    if (isAsking == m_isAsking) return;
    m_isAsking = isAsking;
    FoldingDock& geometry = dock("geometryDock");
    if (isAsking) m_wasGeometryFolded = geometry.isFolded();
    geometry.setFolded(isAsking || m_wasGeometryFolded);
}

// A folded dock is one line high, or narrow if an open one beside it needs the height.
void WindowLayout::limitHeights() {
    const auto isOpenIn = [this](Qt::DockWidgetArea area) {
        return std::ranges::any_of(docks(), [&](const FoldingDock* each) {
            return !each->isHidden() && !each->isFloating() && !each->isFolded() &&
                   m_window.dockWidgetArea(const_cast<FoldingDock*>(each)) == area;
        });
    };
    for (FoldingDock* each : docks()) {
        const Qt::DockWidgetArea area = m_window.dockWidgetArea(each);
        const bool isAcross = area == Qt::BottomDockWidgetArea || area == Qt::TopDockWidgetArea;
        const bool isLine =
            each->isFolded() && !each->isFloating() && !(isAcross && isOpenIn(area));
        each->setMaximumHeight(isLine ? each->lineHeight() : QWIDGETSIZE_MAX);
    }
}

void WindowLayout::share(const FoldingDock& changed) {
    if (changed.isFloating()) return;
    const QString name = changed.objectName();
    if (name == "timelineDock" || name == "jobsDock")
        shareBottom();
    else
        shareLeft();
}

void WindowLayout::shareBottom() {
    FoldingDock& timeline = dock("timelineDock");
    FoldingDock& jobs = dock("jobsDock");
    constexpr int kTallest = 230;
    constexpr double kShare = 0.23;  // of the window
    const int height = std::min(kTallest, static_cast<int>(kShare * m_window.height()));
    if (!timeline.isFolded() || !jobs.isFolded())
        m_window.resizeDocks({timeline.isFolded() ? &jobs : &timeline}, {height}, Qt::Vertical);
    // A folded dock beside an open one is as narrow as possible.
    const bool isOneFolded = timeline.isFolded() != jobs.isFolded();
    const auto width = [&](const FoldingDock& each, int wanted) {
        return isOneFolded && each.isFolded() ? 1 : wanted;
    };
    m_window.resizeDocks({&timeline, &jobs}, {width(timeline, 1000), width(jobs, 600)},
                         Qt::Horizontal);
}

// The scan's dock shows only name and state, so the rest of the height goes to the fields.
void WindowLayout::shareLeft() {
    FoldingDock& scan = dock("scanDock");
    FoldingDock& geometry = dock("geometryDock");
    // Folding must not change a width.
    if (scan.isVisible()) m_window.resizeDocks({&scan}, {scan.width()}, Qt::Horizontal);
    if (scan.isFolded() || geometry.isFolded()) return;
    constexpr int kScanHeight = 11 * kSpacing;
    m_window.resizeDocks({&scan, &geometry}, {kScanHeight, m_window.height()}, Qt::Vertical);
}

}  // namespace gantry
