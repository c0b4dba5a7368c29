#include "ui/scene/volume/volume_pictures.h"

#include <QElapsedTimer>
#include <QWidget>
#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/error.h"
#include "ui/scene/volume/cpu_ray_caster.h"
#include "ui/scene/volume/gpu_thread.h"
#include "ui/scene/volume/picture_worker.h"
#include "ui/scene/volume/ray_density.h"
#include "ui/scene/volume/volume_detail.h"

namespace gantry {

namespace {

// Limits of the reduced copy and of boxes of finer voxels: 0.9 and 0.8 GB on the card, 2.1 and 0.8
// GB on one with much memory, or 65 and 390 MB in main memory.
constexpr RenderBudget kGpuBudget = {768, 384, 2, Index{768} << 20};
constexpr RenderBudget kLargeGpuBudget = {1024, 384, 2, Index{768} << 20};
constexpr Index kLargeGpuBytes = Index{12} << 30;
constexpr RenderBudget kHereBudget = {160, 160, 16, Index{375} << 20};
// Target time of a coarse picture; more pixels a ray than this would show nothing.
constexpr double kCoarseMs = 40;
constexpr double kCoarsest = 8;
constexpr double kFineStep = 0.5;

}  // namespace

struct VolumePictures::Parts {
    explicit Parts(QWidget& theView) : view(theView) {}
    [[nodiscard]] bool hasVolume() const { return !voxels.empty(); }
    // The card and the processor have their own copies.
    [[nodiscard]] bool isVolumeOnGpu() const {
        return gpu && (isSoftwareEnough || !gpu->isSoftware()) && !asked.isCutOpen;
    }
    [[nodiscard]] bool isByGpu() const { return gpu && (asked.isSurface || isVolumeOnGpu()); }
    [[nodiscard]] bool isReady() const { return asked.isSurface || isPrepared; }
    void wantAnother();
    void dropBoxes();
    [[nodiscard]] const RenderBudget& budget() const {
        if (!isVolumeOnGpu()) return kHereBudget;
        return gpu->freeBytes() >= kLargeGpuBytes ? kLargeGpuBudget : kGpuBudget;
    }
    [[nodiscard]] const VolumeDetail::Boxes& shownBoxes() const {
        return isVolumeOnGpu() ? gpuBoxes : castersOf;
    }
    [[nodiscard]] bool hasBoxes() const { return shownBoxes() == detail.boxes(); }

    QWidget& view;
    VolumeGrid grid;
    std::shared_ptr<const void> owner;
    std::span<const float> voxels;
    std::shared_ptr<const VolumeLevels> levels;
    VolumeGrid reduced;    // once it has been prepared
    RayCastRequest asked;  // complete except for its coarseness
    bool isMoving = false;

    bool isSoftwareEnough = false;
    bool isCasterChosen = false;
    std::unique_ptr<GpuThread> gpu;
    QString gpuProblem;
    std::shared_ptr<const CpuRayCaster> here;
    VolumeDetail detail;
    DetailTarget target;
    CpuRayCaster::Boxes casters;  // for the boxes below
    VolumeDetail::Boxes castersOf;
    VolumeDetail::Boxes gpuBoxes;  // the boxes on the card
    bool isPrepared = false;
    QString problem;

    QImage picture;
    OrbitCamera pictureCamera;
    // Numbers of the requested picture and of the shown one, and whether that is fine.
    quint64 wanted = 1;
    quint64 shown = 0;
    bool isShownFine = false;
    bool isCastingFine = false;
    bool isGpuCastingFine = false;
    double coarsePixelsPerRay = 4;
    RayDensity density;
    // These are the last members, because their work uses the others.
    PictureWorker gpuWorker{[this](std::function<void()> job) {
        gpu->post([job = std::move(job)](GpuRayCaster&) { job(); });
    }};
    PictureWorker boxWorker;
    PictureWorker worker;
};

VolumePictures::VolumePictures(QWidget& view)
    : QObject(&view), m_parts(std::make_unique<Parts>(view)) {
    connect(&m_parts->worker, &PictureWorker::finished, this, [this](const QString& sentence) {
        m_parts->problem = sentence;
        emit changed();
        if (sentence.isEmpty()) advance();
    });
    connect(&m_parts->gpuWorker, &PictureWorker::finished, this, [this](const QString& sentence) {
        if (!sentence.isEmpty()) dropGpu(sentence);
        advance();
    });
    connect(&m_parts->boxWorker, &PictureWorker::finished, this, [this] { prepareBox(); });
    connect(&m_parts->detail, &VolumeDetail::changed, this, [this] {
        if (m_parts->isVolumeOnGpu()) m_parts->wantAnother();
        prepareBox();
        advance();
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
    const Parts& parts = *m_parts;
    const bool isCurrent = parts.shown == parts.wanted && parts.isShownFine;
    return parts.hasVolume() && isCurrent &&
           (parts.asked.isSurface || (parts.detail.isComplete() && parts.hasBoxes()));
}

QString VolumePictures::problem() const {
    const Parts& parts = *m_parts;
    if (parts.asked.isSurface) return parts.gpuProblem;
    return parts.problem;
}

void VolumePictures::Parts::dropBoxes() {
    boxWorker.stop();
    detail.setVolume(nullptr, {}, {});
    casters.clear();
    castersOf.clear();
    gpuBoxes.clear();
}

void VolumePictures::Parts::wantAnother() {
    ++wanted;
    // A coarse picture is ready soon, and shows that something moves.
    if (isCastingFine) worker.stop();
    if (isGpuCastingFine) gpuWorker.stop();
}

void VolumePictures::setSoftwareEnough(bool isEnough) {
    m_parts->isSoftwareEnough = isEnough;
}

void VolumePictures::chooseCaster() {
    Parts& parts = *m_parts;
    parts.gpu = std::make_unique<GpuThread>();
    parts.gpuProblem = parts.gpu->problem();
    if (!parts.gpuProblem.isEmpty()) parts.gpu.reset();
    parts.isCasterChosen = true;
    advance();
}

void VolumePictures::setVolume(const VolumeGrid& grid, std::shared_ptr<const void> owner,
                               std::span<const float> voxels,
                               std::shared_ptr<const VolumeLevels> levels) {
    clear();
    m_parts->levels = std::move(levels);
    m_parts->grid = grid;
    m_parts->owner = std::move(owner);
    m_parts->voxels = voxels;
}

void VolumePictures::clear() {
    Parts& parts = *m_parts;
    parts.worker.stop();
    parts.gpuWorker.stop();
    parts.owner.reset();
    parts.voxels = {};
    parts.levels.reset();
    parts.here.reset();
    parts.dropBoxes();
    parts.isPrepared = false;
    parts.problem.clear();
    if (parts.gpu) {
        parts.gpu->post([](GpuRayCaster& caster) {
            caster.setVolume(nullptr);
            caster.setSurface(nullptr);
        });
    }
    parts.picture = {};
    parts.wantAnother();
}

void VolumePictures::setSurface(const std::shared_ptr<const SurfaceMesh>& mesh) {
    if (!m_parts->gpu) return;
    m_parts->gpu->post([mesh](GpuRayCaster& caster) { caster.setSurface(mesh); });
    m_parts->wantAnother();
    advance();
}

void VolumePictures::ask(const RayCastRequest& request, bool isMoving) {
    Parts& parts = *m_parts;
    const bool wasOnGpu = parts.isVolumeOnGpu();
    parts.asked = request;
    parts.isMoving = isMoving;
    if (parts.isVolumeOnGpu() != wasOnGpu) {
        parts.worker.stop();
        parts.gpuWorker.stop();
        parts.dropBoxes();
        parts.isPrepared = false;
    }
    parts.wantAnother();
    advance();
}

void VolumePictures::wantDetail(const DetailTarget& target) {
    m_parts->target = target;
    if (m_parts->isPrepared) m_parts->detail.want(target);
}

void VolumePictures::settle() {
    m_parts->isMoving = false;
    advance();
}

// Called again when a piece of work is done.
void VolumePictures::advance() {
    Parts& parts = *m_parts;
    if (!parts.isCasterChosen || !parts.hasVolume()) return;
    if (!parts.view.isVisible() || parts.asked.size.isEmpty()) return;
    if (parts.worker.isBusy() || parts.gpuWorker.isBusy() || !problem().isEmpty()) return;
    if (!parts.isReady()) return prepare();
    const bool isCurrent = parts.shown == parts.wanted;
    if (isCurrent && (parts.isShownFine || parts.isMoving)) return;
    if (parts.isByGpu()) return castOnGpu();
    castHere(isCurrent);
}

void VolumePictures::prepare() {
    Parts& parts = *m_parts;
    const bool isOnGpu = parts.isVolumeOnGpu();
    parts.isCastingFine = false;
    parts.worker.start([this, isOnGpu, max = parts.budget().wholeVoxels, grid = parts.grid,
                        voxels = parts.voxels,
                        owner = parts.owner](const std::stop_token& stop) -> PictureWorker::Done {
        auto reduced =
            std::make_shared<const ReducedVolume>(reducedVolume(grid, voxels, max, stop));
        auto here = isOnGpu ? nullptr : std::make_shared<const CpuRayCaster>(*reduced);
        return [this, reduced, here] {
            Parts& now = *m_parts;
            now.isPrepared = true;
            now.reduced = reduced->grid;
            now.here = here;
            if (!here && now.gpu)
                now.gpu->post([reduced](GpuRayCaster& caster) { caster.setVolume(reduced); });
            now.detail.setVolume(now.levels, reduced->grid, now.budget());
            now.detail.want(now.target);
        };
    });
}

// The processor casts boxes that it has prepared; the card takes the voxels unchanged.
void VolumePictures::prepareBox() {
    Parts& parts = *m_parts;
    if (parts.isVolumeOnGpu() || parts.hasBoxes() || !parts.isPrepared || parts.boxWorker.isBusy())
        return;
    const VolumeDetail::Boxes wanted = parts.detail.boxes();
    parts.boxWorker.start(
        [this, wanted, old = parts.castersOf, casters = parts.casters](const std::stop_token&) {
            CpuRayCaster::Boxes made;
            for (const auto& box : wanted) {
                const auto same = std::ranges::find(old, box);
                made.push_back(same != old.end() ? casters[same - old.begin()]
                                                 : std::make_shared<const CpuRayCaster>(*box));
            }
            return [this, wanted, made] {
                m_parts->casters = made;
                m_parts->castersOf = wanted;
                m_parts->wantAnother();
                advance();
            };
        });
}

std::optional<ShownVoxels> VolumePictures::shownVoxels() const {
    const Parts& parts = *m_parts;
    if (!parts.hasVolume() || !parts.isPrepared || parts.asked.isSurface) return std::nullopt;
    const RenderBudget& budget = parts.budget();
    const auto cube = [](Index voxels) { return voxels * voxels * voxels; };
    ShownVoxels shown;
    shown.wholeMm = shown.finestMm = parts.reduced.pitchMm[0];
    shown.ownMm = (parts.levels ? parts.levels->grids().front() : parts.grid).pitchMm[0];
    shown.bytes = parts.reduced.count() * budget.voxelBytes;
    shown.maxBytes = cube(budget.wholeVoxels) * budget.voxelBytes + budget.boxBytes;
    shown.isOnGpu = parts.isVolumeOnGpu();
    shown.isReading = !parts.detail.isComplete();
    for (const auto& box : parts.shownBoxes()) {
        shown.finestMm = box->grid.pitchMm[0];
        shown.bytes += box->grid.count() * budget.voxelBytes;
    }
    return shown;
}

void VolumePictures::castOnGpu() {
    Parts& parts = *m_parts;
    RayCastRequest request = parts.asked;
    const bool isMoving = parts.isMoving;
    const bool isFine = request.isSurface || !isMoving || parts.density.isFine();
    if (isMoving) {
        request.stepVoxels = parts.density.stepVoxels();
        request.pixelsPerRay = parts.density.pixelsPerRay();
    }
    parts.isGpuCastingFine = !isMoving;
    // Uploading finer voxels takes time, so it is done while the picture is still.
    const auto boxes = isMoving || request.isSurface ? parts.gpuBoxes : parts.detail.boxes();
    parts.gpuWorker.start([this, request, isMoving, isFine, boxes, state = parts.wanted,
                           &caster = parts.gpu->caster()](
                              const std::stop_token& stop) -> PictureWorker::Done {
        while (!request.isSurface && caster.takeBox(boxes))
            if (stop.stop_requested()) throw Cancelled();
        QElapsedTimer timer;
        timer.start();
        const QImage picture = isMoving ? caster.cast(request) : caster.castInStrips(request, stop);
        const double ms = static_cast<double>(timer.nsecsElapsed()) / 1e6;
        if (stop.stop_requested()) throw Cancelled();
        return [this, request, isMoving, isFine, boxes, state, picture, ms,
                problem = caster.problem()] {
            Parts& now = *m_parts;
            if (picture.isNull()) return dropGpu(problem);
            if (!request.isSurface) isMoving ? now.density.took(ms) : now.density.restedFor(ms);
            now.picture = picture;
            now.pictureCamera = request.camera;
            now.gpuBoxes = boxes;
            now.shown = state;
            now.isShownFine = isFine && (request.isSurface || now.hasBoxes());
            emit changed();
            emit rendered();
        };
    });
}

// The driver has failed; continues without it.
void VolumePictures::dropGpu(const QString& sentence) {
    Parts& parts = *m_parts;
    parts.gpuProblem = sentence;
    parts.gpu.reset();
    parts.dropBoxes();
    parts.isPrepared = false;
    parts.shown = 0;
}

void VolumePictures::castHere(bool isFine) {
    Parts& parts = *m_parts;
    RayCastRequest request = parts.asked;
    request.pixelsPerRay = isFine ? 1 : parts.coarsePixelsPerRay;
    request.stepVoxels = isFine ? kFineStep : 1;
    parts.isCastingFine = isFine;
    parts.worker.start([this, request, isFine, caster = parts.here, boxes = parts.casters,
                        state = parts.wanted](const std::stop_token& stop) -> PictureWorker::Done {
        QElapsedTimer timer;
        timer.start();
        const QImage picture = caster->cast(request, stop, boxes);
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
    PictureSource source{parts.asked, parts.grid, {}};
    if (parts.isByGpu())
        source.cast = parts.gpu->waitingCast();
    else if (parts.here)
        source.cast = [here = parts.here, boxes = parts.casters](const auto& request,
                                                                 const auto& stop) {
            return here->cast(request, stop, boxes);
        };
    else
        return std::nullopt;
    return source;
}

}  // namespace gantry
