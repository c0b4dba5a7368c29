#include "ui/panels/slices/slices_panel.h"

#include <QDir>
#include <QFileInfo>
#include <QKeyEvent>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QShortcut>
#include <QStackedLayout>
#include <QTimer>
#include <QToolButton>
#include <QVBoxLayout>
#include <cmath>
#include <optional>

#include "ui/panels/shared/shared_grid.h"
#include "ui/panels/shared/volume_caption.h"
#include "ui/panels/slices/oblique_view.h"
#include "ui/panels/slices/slice_export.h"
#include "ui/panels/slices/slices_comparison.h"
#include "ui/panels/slices/slices_info.h"
#include "ui/panels/slices/slices_measuring.h"
#include "ui/panels/slices/slices_oblique.h"
#include "ui/panels/slices/slices_tools.h"
#include "ui/panels/slices/slices_view.h"
#include "ui/widgets/new_widget.h"
#include "ui/widgets/placeholder.h"
#include "ui/widgets/style/theme.h"
#include "ui/workspace/volume/volume_loading.h"
#include "ui/workspace/workspace.h"

namespace gantry {
namespace {

Vec3 placeMm(const VolumeGrid& grid, const VoxelIndex& voxel) {
    return grid.positionMm(static_cast<double>(voxel[0]), static_cast<double>(voxel[1]),
                           static_cast<double>(voxel[2]));
}

bool isIn(const VolumeGrid& grid, const Vec3& placeMm) {
    const std::array<double, 3> place = {placeMm.x, placeMm.y, placeMm.z};
    for (std::size_t i = 0; i < 3; ++i)
        if (std::abs(place[i] - grid.centerMm[i]) >
            0.5 * static_cast<double>(grid.voxels[i]) * grid.pitchMm[i])
            return false;
    return true;
}

}  // namespace

struct SlicesPanel::Parts {
    Parts(SlicesPanel& thePanel, Workspace& theWorkspace);

    SlicesPanel& panel;
    Workspace& workspace;
    VoxelData data;
    std::optional<VolumeIdentity> shown;  ///< the volume that is open, or was the last one
    VoxelIndex voxel = {0, 0, 0};
    int regionDrags = 0;       ///< each drag is one step of undo
    std::size_t lastUsed = 0;  ///< number of a view, the one that is saved; 3: the oblique one

    QStackedLayout* pages = nullptr;
    QWidget* slicesPage = nullptr;
    Placeholder* placeholder = nullptr;
    QWidget* openingPage = nullptr;
    QLabel* openingText = nullptr;
    QProgressBar* openingBar = nullptr;
    SlicesTools* tools = nullptr;
    SharedGrid* quarters = nullptr;
    SlicesComparison* comparison = nullptr;
    std::array<SlicesView*, 3> views = {};
    SlicesInfo* info = nullptr;
    SlicesMeasuring* measuring = nullptr;
    SlicesOblique* oblique = nullptr;
    SliceSaving* saving = nullptr;

    void buildSlices();
    void buildOpening();
    void connectWorkspace();
    void connectViews();
    void connectOblique();
    void connectTools();

    void takeVolume();
    void showCaption();
    void showPage();
    void showOpening();
    void moveTo(const VoxelIndex& chosen);
    void followCrossHair(const Vec3& placeMm);
    void showWindow();
    void enableRegion();
    void showRegion();
    void dragRegion(const RegionBox& box, bool isFinal);
    [[nodiscard]] SliceSaving::Offer sliceToSave() const;
};

SlicesPanel::Parts::Parts(SlicesPanel& thePanel, Workspace& theWorkspace)
    : panel(thePanel), workspace(theWorkspace) {
    placeholder = new Placeholder(
        tr("Open a volume (Ctrl+O), or reconstruct a scan (Ctrl+R), to see its slices here."), {},
        &panel);
    buildOpening();
    buildSlices();
    pages = new QStackedLayout(&panel);
    pages->addWidget(placeholder);
    pages->addWidget(openingPage);
    pages->addWidget(slicesPage);
    comparison = new SlicesComparison(workspace, &panel);
    pages->addWidget(comparison);
    connectWorkspace();
    connectViews();
    connectOblique();
    connectTools();
    takeVolume();
    enableRegion();
}

void SlicesPanel::Parts::buildOpening() {
    openingPage = new QWidget(&panel);
    openingText = named(new QLabel(openingPage), "openingText");
    openingText->setTextFormat(Qt::PlainText);
    openingText->setAlignment(Qt::AlignCenter);
    openingBar = new QProgressBar(openingPage);
    openingBar->setRange(0, 100);
    openingBar->setTextVisible(false);
    openingBar->setFixedSize(30 * kSpacing, kSpacing);
    auto* cancel = named(new QPushButton(tr("Cancel"), openingPage), "cancelOpening");
    connect(cancel, &QPushButton::clicked, &workspace.volume(), &VolumeDocument::cancelOpening);
    auto* layout = new QVBoxLayout(openingPage);
    layout->setSpacing(2 * kSpacing);
    layout->addStretch(1);
    layout->addWidget(openingText);
    layout->addWidget(openingBar, 0, Qt::AlignHCenter);
    layout->addWidget(cancel, 0, Qt::AlignHCenter);
    layout->addStretch(1);
}

void SlicesPanel::Parts::buildSlices() {
    slicesPage = new QWidget(&panel);
    tools = new SlicesTools(slicesPage);
    views = {new SlicesView(SliceAxis::z, slicesPage), new SlicesView(SliceAxis::y, slicesPage),
             new SlicesView(SliceAxis::x, slicesPage)};
    info = new SlicesInfo(slicesPage);
    measuring = new SlicesMeasuring(views, *tools, &panel);
    saving = new SliceSaving(tools->saveButton(), panel, [this] { return sliceToSave(); });
    oblique = new SlicesOblique(views, measuring->measurements(), slicesPage);
    measuring->addOblique(oblique->view());
    info->addAtTop(measuring->results());
    info->addAtTop(oblique->fields());
    quarters = new SharedGrid({views[0], views[1], info, oblique->place()}, slicesPage);

    auto* layout = spaced(new QVBoxLayout(slicesPage), kSpacing, kSpacing);
    layout->addWidget(tools);
    layout->addWidget(quarters, 1);
}

void SlicesPanel::Parts::connectWorkspace() {
    VolumeDocument& volume = workspace.volume();
    connect(&volume, &VolumeDocument::volumeChanged, &panel, [this] { takeVolume(); });
    connect(&volume, &VolumeDocument::openingChanged, &panel, [this] { showOpening(); });
    for (const auto changed : {&ComparisonDocument::changed, &ComparisonDocument::openingChanged})
        connect(&workspace.comparison(), changed, &panel, [this] { showPage(); });
    connect(&volume, &VolumeDocument::windowChanged, &panel, [this] { showWindow(); });
    connect(&workspace.scan(), &ScanDocument::stateChanged, &panel, [this] {
        showCaption();
        enableRegion();
    });
    connect(&workspace.scan(), &ScanDocument::volumeChanged, &panel, [this] { enableRegion(); });
    connect(&workspace.selection(), &Selection::crossHairChanged, &panel,
            [this](const Vec3& placeMm) { followCrossHair(placeMm); });
}

void SlicesPanel::Parts::connectViews() {
    VolumeDocument& volume = workspace.volume();
    for (std::size_t i = 0; i < views.size(); ++i) {
        SlicesView* view = views[i];
        connect(view, &SlicesView::voxelChosen, &panel,
                [this](const VoxelIndex& chosen) { moveTo(chosen); });
        connect(view, &SlicesView::windowEdited, &volume, &VolumeDocument::setWindow);
        connect(view, &SlicesView::regionDragged, &panel,
                [this](const RegionBox& box, bool isFinal) { dragRegion(box, isFinal); });
        connect(view, &SlicesView::failed, &volume, &VolumeDocument::complainOfPart);
        connect(view, &SlicesView::used, &panel, [this, i] { lastUsed = i; });
        QWidget* quarter = i == 2 ? oblique->place() : view;
        connect(view, &SlicesView::maximiseRequested, &panel,
                [this, quarter] { quarters->toggleMaximised(quarter); });
        connect(view, &SlicesView::readoutChanged, &workspace.selection(), &Selection::setReadout);
    }
    connect(info, &SlicesInfo::windowEdited, &volume, &VolumeDocument::setWindow);
    const Measurements* measurements = &measuring->measurements();
    connect(measurements, &Measurements::scaleChanged, &volume,
            [&volume, measurements] { volume.rescale(measurements->scale()); });
    MeasureResults* results = measuring->results();
    connect(results, &MeasureResults::shown, info,
            [this, results] { info->ensureWidgetVisible(results, 0, 0); });
    connect(info, &SlicesInfo::automaticRequested, &panel, [this] {
        if (const auto seen = workspace.volume().volume())
            workspace.volume().setWindow(seen->window);
    });
    connect(info, &SlicesInfo::positionEdited, &panel, [this](int axis, double position) {
        std::array<double, 3> mm = {};
        for (std::size_t i = 0; i < 3; ++i)
            mm[i] = positionMm(data.finest(), i, static_cast<double>(voxel[i]));
        mm[axis] = position;
        moveTo(nearestVoxel(data.finest(), {mm[0], mm[1], mm[2]}));
    });
}

void SlicesPanel::Parts::connectOblique() {
    const ObliqueView* view = &oblique->view();
    connect(view, &ObliqueView::placeChosen, &workspace.selection(), &Selection::setCrossHairMm);
    connect(view, &ObliqueView::windowEdited, &workspace.volume(), &VolumeDocument::setWindow);
    connect(view, &ObliqueView::used, &panel, [this] { lastUsed = views.size(); });
    connect(view, &ObliqueView::maximiseRequested, &panel,
            [this] { quarters->toggleMaximised(oblique->place()); });
    connect(view, &ObliqueView::readoutChanged, &workspace.selection(), &Selection::setReadout);
    auto* shortcut = new QShortcut(QKeySequence(Qt::Key_O), &panel);
    shortcut->setContext(Qt::WidgetWithChildrenShortcut);
    connect(shortcut, &QShortcut::activated, &tools->obliqueButton(), &QToolButton::toggle);
    connect(tools, &SlicesTools::obliqueToggled, &panel, [this](bool isShown) {
        // In the place of the sagittal one, which is the last.
        if (lastUsed + 1 >= views.size()) lastUsed = isShown ? views.size() : views.size() - 1;
        oblique->setShown(isShown);
        // Once they are laid out.
        if (isShown)
            QTimer::singleShot(0, info, [this] { info->ensureWidgetVisible(oblique->fields()); });
    });
}

void SlicesPanel::Parts::connectTools() {
    connect(tools, &SlicesTools::slabChosen, &panel, [this](const Slab& slab) {
        for (SlicesView* view : views)
            view->setSlab(slab);
        oblique->view().setSlab(slab);
    });
    connect(tools, &SlicesTools::scaleToggled, &panel, [this](bool isShown) {
        for (SlicesView* view : views)
            view->setScaleShown(isShown);
        oblique->view().setScaleShown(isShown);
    });
    connect(tools, &SlicesTools::regionToggled, &panel, [this] { showRegion(); });
    connect(tools, &SlicesTools::compareRequested, &panel, &SlicesPanel::compareRequested);
    connect(tools, &SlicesTools::compareFolderRequested, &panel,
            &SlicesPanel::compareFolderRequested);
    connect(saving, &SliceSaving::messageRaised, &workspace, &Workspace::messageRaised);
    connect(tools, &SlicesTools::cancelRequested, &workspace.volume(),
            &VolumeDocument::cancelOpening);
}

void SlicesPanel::Parts::takeVolume() {
    const std::shared_ptr<const LoadedVolume> volume = workspace.volume().volume();
    const Vec3 place = workspace.selection().crossHairMm();
    data = {};
    if (volume && volume->grid.count() > 0)
        data = {volume->grid,          volume,
                volume->voxels.span(), volume->isWhole() ? nullptr : volume->levels,
                volume->unit,          volume->origin.measured};
    if (!data.voxels.empty()) {
        // The same place as before, so that volumes of one scan can be compared.
        const VolumeIdentity now = {volume->origin, volume->stored};
        const bool isSame = shown && showOneObject(*shown, now);
        if (!isSame) measuring->measurements().clear();
        voxel = isSame && isIn(data.finest(), place) ? nearestVoxel(data.finest(), place)
                                                     : middleVoxel(data.finest());
        shown = now;
        tools->offerThickness(data.finest());
        info->setVolume(*volume);
        info->setVoxel(data, voxel);
    }
    showWindow();
    for (SlicesView* view : views)
        view->setVolume(data, voxel);
    measuring->setVolume(volume, data, voxel);
    oblique->setVolume(data);
    if (!data.voxels.empty()) oblique->setPlace(placeMm(data.finest(), voxel), voxel);
    if (!data.voxels.empty()) workspace.selection().setCrossHairMm(placeMm(data.finest(), voxel));
    showCaption();
    enableRegion();
    showPage();
}

void SlicesPanel::Parts::showCaption() {
    const VolumeCaption caption = volumeCaption(workspace);
    for (SlicesView* view : views)
        view->setCaption(caption.text, caption.isOfAnotherScan);
    oblique->view().setCaption(caption.text, caption.isOfAnotherScan);
}

void SlicesPanel::Parts::showPage() {
    QWidget* page = placeholder;
    if (!data.voxels.empty() && workspace.comparison().isActive())
        page = comparison;
    else if (!data.voxels.empty())
        page = slicesPage;
    else if (workspace.volume().isOpening())
        page = openingPage;
    if (page == placeholder || page == openingPage) workspace.selection().setReadout({});
    pages->setCurrentWidget(page);
}

void SlicesPanel::Parts::showOpening() {
    const VolumeDocument& volume = workspace.volume();
    openingText->setText(volume.openingText());
    openingBar->setValue(static_cast<int>(std::lround(100 * volume.openingFraction())));
    tools->setReading(volume.openingText(), volume.isOpening());
    showPage();
}

void SlicesPanel::Parts::moveTo(const VoxelIndex& chosen) {
    if (!data.voxels.empty() && chosen != voxel)
        workspace.selection().setCrossHairMm(placeMm(data.finest(), chosen));
}

void SlicesPanel::Parts::followCrossHair(const Vec3& placeMm) {
    if (data.voxels.empty()) return;
    const VoxelIndex there = nearestVoxel(data.finest(), placeMm);
    oblique->setPlace(placeMm, there);
    if (there == voxel) return;
    voxel = there;
    for (SlicesView* view : views)
        view->setVoxel(voxel);
    measuring->setVoxel(voxel);
    info->setVoxel(data, voxel);
}

void SlicesPanel::Parts::showWindow() {
    const GreyWindow& window = workspace.volume().window();
    for (SlicesView* view : views)
        view->setWindow(window);
    oblique->view().setWindow(window);
    info->setWindow(window);
}

void SlicesPanel::Parts::enableRegion() {
    const ScanDocument& scan = workspace.scan();
    QString whyNot;
    if (!scan.hasScan())
        whyNot =
            tr("Open the scan first: the region of interest is that of its next reconstruction.");
    else if (scan.request().job.volume.count() <= 0)
        whyNot = tr("Fix the geometry of the scan first.");
    tools->enableRegion(whyNot);
    showRegion();
}

void SlicesPanel::Parts::showRegion() {
    const VolumeGrid& grid = workspace.scan().request().job.volume;
    const bool isShown = tools->isRegionShown();
    const std::optional<RegionBox> box = isShown ? std::optional(boxOf(grid)) : std::nullopt;
    for (SlicesView* view : views)
        view->setRegion(box);
    info->setRegion(isShown ? grid : VolumeGrid());
}

void SlicesPanel::Parts::dragRegion(const RegionBox& box, bool isFinal) {
    ScanDocument& scan = workspace.scan();
    Request request = scan.request();
    const VolumeGrid grid = reshaped(request.job.volume, box);
    if (!(grid == request.job.volume)) {
        request.job.volume = grid;
        request.volumeIsFitted = false;
        scan.edit(std::move(request), tr("Change region of interest"),
                  QStringLiteral("region %1").arg(regionDrags));
    }
    if (isFinal) ++regionDrags;
}

// Offers the slice of the view that had the focus before the button or its menu.
SliceSaving::Offer SlicesPanel::Parts::sliceToSave() const {
    const auto volume = workspace.volume().volume();
    if (!volume || data.voxels.empty()) return {};
    const QFileInfo file(volume->path);
    SliceSaving::Offer offer;
    QString name = file.completeBaseName();
    if (lastUsed == views.size()) {
        offer.picture = oblique->view().picture();
        name += QStringLiteral(" oblique");
    } else {
        const SlicesView& view = *views[lastUsed];
        offer.picture = view.picture();
        name += QStringLiteral(" %1 %2").arg(axisName(view.plane().normal),
                                             QString::number(voxel[view.plane().normal]));
    }
    offer.picture.scale = volume->scale;
    offer.start = file.dir().filePath(name);
    return offer;
}

SlicesPanel::SlicesPanel(Workspace& workspace, QWidget* parent) : QWidget(parent) {
    setObjectName("slicesPanel");
    m_parts = std::make_unique<Parts>(*this, workspace);
}

SlicesPanel::~SlicesPanel() = default;

// The scan's own undo is left alone while there is a measurement to undo or redo.
bool SlicesPanel::event(QEvent* event) {
    if (event->type() == QEvent::ShortcutOverride &&
        m_parts->measuring->takesUndo(*static_cast<const QKeyEvent*>(event)))
        event->accept();
    return QWidget::event(event);
}

void SlicesPanel::keyPressEvent(QKeyEvent* event) {
    if (!m_parts->measuring->takeKey(*event)) QWidget::keyPressEvent(event);
}

}  // namespace gantry
