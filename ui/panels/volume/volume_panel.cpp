#include "ui/panels/volume/volume_panel.h"

#include <QCheckBox>
#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QStackedLayout>

#include "ui/panels/shared/volume_caption.h"
#include "ui/panels/shared/volume_texts.h"
#include "ui/scene/volume/volume_rendering.h"
#include "ui/widgets/histogram_view.h"
#include "ui/widgets/placeholder.h"
#include "ui/widgets/theme.h"
#include "ui/workspace/workspace.h"

namespace gantry {

struct VolumePanel::Parts {
    Parts(VolumePanel& panel, Workspace& theWorkspace);

    Workspace& workspace;
    VolumeDocument& document;
    QStackedLayout* pages = nullptr;
    Placeholder* placeholder = nullptr;
    Placeholder* opening = nullptr;
    QWidget* page = nullptr;
    QWidget* tools = nullptr;
    QComboBox* look = nullptr;
    QCheckBox* cutOpen = nullptr;
    QLabel* reading = nullptr;
    QPushButton* cancelReading = nullptr;
    VolumeRendering* rendering = nullptr;
    HistogramView* histogram = nullptr;

    void build(VolumePanel& panel);
    QWidget* buildTools();
    void connectParts(VolumePanel& panel);
    void takeVolume();
    void showCaption();
    void showPage();
    void showWindow();
};

VolumePanel::VolumePanel(Workspace& workspace, QWidget* parent)
    : QWidget(parent), m_parts(std::make_unique<Parts>(*this, workspace)) {}

VolumePanel::~VolumePanel() = default;

void VolumePanel::setCutOpen(bool isCutOpen) {
    m_parts->cutOpen->setChecked(isCutOpen);
}

VolumePanel::Parts::Parts(VolumePanel& panel, Workspace& theWorkspace)
    : workspace(theWorkspace), document(theWorkspace.volume()) {
    build(panel);
    connectParts(panel);
    takeVolume();
}

void VolumePanel::Parts::build(VolumePanel& panel) {
    placeholder = new Placeholder(texts::noRendering(), {}, &panel);
    opening = new Placeholder({}, texts::cancel(), &panel);
    opening->setObjectName("volumeOpening");
    page = new QWidget(&panel);
    rendering = new VolumeRendering(page);
    rendering->setObjectName("volumeRendering");
    rendering->setToolTip(texts::renderingHelp());
    histogram = new HistogramView(page);
    histogram->setObjectName("volumeHistogram");
    auto* layout = new QVBoxLayout(page);
    layout->setContentsMargins(kSpacing, kSpacing, kSpacing, kSpacing);
    layout->setSpacing(kSpacing);
    layout->addWidget(buildTools());
    layout->addWidget(rendering, 1);
    layout->addWidget(histogram);
    pages = new QStackedLayout(&panel);
    pages->addWidget(placeholder);
    pages->addWidget(opening);
    pages->addWidget(page);
}

QWidget* VolumePanel::Parts::buildTools() {
    tools = new QWidget(page);
    look = new QComboBox(page);
    look->setObjectName("volumeLook");
    look->addItem(texts::shaded());
    look->addItem(texts::maximumIntensity());
    look->setToolTip(texts::renderingKindHelp());
    auto* label = new QLabel(texts::rendering(), page);
    label->setBuddy(look);
    cutOpen = new QCheckBox(texts::cutOpen(), page);
    cutOpen->setObjectName("cutOpen");
    cutOpen->setToolTip(texts::cutOpenHelp());
    connect(cutOpen, &QCheckBox::toggled, rendering, &VolumeRendering::setCutOpen);
    auto* reset = new QPushButton(texts::resetView(), page);
    reset->setObjectName("resetView");
    reset->setToolTip(texts::resetViewHelp());
    connect(reset, &QPushButton::clicked, rendering, [this] { rendering->resetCamera(); });
    reading = new QLabel(page);
    reading->setProperty("muted", true);
    reading->setTextFormat(Qt::PlainText);
    cancelReading = new QPushButton(texts::cancel(), page);
    cancelReading->setObjectName("cancelReading");
    cancelReading->setToolTip(texts::cancelReadingHelp());
    cancelReading->hide();
    connect(cancelReading, &QPushButton::clicked, &document, &VolumeDocument::cancelOpening);
    auto* line = new QHBoxLayout(tools);
    line->setContentsMargins(0, 0, 0, 0);
    line->setSpacing(kSpacing);
    line->addWidget(label);
    line->addWidget(look);
    line->addWidget(cutOpen);
    line->addWidget(reset);
    line->addStretch(1);
    line->addWidget(reading);
    line->addWidget(cancelReading);
    return tools;
}

void VolumePanel::Parts::connectParts(VolumePanel& panel) {
    connect(&document, &VolumeDocument::volumeChanged, &panel, [this] { takeVolume(); });
    connect(&document, &VolumeDocument::openingChanged, &panel, [this] { showPage(); });
    connect(&document, &VolumeDocument::windowChanged, &panel, [this] { showWindow(); });
    connect(&workspace.scan(), &ScanDocument::stateChanged, &panel, [this] { showCaption(); });
    connect(rendering, &OrbitWidget::maximiseRequested, &panel, [this] {
        const bool isAlone = tools->isHidden();
        tools->setVisible(isAlone);
        histogram->setVisible(isAlone);
    });
    connect(opening, &Placeholder::clicked, &document, &VolumeDocument::cancelOpening);
    connect(rendering, &VolumeRendering::windowEdited, &document, &VolumeDocument::setWindow);
    connect(histogram, &HistogramView::windowEdited, &document, &VolumeDocument::setWindow);
    connect(histogram, &HistogramView::automaticRequested, &panel, [this] {
        if (const auto volume = document.volume()) document.setWindow(volume->window);
    });
    connect(look, &QComboBox::currentIndexChanged, rendering, [this](int index) {
        rendering->setLook(index == 0 ? VolumeRendering::Look::shaded
                                      : VolumeRendering::Look::maximum);
    });
}

void VolumePanel::Parts::takeVolume() {
    const std::shared_ptr<const LoadedVolume> volume = document.volume();
    showWindow();
    if (volume) {
        rendering->setVolume(volume->grid, volume, volume->voxels.span());
        histogram->setHistogram(volume->histogram, "/mm");
    } else {
        rendering->clear();
    }
    showCaption();
    showPage();
}

void VolumePanel::Parts::showCaption() {
    const VolumeCaption caption = volumeCaption(workspace);
    rendering->setCaption(caption.text, caption.isOfAnotherScan);
}

void VolumePanel::Parts::showPage() {
    const bool isOpening = document.isOpening();
    opening->setSentence(document.openingText());
    reading->setText(document.openingText());
    cancelReading->setVisible(isOpening);
    if (document.volume())
        pages->setCurrentWidget(page);
    else
        pages->setCurrentWidget(isOpening ? opening : placeholder);
}

void VolumePanel::Parts::showWindow() {
    rendering->setWindow(document.window());
    histogram->setWindow(document.window());
}

}  // namespace gantry
