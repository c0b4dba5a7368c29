#include "ui/scene/vtk_view.h"

#include <vtkNew.h>
#include <vtkRenderer.h>

#include <QElapsedTimer>
#include <QEvent>
#include <QLabel>
#include <QPainter>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>
#include <optional>

#include "ui/scene/driver_loading.h"
#include "ui/scene/gl_canvas.h"
#include "ui/widgets/new_widget.h"
#include "ui/widgets/style/theme.h"

namespace gantry {

struct VtkView::Parts {
    vtkNew<vtkRenderer> renderer;
    std::optional<GlCanvas> canvas;
    QImage image;
    bool isDirty = true;
    // Begins when the view is first shown, and then makes the canvas.
    std::optional<DriverLoading> driverLoading;
    bool isReady = false;  // whether the first picture has been drawn
    bool isUnavailable = false;
    double drawingMs = 0;
};

VtkView::VtkView(QWidget* parent) : OrbitWidget(parent), m_parts(std::make_unique<Parts>()) {
    setAttribute(Qt::WA_OpaquePaintEvent);
}

VtkView::~VtkView() = default;

vtkRenderer& VtkView::renderer() {
    return *m_parts->renderer;
}

void VtkView::requestRender() {
    m_parts->isDirty = true;
    update();
}

bool VtkView::isSoftware() const {
    return m_parts->canvas && m_parts->canvas->isSoftware();
}
bool VtkView::isUnavailable() const {
    return m_parts->isUnavailable;
}
QString VtkView::graphicsName() const {
    return m_parts->canvas ? m_parts->canvas->graphicsName() : QString();
}
double VtkView::lastDrawingMs() const {
    return m_parts->drawingMs;
}

void VtkView::cameraMoved(bool) {
    requestRender();
}

void VtkView::showEvent(QShowEvent* event) {
    OrbitWidget::showEvent(event);
    if (!m_parts->driverLoading) m_parts->driverLoading.emplace([this] { makeCanvas(); });
}

void VtkView::makeCanvas() {
    Parts& parts = *m_parts;
    parts.canvas.emplace(*parts.renderer);
    if (!parts.canvas->problem().isEmpty()) return showUnavailable(parts.canvas->problem());
    QElapsedTimer timer;
    timer.start();
    updateScene();
    parts.canvas->drawFirst(devicePixels(), [this, timer](const QImage& image) {
        m_parts->isReady = true;
        setImage(image, timer);
        update();
    });
}

void VtkView::showUnavailable(const QString& sentence) {
    m_parts->isUnavailable = true;
    m_parts->image = {};
    auto* label = named(wrapped(new QLabel(sentence, this)), "unavailable");
    label->setAlignment(Qt::AlignCenter);
    label->setMargin(kSpacing);
    auto* box = new QVBoxLayout(this);
    box->setContentsMargins({});
    box->addWidget(label);
    label->show();
    emit unavailable(sentence);
}

QSize VtkView::devicePixels() const {
    const double ratio = devicePixelRatioF();
    return {std::max(1, static_cast<int>(std::lround(width() * ratio))),
            std::max(1, static_cast<int>(std::lround(height() * ratio)))};
}

void VtkView::updateScene() {
    m_parts->isDirty = false;
    const QColor background = themeOf(*this).background;
    m_parts->renderer->SetBackground(background.redF(), background.greenF(), background.blueF());
    m_parts->renderer->SetBackgroundAlpha(1);
    prepareScene();
    applyCamera(camera(), size(), sceneRadiusMm(), *m_parts->renderer);
}

void VtkView::draw() {
    Parts& parts = *m_parts;
    const QSize pixels = devicePixels();
    if (!parts.isDirty && parts.image.size() == pixels) return;
    QElapsedTimer timer;
    timer.start();
    updateScene();
    setImage(parts.canvas->draw(pixels), timer);
}

void VtkView::setImage(const QImage& image, const QElapsedTimer& timer) {
    Parts& parts = *m_parts;
    parts.image = image;
    parts.image.setDevicePixelRatio(devicePixelRatioF());
    parts.drawingMs = static_cast<double>(timer.nsecsElapsed()) / 1e6;
    if (parts.canvas->problem().isEmpty()) return;
    parts.isUnavailable = true;
    // The label is added later, because a widget must not get children while it is painted.
    QTimer::singleShot(0, this, [this] { showUnavailable(m_parts->canvas->problem()); });
}

void VtkView::paintEvent(QPaintEvent*) {
    Parts& parts = *m_parts;
    if (parts.isReady && !parts.isUnavailable) draw();
    QPainter painter(this);
    painter.fillRect(rect(), themeOf(*this).background);
    if (!parts.image.isNull()) {
        painter.drawImage(QPointF(), parts.image);
        painter.setRenderHint(QPainter::Antialiasing);
        paintOver(painter);
    }
    paintFocusRing(painter, *this);
}

void VtkView::changeEvent(QEvent* event) {
    OrbitWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange)
        requestRender();
}

}  // namespace gantry
