#include "ui/scene/volume/volume_rendering.h"

#include <QElapsedTimer>
#include <QLineF>
#include <QPainter>
#include <QPointer>
#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>

#include "ui/scene/legible_text.h"
#include "ui/scene/volume/cpu_ray_caster.h"
#include "ui/scene/volume/gpu_ray_caster.h"
#include "ui/scene/volume/picture_worker.h"
#include "ui/scene/volume/volume_overlay.h"
#include "ui/widgets/focus_ring.h"
#include "ui/widgets/theme.h"

namespace gantry {

namespace {

// Of the reduced copy, along an axis.
constexpr Index kMostOnCard = 320;
constexpr Index kMostHere = 160;
// A coarse picture is to take this long; coarser than that many pixels a ray shows nothing.
constexpr double kCoarseMs = 40;
constexpr double kCoarsest = 8;
constexpr double kRingReach = 9;  // of the cross-hair, pixels

}  // namespace

struct VolumeRendering::Parts {
    [[nodiscard]] bool hasVolume() const { return !voxels.empty(); }
    [[nodiscard]] bool isByCard() const { return card && !asked.isCutOpen; }

    VolumeGrid grid;
    std::shared_ptr<const void> owner;
    std::span<const float> voxels;
    RayCastRequest asked;  // all of it but for camera, size and how coarse
    QString caption;
    bool isCaptionWarning = false;
    bool isMoving = false;
    bool isTransferOfWindow = true;
    std::optional<Vec3> crossHair;
    bool isDraggingCrossHair = false;
    GreyWindow pressedWindow;
    TransferFunction pressedTransfer;
    QPointF pressedAt;

    bool isCasterChosen = false;
    bool isChoosing = false;
    std::optional<GpuRayCaster> card;
    std::shared_ptr<const ReducedVolume> reduced;  // on the card
    std::shared_ptr<const CpuRayCaster> here;
    bool isPrepared = false;
    QString problem;

    QImage picture;
    OrbitCamera pictureCamera;
    // What is asked for, what the picture shows, and whether it shows it finely.
    quint64 wanted = 1;
    quint64 shown = 0;
    bool isShownFine = false;
    bool isCastingFine = false;
    double coarsePixelsPerRay = 4;
    bool isCardQueued = false;
    // The last member: what it runs uses the others.
    PictureWorker worker;
};

template <class T>
void VolumeRendering::change(T& now, const T& wanted) {
    if (now == wanted) return;
    now = wanted;
    pictureChanged();
}

VolumeRendering::VolumeRendering(QWidget* parent)
    : OrbitWidget(parent), m_parts(std::make_unique<Parts>()) {
    setAttribute(Qt::WA_OpaquePaintEvent);
    setAccessibleName(tr("Volume in 3D"));
    connect(&m_parts->worker, &PictureWorker::finished, this, [this](const QString& sentence) {
        m_parts->problem = sentence;
        update();
        if (sentence.isEmpty()) advance();
    });
}

VolumeRendering::~VolumeRendering() = default;

void VolumeRendering::setVolume(const VolumeGrid& grid, std::shared_ptr<const void> owner,
                                std::span<const float> voxels) {
    const bool isAnother = grid != m_parts->grid || !m_parts->hasVolume();
    clear();
    if (grid.count() < 1 || static_cast<Index>(voxels.size()) < grid.count()) return;
    m_parts->grid = grid;
    m_parts->owner = std::move(owner);
    m_parts->voxels = voxels;
    if (isAnother) look(homeCamera());
    pictureChanged();
}

void VolumeRendering::clear() {
    Parts& parts = *m_parts;
    parts.worker.stop();
    parts.owner.reset();
    parts.voxels = {};
    parts.reduced.reset();
    parts.here.reset();
    parts.isPrepared = false;
    parts.problem.clear();
    if (parts.card) parts.card->setVolume(nullptr);
    parts.picture = {};
    pictureChanged();
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

void VolumeRendering::setCrossHair(std::optional<Vec3> placeMm) {
    m_parts->crossHair = placeMm;
    update();
}

void VolumeRendering::setCaption(const QString& text, bool isWarning) {
    m_parts->caption = text;
    m_parts->isCaptionWarning = isWarning;
    update();
}

void VolumeRendering::setLook(Look look) {
    change(m_parts->asked.isMaximum, look == Look::maximum);
}

void VolumeRendering::setCutOpen(bool isCutOpen) {
    Parts& parts = *m_parts;
    if (isCutOpen == parts.asked.isCutOpen) return;
    const bool wasByCard = parts.isByCard();
    parts.asked.isCutOpen = isCutOpen;
    // The card and the processor have copies of their own.
    if (parts.isByCard() != wasByCard) {
        parts.worker.stop();
        parts.isPrepared = false;
    }
    pictureChanged();
}

std::optional<PictureSource> VolumeRendering::pictureSource() {
    const Parts& parts = *m_parts;
    if (!parts.hasVolume() || !parts.isPrepared) return std::nullopt;
    PictureSource source{requestNow(), parts.grid, {}, parts.isByCard()};
    if (source.isInGuiThread)
        source.cast = [view = QPointer(this)](const auto& request, const auto&) {
            return view && view->m_parts->card ? view->m_parts->card->cast(request) : QImage();
        };
    else
        source.cast = std::bind_front(&CpuRayCaster::cast, parts.here);
    return source;
}

bool VolumeRendering::isFinished() const {
    return m_parts->hasVolume() && m_parts->shown == m_parts->wanted && m_parts->isShownFine;
}

OrbitCamera VolumeRendering::homeCamera() const {
    return m_parts->hasVolume() ? wholeVolume(m_parts->grid) : OrbitCamera();
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
    if (button != Qt::RightButton || !parts.hasVolume()) return false;
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

// In the plane through it that faces who looks.
void VolumeRendering::dragCrossHair(QPointF at) {
    const Vec3 towardsEye = camera().towardsEye();
    const SightLine sight = camera().sightLine(at, size());
    const Vec3 way = *m_parts->crossHair - sight.originMm;
    const double distance = dot(way, towardsEye) / dot(sight.direction, towardsEye);
    emit crossHairEdited(sight.originMm + distance * sight.direction);
}

void VolumeRendering::dragEnded() {
    m_parts->isMoving = false;
    advance();
    emit dragFinished();
}

void VolumeRendering::showEvent(QShowEvent* event) {
    OrbitWidget::showEvent(event);
    // The window comes first, the driver after.
    if (!std::exchange(m_parts->isChoosing, true))
        QTimer::singleShot(0, this, &VolumeRendering::chooseCaster);
    advance();
}

void VolumeRendering::resizeEvent(QResizeEvent* event) {
    OrbitWidget::resizeEvent(event);
    pictureChanged();
}

void VolumeRendering::chooseCaster() {
    Parts& parts = *m_parts;
    parts.card.emplace();
    if (!parts.card->problem().isEmpty() || parts.card->isSoftware()) parts.card.reset();
    parts.isCasterChosen = true;
    advance();
}

void VolumeRendering::pictureChanged() {
    Parts& parts = *m_parts;
    ++parts.wanted;
    // A coarse picture is ready soon, and shows that something moves.
    if (parts.isCastingFine) parts.worker.stop();
    advance();
    update();
}

// Starts the next piece of work, if any; called again when it is done.
void VolumeRendering::advance() {
    Parts& parts = *m_parts;
    if (!parts.isCasterChosen || !parts.hasVolume() || !isVisible() || size().isEmpty()) return;
    if (parts.worker.isBusy() || parts.isCardQueued || !parts.problem.isEmpty()) return;
    if (!parts.isPrepared) return prepare();
    const bool isCurrent = parts.shown == parts.wanted;
    if (isCurrent && (parts.isShownFine || parts.isMoving)) return;
    if (parts.isByCard()) {
        parts.isCardQueued = true;
        QTimer::singleShot(0, this, &VolumeRendering::castOnCard);
        return;
    }
    castHere(isCurrent);
}

void VolumeRendering::prepare() {
    Parts& parts = *m_parts;
    const bool isOnCard = parts.isByCard();
    parts.isCastingFine = false;
    parts.worker.start([this, isOnCard, grid = parts.grid, voxels = parts.voxels,
                        owner = parts.owner](const std::stop_token& stop) -> PictureWorker::Done {
        auto reduced = std::make_shared<const ReducedVolume>(
            reducedVolume(grid, voxels, isOnCard ? kMostOnCard : kMostHere, stop));
        auto here = isOnCard ? nullptr : std::make_shared<const CpuRayCaster>(*reduced);
        return [this, reduced, here] {
            m_parts->isPrepared = true;
            m_parts->here = here;
            if (here) return;
            m_parts->reduced = reduced;
            if (m_parts->card) m_parts->card->setVolume(reduced);
        };
    });
}

RayCastRequest VolumeRendering::requestNow() const {
    RayCastRequest request = m_parts->asked;
    request.camera = camera();
    request.size = size() * devicePixelRatioF();
    return request;
}

void VolumeRendering::castOnCard() {
    Parts& parts = *m_parts;
    parts.isCardQueued = false;
    if (!parts.isByCard() || !parts.isPrepared || !isVisible()) return advance();
    const RayCastRequest request = requestNow();
    parts.picture = parts.card->cast(request);
    parts.pictureCamera = request.camera;
    parts.shown = parts.wanted;
    parts.isShownFine = true;
    if (parts.picture.isNull()) {
        // The driver has failed: from now on without it.
        parts.card.reset();
        parts.isPrepared = false;
        parts.shown = 0;
        return advance();
    }
    update();
    emit rendered();
}

void VolumeRendering::castHere(bool isFine) {
    Parts& parts = *m_parts;
    RayCastRequest request = requestNow();
    request.pixelsPerRay = isFine ? 1 : parts.coarsePixelsPerRay;
    request.stepVoxels = isFine ? 0.5 : 1;
    parts.isCastingFine = isFine;
    parts.worker.start([this, request, isFine, caster = parts.here,
                        state = parts.wanted](const std::stop_token& stop) -> PictureWorker::Done {
        QElapsedTimer timer;
        timer.start();
        const QImage picture = caster->cast(request, stop);
        const double ms = static_cast<double>(timer.nsecsElapsed()) / 1e6;
        return [this, request, isFine, state, picture, ms] {
            Parts& now = *m_parts;
            now.picture = picture;
            now.pictureCamera = request.camera;
            now.shown = state;
            now.isShownFine = isFine;
            if (!isFine)
                now.coarsePixelsPerRay =
                    std::clamp(request.pixelsPerRay * std::sqrt(std::max(ms, 1.0) / kCoarseMs), 1.0,
                               kCoarsest);
            emit rendered();
        };
    });
}

void VolumeRendering::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.fillRect(rect(), groundTheme().background);
    painter.setRenderHints(QPainter::Antialiasing | QPainter::SmoothPixmapTransform);
    if (m_parts->hasVolume() && !m_parts->picture.isNull()) {
        const BoxView box{m_parts->grid, m_parts->pictureCamera, size(), groundTheme()};
        paintBox(painter, box, false);
        painter.drawImage(QRectF(rect()), m_parts->picture);
        paintBox(painter, box, true);
        if (m_parts->crossHair) paintCrossHair(painter, box, *m_parts->crossHair);
    }
    paintWords(painter);
    paintFocusRing(painter, *this);
}

void VolumeRendering::paintWords(QPainter& painter) const {
    const Parts& parts = *m_parts;
    painter.setPen(groundTheme().muted);
    const QRect area = rect().adjusted(kSpacing, kSpacing, -kSpacing, -kSpacing);
    QString middle;
    if (!parts.hasVolume())
        middle = tr("Open a volume, or reconstruct one, to see it in 3D.");
    else if (!parts.problem.isEmpty())
        middle = tr("The volume cannot be shown in 3D: %1").arg(parts.problem);
    else if (parts.picture.isNull())
        middle = tr("Preparing the picture…");
    if (!middle.isEmpty())
        return painter.drawText(area, Qt::AlignCenter | Qt::TextWordWrap, middle);
    paintTriad(painter, parts.pictureCamera, groundTheme());
    paintColourBar(painter, colourBarArea(size(), triadArea(parts.pictureCamera)), parts.asked,
                   groundTheme());
    const Theme theme = groundTheme();
    const double baseline = area.bottom() - QFontMetricsF(painter.font()).descent();
    paintLegible(painter, QPointF(area.left(), baseline), extentText(parts.grid), theme.text,
                 theme.background);
    if (parts.caption.isEmpty()) return;
    paintCaption(painter, area, parts.caption, parts.isCaptionWarning ? theme.warning : theme.muted,
                 theme.background);
}

}  // namespace gantry
