#include "ui/panels/live/live_panel.h"

#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QShortcut>
#include <QSlider>
#include <QStackedLayout>
#include <QVBoxLayout>
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "core/base/error.h"
#include "core/base/system_memory.h"
#include "core/base/text.h"
#include "core/live/live_slices.h"
#include "ui/models/image/enlarged.h"
#include "ui/models/text.h"
#include "ui/panels/live/live_texts.h"
#include "ui/panels/shared/volume_texts.h"
#include "ui/widgets/image_view.h"
#include "ui/widgets/placeholder.h"
#include "ui/widgets/theme.h"
#include "ui/workspace/live_preview.h"
#include "ui/workspace/workspace.h"

namespace gantry {

namespace {

constexpr int kStepsAPixel = 20;     // of the slider
constexpr int kMostPixels = 20;      // that it moves the centre to either side
constexpr Index kMostAcross = 1024;  // pixels along a slice

using Images = std::array<GreyImage, 3>;

}  // namespace

struct LivePanel::Parts {
    Parts(LivePanel& thePanel, Workspace& theWorkspace);

    LivePanel& panel;
    Workspace& workspace;
    LivePreview preview;
    Vec3 crossMm;
    std::vector<Plane> planes;  ///< as they were asked for last
    Images images;              ///< as they came last
    Images before;              ///< to compare with
    double startOffsetMm = 0;   ///< of the detector, where the slider's middle is
    bool onGpu = false;  // the slices under way are made there
    bool hasWindow = false;     ///< set by the first slices

    QStackedLayout* pages = nullptr;
    Placeholder* placeholder = nullptr;
    QWidget* startPage = nullptr;
    QLabel* needs = nullptr;
    QLabel* complaint = nullptr;
    QPushButton* start = nullptr;
    QProgressBar* reading = nullptr;
    QWidget* slicesPage = nullptr;
    QSlider* centre = nullptr;
    QLabel* centreValue = nullptr;
    QPushButton* compare = nullptr;
    QLabel* state = nullptr;
    std::array<ImageView*, 3> views = {};

    void buildStart();
    void buildSlices();
    [[nodiscard]] QHBoxLayout* centreLine();
    [[nodiscard]] QHBoxLayout* stateLine();
    void connectAll();
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
    void showCentre();
    void moveCentre(int steps);
};

LivePanel::Parts::Parts(LivePanel& thePanel, Workspace& theWorkspace)
    : panel(thePanel), workspace(theWorkspace), preview(theWorkspace.program()) {
    placeholder = new Placeholder(texts::noLiveScan(), {}, &panel);
    buildStart();
    buildSlices();
    pages = new QStackedLayout(&panel);
    for (QWidget* page : {static_cast<QWidget*>(placeholder), startPage, slicesPage})
        pages->addWidget(page);
    connectAll();
    showPage();
}

void LivePanel::Parts::buildStart() {
    startPage = new QWidget(&panel);
    auto* about = new QLabel(texts::aboutLive(), startPage);
    needs = new QLabel(startPage);
    needs->setObjectName("liveNeeds");
    needs->setProperty("muted", true);
    complaint = new QLabel(startPage);
    complaint->setObjectName("liveComplaint");
    for (QLabel* label : {about, needs, complaint}) {
        label->setTextFormat(Qt::PlainText);
        label->setWordWrap(true);
        label->setAlignment(Qt::AlignCenter);
    }
    start = new QPushButton(texts::startLive(), startPage);
    start->setObjectName("startLive");
    reading = new QProgressBar(startPage);
    reading->setObjectName("liveReading");
    reading->setRange(0, 100);
    reading->setFormat(texts::readingViews() + QStringLiteral(" %p %"));
    reading->setFixedWidth(40 * kSpacing);
    reading->hide();
    auto* layout = new QVBoxLayout(startPage);
    layout->setContentsMargins(4 * kSpacing, kSpacing, 4 * kSpacing, kSpacing);
    layout->setSpacing(2 * kSpacing);
    layout->addStretch(1);
    layout->addWidget(about);
    layout->addWidget(needs);
    layout->addWidget(complaint);
    layout->addWidget(start, 0, Qt::AlignHCenter);
    layout->addWidget(reading, 0, Qt::AlignHCenter);
    layout->addStretch(1);
}

QHBoxLayout* LivePanel::Parts::centreLine() {
    auto* name = new QLabel(texts::centreOfRotation(), slicesPage);
    centre = new QSlider(Qt::Horizontal, slicesPage);
    centre->setObjectName("centreSlider");
    centre->setRange(-kMostPixels * kStepsAPixel, kMostPixels * kStepsAPixel);
    centre->setPageStep(kStepsAPixel);
    centre->setToolTip(texts::centreSliderHelp());
    centre->setAccessibleName(texts::centreOfRotation());
    centre->setMinimumWidth(10 * kSpacing);
    name->setBuddy(centre);
    centreValue = new QLabel(slicesPage);
    centreValue->setObjectName("centreValue");
    centreValue->setMinimumWidth(centreValue->fontMetrics().horizontalAdvance("−00.00 px"));
    auto* line = new QHBoxLayout;
    line->setSpacing(kSpacing);
    line->addWidget(name);
    line->addWidget(centre, 1);
    line->addWidget(centreValue);
    return line;
}

QHBoxLayout* LivePanel::Parts::stateLine() {
    compare = new QPushButton(texts::before(), slicesPage);
    compare->setObjectName("compare");
    compare->setCheckable(true);
    compare->setToolTip(texts::beforeHelp());
    auto* keep = new QPushButton(texts::keepAsBefore(), slicesPage);
    keep->setObjectName("keepAsBefore");
    keep->setToolTip(texts::keepAsBeforeHelp());
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
    auto* stop = new QPushButton(texts::stopLive(), slicesPage);
    stop->setObjectName("stopLive");
    stop->setToolTip(texts::stopLiveHelp());
    connect(stop, &QPushButton::clicked, &panel, [this] { close(); });
    auto* line = new QHBoxLayout;
    line->setSpacing(kSpacing);
    line->addWidget(state, 1);
    line->addWidget(compare);
    line->addWidget(keep);
    line->addWidget(stop);
    return line;
}

void LivePanel::Parts::buildSlices() {
    slicesPage = new QWidget(&panel);
    const std::array<QString, 3> titles = {texts::axial(), texts::coronal(), texts::sagittal()};
    auto* quarters = new QGridLayout;
    quarters->setSpacing(kSpacing / 2);
    for (std::size_t i = 0; i < views.size(); ++i) {
        views[i] = new ImageView(slicesPage);
        views[i]->setObjectName(QStringLiteral("live%1").arg(i));
        views[i]->setTitle(titles[i]);
        views[i]->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Ignored);
    }
    // The slice across the axis shows most of what a wrong centre does.
    quarters->addWidget(views[0], 0, 0, 2, 1);
    quarters->addWidget(views[1], 0, 1);
    quarters->addWidget(views[2], 1, 1);
    quarters->setColumnStretch(0, 3);
    quarters->setColumnStretch(1, 2);
    auto* layout = new QVBoxLayout(slicesPage);
    layout->setContentsMargins(kSpacing, kSpacing, kSpacing, kSpacing);
    layout->setSpacing(kSpacing);
    layout->addLayout(centreLine());
    layout->addLayout(quarters, 1);
    layout->addLayout(stateLine());
}

void LivePanel::Parts::connectAll() {
    connect(start, &QPushButton::clicked, &panel, [this] { open(); });
    connect(centre, &QSlider::valueChanged, &panel, [this](int steps) { moveCentre(steps); });
    connect(compare, &QPushButton::toggled, &panel, [this] { show(); });
    auto* key = new QShortcut(Qt::Key_B, &panel);
    key->setContext(Qt::WidgetWithChildrenShortcut);
    connect(key, &QShortcut::activated, &panel, [this] { compare->toggle(); });
    for (std::size_t i = 0; i < views.size(); ++i)
        connectView(i);

    connect(&preview, &LivePreview::loading, &panel, [this](double fraction) {
        reading->setValue(static_cast<int>(std::lround(100 * fraction)));
    });
    connect(&preview, &LivePreview::shown, &panel, [this](const LiveShown& shown) { take(shown); });
    connect(&preview, &LivePreview::refused, &panel,
            [this](const QString& sentence) { state->setText(sentence); });
    connect(&preview, &LivePreview::failed, &panel, [this](const QString& sentence) {
        close();
        complaint->setText(sentence);
    });

    connect(&scan(), &ScanDocument::requestChanged, &panel, [this] {
        showCentre();
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
    start->setVisible(!preview.isOpen());
    reading->setVisible(preview.isOpen());
    pages->setCurrentWidget(page);
    showNeeds();
}

void LivePanel::Parts::showNeeds() {
    const std::shared_ptr<const OpenScan> opened = scan().openScan();
    start->setEnabled(opened != nullptr);
    if (!opened || preview.isOpen()) return;
    try {
        const LivePlace at = place();
        const LiveSlices::Needs all = LiveSlices::needsOf(*opened, at);
        const Index bytes = at.device ? all.deviceBytes : all.hostBytes;
        needs->setText(texts::liveNeeds(QString::fromStdString(formatBytes(bytes)),
                                        at.device.has_value(), all.binning));
    } catch (const ResourceError& error) {
        needs->setText(QString::fromStdString(messageOf(error)));
        start->setEnabled(false);
    }
}

void LivePanel::Parts::open() {
    complaint->clear();
    reading->setValue(0);
    const JobSpec& job = scan().request().job;
    crossMm = {job.volume.centerMm[0], job.volume.centerMm[1], job.volume.centerMm[2]};
    startOffsetMm = job.scan.geometry.detector.offsetMm[0];
    hasWindow = false;
    const LivePlace at = place();
    onGpu = at.device.has_value();
    preview.open(job, at);
    showCentre();
    ask();
    showPage();
}

void LivePanel::Parts::close() {
    preview.close();
    planes.clear();
    images = before = {};
    const QSignalBlocker quiet(compare);
    compare->setChecked(false);
    showPage();
}

void LivePanel::Parts::ask() {
    if (!preview.isOpen()) return;
    if (scan().hasErrors()) {
        state->setText(texts::waitsForGeometry());
        return;
    }
    const JobSpec& job = scan().request().job;
    const auto& voxels = job.volume.voxels;
    const Index longest = *std::max_element(voxels.begin(), voxels.end());
    const auto wanted =
        orthogonalPlanes(job.volume, crossMm, longest > kMostAcross ? kMostAcross : 0);
    planes.assign(wanted.begin(), wanted.end());
    (void)preview.ask(job, planes);
}

void LivePanel::Parts::take(const LiveShown& shown) {
    for (std::size_t i = 0; i < images.size() && i < shown.images.size(); ++i)
        images[i] = enlarged(shown.images[i], planes[i].columns, planes[i].rows);
    if (!shown.isFinal)
        state->setText(onGpu ? texts::oldFilter() : texts::coarseSlices(shown.binning));
    else
        state->setText(shown.binning == 1 ? texts::finestSlices()
                                          : texts::finestBinned(shown.binning));
    if (!hasWindow) {
        for (ImageView* view : views)
            view->setWindow(autoWindow(images[0].pixels));
        hasWindow = shown.isFinal;
        if (shown.isFinal) before = images;
    }
    show();
    showPage();
}

void LivePanel::Parts::show() {
    const bool isBefore = compare->isChecked() && !before[0].isEmpty();
    const Images& seen = isBefore ? before : images;
    for (std::size_t i = 0; i < views.size(); ++i) {
        views[i]->setImage(seen[i]);
        views[i]->setCaption(isBefore ? texts::asBefore() : QString(), isBefore);
    }
    showCrosshair();
}

void LivePanel::Parts::showCrosshair() {
    constexpr std::array<std::array<std::size_t, 2>, 3> kAxes = {{{0, 1}, {0, 2}, {1, 2}}};
    const std::array<double, 3> cross = {crossMm.x, crossMm.y, crossMm.z};
    for (std::size_t i = 0; i < views.size() && i < planes.size(); ++i) {
        const Plane& plane = planes[i];
        const std::array<double, 3> origin = {plane.originMm.x, plane.originMm.y, plane.originMm.z};
        const double across = std::sqrt(dot(plane.alongRowMm, plane.alongRowMm));
        const double up = std::sqrt(dot(plane.alongColumnMm, plane.alongColumnMm));
        const auto [u, v] = kAxes[i];
        views[i]->setCrosshair(
            QPointF((cross[u] - origin[u]) / across * static_cast<double>(plane.columns) - 0.5,
                    (cross[v] - origin[v]) / up * static_cast<double>(plane.rows) - 0.5),
            QColor(255, 209, 102), QColor(255, 209, 102));
    }
}

void LivePanel::Parts::showCentre() {
    const Detector& detector = scan().geometry().detector;
    if (!preview.isOpen() || detector.pitchMm[0] <= 0) return;
    const double pixels = (detector.offsetMm[0] - startOffsetMm) / detector.pitchMm[0];
    const QString sign = pixels > 0.005 ? "+" : pixels < -0.005 ? "−" : "";
    centreValue->setText(texts::centreText(sign + QString::number(std::abs(pixels), 'f', 2)));
    const QSignalBlocker quiet(centre);
    centre->setValue(static_cast<int>(std::lround(pixels * kStepsAPixel)));
}

void LivePanel::Parts::moveCentre(int steps) {
    const double offset =
        startOffsetMm + scan().geometry().detector.pitchMm[0] * steps / kStepsAPixel;
    scan().editJob([offset](JobSpec& job) { job.scan.geometry.detector.offsetMm[0] = offset; },
                   texts::moveCentre(), QStringLiteral("live/centre"));
}

LivePanel::LivePanel(Workspace& workspace, QWidget* parent)
    : QWidget(parent), m_parts(std::make_unique<Parts>(*this, workspace)) {}

LivePanel::~LivePanel() = default;

}  // namespace gantry
