#include "core/io/varian/hnd_header.h"

#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <span>

#include "core/base/file.h"
#include "core/base/text.h"
#include "core/base/throw_error.h"
#include "core/io/file_error.h"

namespace gantry {

namespace {

constexpr Index kHndHeaderBytes = 1024;
constexpr std::uint32_t kMaxPixelsAcross = 65536;

// Where the header has its numbers.
constexpr std::size_t kColumnsAt = 120;
constexpr std::size_t kRowsAt = 124;
struct PropertyPlace {
    const char* name;
    std::size_t at;
};
constexpr PropertyPlace kHndProperties[] = {
    {"GantryRtn", 168},     {"PixelWidthMm", 352},
    {"PixelHeightMm", 360}, {"KVSourceRtn", 432},  // called the projection's angle there
    {"KVNormChamber", 440},
};

using HndHeader = std::array<std::byte, kHndHeaderBytes>;

template <class Value>
Value hndValueAt(const HndHeader& bytes, std::size_t at) {
    Value value{};
    std::memcpy(&value, bytes.data() + at, sizeof value);
    return value;
}

Index hndSizeAt(const HndHeader& bytes, std::size_t at, const char* what,
                const std::filesystem::path& path) {
    const auto size = hndValueAt<std::uint32_t>(bytes, at);
    if (size < 1 || size > kMaxPixelsAcross)
        throwErrorOf<FileError>(path, "has {} {}; it must be 1 to {}", size, what,
                                kMaxPixelsAcross);
    return size;
}

}  // namespace

bool isHndName(const std::filesystem::path& file) {
    return inLowerCase(file.extension().string()) == ".hnd";
}

XimHeader readHndHeader(const std::filesystem::path& path) {
    const File file(path, File::Mode::read);
    XimHeader header;
    header.path = path;
    header.fileBytes = file.sizeBytes();
    if (header.fileBytes < kHndHeaderBytes) throw FileError(path, "ends within its header");
    HndHeader bytes{};
    file.readAt(0, bytes);
    const Index columns = hndSizeAt(bytes, kColumnsAt, "columns", path);
    const Index rows = hndSizeAt(bytes, kRowsAt, "rows", path);
    header.shape = {columns, rows, PixelType::int32};
    header.isCompressed = true;
    header.tableBegin = kHndHeaderBytes;
    // Open readers agree on whole bytes of sizes alone.
    const Index inTable = columns * (rows - 1);
    if (inTable % 4 != 0)
        throwErrorOf<FileError>(path,
                                "has {} x {} pixels; sizes of its differences are known for "
                                "images whose rows but the first have a multiple of 4 pixels",
                                columns, rows);
    header.pixelsBegin = header.tableBegin + inTable / 4;
    header.pixelsBytes = header.fileBytes - header.pixelsBegin;
    // The first row and a pixel take four bytes, each difference one or more.
    const Index plain = rows > 1 ? columns + 1 : columns;
    const Index needed = 4 * plain + (columns * rows - plain);
    if (header.pixelsBytes < needed)
        throwErrorOf<FileError>(path, "has {} bytes; {} x {} pixels need {} or more",
                                header.fileBytes, columns, rows, header.pixelsBegin + needed);
    for (const auto& [name, at] : kHndProperties)
        if (const auto value = hndValueAt<double>(bytes, at); std::isfinite(value))
            header.properties[name] = value;
    return header;
}

}  // namespace gantry
