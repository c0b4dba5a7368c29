#include "ui/panels/slices/compared_view.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QPointF>
#include <QPushButton>
#include <QSlider>
#include <algorithm>
#include <cmath>

#include "ui/models/image/projection_images.h"
#include "ui/panels/slices/slices_view.h"
#include "ui/widgets/fields/number_field.h"
#include "ui/widgets/image/image_view.h"
#include "ui/widgets/new_widget.h"
#include "ui/widgets/style/theme.h"

namespace gantry {

namespace {

QString titleOf(SliceAxis axis) {
    switch (axis) {
        case SliceAxis::x:
            return ComparedView::tr("Sagittal");
        case SliceAxis::y:
            return ComparedView::tr("Coronal");
        case SliceAxis::z:
            break;
    }
    return ComparedView::tr("Axial");
}

}  // namespace

ComparedView::ComparedView(SliceAxis axis, QWidget* parent)
    : QWidget(parent), m_axis(axis), m_plane(planeOf(axis)) {
    auto* layout = spaced(new QHBoxLayout(this), kSpacing / 4);
    for (std::size_t i = 0; i < m_views.size(); ++i) {
        m_views[i] = new ImageView(this);
        m_views[i]->setObjectName(QStringLiteral("compared%1%2")
                                      .arg(axisName(m_plane.normal).toUpper(), i == 0 ? "A" : "B"));
        m_views[i]->setTitle(titleOf(axis));
        m_views[i]->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Ignored);
        layout->addWidget(m_views[i], 1);
    }
    for (std::size_t i = 0; i < m_views.size(); ++i)
        connectView(i);
}

void ComparedView::connectView(std::size_t number) {
    ImageView* view = m_views[number];
    ImageView* other = m_views[1 - number];
    connect(view, &ImageView::viewportChanged, other, [view, other] { other->follow(*view); });
    connect(view, &ImageView::crosshairMoved, this, [this](QPointF pixel) {
        emit voxelChosen(voxelAt(m_plane, m_first.grid, m_voxel, pixel));
        showCrosshair();  // on the voxel's centre
    });
    connect(view, &ImageView::scrolled, this, &ComparedView::scroll);
    connect(view, &ImageView::maximiseRequested, this, &ComparedView::maximiseRequested);
    connect(view, &ImageView::windowEdited, this, [this](const GreyWindow& window) {
        if (isDifference())
            emit differenceWindowEdited({-window.width() / 2, window.width() / 2});
        else
            emit windowEdited(window);
        showWindows();  // a difference's stays about zero
    });
    connect(view, &ImageView::hovered, this, [this](QPointF pixel, double) { tellReadout(pixel); });
    connect(view, &ImageView::left, this, [this] { emit readoutChanged({}); });
}

bool ComparedView::isDifference() const {
    return m_look.mode == ComparisonLook::Mode::difference;
}

void ComparedView::setVolumes(const VoxelData& first, const VoxelData& second,
                              const QString& sentence) {
    m_collecting.cancel();
    m_first = first;
    m_second = second;
    m_shown = -1;
    for (ImageView* view : m_views) {
        view->setBusy(false);
        view->setPlaceholder(sentence);
        view->setScale(hasBoth() ? first.grid.pitchMm[m_plane.across] : 0);
        if (hasBoth()) continue;
        view->setImage({});
        view->setCrosshair({});
    }
    if (!hasBoth()) m_pair = {};
}

void ComparedView::setNames(const QString& first, const QString& second) {
    m_names = {first, second};
    showCaptions();
}

void ComparedView::setVoxel(const VoxelIndex& voxel) {
    m_voxel = voxel;
    collect();
}

void ComparedView::setLook(const ComparisonLook& look) {
    m_look = look;
    showPair();
}

void ComparedView::setWindow(const GreyWindow& window) {
    m_window = window;
    showWindows();
}

void ComparedView::setDifferenceWindow(const GreyWindow& window) {
    m_differenceWindow = window;
    showWindows();
}

void ComparedView::collect() {
    if (!hasBoth()) return;
    showCrosshair();
    const Index index = m_voxel[m_plane.normal];
    if (index == m_shown || m_collecting.isBusy()) return;  // else this one is next
    for (ImageView* view : m_views)
        view->setBusy(true);
    const auto ended = [this] {
        for (ImageView* view : m_views)
            view->setBusy(false);
    };
    m_collecting.start(
        [first = m_first, second = m_second, axis = m_axis, index](const std::stop_token& stop) {
            return comparedSlices(first, second, axis, index, stop);
        },
        [this, index, ended](const ImagePair& pair) {
            ended();
            m_shown = index;
            m_pair = pair;
            showPair();
            emit pairShown();
            collect();
        },
        [this, ended](const QString& sentence) {
            ended();
            setVolumes({}, {}, sentence);
        });
}

void ComparedView::showPair() {
    const bool areTwo = m_look.mode == ComparisonLook::Mode::sideBySide;
    m_views[1]->setVisible(areTwo);
    showWindows();
    showCaptions();
    if (m_pair.first.isEmpty()) return;
    GreyImage image = m_pair.first;
    if (m_look.mode == ComparisonLook::Mode::blended)
        image = blended(m_pair, m_look.percentOfSecond / 100.0);
    else if (isDifference())
        image = differenceOf(m_pair);
    m_views[0]->setImage(image);
    m_views[1]->setImage(m_pair.second);
    for (ImageView* view : m_views)
        view->setCorner(sliceText(m_first.grid, m_axis, m_shown));
    showCrosshair();
}

void ComparedView::showWindows() {
    for (ImageView* view : m_views)
        view->setWindow(isDifference() ? m_differenceWindow : m_window);
}

void ComparedView::showCaptions() {
    const QString a = tr("A: %1").arg(m_names[0]);
    const QString b = tr("B: %1").arg(m_names[1]);
    QString text = a;
    if (isDifference())
        text = tr("Difference A − B");
    else if (m_look.mode == ComparisonLook::Mode::blended && m_look.percentOfSecond == 100)
        text = b;
    else if (m_look.mode == ComparisonLook::Mode::blended && m_look.percentOfSecond > 0)
        text = tr("A %1 %, B %2 %").arg(100 - m_look.percentOfSecond).arg(m_look.percentOfSecond);
    m_views[0]->setCaption(text);
    m_views[1]->setCaption(b);
}

void ComparedView::showCrosshair() {
    for (ImageView* view : m_views)
        view->setCrosshair(pixelOf(m_plane, m_voxel), axisColour(m_plane.across),
                           axisColour(m_plane.up));
}

void ComparedView::scroll(int steps) {
    VoxelIndex voxel = m_voxel;
    Index& index = voxel[m_plane.normal];
    index = std::clamp<Index>(index + steps, 0, m_first.grid.voxels[m_plane.normal] - 1);
    if (voxel != m_voxel) emit voxelChosen(voxel);
}

void ComparedView::tellReadout(QPointF pixel) {
    const double a = valueAt(m_pair.first, pixel);
    const double b = valueAt(m_pair.second, pixel);
    if (std::isnan(a) || m_shown < 0) {
        emit readoutChanged({});
        return;
    }
    std::array<double, 3> index = {};
    index[m_plane.normal] = static_cast<double>(m_shown);
    index[m_plane.across] = pixel.x();
    index[m_plane.up] = pixel.y();
    const Vec3 place = m_first.grid.positionMm(index[0], index[1], index[2]);
    const QString& unit = m_first.unit;
    const bool isInB = std::isfinite(b);
    const QString valueInB = isInB ? valueText(b, unit) : tr("none");
    const QString difference = isInB ? valueText(a - b, unit) : tr("none");
    emit readoutChanged(placeText(m_first.grid, place) + "  " +
                        tr("A %1  B %2  A − B %3").arg(valueText(a, unit), valueInB, difference));
}

namespace {

constexpr int kWhole = 100;  // percent

}  // namespace

ComparisonTools::ComparisonTools(QWidget* parent) : QWidget(parent) {
    m_mode = named(
        new QComboBox(this), "comparisonMode",
        tr("A is the open volume, B the one it is compared with. Cross-hair, zoom and grey window "
           "are common to both (Alt+W)."));
    // In the order of ComparisonLook::Mode.
    m_mode->addItems({tr("Side by side"), tr("Blended"), tr("Difference A − B")});
    m_blend = named(new QSlider(Qt::Horizontal, this), "blend", tr("From A, at the left, to B"));
    m_blend->setRange(0, kWhole);
    m_blend->setValue(kWhole / 2);
    m_blend->setFixedWidth(16 * kSpacing);
    m_blend->setAccessibleName(tr("From A, at the left, to B"));
    NumberField::Style style;
    style.unit = QStringLiteral("/mm");
    style.step = 0.001;
    style.range = NumberField::Range{1e-9, 1e9};
    m_reach = named(
        new NumberField(style, this), "differenceReach",
        tr("Difference that is shown in full blue, where A is the smaller, and full red. White: "
           "none. Dragging with the right button in a slice changes it too."));
    auto* reachLabel = new QLabel(tr("Blue to red ±"), this);
    reachLabel->setBuddy(m_reach);
    m_reachLabel = reachLabel;
    auto* flip = named(new QPushButton(tr("Flip A, B"), this), "flip",
                       tr("Shows the other of the two volumes in the same place (B)."));
    auto* close = named(new QPushButton(tr("Close comparison"), this), "closeComparison",
                        tr("Back to the slices of A alone (Esc)."));
    auto* modeLabel = new QLabel(tr("Sho&w"), this);
    modeLabel->setBuddy(m_mode);
    auto* line = spaced(new QHBoxLayout(this), kSpacing);
    for (QWidget* part : {static_cast<QWidget*>(modeLabel), static_cast<QWidget*>(m_mode),
                          static_cast<QWidget*>(m_blend), m_reachLabel,
                          static_cast<QWidget*>(m_reach), static_cast<QWidget*>(flip)})
        line->addWidget(part);
    line->addStretch(1);
    line->addWidget(close);
    connect(m_mode, &QComboBox::currentIndexChanged, this, [this] { showLook(); });
    connect(m_blend, &QSlider::valueChanged, this, [this] { showLook(); });
    connect(m_reach, &NumberField::valueEdited, this, &ComparisonTools::reachEdited);
    connect(flip, &QPushButton::clicked, this, &ComparisonTools::flip);
    connect(close, &QPushButton::clicked, this, &ComparisonTools::closeRequested);
    showLook();
}

ComparisonLook ComparisonTools::look() const {
    return {static_cast<ComparisonLook::Mode>(m_mode->currentIndex()), m_blend->value()};
}

void ComparisonTools::flip() {
    // From anything else to A, and from A to B.
    const bool isA = look() == ComparisonLook{ComparisonLook::Mode::blended, 0};
    QSignalBlocker once(this);
    m_mode->setCurrentIndex(static_cast<int>(ComparisonLook::Mode::blended));
    m_blend->setValue(isA ? kWhole : 0);
    once.unblock();
    showLook();
}

void ComparisonTools::setReach(double reach) {
    m_reach->setValue(reach);
}

void ComparisonTools::showLook() {
    const ComparisonLook now = look();
    m_blend->setVisible(now.mode == ComparisonLook::Mode::blended);
    m_reach->setVisible(now.mode == ComparisonLook::Mode::difference);
    m_reachLabel->setVisible(now.mode == ComparisonLook::Mode::difference);
    emit lookChosen(now);
}

}  // namespace gantry
