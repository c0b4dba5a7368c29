#include "core/io/zarr/zarr_chunk.h"

#include <blosc.h>
#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <limits>
#include <optional>
#include <utility>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/io/file_error.h"
#include "core/io/inflate_reader.h"
#include "core/io/zarr/voxel_type.h"

namespace gantry {

namespace {

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
    const Index max = static_cast<Index>(voxels.size()) + BLOSC_MAX_OVERHEAD + kMaxSpareBytes;
    if (storedBytes > max)
        throw FileError(file.path(),
                        fmt::format("is damaged: it has {} bytes, and a chunk of these "
                                    "voxels has at most {}",
                                    storedBytes, max));
    HostBuffer<std::byte> stored(storedBytes);
    file.readAt(0, stored.span());
    // Checks the sizes in the header; only then is unpacking safe.
    std::size_t bytes = 0;
    if (blosc_cbuffer_validate(stored.data(), static_cast<std::size_t>(storedBytes), &bytes) != 0)
        throw FileError(file.path(), "is damaged: it is no whole blosc chunk");
    if (bytes != voxels.size())
        throw FileError(file.path(), fmt::format("is damaged: it unpacks to {} bytes, and a chunk "
                                                 "has {}",
                                                 bytes, voxels.size()));
    const int unpacked =
        blosc_decompress_ctx(stored.data(), voxels.data(), voxels.size(), 1 /* thread */);
    if (unpacked != static_cast<int>(voxels.size()))
        throw FileError(file.path(), "is damaged: its blosc chunk cannot be unpacked");
}

}  // namespace

void readZarrChunk(const ZarrArray& array, const std::array<Index, 3>& at,
                   std::span<std::byte> voxels) {
    require(static_cast<Index>(voxels.size()) == array.chunkBytes(),
            "the buffer for a chunk has another size");
    std::optional<File> file = openChunk(array.chunkFile(at));
    if (!file) {
        fillChunk(array, voxels);
        return;
    }
    const Index storedBytes = file->sizeBytes();
    switch (array.codec) {
        case ZarrCodec::none:
            if (storedBytes != array.chunkBytes())
                throw FileError(file->path(),
                                fmt::format("is damaged: it has {} bytes, and a chunk "
                                            "has {}",
                                            storedBytes, array.chunkBytes()));
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
    const auto max = static_cast<Index>(voxels.size()) + BLOSC_MAX_OVERHEAD;
    if (room.count() < max) room = HostBuffer<std::byte>(max);
    const int bytes =
        blosc_compress_ctx(kBloscLevel, kBloscShuffle, static_cast<std::size_t>(voxelBytes),
                           voxels.size(), voxels.data(), room.data(), static_cast<std::size_t>(max),
                           kBloscCodec, 0 /* its own block size */, 1 /* thread */);
    require(bytes > 0, "blosc did not compress a chunk");
    return room.span().first(static_cast<std::size_t>(bytes));
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

}  // namespace gantry
