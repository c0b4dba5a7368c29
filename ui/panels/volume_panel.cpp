#include "ui/panels/volume_panel.h"

#include <QCheckBox>
#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QStackedLayout>

#include "ui/scene/volume_rendering.h"
#include "ui/widgets/histogram_view.h"
#include "ui/widgets/placeholder.h"
#include "ui/widgets/theme.h"
#include "ui/workspace/workspace.h"

namespace gantry {

struct VolumePanel::Parts {
    Parts(VolumePanel& panel, Workspace& workspace);

    VolumeDocument& document;
    QStackedLayout* pages = nullptr;
    Placeholder* placeholder = nullptr;
    Placeholder* opening = nullptr;
    QWidget* page = nullptr;
    QComboBox* look = nullptr;
    QCheckBox* cutOpen = nullptr;
    QLabel* reading = nullptr;
    QPushButton* cancelReading = nullptr;
    VolumeRendering* rendering = nullptr;
    HistogramView* histogram = nullptr;

    void build(VolumePanel& panel);
    QHBoxLayout* buildTools();
    void connectParts(VolumePanel& panel);
    void takeVolume();
    void showPage();
    void showWindow();
};

VolumePanel::VolumePanel(Workspace& workspace, QWidget* parent)
    : QWidget(parent), m_parts(std::make_unique<Parts>(*this, workspace)) {}

VolumePanel::~VolumePanel() = default;

void VolumePanel::setCutOpen(bool isCutOpen) {
    m_parts->cutOpen->setChecked(isCutOpen);
}

VolumePanel::Parts::Parts(VolumePanel& panel, Workspace& workspace) : document(workspace.volume()) {
    build(panel);
    connectParts(panel);
    takeVolume();
}

void VolumePanel::Parts::build(VolumePanel& panel) {
    placeholder =
        new Placeholder(tr("Open a volume, or reconstruct a scan, to see it in 3D."), {}, &panel);
    opening = new Placeholder({}, tr("Cancel"), &panel);
    opening->setObjectName("volumeOpening");
    page = new QWidget(&panel);
    rendering = new VolumeRendering(page);
    rendering->setObjectName("volumeRendering");
    rendering->setToolTip(
        tr("Left drag turns, middle drag moves, the wheel zooms, right drag changes the grey "
           "window; double click brings the whole volume back."));
    histogram = new HistogramView(page);
    histogram->setObjectName("volumeHistogram");
    auto* layout = new QVBoxLayout(page);
    layout->setContentsMargins(kSpacing, kSpacing, kSpacing, kSpacing);
    layout->setSpacing(kSpacing);
    layout->addLayout(buildTools());
    layout->addWidget(rendering, 1);
    layout->addWidget(histogram);
    pages = new QStackedLayout(&panel);
    pages->addWidget(placeholder);
    pages->addWidget(opening);
    pages->addWidget(page);
}

QHBoxLayout* VolumePanel::Parts::buildTools() {
    look = new QComboBox(page);
    look->setObjectName("volumeLook");
    look->addItem(tr("Shaded"));
    look->addItem(tr("Maximum"));
    look->setToolTip(
        tr("Shaded: dense matter as lit surfaces, thin matter clear. Maximum: the largest "
           "attenuation along each line of sight."));
    auto* label = new QLabel(tr("&Look"), page);
    label->setBuddy(look);
    cutOpen = new QCheckBox(tr("C&ut open"), page);
    cutOpen->setObjectName("cutOpen");
    cutOpen->setToolTip(
        tr("Takes away the quarter at the lower x and y, to look into the volume. Where matter is "
           "cut, its grey is that of the slices."));
    connect(cutOpen, &QCheckBox::toggled, rendering, &VolumeRendering::setCutOpen);
    auto* reset = new QPushButton(tr("Reset view"), page);
    reset->setObjectName("resetView");
    reset->setToolTip(tr("Shows the whole volume from where it was seen at first."));
    connect(reset, &QPushButton::clicked, rendering, [this] { rendering->resetCamera(); });
    reading = new QLabel(page);
    reading->setProperty("muted", true);
    reading->setTextFormat(Qt::PlainText);
    cancelReading = new QPushButton(tr("Cancel"), page);
    cancelReading->setObjectName("cancelReading");
    cancelReading->setToolTip(tr("Ends reading; the volume that is shown stays."));
    cancelReading->hide();
    connect(cancelReading, &QPushButton::clicked, &document, &VolumeDocument::cancelOpening);
    auto* tools = new QHBoxLayout;
    tools->setSpacing(kSpacing);
    tools->addWidget(label);
    tools->addWidget(look);
    tools->addWidget(cutOpen);
    tools->addWidget(reset);
    tools->addStretch(1);
    tools->addWidget(reading);
    tools->addWidget(cancelReading);
    return tools;
}

void VolumePanel::Parts::connectParts(VolumePanel& panel) {
    connect(&document, &VolumeDocument::volumeChanged, &panel, [this] { takeVolume(); });
    connect(&document, &VolumeDocument::openingChanged, &panel, [this] { showPage(); });
    connect(&document, &VolumeDocument::windowChanged, &panel, [this] { showWindow(); });
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
    showPage();
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
