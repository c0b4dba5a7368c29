#include "ui/panels/live/live_panel.h"

#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QShortcut>
#include <QStackedLayout>
#include <QVBoxLayout>
#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "core/base/error.h"
#include "core/base/this_machine.h"
#include "core/live/live_slices.h"
#include "core/scan/corrected_scan.h"
#include "ui/models/image/grey_image.h"
#include "ui/models/text.h"
#include "ui/panels/live/live_film.h"
#include "ui/panels/live/live_start.h"
#include "ui/panels/live/parameter_line.h"
#include "ui/widgets/fields/number_field.h"
#include "ui/widgets/image/image_view.h"
#include "ui/widgets/placeholder.h"
#include "ui/widgets/style/theme.h"
#include "ui/workspace/search/live_preview.h"
#include "ui/workspace/workspace.h"

namespace gantry {

namespace {

constexpr Index kMaxAcross = 1024;  // pixels along a slice

// Axial, coronal, sagittal, and the oblique one.
using Images = std::array<GreyImage, 4>;

}  // namespace

struct LivePanel::Parts {
    Parts(LivePanel& thePanel, Workspace& theWorkspace);

    LivePanel& panel;
    Workspace& workspace;
    LivePreview preview;
    Vec3 crossMm;
    std::vector<Plane> planes;  ///< as they were asked for last
    Index asked = 0;            ///< the number of that request
    bool isFinal = false;       ///< and whether its last pictures are there
    Images images;              ///< as they came last
    Images before;              ///< to compare with
    bool onGpu = false;         ///< the slices under way are made there
    bool hasWindow = false;     ///< set by the first slices

    QStackedLayout* pages = nullptr;
    Placeholder* placeholder = nullptr;
    LiveStart* startPage = nullptr;
    QWidget* slicesPage = nullptr;
    ParameterLine* parameter = nullptr;
    Filmstrip* strip = nullptr;
    std::optional<LiveFilm> film;
    NumberField* turn = nullptr;
    NumberField* tilt = nullptr;
    QPushButton* compare = nullptr;
    QLabel* state = nullptr;
    std::array<ImageView*, 4> views = {};

    void buildSlices();
    [[nodiscard]] QGridLayout* viewGrid();
    [[nodiscard]] QHBoxLayout* obliqueLine();
    [[nodiscard]] QHBoxLayout* stateLine();
    void connectAll();
    void connectPreview();
    void connectView(std::size_t number);

    [[nodiscard]] ScanDocument& scan() const { return workspace.scan(); }
    [[nodiscard]] LivePlace place() const;
    void showPage();
    void showNeeds();
    void open();
    void close();
    void ask();
    void take(const LiveShown& shown);
    void show();
    void showCrosshair();
    void beginFilm();
};

LivePanel::Parts::Parts(LivePanel& thePanel, Workspace& theWorkspace)
    : panel(thePanel), workspace(theWorkspace), preview(theWorkspace.program()) {
    placeholder = new Placeholder(
        tr("Open a scan (Ctrl+O) to see slices that follow its geometry."), {}, &panel);
    startPage = new LiveStart(&panel);
    buildSlices();
    pages = new QStackedLayout(&panel);
    for (QWidget* page :
         {static_cast<QWidget*>(placeholder), static_cast<QWidget*>(startPage), slicesPage})
        pages->addWidget(page);
    connectAll();
    connectPreview();
    showPage();
}

void LivePanel::Parts::buildSlices() {
    slicesPage = new QWidget(&panel);
    parameter = new ParameterLine(scan(), slicesPage);
    strip = new Filmstrip(slicesPage);
    strip->hide();
    film.emplace(scan(), preview, *parameter, *strip);
    auto* layout = new QVBoxLayout(slicesPage);
    layout->setContentsMargins(kSpacing, kSpacing, kSpacing, kSpacing);
    layout->setSpacing(kSpacing);
    layout->addWidget(parameter);
    layout->addWidget(strip);
    layout->addLayout(viewGrid(), 1);
    layout->addLayout(stateLine());
}

QGridLayout* LivePanel::Parts::viewGrid() {
    const QString titles[] = {tr("Axial"), tr("Coronal"), tr("Sagittal"), tr("Oblique")};
    auto* grid = new QGridLayout;
    grid->setSpacing(kSpacing / 2);
    for (std::size_t i = 0; i < views.size(); ++i) {
        views[i] = new ImageView(slicesPage);
        views[i]->setObjectName(QStringLiteral("live%1").arg(i));
        views[i]->setTitle(titles[i]);
        views[i]->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Ignored);
    }
    // The slice across the axis shows most of what a wrong centre does.
    grid->addWidget(views[0], 0, 0, 4, 1);
    for (int i = 1; i < 4; ++i) {
        grid->addWidget(views[static_cast<std::size_t>(i)], i - 1, 1);
        grid->setRowStretch(i - 1, 1);
    }
    grid->addLayout(obliqueLine(), 3, 1);
    grid->setColumnStretch(0, 3);
    grid->setColumnStretch(1, 2);
    return grid;
}

QHBoxLayout* LivePanel::Parts::obliqueLine() {
    auto* line = new QHBoxLayout;
    line->setSpacing(kSpacing);
    const auto angle = [&](const char* name, const QString& text, const QString& help,
                           double value) {
        NumberField::Style style;
        style.unit = QStringLiteral("°");
        style.digits = 4;
        style.range = NumberField::Range{-180, 180};
        auto* field = new NumberField(style, slicesPage);
        field->setObjectName(name);
        field->setValue(value);
        field->setToolTip(help);
        auto* label = new QLabel(text, slicesPage);
        field->attachLabel(label);
        line->addWidget(label);
        line->addWidget(field, 1);
        connect(field, &NumberField::valueEdited, &panel, [this, field](double given) {
            field->setValue(given);
            ask();
        });
        return field;
    };
    turn = angle("obliqueTurn", tr("Turned"),
                 tr("The oblique slice's lower edge, turned from the x axis about the z axis."), 0);
    tilt = angle("obliqueTilt", tr("Tilted"),
                 tr("The oblique slice, tilted out of the axial plane: at 90° it stands upright."),
                 45);
    return line;
}

QHBoxLayout* LivePanel::Parts::stateLine() {
    compare = new QPushButton(tr("Before"), slicesPage);
    compare->setObjectName("compare");
    compare->setCheckable(true);
    compare->setToolTip(tr("Shows the slices as they were, to compare (B)."));
    auto* keep = new QPushButton(tr("Keep these"), slicesPage);
    keep->setObjectName("keepAsBefore");
    keep->setToolTip(tr("What is seen now is what Before shows from now on."));
    connect(keep, &QPushButton::clicked, &panel, [this] {
        before = images;
        compare->setChecked(false);
    });
    state = new QLabel(slicesPage);
    state->setObjectName("liveState");
    state->setProperty("muted", true);
    state->setTextFormat(Qt::PlainText);
    state->setWordWrap(true);
    state->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    auto* stop = new QPushButton(tr("Stop"), slicesPage);
    stop->setObjectName("stopLive");
    stop->setToolTip(tr("Ends the live slices and gives their memory back."));
    connect(stop, &QPushButton::clicked, &panel, [this] { close(); });
    auto* line = new QHBoxLayout;
    line->setSpacing(kSpacing);
    line->addWidget(state, 1);
    line->addWidget(compare);
    line->addWidget(keep);
    line->addWidget(stop);
    return line;
}

void LivePanel::Parts::connectAll() {
    connect(startPage, &LiveStart::startRequested, &panel, [this] { open(); });
    connect(compare, &QPushButton::toggled, &panel, [this] { show(); });
    auto* key = new QShortcut(Qt::Key_B, &panel);
    key->setContext(Qt::WidgetWithChildrenShortcut);
    connect(key, &QShortcut::activated, &panel, [this] { compare->toggle(); });
    for (std::size_t i = 0; i < views.size(); ++i)
        connectView(i);
    connect(parameter, &ParameterLine::parameterChanged, &panel, [this] { beginFilm(); });
    connect(parameter, &ParameterLine::filmstripToggled, &panel, [this](bool isShown) {
        strip->setVisible(isShown);
        beginFilm();
    });
    connect(strip, &Filmstrip::stepChosen, &panel, [this] { beginFilm(); });
    connect(strip, &Filmstrip::picked, &panel,
            [this](double value) { parameter->setValue(value, {}); });

    connect(&scan(), &ScanDocument::requestChanged, &panel, [this] {
        parameter->refresh();
        ask();
    });
    connect(&scan(), &ScanDocument::openScanChanged, &panel, [this] { showNeeds(); });
    connect(&workspace, &Workspace::machineChanged, &panel, [this] { showNeeds(); });
    connect(&scan(), &ScanDocument::opened, &panel, [this] { close(); });
    connect(&scan(), &ScanDocument::stateChanged, &panel, [this] {
        if (scan().state() == ScanDocument::State::empty) close();
        showPage();
    });
}

void LivePanel::Parts::connectPreview() {
    connect(&preview, &LivePreview::loading, startPage, &LiveStart::setFraction);
    connect(&preview, &LivePreview::shown, &panel, [this](const LiveShown& shown) {
        if (shown.number == asked)
            take(shown);
        else
            film->take(shown, views[0]->window());
    });
    connect(&preview, &LivePreview::refused, &panel, [this](const QString& sentence) {
        state->setText(sentence);
        film->takeRefusal();
    });
    connect(&preview, &LivePreview::failed, &panel, [this](const QString& sentence) {
        close();
        startPage->setComplaint(sentence);
    });
}

void LivePanel::Parts::connectView(std::size_t number) {
    ImageView* view = views[number];
    connect(view, &ImageView::crosshairMoved, &panel, [this, number](QPointF pixel) {
        if (planes.empty()) return;
        crossMm = planes[number].positionMm(pixel.x(), pixel.y());
        ask();
    });
    connect(view, &ImageView::windowEdited, &panel, [this](const GreyWindow& window) {
        for (ImageView* each : views)
            each->setWindow(window);
    });
}

LivePlace LivePanel::Parts::place() const {
    return livePlace(scan().request().job, workspace.machine(), availableMemoryBytes());
}

void LivePanel::Parts::showPage() {
    const bool isOpen = scan().state() == ScanDocument::State::open;
    QWidget* page = !isOpen                                     ? placeholder
                    : preview.isReady() && !images[0].isEmpty() ? slicesPage
                                                                : startPage;
    startPage->setReading(preview.isOpen());
    pages->setCurrentWidget(page);
    showNeeds();
}

void LivePanel::Parts::showNeeds() {
    const std::shared_ptr<const OpenScan> opened = scan().openScan();
    if (preview.isOpen()) return;
    if (!opened) return startPage->setProblem({});
    try {
        const LivePlace at = place();
        const LiveSlices::Needs all = LiveSlices::needsOf(
            corrected(*opened, scan().request().job.corrections), at, workspace.machine().threads);
        startPage->setNeeds(all, at.device.has_value());
    } catch (const Error& error) {
        startPage->setProblem(QString::fromStdString(messageOf(error)));
    }
}

void LivePanel::Parts::open() {
    startPage->setComplaint({});
    startPage->setFraction(0);
    const JobSpec& job = scan().request().job;
    crossMm = {job.volume.centerMm[0], job.volume.centerMm[1], job.volume.centerMm[2]};
    hasWindow = false;
    parameter->begin();
    const LivePlace at = place();
    onGpu = at.device.has_value();
    preview.open(job, at);
    ask();
    showPage();
}

void LivePanel::Parts::close() {
    preview.close();
    planes.clear();
    images = before = {};
    film->pause();
    const QSignalBlocker quiet(compare);
    compare->setChecked(false);
    parameter->begin();
    showPage();
}

void LivePanel::Parts::ask() {
    if (!preview.isOpen()) return;
    if (scan().hasErrors()) {
        state->setText(tr("The geometry has errors; the slices are those of before."));
        return;
    }
    const JobSpec& job = scan().request().job;
    const auto& voxels = job.volume.voxels;
    const Index longest = *std::max_element(voxels.begin(), voxels.end());
    const auto wanted =
        orthogonalPlanes(job.volume, crossMm, longest > kMaxAcross ? kMaxAcross : 0);
    planes.assign(wanted.begin(), wanted.end());
    planes.push_back(obliquePlane(job.volume, crossMm, turn->value(), tilt->value(),
                                  std::min(longest, kMaxAcross)));
    asked = preview.ask(job, planes);
    if (!preview.isReady()) showPage();
    isFinal = false;
    film->pause();
    film->follow(crossMm);
}

void LivePanel::Parts::take(const LiveShown& shown) {
    for (std::size_t i = 0; i < images.size() && i < shown.images.size(); ++i)
        images[i] = enlarged(shown.images[i], planes[i].columns, planes[i].rows);
    isFinal = shown.isFinal;
    const QString pixels = isFinal ? tr("Finest that fits the memory: pixels averaged %1 × %1")
                                   : tr("Coarse, from %1 × %1 pixels…");
    state->setText(isFinal && shown.binning == 1 ? tr("As a reconstruction makes them")
                   : !isFinal && onGpu           ? tr("In place; weights and filter follow…")
                                                 : pixels.arg(shown.binning));
    if (!hasWindow) {
        for (ImageView* view : views)
            view->setWindow(autoWindow(images[0].pixels));
        hasWindow = isFinal;
        if (isFinal) before = images;
    }
    show();
    showPage();
    if (isFinal) film->resume();
}

void LivePanel::Parts::show() {
    const bool isBefore = compare->isChecked() && !before[0].isEmpty();
    const Images& seen = isBefore ? before : images;
    for (std::size_t i = 0; i < views.size(); ++i) {
        views[i]->setImage(seen[i]);
        views[i]->setCaption(isBefore ? tr("before") : QString(), isBefore);
    }
    showCrosshair();
}

void LivePanel::Parts::showCrosshair() {
    const QColor colour(255, 209, 102);
    for (std::size_t i = 0; i < views.size() && i < planes.size(); ++i) {
        const Plane& plane = planes[i];
        const auto pixel = [&](Vec3 edge, Index pixels) {
            return dot(crossMm - plane.originMm, edge) / dot(edge, edge) *
                       static_cast<double>(pixels) -
                   0.5;
        };
        views[i]->setCrosshair(
            QPointF(pixel(plane.alongRowMm, plane.columns), pixel(plane.alongColumnMm, plane.rows)),
            colour, colour);
    }
}

void LivePanel::Parts::beginFilm() {
    film->begin(crossMm);
    if (isFinal) film->resume();
}

LivePanel::LivePanel(Workspace& workspace, QWidget* parent)
    : QWidget(parent), m_parts(std::make_unique<Parts>(*this, workspace)) {}

LivePanel::~LivePanel() = default;

LivePanel::Slices LivePanel::slices() const {
    return {m_parts->isFinal, m_parts->onGpu};
}

}  // namespace gantry
