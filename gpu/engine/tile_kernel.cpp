#include "gpu/engine/tile_kernel.h"

#include <cuda.h>
#include <fmt/format.h>

#include <algorithm>

#include "core/base/error.h"
#include "gpu/device/cuda_check.h"
#include "gpu/device/device_buffer.h"
#include "gpu/engine/tile_plan.h"
#include "gpu/kernels/aligned_batch.h"

namespace gantry {

namespace {

#if CUDA_VERSION >= 12000

using EncodeTiled = decltype(&cuTensorMapEncodeTiled);

// Finds the driver's function through the runtime, so that the program links no driver library.
EncodeTiled findEncodeTiled() {
    void* function = nullptr;
    cudaDriverEntryPointQueryResult found{};
#if CUDART_VERSION >= 12050
    const cudaError_t result = cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &function,
                                                                12000, cudaEnableDefault, &found);
#else
    const cudaError_t result =
        cudaGetDriverEntryPoint("cuTensorMapEncodeTiled", &function, cudaEnableDefault, &found);
#endif
    if (result != cudaSuccess || found != cudaDriverEntryPointSuccess) {
        (void)cudaGetLastError();
        return nullptr;
    }
    return reinterpret_cast<EncodeTiled>(function);
}

// Makes what a bulk (TMA) copy needs to fetch boxes of that size.
gpu::BoxMap boxMap(EncodeTiled encode, const gpu::TileViews& views, int count,
                   const gpu::TileBox& box) {
    const auto bytes = static_cast<cuuint64_t>(gpu::pixelBytes(views.order));
    const auto rows = static_cast<cuuint64_t>(views.rows);
    const auto columns = static_cast<cuuint64_t>(views.columns);
    const auto boxRows = static_cast<cuuint32_t>(box.rows);
    const auto boxColumns = static_cast<cuuint32_t>(box.columns);
    const auto layers = static_cast<cuuint64_t>(count);
    gpu::BoxMap map{};
    // A pair of floats is moved as one double of the same size.
    const auto encodeAs = [&](cuuint32_t rank, const cuuint64_t* sizes, const cuuint64_t* strides,
                              const cuuint32_t* boxSizes) {
        const cuuint32_t steps[4] = {1, 1, 1, 1};
        const auto type = views.order == gpu::TileOrder::splitPixels
                              ? CU_TENSOR_MAP_DATA_TYPE_FLOAT32
                              : CU_TENSOR_MAP_DATA_TYPE_FLOAT64;
        return encode(&map, type, rank, views.pixels, sizes, strides, boxSizes, steps,
                      CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                      CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    };
    CUresult result{};
    if (gpu::isSplit(views.order)) {
        const cuuint64_t sizes[4] = {rows / 2, 2, columns, layers};
        const cuuint64_t strides[3] = {rows / 2 * bytes, rows * bytes, columns * rows * bytes};
        const cuuint32_t boxSizes[4] = {boxRows / 2, 2, boxColumns, 1};
        result = encodeAs(4, sizes, strides, boxSizes);
    } else {
        const cuuint64_t sizes[3] = {rows, columns, layers};
        const cuuint64_t strides[2] = {rows * bytes, columns * rows * bytes};
        const cuuint32_t boxSizes[3] = {boxRows, boxColumns, 1};
        result = encodeAs(3, sizes, strides, boxSizes);
    }
    require(result == CUDA_SUCCESS, "the GPU's bulk copies (TMA) refused the views' layout");
    return map;
}

#else

using EncodeTiled = void*;

EncodeTiled findEncodeTiled() {
    return nullptr;
}

gpu::BoxMap boxMap(EncodeTiled, const gpu::TileViews&, int, const gpu::TileBox&) {
    return {};
}

#endif

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
                m_maps.map[size] = boxMap(m_encode, m_task.views, views.nS, m_task.boxes[size]);
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
        m_encode = findEncodeTiled();
        if (!m_encode) m_copy = gpu::BoxCopy::async;
    }
    // Rounded up to what any order copies at once.
    static int paddedRows(int nV) { return (nV + 7) / 8 * 8; }
    static Index pixelCount(Index nS, Index nV, Index nU) {
        return nS * (nU + 1) * paddedRows(static_cast<int>(nV));
    }

    DeviceInfo m_device;
    TileChoice m_choice;
    EncodeTiled m_encode = nullptr;
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
