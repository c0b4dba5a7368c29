#include "ui/panels/slices/slices_comparison.h"

#include <QDir>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QShortcut>
#include <QVBoxLayout>
#include <array>
#include <span>

#include "core/report/compare_volumes.h"
#include "ui/models/image/projection_images.h"
#include "ui/models/text.h"
#include "ui/panels/shared/shared_grid.h"
#include "ui/panels/slices/compared_view.h"
#include "ui/widgets/new_widget.h"
#include "ui/widgets/style/theme.h"
#include "ui/workspace/workspace.h"

namespace gantry {
namespace {

VoxelData voxelsOf(const std::shared_ptr<const LoadedVolume>& volume) {
    if (!volume || volume->grid.count() == 0) return {};
    return {volume->grid, volume, volume->voxels.span(), {}, volume->unit};
}

QString figuresText(const ComparisonFigures& figures, const VolumeGrid& grid, const QString& unit) {
    const ImageError& error = figures.error;
    QStringList lines;
    // The command's own digits; without SSIM where there is none.
    const auto rows = errorTable(error, unit.toStdString());
    for (const auto& row : std::span(rows).subspan(1))
        if (row[1] != "nan")
            lines << QString::fromStdString(row[0] + "  " + row[1] + " " + row[2]).trimmed();
    lines << SlicesComparison::tr("Largest difference %1 at %2")
                 .arg(valueText(error.maxError, unit), placeText(grid, figures.maxErrorMm));
    lines << QString()
          << (figures.isResampled
                  ? SlicesComparison::tr(
                        "Their voxels differ. Compared at %1 of A's %2 voxels, those that lie in "
                        "B; B's values there are interpolated. SSIM needs the same voxels.")
                        .arg(error.voxels)
                        .arg(grid.count())
                  : SlicesComparison::tr("Both have the same voxels; these are the figures of "
                                         "“gantry compare A B”, B taken as true."));
    return lines.join('\n');
}

}  // namespace

struct SlicesComparison::Parts {
    Parts(SlicesComparison& thePage, Workspace& theWorkspace);

    SlicesComparison& page;
    Workspace& workspace;
    VoxelData first;
    VoxelData second;
    bool isReachChosen = false;  ///< by the user, or for these volumes

    ComparisonTools* tools = nullptr;
    std::array<ComparedView*, 3> views = {};
    SharedGrid* quarters = nullptr;
    QLabel* figures = nullptr;
    QLabel* remarks = nullptr;
    QPushButton* goToLargest = nullptr;
    QPushButton* cancel = nullptr;

    QWidget* buildFacts();
    void connectAll();
    void takeVolumes();
    void showVoxel();
    void showFigures();
    void setReach(double reach);
    void offerReach(const ImagePair& pair);
};

SlicesComparison::Parts::Parts(SlicesComparison& thePage, Workspace& theWorkspace)
    : page(thePage), workspace(theWorkspace) {
    tools = new ComparisonTools(&page);
    views = {new ComparedView(SliceAxis::z, &page), new ComparedView(SliceAxis::y, &page),
             new ComparedView(SliceAxis::x, &page)};
    quarters = new SharedGrid({views[0], views[1], buildFacts(), views[2]}, &page);
    auto* layout = spaced(new QVBoxLayout(&page), kSpacing, kSpacing);
    layout->addWidget(tools);
    layout->addWidget(quarters, 1);
    connectAll();
    takeVolumes();
}

QWidget* SlicesComparison::Parts::buildFacts() {
    auto* area = new QScrollArea(&page);
    area->setWidgetResizable(true);
    area->setFrameShape(QFrame::NoFrame);
    auto* facts = new QWidget(area);
    auto* heading = new QLabel(tr("Comparison"), facts);
    heading->setProperty("heading", true);
    figures = named(copyable(new QLabel(facts)), "comparisonFigures");
    remarks = named(copyable(new QLabel(facts)), "comparisonRemarks");
    remarks->setProperty("kind", "warning");
    goToLargest = named(new QPushButton(tr("Go to largest"), facts), "goToLargest",
                        tr("Moves the cross-hair to the largest difference."));
    cancel = named(new QPushButton(tr("Cancel"), facts), "cancelFigures");
    auto* layout = new QVBoxLayout(facts);
    layout->setSpacing(kSpacing);
    layout->addWidget(heading);
    layout->addWidget(figures);
    layout->addWidget(goToLargest, 0, Qt::AlignLeft);
    layout->addWidget(cancel, 0, Qt::AlignLeft);
    layout->addWidget(remarks);
    layout->addStretch(1);
    area->setWidget(facts);
    return area;
}

void SlicesComparison::Parts::connectAll() {
    ComparisonDocument& comparison = workspace.comparison();
    VolumeDocument& volume = workspace.volume();
    connect(&comparison, &ComparisonDocument::changed, &page, [this] { takeVolumes(); });
    connect(&comparison, &ComparisonDocument::openingChanged, &page, [this] {
        if (second.voxels.empty()) takeVolumes();
    });
    connect(&comparison, &ComparisonDocument::figuresChanged, &page, [this] { showFigures(); });
    connect(&volume, &VolumeDocument::windowChanged, &page, [this] {
        for (ComparedView* view : views)
            view->setWindow(workspace.volume().window());
    });
    connect(&workspace.selection(), &Selection::crossHairChanged, &page, [this] { showVoxel(); });
    for (ComparedView* view : views) {
        connect(tools, &ComparisonTools::lookChosen, view, &ComparedView::setLook);
        connect(view, &ComparedView::voxelChosen, &page, [this](const VoxelIndex& voxel) {
            workspace.selection().setCrossHairMm(
                first.grid.positionMm(static_cast<double>(voxel[0]), static_cast<double>(voxel[1]),
                                      static_cast<double>(voxel[2])));
        });
        connect(view, &ComparedView::windowEdited, &volume, &VolumeDocument::setWindow);
        connect(view, &ComparedView::differenceWindowEdited, &page,
                [this](const GreyWindow& window) { setReach(window.white); });
        connect(view, &ComparedView::readoutChanged, &workspace.selection(),
                &Selection::setReadout);
        connect(view, &ComparedView::maximiseRequested, &page,
                [this, view] { quarters->toggleMaximised(view); });
        connect(view, &ComparedView::pairShown, &page, [this, view] { offerReach(view->pair()); });
        view->setLook(tools->look());
    }
    connect(tools, &ComparisonTools::reachEdited, &page, [this](double reach) { setReach(reach); });
    connect(tools, &ComparisonTools::closeRequested, &comparison, &ComparisonDocument::close);
    connect(goToLargest, &QPushButton::clicked, &page, [this] {
        if (const auto& found = workspace.comparison().figures())
            workspace.selection().setCrossHairMm(found->maxErrorMm);
    });
    connect(cancel, &QPushButton::clicked, &comparison, &ComparisonDocument::cancelFigures);
    const auto onKey = [this](const QKeySequence& key, const auto& act) {
        auto* shortcut = new QShortcut(key, &page);
        shortcut->setContext(Qt::WidgetWithChildrenShortcut);
        connect(shortcut, &QShortcut::activated, &page, act);
    };
    onKey(Qt::Key_B, [this] { tools->flip(); });
    onKey(Qt::Key_Escape, [this] { workspace.comparison().close(); });
}

void SlicesComparison::Parts::takeVolumes() {
    const ComparisonDocument& comparison = workspace.comparison();
    const auto a = workspace.volume().volume();
    const auto b = comparison.second();
    first = voxelsOf(comparison.isActive() ? a : nullptr);
    second = voxelsOf(first.voxels.empty() ? nullptr : b);
    isReachChosen = false;
    for (ComparedView* view : views) {
        view->setVolumes(first, second, comparison.openingText());
        view->setNames(a ? QDir(a->path).dirName() : QString(),
                       b ? QDir(b->path).dirName() : QString());
        view->setWindow(workspace.volume().window());
    }
    showVoxel();
    showFigures();
}

void SlicesComparison::Parts::showVoxel() {
    if (first.voxels.empty()) return;
    const VoxelIndex voxel = nearestVoxel(first.grid, workspace.selection().crossHairMm());
    for (ComparedView* view : views)
        view->setVoxel(voxel);
}

void SlicesComparison::Parts::showFigures() {
    const ComparisonDocument& comparison = workspace.comparison();
    const bool isThere = comparison.figures().has_value();
    figures->setText(isThere ? figuresText(*comparison.figures(), first.grid, first.unit)
                     : comparison.isComputing() ? tr("Computing the figures…")
                                                : tr("The figures were not computed."));
    goToLargest->setVisible(isThere);
    cancel->setVisible(comparison.isComputing());
    const QStringList sentences = comparison.remarks();
    remarks->setText(sentences.join('\n'));
    remarks->setVisible(!sentences.isEmpty());
}

void SlicesComparison::Parts::setReach(double reach) {
    isReachChosen = true;
    tools->setReach(reach);
    for (ComparedView* view : views)
        view->setDifferenceWindow({-reach, reach});
}

// The first slices that are there choose it.
void SlicesComparison::Parts::offerReach(const ImagePair& pair) {
    if (!isReachChosen) setReach(differenceWindow(differenceOf(pair)).white);
}

SlicesComparison::SlicesComparison(Workspace& workspace, QWidget* parent) : QWidget(parent) {
    setObjectName("slicesComparison");
    m_parts = std::make_unique<Parts>(*this, workspace);
}

SlicesComparison::~SlicesComparison() = default;

}  // namespace gantry
