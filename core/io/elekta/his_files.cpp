#include "core/io/projection_formats.h"

#include <fmt/format.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "core/base/file.h"
#include "core/base/throw_error.h"
#include "core/io/file_error.h"
#include "core/io/stack_source.h"

namespace gantry {

namespace fs = std::filesystem;

namespace {

using namespace std::string_view_literals;

constexpr std::string_view kMagic = "\0pD\0"sv;
constexpr Index kFixedBytes = 68;

Index wordAt(std::span<const std::byte> header, std::size_t at) {
    return std::to_integer<Index>(header[at]) | std::to_integer<Index>(header[at + 1]) << 8;
}

// The box names the corners of what was read of the panel, both within it.
ImageStack readHisStack(const fs::path& file) {
    const File in(file, File::Mode::read);
    std::array<std::byte, kFixedBytes> header{};
    if (in.sizeBytes() < kFixedBytes) throw FileError(file, "ends within its header");
    in.readAt(0, header);
    ImageStack stack;
    stack.file = stack.pixels.path = file;
    stack.columns = wordAt(header, 16) - wordAt(header, 12) + 1;
    stack.rows = wordAt(header, 18) - wordAt(header, 14) + 1;
    stack.images = wordAt(header, 20);
    if (stack.columns < 1 || stack.rows < 1 || stack.images < 1)
        throwErrorOf<FileError>(file, "has {} images of {} x {} pixels; each must be 1 or more",
                                stack.images, stack.columns, stack.rows);
    StoredPixels& pixels = stack.pixels;
    pixels.type = PixelType::uint16;
    pixels.offsetBytes = kFixedBytes + wordAt(header, 10);
    pixels.count = stack.images * stack.rows * stack.columns;
    pixels.storedBytes = pixels.bytes();
    stack.storedBytes = in.sizeBytes();
    if (stack.storedBytes < pixels.offsetBytes + pixels.storedBytes)
        throwErrorOf<FileError>(file,
                                "has {} bytes; {} images of {} x {} pixels from byte {} need {}",
                                stack.storedBytes, stack.images, stack.columns, stack.rows,
                                pixels.offsetBytes, pixels.offsetBytes + pixels.storedBytes);
    return stack;
}

std::unique_ptr<ProjectionSource> openHisFiles(const std::vector<fs::path>& files,
                                               const OpenOptions& options,
                                               const ChooseParts& choose) {
    return std::make_unique<StackSource>(readStacks(files, choose, readHisStack),
                                         "Elekta .his, 16-bit", "frame", options);
}

}  // namespace

ProjectionFormat hisProjections() {
    return {"Elekta .his",
            {".his"},
            {},
            [](const fs::path&, std::string_view begin) { return begin.starts_with(kMagic); },
            openHisFiles};
}

}  // namespace gantry
