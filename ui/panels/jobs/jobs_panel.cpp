#include "ui/panels/jobs/jobs_panel.h"

#include <QAction>
#include <QDesktopServices>
#include <QFileInfo>
#include <QHeaderView>
#include <QItemSelectionModel>
#include <QLabel>
#include <QMenu>
#include <QScrollBar>
#include <QStackedLayout>
#include <QTableView>
#include <QToolBar>
#include <QToolButton>
#include <QUrl>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include "core/base/file.h"
#include "core/remote/shell/host_scan.h"
#include "ui/models/job/job_table.h"
#include "ui/models/text.h"
#include "ui/panels/jobs/iterative_actions.h"
#include "ui/panels/jobs/jobs_delegate.h"
#include "ui/panels/jobs/jobs_windows.h"
#include "ui/panels/shared/sentence_label.h"
#include "ui/widgets/new_widget.h"
#include "ui/widgets/placeholder.h"
#include "ui/widgets/style/theme.h"
#include "ui/workspace/workspace.h"

namespace gantry {

struct JobsPanel::Parts {
    explicit Parts(Workspace& theWorkspace) : workspace(theWorkspace), iterative(theWorkspace) {}

    Workspace& workspace;
    JobTable table;
    Background reading;
    IterativeActions iterative;
    QToolBar* bar = nullptr;
    QTableView* view = nullptr;
    QStackedLayout* pages = nullptr;
    QLabel* message = nullptr;
    QAction* cancel = nullptr;
    QAction* stopHere = nullptr;
    QAction* goOn = nullptr;
    QAction* compareWithFdk = nullptr;
    QAction* resume = nullptr;
    QMenu* resumeElsewhere = nullptr;
    QAction* fetch = nullptr;
    QAction* openResult = nullptr;
    QAction* runAgain = nullptr;
    QAction* showTimeline = nullptr;
    QAction* showLog = nullptr;
    QAction* showRequest = nullptr;
    QAction* openFolder = nullptr;
    QAction* rename = nullptr;
    QAction* forget = nullptr;
};

JobsPanel::JobsPanel(Workspace& workspace, QWidget* parent)
    : QWidget(parent), m_parts(std::make_unique<Parts>(workspace)) {
    makeView();
    makeActions();
    auto* column = spaced(new QVBoxLayout(this), 0);
    column->addWidget(m_parts->bar);
    auto* pages = new QWidget;
    m_parts->pages = new QStackedLayout(pages);
    m_parts->pages->addWidget(
        new Placeholder(tr("No jobs yet: open a scan and press Reconstruct.")));
    m_parts->pages->addWidget(m_parts->view);
    column->addWidget(pages, 1);
    m_parts->message = named(copyable(new QLabel), "jobMessage");
    m_parts->message->setMargin(kSpacing);
    column->addWidget(m_parts->message);
    JobStore& jobs = workspace.jobs();
    connect(&jobs, &JobStore::reset, this, &JobsPanel::showJobs);
    connect(&jobs, &JobStore::changed, this, [this](int row) {
        m_parts->table.setJob(row, m_parts->workspace.jobs().jobs()[row]);
        showRowButton(row);
        const int state =
            m_parts->view->fontMetrics().horizontalAdvance(stateText(*m_parts->table.job(row)));
        if (state + JobsDelegate::kStateMargins > m_parts->view->columnWidth(JobTable::stateColumn))
            fitColumns();
        if (m_parts->view->currentIndex().row() == row) showSelected();
    });
    connect(&m_parts->table, &JobTable::renamed, &jobs, &JobStore::rename);
    connect(&workspace.selection(), &Selection::jobFolderChanged, this, &JobsPanel::select);
    showJobs();
}

JobsPanel::~JobsPanel() {
    // The table outlives this panel, and must not signal to it while it is being destroyed.
    disconnect(m_parts->view->selectionModel(), nullptr, this, nullptr);
}

void JobsPanel::makeView() {
    auto* view = new QTableView;
    m_parts->view = view;
    view->setObjectName("jobs");
    view->setModel(&m_parts->table);
    view->setItemDelegate(new JobsDelegate(view));
    view->setSelectionBehavior(QAbstractItemView::SelectRows);
    view->setSelectionMode(QAbstractItemView::SingleSelection);
    view->setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
    view->setShowGrid(false);
    view->setWordWrap(false);
    view->setTabKeyNavigation(false);
    // The end of a name distinguishes jobs as well; columns are as wide as what they show.
    view->setTextElideMode(Qt::ElideMiddle);
    view->setEditTriggers(QAbstractItemView::NoEditTriggers);
    view->verticalHeader()->hide();
    view->verticalHeader()->setDefaultSectionSize(view->fontMetrics().height() + kSpacing + 4);
    QHeaderView* header = view->horizontalHeader();
    header->setHighlightSections(false);
    header->setStretchLastSection(true);
    header->setMinimumSectionSize(6 * kSpacing);
    const QFontMetrics metrics = view->fontMetrics();
    const std::pair<int, QString> widths[] = {{JobTable::progressColumn, "bar of this 100 %"},
                                              {JobTable::timeColumn, "took 59 min 59 s"},
                                              {JobTable::speedColumn, "0.0000000 GUPS"},
                                              {JobTable::startedColumn, "30 Nov 23:59"}};
    for (const auto& [column, text] : widths)
        view->setColumnWidth(column, metrics.horizontalAdvance(text) + 2 * kSpacing);
    connect(view->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            [this] { showSelected(); });
    connect(view, &QTableView::activated, this, [this] {
        if (m_parts->openResult->isEnabled()) m_parts->openResult->trigger();
    });
}

void JobsPanel::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    showWords();
    fitColumns();
}

// Whole columns, as many as there is room for; the name takes the width that they leave, within
// limits while there is an output to take the rest.
void JobsPanel::fitColumns() {
    QTableView& view = *m_parts->view;
    const QFontMetrics metrics = view.fontMetrics();
    int size = metrics.horizontalAdvance("1024³");
    int state = metrics.horizontalAdvance("Cancelling");
    for (const JobEntry& job : m_parts->workspace.jobs().jobs()) {
        size = std::max(size, metrics.horizontalAdvance(job.size));
        state = std::max(state, metrics.horizontalAdvance(stateText(job)));
    }
    const auto show = [&](int column, bool isShown) { view.setColumnHidden(column, !isShown); };
    for (int column = JobTable::sizeColumn; column <= JobTable::outputColumn; ++column)
        show(column, true);
    view.setColumnWidth(JobTable::sizeColumn, size + 3 * kSpacing);
    view.setColumnWidth(JobTable::stateColumn, state + JobsDelegate::kStateMargins);
    const int available = width() - view.verticalScrollBar()->sizeHint().width();
    const int min = metrics.horizontalAdvance("a scan of some name");
    const int output = metrics.horizontalAdvance("a file name.mha") + 2 * kSpacing;
    int wanted = min + output;
    for (int column = JobTable::sizeColumn; column < JobTable::outputColumn; ++column)
        wanted += view.columnWidth(column);
    for (const int column : {JobTable::outputColumn, JobTable::speedColumn,
                             JobTable::progressColumn, JobTable::sizeColumn}) {
        if (wanted <= available) break;
        wanted -= column == JobTable::outputColumn ? output : view.columnWidth(column);
        show(column, false);
    }
    const int name = std::max(6 * kSpacing, min + available - wanted);
    view.setColumnWidth(JobTable::nameColumn, view.isColumnHidden(JobTable::outputColumn)
                                                  ? name
                                                  : std::min(name, 5 * min / 2));
}

// Words for what is wanted most, where there is room for them; tool tips for the rest.
void JobsPanel::showWords() {
    const int wordsWidth = fontMetrics().horizontalAdvance("Cancel Resume Open result");
    const int iconsWidth = 4 * kSpacing * static_cast<int>(m_parts->bar->actions().size());
    const bool hasRoom = width() > wordsWidth + iconsWidth + 8 * kSpacing;
    for (QAction* action : {m_parts->cancel, m_parts->resume, m_parts->openResult})
        if (auto* button = qobject_cast<QToolButton*>(m_parts->bar->widgetForAction(action)))
            button->setToolButtonStyle(hasRoom ? Qt::ToolButtonTextBesideIcon
                                               : Qt::ToolButtonIconOnly);
}

QAction* JobsPanel::addAction(const char* name, const QString& iconName, const QString& text,
                              std::function<void(const JobEntry&)> act) {
    auto* action = named(new QAction(icon(iconName), text, this), name);
    connect(action, &QAction::triggered, this, [this, act = std::move(act)] {
        if (const JobEntry* job = selected()) act(JobEntry(*job));
    });
    m_parts->bar->addAction(action);
    m_parts->view->addAction(action);
    return action;
}

void JobsPanel::makeActions() {
    Parts& p = *m_parts;
    p.bar = named(new QToolBar, "jobActions");
    constexpr int kIcon = 16;
    p.bar->setIconSize({kIcon, kIcon});
    p.view->setContextMenuPolicy(Qt::ActionsContextMenu);
    JobStore& jobs = p.workspace.jobs();
    p.cancel = addAction("cancelJob", "cancel", tr("Cancel"),
                         [&jobs](const JobEntry& job) { jobs.cancel(job.folder); });
    p.stopHere = addAction("stopJob", "stop", tr("Stop and keep"),
                           [&p](const JobEntry& job) { p.iterative.stopAndKeep(job); });
    p.goOn = addAction("goOn", "play", tr("More iterations"),
                       [&p](const JobEntry& job) { p.iterative.goOn(job); });
    p.resume = addAction("resumeJob", "resume", tr("Resume"),
                         [&jobs](const JobEntry& job) { jobs.resume(job.folder); });
    makeResumeElsewhere();
    p.fetch = addAction("fetchJob", "import", tr("Fetch"),
                        [&jobs](const JobEntry& job) { jobs.fetch(job.folder); });
    p.openResult = addAction("openResult", "volume", tr("Open result"),
                             [this](const JobEntry& job) { openResult(job); });
    p.compareWithFdk = addAction("compareWithFdk", "compare", tr("Compare with FDK"),
                                 [&p](const JobEntry& job) { p.iterative.compareWithFdk(job); });
    p.runAgain = addAction("runAgain", "reset", tr("Run again with changes"),
                           [this](const JobEntry& job) { runAgain(job); });
    p.showTimeline =
        addAction("showTimeline", "timeline", tr("Timeline"), [this](const JobEntry& job) {
            m_parts->workspace.selection().setJobFolder(job.folder);
            emit timelineWanted();
        });
    p.showLog =
        addAction("showLog", "log", tr("Log"), [this](const JobEntry& job) { showLog(job); });
    p.showRequest = addAction("showRequest", "info", tr("Request"), [this](const JobEntry& job) {
        (new JobsRequestWindow(job, this))->QDialog::show();
    });
    p.openFolder = addAction("openJobFolder", "folder", tr("Open folder"),
                             [this](const JobEntry& job) { openFolder(job); });
    p.rename = addAction("renameJob", "pencil", tr("Rename"), [this](const JobEntry& job) {
        const int row = m_parts->table.rowOf(job.folder);
        m_parts->view->edit(m_parts->table.index(row, JobTable::nameColumn));
    });
    p.forget = addAction("forgetJob", "trash", tr("Forget"),
                         [&jobs](const JobEntry& job) { jobs.forget(job.folder); });
    // Where the table has the keyboard.
    p.rename->setShortcut(Qt::Key_F2);
    p.rename->setShortcutContext(Qt::WidgetShortcut);
    p.forget->setShortcut(QKeySequence::Delete);
    p.forget->setShortcutContext(Qt::WidgetShortcut);
    p.cancel->setShortcut(QKeySequence(Qt::CTRL | Qt::Key_Period));
    p.cancel->setShortcutContext(Qt::WidgetShortcut);
}

// Beside Resume, in the bar and in the context menu.
void JobsPanel::makeResumeElsewhere() {
    auto* menu = named(new QMenu(tr("Resume elsewhere"), this), "resumeElsewhere");
    menu->setIcon(icon("next"));
    connect(menu, &QMenu::aboutToShow, this, &JobsPanel::fillResumeElsewhere);
    m_parts->resumeElsewhere = menu;
    m_parts->bar->addAction(menu->menuAction());
    if (auto* button =
            qobject_cast<QToolButton*>(m_parts->bar->widgetForAction(menu->menuAction())))
        button->setPopupMode(QToolButton::InstantPopup);
    m_parts->view->addAction(menu->menuAction());
}

void JobsPanel::fillResumeElsewhere() {
    QMenu& menu = *m_parts->resumeElsewhere;
    menu.clear();
    const JobEntry* job = selected();
    if (!job || !job->hosted) return;
    const auto add = [&](const QString& text, const QString& host) {
        connect(menu.addAction(text), &QAction::triggered, this,
                [this, folder = job->folder, host] {
                    m_parts->workspace.jobs().resumeElsewhere(folder, host);
                });
    };
    add(tr("On this machine"), {});
    for (const KnownHost& known : m_parts->workspace.hosts().known())
        if (known.host && known.name != job->hosted->host())
            add(tr("On %1").arg(known.name), known.name);
}

const JobEntry* JobsPanel::selected() const {
    return m_parts->table.job(m_parts->view->currentIndex().row());
}

void JobsPanel::showJobs() {
    m_parts->table.setJobs(m_parts->workspace.jobs().jobs());
    m_parts->pages->setCurrentIndex(m_parts->table.rowCount() > 0 ? 1 : 0);
    for (int row = 0; row < m_parts->table.rowCount(); ++row)
        showRowButton(row);
    fitColumns();
    select(m_parts->workspace.selection().jobFolder());
    showSelected();
}

// A job that ended without a volume is resumed at its message; it has no speed.
void JobsPanel::showRowButton(int row) {
    QTableView& view = *m_parts->view;
    const QModelIndex place = m_parts->table.index(row, JobTable::speedColumn);
    const JobEntry* job = m_parts->table.job(row);
    const bool isWanted = job && job->isResumable();
    if (isWanted == (view.indexWidget(place) != nullptr)) return;
    if (!isWanted) {
        view.setIndexWidget(place, nullptr);
        return;
    }
    auto* button = named(new QToolButton, "resumeRow");
    button->setText(tr("Resume"));
    button->setIcon(icon("resume"));
    button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    button->setAutoFillBackground(true);
    button->setAccessibleName(tr("Resume %1").arg(job->name));
    connect(button, &QToolButton::clicked, this, [this, folder = job->folder] {
        m_parts->workspace.selection().setJobFolder(folder);
        m_parts->workspace.jobs().resume(folder);
    });
    view.setIndexWidget(place, button);
}

void JobsPanel::select(const QString& folder) {
    const int row = m_parts->table.rowOf(folder);
    if (row < 0 || row == m_parts->view->currentIndex().row()) return;
    m_parts->view->setCurrentIndex(m_parts->table.index(row, 0));
}

void JobsPanel::showSelected() {
    const JobEntry* job = selected();
    showActions(job);
    const QString message = job ? messageText(*job) : QString();
    const bool hasFailed = job && job->status.state == JobState::failed;
    showSentence(*m_parts->message, message, hasFailed ? SentenceKind::error : SentenceKind::muted);
    if (job) m_parts->workspace.selection().setJobFolder(job->folder);
}

// An action that makes no sense says why in its tool tip.
void JobsPanel::set(QAction* action, const QString& help, const QString& whyNot) {
    action->setEnabled(whyNot.isEmpty());
    action->setToolTip(whyNot.isEmpty() ? help : whyNot);
}

void JobsPanel::showIterativeActions(const JobEntry* job) {
    Parts& p = *m_parts;
    const bool isShown = job && job->isIterative && !job->hosted;
    for (QAction* action : {p.stopHere, p.goOn, p.compareWithFdk})
        action->setVisible(isShown);
    if (!isShown) return;
    set(p.stopHere,
        tr("Ends the job after the iteration at work, and keeps its volume as a finished one."),
        job->isActive() ? QString() : tr("The job has ended already."));
    const QString unlessDone =
        job->hasVolume() ? QString() : tr("There is a volume when the job is done.");
    set(p.goOn,
        tr("Sets the next reconstruction to begin from this volume: choose how many iterations to "
           "add."),
        unlessDone);
    set(p.compareWithFdk,
        tr("Shows the volume beside one by FDK of the same scan, which is made if there is none."),
        unlessDone);
}

void JobsPanel::showActions(const JobEntry* job) {
    Parts& p = *m_parts;
    showIterativeActions(job);
    const QString none = job ? QString() : tr("Select a job first.");
    const bool isActive = job && job->isActive();
    const JobState state = job ? job->status.state : JobState::queued;
    const auto unless = [&](bool isPossible, const QString& whyNot) {
        return !job ? none : isPossible ? QString() : whyNot;
    };
    const bool isPause = job && job->isPausable();
    p.cancel->setText(isPause ? tr("Pause") : tr("Cancel"));
    p.cancel->setIcon(icon(isPause ? "pause" : "cancel"));
    set(p.cancel, job ? endHelp(*job) : QString(),
        unless(isActive && !job->isCancelling,
               isActive ? tr("The job is ending.") : tr("The job has ended already.")));
    set(p.resume,
        job && job->status.canResume
            ? tr("Continues from the finished parts of the volume.")
            : tr("Starts the job again from its beginning; it has no finished parts."),
        unless(job && job->isResumable(),
               isActive ? tr("The job is under way.") : tr("The job is done.")));
    set(p.resumeElsewhere->menuAction(),
        tr("Fetches what the job has finished, and has another host or this machine go on from "
           "it."),
        unless(job && job->hosted && job->isResumable(),
               isActive ? tr("The job is under way.")
               : job && job->hosted
                   ? tr("The job is done.")
                   : tr("The job is one of this machine; only hosts' jobs can go on elsewhere.")));
    p.resumeElsewhere->menuAction()->setVisible(m_parts->table.hasHosted());
    set(p.fetch, tr("Brings the volume from its host to this machine."),
        unless(
            job && job->isFetchable(),
            job && job->hosted
                ? tr("There is something to fetch when the job is done and its volume is not here.")
                : tr("The job's volume is on this machine.")));
    p.fetch->setVisible(m_parts->table.hasHosted());
    set(p.openResult, tr("Shows the volume."),
        unless(state == JobState::done && (job->hasVolume() || job->previewStamp > 0),
               tr("There is a volume when the job is done.")));
    set(p.runAgain, tr("Opens the scan with this job's request, to be changed and started anew."),
        none);
    set(p.showTimeline, tr("Shows where the job's time goes."), none);
    set(p.showLog, tr("Shows what the job wrote about its run."), none);
    set(p.showRequest, tr("Shows what the job was asked for."), none);
    set(p.openFolder, tr("Shows the volume's folder in the file manager."), none);
    set(p.rename, tr("Gives the job another name (F2). An empty one gives the usual name back."),
        none);
    set(p.forget, tr("Takes the job off this list. Its files stay."),
        unless(!isActive, tr("The job is under way: cancel it first.")));
}

void JobsPanel::openResult(const JobEntry& job) {
    m_parts->workspace.volume().open(job.hasVolume() ? job.output : job.preview());
    emit m_parts->workspace.showVolume();
}

void JobsPanel::runAgain(const JobEntry& job) {
    m_parts->reading.start(
        [folder = toPath(job.folder)](const std::stop_token&) {
            JobSpec spec = readJobRequest(folder);
            const std::optional<RemoteJob> remote = readRemoteJob(folder);
            if (!remote || remote->way != DataWay::there) return spec;
            // Its scan lies there; here may be a copy of its file.
            const std::filesystem::path copy = copyOf({remote->host, spec.scan.path.string()});
            if (pathExists(copy)) {
                spec.scan.path = copy;
                spec.scan.folder = copy.parent_path();
            }
            return spec;
        },
        [this](const JobSpec& spec) {
            m_parts->workspace.openRequest(spec);
            emit m_parts->workspace.showProjections();
        },
        [this](const QString& sentence) {
            emit m_parts->workspace.messageRaised({Message::Kind::error, sentence, {}, {}});
        });
}

void JobsPanel::showLogOf(const QString& folder) {
    if (const JobEntry* job = m_parts->workspace.jobs().find(folder)) showLog(*job);
}

void JobsPanel::showLog(const JobEntry& job) {
    (new JobsLogWindow(job, this))->QDialog::show();
}

void JobsPanel::openFolder(const JobEntry& job) {
    const QString output = job.output.endsWith('/') ? job.output.chopped(1) : job.output;
    QDesktopServices::openUrl(QUrl::fromLocalFile(QFileInfo(output).path()));
}

}  // namespace gantry
