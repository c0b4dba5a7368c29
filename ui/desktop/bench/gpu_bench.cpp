#include "ui/desktop/bench/gpu_bench.h"

#include <QElapsedTimer>
#include <QPixmap>
#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "core/base/error.h"
#include "core/base/parallel.h"
#include "core/io/volume/volume_levels.h"
#include "ui/desktop/bench/stall_watch.h"
#include "ui/desktop/bench/turning_bench.h"
#include "ui/models/text.h"
#include "ui/scene/volume/gpu_ray_caster.h"
#include "ui/scene/volume/volume_overlay.h"
#include "ui/scene/volume/volume_rendering.h"

namespace gantry {

namespace {

constexpr QSize kPicture(1600, 1000);
constexpr double kEdgeMm = 80;
constexpr GreyWindow kWindow = {0.02, 0.05};
constexpr double kNear = 8;  // times the whole

// A lattice of thin walls (a gyroid) in a ball; half of its walls have pores of some tens of
// micrometres, which coarse voxels do not show.
float latticeAt(double x, double y, double z) {
    constexpr double kWaves = 16;
    constexpr double kPores = 500;
    constexpr double kWall = 0.3;
    const auto s = [](double place) { return std::sin(kWaves * place); };
    const auto c = [](double place) { return std::cos(kWaves * place); };
    const double wall = s(x) * c(y) + s(y) * c(z) + s(z) * c(x);
    if (x * x + y * y + z * z >= 0.9 || std::abs(wall) >= kWall) return 0.002F;
    const double pore = std::sin(kPores * x) * std::sin(kPores * y) * std::sin(kPores * z);
    return z > 0 && pore > 0.4 ? 0.002F : 0.04F;
}

// Makes any box of any level when it is read.
class LatticeLevels final : public VolumeLevels {
  public:
    explicit LatticeLevels(Index voxels) {
        const double pitch = kEdgeMm / static_cast<double>(voxels);
        const VolumeGrid own{{voxels, voxels, voxels}, {pitch, pitch, pitch}, {}};
        constexpr Index kMinVoxels = 64;
        for (Index step = 1; voxels / step >= kMinVoxels; step *= 2)
            m_grids.push_back(coarsened(own, step));
    }
    [[nodiscard]] const std::vector<VolumeGrid>& grids() const override { return m_grids; }

  private:
    [[nodiscard]] std::array<Index, 3> pieceVoxels(Index) const override { return {64, 64, 64}; }
    void readBox(Index level, const VoxelBox& box, Span3<float> voxels,
                 int threads) const override {
        const VolumeGrid& grid = m_grids[level];
        parallelFor(threads, box.z.size(), 1, [&](Index begin, Index end, int) {
            for (Index z = begin; z < end; ++z)
                for (Index y = 0; y < box.y.size(); ++y)
                    for (Index x = 0; x < box.x.size(); ++x) {
                        const Vec3 at = grid.positionMm(static_cast<double>(box.x.begin + x),
                                                        static_cast<double>(box.y.begin + y),
                                                        static_cast<double>(box.z.begin + z));
                        constexpr double kHalf = kEdgeMm / 2;
                        voxels.row(z, y)[x] = latticeAt(at.x / kHalf, at.y / kHalf, at.z / kHalf);
                    }
        });
    }

    std::vector<VolumeGrid> m_grids;
};

// What the window would have in memory: the whole, or for larger volumes the finest level of a
// gigabyte.
struct Overview {
    VolumeGrid grid;
    std::shared_ptr<std::vector<float>> voxels;
};

Overview overviewOf(const VolumeLevels& levels) {
    constexpr Index kWholeVoxels = Index{1} << 30;
    constexpr Index kMaxVoxels = Index{1} << 28;
    const auto& grids = levels.grids();
    const Index max = grids.front().count() <= kWholeVoxels ? kWholeVoxels : kMaxVoxels;
    const auto fits =
        std::ranges::find_if(grids, [&](const VolumeGrid& grid) { return grid.count() <= max; });
    const auto [nX, nY, nZ] = fits->voxels;
    Overview overview{*fits, std::make_shared<std::vector<float>>(fits->count())};
    levels.read(fits - grids.begin(), {{0, nX}, {0, nY}, {0, nZ}},
                {overview.voxels->data(), nZ, nY, nX}, availableThreads());
    return overview;
}

TransferFunction solid() {
    TransferFunction transfer;
    transfer.points = {{0.015, 0, qRgb(150, 140, 125)},
                       {0.03, 0.95, qRgb(225, 215, 200)},
                       {0.05, 0.95, qRgb(225, 215, 200)}};
    return transfer;
}

void store(QWidget& view, const std::filesystem::path& folder, const QString& name) {
    if (folder.empty()) return;
    const QString path = toText(folder) + "/" + name + ".png";
    if (!view.grab().save(path)) throw ResourceError(path.toStdString() + " cannot be written.");
}

}  // namespace

std::optional<GpuFrames> benchGpu(Index voxels, const std::filesystem::path& pictures,
                                  bool isSoftwareEnough, const std::stop_token& stop) {
    GpuFrames frames;
    frames.voxels = voxels;
    {
        const GpuRayCaster caster;
        if (!caster.problem().isEmpty()) return std::nullopt;
        if (caster.isSoftware() && !isSoftwareEnough) return std::nullopt;
        frames.gpu = caster.graphicsName().toStdString();
    }
    const auto levels = std::make_shared<const LatticeLevels>(voxels);
    const Overview overview = overviewOf(*levels);
    if (stop.stop_requested()) throw Cancelled();
    const QString name = QString("card-%1").arg(voxels);
    VolumeRendering view;
    view.setSoftwareEnough(isSoftwareEnough);
    view.setVolume(overview.grid, overview.voxels, *overview.voxels, levels);
    view.setWindow(kWindow);
    view.setTransfer(solid());
    view.resize(kPicture);
    QElapsedTimer passed;
    const auto seconds = [&passed] { return 1e-3 * static_cast<double>(passed.elapsed()); };
    QObject::connect(&view, &VolumeRendering::rendered, &view, [&] {
        if (frames.firstSeconds == 0) frames.firstSeconds = seconds();
    });
    StallWatch watch;
    watch.start();
    passed.start();
    view.show();
    waitUntil([&] { return view.isFinished(); }, "the volume on the card");
    frames.shownSeconds = seconds();
    watch.stop();
    frames.openStallMs = watch.longestMs();
    if (const auto shown = view.shownVoxels())
        frames.shown = voxelsText(*shown).join(", ").toStdString();
    store(view, pictures, name);
    frames.shaded = turned(view);
    view.setMode(VolumeRendering::Mode::maximum);
    frames.maximum = turned(view);
    view.setMode(VolumeRendering::Mode::shaded);
    OrbitCamera near = wholeVolume(overview.grid);
    view.setClips({{near.focusMm, -1 * near.towardsEye()}});
    near.zoom = kNear;
    view.look(near);
    waitUntil([&] { return view.isFinished(); }, "the pores");
    store(view, pictures, name + "-near");
    return frames;
}

}  // namespace gantry
