#include "core/io/metaimage/metaimage_header.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>
#include <vector>

#include "core/base/file.h"
#include "core/base/text.h"
#include "core/io/volume/calibration.h"
#include "core/io/volume/header_fields.h"

namespace gantry {

namespace {

constexpr Index kMaxHeaderBytes = 64 * 1024;

// The lines "Key = Value" up to ElementDataFile, which ends the header.
struct MetaFields {
    HeaderFields fields;
    Index end = 0;
};

MetaFields readMetaFields(const std::filesystem::path& path) {
    const File file(path, File::Mode::read);
    std::string text(std::min(file.sizeBytes(), kMaxHeaderBytes), '\0');
    file.readAt(0, std::as_writable_bytes(std::span(text)));
    MetaFields header{HeaderFields(path)};
    const HeaderFields& fields = header.fields;
    for (std::size_t begin = 0, line = 1; begin < text.size(); ++line) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        const std::string_view content = trimmed(std::string_view(text).substr(begin, end - begin));
        begin = std::min(end + 1, text.size());
        if (content.empty()) continue;
        const auto equals = content.find('=');
        if (equals == std::string_view::npos)
            fields.fail(fmt::format("line {} must be \"Key = Value\", and is {}", line,
                                    shownField(content)));
        const std::string_view key = trimmed(content.substr(0, equals));
        if (!header.fields.add(key, trimmed(content.substr(equals + 1))))
            fields.fail(fmt::format("line {} gives {} a second time; keep one of them", line,
                                    shownField(key)));
        if (key == "ElementDataFile") {
            header.end = static_cast<Index>(begin);
            return header;
        }
    }
    fields.fail("its header lacks the last line, ElementDataFile");
}

constexpr std::array<std::pair<std::string_view, PixelType>, 10> kElementTypes = {{
    {"MET_UCHAR", PixelType::uint8},
    {"MET_CHAR", PixelType::int8},
    {"MET_USHORT", PixelType::uint16},
    {"MET_SHORT", PixelType::int16},
    {"MET_UINT", PixelType::uint32},
    {"MET_INT", PixelType::int32},
    {"MET_FLOAT", PixelType::float32},
    {"MET_DOUBLE", PixelType::float64},
    // MetaIO's long has 32 bits on every machine.
    {"MET_ULONG", PixelType::uint32},
    {"MET_LONG", PixelType::int32},
}};

PixelType elementType(const HeaderFields& fields) {
    const std::string_view text = fields.text("ElementType");
    for (const auto& [word, type] : kElementTypes)
        if (text == word) return type;
    fields.fail(fmt::format(
        "ElementType is {}; it must be MET_UCHAR, MET_CHAR, MET_USHORT, MET_SHORT, MET_UINT, "
        "MET_INT, MET_FLOAT or MET_DOUBLE",
        shownField(text)));
}

double unitMm(const HeaderFields& fields) {
    const auto text = fields.find({"DistanceUnits"});
    if (!text || *text == "mm" || *text == "?") return 1;
    if (*text == "um") return 1e-3;
    if (*text == "cm") return 10;
    fields.fail(fmt::format("DistanceUnits is {}; it must be mm, um or cm", shownField(*text)));
}

// Which axes run against the world's, from a matrix with the direction of each in a row.
std::array<bool, 3> axesOf(const HeaderFields& fields, std::string_view text,
                           std::size_t dimensions) {
    const auto values = fields.numbers("TransformMatrix", text, dimensions * dimensions);
    std::array<bool, 3> isReversed = {};
    for (std::size_t i = 0; i < values.size(); ++i) {
        const bool isDiagonal = i % (dimensions + 1) == 0;
        // Other programs write this matrix with some six digits.
        constexpr double kDigits = 1e-5;
        if (std::abs(std::abs(values[i]) - (isDiagonal ? 1 : 0)) > kDigits)
            fields.fail(fmt::format(
                "TransformMatrix is {}: rotated axes are not supported; resample the image to axes "
                "along x, y and z",
                shownField(text)));
        if (isDiagonal) isReversed[i / dimensions] = values[i] < 0;
    }
    return isReversed;
}

// The same from three letters, each the side that an axis comes from; none for other letters.
std::optional<std::array<bool, 3>> axesOfLetters(std::string_view letters) {
    constexpr std::string_view kAlong = "RAI";
    constexpr std::string_view kAgainst = "LPS";
    std::array<bool, 3> isReversed = {};
    if (letters.size() != kAlong.size()) return std::nullopt;
    for (std::size_t axis = 0; axis < kAlong.size(); ++axis) {
        isReversed[axis] = letters[axis] == kAgainst[axis];
        if (!isReversed[axis] && letters[axis] != kAlong[axis]) return std::nullopt;
    }
    return isReversed;
}

void readDirections(const HeaderFields& fields, std::size_t dimensions, MetaImageHeader& header) {
    const auto matrix = fields.find({"TransformMatrix", "Rotation", "Orientation"});
    const auto letters = fields.find({"AnatomicalOrientation"});
    const auto lettered = letters ? axesOfLetters(*letters) : std::nullopt;
    header.isReversed =
        matrix ? axesOf(fields, *matrix, dimensions) : lettered.value_or(header.isReversed);
    if (matrix && lettered && *lettered != header.isReversed)
        header.contradiction =
            fmt::format("TransformMatrix and AnatomicalOrientation ({}) contradict each other",
                        shownField(*letters));
}

void readGeometry(const HeaderFields& fields, std::size_t dimensions, MetaImageHeader& header) {
    const double unit = unitMm(fields);
    if (const auto text = fields.find({"ElementSpacing", "ElementSize"})) {
        const auto values = fields.numbers("ElementSpacing", *text, dimensions);
        for (std::size_t axis = 0; axis < dimensions; ++axis) {
            if (values[axis] <= 0)
                fields.fail(fmt::format("ElementSpacing must be greater than 0, and is {}",
                                        shownField(*text)));
            header.spacingMm[axis] = values[axis] * unit;
        }
    }
    if (const auto text = fields.find({"Offset", "Position", "Origin"})) {
        const auto values = fields.numbers("Offset", *text, dimensions);
        for (std::size_t axis = 0; axis < dimensions; ++axis)
            header.originMm[axis] = values[axis] * unit;
    }
    readDirections(fields, dimensions, header);
    for (std::size_t axis = 0; axis < 2; ++axis)
        header.isPlaced = header.isPlaced || header.spacingMm[axis] != 1 ||
                          header.originMm[axis] != 0 || header.isReversed[axis];
}

void checkKind(const HeaderFields& fields) {
    if (const auto kind = fields.find({"ObjectType"}); kind && inLowerCase(*kind) != "image")
        fields.fail(fmt::format("ObjectType must be Image, and is {}", shownField(*kind)));
    if (!fields.boolean({"BinaryData"}, true))
        fields.fail("BinaryData is False: voxels written as text are not supported");
    if (const Index channels = fields.integer("ElementNumberOfChannels", Index{1}); channels != 1)
        fields.fail(fmt::format("ElementNumberOfChannels is {}; it must be 1", channels));
}

std::filesystem::path dataFile(const HeaderFields& fields, const std::filesystem::path& header) {
    const std::string_view text = fields.text("ElementDataFile");
    if (inLowerCase(text) == "local") return header;
    return fields.fileBeside("ElementDataFile", text);
}

// Sets where the voxels begin, after the header if that is in the same file, and end, and checks it
// against the file's true size.
void placeVoxels(const HeaderFields& fields, Index headerEnd, MetaImageHeader& header) {
    const Index fileBytes = File(header.data.path, File::Mode::read).sizeBytes();
    const Index skip = fields.integer("HeaderSize", Index{0});
    if (skip < -1) fields.fail(fmt::format("HeaderSize is {}; it must be -1 or more", skip));
    if (skip == -1 && header.data.compressed)
        fields.fail("HeaderSize is -1, which cannot be used with compressed voxels");
    header.data.offsetBytes = skip > 0 ? skip : headerEnd;
    if (skip == -1)
        header.data.offsetBytes =
            std::max(header.data.offsetBytes, fileBytes - header.data.bytes());
    const Index present = std::max<Index>(0, fileBytes - header.data.offsetBytes);
    header.data.storedBytes = header.data.bytes();
    if (header.data.compressed) {
        header.data.storedBytes = fields.integer("CompressedDataSize", present);
        if (header.data.storedBytes < 0)
            fields.fail(fmt::format("CompressedDataSize is {}; it must be 0 or more",
                                    header.data.storedBytes));
        // zlib's best ratio; a header that claims more is damaged or hostile.
        if (header.data.bytes() / 1040 > header.data.storedBytes)
            fields.fail(fmt::format(
                "DimSize asks for {} bytes of voxels, which cannot be what {} compressed bytes "
                "hold",
                header.data.bytes(), header.data.storedBytes));
    }
    if (present < header.data.storedBytes)
        fields.fail(fmt::format("the voxels need {} bytes, and {} has {} for them",
                                header.data.storedBytes, shownField(header.data.path.string()),
                                present));
    if (!header.data.compressed && skip == 0 && present > header.data.storedBytes)
        fields.fail(fmt::format(
            "DimSize and ElementType make {} bytes of voxels, and {} has {}; HeaderSize may say "
            "how many to skip",
            header.data.storedBytes, shownField(header.data.path.string()), present));
}

std::string joined(const auto& values) {
    return fmt::format("{} {} {}", values[0], values[1], values[2]);
}

}  // namespace

MetaImageHeader readMetaImageHeader(const std::filesystem::path& path) {
    const auto [fields, end] = readMetaFields(path);
    checkKind(fields);

    MetaImageHeader header;
    header.path = path;
    const Index dimensions = fields.integer("NDims", fields.text("NDims"));
    if (dimensions != 2 && dimensions != 3)
        fields.fail(fmt::format("NDims must be 2 or 3, and is {}", dimensions));
    header.data.type = elementType(fields);
    header.size =
        fields.sizes("DimSize", static_cast<std::size_t>(dimensions), sizeBytes(header.data.type));
    header.data.count = header.size[0] * header.size[1] * header.size[2];
    readGeometry(fields, static_cast<std::size_t>(dimensions), header);
    header.data.bigEndian =
        fields.boolean({"BinaryDataByteOrderMSB", "ElementByteOrderMSB"}, false);
    header.slope = fields.number({"GantrySlope", "ElementToIntensityFunctionSlope"}, 1);
    header.intercept = fields.number({"GantryIntercept", "ElementToIntensityFunctionOffset"}, 0);
    header.scale = fields.scale("GantryUnit");
    header.data.compressed = fields.boolean({"CompressedData"}, false);
    header.data.path = dataFile(fields, path);
    placeVoxels(fields, header.data.path == path ? end : 0, header);
    return header;
}

std::filesystem::path metaImageDataFile(const std::filesystem::path& path) {
    return dataFile(readMetaFields(path).fields, path);
}

std::string metaImageText(const MetaImageHeader& header) {
    const auto* type = std::ranges::find_if(
        kElementTypes, [&](const auto& entry) { return entry.second == header.data.type; });
    const bool local = header.data.path.empty() || header.data.path == header.path;
    std::string text = fmt::format(
        "ObjectType = Image\n"
        "NDims = 3\n"
        "BinaryData = True\n"
        "BinaryDataByteOrderMSB = False\n"
        "CompressedData = False\n"
        "TransformMatrix = 1 0 0 0 1 0 0 0 1\n"
        "Offset = {}\n"
        "CenterOfRotation = 0 0 0\n"
        "ElementSpacing = {}\n"
        "DimSize = {}\n",
        joined(header.originMm), joined(header.spacingMm), joined(header.size));
    // ITK drops MetaIO's own names of the scale; it keeps these and passes them on.
    if (header.slope != 1 || header.intercept != 0)
        text +=
            fmt::format("GantrySlope = {}\nGantryIntercept = {}\n", header.slope, header.intercept);
    if (header.scale != ValueScale{}) text += "GantryUnit = " + scaleText(header.scale) + "\n";
    text += fmt::format("ElementType = {}\nElementDataFile = {}\n", type->first,
                        local ? "LOCAL" : header.data.path.filename().string());
    return text;
}

}  // namespace gantry
