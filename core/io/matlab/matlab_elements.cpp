#include "core/io/matlab/matlab_elements.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/base/file.h"
#include "core/io/file_error.h"

namespace gantry {
namespace {

constexpr Index kMaxMatlabBytes = 512'000'000;
constexpr Index kMatlabHeaderBytes = 128;
constexpr Index kTagBytes = 8;
constexpr std::uint32_t kCompressed = 15;  // miCOMPRESSED; Level 5 MAT-file format, table 1

// The header of an element.
struct Tag {
    std::uint32_t type = 0;
    Index bytes = 0;
};

Tag tagOf(const std::array<std::byte, kTagBytes>& stored, bool isBigEndian) {
    std::array<std::uint32_t, 2> numbers{};
    std::memcpy(numbers.data(), stored.data(), stored.size());
    if (isBigEndian)
        for (std::uint32_t& number : numbers)
            number = __builtin_bswap32(number);
    return {numbers[0], static_cast<Index>(numbers[1])};
}

// Whether the byte-order mark in the last two bytes is big-endian.
bool isBigEndian(const std::string& header) {
    static_assert(std::endian::native == std::endian::little);
    return header.ends_with("MI");
}

std::string readHeader(const File& file) {
    std::string header(kMatlabHeaderBytes, ' ');
    const Index there = std::min(kMatlabHeaderBytes, file.sizeBytes());
    file.readAt(0,
                std::as_writable_bytes(std::span(header)).first(static_cast<std::size_t>(there)));
    if (header.starts_with("MATLAB 7.3 MAT-file"))
        throw FileError(
            file.path(),
            "is a file of MATLAB 7.3, which is not read; save it with the option '-v7'");
    if (!header.starts_with("MATLAB 5.0 MAT-file"))
        throw FileError(file.path(),
                        "is not a file of MATLAB 5; save it in MATLAB with the option '-v7'");
    if (!header.ends_with("IM") && !header.ends_with("MI"))
        throw FileError(file.path(), "is damaged or cut off: its header does not end as it must");
    return header;
}

// A compressed stream ends with a checksum. Writers disagree on the length that includes it.
bool isWhole(const File& file, Index begin, Index bytes) {
    constexpr Index kPiece = 1 << 16;
    z_stream stream{};
    if (inflateInit(&stream) != Z_OK)
        throw ResourceError("Out of memory while a file of MATLAB is read.");
    const std::unique_ptr<z_stream, int (*)(z_stream*)> closed(&stream, inflateEnd);
    std::vector<std::byte> in(kPiece);
    std::vector<std::byte> out(kPiece);
    int status = Z_OK;
    for (Index at = begin; status == Z_OK && stream.total_out < kMaxMatlabBytes;) {
        if (stream.avail_in == 0) {
            const Index piece = std::min(kPiece, begin + bytes - at);
            if (piece == 0) return false;
            file.readAt(at, std::span(in).first(static_cast<std::size_t>(piece)));
            at += piece;
            stream.next_in = reinterpret_cast<Bytef*>(in.data());
            stream.avail_in = static_cast<uInt>(piece);
        }
        stream.next_out = reinterpret_cast<Bytef*>(out.data());
        stream.avail_out = static_cast<uInt>(out.size());
        status = inflate(&stream, Z_NO_FLUSH);
    }
    return status == Z_STREAM_END || status == Z_OK;
}

}  // namespace

void checkMatlabElements(const std::filesystem::path& path) {
    const File file(path, File::Mode::read);
    const Index end = file.sizeBytes();
    if (end > kMaxMatlabBytes)
        throw FileError(path, fmt::format("has {} bytes, which no geometry has; it must have {} at "
                                          "most",
                                          end, kMaxMatlabBytes));
    const bool isBig = isBigEndian(readHeader(file));
    for (Index at = kMatlabHeaderBytes; at < end;) {
        std::array<std::byte, kTagBytes> stored{};
        if (end - at < kTagBytes) throw FileError(path, "is cut off");
        file.readAt(at, stored);
        const Tag tag = tagOf(stored, isBig);
        at += kTagBytes;
        if (tag.bytes > end - at) throw FileError(path, "is cut off, or damaged");
        if (tag.type == kCompressed && !isWhole(file, at, tag.bytes))
            throw FileError(path, "is damaged: a compressed variable cannot be read");
        at += tag.bytes;
    }
}

}  // namespace gantry
