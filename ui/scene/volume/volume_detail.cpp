#include "ui/scene/volume/volume_detail.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/error.h"
#include "core/base/host_buffer.h"
#include "core/base/parallel.h"

namespace gantry {

namespace {

// Reads a few slices at a time, so that a request to stop takes effect. Damaged parts are NaN.
ReducedVolume readBox(const VolumeLevels& levels, const DetailBox& box,
                      const std::stop_token& stop) {
    constexpr Index kSlicesAtOnce = 16;
    const auto [nX, nY, nZ] = box.grid.voxels;
    HostBuffer<float> voxels(box.grid.count());
    for (Index z = 0; z < nZ; z += kSlicesAtOnce) {
        if (stop.stop_requested()) throw Cancelled();
        const Index count = std::min(kSlicesAtOnce, nZ - z);
        VoxelBox part = box.voxels;
        part.z = {box.voxels.z.begin + z, box.voxels.z.begin + z + count};
        // The window reports damage when the volume is opened or its slices are shown.
        static_cast<void>(levels.readIntact(
            box.level, part, {voxels.data() + z * nX * nY, count, nY, nX}, availableThreads()));
    }
    const Index longest = *std::ranges::max_element(box.grid.voxels);
    return reducedVolume(box.grid, voxels.span(), longest, stop);
}

}  // namespace

Index RenderBudget::boxVoxelsOf(Index boxes) const {
    const double each = static_cast<double>(boxBytes) / static_cast<double>(voxelBytes * boxes);
    return std::min(boxVoxels, static_cast<Index>(std::cbrt(each)));
}

VolumeDetail::VolumeDetail(QObject* parent) : QObject(parent) {
    constexpr int kPauseMs = 150;
    m_pause.setSingleShot(true);
    m_pause.setInterval(kPauseMs);
    connect(&m_pause, &QTimer::timeout, this, &VolumeDetail::choose);
    connect(&m_worker, &PictureWorker::finished, this, [this](const QString& sentence) {
        if (!sentence.isEmpty()) {
            m_problem = sentence;
            std::erase_if(m_wanted, [this](const DetailBox& box) { return !isRead(box); });
        }
        readNext();
    });
}

void VolumeDetail::setVolume(std::shared_ptr<const VolumeLevels> levels, const VolumeGrid& shown,
                             const RenderBudget& budget) {
    m_worker.stop();
    m_pause.stop();
    m_levels = std::move(levels);
    m_whole = shown;
    m_budget = budget;
    m_target = {};
    m_wanted.clear();
    m_read.clear();
    m_shown.clear();
    m_isFirst = m_isComplete = true;
    m_problem.clear();
}

void VolumeDetail::want(const DetailTarget& target) {
    if (!m_levels || target == m_target) return;
    m_target = target;
    m_isComplete = false;
    m_pause.start();
}

void VolumeDetail::choose() {
    const std::vector<VolumeGrid>& grids = m_levels->grids();
    std::vector<DetailBox> wanted = detailBoxes(grids, m_whole, m_target, m_budget.boxVoxels);
    if (const Index fitting = m_budget.boxVoxelsOf(std::max<Index>(1, std::ssize(wanted)));
        fitting < m_budget.boxVoxels)
        wanted = detailBoxes(grids, m_whole, m_target, fitting);
    if (wanted != m_wanted) {
        m_worker.stop();
        std::erase_if(m_read, [&](const Read& read) {
            return std::ranges::find(wanted, read.box) == wanted.end();
        });
        m_isFirst = m_shown.empty();
        m_wanted = std::move(wanted);
        m_problem.clear();
    }
    readNext();
}

void VolumeDetail::readNext() {
    if (m_worker.isBusy() || m_pause.isActive() || !m_levels) return;
    const auto missing =
        std::ranges::find_if(m_wanted, [this](const DetailBox& box) { return !isRead(box); });
    if (missing == m_wanted.end()) return show();
    m_worker.start([this, levels = m_levels,
                    box = *missing](const std::stop_token& stop) -> PictureWorker::Done {
        auto voxels = std::make_shared<const ReducedVolume>(readBox(*levels, box, stop));
        return [this, box, voxels] { take({box, voxels}); };
    });
}

bool VolumeDetail::isRead(const DetailBox& box) const {
    return std::ranges::find(m_read, box, &Read::box) != m_read.end();
}

void VolumeDetail::take(Read read) {
    if (std::ranges::find(m_wanted, read.box) == m_wanted.end()) return;
    m_read.push_back(std::move(read));
    if (!m_isFirst || std::ssize(m_read) == std::ssize(m_wanted)) return;
    // Coarse boxes come first; each contains those that follow.
    m_shown.push_back(m_read.back().voxels);
    emit changed();
}

void VolumeDetail::show() {
    Boxes boxes;
    for (const DetailBox& box : m_wanted)
        boxes.push_back(std::ranges::find(m_read, box, &Read::box)->voxels);
    const bool isAnother = boxes != m_shown || !m_isComplete;
    m_shown = std::move(boxes);
    m_isComplete = true;
    if (isAnother) emit changed();
}

}  // namespace gantry
