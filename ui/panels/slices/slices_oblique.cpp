#include "ui/panels/slices/slices_oblique.h"

#include <QEvent>
#include <QGridLayout>
#include <QLabel>
#include <QLineF>
#include <QMouseEvent>
#include <QPainter>
#include <QPointF>
#include <QPushButton>
#include <QStackedWidget>
#include <algorithm>
#include <cmath>
#include <optional>

#include "ui/panels/slices/measurements.h"
#include "ui/panels/slices/oblique_view.h"
#include "ui/panels/slices/slices_view.h"
#include "ui/widgets/fields/number_field.h"
#include "ui/widgets/image/image_view.h"
#include "ui/widgets/new_widget.h"
#include "ui/widgets/style/theme.h"

namespace gantry {

/// The line in which the oblique slice cuts an axial or a coronal one: painted upon its view, with
/// two handles that turn it about the cross-hair (Shift: in steps of 15°). A measuring tool comes
/// first; all else is the view's.
/// Tests: tests/ui/panels/slices_oblique_test.cpp
class ObliqueLine : public QWidget {
  public:
    /// A child of the view. measurements: keep the angles, and the tool
    ObliqueLine(Measurements& measurements, SliceAxis slice, ImageView& view);

    /// raster: of the view's slice
    void setPlace(const PlaneRaster& raster, Vec3 throughMm);

  protected:
    void paintEvent(QPaintEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    [[nodiscard]] bool takeMouse(const QMouseEvent& event);
    void dragTo(const QMouseEvent& event, bool isFinal);
    [[nodiscard]] QPointF viewAt(Vec3 placeMm) const;
    /// From the cross-hair, to the handle at the line's upper end; none: no line is seen.
    [[nodiscard]] std::optional<QPointF> toHandle() const;
    /// 1: the upper handle, −1: the lower one, 0: none.
    [[nodiscard]] int handleAt(QPointF at) const;

    Measurements& m_measurements;
    SliceAxis m_slice;
    ImageView& m_view;
    PlaneRaster m_raster;
    Vec3 m_throughMm;
    int m_held = 0;  ///< which handle
    bool m_wasDragged = false;
};

namespace {

constexpr double kHandleReach = 8;            // logical pixels
const QColor kObliqueLine(0xC4, 0xA1, 0xFF);  // of no axis, region or measurement
const QColor kUnderLine(0, 0, 0, 160);

double inSteps(double degrees) {
    constexpr double kStepDeg = 15;
    return kStepDeg * std::round(degrees / kStepDeg);
}

}  // namespace

ObliqueLine::ObliqueLine(Measurements& measurements, SliceAxis slice, ImageView& view)
    : QWidget(&view), m_measurements(measurements), m_slice(slice), m_view(view) {
    setObjectName(view.objectName() + "ObliqueLine");
    setAttribute(Qt::WA_TransparentForMouseEvents);
    setFocusPolicy(Qt::NoFocus);
    resize(view.size());
    lower();  // below the axes' names
    hide();
    view.installEventFilter(this);
    connect(&measurements, &Measurements::obliqueChanged, this, [this] { update(); });
    connect(&view, &ImageView::viewportChanged, this, [this] { update(); });
}

void ObliqueLine::setPlace(const PlaneRaster& raster, Vec3 throughMm) {
    m_raster = raster;
    m_throughMm = throughMm;
    update();
}

bool ObliqueLine::eventFilter(QObject* watched, QEvent* event) {
    bool isTaken = false;
    switch (event->type()) {
        case QEvent::Resize:
            resize(m_view.size());
            break;
        case QEvent::MouseButtonPress:
        case QEvent::MouseButtonDblClick:
        case QEvent::MouseMove:
        case QEvent::MouseButtonRelease:
            isTaken = takeMouse(*static_cast<const QMouseEvent*>(event));
            break;
        default:
            break;
    }
    return isTaken || QWidget::eventFilter(watched, event);
}

bool ObliqueLine::takeMouse(const QMouseEvent& event) {
    if (isHidden() || m_measurements.tool()) {
        m_held = 0;
        return false;
    }
    if (event.type() == QEvent::MouseMove) {
        if (m_held != 0) dragTo(event, false);
        const bool isOver = event.buttons() == Qt::NoButton && handleAt(event.position()) != 0;
        if (isOver) m_view.setCursor(Qt::PointingHandCursor);
        return isOver || m_held != 0;
    }
    if (event.button() != Qt::LeftButton) return false;
    if (event.type() == QEvent::MouseButtonRelease) {
        if (m_held == 0) return false;
        if (m_wasDragged) dragTo(event, true);
        m_held = 0;
        return true;
    }
    m_held = handleAt(event.position());
    m_wasDragged = false;
    return m_held != 0;
}

void ObliqueLine::dragTo(const QMouseEvent& event, bool isFinal) {
    m_wasDragged = true;
    const Vec3 pointed = m_raster.placeMm(m_view.pixelAt(event.position()));
    const Vec3 towards = m_throughMm + static_cast<double>(m_held) * (pointed - m_throughMm);
    ObliqueAngles angles = m_measurements.oblique();
    const bool isStepped = event.modifiers() & Qt::ShiftModifier;
    if (m_slice == SliceAxis::z) {
        angles = turnedTowards(angles, m_throughMm, towards);
        if (isStepped) angles.turnDeg = inSteps(angles.turnDeg);
    } else {
        angles = tiltedTowards(angles, m_throughMm, towards);
        if (isStepped) angles.tiltDeg = inSteps(angles.tiltDeg);
    }
    m_measurements.setOblique(angles, isFinal);
}

QPointF ObliqueLine::viewAt(Vec3 placeMm) const {
    return m_view.viewAt(m_raster.pixelOf(placeMm));
}

std::optional<QPointF> ObliqueLine::toHandle() const {
    constexpr double kOfView = 0.35;
    if (m_view.image().isEmpty() || m_raster.columns == 0) return {};
    const Vec3 line = lineIn(m_slice, m_measurements.oblique());
    if (length(line) == 0) return {};
    const double stepMm = length(m_raster.columnStepMm);
    const QPointF along = viewAt(m_throughMm + stepMm * line) - viewAt(m_throughMm);
    return kOfView * std::min(width(), height()) / QLineF({}, along).length() * along;
}

int ObliqueLine::handleAt(QPointF at) const {
    const auto handle = toHandle();
    if (!handle) return 0;
    const QPointF middle = viewAt(m_throughMm);
    for (const int end : {1, -1})
        if (QLineF(at, middle + end * *handle).length() <= kHandleReach) return end;
    return 0;
}

void ObliqueLine::paintEvent(QPaintEvent*) {
    const auto handle = toHandle();
    if (!handle) return;
    constexpr double kBeyondTheView = 20;
    constexpr double kHandleRadius = 5;
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const QPointF middle = viewAt(m_throughMm);
    const QPointF end = kBeyondTheView * *handle;
    for (const QPen& pen : {QPen(kUnderLine, 3.5), QPen(kObliqueLine, 1.5)}) {
        painter.setPen(pen);
        painter.drawLine(middle - end, middle - *handle / 4);
        painter.drawLine(middle + *handle / 4, middle + end);
    }
    painter.setBrush(kUnderLine);
    for (const int side : {1, -1})
        painter.drawEllipse(middle + side * *handle, kHandleRadius, kHandleRadius);
}

ObliqueFields::ObliqueFields(QWidget* parent) : QWidget(parent) {
    setObjectName("obliqueFields");
    const auto field = [this](const char* name, const QString& help, double maxDeg) {
        NumberField::Style style;
        style.unit = QStringLiteral("°");
        style.digits = 4;
        style.range = NumberField::Range{-maxDeg, maxDeg};
        auto* made = named(new NumberField(style, this), name, help);
        connect(made, &NumberField::valueEdited, this, [this](double, bool isFinal) {
            emit anglesEdited({m_turn->value(), m_tilt->value()}, isFinal);
        });
        return made;
    };
    m_turn = field("obliqueTurn",
                   tr("About the rotation axis, counter-clockwise seen from above. 0° is sagittal, "
                      "90° coronal."),
                   180);
    m_tilt = field(
        "obliqueTilt",
        tr("About the slice's horizontal line, its upper part towards you. ±90° is axial."), 90);
    auto* reset = named(new QPushButton(tr("Reset"), this), "obliqueReset",
                        tr("Back to the sagittal slice; Ctrl+Z takes it back"));
    connect(reset, &QPushButton::clicked, this, [this] { emit anglesEdited({}, true); });

    auto* grid = spaced(new QGridLayout(this), kSpacing, {0, 0, 0, kSpacing});
    grid->addWidget(heading(tr("Oblique slice"), this), 0, 0, 1, 2);
    grid->addWidget(reset, 0, 1, Qt::AlignRight);
    int row = 1;
    for (const auto& [text, angle] : {std::pair(tr("Turned"), m_turn), {tr("Tilted"), m_tilt}}) {
        auto* label = new QLabel(text, this);
        angle->attachLabel(label);
        grid->addWidget(label, row, 0);
        grid->addWidget(angle, row++, 1);
    }
    grid->setColumnStretch(1, 1);
}

void ObliqueFields::setAngles(const ObliqueAngles& angles) {
    m_turn->setValue(angles.turnDeg);
    m_tilt->setValue(angles.tiltDeg);
}

namespace {

constexpr std::array kCutSlices = {SliceAxis::z, SliceAxis::y};

}  // namespace

SlicesOblique::SlicesOblique(const std::array<SlicesView*, 3>& views, Measurements& measurements,
                             QWidget* parent)
    : QObject(parent), m_measurements(measurements) {
    m_place = new QStackedWidget(parent);
    m_view = new ObliqueView(m_place);
    m_place->addWidget(views[2]);
    m_place->addWidget(m_view);
    m_fields = new ObliqueFields(parent);
    for (std::size_t i = 0; i < m_lines.size(); ++i)
        m_lines[i] = new ObliqueLine(measurements, kCutSlices[i], views[i]->imageView());
    connect(m_fields, &ObliqueFields::anglesEdited, &measurements, &Measurements::setOblique);
    connect(&measurements, &Measurements::obliqueChanged, this, &SlicesOblique::showPlane);
    setShown(false);
}

void SlicesOblique::setShown(bool isShown) {
    m_place->setCurrentIndex(isShown ? 1 : 0);
    m_fields->setVisible(isShown);
    for (ObliqueLine* line : m_lines)
        line->setVisible(isShown);
}

void SlicesOblique::setVolume(const VoxelData& volume) {
    m_data = volume;
    m_view->setVolume(volume);
}

void SlicesOblique::setPlace(Vec3 throughMm, const VoxelIndex& voxel) {
    m_throughMm = throughMm;
    for (std::size_t i = 0; i < m_lines.size(); ++i) {
        const SlicePlane plane = planeOf(kCutSlices[i]);
        m_lines[i]->setPlace(sliceRaster(plane, m_data.grid, m_data.finest(), voxel[plane.normal]),
                             throughMm);
    }
    showPlane();
}

void SlicesOblique::showPlane() {
    m_fields->setAngles(m_measurements.oblique());
    m_view->setPlane(m_measurements.oblique(), m_throughMm);
}

}  // namespace gantry
