#include "core/io/metaimage/metaimage_header.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "core/base/file.h"
#include "core/base/text.h"
#include "core/base/throw_error.h"

namespace gantry {

namespace {

constexpr Index kMaxHeaderBytes = 64 * 1024;

// A short form for messages: damaged headers may contain anything.
std::string shown(std::string_view text) {
    std::string result(text.substr(0, 60));
    for (char& c : result)
        if (static_cast<unsigned char>(c) < 32 || static_cast<unsigned char>(c) > 126) c = '?';
    if (text.size() > 60) result += "...";
    return "'" + result + "'";
}

// The lines "Key = Value" up to ElementDataFile, which ends the header.
class Fields {
  public:
    Fields(const std::filesystem::path& path, std::string_view text);

    [[nodiscard]] Index end() const { return m_end; }
    [[nodiscard]] std::optional<std::string_view> find(
        std::initializer_list<std::string_view> aliases) const;
    [[nodiscard]] std::string_view text(std::string_view key) const;
    [[nodiscard]] bool boolean(std::initializer_list<std::string_view> aliases,
                               bool fallback) const;
    [[nodiscard]] std::vector<double> numbers(std::string_view key, std::string_view value,
                                              std::size_t count) const;
    [[nodiscard]] double number(std::initializer_list<std::string_view> aliases,
                                double fallback) const;
    [[nodiscard]] Index integer(std::string_view key, std::string_view value) const;
    [[nodiscard]] Index integer(std::string_view key, Index fallback) const;
    template <class... Values>
    [[noreturn]] void fail(fmt::format_string<Values...> sentence, Values&&... values) const {
        throwError<InputError>("{}: {}.", m_path.string(),
                               fmt::format(sentence, std::forward<Values>(values)...));
    }

  private:
    std::filesystem::path m_path;
    std::map<std::string_view, std::string_view> m_values;
    Index m_end = 0;
};

Fields::Fields(const std::filesystem::path& path, std::string_view text) : m_path(path) {
    for (std::size_t begin = 0, line = 1; begin < text.size(); ++line) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        const std::string_view content = trimmed(text.substr(begin, end - begin));
        begin = std::min(end + 1, text.size());
        if (content.empty()) continue;
        const auto equals = content.find('=');
        if (equals == std::string_view::npos)
            fail("line {} must be \"Key = Value\", and is {}", line, shown(content));
        const std::string_view key = trimmed(content.substr(0, equals));
        if (!m_values.emplace(key, trimmed(content.substr(equals + 1))).second)
            fail("line {} gives {} a second time; keep one of them", line, shown(key));
        if (key == "ElementDataFile") {
            m_end = static_cast<Index>(begin);
            return;
        }
    }
    fail("its header lacks the last line, ElementDataFile");
}

std::optional<std::string_view> Fields::find(
    std::initializer_list<std::string_view> aliases) const {
    for (const std::string_view alias : aliases)
        if (const auto found = m_values.find(alias); found != m_values.end()) return found->second;
    return std::nullopt;
}

std::string_view Fields::text(std::string_view key) const {
    const auto value = find({key});
    if (!value) fail("its header lacks {}", key);
    return *value;
}

bool Fields::boolean(std::initializer_list<std::string_view> aliases, bool fallback) const {
    const auto value = find(aliases);
    if (!value) return fallback;
    const std::string word = inLowerCase(*value);
    if (word == "true" || word == "t" || word == "1") return true;
    if (word == "false" || word == "f" || word == "0") return false;
    fail("{} must be True or False, and is {}", *aliases.begin(), shown(*value));
}

std::vector<double> Fields::numbers(std::string_view key, std::string_view value,
                                    std::size_t count) const {
    std::vector<double> result;
    const char* at = value.data();
    const char* const end = value.data() + value.size();
    while (true) {
        while (at < end && (*at == ' ' || *at == '\t'))
            ++at;
        if (at == end) break;
        double number = 0;
        const auto [next, code] = std::from_chars(at, end, number);
        const bool whole = next == end || *next == ' ' || *next == '\t';
        if (code != std::errc{} || !whole || !std::isfinite(number))
            fail("{} must be numbers, and is {}", key, shown(value));
        result.push_back(number);
        at = next;
    }
    if (result.size() != count) fail("{} must be {} numbers, and is {}", key, count, shown(value));
    return result;
}

double Fields::number(std::initializer_list<std::string_view> aliases, double fallback) const {
    const auto value = find(aliases);
    return value ? numbers(*aliases.begin(), *value, 1)[0] : fallback;
}

Index Fields::integer(std::string_view key, std::string_view value) const {
    Index number = 0;
    const auto [next, code] = std::from_chars(value.data(), value.data() + value.size(), number);
    if (code != std::errc{} || next != value.data() + value.size())
        fail("{} must be a whole number, and is {}", key, shown(value));
    return number;
}

Index Fields::integer(std::string_view key, Index fallback) const {
    const auto value = find({key});
    return value ? integer(key, *value) : fallback;
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

PixelType elementType(const Fields& fields) {
    const std::string_view text = fields.text("ElementType");
    for (const auto& [word, type] : kElementTypes)
        if (text == word) return type;
    fields.fail(
        "ElementType is {}; it must be MET_UCHAR, MET_CHAR, MET_USHORT, MET_SHORT, MET_UINT, "
        "MET_INT, MET_FLOAT or MET_DOUBLE",
        shown(text));
}

std::array<Index, 3> dimSize(const Fields& fields, std::size_t dimensions, Index voxelBytes) {
    const std::string_view text = fields.text("DimSize");
    const std::vector<double> numbers = fields.numbers("DimSize", text, dimensions);
    std::array<Index, 3> size = {1, 1, 1};
    Index bytes = voxelBytes;
    for (std::size_t axis = 0; axis < dimensions; ++axis) {
        if (numbers[axis] != std::floor(numbers[axis]) || numbers[axis] < 1 ||
            numbers[axis] > 2147483647.0)
            fields.fail("DimSize must be whole numbers from 1 to 2147483647, and is {}",
                        shown(text));
        size[axis] = static_cast<Index>(numbers[axis]);
        if (__builtin_mul_overflow(bytes, size[axis], &bytes))
            fields.fail("DimSize is {}, which is larger than any file", shown(text));
    }
    return size;
}

double unitMm(const Fields& fields) {
    const auto text = fields.find({"DistanceUnits"});
    if (!text || *text == "mm" || *text == "?") return 1;
    if (*text == "um") return 1e-3;
    if (*text == "cm") return 10;
    fields.fail("DistanceUnits is {}; it must be mm, um or cm", shown(*text));
}

// Which axes run against the world's, from a matrix with the direction of each in a row.
std::array<bool, 3> axesOf(const Fields& fields, std::string_view text, std::size_t dimensions) {
    const auto values = fields.numbers("TransformMatrix", text, dimensions * dimensions);
    std::array<bool, 3> isReversed = {};
    for (std::size_t i = 0; i < values.size(); ++i) {
        const bool isDiagonal = i % (dimensions + 1) == 0;
        // Other programs write this matrix with some six digits.
        constexpr double kDigits = 1e-5;
        if (std::abs(std::abs(values[i]) - (isDiagonal ? 1 : 0)) > kDigits)
            fields.fail(
                "TransformMatrix is {}: rotated axes are not supported; resample the image to axes "
                "along x, y and z",
                shown(text));
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

void readDirections(const Fields& fields, std::size_t dimensions, MetaImageHeader& header) {
    const auto matrix = fields.find({"TransformMatrix", "Rotation", "Orientation"});
    const auto letters = fields.find({"AnatomicalOrientation"});
    const auto lettered = letters ? axesOfLetters(*letters) : std::nullopt;
    header.isReversed =
        matrix ? axesOf(fields, *matrix, dimensions) : lettered.value_or(header.isReversed);
    if (matrix && lettered && *lettered != header.isReversed)
        header.contradiction =
            fmt::format("TransformMatrix and AnatomicalOrientation ({}) contradict each other",
                        shown(*letters));
}

void readGeometry(const Fields& fields, std::size_t dimensions, MetaImageHeader& header) {
    const double unit = unitMm(fields);
    if (const auto text = fields.find({"ElementSpacing", "ElementSize"})) {
        const auto values = fields.numbers("ElementSpacing", *text, dimensions);
        for (std::size_t axis = 0; axis < dimensions; ++axis) {
            if (values[axis] <= 0)
                fields.fail("ElementSpacing must be greater than 0, and is {}", shown(*text));
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

void checkKind(const Fields& fields) {
    if (const auto kind = fields.find({"ObjectType"}); kind && inLowerCase(*kind) != "image")
        fields.fail("ObjectType must be Image, and is {}", shown(*kind));
    if (!fields.boolean({"BinaryData"}, true))
        fields.fail("BinaryData is False: voxels written as text are not supported");
    if (const Index channels = fields.integer("ElementNumberOfChannels", Index{1}); channels != 1)
        fields.fail("ElementNumberOfChannels is {}; it must be 1", channels);
}

std::filesystem::path dataFile(const Fields& fields, const std::filesystem::path& header) {
    const std::string_view text = fields.text("ElementDataFile");
    if (inLowerCase(text) == "local") return header;
    if (text.empty()) fields.fail("ElementDataFile is empty; it must name a file, or be LOCAL");
    if (text.starts_with("LIST"))
        fields.fail(
            "ElementDataFile is a LIST of slice files, which is not supported; it must name one "
            "file, or be LOCAL");
    // Names may contain anything that a folder allows, but control characters are a mistake.
    if (std::ranges::any_of(text, [](char c) { return c >= 0 && c < 32; }))
        fields.fail("ElementDataFile is {}, which is not a file name", shown(text));
    auto path = header.parent_path() / std::filesystem::path(text);
    std::error_code ignored;
    const bool isFile = std::filesystem::is_regular_file(path, ignored);
    // MetaIO's "s%03d.raw 0 99 1": a file for each slice, from, to and step.
    if (!isFile && text.find('%') != std::string_view::npos)
        fields.fail(
            "ElementDataFile is {}: patterns of file names are not read; it must name one file, or "
            "be LOCAL",
            shown(text));
    if (!isFile)
        fields.fail("ElementDataFile names {}, which does not exist", shown(path.string()));
    return path;
}

// Sets where the voxels begin and end, and checks it against the file's true size.
void placeVoxels(const Fields& fields, bool local, MetaImageHeader& header) {
    const Index fileBytes = File(header.data.path, File::Mode::read).sizeBytes();
    const Index skip = fields.integer("HeaderSize", Index{0});
    if (skip < -1) fields.fail("HeaderSize is {}; it must be -1 or more", skip);
    if (skip == -1 && header.data.compressed)
        fields.fail("HeaderSize is -1, which cannot be used with compressed voxels");
    header.data.offsetBytes = skip > 0 ? skip : local ? fields.end() : 0;
    if (skip == -1)
        header.data.offsetBytes =
            std::max(header.data.offsetBytes, fileBytes - header.data.bytes());
    const Index present = std::max<Index>(0, fileBytes - header.data.offsetBytes);
    header.data.storedBytes = header.data.bytes();
    if (header.data.compressed) {
        header.data.storedBytes = fields.integer("CompressedDataSize", present);
        if (header.data.storedBytes < 0)
            fields.fail("CompressedDataSize is {}; it must be 0 or more", header.data.storedBytes);
        // zlib's best ratio; a header that claims more is damaged or hostile.
        if (header.data.bytes() / 1040 > header.data.storedBytes)
            fields.fail(
                "DimSize asks for {} bytes of voxels, which cannot be what {} compressed bytes "
                "hold",
                header.data.bytes(), header.data.storedBytes);
    }
    if (present < header.data.storedBytes)
        fields.fail("the voxels need {} bytes, and {} has {} for them", header.data.storedBytes,
                    shown(header.data.path.string()), present);
    if (!header.data.compressed && skip == 0 && present > header.data.storedBytes)
        fields.fail(
            "DimSize and ElementType make {} bytes of voxels, and {} has {}; HeaderSize may say "
            "how many to skip",
            header.data.storedBytes, shown(header.data.path.string()), present);
}

std::string joined(const auto& values) {
    return fmt::format("{} {} {}", values[0], values[1], values[2]);
}

}  // namespace

MetaImageHeader readMetaImageHeader(const std::filesystem::path& path) {
    const File file(path, File::Mode::read);
    std::string text(std::min(file.sizeBytes(), kMaxHeaderBytes), '\0');
    file.readAt(0, std::as_writable_bytes(std::span(text)));
    const Fields fields(path, text);
    checkKind(fields);

    MetaImageHeader header;
    header.path = path;
    const Index dimensions = fields.integer("NDims", fields.text("NDims"));
    if (dimensions != 2 && dimensions != 3)
        fields.fail("NDims must be 2 or 3, and is {}", dimensions);
    header.data.type = elementType(fields);
    header.size =
        dimSize(fields, static_cast<std::size_t>(dimensions), sizeBytes(header.data.type));
    header.data.count = header.size[0] * header.size[1] * header.size[2];
    readGeometry(fields, static_cast<std::size_t>(dimensions), header);
    header.data.bigEndian =
        fields.boolean({"BinaryDataByteOrderMSB", "ElementByteOrderMSB"}, false);
    header.slope = fields.number({"GantrySlope", "ElementToIntensityFunctionSlope"}, 1);
    header.intercept = fields.number({"GantryIntercept", "ElementToIntensityFunctionOffset"}, 0);
    header.data.compressed = fields.boolean({"CompressedData"}, false);
    header.data.path = dataFile(fields, path);
    placeVoxels(fields, header.data.path == path, header);
    return header;
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
    text += fmt::format("ElementType = {}\nElementDataFile = {}\n", type->first,
                        local ? "LOCAL" : header.data.path.filename().string());
    return text;
}

}  // namespace gantry
