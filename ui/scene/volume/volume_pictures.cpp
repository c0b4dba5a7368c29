#include "ui/scene/volume/volume_pictures.h"

#include <QElapsedTimer>
#include <QPointer>
#include <QTimer>
#include <QWidget>
#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "ui/scene/volume/cpu_ray_caster.h"
#include "ui/scene/volume/gpu_ray_caster.h"
#include "ui/scene/volume/picture_worker.h"

namespace gantry {

namespace {

// Of the reduced copy, along an axis.
constexpr Index kMostOnCard = 768;  // 0.9 GB for a cube
constexpr Index kMostHere = 160;
// A coarse picture is to take this long; coarser than that many pixels a ray shows nothing.
constexpr double kCoarseMs = 40;
constexpr double kCoarsest = 8;
// On the card a moving picture is to take this long.
constexpr double kCardMs = 25;
constexpr double kFineStep = 0.5;

}  // namespace

struct VolumePictures::Parts {
    explicit Parts(QWidget& theView) : view(theView) {}
    [[nodiscard]] bool hasVolume() const { return !voxels.empty(); }
    // The card and the processor have copies of their own.
    [[nodiscard]] bool isVolumeOnCard() const {
        return card && !card->isSoftware() && !asked.isCutOpen;
    }
    [[nodiscard]] bool isByCard() const { return card && (asked.isSurface || isVolumeOnCard()); }
    [[nodiscard]] bool isReady() const { return asked.isSurface || isPrepared; }
    void wantAnother();

    QWidget& view;
    VolumeGrid grid;
    std::shared_ptr<const void> owner;
    std::span<const float> voxels;
    RayCastRequest asked;  // all of it but for how coarse
    bool isMoving = false;

    bool isCasterChosen = false;
    std::optional<GpuRayCaster> card;
    QString cardProblem;
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
    double cardStep = kFineStep;
    bool isCardQueued = false;
    // The last member: what it runs uses the others.
    PictureWorker worker;
};

VolumePictures::VolumePictures(QWidget& view)
    : QObject(&view), m_parts(std::make_unique<Parts>(view)) {
    connect(&m_parts->worker, &PictureWorker::finished, this, [this](const QString& sentence) {
        m_parts->problem = sentence;
        emit changed();
        if (sentence.isEmpty()) advance();
    });
}

VolumePictures::~VolumePictures() = default;

bool VolumePictures::hasVolume() const {
    return m_parts->hasVolume();
}

const QImage& VolumePictures::picture() const {
    return m_parts->picture;
}

const OrbitCamera& VolumePictures::pictureCamera() const {
    return m_parts->pictureCamera;
}

bool VolumePictures::isFinished() const {
    return m_parts->hasVolume() && m_parts->shown == m_parts->wanted && m_parts->isShownFine;
}

QString VolumePictures::problem() const {
    const Parts& parts = *m_parts;
    if (parts.asked.isSurface) return parts.cardProblem;
    return parts.problem;
}

void VolumePictures::Parts::wantAnother() {
    ++wanted;
    // A coarse picture is ready soon, and shows that something moves.
    if (isCastingFine) worker.stop();
}

void VolumePictures::chooseCaster() {
    Parts& parts = *m_parts;
    parts.card.emplace();
    parts.cardProblem = parts.card->problem();
    if (!parts.cardProblem.isEmpty()) parts.card.reset();
    parts.isCasterChosen = true;
    advance();
}

void VolumePictures::setVolume(const VolumeGrid& grid, std::shared_ptr<const void> owner,
                               std::span<const float> voxels) {
    clear();
    m_parts->grid = grid;
    m_parts->owner = std::move(owner);
    m_parts->voxels = voxels;
}

void VolumePictures::clear() {
    Parts& parts = *m_parts;
    parts.worker.stop();
    parts.owner.reset();
    parts.voxels = {};
    parts.here.reset();
    parts.isPrepared = false;
    parts.problem.clear();
    if (parts.card) {
        parts.card->setVolume(nullptr);
        parts.card->setSurface(nullptr);
    }
    parts.picture = {};
    parts.wantAnother();
}

void VolumePictures::setSurface(const std::shared_ptr<const SurfaceMesh>& mesh) {
    if (!m_parts->card) return;
    m_parts->card->setSurface(mesh);
    m_parts->wantAnother();
    advance();
}

void VolumePictures::ask(const RayCastRequest& request, bool isMoving) {
    Parts& parts = *m_parts;
    const bool wasOnCard = parts.isVolumeOnCard();
    parts.asked = request;
    parts.isMoving = isMoving;
    if (parts.isVolumeOnCard() != wasOnCard) {
        parts.worker.stop();
        parts.isPrepared = false;
    }
    parts.wantAnother();
    advance();
}

void VolumePictures::settle() {
    m_parts->isMoving = false;
    advance();
}

// Called again when a piece is done.
void VolumePictures::advance() {
    Parts& parts = *m_parts;
    if (!parts.isCasterChosen || !parts.hasVolume()) return;
    if (!parts.view.isVisible() || parts.asked.size.isEmpty()) return;
    if (parts.worker.isBusy() || parts.isCardQueued || !problem().isEmpty()) return;
    if (!parts.isReady()) return prepare();
    const bool isCurrent = parts.shown == parts.wanted;
    if (isCurrent && (parts.isShownFine || parts.isMoving)) return;
    if (parts.isByCard()) {
        parts.isCardQueued = true;
        QTimer::singleShot(0, this, &VolumePictures::castOnCard);
        return;
    }
    castHere(isCurrent);
}

void VolumePictures::prepare() {
    Parts& parts = *m_parts;
    const bool isOnCard = parts.isVolumeOnCard();
    parts.isCastingFine = false;
    parts.worker.start([this, isOnCard, grid = parts.grid, voxels = parts.voxels,
                        owner = parts.owner](const std::stop_token& stop) -> PictureWorker::Done {
        auto reduced = std::make_shared<const ReducedVolume>(
            reducedVolume(grid, voxels, isOnCard ? kMostOnCard : kMostHere, stop));
        auto here = isOnCard ? nullptr : std::make_shared<const CpuRayCaster>(*reduced);
        return [this, reduced, here] {
            m_parts->isPrepared = true;
            m_parts->here = here;
            if (!here && m_parts->card) m_parts->card->setVolume(reduced);
        };
    });
}

void VolumePictures::castOnCard() {
    Parts& parts = *m_parts;
    parts.isCardQueued = false;
    if (!parts.isByCard() || !parts.isReady() || !parts.view.isVisible()) return advance();
    RayCastRequest request = parts.asked;
    request.stepVoxels = parts.isMoving ? parts.cardStep : kFineStep;
    QElapsedTimer timer;
    timer.start();
    parts.picture = parts.card->cast(request);
    const double ms = static_cast<double>(timer.nsecsElapsed()) / 1e6;
    if (parts.isMoving)
        parts.cardStep =
            std::clamp(request.stepVoxels * ms / kCardMs, kFineStep, kCoarsestCardStep);
    parts.pictureCamera = request.camera;
    parts.shown = parts.wanted;
    parts.isShownFine = request.isSurface || request.stepVoxels <= kFineStep;
    if (parts.picture.isNull()) {
        // The driver has failed: from now on without it.
        parts.cardProblem = parts.card->problem();
        parts.card.reset();
        parts.isPrepared = false;
        parts.shown = 0;
        return advance();
    }
    emit changed();
    emit rendered();
}

void VolumePictures::castHere(bool isFine) {
    Parts& parts = *m_parts;
    RayCastRequest request = parts.asked;
    request.pixelsPerRay = isFine ? 1 : parts.coarsePixelsPerRay;
    request.stepVoxels = isFine ? kFineStep : 1;
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

std::optional<PictureSource> VolumePictures::source() {
    const Parts& parts = *m_parts;
    if (!parts.hasVolume() || !parts.isReady()) return std::nullopt;
    PictureSource source{parts.asked, parts.grid, {}, parts.isByCard()};
    if (source.isInGuiThread)
        source.cast = [pictures = QPointer(this)](const auto& request, const auto&) {
            return pictures && pictures->m_parts->card ? pictures->m_parts->card->cast(request)
                                                       : QImage();
        };
    else if (parts.here)
        source.cast = std::bind_front(&CpuRayCaster::cast, parts.here);
    else
        return std::nullopt;
    return source;
}

}  // namespace gantry
