#include "core/io/zarr/halve_chunk.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "core/base/error.h"
#include "core/base/span3.h"
#include "core/io/zarr/voxel_type.h"

namespace gantry {

namespace {

template <class T>
T roundedMean(double mean) {
    if constexpr (std::is_integral_v<T>)
        return static_cast<T>(std::floor(mean + 0.5));
    else
        return static_cast<T>(mean);
}

// Sum and number of finite values.
struct BlockSum {
    double sum = 0;
    int count = 0;

    template <class T>
    void add(T voxel) {
        const auto value = static_cast<double>(voxel);
        if (!std::isfinite(value)) return;
        sum += value;
        ++count;
    }
};

template <class T>
T cutMean(Span3<const T> chunk, const std::array<IndexRange, 3>& block) {
    BlockSum total;
    for (Index z = block[0].begin; z < block[0].end; ++z)
        for (Index y = block[1].begin; y < block[1].end; ++y)
            for (Index x = block[2].begin; x < block[2].end; ++x)
                total.add(chunk(z, y, x));
    if (total.count == 0) return static_cast<T>(std::numeric_limits<double>::quiet_NaN());
    return roundedMean<T>(total.sum / total.count);
}

template <class T>
void halveRow(Span3<const T> chunk, const std::array<Index, 3>& extent, Index z, Index y, T* out) {
    const auto blockAt = [&](std::size_t axis, Index at) {
        return IndexRange{2 * at, std::min(2 * at + 2, extent[axis])};
    };
    const IndexRange zs = blockAt(0, z);
    const IndexRange ys = blockAt(1, y);
    const Index blocks = (extent[2] + 1) / 2;
    const Index whole = zs.size() == 2 && ys.size() == 2 ? extent[2] / 2 : 0;
    const T* const rows[] = {chunk.row(zs.begin, ys.begin), chunk.row(zs.begin, ys.end - 1),
                             chunk.row(zs.end - 1, ys.begin), chunk.row(zs.end - 1, ys.end - 1)};
    for (Index x = 0; x < whole; ++x) {
        double sum = 0;
        for (const T* const row : rows)
            sum += static_cast<double>(row[2 * x]) + static_cast<double>(row[2 * x + 1]);
        out[x] =
            std::isfinite(sum) ? roundedMean<T>(sum / 8) : cutMean(chunk, {zs, ys, blockAt(2, x)});
    }
    for (Index x = whole; x < blocks; ++x)
        out[x] = cutMean(chunk, {zs, ys, blockAt(2, x)});
}

}  // namespace

void halveChunk(PixelType type, Index side, const std::array<Index, 3>& extent,
                std::span<const std::byte> chunk, std::span<std::byte> coarse,
                const std::array<Index, 2>& quarter) {
    const Index half = side / 2;
    require(side % 2 == 0 &&
                static_cast<Index>(chunk.size()) == side * side * side * sizeBytes(type) &&
                2 * coarse.size() == chunk.size(),
            "chunks to be halved have another size");
    withVoxelType(type, [&]<class T>(T) {
        const Span3<const T> fine(reinterpret_cast<const T*>(chunk.data()), side, side, side);
        const Span3<T> means(reinterpret_cast<T*>(coarse.data()), half, side, side);
        for (Index z = 0; z < (extent[0] + 1) / 2; ++z)
            for (Index y = 0; y < (extent[1] + 1) / 2; ++y)
                halveRow(fine, extent, z, y, &means(z, quarter[0] * half + y, quarter[1] * half));
    });
}

}  // namespace gantry
