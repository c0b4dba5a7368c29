#include "ui/desktop/guide_bar.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <array>

#include "ui/widgets/theme.h"
#include "ui/workspace/workspace.h"

namespace gantry {

namespace {

enum Step { kProjections, kGeometry, kReconstruct, kTimeline, kSlices, kSteps };

QString sentence(int step) {
    static const std::array<const char*, kSteps> kSentences = {
        QT_TRANSLATE_NOOP("gantry::GuideBar",
                          "This is a scan of a test head: 180 views round it. Drag the slider "
                          "below the images to turn it; drag with the right button to change "
                          "brightness and contrast."),
        QT_TRANSLATE_NOOP("gantry::GuideBar",
                          "On the left is the geometry. Change the source–detector distance and "
                          "see the drawing follow; Ctrl+Z takes it back."),
        QT_TRANSLATE_NOOP("gantry::GuideBar",
                          "On the right is what will be made, and how long it will take. Press "
                          "Reconstruct (Ctrl+R)."),
        QT_TRANSLATE_NOOP("gantry::GuideBar",
                          "The job runs in a process of its own. Its timeline below shows every "
                          "stage; hover over a bar to read it."),
        QT_TRANSLATE_NOOP("gantry::GuideBar",
                          "That is the finished volume in three slices; the Volume tab shows it "
                          "in 3D. Drop a scan of your own anywhere to go on. F1 opens the "
                          "manual."),
    };
    return GuideBar::tr(kSentences[static_cast<std::size_t>(step)]);
}

}  // namespace

GuideBar::GuideBar(Workspace& workspace, QWidget* parent) : QWidget(parent) {
    setObjectName("guideBar");
    setAutoFillBackground(true);
    setBackgroundRole(QPalette::AlternateBase);
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(2 * kSpacing, kSpacing, kSpacing, kSpacing);
    m_text = new QLabel;
    m_text->setObjectName("guideText");
    m_text->setWordWrap(true);
    m_next = new QPushButton(tr("Next"));
    m_next->setObjectName("guideNext");
    auto* close = new QPushButton(icon("close"), {});
    close->setFlat(true);
    close->setToolTip(tr("End the guided example"));
    layout->addWidget(m_text, 1);
    layout->addWidget(m_next);
    layout->addWidget(close);
    connect(m_next, &QPushButton::clicked, this, [this] { showStep(m_step + 1); });
    connect(close, &QPushButton::clicked, this, [this] { showStep(kSteps); });
    connect(&workspace.scan().undoStack(), &QUndoStack::indexChanged, this, [this](int index) {
        if (index > 0) advanceFrom(kGeometry);
    });
    connect(&workspace.selection(), &Selection::viewChanged, this,
            [this] { advanceFrom(kProjections); });
    connect(&workspace.jobs(), &JobStore::reset, this, [this] { advanceFrom(kReconstruct); });
    connect(&workspace.volume(), &VolumeDocument::volumeChanged, this,
            [this] { advanceFrom(kTimeline); });
    hide();
}

void GuideBar::begin() {
    showStep(kProjections);
    emit projectionsWanted();
}

void GuideBar::advanceFrom(int step) {
    if (m_step == step) showStep(step + 1);
}

void GuideBar::showStep(int step) {
    const bool isOver = step >= kSteps;
    m_step = isOver ? -1 : step;
    setVisible(!isOver);
    if (isOver) {
        emit ended();
        return;
    }
    m_text->setText(tr("%1 of %2.  %3").arg(step + 1).arg(int{kSteps}).arg(sentence(step)));
    m_next->setText(step + 1 == kSteps ? tr("Done") : tr("Next"));
}

}  // namespace gantry
