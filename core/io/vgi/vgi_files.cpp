#include "core/io/volume/volume_formats.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/file.h"
#include "core/base/text.h"
#include "core/io/length_unit.h"
#include "core/io/volume/flat_sink.h"
#include "core/io/volume/flat_slices.h"
#include "core/io/volume/header_fields.h"
#include "core/io/volume/volume_description.h"

namespace gantry {

namespace fs = std::filesystem;

namespace {

constexpr Index kMaxVgiHeaderBytes = 1'000'000;

fs::path vgiDataPath(const fs::path& header) {
    fs::path data = header;
    return data.replace_extension(".vol");
}

std::string vgiText(const fs::path& data, const VolumeGrid& grid, const VoxelEncoding& encoding) {
    const auto three = [](const auto& values) {
        return fmt::format("{} {} {}", values[0], values[1], values[2]);
    };
    // An empty range of data makes the program look into the voxels.
    const std::string voxels = fmt::format("datatype = {}\ndatarange = 0 -1\nbitsperelement = {}\n",
                                           isInteger(encoding.type) ? "unsigned integer" : "float",
                                           8 * sizeBytes(encoding.type));
    return fmt::format(
        "{{volume1}}\n"
        "[representation]\n"
        "size = {0}\n"
        "{1}"
        "[file1]\n"
        "SkipHeader = 0\n"
        "FileFormat = raw\n"
        "Size = {0}\n"
        "Name = {2}\n"
        "{1}"
        "{{volumeprimitive12}}\n"
        "[geometry]\n"
        "resolution = {3}\n"
        "unit = mm\n"
        "relativeposition = 0 0 0\n"
        "position = {4}\n"
        "[volume]\n"
        "volume = volume1\n"
        "[description]\n"
        "text = {5}\n",
        three(grid.voxels), voxels, data.filename().string(), three(grid.pitchMm),
        three(grid.centerMm), toJson({grid, encoding}));
}

FlatLayout vgiLayout(const fs::path& place, const VolumeGrid& grid, const VoxelEncoding& encoding) {
    const fs::path data = vgiDataPath(place);
    return {data, {}, {}, 0, {}, place, vgiText(data, grid, encoding)};
}

// The values of the objects {volume...} as "section/key" in lower case; of several objects with the
// same section the first.
HeaderFields readVgiFields(const fs::path& path) {
    HeaderFields fields(path);
    const std::string text = readTextFile(path, kMaxVgiHeaderBytes);
    std::string section;
    bool isVolume = false;
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        const std::string_view line = trimmed(std::string_view(text).substr(begin, end - begin));
        begin = end + 1;
        if (line.starts_with('{')) {
            isVolume = inLowerCase(line).starts_with("{volume");
            section.clear();
        } else if (line.starts_with('[')) {
            section = inLowerCase(line.substr(1, line.find(']') - 1));
        } else if (const auto equals = line.find('='); isVolume && equals != line.npos) {
            std::string key = section + '/';
            key += inLowerCase(trimmed(line.substr(0, equals)));
            (void)fields.add(key, trimmed(line.substr(equals + 1)));
        }
    }
    return fields;
}

// The types that `datatype` and `bitsperelement` make.
PixelType vgiVoxelType(const HeaderFields& fields) {
    const auto kind = fields.find({"file1/datatype", "representation/datatype"});
    const auto bits = fields.find({"file1/bitsperelement", "representation/bitsperelement"});
    const std::string found =
        fmt::format("{} {}", inLowerCase(kind.value_or("")), bits.value_or(""));
    constexpr std::pair<std::string_view, PixelType> kTypes[] = {
        {"unsigned integer 8", PixelType::uint8},   {"unsigned integer 16", PixelType::uint16},
        {"unsigned integer 32", PixelType::uint32}, {"integer 8", PixelType::int8},
        {"integer 16", PixelType::int16},           {"integer 32", PixelType::int32},
        {"float 32", PixelType::float32},           {"float 64", PixelType::float64}};
    for (const auto& [words, type] : kTypes)
        if (found == words) return type;
    fields.fail(fmt::format(
        "datatype and bitsperelement are {}; they must be float with 32 or 64, or integer or "
        "unsigned integer with 8, 16 or 32",
        shownField(found)));
}

VolumeGrid readVgiGrid(const HeaderFields& fields, std::string_view sizeKey, PixelType type) {
    VolumeGrid grid{fields.sizes(sizeKey, 3, sizeBytes(type)), {1, 1, 1}, {0, 0, 0}};
    const std::string unit(fields.find({"geometry/unit"}).value_or("mm"));
    const std::optional<double> mm = mmOf(unit);
    if (!mm)
        fields.fail(fmt::format("geometry/unit is {}, which is no known length", shownField(unit)));
    const auto lengths = [&](std::string_view key, std::array<double, 3>& values) {
        const auto text = fields.find({key});
        if (!text) return;
        const std::vector<double> numbers = fields.numbers(key, *text, 3);
        for (std::size_t axis = 0; axis < 3; ++axis)
            values[axis] = numbers[axis] * *mm;
    };
    lengths("geometry/resolution", grid.pitchMm);
    lengths("geometry/position", grid.centerMm);
    return grid;
}

// The file with the voxels. Some programs write the whole path of the machine that it was made on.
fs::path vgiDataFile(const HeaderFields& fields) {
    std::string_view name = fields.text("file1/name");
    name = name.substr(name.find_last_of("/\\") + 1);
    return fields.fileBeside("file1/name", name);
}

StoredVolume readVgi(const fs::path& path) {
    const HeaderFields fields = readVgiFields(path);
    if (fields.find({"file2/name"}))
        fields.fail("its voxels are in several files, which is not supported; merge them to one");
    if (const auto format = fields.find({"file1/fileformat"}); format && *format != "raw")
        fields.fail(fmt::format("file1/FileFormat is {}; it must be raw", shownField(*format)));
    StoredPixels voxels;
    voxels.path = vgiDataFile(fields);
    voxels.offsetBytes = fields.integer("file1/skipheader", Index{0});
    if (voxels.offsetBytes < 0)
        fields.fail(
            fmt::format("file1/SkipHeader is {}; it must be 0 or more", voxels.offsetBytes));
    VoxelEncoding encoding{vgiVoxelType(fields), 1, 0};
    const char* const sizeKey = fields.find({"file1/size"}) ? "file1/size" : "representation/size";
    const VolumeGrid grid = readVgiGrid(fields, sizeKey, encoding.type);
    const auto text = fields.find({"description/text"});
    if (text && isVolumeDescription(*text)) {
        const VolumeDescription ours =
            parseVolumeDescription(*text, path.string() + ": description");
        // The place is the header's own: another program may have cropped or moved the volume.
        if (ours.encoding.type == encoding.type) encoding = ours.encoding;
    }
    return openFlatVolume(path, "VGI", grid, encoding, voxels);
}

}  // namespace

VolumeFileFormat vgiVolumes() {
    VolumeFileFormat format;
    format.format = VolumeFormat::vgi;
    format.name = ".vgi";
    format.label = "VGSTUDIO, 2 files";
    format.extensions = {".vgi"};
    format.dataPath = vgiDataPath;
    format.files = [](const fs::path& place) { return std::vector{place, vgiDataPath(place)}; };
    format.checkPlace = [](const fs::path& place) {
        checkHeaderAndData(place, vgiDataPath(place), ".nrrd");
    };
    format.write = [](const fs::path& place, const VolumeGrid& grid, const VoxelEncoding& encoding,
                      SinkStart start) -> std::unique_ptr<VolumeSink> {
        return std::make_unique<FlatSink>(vgiLayout(place, grid, encoding), grid, encoding, start);
    };
    format.layout = vgiLayout;
    format.read = readVgi;
    format.companions = [](const fs::path& file) {
        return std::vector{vgiDataFile(readVgiFields(file))};
    };
    format.isVolume = [](const fs::path& path) {
        return readVgiFields(path).find({"file1/name"}).has_value();
    };
    return format;
}

}  // namespace gantry
