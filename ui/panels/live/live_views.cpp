#include "ui/panels/live/live_views.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>
#include <utility>

#include "ui/panels/shared/shared_grid.h"
#include "ui/widgets/fields/number_field.h"
#include "ui/widgets/image/image_view.h"
#include "ui/widgets/new_widget.h"
#include "ui/widgets/style/theme.h"

namespace gantry {

namespace {

constexpr std::size_t kOblique = 3;
constexpr int kRestMs = 300;

QPointF pixelOf(const Plane& plane, Vec3 placeMm) {
    const auto pixel = [&](Vec3 edgeMm, Index count) {
        return dot(placeMm - plane.originMm, edgeMm) / dot(edgeMm, edgeMm) *
                   static_cast<double>(count) -
               0.5;
    };
    return {pixel(plane.alongRowMm, plane.columns), pixel(plane.alongColumnMm, plane.rows)};
}

// Whether two planes are one in the world, seen in the same direction, but for rounding.
bool showSameSlice(const Plane& a, const Plane& b) {
    constexpr double kRounding = 1e-6;
    const auto areAlong = [](Vec3 one, Vec3 other) {
        return length(one - length(one) / length(other) * other) <= kRounding * length(one);
    };
    const Vec3 normal = cross(a.alongRowMm, a.alongColumnMm);
    const double distanceMm = std::abs(dot(b.originMm - a.originMm, normal)) / length(normal);
    return areAlong(a.alongRowMm, b.alongRowMm) && areAlong(a.alongColumnMm, b.alongColumnMm) &&
           distanceMm <= kRounding * length(a.alongRowMm);
}

// Where the edges of a plane lie on another one, in pixels of that. Middle on middle: oblique
// planes have the cross-hair there, whatever their direction.
QRectF placeOn(const Plane& other, const Plane& plane, bool middleOnMiddle) {
    const Vec3 middleMm = plane.positionMm(static_cast<double>(plane.columns - 1) / 2,
                                           static_cast<double>(plane.rows - 1) / 2);
    const Vec3 onMm = middleOnMiddle ? other.positionMm(static_cast<double>(other.columns - 1) / 2,
                                                        static_cast<double>(other.rows - 1) / 2)
                                     : middleMm;
    const auto pixels = [](Vec3 edgeMm, Vec3 ofMm, Index count) {
        return length(edgeMm) / length(ofMm) * static_cast<double>(count);
    };
    QRectF place({}, QSizeF(pixels(plane.alongRowMm, other.alongRowMm, other.columns),
                            pixels(plane.alongColumnMm, other.alongColumnMm, other.rows)));
    place.moveCenter(pixelOf(other, onMm));
    return place;
}

}  // namespace

LiveViews::LiveViews(QWidget* parent) : QWidget(parent) {
    buildViews();
    m_rest.setSingleShot(true);
    m_rest.setInterval(kRestMs);
    connect(m_views[0], &ImageView::viewportChanged, &m_rest, qOverload<>(&QTimer::start));
    connect(&m_rest, &QTimer::timeout, this, &LiveViews::seenPartChanged);
}

void LiveViews::buildViews() {
    const QString titles[] = {tr("Axial"), tr("Coronal"), tr("Sagittal"), tr("Oblique")};
    for (std::size_t i = 0; i < m_views.size(); ++i) {
        m_views[i] = new ImageView(this);
        m_views[i]->setObjectName(QStringLiteral("live%1").arg(i));
        m_views[i]->setTitle(titles[i]);
        m_views[i]->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Ignored);
    }
    const std::array<QWidget*, 4> parts = {m_views[0], m_views[1], m_views[2], obliquePart()};
    // The slice across the axis shows most of what a wrong centre does. The oblique one has room
    // for its angles, too, so that in a low window it is as high as the others.
    m_grid = new SharedGrid(
        {{parts[0], 0, 0, 7}, {parts[1], 0, 1, 2}, {parts[2], 2, 1, 2}, {parts[3], 4, 1, 3}},
        {3, 2}, this);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(m_grid);
    for (std::size_t i = 0; i < m_views.size(); ++i)
        connectView(i, parts[i]);
}

// The oblique slice above its angles.
QWidget* LiveViews::obliquePart() {
    auto* part = new QWidget(this);
    auto* line = new QHBoxLayout;
    line->setSpacing(kSpacing);
    const auto angle = [&](const char* name, const QString& text, const QString& help,
                           double value) {
        NumberField::Style style;
        style.unit = QStringLiteral("°");
        style.digits = 4;
        style.range = NumberField::Range{-180, 180};
        auto* field = named(new NumberField(style, part), name, help);
        field->setValue(value);
        auto* label = new QLabel(text, part);
        field->attachLabel(label);
        line->addWidget(label);
        line->addWidget(field, 1);
        connect(field, &NumberField::valueEdited, this, [this, field](double given) {
            field->setValue(given);
            emit anglesEdited();
        });
        return field;
    };
    m_turn =
        angle("obliqueTurn", tr("Turned"),
              tr("The oblique slice's lower edge, turned from the x axis about the z axis."), 0);
    m_tilt = angle(
        "obliqueTilt", tr("Tilted"),
        tr("The oblique slice, tilted out of the axial plane: at 90° it stands upright."), 45);
    auto* column = spaced(new QVBoxLayout(part), kSpacing / 2);
    column->addWidget(m_views[kOblique], 1);
    column->addLayout(line);
    return part;
}

void LiveViews::connectView(std::size_t number, const QWidget* part) {
    const ImageView* view = m_views[number];
    connect(view, &ImageView::maximiseRequested, m_grid,
            [this, part] { m_grid->toggleMaximised(part); });
    connect(view, &ImageView::crosshairMoved, this, [this, number](QPointF pixel) {
        emit placeChosen(m_shown.planes[number].positionMm(pixel.x(), pixel.y()));
    });
    connect(view, &ImageView::windowEdited, this, [this](const GreyWindow& window) {
        m_hasWindow = true;
        for (ImageView* each : m_views)
            each->setWindow(window);
    });
}

void LiveViews::clear() {
    m_now = m_before = m_shown = {};
    m_hasWindow = false;
    for (ImageView* view : m_views)
        view->setImage({});
}

void LiveViews::setSlices(const SeenSlices& slices, bool areFinal) {
    if (slices.chosen != m_now.chosen) m_isChosenAnew = true;
    m_now = slices;
    if (!m_hasWindow) {
        for (ImageView* view : m_views)
            view->setWindow(autoWindow(m_now.images[0].pixels));
        m_hasWindow = areFinal;
    }
    if (areFinal && m_before.areEmpty()) m_before = m_now;
    refresh();
}

void LiveViews::showBefore(bool isShown) {
    m_isBeforeShown = isShown;
    refresh();
}

void LiveViews::setBefore(const SeenSlices& slices) {
    m_before = slices;
    if (m_isBeforeShown) refresh();
}

bool LiveViews::isBeforeElsewhere() const {
    return !m_before.areEmpty() && !std::equal(m_before.planes.begin(), m_before.planes.end(),
                                               m_now.planes.begin(), showSameSlice);
}

Plane LiveViews::seenPart(Index maxPixels) const {
    const QRectF seen = m_views[0]->visiblePixels();
    if (m_shown.areEmpty() || seen.isEmpty()) return {};
    const Plane& whole = m_shown.planes[0];
    const Vec3 columnStep = (1 / static_cast<double>(whole.columns)) * whole.alongRowMm;
    const Vec3 rowStep = (1 / static_cast<double>(whole.rows)) * whole.alongColumnMm;
    const double scale =
        std::min(1.0, static_cast<double>(maxPixels) / std::max(seen.width(), seen.height()));
    const auto pixels = [&](double along) {
        return std::max<Index>(1, std::lround(scale * along));
    };
    return {whole.originMm + (seen.left() + 0.5) * columnStep + (seen.top() + 0.5) * rowStep,
            seen.width() * columnStep, seen.height() * rowStep, pixels(seen.width()),
            pixels(seen.height())};
}

const GreyWindow& LiveViews::window() const {
    return m_views[0]->window();
}

double LiveViews::turnDeg() const {
    return m_turn->value();
}

double LiveViews::tiltDeg() const {
    return m_tilt->value();
}

const SeenSlices& LiveViews::wanted() const {
    return m_isBeforeShown && !m_before.areEmpty() ? m_before : m_now;
}

void LiveViews::refresh() {
    const SeenSlices& slices = wanted();
    const bool isBefore = &slices == &m_before;
    const bool isAnew = !isBefore && std::exchange(m_isChosenAnew, false);
    for (std::size_t i = 0; i < m_views.size(); ++i) {
        ImageView* view = m_views[i];
        const Plane& plane = slices.planes[i];
        const Plane& last = m_shown.planes[i];
        if (m_shown.areEmpty())
            view->setImage(slices.images[i]);
        else
            view->setImageOver(slices.images[i],
                               placeOn(last, plane, i == kOblique && !showSameSlice(last, plane)),
                               !isBefore);
        if (isAnew) view->fit();
        const bool isElsewhere = isBefore && !showSameSlice(m_now.planes[i], plane);
        view->setCaption(isElsewhere ? tr("before, another slice than now")
                         : isBefore  ? tr("before")
                                     : QString(),
                         isBefore);
    }
    m_shown = slices;
    showCross();
}

void LiveViews::showCross() {
    const QColor colour(255, 209, 102);
    for (std::size_t i = 0; i < m_views.size() && !m_shown.areEmpty(); ++i)
        m_views[i]->setCrosshair(pixelOf(m_shown.planes[i], m_crossMm), colour, colour);
}

}  // namespace gantry
