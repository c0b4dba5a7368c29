#include "ui/scene/volume/volume_rendering.h"

#include <QFontMetrics>
#include <QHelpEvent>
#include <QLineF>
#include <QPainter>
#include <algorithm>
#include <cmath>
#include <utility>

#include "ui/scene/driver_loading.h"
#include "ui/scene/legible_text.h"
#include "ui/scene/volume/volume_overlay.h"
#include "ui/scene/volume/volume_pictures.h"
#include "ui/widgets/image/caption.h"
#include "ui/widgets/style/theme.h"

namespace gantry {

namespace {

constexpr double kRingReach = 9;  // of the cross-hair, pixels

}  // namespace

struct VolumeRendering::Parts {
    explicit Parts(QWidget& view) : pictures(view) {}

    VolumeGrid grid;
    RayCastRequest asked;  // complete except for camera and size
    QString caption;
    bool isCaptionWarning = false;
    bool isMoving = false;
    bool isTransferOfWindow = true;
    Vec3 focus;
    std::optional<Vec3> crossHair;
    bool isDraggingCrossHair = false;
    GreyWindow pressedWindow;
    TransferFunction pressedTransfer;
    QPointF pressedAt;
    qint64 painted = 0;  // the picture that was last on the screen
    VolumePictures pictures;
    // loads before a card is looked for, once the view is shown
    std::optional<DriverLoading> loading;
};

template <class T>
void VolumeRendering::change(T& now, const T& wanted) {
    if (now == wanted) return;
    now = wanted;
    pictureChanged();
}

VolumeRendering::VolumeRendering(QWidget* parent)
    : OrbitWidget(parent), m_parts(std::make_unique<Parts>(*this)) {
    setAttribute(Qt::WA_OpaquePaintEvent);
    setAccessibleName(tr("Volume in 3D"));
    connect(&m_parts->pictures, &VolumePictures::changed, this, qOverload<>(&QWidget::update));
    connect(&m_parts->pictures, &VolumePictures::rendered, this, qOverload<>(&QWidget::update));
}

VolumeRendering::~VolumeRendering() = default;

void VolumeRendering::setVolume(const VolumeGrid& grid, std::shared_ptr<const void> owner,
                                std::span<const float> voxels,
                                std::shared_ptr<const VolumeLevels> levels) {
    const bool isAnother = grid != m_parts->grid || !m_parts->pictures.hasVolume();
    clear();
    if (grid.count() < 1 || std::ssize(voxels) < grid.count()) return;
    m_parts->grid = grid;
    m_parts->pictures.setVolume(grid, std::move(owner), voxels, std::move(levels));
    if (isAnother) look(homeCamera());
    pictureChanged();
}

void VolumeRendering::clear() {
    m_parts->pictures.clear();
    update();
}

void VolumeRendering::setSurface(const std::shared_ptr<const SurfaceMesh>& mesh) {
    m_parts->pictures.setSurface(mesh);
}

void VolumeRendering::setSoftwareEnough(bool isEnough) {
    m_parts->pictures.setSoftwareEnough(isEnough);
}

void VolumeRendering::setUnit(const QString& unit) {
    change(m_parts->asked.unit, unit);
}

void VolumeRendering::setWindow(const GreyWindow& window) {
    change(m_parts->asked.window, window);
    if (m_parts->isTransferOfWindow) followWindow(m_parts->asked.transfer.isByGradient);
}

void VolumeRendering::setTransfer(const TransferFunction& transfer) {
    m_parts->isTransferOfWindow = false;
    change(m_parts->asked.transfer, transfer);
}

void VolumeRendering::followWindow(bool isByGradient) {
    m_parts->isTransferOfWindow = true;
    change(m_parts->asked.transfer, windowTransfer(m_parts->asked.window, isByGradient));
}

void VolumeRendering::setClips(const std::vector<HalfSpace>& clips) {
    change(m_parts->asked.clips, clips);
}

void VolumeRendering::setPlanes(const std::vector<PlanePicture>& planes) {
    change(m_parts->asked.planes, planes);
}

void VolumeRendering::setFinestAt(const Vec3& placeMm) {
    if (placeMm == m_parts->focus) return;
    m_parts->focus = placeMm;
    pictureChanged();
}

void VolumeRendering::setCrossHair(std::optional<Vec3> placeMm) {
    m_parts->crossHair = placeMm;
    update();
}

void VolumeRendering::setCaption(const QString& text, bool isWarning) {
    m_parts->caption = text;
    m_parts->isCaptionWarning = isWarning;
    update();
}

void VolumeRendering::setMode(Mode mode) {
    change(m_parts->asked.isMaximum, mode == Mode::maximum);
    change(m_parts->asked.isSurface, mode == Mode::surface);
}

void VolumeRendering::setCutOpen(bool isCutOpen) {
    change(m_parts->asked.isCutOpen, isCutOpen);
}

std::optional<PictureSource> VolumeRendering::pictureSource() {
    return m_parts->pictures.source();
}

std::optional<ShownVoxels> VolumeRendering::shownVoxels() const {
    return m_parts->pictures.shownVoxels();
}

bool VolumeRendering::isFinished() const {
    return m_parts->pictures.isFinished();
}

OrbitCamera VolumeRendering::homeCamera() const {
    return m_parts->pictures.hasVolume() ? wholeVolume(m_parts->grid) : OrbitCamera();
}

void VolumeRendering::cameraMoved(bool isMoving) {
    m_parts->isMoving = isMoving;
    pictureChanged();
}

bool VolumeRendering::takesDrag(QPointF at, Qt::MouseButton button) {
    Parts& parts = *m_parts;
    parts.isDraggingCrossHair =
        button == Qt::LeftButton && parts.crossHair &&
        QLineF(at, camera().viewPoint(*parts.crossHair, size())).length() < kRingReach;
    if (parts.isDraggingCrossHair) return true;
    if (button != Qt::RightButton || !parts.pictures.hasVolume()) return false;
    parts.pressedTransfer = parts.asked.transfer;
    const bool isOfWindow = parts.isTransferOfWindow || parts.asked.isMaximum;
    parts.pressedWindow = isOfWindow ? parts.asked.window : parts.asked.transfer.extent();
    parts.pressedAt = at;
    return true;
}

void VolumeRendering::dragged(QPointF at, Qt::KeyboardModifiers) {
    Parts& parts = *m_parts;
    if (parts.isDraggingCrossHair) return dragCrossHair(at);
    const QPointF way = at - parts.pressedAt;
    const GreyWindow window = draggedWindow(parts.pressedWindow, way.x(), way.y());
    parts.isMoving = true;
    if (parts.isTransferOfWindow || parts.asked.isMaximum) {
        setWindow(window);
        emit windowEdited(window);
    } else {
        setTransfer(stretched(parts.pressedTransfer, parts.pressedWindow, window));
        emit transferEdited(parts.asked.transfer);
    }
}

// Drags in the plane through the cross-hair that faces the viewer.
void VolumeRendering::dragCrossHair(QPointF at) {
    const Vec3 towardsEye = camera().towardsEye();
    const ViewRay ray = camera().viewRay(at, size());
    const Vec3 way = *m_parts->crossHair - ray.originMm;
    const double distance = dot(way, towardsEye) / dot(ray.direction, towardsEye);
    emit crossHairEdited(ray.originMm + distance * ray.direction);
}

void VolumeRendering::dragEnded() {
    m_parts->isMoving = false;
    m_parts->pictures.settle();
    emit dragFinished();
}

void VolumeRendering::showEvent(QShowEvent* event) {
    OrbitWidget::showEvent(event);
    if (!m_parts->loading) m_parts->loading.emplace([this] { m_parts->pictures.chooseCaster(); });
    m_parts->pictures.advance();
}

void VolumeRendering::resizeEvent(QResizeEvent* event) {
    OrbitWidget::resizeEvent(event);
    pictureChanged();
}

void VolumeRendering::pictureChanged() {
    RayCastRequest request = m_parts->asked;
    request.camera = camera();
    request.size = size() * devicePixelRatioF();
    m_parts->pictures.ask(request, m_parts->isMoving);
    if (m_parts->pictures.hasVolume()) m_parts->pictures.wantDetail(targetOf(request));
    update();
}

DetailTarget VolumeRendering::targetOf(const RayCastRequest& request) const {
    const OrbitCamera& camera = request.camera;
    const QSizeF view = request.size;
    const bool isVisible = camera.depthMm(m_parts->focus) > camera.minDepthMm() &&
                           QRectF(QPointF(), view).contains(camera.viewPoint(m_parts->focus, view));
    DetailTarget target;
    target.focusMm = isVisible ? m_parts->focus : camera.focusMm;
    const double nearer = camera.depthMm(target.focusMm) / camera.distanceMm();
    // Rounded to steps, so that little is read again while the view turns.
    target.pixelMm = std::exp2(std::floor(std::log2(nearer * camera.mmPerPixel(view))));
    target.inside = endsOf(m_parts->grid);
    clipEnds(target.inside, request.clips);
    return target;
}

void VolumeRendering::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.fillRect(rect(), groundTheme().background);
    painter.setRenderHints(QPainter::Antialiasing | QPainter::SmoothPixmapTransform);
    const VolumePictures& pictures = m_parts->pictures;
    if (pictures.hasVolume() && !pictures.picture().isNull()) {
        const BoxView box{m_parts->grid, pictures.pictureCamera(), size(), groundTheme()};
        paintBox(painter, box, false);
        painter.drawImage(QRectF(rect()), pictures.picture());
        paintBox(painter, box, true);
        if (m_parts->crossHair) paintCrossHair(painter, box, *m_parts->crossHair);
    }
    paintWords(painter);
    paintFocusRing(painter, *this);
    const qint64 picture = pictures.picture().cacheKey();
    if (std::exchange(m_parts->painted, picture) != picture && picture != 0) emit rendered();
}

QRect VolumeRendering::captionPlace() const {
    QRect place = rect().adjusted(kSpacing, kSpacing, -kSpacing, -kSpacing);
    place.setWidth(std::min(place.width(), captionWidth(width())));
    return place;
}

bool VolumeRendering::event(QEvent* event) {
    if (event->type() == QEvent::ToolTip && !m_parts->pictures.picture().isNull() &&
        tellWholeCaption(*static_cast<QHelpEvent*>(event), *this, fontMetrics(), captionPlace(),
                         m_parts->caption))
        return true;
    return OrbitWidget::event(event);
}

void VolumeRendering::paintWords(QPainter& painter) const {
    const Parts& parts = *m_parts;
    painter.setPen(groundTheme().muted);
    const QRect area = rect().adjusted(kSpacing, kSpacing, -kSpacing, -kSpacing);
    QString middle;
    const VolumePictures& pictures = parts.pictures;
    if (!pictures.hasVolume())
        middle = tr("Open a volume, or reconstruct one, to see it in 3D.");
    else if (!pictures.problem().isEmpty())
        middle = tr("The volume cannot be shown in 3D: %1").arg(pictures.problem());
    else if (pictures.picture().isNull())
        middle = tr("Preparing the picture…");
    if (!middle.isEmpty())
        return painter.drawText(area, Qt::AlignCenter | Qt::TextWordWrap, middle);
    paintTriad(painter, pictures.pictureCamera(), groundTheme());
    paintColourBar(painter, colourBarArea(size(), triadArea(pictures.pictureCamera())), parts.asked,
                   groundTheme());
    const Theme theme = groundTheme();
    const double baseline = area.bottom() - QFontMetricsF(painter.font()).descent();
    paintLegible(painter, QPointF(area.left(), baseline), extentText(parts.grid), theme.text,
                 theme.background);
    if (const auto voxels = pictures.shownVoxels()) {
        const QStringList lines = voxelsText(*voxels);
        const double height = painter.fontMetrics().lineSpacing();
        for (qsizetype i = 0; i < lines.size(); ++i)
            paintLegible(
                painter,
                QPointF(area.left(), baseline - height * static_cast<double>(lines.size() - i)),
                lines[i], theme.muted, theme.background);
    }
    if (parts.caption.isEmpty()) return;
    const QRect place = captionPlace();
    paintCaption(painter, place, fittedCaption(parts.caption, painter.fontMetrics(), place.width()),
                 parts.isCaptionWarning ? theme.warning : theme.muted, theme.background);
}

}  // namespace gantry
