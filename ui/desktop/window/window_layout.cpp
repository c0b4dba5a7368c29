#include "ui/desktop/window/window_layout.h"

#include <QFontMetrics>
#include <QGuiApplication>
#include <QLayout>
#include <QMainWindow>
#include <QScreen>
#include <QSettings>
#include <algorithm>
#include <utility>

#include "ui/desktop/window/folding_dock.h"
#include "ui/panels/scan/scan_panel.h"
#include "ui/widgets/style/theme.h"
#include "ui/workspace/workspace.h"

namespace gantry {

namespace {

// Version of the docks' arrangement: raised when docks are added or removed.
constexpr int kLayoutVersion = 3;
// Had timeline and jobs beside each other.
constexpr int kFormerVersion = 2;
constexpr Qt::DockWidgetArea kSides[] = {Qt::LeftDockWidgetArea, Qt::RightDockWidgetArea};
constexpr const char* kAtSides[] = {"scanDock", "geometryDock", "reconstructionDock"};
constexpr QSize kWantedSize(1600, 1000);
constexpr const char* kGeometryKey = "window/geometry";
constexpr const char* kStateKey = "window/state";
constexpr const char* kJobsSeenKey = "window/jobsSeen";

QString widthKey(Qt::DockWidgetArea side) {
    return side == Qt::LeftDockWidgetArea ? "window/widthLeft" : "window/widthRight";
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
            limitSizes();
            share(*each);
        });
        // Queued, because the signals come during changes, even while the window is being
        // destroyed.
        connect(each, &QDockWidget::visibilityChanged, this, &WindowLayout::limitSizes,
                Qt::QueuedConnection);
        connect(each, &QDockWidget::dockLocationChanged, this, &WindowLayout::limitSizes,
                Qt::QueuedConnection);
        connect(each, &FoldingDock::foldedByHand, this, [this, each](bool isFolded) {
            QSettings().setValue(foldKey(*each), isFolded);
            QSettings().setValue(byHandKey(*each), true);
        });
    }
    connect(&workspace.jobs(), &JobStore::reset, this, &WindowLayout::openForJobs);
    connect(&workspace.scan(), &ScanDocument::stateChanged, this,
            &WindowLayout::makeRoomForQuestions);
    connect(&workspace.scan(), &ScanDocument::inspectionChanged, this,
            &WindowLayout::makeRoomForProblems, Qt::QueuedConnection);
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
    const QByteArray state = QSettings().value(kStateKey).toByteArray();
    if (!m_window.restoreState(state, kLayoutVersion) &&
        m_window.restoreState(state, kFormerVersion))
        stackBottom();
    placeCorners();
    for (const Qt::DockWidgetArea side : kSides)
        restoreWidth(side);
    limitSizes();
    openForJobs();
}

// The state has the width of the strip where a side was folded to the edge.
void WindowLayout::restoreWidth(Qt::DockWidgetArea side) {
    m_widths[side] = QSettings().value(widthKey(side), 0).toInt();
    if (m_widths[side] <= 0) return;
    for (const char* name : kAtSides)
        if (m_window.dockWidgetArea(&dock(name)) == side && !dock(name).isFloating())
            m_window.resizeDocks({&dock(name)}, {m_widths[side]}, Qt::Horizontal);
}

void WindowLayout::save() {
    showAlone(false);
    QSettings settings;
    settings.setValue(kGeometryKey, m_window.saveGeometry());
    settings.setValue(kStateKey, m_window.saveState(kLayoutVersion));
    for (const char* name : kAtSides) {
        const FoldingDock& each = dock(name);
        const Qt::DockWidgetArea side = m_window.dockWidgetArea(const_cast<FoldingDock*>(&each));
        if (!each.isAtEdge() && !each.isFloating() && each.isVisible())
            settings.setValue(widthKey(side), each.width());
        else if (m_widths.value(side) > 0)
            settings.setValue(widthKey(side), m_widths[side]);
    }
}

// A dock of the sides is remembered for each tab where one looks, and once for all others.
QString WindowLayout::foldKey(const FoldingDock& dock) const {
    const bool isAtSide = std::ranges::any_of(
        kAtSides, [&](const char* name) { return dock.objectName() == QLatin1String(name); });
    return m_isViewing && isAtSide ? "window/folded/" + m_tab + '/' + dock.objectName()
                                   : "window/folded/" + dock.objectName();
}

bool WindowLayout::wantsFolded(const FoldingDock& each) const {
    if (m_isAsking && !m_isViewing && &each == &dock("geometryDock")) return true;
    return QSettings().value(foldKey(each), m_isViewing).toBool();
}

void WindowLayout::setTab(const QString& tab, bool isViewing) {
    m_tab = tab;
    m_isViewing = isViewing;
    QList<QDockWidget*> back;
    for (const char* name : kAtSides)
        if (dock(name).isAtEdge()) back << &dock(name);
    foldSides();
    // Once more when the layout knows how narrow the middle may be.
    QMetaObject::invokeMethod(
        this,
        [this, back] {
            for (QDockWidget* each : back)
                if (const int width = m_widths.value(m_window.dockWidgetArea(each));
                    width > 0 && !static_cast<FoldingDock*>(each)->isAtEdge())
                    m_window.resizeDocks({each}, {width}, Qt::Horizontal);
        },
        Qt::QueuedConnection);
}

void WindowLayout::foldSides() {
    for (const char* name : kAtSides)
        dock(name).setFolded(wantsFolded(dock(name)));
}

void WindowLayout::showAlone(bool isAlone) {
    if (isAlone == m_isAlone) return;
    m_isAlone = isAlone;
    if (isAlone) {
        for (FoldingDock* each : docks()) {
            if (each->isHidden()) continue;
            m_hidden << each;
            each->hide();
        }
    } else {
        for (const QPointer<FoldingDock>& each : std::exchange(m_hidden, {}))
            if (each) each->show();
    }
    emit aloneChanged(isAlone);
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
    foldSides();
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
    m_window.splitDockWidget(&dock("timelineDock"), &dock("jobsDock"), Qt::Vertical);
    m_window.resizeDocks({&dock("scanDock"), &dock("reconstructionDock")}, {340, 320},
                         Qt::Horizontal);
    limitSizes();
    shareBottom();
    shareLeft();
}

// A timeline needs the width.
void WindowLayout::stackBottom() {
    FoldingDock& timeline = dock("timelineDock");
    FoldingDock& jobs = dock("jobsDock");
    for (FoldingDock* each : {&timeline, &jobs})
        if (each->isFloating() || m_window.dockWidgetArea(each) != Qt::BottomDockWidgetArea) return;
    const std::pair wasHidden(timeline.isHidden(), jobs.isHidden());
    m_window.addDockWidget(Qt::BottomDockWidgetArea, &timeline);
    m_window.splitDockWidget(&timeline, &jobs, Qt::Vertical);
    timeline.setHidden(wasHidden.first);
    jobs.setHidden(wasHidden.second);
    shareBottom();
}

void WindowLayout::reset() {
    showAlone(false);
    QSettings settings;
    settings.remove("window/folded");
    settings.remove("window/foldedByHand");
    settings.remove(kJobsSeenKey);
    m_widths.clear();
    restoreFolds();
    placeDocks();
    openForJobs();
}

void WindowLayout::bringUp(const QString& name) {
    showAlone(false);
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
    foldSides();
}

void WindowLayout::limitSizes() {
    foldToEdges();
    limitHeights();
}

// Where every dock of a side is folded, it needs no more than a strip.
void WindowLayout::foldToEdges() {
    for (const Qt::DockWidgetArea side : kSides) {
        QList<FoldingDock*> there;
        for (FoldingDock* each : docks())
            if (!each->isHidden() && !each->isFloating() && m_window.dockWidgetArea(each) == side)
                there << each;
        const bool isFolded =
            !there.isEmpty() &&
            std::ranges::all_of(there, [](const FoldingDock* each) { return each->isFolded(); });
        if (isFolded && !there.front()->isAtEdge() && there.front()->isVisible())
            m_widths[side] = there.front()->width();
        for (FoldingDock* each : there)
            each->setAtEdge(isFolded);
    }
}

// A folded dock is one line high, or narrow if an open one beside it needs the height.
void WindowLayout::limitHeights() {
    const auto hasOpenBeside = [this](const FoldingDock& folded) {
        return std::ranges::any_of(docks(), [&](FoldingDock* each) {
            const QRect place = each->geometry();
            const bool isBeside =
                place.right() < folded.x() || place.left() > folded.x() + folded.width() - 1;
            return isBeside && !each->isHidden() && !each->isFloating() && !each->isFolded() &&
                   m_window.dockWidgetArea(each) ==
                       m_window.dockWidgetArea(const_cast<FoldingDock*>(&folded));
        });
    };
    for (FoldingDock* each : docks()) {
        const bool isLine =
            each->isFolded() && !each->isFloating() && !each->isAtEdge() && !hasOpenBeside(*each);
        each->setMaximumHeight(isLine ? each->lineHeight() : QWIDGETSIZE_MAX);
    }
}

void WindowLayout::share(const FoldingDock& changed) {
    if (changed.isFloating()) return;
    const QString name = changed.objectName();
    if (name == "timelineDock" || name == "jobsDock") return shareBottom();
    shareSides();
    shareLeft();
}

// The timeline shows the four lanes of a run on the CPU.
void WindowLayout::shareBottom() {
    constexpr int kTimeline = 22 * kSpacing;
    constexpr int kTallestJobs = 150;
    constexpr double kShareOfJobs = 0.15;  // of the window
    const int jobs = std::min(kTallestJobs, static_cast<int>(kShareOfJobs * m_window.height()));
    for (const auto& [name, height] : {std::pair("timelineDock", kTimeline), {"jobsDock", jobs}})
        m_window.resizeDocks({&dock(name)},
                             {dock(name).isFolded() ? dock(name).lineHeight() : height},
                             Qt::Vertical);
}

// Folding must not change a width, and what comes back from the edge has the one that it had.
void WindowLayout::shareSides() {
    QList<QDockWidget*> sides;
    QList<int> widths;
    for (const char* name : kAtSides) {
        FoldingDock& each = dock(name);
        if (!each.isVisible() || each.isFloating() || each.isAtEdge()) continue;
        const bool isStrip = each.width() <= each.edgeWidth();
        const int width = isStrip ? m_widths.value(m_window.dockWidgetArea(&each)) : each.width();
        if (width <= 0) continue;
        sides << &each;
        widths << width;
    }
    m_window.layout()->activate();
    m_window.resizeDocks(sides, widths, Qt::Horizontal);
}

// The scan's dock shows whole lines, more of them where there are problems; the rest of the height
// goes to the fields.
void WindowLayout::shareLeft() {
    FoldingDock& scan = dock("scanDock");
    FoldingDock& geometry = dock("geometryDock");
    const bool areShown = scan.isVisible() && geometry.isVisible();
    const int both = areShown ? scan.height() + geometry.height() : m_window.height();
    const auto give = [&](int height) {
        m_window.resizeDocks({&scan, &geometry}, {height, std::max(1, both - height)},
                             Qt::Vertical);
    };
    if (scan.isAtEdge() && geometry.isAtEdge()) give(scan.edgeHeight());
    if (scan.isFolded() || geometry.isFolded()) return;
    constexpr int kLimit = 12 * kSpacing;
    constexpr double kShareWithProblems = 0.25;  // of the window
    const auto* panel = static_cast<const ScanPanel*>(scan.panel());
    const bool hasProblems = !panel->findChild<QWidget*>("problems")->isHidden();
    const int limit = hasProblems ? int(kShareWithProblems * m_window.height()) : kLimit;
    give(scan.lineHeight() + panel->heightOfWholeLines(limit - scan.lineHeight()));
}

// Not while the user is at a field, which must not move.
void WindowLayout::makeRoomForProblems() {
    if (!dock("geometryDock").underMouse() && !m_isAsking) shareLeft();
}

}  // namespace gantry
