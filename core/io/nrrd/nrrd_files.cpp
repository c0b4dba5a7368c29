#include "core/io/volume/volume_formats.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/file.h"
#include "core/base/text.h"
#include "core/io/length_unit.h"
#include "core/io/volume/calibration.h"
#include "core/io/volume/flat_sink.h"
#include "core/io/volume/flat_slices.h"
#include "core/io/volume/header_fields.h"

namespace gantry {

namespace fs = std::filesystem;

namespace {

constexpr Index kMaxNrrdHeaderBytes = 64 * 1024;

struct NrrdType {
    PixelType type;
    std::vector<std::string_view> words;
};

// Further words for each type; its own name is one of all but the floats.
const std::vector<NrrdType>& nrrdTypes() {
    static const std::vector<NrrdType> types = {
        {PixelType::uint8, {"unsigned char", "uchar", "uint8_t"}},
        {PixelType::int8, {"signed char", "int8_t"}},
        {PixelType::uint16, {"unsigned short", "ushort", "unsigned short int", "uint16_t"}},
        {PixelType::int16, {"short", "short int", "signed short", "signed short int", "int16_t"}},
        {PixelType::uint32, {"unsigned int", "uint", "uint32_t"}},
        {PixelType::int32, {"int", "signed int", "int32_t"}},
        {PixelType::float32, {"float"}},
        {PixelType::float64, {"double"}}};
    return types;
}

std::string nrrdText(const VolumeGrid& grid, const VoxelEncoding& encoding,
                     const std::string& dataName) {
    const auto type = std::ranges::find_if(
        nrrdTypes(), [&](const NrrdType& known) { return known.type == encoding.type; });
    const Vec3 origin = grid.originMm();
    const auto& pitch = grid.pitchMm;
    std::string text = fmt::format(
        "NRRD0004\n"
        "# Written by Gantry; the world's axes as in its MetaImage\n"
        "type: {}\n"
        "dimension: 3\n"
        "space: left-posterior-superior\n"
        "sizes: {} {} {}\n"
        "space directions: ({},0,0) (0,{},0) (0,0,{})\n"
        "kinds: domain domain domain\n"
        "endian: little\n"
        "encoding: raw\n"
        "space origin: ({},{},{})\n"
        "space units: \"mm\" \"mm\" \"mm\"\n"
        "sample units: {}\n",
        type->words.front(), grid.voxels[0], grid.voxels[1], grid.voxels[2], pitch[0], pitch[1],
        pitch[2], origin.x, origin.y, origin.z, name(encoding.scale.unit));
    if (!dataName.empty()) text += fmt::format("data file: {}\n", dataName);
    text += fmt::format("GantrySlope:={}\nGantryIntercept:={}\nGantryUnit:={}\n\n", encoding.slope,
                        encoding.intercept, scaleText(encoding.scale));
    return text;
}

// The fields up to the first blank line, and where that ends.
struct NrrdHeader {
    HeaderFields fields;
    Index end = 0;
};

NrrdHeader readNrrdHeader(const fs::path& path) {
    const File file(path, File::Mode::read);
    std::string text(std::min(file.sizeBytes(), kMaxNrrdHeaderBytes), '\0');
    file.readAt(0, std::as_writable_bytes(std::span(text)));
    NrrdHeader header{HeaderFields(path)};
    HeaderFields& fields = header.fields;
    if (!text.starts_with("NRRD000"))
        fields.fail("it is no NRRD file: it does not begin with NRRD000");
    std::size_t begin = text.find('\n');
    while (begin < text.size()) {
        ++begin;
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        const std::string_view line = trimmed(std::string_view(text).substr(begin, end - begin));
        begin = end;
        if (line.empty()) {
            header.end = static_cast<Index>(std::min(begin + 1, text.size()));
            return header;
        }
        if (line.starts_with('#')) continue;
        const auto colon = line.find(':');
        if (colon == std::string_view::npos || colon + 1 == line.size())
            fields.fail(
                fmt::format("a line must be \"field: value\", and is {}", shownField(line)));
        const bool isPair = line[colon + 1] == '=';
        // A key may have a field's name, so that they are told apart.
        const std::string key = isPair ? fmt::format("={}", line.substr(0, colon))
                                       : inLowerCase(trimmed(line.substr(0, colon)));
        if (!fields.add(key, trimmed(line.substr(colon + (isPair ? 2 : 1)))) && !isPair)
            fields.fail(
                fmt::format("{} is there a second time; keep one of them", shownField(key)));
    }
    if (text.size() == static_cast<std::size_t>(kMaxNrrdHeaderBytes))
        fields.fail(fmt::format("its header has no blank line at its end in the first {} bytes",
                                kMaxNrrdHeaderBytes));
    // A detached header may end with its file.
    header.end = std::ssize(text);
    return header;
}

PixelType nrrdVoxelType(const HeaderFields& fields) {
    const std::string found = inLowerCase(fields.text("type"));
    for (const NrrdType& known : nrrdTypes())
        if (std::ranges::find(known.words, found) != known.words.end() ||
            (isInteger(known.type) && found == name(known.type)))
            return known.type;
    fields.fail(
        fmt::format("type is {}; it must be an integer of 8, 16 or 32 bits, float or double",
                    shownField(found)));
}

// "(a,b,c) (d,e,f)" as one row of numbers.
std::vector<double> nrrdVectors(const HeaderFields& fields, std::string_view key,
                                std::string_view text, std::size_t count) {
    std::string plain(text);
    for (char& c : plain)
        if (c == '(' || c == ')' || c == ',') c = ' ';
    return fields.numbers(key, plain, count);
}

// Whether the space's x and y run against left and posterior.
std::array<double, 3> nrrdSignsOf(const HeaderFields& fields) {
    const std::string space = inLowerCase(fields.find({"space"}).value_or("lps"));
    if (space == "left-posterior-superior" || space == "lps" || space == "3d-right-handed")
        return {1, 1, 1};
    if (space == "right-anterior-superior" || space == "ras") return {-1, -1, 1};
    if (space == "left-anterior-superior" || space == "las") return {1, -1, 1};
    fields.fail(
        fmt::format("space is {}; it must be left-posterior-superior, right-anterior-superior, "
                    "left-anterior-superior or 3D-right-handed",
                    shownField(space)));
}

double nrrdUnitMm(const HeaderFields& fields) {
    const auto text = fields.find({"space units", "units"});
    if (!text) return 1;
    const auto open = text->find('"');
    const auto close = open == text->npos ? open : text->find('"', open + 1);
    if (close == text->npos) return 1;
    const std::string unit(text->substr(open + 1, close - open - 1));
    if (unit.empty() || unit == "???") return 1;
    const std::optional<double> mm = mmOf(unit);
    if (!mm)
        fields.fail(fmt::format("space units is {}, which is no known length", shownField(*text)));
    return *mm;
}

VolumeGrid readNrrdGrid(const HeaderFields& fields, PixelType type) {
    VolumeGrid grid{fields.sizes("sizes", 3, sizeBytes(type)), {1, 1, 1}, {0, 0, 0}};
    const double mm = nrrdUnitMm(fields);
    if (const auto text = fields.find({"spacings"})) {
        const auto spacings = fields.numbers("spacings", *text, 3);
        for (std::size_t axis = 0; axis < 3; ++axis)
            grid.pitchMm[axis] = spacings[axis] * mm;
    }
    const std::array<double, 3> signs = nrrdSignsOf(fields);
    if (const auto text = fields.find({"space directions"})) {
        const auto steps = nrrdVectors(fields, "space directions", *text, 9);
        for (std::size_t i = 0; i < 9; ++i) {
            const std::size_t axis = i / 3;
            const double along = steps[4 * axis] * signs[axis];
            // Other programs write some six digits.
            const bool isDiagonal = i == 4 * axis;
            if (isDiagonal ? along <= 0 : std::abs(steps[i]) > 1e-5 * std::abs(along))
                fields.fail(fmt::format(
                    "space directions is {}: reversed or rotated axes are not supported; resample "
                    "the image to axes along left, posterior and superior",
                    shownField(*text)));
            if (isDiagonal) grid.pitchMm[axis] = along * mm;
        }
    }
    if (const auto text = fields.find({"space origin"})) {
        const auto origin = nrrdVectors(fields, "space origin", *text, 3);
        // The grid is centred on the origin so far, so the difference is the true centre.
        const Vec3 first = grid.originMm();
        grid.centerMm = {origin[0] * signs[0] * mm - first.x, origin[1] * signs[1] * mm - first.y,
                         origin[2] * signs[2] * mm - first.z};
    }
    return grid;
}

// The file with the voxels, if that is not the header's.
std::optional<fs::path> nrrdDataFile(const HeaderFields& fields) {
    const auto name = fields.find({"data file", "datafile"});
    if (!name) return std::nullopt;
    return fields.fileBeside("data file", *name);
}

// Where the voxels are, and how they are packed.
StoredPixels placeNrrdVoxels(const NrrdHeader& header, Index voxelBytes) {
    const HeaderFields& fields = header.fields;
    StoredPixels voxels;
    const std::optional<fs::path> beside = nrrdDataFile(fields);
    voxels.path = beside.value_or(fields.path());
    if (!beside) voxels.offsetBytes = header.end;
    const std::string packing = inLowerCase(fields.text("encoding"));
    voxels.compressed = packing == "gzip" || packing == "gz";
    if (!voxels.compressed && packing != "raw")
        fields.fail(fmt::format("encoding is {}; it must be raw or gzip", shownField(packing)));
    const std::string endian = inLowerCase(fields.find({"endian"}).value_or("little"));
    if (endian != "little" && endian != "big")
        fields.fail(fmt::format("endian is {}; it must be little or big", shownField(endian)));
    voxels.bigEndian = endian == "big";
    if (fields.integer("line skip", fields.integer("lineskip", Index{0})) != 0)
        fields.fail("line skip is not 0, which is not supported; use byte skip");
    const Index skip = fields.integer("byte skip", fields.integer("byteskip", Index{0}));
    const Index fileBytes = File(voxels.path, File::Mode::read).sizeBytes();
    if (skip < -1 || skip > fileBytes || (skip != 0 && voxels.compressed))
        fields.fail(fmt::format(
            "byte skip is {}; it must be 0 to the file's {} bytes, or -1, and 0 with gzip", skip,
            fileBytes));
    if (skip >= 0)
        voxels.offsetBytes += skip;
    else
        voxels.offsetBytes = std::max(voxels.offsetBytes, fileBytes - voxelBytes);
    return voxels;
}

StoredVolume readNrrd(const fs::path& path) {
    const NrrdHeader header = readNrrdHeader(path);
    const HeaderFields& fields = header.fields;
    if (const Index dimension = fields.integer("dimension", fields.text("dimension"));
        dimension != 3)
        fields.fail(fmt::format("dimension is {}; it must be 3", dimension));
    VoxelEncoding encoding{nrrdVoxelType(fields), 1, 0};
    encoding.slope = fields.number({"=GantrySlope"}, 1);
    encoding.intercept = fields.number({"=GantryIntercept"}, 0);
    encoding.scale = fields.scale("=GantryUnit");
    const VolumeGrid grid = readNrrdGrid(fields, encoding.type);
    const StoredPixels voxels = placeNrrdVoxels(header, grid.count() * sizeBytes(encoding.type));
    return openFlatVolume(path, "NRRD", grid, encoding, voxels);
}

fs::path nrrdDataPath(const fs::path& header) {
    fs::path data = header;
    return data.replace_extension(".raw");
}

FlatLayout nrrdLayout(const fs::path& place, const VolumeGrid& grid,
                      const VoxelEncoding& encoding) {
    std::string text = nrrdText(grid, encoding, {});
    const std::size_t longest = nrrdText(grid, longestEncoding(encoding.type), {}).size();
    // In front of the blank line that ends the header.
    text.insert(text.size() - 1, "#" + std::string(longest - text.size(), '.') + "\n");
    return {place, text, {}};
}

FlatLayout nrrdPairLayout(const fs::path& place, const VolumeGrid& grid,
                          const VoxelEncoding& encoding) {
    const fs::path data = nrrdDataPath(place);
    return {data, {}, {}, 0, {}, place, nrrdText(grid, encoding, data.filename().string())};
}

}  // namespace

VolumeFileFormat nrrdVolumes() {
    VolumeFileFormat format;
    format.format = VolumeFormat::nrrd;
    format.name = ".nrrd";
    format.label = "NRRD";
    format.extensions = {".nrrd"};
    format.write = [](const fs::path& place, const VolumeGrid& grid, const VoxelEncoding& encoding,
                      SinkStart start) -> std::unique_ptr<VolumeSink> {
        return std::make_unique<FlatSink>(nrrdLayout(place, grid, encoding), grid, encoding, start);
    };
    format.layout = nrrdLayout;
    format.read = readNrrd;
    format.companions = [](const fs::path& file) {
        const std::optional<fs::path> data = nrrdDataFile(readNrrdHeader(file).fields);
        return data ? std::vector{*data} : std::vector<fs::path>();
    };
    format.isVolume = [](const fs::path& path) {
        (void)readNrrdHeader(path);
        return true;
    };
    return format;
}

VolumeFileFormat nrrdPairVolumes() {
    VolumeFileFormat format = nrrdVolumes();
    format.format = VolumeFormat::nrrdPair;
    format.name = ".nhdr";
    format.label = "NRRD, 2 files";
    format.extensions = {".nhdr"};
    format.dataPath = nrrdDataPath;
    format.files = [](const fs::path& place) { return std::vector{place, nrrdDataPath(place)}; };
    format.checkPlace = [](const fs::path& place) {
        checkHeaderAndData(place, nrrdDataPath(place), ".nrrd");
    };
    format.write = [](const fs::path& place, const VolumeGrid& grid, const VoxelEncoding& encoding,
                      SinkStart start) -> std::unique_ptr<VolumeSink> {
        return std::make_unique<FlatSink>(nrrdPairLayout(place, grid, encoding), grid, encoding,
                                          start);
    };
    format.layout = nrrdPairLayout;
    return format;
}

}  // namespace gantry
