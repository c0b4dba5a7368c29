#include "ui/panels/volume/volume_panel.h"

#include <QCheckBox>
#include <QComboBox>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QStackedLayout>
#include <algorithm>
#include <optional>
#include <utility>

#include "ui/panels/shared/volume_caption.h"
#include "ui/panels/volume/clipping_group.h"
#include "ui/panels/volume/pictures_group.h"
#include "ui/panels/volume/scene_slices.h"
#include "ui/panels/volume/surface_group.h"
#include "ui/panels/volume/transfer_group.h"
#include "ui/panels/volume/volume_appearance.h"
#include "ui/scene/volume/volume_rendering.h"
#include "ui/widgets/folding_group.h"
#include "ui/widgets/image/histogram_view.h"
#include "ui/widgets/new_widget.h"
#include "ui/widgets/placeholder.h"
#include "ui/widgets/style/theme.h"
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
    QComboBox* mode = nullptr;
    QCheckBox* cutOpen = nullptr;
    QLabel* reading = nullptr;
    QPushButton* cancelReading = nullptr;
    VolumeRendering* rendering = nullptr;
    HistogramView* histogram = nullptr;
    AppearanceHistory history;
    QString shownPath;  ///< of the volume that the appearance is of
    QPushButton* settings = nullptr;
    QScrollArea* column = nullptr;
    TransferGroup* transfer = nullptr;
    ClippingGroup* clipping = nullptr;
    FoldingGroup* surfaceFold = nullptr;
    SurfaceGroup* surface = nullptr;
    PicturesGroup* pictures = nullptr;

    void build(VolumePanel& panel);
    QWidget* buildTools();
    void buildColumn();
    void showAppearance();
    void showSlices();
    void connectParts(VolumePanel& panel);
    void takeVolume();
    void showCaption();
    void showPage();
    void showWindow();
};

VolumePanel::VolumePanel(Workspace& workspace, QWidget* parent)
    : QWidget(parent), m_parts(std::make_unique<Parts>(*this, workspace)) {
    for (QComboBox* box : findChildren<QComboBox*>())
        box->installEventFilter(this);
}

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
    placeholder = new Placeholder(
        tr("Open a volume (Ctrl+O), or reconstruct a scan (Ctrl+R), to see it in 3D here."), {},
        &panel);
    opening = named(new Placeholder({}, tr("Cancel"), &panel), "volumeOpening");
    page = new QWidget(&panel);
    rendering =
        named(new VolumeRendering(page), "volumeRendering",
              tr("Left drag turns, middle drag moves, the wheel zooms, right drag changes the grey "
                 "window; a double click shows it alone, and again brings the rest back."));
    histogram = named(new HistogramView(page), "volumeHistogram");
    auto* layout = spaced(new QVBoxLayout(page), kSpacing, kSpacing);
    layout->addWidget(buildTools());
    buildColumn();
    auto* middle = spaced(new QHBoxLayout, kSpacing);
    middle->addWidget(rendering, 1);
    middle->addWidget(column);
    layout->addLayout(middle, 1);
    layout->addWidget(histogram);
    pages = new QStackedLayout(&panel);
    pages->addWidget(placeholder);
    pages->addWidget(opening);
    pages->addWidget(page);
}

QWidget* VolumePanel::Parts::buildTools() {
    tools = new QWidget(page);
    mode = named(
        new QComboBox(page), "renderingMode",
        tr("Shaded: dense material as lit surfaces, thin material transparent. Maximum intensity: "
           "the largest attenuation along each line of sight."));
    mode->addItem(tr("Shaded"));
    mode->addItem(tr("Maximum intensity"));
    mode->addItem(tr("Isosurface"));
    auto* label = new QLabel(tr("&Rendering"), page);
    label->setBuddy(mode);
    cutOpen = named(
        new QCheckBox(tr("C&ut open"), page), "cutOpen",
        tr("Removes the quarter at the lower x and y, so that you look into the volume. What is "
           "cut is shown in the same greys as in the slices."));
    connect(cutOpen, &QCheckBox::toggled, rendering, &VolumeRendering::setCutOpen);
    auto* reset = named(new QPushButton(tr("Reset view"), page), "resetView",
                        tr("Shows the whole volume from the first direction (0)."));
    connect(reset, &QPushButton::clicked, rendering, [this] { rendering->resetCamera(); });
    settings = named(new QPushButton(tr("S&ettings"), page), "volumeSettings",
                     tr("Shows or hides the settings beside the picture."));
    settings->setCheckable(true);
    settings->setChecked(true);
    connect(settings, &QPushButton::toggled, page, [this](bool isOn) { column->setVisible(isOn); });
    reading = new QLabel(page);
    reading->setProperty("muted", true);
    reading->setTextFormat(Qt::PlainText);
    cancelReading = named(new QPushButton(tr("Cancel"), page), "cancelReading",
                          tr("Stops reading; the volume shown stays open."));
    cancelReading->hide();
    connect(cancelReading, &QPushButton::clicked, &document, &VolumeDocument::cancelOpening);
    auto* line = spaced(new QHBoxLayout(tools), kSpacing);
    line->addWidget(label);
    line->addWidget(mode);
    line->addWidget(cutOpen);
    line->addWidget(reset);
    line->addWidget(settings);
    line->addStretch(1);
    line->addWidget(reading);
    line->addWidget(cancelReading);
    return tools;
}

void VolumePanel::Parts::buildColumn() {
    constexpr int kColumnWidth = 264;
    column = named(new QScrollArea(page), "volumeSettingsColumn");
    column->setProperty("opener", QVariant::fromValue<QWidget*>(settings));
    column->setWidgetResizable(true);
    column->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    column->setFixedWidth(kColumnWidth);
    auto* groups = new QWidget(column);
    transfer = new TransferGroup(history, groups);
    clipping = new ClippingGroup(history, groups);
    auto* layout = spaced(new QVBoxLayout(groups), kSpacing, {0, 0, kSpacing, 0});
    const auto add = [&](const QString& title, QWidget* content, const char* name) {
        auto* group = named(new FoldingGroup(title, content, groups), name);
        layout->addWidget(group);
        return group;
    };
    add(tr("Transfer function"), transfer, "transferGroup")->unfold(true);
    add(tr("Clipping"), clipping, "clippingGroup");
    add(tr("Slices at the cross-hair"), new SceneSlicesGroup(history, groups), "slicesGroup");
    surface = new SurfaceGroup(history, *rendering, groups);
    surfaceFold = add(tr("Isosurface"), surface, "surfaceGroup");
    connect(surface, &SurfaceGroup::levelChanged, transfer, &TransferGroup::setLevel);
    connect(transfer, &TransferGroup::levelEdited, surface, &SurfaceGroup::setAttenuation);
    pictures = new PicturesGroup(*rendering, groups);
    add(tr("Pictures"), pictures, "picturesGroup");
    layout->addStretch(1);
    column->setWidget(groups);
}

void VolumePanel::Parts::connectParts(VolumePanel& panel) {
    connect(&document, &VolumeDocument::volumeChanged, &panel, [this] { takeVolume(); });
    connect(&document, &VolumeDocument::openingChanged, &panel, [this] { showPage(); });
    connect(&document, &VolumeDocument::windowChanged, &panel, [this] { showWindow(); });
    connect(&workspace.scan(), &ScanDocument::stateChanged, &panel, [this] { showCaption(); });
    connect(rendering, &OrbitWidget::maximiseRequested, &panel, [this] {
        const bool isAlone = tools->isHidden();
        tools->setVisible(isAlone);
        column->setVisible(isAlone && settings->isChecked());
        histogram->setVisible(isAlone);
    });
    connect(opening, &Placeholder::clicked, &document, &VolumeDocument::cancelOpening);
    connect(rendering, &VolumeRendering::windowEdited, &document, &VolumeDocument::setWindow);
    connect(histogram, &HistogramView::windowEdited, &document, &VolumeDocument::setWindow);
    connect(histogram, &HistogramView::automaticRequested, &panel, [this] {
        if (const auto volume = document.volume()) document.setWindow(volume->window);
    });
    connect(&history, &AppearanceHistory::changed, &panel, [this] { showAppearance(); });
    connect(rendering, &VolumeRendering::transferEdited, &panel,
            [this](const TransferFunction& edited) {
                VolumeAppearance now = history.appearance();
                now.preset.reset();
                now.transfer = edited;
                history.edit(now, false);
            });
    connect(rendering, &VolumeRendering::dragFinished, &panel,
            [this] { history.edit(VolumeAppearance(history.appearance()), true); });
    Selection& selection = workspace.selection();
    connect(rendering, &VolumeRendering::crossHairEdited, &selection, [this](const Vec3& placeMm) {
        // Within the volume.
        const auto volume = document.volume();
        if (!volume) return;
        const VoxelIndex voxel = nearestVoxel(volume->grid, placeMm);
        workspace.selection().setCrossHairMm(
            volume->grid.positionMm(static_cast<double>(voxel[0]), static_cast<double>(voxel[1]),
                                    static_cast<double>(voxel[2])));
    });
    connect(&selection, &Selection::crossHairChanged, &panel, [this] { showSlices(); });
    connect(mode, &QComboBox::currentIndexChanged, rendering, [this](int index) {
        using Mode = VolumeRendering::Mode;
        constexpr Mode kModes[] = {Mode::shaded, Mode::maximum, Mode::surface};
        const Mode chosen = kModes[std::clamp(index, 0, 2)];
        rendering->setMode(chosen);
        cutOpen->setEnabled(chosen != Mode::surface);
        surface->setShown(chosen == Mode::surface);
        if (chosen == Mode::surface) surfaceFold->unfold(true);
    });
}

void VolumePanel::Parts::takeVolume() {
    const std::shared_ptr<const LoadedVolume> volume = document.volume();
    showWindow();
    if (volume) {
        rendering->setVolume(volume->grid, volume, volume->voxels.span(), volume->levels);
        rendering->setUnit(volume->unit);
        histogram->setHistogram(volume->histogram, volume->unit);
        // A large volume comes coarsely first, and then finer.
        if (std::exchange(shownPath, volume->path) != volume->path) {
            VolumeAppearance now = unclipped(history.appearance(), volume->grid);
            now.surfaceAttenuation.reset();
            history.restart(now);
        }
        transfer->setHistogram(volume->histogram, volume->unit);
        clipping->setGrid(volume->grid);
        pictures->setVolume(volume->path);
        surface->setVolume(volume);
        showAppearance();
    } else {
        rendering->clear();
        surface->setVolume(nullptr);
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
    transfer->setWindow(document.window());
    showSlices();
}

void VolumePanel::Parts::showAppearance() {
    const VolumeAppearance& now = history.appearance();
    if (now.preset == TransferPreset::window)
        rendering->followWindow(now.transfer.isByGradient);
    else
        rendering->setTransfer(now.transfer);
    if (const auto volume = document.volume()) rendering->setClips(clipsOf(now, volume->grid));
    showSlices();
}

void VolumePanel::Parts::showSlices() {
    const auto volume = document.volume();
    if (!volume) return;
    const Vec3 place = workspace.selection().crossHairMm();
    const VolumeAppearance& now = history.appearance();
    rendering->setPlanes(slicePictures({volume->grid, volume, volume->voxels.span()}, now, place,
                                       document.window()));
    rendering->setFinestAt(place);
    rendering->setCrossHair(now.hasCrossHair ? std::optional(place) : std::nullopt);
}

// The scan's own undo is left alone while there is something of this tab's to undo or redo.
bool VolumePanel::event(QEvent* event) {
    if (event->type() == QEvent::ShortcutOverride && !m_parts->history.isEmpty()) {
        const auto* key = static_cast<QKeyEvent*>(event);
        if (key->matches(QKeySequence::Undo) || key->matches(QKeySequence::Redo)) event->accept();
    }
    return QWidget::event(event);
}

// A combo box would search its items for the key's character.
bool VolumePanel::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::KeyPress && undoOrRedo(*static_cast<QKeyEvent*>(event)))
        return true;
    return QWidget::eventFilter(watched, event);
}

void VolumePanel::keyPressEvent(QKeyEvent* event) {
    if (!undoOrRedo(*event)) QWidget::keyPressEvent(event);
}

bool VolumePanel::undoOrRedo(const QKeyEvent& key) {
    const bool isUndo = key.matches(QKeySequence::Undo);
    if (isUndo) m_parts->history.undo();
    const bool isRedo = !isUndo && key.matches(QKeySequence::Redo);
    if (isRedo) m_parts->history.redo();
    return isUndo || isRedo;
}

}  // namespace gantry
