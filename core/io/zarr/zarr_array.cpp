#include "core/io/zarr/zarr_array.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <vector>

#include "core/base/file.h"
#include "core/base/json_fields.h"
#include "core/base/json_text.h"
#include "core/base/text.h"
#include "core/geometry/volume_grid.h"
#include "core/io/zarr/zarr_chunk.h"

namespace gantry {

namespace fs = std::filesystem;

namespace {

constexpr Index kMaxArrayTextBytes = 1'000'000;
constexpr std::size_t kSpaceAxes = 3;
constexpr std::size_t kMaxAxes = 5;

struct ZarrType {
    std::string_view code;  // without the byte order
    PixelType type;
};
constexpr std::array kZarrTypes = {
    ZarrType{"u1", PixelType::uint8},   ZarrType{"i1", PixelType::int8},
    ZarrType{"u2", PixelType::uint16},  ZarrType{"i2", PixelType::int16},
    ZarrType{"u4", PixelType::uint32},  ZarrType{"i4", PixelType::int32},
    ZarrType{"f4", PixelType::float32}, ZarrType{"f8", PixelType::float64}};

std::vector<Index> wholeNumbers(JsonFields& fields, std::string_view name) {
    std::vector<Index> list;
    for (const double number : fields.numbers(name)) {
        if (number != std::floor(number) || number < 1 || number > 1e15)
            fields.fail(name, "has the number {}; whole numbers of 1 or more belong there", number);
        list.push_back(static_cast<Index>(number));
    }
    return list;
}

void readSizes(JsonFields& fields, ZarrArray& array) {
    const std::vector<Index> shape = wholeNumbers(fields, "shape");
    const std::vector<Index> chunks = wholeNumbers(fields, "chunks");
    if (shape.size() < kSpaceAxes || shape.size() > kMaxAxes)
        fields.fail("shape",
                    "has {} numbers; a volume has 3, or 4 or 5 with one time and one channel",
                    shape.size());
    if (chunks.size() != shape.size())
        fields.fail("chunks", "has {} numbers, and shape has {}", chunks.size(), shape.size());
    const std::size_t leading = shape.size() - kSpaceAxes;
    for (std::size_t axis = 0; axis < leading; ++axis)
        if (shape[axis] != 1)
            fields.fail("shape",
                        "has {} times or channels; it must be one volume, whose numbers before the "
                        "last three are 1",
                        shape[axis]);
    array.leading = static_cast<Index>(leading);
    Index bytes = sizeBytes(array.type);
    for (std::size_t axis = 0; axis < kSpaceAxes; ++axis) {
        array.shape[axis] = shape[leading + axis];
        array.chunks[axis] = chunks[leading + axis];
        if (array.shape[axis] > kMaxVoxels)
            fields.fail("shape", "has {} voxels along an axis; at most {} are read",
                        array.shape[axis], kMaxVoxels);
        if (__builtin_mul_overflow(bytes, array.chunks[axis], &bytes) || bytes > kMaxZarrChunkBytes)
            fields.fail("chunks", "makes chunks of more than {}, which is the most that is read",
                        formatBytes(kMaxZarrChunkBytes));
    }
    // Chunks along times and channels would be read for nothing.
    for (std::size_t axis = 0; axis < leading; ++axis)
        if (chunks[axis] != 1)
            fields.fail("chunks", "has more than one time or channel in a chunk; it must be 1");
}

void readType(JsonFields& fields, ZarrArray& array) {
    const std::string text = fields.text("dtype");
    const char order = text.empty() ? ' ' : text.front();
    const auto known = std::ranges::find_if(kZarrTypes, [&](const ZarrType& candidate) {
        return text.size() == 3 && candidate.code == std::string_view(text).substr(1);
    });
    if (known == kZarrTypes.end() || (order != '<' && order != '>' && order != '|') ||
        (order == '|' && sizeBytes(known->type) > 1))
        fields.fail("dtype",
                    "is {}; voxels that are read are u1, i1, u2, i2, u4, i4, f4 and f8, with < or "
                    "> before them",
                    shownJson(nlohmann::json(text), -1));
    array.type = known->type;
    array.bigEndian = order == '>';
}

void readCodec(JsonFields& fields, ZarrArray& array) {
    array.codec = ZarrCodec::none;
    if (fields.has("filters")) {
        const nlohmann::json& filters = fields.raw("filters");
        if (!filters.is_null() && !(filters.is_array() && filters.empty()))
            fields.fail("filters", "names filters; arrays with filters are not read");
    }
    if (fields.raw("compressor").is_null()) return;
    JsonFields compressor = fields.object("compressor");
    const std::string id = compressor.choice("id", {"blosc", "zlib", "gzip"});
    array.codec = id == "blosc" ? ZarrCodec::blosc : ZarrCodec::zlib;
}

void readFill(JsonFields& fields, ZarrArray& array) {
    if (!fields.has("fill_value") || fields.raw("fill_value").is_null()) return;
    if (fields.raw("fill_value").is_string() && !isInteger(array.type)) {
        const std::string text = fields.choice("fill_value", {"NaN", "Infinity", "-Infinity"});
        array.fill = text == "NaN" ? std::numeric_limits<double>::quiet_NaN()
                                   : std::numeric_limits<double>::infinity();
        if (text.front() == '-') array.fill = -array.fill;
        return;
    }
    array.fill = fields.number("fill_value");
    if (!isStorable(array.type, array.fill))
        fields.fail("fill_value", "is {}, which no voxel of {} has", array.fill, name(array.type));
}

std::string codeOf(PixelType type) {
    const auto known = std::ranges::find(kZarrTypes, type, &ZarrType::type);
    return fmt::format("{}{}", sizeBytes(type) > 1 ? '<' : '|', known->code);
}

}  // namespace

fs::path ZarrArray::chunkFile(const std::array<Index, 3>& at) const {
    std::string file;
    for (Index axis = 0; axis < leading; ++axis)
        file += fmt::format("0{}", separator);
    file += fmt::format("{1}{0}{2}{0}{3}", separator, at[0], at[1], at[2]);
    return folder / file;
}

ZarrArray readZarrArray(const fs::path& folder) {
    const fs::path path = folder / ".zarray";
    const nlohmann::json json = parseJson(readTextFile(path, kMaxArrayTextBytes), path.string());
    JsonFields fields(json, path.string());
    if (const Index version = fields.integer("zarr_format"); version != 2)
        fields.fail("zarr_format", "is {}; Zarr 2 is read", version);
    ZarrArray array;
    array.folder = folder;
    readType(fields, array);
    readSizes(fields, array);
    (void)fields.choice("order", {"C"});
    readCodec(fields, array);
    readFill(fields, array);
    array.separator = fields.choice("dimension_separator", {".", "/"}, ".").front();
    return array;
}

std::string zarrArrayText(const ZarrArray& array) {
    nlohmann::ordered_json json;
    json["zarr_format"] = 2;
    json["shape"] = array.shape;
    json["chunks"] = array.chunks;
    json["dtype"] = codeOf(array.type);
    json["compressor"] = {{"id", "blosc"},
                          {"cname", kBloscCodec},
                          {"clevel", kBloscLevel},
                          {"shuffle", kBloscShuffle},
                          {"blocksize", 0}};
    json["fill_value"] = 0;
    json["order"] = "C";
    json["filters"] = nullptr;
    json["dimension_separator"] = std::string(1, array.separator);
    return jsonText(json) + "\n";
}

}  // namespace gantry
