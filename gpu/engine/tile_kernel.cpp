#include "gpu/engine/tile_kernel.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/error.h"
#include "gpu/device/cuda_check.h"
#include "gpu/device/device_buffer.h"
#include "gpu/engine/box_maps.h"
#include "gpu/engine/tile_plan.h"
#include "gpu/kernels/aligned_batch.h"

namespace gantry {

namespace {

// Makes what a bulk (TMA) copy needs to fetch boxes of that size.
gpu::BoxMap boxMap(const BoxMaps& maps, const gpu::TileViews& views, int count,
                   const gpu::TileBox& box) {
    BoxedArray array;
    array.data = views.pixels;
    array.elementBytes = gpu::pixelBytes(views.order);
    const std::int64_t columnBytes = std::int64_t{views.rows} * array.elementBytes;
    if (gpu::isSplit(views.order)) {
        array.dimensions = 4;
        array.sizes = {views.rows / 2, 2, views.columns, count};
        array.strideBytes = {columnBytes / 2, columnBytes, views.columns * columnBytes};
        return maps.map(array, {box.rows / 2, 2, box.columns, 1});
    }
    array.sizes = {views.rows, views.columns, count};
    array.strideBytes = {columnBytes, views.columns * columnBytes};
    return maps.map(array, {box.rows, box.columns, 1});
}

// Chooses the largest box and smaller ones, for tiles farther from the source.
void chooseBoxes(const gpu::TileBox& largest, const gpu::TileShape& shape,
                 gpu::TileBox (&boxes)[gpu::kBoxSizes]) {
    for (int size = 0; size < gpu::kBoxSizes; ++size) {
        const auto part = [&](int pixels) { return (pixels * (10 - size) + 9) / 10; };
        boxes[size] = {part(largest.columns),
                       shape.boxRows > 0 ? shape.boxRows : gpu::rowsOfPairBox(part(largest.rows))};
    }
}

class TileKernel final : public ConeKernel {
  public:
    TileKernel(const DeviceInfo& device, const TileChoice& choice)
        : m_device(device), m_choice(choice) {}

    [[nodiscard]] bool isZFastest() const override { return true; }

    [[nodiscard]] Index viewBytes(Index nS, Index nV, Index nU) const override {
        return pixelCount(nS, nV, nU) * static_cast<Index>(sizeof(float2));
    }

    void reserve(Index nS, Index nV, Index nU) override {
        chooseCopy();
        m_packed.reserve(pixelCount(nS, nV, nU));
    }

    void repack(const gpu::FilteredViews& views, const gpu::ConeBatch& batch,
                const gpu::ConeSlab& slab, cudaStream_t stream) override {
        require(m_choice.anyPose || gpu::isAligned(batch),
                "tile takes aligned detectors only, whose rows rise with z");
        require(pixelCount(views.nS, views.nV, views.nU) <= m_packed.count(),
                "a batch is larger than what was reserved");
        m_plan = m_choice.anyPose
                     ? planPoses(batch, slab, m_device)
                     : planTile(batch, slab, m_device, m_choice.shape, m_choice.stages);
        m_task.views.pixels = m_packed.data();
        m_task.views.columns = views.nU + 1;
        m_task.views.rows = paddedRows(views.nV);
        const gpu::TileShape shape =
            m_plan.shape >= 0 ? gpu::tileShape(m_plan.shape) : gpu::TileShape();
        m_task.views.order = shape.order;
        m_task.views.perStep = !m_choice.anyPose;
        chooseBoxes(m_plan.box, shape, m_task.boxes);
        m_task.stages = m_plan.stages;
        check(gpu::packTileViews(views, batch, m_task.views, stream), "repacking views");
        if (m_plan.shape >= 0 && m_copy == gpu::BoxCopy::bulk)
            for (int size = 0; size < gpu::kBoxSizes; ++size)
                m_maps.map[size] = boxMap(*m_boxMaps, m_task.views, views.nS, m_task.boxes[size]);
    }

    void add(const gpu::ConeBatch& batch, const gpu::ConeSlab& slab, cudaStream_t stream) override {
        m_task.batch = batch;
        m_task.slab = slab;
        check(m_plan.shape < 0 ? gpu::launchTileDirect(m_task, m_plan.wide, stream)
                               : gpu::launchTile(m_plan.shape, m_copy, m_task, m_maps, stream),
              "back-projecting");
    }

  private:
    // Asks the current device.
    void chooseCopy() {
        m_copy = gpu::bestBoxCopy();
        if (m_choice.copy) m_copy = std::max(m_copy, *m_choice.copy);
        if (m_copy != gpu::BoxCopy::bulk) return;
        m_boxMaps = BoxMaps::find();
        if (!m_boxMaps) m_copy = gpu::BoxCopy::async;
    }
    // Rounded up to what any order copies at once.
    static int paddedRows(int nV) { return (nV + 7) / 8 * 8; }
    static Index pixelCount(Index nS, Index nV, Index nU) {
        return nS * (nU + 1) * paddedRows(static_cast<int>(nV));
    }

    DeviceInfo m_device;
    TileChoice m_choice;
    std::optional<BoxMaps> m_boxMaps;
    gpu::BoxCopy m_copy = gpu::BoxCopy::plain;
    DeviceBuffer<float2> m_packed;
    TilePlan m_plan;
    gpu::TileTask m_task;
    gpu::TileMaps m_maps{};
};

}  // namespace

std::unique_ptr<ConeKernel> makeTileKernel(const DeviceInfo& device, const TileChoice& choice) {
    return std::make_unique<TileKernel>(device, choice);
}

std::vector<std::string> tileShapeNames() {
    std::vector<std::string> names;
    for (int shape = 0; shape < gpu::tileShapeCount(); ++shape) {
        const gpu::TileShape tile = gpu::tileShape(shape);
        names.push_back(fmt::format("tile-{}x{}x{}-{}", tile.x, tile.y, tile.z,
                                    gpu::isSplit(tile.order) ? "pixels" : "runs"));
    }
    names.emplace_back("tile-direct");
    return names;
}

std::optional<TileChoice> tileChoiceNamed(std::string_view name) {
    const std::vector<std::string> names = tileShapeNames();
    const auto found = std::ranges::find(names, name);
    if (found == names.end()) return std::nullopt;
    TileChoice choice;
    const auto shape = static_cast<int>(found - names.begin());
    choice.shape = shape < gpu::tileShapeCount() ? shape : kFetchDirectly;
    return choice;
}

std::optional<gpu::TileShape> tileShapeNamed(std::string_view name) {
    const std::optional<TileChoice> choice = tileChoiceNamed(name);
    if (!choice || choice->shape < 0) return std::nullopt;
    return gpu::tileShape(choice->shape);
}

bool tileShapeFits(std::string_view name, const gpu::ConeBatch& batch, const gpu::ConeSlab& slab,
                   const DeviceInfo& device) {
    const std::optional<TileChoice> choice = tileChoiceNamed(name);
    if (!choice || choice->shape < 0) return true;
    return planTile(batch, slab, device, choice->shape, 0).shape == choice->shape;
}

}  // namespace gantry
