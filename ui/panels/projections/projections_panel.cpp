#include "ui/panels/projections/projections_panel.h"

#include <QButtonGroup>
#include <QComboBox>
#include <QHBoxLayout>
#include <QStackedLayout>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <optional>
#include <utility>

#include "ui/models/scan/geometry_form.h"
#include "ui/panels/projections/projections_details.h"
#include "ui/panels/projections/projections_feed.h"
#include "ui/panels/projections/projections_scrubber.h"
#include "ui/panels/projections/projections_views.h"
#include "ui/panels/projections/residual_volume.h"
#include "ui/panels/shared/filter_editor.h"
#include "ui/widgets/new_widget.h"
#include "ui/widgets/placeholder.h"
#include "ui/widgets/style/theme.h"
#include "ui/workspace/workspace.h"

namespace gantry {
namespace {

// sentence: why the view is left out, or cannot be used
QString leftOut(const std::string& sentence, bool isWanted) {
    return QString::fromStdString(sentence) + '\n' +
           (isWanted
                ? ProjectionsPanel::tr("This view is left out of the reconstruction.")
                : ProjectionsPanel::tr("Leave it out in the scan panel, or replace the file."));
}

using Mode = ProjectionsViews::Mode;

bool haveSameImages(const ScanFile& a, const ScanFile& b) {
    return a.folder == b.folder && a.projections.files == b.projections.files;
}

}  // namespace

struct ProjectionsPanel::Parts {
    Parts(ProjectionsPanel& thePanel, Workspace& theWorkspace);

    ProjectionsPanel& panel;
    Workspace& workspace;
    ProjectionsFeed feed;
    std::shared_ptr<const OpenScan> scan;  ///< the last that could be opened of these images
    bool isGeometryGood = false;
    bool areWindowsOutdated = false;  ///< automatic ones, until the first steps of this scan
    FilterSpec filter;
    Index rawView = -1;  ///< whose raw image is shown

    QStackedLayout* pages = nullptr;
    Placeholder* placeholder = nullptr;
    QButtonGroup* modes = nullptr;
    QComboBox* sinogramStep = nullptr;
    ResidualVolume* volume = nullptr;
    ProjectionsViews* views = nullptr;
    ProjectionsScrubber* scrubber = nullptr;
    ProjectionsDetails* details = nullptr;

    [[nodiscard]] Selection& selection() const { return workspace.selection(); }
    [[nodiscard]] QString firstProblem() const;
    [[nodiscard]] Index view() const;
    [[nodiscard]] Index lastView() const { return scan->description.geometry.views() - 1; }
    [[nodiscard]] bool isLeftOut(Index view) const { return scan && !scan->sourceView(view); }
    [[nodiscard]] Index selectedRow() const;
    [[nodiscard]] QString cornerOf(Index view) const;
    [[nodiscard]] bool isSinogramFiltered() const { return sinogramStep->currentIndex() == 1; }

    QLayout* buildModes();
    void connectWorkspace();
    void connectViews();
    void connectFeed();

    void takeScan();
    void begin(bool isAnother);
    void showPlaceholder();
    void readView();
    void readResidual();
    void readSinogram();
    void moveToView(Index view);
    void moveToRow(Index row);
    void showProfile();
    void showHistogram();
    void showSteps(Index view, const ViewPictures& pictures);
    void showLeftOut();
    void showGeometryError();
    void showWhyNot(const QString& sentence);
    void showWhyNotCorrected(const QString& sentence);  // nor filtered
};

ProjectionsPanel::Parts::Parts(ProjectionsPanel& thePanel, Workspace& theWorkspace)
    : panel(thePanel), workspace(theWorkspace) {
    auto* content = new QWidget(&panel);
    placeholder = new Placeholder(QString(), {}, &panel);
    pages = new QStackedLayout(&panel);
    pages->addWidget(placeholder);
    pages->addWidget(content);

    views = new ProjectionsViews(&panel);
    scrubber = new ProjectionsScrubber(&panel);
    details = new ProjectionsDetails(&panel);
    auto* filterFields = new FilterEditor(workspace.scan(), &panel);
    filterFields->setSizePolicy(QSizePolicy::Maximum, QSizePolicy::Preferred);
    filterFields->setMaximumWidth(24 * kSpacing);
    auto* below = spaced(new QHBoxLayout, 2 * kSpacing);
    below->addWidget(details, 1);
    below->addWidget(filterFields);

    auto* layout = spaced(new QVBoxLayout(content), kSpacing, kSpacing);
    layout->addLayout(buildModes());
    layout->addWidget(views, 1);
    layout->addWidget(scrubber);
    layout->addLayout(below);

    connectWorkspace();
    connectViews();
    connectFeed();
    showPlaceholder();
    takeScan();
}

QLayout* ProjectionsPanel::Parts::buildModes() {
    auto* line = new QHBoxLayout;
    line->setSpacing(kSpacing / 2);
    modes = new QButtonGroup(&panel);
    int number = 0;
    for (const ProjectionsViews::ModeChoice& choice : ProjectionsViews::choices()) {
        auto* button = named(new QToolButton(&panel), choice.name, choice.help);
        button->setText(choice.text);
        button->setCheckable(true);
        button->setChecked(number == 0);
        modes->addButton(button, number++);
        line->addWidget(button);
    }
    sinogramStep = named(new QComboBox(&panel), "sinogramStep",
                         tr("Shows the sinogram before or after filtering"));
    sinogramStep->addItems({tr("before filtering"), tr("after filtering")});
    keepRoomWhenHidden(*sinogramStep);
    sinogramStep->hide();
    volume = new ResidualVolume(workspace, &panel);
    volume->hide();
    line->addSpacing(kSpacing);
    line->addWidget(volume);
    line->addWidget(sinogramStep);
    line->addStretch(1);
    return line;
}

void ProjectionsPanel::Parts::connectWorkspace() {
    ScanDocument& document = workspace.scan();
    for (auto change : {&ScanDocument::stateChanged, &ScanDocument::openScanChanged,
                        &ScanDocument::scanChanged, &ScanDocument::correctionsChanged})
        connect(&document, change, &panel, [this] { takeScan(); });
    connect(&document, &ScanDocument::filterChanged, &panel, [this] {
        const FilterSpec& wanted = workspace.scan().request().job.filter;
        if (wanted.window == filter.window && wanted.cutoff == filter.cutoff) return;
        readView();
        if (isSinogramFiltered()) readSinogram();
    });
    connect(&selection(), &Selection::viewChanged, &panel, [this] {
        moveToView(view());
        readView();
        readResidual();
    });
    connect(&selection(), &Selection::rowChanged, &panel, [this] {
        moveToRow(selectedRow());
        readSinogram();
    });
}

void ProjectionsPanel::Parts::connectViews() {
    connect(modes, &QButtonGroup::idClicked, views,
            [this](int mode) { views->setMode(static_cast<Mode>(mode)); });
    connect(views, &ProjectionsViews::modeChanged, &panel, [this](Mode mode) {
        modes->button(static_cast<int>(mode))->setChecked(true);
        sinogramStep->setVisible(mode == Mode::sinogram);
        volume->setVisible(mode == Mode::residual);
        feed.setResidualVolume(mode == Mode::residual ? volume->path() : QString());
        readSinogram();
        readResidual();
    });
    connect(volume, &ResidualVolume::changed, &panel, [this] {
        if (views->mode() != Mode::residual) return;
        feed.setResidualVolume(volume->path());
        readResidual();
    });
    connect(sinogramStep, &QComboBox::currentIndexChanged, &panel, [this] { readSinogram(); });
    connect(views, &ProjectionsViews::focusedChanged, &panel, [this] { showHistogram(); });
    connect(views, &ProjectionsViews::rowMoved, &panel, [this](Index v) {
        if (scan) selection().setRow(std::clamp<Index>(v, 0, scan->geometry.detector.rows - 1));
    });
    const auto chooseView = [this](Index chosen) {
        if (scan) selection().setView(std::clamp<Index>(chosen, 0, lastView()));
    };
    connect(views, &ProjectionsViews::viewMoved, &panel, chooseView);
    connect(views, &ProjectionsViews::scrolled, scrubber, &ProjectionsScrubber::step);
    connect(views, &ProjectionsViews::readoutChanged, &selection(), &Selection::setReadout);
    connect(views, &ProjectionsViews::playToggled, scrubber,
            [this] { scrubber->setPlaying(!scrubber->isPlaying()); });
    connect(scrubber, &ProjectionsScrubber::viewChosen, &panel, chooseView);
    scrubber->setReadyCheck(
        [this] { return panel.isVisible() && !feed.isReadingView() && !feed.isMakingResidual(); });
    connect(details, &ProjectionsDetails::rowChosen, &selection(), &Selection::setRow);
    connect(details, &ProjectionsDetails::windowEdited, views, &ProjectionsViews::setFocusedWindow);
    connect(details, &ProjectionsDetails::automaticRequested, views,
            &ProjectionsViews::setFocusedWindowAutomatic);
}

void ProjectionsPanel::Parts::connectFeed() {
    connect(&feed, &ProjectionsFeed::storedRead, &panel,
            [this](Index read, const ProjectionPicture& picture) {
                // The steps of the wanted view may have come first, and with them its raw image.
                if ((rawView == view() || isLeftOut(view())) && read != view()) return;
                rawView = read;
                views->showStep(ProjectionStep::stored, picture, cornerOf(read));
            });
    connect(&feed, &ProjectionsFeed::stepsRead, &panel,
            [this](Index read, const ViewPictures& pictures,
                   const std::shared_ptr<const OpenScan>& from) {
                // Pictures of the geometry before must not set the windows of this one.
                if (from == scan && std::exchange(areWindowsOutdated, false))
                    views->renewAutomaticWindows();
                showSteps(read, pictures);
            });
    connect(&feed, &ProjectionsFeed::beamRead, details, &ProjectionsDetails::setBeam);
    connect(&feed, &ProjectionsFeed::sinogramRead, &panel,
            [this](Index read, const ProjectionPicture& picture, bool isFiltered) {
                // The newest request comes next.
                if (!isGeometryGood || isFiltered != isSinogramFiltered()) return;
                views->showSinogram(
                    picture, isFiltered ? ProjectionStep::filtered : ProjectionStep::corrected,
                    tr("row v %1 of %2").arg(read).arg(scan->geometry.detector.rows));
            });
    connect(&feed, &ProjectionsFeed::residualMade, &panel,
            [this](Index read, const ProjectionPicture& picture, const QString& figures) {
                if (isGeometryGood && !isLeftOut(view()))
                    views->showStep(ProjectionStep::residual, picture,
                                    cornerOf(read) + "  " + figures);
            });
    connect(&feed, &ProjectionsFeed::residualFailed, &panel, [this](const QString& sentence) {
        views->showWhyNot(ProjectionStep::residual, sentence);
    });
    connect(&feed, &ProjectionsFeed::residualBusyChanged, views,
            &ProjectionsViews::setResidualBusy);
    connect(&feed, &ProjectionsFeed::viewFailed, &panel, [this](const QString& sentence) {
        scrubber->setPlaying(false);
        showWhyNot(sentence);
    });
    connect(&feed, &ProjectionsFeed::sinogramFailed, views, &ProjectionsViews::showWhyNoSinogram);
    connect(&feed, &ProjectionsFeed::viewBusyChanged, views, &ProjectionsViews::setBusy);
    connect(&feed, &ProjectionsFeed::sinogramBusyChanged, views,
            &ProjectionsViews::setSinogramBusy);
}

QString ProjectionsPanel::Parts::firstProblem() const {
    const auto& problems = workspace.scan().problems();
    return problems.empty() ? QString() : problemSentence(problems.front(), scanFields());
}

Index ProjectionsPanel::Parts::view() const {
    return std::clamp<Index>(selection().view(), 0, scan ? lastView() : 0);
}

Index ProjectionsPanel::Parts::selectedRow() const {
    return std::clamp<Index>(selection().row(), 0, scan ? scan->geometry.detector.rows - 1 : 0);
}

QString ProjectionsPanel::Parts::cornerOf(Index view) const {
    // A requested view may be beyond those that the scan has by now.
    if (!scan) return {};
    const ScanGeometry& geometry = scan->description.geometry;
    return view < geometry.views() ? viewText(geometry, view) : QString();
}

void ProjectionsPanel::Parts::takeScan() {
    const ScanDocument& document = workspace.scan();
    const std::shared_ptr<const OpenScan> opened =
        asShown(document.openScan(), document.request().job.corrections);
    const ScanFile& wanted = document.request().job.scan;
    const bool isAnother = !scan || !haveSameImages(scan->description, wanted);
    if (!document.hasScan() || (isAnother && !opened)) {
        scan.reset();
        feed.setScan(nullptr);
        scrubber->setPlaying(false);
        showPlaceholder();
        return;
    }
    if (opened && (isAnother || !isGeometryGood || !hasSamePictures(*opened, *scan))) {
        if (isAnother) feed.setScan(nullptr);
        scan = opened;
        feed.setScan(scan);
        begin(isAnother);
    } else if (!opened && document.hasErrors()) {
        showGeometryError();
    }
}

void ProjectionsPanel::Parts::begin(bool isAnother) {
    isGeometryGood = true;
    rawView = -1;
    if (isAnother) {
        scrubber->setPlaying(false);
        views->reset();
        areWindowsOutdated = false;
        selection().setRow(scan->geometry.detector.rows / 2);
        selection().setView(view());  // this one may have fewer
    } else {
        areWindowsOutdated = true;
    }
    views->setScanName(workspace.scan().title());
    scrubber->setScan(scan->description.geometry);
    details->setRows(scan->geometry.detector.rows);
    moveToView(view());
    moveToRow(selectedRow());
    pages->setCurrentIndex(1);
    readView();
    readSinogram();
    readResidual();
}

void ProjectionsPanel::Parts::showPlaceholder() {
    const ScanDocument& document = workspace.scan();
    QString sentence = tr("Open a scan (Ctrl+O), or drop one here, to see its projections.");
    if (document.hasScan() && document.hasErrors())
        sentence = tr("The projections cannot be shown yet.") + '\n' + firstProblem();
    else if (document.hasScan() || document.state() == ScanDocument::State::opening)
        sentence = tr("Opening the images…");
    placeholder->setSentence(sentence);
    pages->setCurrentIndex(0);
    rawView = -1;
    isGeometryGood = false;
    selection().setReadout({});
}

void ProjectionsPanel::Parts::readView() {
    filter = workspace.scan().request().job.filter;
    if (!scan) return;
    if (isLeftOut(view())) return showLeftOut();
    // While playing, an image on its own would only take time from the next view.
    if (rawView != view() && (!isGeometryGood || !scrubber->isPlaying())) feed.readStored(view());
    if (isGeometryGood) feed.readSteps(view(), filter);
}

void ProjectionsPanel::Parts::readSinogram() {
    if (!scan || !isGeometryGood || views->mode() != Mode::sinogram) return;
    feed.readSinogram(selectedRow(), isSinogramFiltered()
                                         ? std::optional(workspace.scan().request().job.filter)
                                         : std::nullopt);
}

void ProjectionsPanel::Parts::readResidual() {
    if (!scan || !isGeometryGood || views->mode() != Mode::residual || isLeftOut(view())) return;
    if (!volume->path().isEmpty()) return feed.readResidual(view());
    views->showWhyNot(ProjectionStep::residual,
                      tr("The residual is what a volume does not explain of the views.\n"
                         "Reconstruct this scan, or open a volume of it (Ctrl+O), to see it."));
}

void ProjectionsPanel::Parts::moveToView(Index view) {
    scrubber->setView(view);
    views->setView(view);
}

void ProjectionsPanel::Parts::moveToRow(Index v) {
    details->setRow(v);
    views->setRow(v);
}

void ProjectionsPanel::Parts::showSteps(Index read, const ViewPictures& pictures) {
    if (!isGeometryGood || isLeftOut(view())) return;
    const QString corner = cornerOf(read);
    for (const ProjectionStep step : {ProjectionStep::corrected, ProjectionStep::filtered})
        views->showStep(step, pictures[static_cast<std::size_t>(step)], corner);
    if (rawView != read && (rawView != view() || read == view())) {
        rawView = read;
        views->showStep(ProjectionStep::stored, pictures[0], corner);
    }
    showProfile();
}

void ProjectionsPanel::Parts::showProfile() {
    details->setImages(views->image(ProjectionStep::corrected),
                       views->image(ProjectionStep::filtered));
}

void ProjectionsPanel::Parts::showHistogram() {
    const ProjectionPicture& picture = views->focusedPicture();
    details->setHistogram(views->focusedName(), picture.histogram, picture.image.unit,
                          views->focusedWindow());
}

// In the place of a view that cannot be used or is left out: the reason. All others are shown.
void ProjectionsPanel::Parts::showLeftOut() {
    for (const LeftOutView& each : scan->leftOut)
        if (each.view == view()) showWhyNot(leftOut(each.sentence, each.isWanted));
}

void ProjectionsPanel::Parts::showGeometryError() {
    isGeometryGood = false;
    const QString sentence = tr("Fix the geometry to see this.") + '\n' + firstProblem();
    showWhyNotCorrected(sentence);
    views->showWhyNoSinogram(sentence);
}

void ProjectionsPanel::Parts::showWhyNot(const QString& sentence) {
    rawView = -1;
    views->showWhyNot(ProjectionStep::stored, sentence);
    if (isGeometryGood) showWhyNotCorrected(sentence);
}

void ProjectionsPanel::Parts::showWhyNotCorrected(const QString& sentence) {
    views->showWhyNot(ProjectionStep::corrected, sentence);
    views->showWhyNot(ProjectionStep::filtered, sentence);
    views->showWhyNot(ProjectionStep::residual, sentence);
    showProfile();
}

ProjectionsPanel::ProjectionsPanel(Workspace& workspace, QWidget* parent) : QWidget(parent) {
    setObjectName("projectionsPanel");
    m_parts = std::make_unique<Parts>(*this, workspace);
}

ProjectionsPanel::~ProjectionsPanel() = default;

}  // namespace gantry
