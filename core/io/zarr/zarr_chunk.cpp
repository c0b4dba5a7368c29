#include "core/io/zarr/zarr_chunk.h"

#include <blosc.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <limits>
#include <optional>
#include <type_traits>
#include <utility>

#include "core/base/file.h"
#include "core/base/span3.h"
#include "core/base/throw_error.h"
#include "core/io/file_error.h"
#include "core/io/inflate_reader.h"

namespace gantry {

namespace {

// Calls body with a value of the C++ type that voxels of that type have.
template <class Body>
void withVoxelType(PixelType type, const Body& body) {
    switch (type) {
        case PixelType::uint8:
            return body(std::uint8_t{});
        case PixelType::int8:
            return body(std::int8_t{});
        case PixelType::uint16:
            return body(std::uint16_t{});
        case PixelType::int16:
            return body(std::int16_t{});
        case PixelType::uint32:
            return body(std::uint32_t{});
        case PixelType::int32:
            return body(std::int32_t{});
        case PixelType::float32:
            return body(float{});
        case PixelType::float64:
            return body(double{});
    }
    throw InternalError("a pixel type has no C++ type");
}

void fillChunk(const ZarrArray& array, std::span<std::byte> voxels) {
    withVoxelType(array.type, [&]<class T>(T) {
        const T value = static_cast<T>(array.fill);
        for (std::size_t i = 0; i < voxels.size(); i += sizeof(T))
            std::memcpy(voxels.data() + i, &value, sizeof(T));
    });
}

// Opens the file, if there is one; a file that may not be read is an error.
std::optional<File> openChunk(const std::filesystem::path& path) {
    try {
        return File(path, File::Mode::read);
    } catch (const InputError& error) {
        if (error.code() == ErrorCode::missingFile) return std::nullopt;
        throw;
    }
}

void unpackBlosc(const File& file, Index storedBytes, std::span<std::byte> voxels) {
    // Max size of a stored chunk: blosc stores chunks that compression would enlarge, and some
    // writers add a little to small ones.
    constexpr Index kMaxSpareBytes = 4096;
    const Index max = std::ssize(voxels) + BLOSC_MAX_OVERHEAD + kMaxSpareBytes;
    if (storedBytes > max)
        throwErrorOf<FileError>(
            file.path(), "is damaged: it has {} bytes, and a chunk of these voxels has at most {}",
            storedBytes, max);
    HostBuffer<std::byte> stored(storedBytes);
    file.readAt(0, stored.span());
    // Checks the sizes in the header; only then is unpacking safe.
    std::size_t bytes = 0;
    if (blosc_cbuffer_validate(stored.data(), static_cast<std::size_t>(storedBytes), &bytes) != 0)
        throw FileError(file.path(), "is damaged: it is no whole blosc chunk");
    if (bytes != voxels.size())
        throwErrorOf<FileError>(file.path(),
                                "is damaged: it unpacks to {} bytes, and a chunk has {}", bytes,
                                voxels.size());
    const int unpacked =
        blosc_decompress_ctx(stored.data(), voxels.data(), voxels.size(), 1 /* thread */);
    if (unpacked != static_cast<int>(voxels.size()))
        throw FileError(file.path(), "is damaged: its blosc chunk cannot be unpacked");
}

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

void readZarrChunk(const ZarrArray& array, const std::array<Index, 3>& at,
                   std::span<std::byte> voxels) {
    require(std::ssize(voxels) == array.chunkBytes(), "the buffer for a chunk has another size");
    std::optional<File> file = openChunk(array.chunkFile(at));
    if (!file) {
        fillChunk(array, voxels);
        return;
    }
    const Index storedBytes = file->sizeBytes();
    switch (array.codec) {
        case ZarrCodec::none:
            if (storedBytes != array.chunkBytes())
                throwErrorOf<FileError>(file->path(),
                                        "is damaged: it has {} bytes, and a chunk has {}",
                                        storedBytes, array.chunkBytes());
            file->readAt(0, voxels);
            break;
        case ZarrCodec::blosc:
            unpackBlosc(*file, storedBytes, voxels);
            break;
        case ZarrCodec::zlib:
            InflateReader(std::move(*file), 0, storedBytes, array.chunkBytes()).read(0, voxels);
            break;
    }
    const bool hostIsBig = std::endian::native == std::endian::big;
    if (array.bigEndian != hostIsBig) swapBytes(voxels, sizeBytes(array.type));
}

std::span<const std::byte> compressZarrChunk(std::span<const std::byte> voxels, Index voxelBytes,
                                             HostBuffer<std::byte>& room) {
    const auto max = std::ssize(voxels) + BLOSC_MAX_OVERHEAD;
    if (room.count() < max) room = HostBuffer<std::byte>(max);
    const int bytes =
        blosc_compress_ctx(kBloscLevel, kBloscShuffle, static_cast<std::size_t>(voxelBytes),
                           voxels.size(), voxels.data(), room.data(), static_cast<std::size_t>(max),
                           kBloscCodec, 0 /* its own block size */, 1 /* thread */);
    require(bytes > 0, "blosc did not compress a chunk");
    return room.span().first(bytes);
}

bool isStorable(PixelType type, double value) {
    bool storable = true;
    withVoxelType(type, [&]<class T>(T) {
        if constexpr (std::numeric_limits<T>::is_integer)
            storable = value == std::floor(value) &&
                       value >= static_cast<double>(std::numeric_limits<T>::min()) &&
                       value <= static_cast<double>(std::numeric_limits<T>::max());
        else
            storable = std::abs(value) <= static_cast<double>(std::numeric_limits<T>::max());
    });
    return storable;
}

void halveChunk(PixelType type, Index side, const std::array<Index, 3>& extent,
                std::span<const std::byte> chunk, std::span<std::byte> coarse,
                const std::array<Index, 2>& quarter) {
    const Index half = side / 2;
    require(side % 2 == 0 && std::ssize(chunk) == side * side * side * sizeBytes(type) &&
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
