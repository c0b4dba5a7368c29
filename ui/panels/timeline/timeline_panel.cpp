#include "ui/panels/timeline/timeline_panel.h"

#include <QBoxLayout>
#include <QBuffer>
#include <QDesktopServices>
#include <QFileInfo>
#include <QLabel>
#include <QMenu>
#include <QSignalBlocker>
#include <QSplitter>
#include <QStackedLayout>
#include <QToolButton>
#include <QUrl>
#include <initializer_list>

#include "core/base/file.h"
#include "ui/models/job/forecast_text.h"
#include "ui/models/job/job_table.h"
#include "ui/models/text.h"
#include "ui/models/timeline/timeline_hit.h"
#include "ui/panels/timeline/timeline_feed.h"
#include "ui/panels/timeline/timeline_figures.h"
#include "ui/panels/timeline/timeline_view.h"
#include "ui/widgets/elided_label.h"
#include "ui/widgets/fields/choose_path.h"
#include "ui/widgets/new_widget.h"
#include "ui/widgets/placeholder.h"
#include "ui/widgets/style/theme.h"
#include "ui/workspace/workspace.h"

namespace gantry {

struct TimelinePanel::Parts {
    explicit Parts(Workspace& space) : workspace(space) {}

    Workspace& workspace;
    TimelineFeed feed;
    Background exporting;
    QStackedLayout* pages = nullptr;
    Placeholder* placeholder = nullptr;
    QWidget* content = nullptr;
    ElidedLabel* job = nullptr;
    QLabel* note = nullptr;
    QToolButton* resume = nullptr;
    QLabel* wall = nullptr;
    QLabel* overlap = nullptr;
    QLabel* bound = nullptr;
    QToolButton* fit = nullptr;
    QToolButton* follow = nullptr;
    QToolButton* save = nullptr;
    QSplitter* splitter = nullptr;
    TimelineView* view = nullptr;
    TimelineFigures* figures = nullptr;
};

namespace {

QString wallHelp() {
    return TimelinePanel::tr(
        "The job's time at work, storing included and pauses not, beside the forecast");
}

constexpr int kMinNameLetters = 14;  // that a job is known by

QLabel* captionOf(const char* name, const QString& toolTip, QBoxLayout& row) {
    auto* label = named(new QLabel, name, toolTip);
    label->setFont(tabular(label->font()));
    row.addWidget(label);
    return label;
}

QToolButton* buttonOf(const char* name, const QString& text, const QString& toolTip,
                      QBoxLayout& row) {
    auto* button = named(new QToolButton, name, toolTip);
    button->setText(text);
    row.addWidget(button);
    return button;
}

QString wallText(const TimelineSnapshot& snapshot) {
    QStringList parts{TimelinePanel::tr("Wall %1").arg(secondsText(snapshot.summary.wallSeconds))};
    if (const double paused = snapshot.pausedSeconds(); paused > 0) parts << pauseText(paused);
    if (snapshot.forecast && snapshot.forecast->wall > 0)
        parts << TimelinePanel::tr("forecast %1").arg(secondsText(snapshot.forecast->wall));
    return parts.join(", ");
}

QString pngAt(const QString& path, const QImage& image) {
    QByteArray bytes;
    QBuffer buffer(&bytes);
    if (!image.save(&buffer, "PNG")) throw InternalError("The picture could not be encoded.");
    writeFileAtomically(
        toPath(path), std::string_view(bytes.constData(), static_cast<std::size_t>(bytes.size())));
    return path;
}

}  // namespace

TimelinePanel::TimelinePanel(Workspace& workspace, QWidget* parent)
    : QWidget(parent), m_parts(std::make_unique<Parts>(workspace)) {
    setObjectName("timelinePanel");
    build();
    connectParts();
    m_parts->feed.follow(workspace.selection().jobFolder());
    showSnapshot();
}

TimelinePanel::~TimelinePanel() {
    // The view signals the pointer even while it is being destroyed.
    m_parts->view->disconnect(this);
}

void TimelinePanel::build() {
    Parts& p = *m_parts;
    auto* row =
        spaced(new QHBoxLayout, 2 * kSpacing, {kSpacing, kSpacing / 2, kSpacing, kSpacing / 2});
    p.job = named(new ElidedLabel(Qt::ElideMiddle), "timelineJob");
    p.job->setFont(tabular(p.job->font()));
    row->addWidget(p.job);
    p.job->setProperty("muted", true);
    row->setStretch(0, 1);
    p.note = captionOf("timelineNote", {}, *row);
    p.note->setProperty("kind", "warning");
    p.resume = buttonOf("timelineResume", tr("Resume"), {}, *row);
    p.resume->setIcon(icon("resume"));
    p.resume->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    p.wall = captionOf("timelineWall", wallHelp(), *row);
    p.overlap =
        captionOf("timelineOverlap",
                  tr("Overlap: the times of all stages together over the wall time. 1 means one "
                     "after the other; the more stages work at the same time, the larger it is."),
                  *row);
    p.bound =
        captionOf("timelineBound",
                  tr("The stage that took longest: only a faster one makes the job faster."), *row);
    p.fit =
        buttonOf("timelineFit", tr("Fit"), tr("Show the whole run (double click, 0 or F)"), *row);
    p.follow = buttonOf("timelineFollow", tr("Follow"),
                        tr("Keep the newest in view while the job runs"), *row);
    p.follow->setCheckable(true);
    p.save =
        buttonOf("timelineExport", tr("Export"), tr("Save the spans or a picture of them"), *row);
    p.save->setPopupMode(QToolButton::InstantPopup);

    p.view = new TimelineView;
    p.figures = new TimelineFigures;
    p.splitter = new QSplitter(Qt::Horizontal);
    p.splitter->addWidget(p.view);
    p.splitter->addWidget(p.figures);
    p.splitter->setStretchFactor(0, 1);
    p.splitter->setStretchFactor(1, 0);
    p.splitter->setCollapsible(0, false);
    p.content = new QWidget;
    auto* column = spaced(new QVBoxLayout(p.content), 0);
    column->addLayout(row);
    column->addWidget(p.splitter, 1);
    p.placeholder = new Placeholder({});
    p.pages = new QStackedLayout(this);
    p.pages->addWidget(p.placeholder);
    p.pages->addWidget(p.content);
}

void TimelinePanel::connectParts() {
    Parts& p = *m_parts;
    auto* menu = new QMenu(p.save);
    connect(menu->addAction(tr("Chrome trace…")), &QAction::triggered, this, [this] {
        askForPath(tr("Save the spans as a trace"), "json", tr("Chrome trace"),
                   &TimelinePanel::exportTrace);
    });
    connect(menu->addAction(tr("PNG…")), &QAction::triggered, this, [this] {
        askForPath(tr("Save a picture of the timeline"), "png", tr("PNG image"),
                   &TimelinePanel::exportPicture);
    });
    p.save->setMenu(menu);
    connect(p.resume, &QToolButton::clicked, this,
            [&p] { p.workspace.jobs().resume(QString(p.workspace.selection().jobFolder())); });
    connect(p.fit, &QToolButton::clicked, p.view, &TimelineView::fit);
    connect(p.follow, &QToolButton::toggled, p.view, &TimelineView::setFollowing);
    connect(p.view, &TimelineView::followingChanged, this, &TimelinePanel::showPlace);
    connect(p.view, &TimelineView::selectionChanged, this, &TimelinePanel::showFigures);
    connect(p.view, &TimelineView::pointed, this, [&p](const QString& moment) {
        p.workspace.selection().setReadout(moment.isEmpty() ? moment : tr("t %1").arg(moment));
    });
    connect(p.figures, &TimelineFigures::gapChosen, p.view, &TimelineView::showRange);
    connect(&p.feed, &TimelineFeed::changed, this, &TimelinePanel::showSnapshot);
    connect(&p.workspace.selection(), &Selection::jobFolderChanged, &p.feed, &TimelineFeed::follow);
    for (const auto signal : {&JobStore::changed, &JobStore::finished})
        connect(&p.workspace.jobs(), signal, this, &TimelinePanel::showPlace);
    connect(&p.workspace.jobs(), &JobStore::reset, this, &TimelinePanel::showPlace);
}

void TimelinePanel::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    m_parts->feed.setWatched(true);
}

void TimelinePanel::hideEvent(QHideEvent* event) {
    QWidget::hideEvent(event);
    m_parts->feed.setWatched(false);
}

void TimelinePanel::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    if (const int reducedWidth = m_parts->figures->setAvailableWidth(width()); reducedWidth > 0)
        m_parts->splitter->setSizes({width() - reducedWidth, reducedWidth});
    shareLine();
}

// The tool tip of the time shows what does not fit into a narrow line.
void TimelinePanel::shareLine() {
    Parts& p = *m_parts;
    const auto needed = [&] {
        int sum = 2 * kSpacing + kMinNameLetters * fontMetrics().averageCharWidth();
        for (const QWidget* each : std::initializer_list<const QWidget*>{
                 p.note, p.resume, p.wall, p.overlap, p.bound, p.fit, p.follow, p.save})
            if (!each->isHidden()) sum += each->sizeHint().width() + 2 * kSpacing;
        return sum;
    };
    p.bound->setVisible(!p.bound->text().isEmpty());
    p.overlap->show();
    for (QLabel* label : {p.overlap, p.bound})
        if (needed() > width()) label->hide();
    QStringList hidden = {wallHelp()};
    for (const QLabel* label : {p.overlap, p.bound})
        if (label->isHidden() && !label->text().isEmpty()) hidden << label->text() + '.';
    p.wall->setToolTip(hidden.join('\n'));
}

QString TimelinePanel::jobTitle() const {
    const QString& folder = m_parts->workspace.selection().jobFolder();
    const JobEntry* job = m_parts->workspace.jobs().find(folder);
    return job && !job->name.isEmpty() ? job->name : QFileInfo(folder).fileName();
}

void TimelinePanel::showSnapshot() {
    Parts& p = *m_parts;
    const auto& snapshot = p.feed.snapshot();
    const bool hasSpans = snapshot && !snapshot->store.empty();
    p.view->setSnapshot(hasSpans ? snapshot : nullptr);
    if (hasSpans)
        showFigures();
    else
        p.placeholder->setSentence(whyEmpty());
    p.pages->setCurrentWidget(hasSpans ? p.content : p.placeholder);
    showPlace();
}

QString TimelinePanel::whyEmpty() const {
    const auto& snapshot = m_parts->feed.snapshot();
    if (m_parts->workspace.selection().jobFolder().isEmpty())
        return tr("Start a reconstruction or select a job, and you see here where its time goes.");
    if (!snapshot || snapshot->isReading) return tr("Reading the job's timeline…");
    if (!snapshot->problem.isEmpty()) return snapshot->problem;
    if (snapshot->unreadLines > 0)
        return tr("None of the %1 lines of the job's events.jsonl could be read. It may be "
                  "damaged, or of a newer version of Gantry.")
            .arg(snapshot->unreadLines);
    if (snapshot->isOver) return tr("The job ended before a stage had finished a batch.");
    return tr("No stage has finished a batch yet.");
}

void TimelinePanel::showPlace() {
    Parts& p = *m_parts;
    const auto& snapshot = p.feed.snapshot();
    const JobEntry* job = p.workspace.jobs().find(p.workspace.selection().jobFolder());
    const bool isLive = snapshot && !snapshot->isOver && (!job || job->isActive());
    p.job->setWholeText(jobTitle());
    p.follow->setEnabled(isLive);
    {
        const QSignalBlocker quiet(p.follow);
        p.follow->setChecked(isLive && p.view->isFollowing());
    }
    const bool isResumable = job && job->isResumable();
    p.resume->setVisible(isResumable);
    p.resume->setToolTip(isResumable ? QString::fromStdString(job->status.message) : QString());
    QString note = isResumable ? stateText(*job) : QString();
    if (snapshot && snapshot->isReading)
        note = tr("Reading… %1 spans").arg(snapshot->store.spanCount());
    else if (snapshot && !snapshot->problem.isEmpty())
        note = snapshot->problem;
    else if (snapshot && snapshot->unreadLines > 0)
        note = tr("%1 lines of events.jsonl could not be read").arg(snapshot->unreadLines);
    p.note->setText(note);
    p.note->setVisible(!note.isEmpty());
}

void TimelinePanel::showFigures() {
    Parts& p = *m_parts;
    const auto& snapshot = p.feed.snapshot();
    if (!snapshot || snapshot->store.empty()) return;
    const std::optional<TimeRange>& selection = p.view->selection();
    p.figures->show(*snapshot, selection);
    const TimelineSummary summary =
        selection ? snapshot->store.summary(selection->beginNs, selection->endNs)
                  : snapshot->summary;
    p.wall->setText(
        selection
            ? tr("Selected %1").arg(QString::fromStdString(formatSpanTime(summary.wallSeconds)))
            : wallText(*snapshot));
    p.overlap->setText(tr("Overlap %1").arg(summary.overlapFactor, 0, 'f', 2));
    p.bound->setText(
        summary.boundingStage < 0
            ? QString()
            : tr("Bound by %1").arg(stageTitle(static_cast<Stage>(summary.boundingStage))));
    shareLine();
}

void TimelinePanel::askForPath(const QString& title, const QString& suffix, const QString& format,
                               void (TimelinePanel::*save)(const QString&)) {
    const QString start = m_parts->workspace.selection().jobFolder() + "/timeline." + suffix;
    chooseSavePath(*this, "timelineSaveDialog", title, start, {{format, {suffix}}},
                   [this, save](const QString& path) { (this->*save)(path); });
}

void TimelinePanel::exportTrace(const QString& path) {
    const auto snapshot = m_parts->feed.snapshot();
    if (!snapshot) return;
    saveInBackground([snapshot, path](const std::stop_token&) {
        writeFileAtomically(toPath(path), toChromeTrace(snapshot->spansWithPauses()));
        return path;
    });
}

void TimelinePanel::exportPicture(const QString& path) {
    const auto snapshot = m_parts->feed.snapshot();
    if (!snapshot || snapshot->store.empty()) return;
    const QString title = QStringList{jobTitle(), m_parts->wall->text(), m_parts->overlap->text(),
                                      m_parts->bound->text()}
                              .join("   ·   ");
    saveInBackground([image = m_parts->view->picture(title), path](const std::stop_token&) {
        return pngAt(path, image);
    });
}

void TimelinePanel::saveInBackground(std::function<QString(const std::stop_token&)> write) {
    Parts& p = *m_parts;
    p.exporting.start(
        std::move(write),
        [&p](const QString& path) {
            const QUrl folder = QUrl::fromLocalFile(QFileInfo(path).absolutePath());
            emit p.workspace.messageRaised({Message::Kind::info, tr("Saved %1.").arg(path),
                                            tr("Show the folder"),
                                            [folder] { QDesktopServices::openUrl(folder); }});
        },
        [&p](const QString& sentence) {
            emit p.workspace.messageRaised({Message::Kind::error, sentence, {}, {}});
        });
}

}  // namespace gantry
