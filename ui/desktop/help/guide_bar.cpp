#include "ui/desktop/help/guide_bar.h"

#include <QCoreApplication>
#include <QDir>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <algorithm>
#include <array>

#include "ui/desktop/help/example_scan.h"
#include "ui/widgets/new_widget.h"
#include "ui/widgets/style/theme.h"
#include "ui/workspace/workspace.h"

namespace gantry {

namespace {

enum Step { kProjections, kGeometry, kReconstruct, kTimeline, kSlices, kSteps };

QString sentence(int step) {
    static const std::array<const char*, kSteps> kSentences = {
        QT_TRANSLATE_NOOP("gantry::GuideBar",
                          "This is a scan of a test head: 180 views around it. Drag the slider "
                          "below the images to rotate it; drag with the right mouse button to "
                          "change brightness and contrast."),
        QT_TRANSLATE_NOOP("gantry::GuideBar",
                          "On the left is the geometry. Change the source–detector distance and "
                          "watch the drawing follow; Ctrl+Z undoes the change."),
        QT_TRANSLATE_NOOP("gantry::GuideBar",
                          "On the right you see what will be made and how long it will take. "
                          "Press Reconstruct (Ctrl+R)."),
        "",
        QT_TRANSLATE_NOOP("gantry::GuideBar",
                          "This is the finished volume in three slices, in a narrow grey window "
                          "that shows the small differences inside the head. The Volume tab "
                          "shows it in 3D, cut open. Drop a scan of your own anywhere to open "
                          "it. F1 opens the manual."),
    };
    return QCoreApplication::translate("gantry::GuideBar", kSentences[step]);
}

}  // namespace

GuideBar::GuideBar(Workspace& workspace, QWidget* parent)
    : QWidget(parent), m_workspace(workspace) {
    setObjectName("guideBar");
    setAutoFillBackground(true);
    setBackgroundRole(QPalette::AlternateBase);
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(2 * kSpacing, kSpacing, kSpacing, kSpacing);
    m_text = named(wrapped(new QLabel), "guideText");
    m_next = named(new QPushButton(tr("Next")), "guideNext");
    auto* close = new QPushButton(icon("close"), {});
    close->setFlat(true);
    close->setToolTip(tr("End the guided example"));
    layout->addWidget(m_text, 1);
    layout->addWidget(m_next);
    layout->addWidget(close);
    connect(m_next, &QPushButton::clicked, this, [this] { showStep(m_step + 1); });
    connect(close, &QPushButton::clicked, this, [this] { showStep(kSteps); });
    connectWorkspace();
    hide();
}

void GuideBar::connectWorkspace() {
    ScanDocument& scan = m_workspace.scan();
    JobStore& jobs = m_workspace.jobs();
    VolumeDocument& volume = m_workspace.volume();
    connect(&scan.undoStack(), &QUndoStack::indexChanged, this, [this](int index) {
        if (index > 0) advanceFrom(kGeometry);
    });
    connect(&m_workspace.selection(), &Selection::viewChanged, this,
            [this] { advanceFrom(kProjections); });
    connect(&scan, &ScanDocument::opened, this, [this](const QString& path) {
        if (m_step > kProjections && !ExampleScan::isOfExample(path)) showStep(kSteps);
    });
    connect(&scan, &ScanDocument::stateChanged, this, [this, &scan] {
        if (m_step > kProjections && scan.state() == ScanDocument::State::empty) showStep(kSteps);
    });
    for (const auto change : {&JobStore::changed, &JobStore::finished})
        connect(&jobs, change, this, &GuideBar::follow);
    connect(&jobs, &JobStore::reset, this, &GuideBar::follow);
    connect(&volume, &VolumeDocument::volumeChanged, this, &GuideBar::follow);
    connect(&volume, &VolumeDocument::openingChanged, this, &GuideBar::follow);
}

void GuideBar::begin() {
    m_begun = QDateTime::currentDateTime();
    showStep(kProjections);
    emit projectionsWanted();
}

// The newest job that was started since the guide began.
const JobEntry* GuideBar::job() const {
    const std::vector<JobEntry>& jobs = m_workspace.jobs().jobs();
    constexpr int kClockSeconds = 1;  // a file system may round
    if (jobs.empty() || jobs.front().created < m_begun.addSecs(-kClockSeconds)) return nullptr;
    return &jobs.front();
}

bool GuideBar::isVolumeShown() const {
    const auto volume = m_workspace.volume().volume();
    const JobEntry* made = job();
    return volume && made && made->status.state == JobState::done &&
           QDir::cleanPath(volume->path) == QDir::cleanPath(made->output);
}

QString GuideBar::jobSentence() const {
    switch (job()->status.state) {
        case JobState::failed:
            return tr(
                "The job failed, so there is no volume yet. The reason stands below the "
                "table of jobs; press Resume there, or Reconstruct (Ctrl+R), to try again.");
        case JobState::cancelled:
            return tr(
                "The job was cancelled, so there is no volume yet. Press Resume in the table "
                "of jobs, or Reconstruct (Ctrl+R), to go on.");
        case JobState::done:
            if (m_workspace.volume().isOpening())
                return tr("The volume is finished and is being opened.");
            return tr("The volume is finished. Press Open result in the table of jobs to see it.");
        default:
            return tr(
                "The job runs in a process of its own. Its timeline below shows every "
                "stage; hover over a bar to read it.");
    }
}

// The guide's step follows the job's state.
void GuideBar::follow() {
    if (m_step < 0) return;
    int step = std::min<int>(m_step, kReconstruct);
    if (job()) step = isVolumeShown() ? kSlices : kTimeline;
    if (step != m_step || step == kTimeline) showStep(step);
}

void GuideBar::showStep(int step) {
    const bool isOver = step >= kSteps;
    m_step = isOver ? -1 : step;
    setVisible(!isOver);
    if (isOver) {
        emit ended();
        return;
    }
    m_text->setText(tr("%1 of %2.  %3")
                        .arg(step + 1)
                        .arg(int{kSteps})
                        .arg(step == kTimeline ? jobSentence() : sentence(step)));
    // A volume that is not finished cannot be shown.
    m_next->setVisible(step < kReconstruct || step == kSlices);
    m_next->setText(step == kSlices ? tr("Done") : tr("Next"));
}

}  // namespace gantry
