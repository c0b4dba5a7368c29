#include "ui/panels/live/live_panel.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QShortcut>
#include <QStackedLayout>
#include <QVBoxLayout>
#include <algorithm>
#include <optional>

#include "core/base/error.h"
#include "core/base/this_machine.h"
#include "core/live/live_slices.h"
#include "core/scan/corrected_scan.h"
#include "ui/models/image/grey_image.h"
#include "ui/models/text.h"
#include "ui/panels/live/live_film.h"
#include "ui/panels/live/live_start.h"
#include "ui/panels/live/live_views.h"
#include "ui/panels/live/parameter_line.h"
#include "ui/widgets/kept_focus.h"
#include "ui/widgets/new_widget.h"
#include "ui/widgets/placeholder.h"
#include "ui/widgets/style/theme.h"
#include "ui/workspace/search/live_preview.h"
#include "ui/workspace/workspace.h"

namespace gantry {

namespace {

constexpr Index kMaxAcross = 1024;  // pixels along a slice

}  // namespace

struct LivePanel::Parts {
    Parts(LivePanel& thePanel, Workspace& theWorkspace);

    LivePanel& panel;
    Workspace& workspace;
    LivePreview preview;
    Vec3 crossMm;
    SeenSlices asking;      ///< what was asked for last; its images are still missing
    Index asked = 0;        ///< the number of the last request for slices as they are now
    bool isFinal = false;   ///< and whether its last pictures are there
    Index askedBefore = 0;  ///< the number of the last request for slices as they were
    bool onGpu = false;     ///< the slices under way are made there
    bool isWanted = false;  ///< once the images can be read

    QStackedLayout* pages = nullptr;
    Placeholder* placeholder = nullptr;
    LiveStart* startPage = nullptr;
    QWidget* slicesPage = nullptr;
    ParameterLine* parameter = nullptr;
    Filmstrip* strip = nullptr;
    std::optional<LiveFilm> film;
    LiveViews* views = nullptr;
    QPushButton* compare = nullptr;
    QLabel* state = nullptr;

    void buildSlices();
    [[nodiscard]] QHBoxLayout* stateLine();
    void connectAll();
    void connectPreview();

    [[nodiscard]] ScanDocument& scan() const { return workspace.scan(); }
    [[nodiscard]] LivePlace place() const;
    void showPage();
    void showNeeds();
    void openIfWanted();
    void open();
    void close();
    void ask();
    [[nodiscard]] SeenSlices filled(const LiveShown& shown) const;
    void take(const LiveShown& shown);
    void takeBefore(const LiveShown& shown);
    void makeOthers();
    [[nodiscard]] Plane filmPart() const;
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
    views = new LiveViews(slicesPage);
    film.emplace(scan(), preview, *parameter, *strip);
    auto* layout = spaced(new QVBoxLayout(slicesPage), kSpacing, kSpacing);
    layout->addWidget(parameter);
    layout->addWidget(strip);
    layout->addWidget(views, 1);
    layout->addLayout(stateLine());
}

QHBoxLayout* LivePanel::Parts::stateLine() {
    compare = named(new QPushButton(tr("Before"), slicesPage), "compare",
                    tr("Shows the slices as they were, to compare (B)."));
    compare->setCheckable(true);
    auto* keep = named(new QPushButton(tr("Keep these"), slicesPage), "keepAsBefore",
                       tr("What is seen now is what Before shows from now on."));
    connect(keep, &QPushButton::clicked, &panel, [this] {
        views->keepAsBefore();
        compare->setChecked(false);
    });
    auto* values = named(new QPushButton(tr("Compare values…"), slicesPage), "compareLive",
                         tr("Shows a slice with several values of any option, to choose from."));
    connect(values, &QPushButton::clicked, &panel, &LivePanel::comparisonWanted);
    state = named(wrapped(new QLabel(slicesPage)), "liveState");
    state->setProperty("muted", true);
    state->setTextFormat(Qt::PlainText);
    state->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    auto* stop = named(new QPushButton(tr("Stop"), slicesPage), "stopLive",
                       tr("Ends the live slices and gives their memory back."));
    connect(stop, &QPushButton::clicked, &panel, [this] { close(); });
    auto* line = new QHBoxLayout;
    line->setSpacing(kSpacing);
    line->addWidget(state, 1);
    line->addWidget(values);
    line->addWidget(compare);
    line->addWidget(keep);
    line->addWidget(stop);
    return line;
}

void LivePanel::Parts::connectAll() {
    connect(startPage, &LiveStart::startRequested, &panel, [this] { open(); });
    connect(compare, &QPushButton::toggled, &panel, [this](bool isShown) {
        views->showBefore(isShown);
        makeOthers();
    });
    auto* key = new QShortcut(Qt::Key_B, &panel);
    key->setContext(Qt::WidgetWithChildrenShortcut);
    connect(key, &QShortcut::activated, &panel, [this] { compare->toggle(); });
    connect(views, &LiveViews::anglesEdited, &panel, [this] { ask(); });
    connect(views, &LiveViews::placeChosen, &panel, [this](Vec3 placeMm) {
        crossMm = placeMm;
        ask();
    });
    connect(views, &LiveViews::seenPartChanged, &panel, [this] {
        if (!film->shows(filmPart())) beginFilm();
    });
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
    connect(&scan(), &ScanDocument::openScanChanged, &panel, [this] {
        showNeeds();
        openIfWanted();
    });
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
        else if (shown.number == askedBefore)
            takeBefore(shown);
        else
            film->take(shown, views->window());
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

LivePlace LivePanel::Parts::place() const {
    return livePlace(scan().request().job, workspace.machine(), availableMemoryBytes());
}

void LivePanel::Parts::showPage() {
    const KeptFocus focus(panel, {parameter, startPage});
    // What a scanner's file leaves open is looked at before it is confirmed.
    const bool isOpen =
        scan().state() == ScanDocument::State::open ||
        (scan().state() == ScanDocument::State::incomplete && scan().description() != nullptr);
    QWidget* page = !isOpen                                   ? placeholder
                    : preview.isReady() && !views->areEmpty() ? slicesPage
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
        // What is measured in the whole scan takes no memory.
        const Corrections corrections = scan().request().job.corrections.withoutMeasured();
        const LiveSlices::Needs all =
            LiveSlices::needsOf(corrected(*opened, corrections), at, workspace.machine().threads);
        startPage->setNeeds(all, at.device.has_value());
    } catch (const Error& error) {
        startPage->setProblem(QString::fromStdString(messageOf(error)));
    }
}

void LivePanel::Parts::openIfWanted() {
    if (isWanted && scan().openScan() && !scan().hasErrors() && !preview.isOpen()) open();
}

void LivePanel::Parts::open() {
    isWanted = false;
    startPage->setComplaint({});
    startPage->setFraction(0);
    const JobSpec& job = scan().request().job;
    crossMm = {job.volume.centerMm[0], job.volume.centerMm[1], job.volume.centerMm[2]};
    parameter->begin();
    const LivePlace at = place();
    onGpu = at.device.has_value();
    preview.open(job, at);
    ask();
    showPage();
}

void LivePanel::Parts::close() {
    isWanted = false;
    preview.close();
    isFinal = false;
    views->clear();
    film->pause();
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
    const Index longest = *std::ranges::max_element(voxels);
    const auto wanted =
        orthogonalPlanes(job.volume, crossMm, longest > kMaxAcross ? kMaxAcross : 0);
    std::ranges::copy(wanted, asking.planes.begin());
    asking.planes.back() = obliquePlane(job.volume, crossMm, views->turnDeg(), views->tiltDeg(),
                                        std::min(longest, kMaxAcross));
    asking.chosen.reset();
    if (!scan().request().volumeIsFitted) asking.chosen = job.volume;
    asking.job = job;
    asked = preview.ask(job, {asking.planes.begin(), asking.planes.end()});
    if (!preview.isReady()) showPage();
    isFinal = false;
    film->pause();
    film->follow(filmPart());
}

SeenSlices LivePanel::Parts::filled(const LiveShown& shown) const {
    SeenSlices slices = asking;
    for (std::size_t i = 0; i < slices.images.size() && i < shown.images.size(); ++i)
        slices.images[i] =
            enlarged(shown.images[i], slices.planes[i].columns, slices.planes[i].rows);
    return slices;
}

void LivePanel::Parts::take(const LiveShown& shown) {
    isFinal = shown.isFinal;
    const QString pixels = isFinal ? tr("Finest that fits the memory: pixels averaged %1 × %1")
                                   : tr("Coarse, from %1 × %1 pixels…");
    state->setText(isFinal && shown.binning == 1 ? tr("As a reconstruction makes them")
                   : !isFinal && onGpu           ? tr("In place; weights and filter follow…")
                                                 : pixels.arg(shown.binning));
    views->setCross(crossMm);
    views->setSlices(filled(shown), isFinal);
    showPage();
    makeOthers();
}

void LivePanel::Parts::takeBefore(const LiveShown& shown) {
    if (!shown.isFinal) return;
    views->setBefore(filled(shown));
    makeOthers();
}

// Asks for what comes behind the slices of now: those of before where the cross-hair is now, while
// they are looked at, then the filmstrip. For other corrections all views would have to be read
// again: then the slices of before stay those of then, as their captions say.
void LivePanel::Parts::makeOthers() {
    if (!isFinal) return;
    film->pause();
    const JobSpec& was = views->before().job;
    if (!compare->isChecked() || !views->isBeforeElsewhere() ||
        was.corrections != views->now().job.corrections)
        return film->resume();
    asking = views->now();
    asking.job = was;
    askedBefore = preview.ask(was, {asking.planes.begin(), asking.planes.end()});
}

Plane LivePanel::Parts::filmPart() const {
    Plane part = views->seenPart(LiveFilm::kMaxPixels);
    part.originMm.z = crossMm.z;
    return part;
}

void LivePanel::Parts::beginFilm() {
    film->begin(filmPart());
    makeOthers();
}

LivePanel::LivePanel(Workspace& workspace, QWidget* parent)
    : QWidget(parent), m_parts(std::make_unique<Parts>(*this, workspace)) {}

LivePanel::~LivePanel() = default;

void LivePanel::start() {
    m_parts->isWanted = !m_parts->preview.isOpen();
    m_parts->openIfWanted();
}

LivePanel::Slices LivePanel::slices() const {
    return {m_parts->isFinal, m_parts->onGpu};
}

std::optional<Vec3> LivePanel::crossMm() const {
    if (!m_parts->preview.isOpen()) return std::nullopt;
    return m_parts->crossMm;
}

}  // namespace gantry
