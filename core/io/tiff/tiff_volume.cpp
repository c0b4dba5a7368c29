#include "core/io/volume/volume_formats.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/geometry/volume_grid.h"
#include "core/io/series/match_files.h"
#include "core/io/tiff/ome_pyramid.h"
#include "core/io/tiff/ome_text.h"
#include "core/io/tiff/tiff_file.h"
#include "core/io/tiff/tiff_source.h"
#include "core/io/volume/calibration.h"
#include "core/io/volume/flat_sink.h"
#include "core/io/volume/slice_folder_sink.h"
#include "core/io/volume/volume_description.h"
#include "core/io/volume/voxel_encoding.h"

namespace gantry {

namespace fs = std::filesystem;

namespace {

// Readers take a strip at a time into memory.
constexpr Index kStripBytes = Index{8} << 20;
constexpr Index kHeaderBytes = 16;
constexpr std::string_view kSliceEnding = ".tif";
// Max size of a TIFF file with 32-bit offsets, with room for its tags.
constexpr Index kMaxClassicBytes = 4'000'000'000;

enum FieldType : std::uint16_t {
    kAscii = 2,
    kShort = 3,
    kLong = 4,
    kRational = 5,
    kLong8 = 16,
    kIfd8 = 18
};

template <class T>
void put(std::string& bytes, T value) {
    char raw[sizeof(T)];
    std::memcpy(raw, &value, sizeof(T));
    bytes.append(raw, sizeof(T));
}

// One image directory: its fixed-size fields, then the values that do not fit in them.
class Directory {
  public:
    explicit Directory(std::uint64_t offset) : m_offset(offset) {}

    // Fields must come in ascending order of their tags.
    void add(std::uint16_t tag, FieldType type, std::uint64_t count, const std::string& value) {
        m_fields.push_back({tag, type, count, value});
    }
    void addShort(std::uint16_t tag, std::uint16_t value) {
        std::string bytes;
        put(bytes, value);
        add(tag, kShort, 1, bytes);
    }
    void addLong(std::uint16_t tag, Index value) {
        std::string bytes;
        put(bytes, static_cast<std::uint32_t>(value));
        add(tag, kLong, 1, bytes);
    }
    void addLong8(std::uint16_t tag, const std::vector<std::uint64_t>& values,
                  FieldType type = kLong8) {
        std::string bytes;
        for (const std::uint64_t value : values)
            put(bytes, value);
        add(tag, type, values.size(), bytes);
    }
    void addRational(std::uint16_t tag, double value) {
        // The largest denominator, up to a million, that leaves the numerator 32 bits.
        const double denominator = std::clamp(std::floor(4e9 / value), 1.0, 1e6);
        std::string bytes;
        put(bytes, static_cast<std::uint32_t>(std::min(4e9, std::round(value * denominator))));
        put(bytes, static_cast<std::uint32_t>(denominator));
        add(tag, kRational, 1, bytes);
    }

    // next: where the next directory begins; 0: none
    [[nodiscard]] std::string bytes(std::uint64_t next) const {
        constexpr std::uint64_t kFieldBytes = 20;
        const std::uint64_t tableBytes = 8 + kFieldBytes * m_fields.size() + 8;
        std::string table;
        std::string values;
        put(table, static_cast<std::uint64_t>(m_fields.size()));
        for (const Field& field : m_fields) {
            put(table, field.tag);
            put(table, static_cast<std::uint16_t>(field.type));
            put(table, field.count);
            std::string inlined = field.value;
            if (inlined.size() > 8) {
                inlined.clear();
                put(inlined, m_offset + tableBytes + values.size());
                values += field.value;
                values.resize((values.size() + 7) / 8 * 8);
            }
            inlined.resize(8);
            table += inlined;
        }
        put(table, next);
        return table + values;
    }

  private:
    struct Field {
        std::uint16_t tag;
        FieldType type;
        std::uint64_t count;
        std::string value;
    };
    std::uint64_t m_offset;
    std::vector<Field> m_fields;
};

// An image of the file: a slice, or a smaller one of it.
struct TiffPlane {
    Index columns;
    Index rows;
    Index begin;  // of its pixels in the file
    PixelType type;
    std::array<double, 2> pitchMm;
    bool isSmaller = false;
    std::string description = {};                 // empty: none
    std::vector<std::uint64_t> smallerOnes = {};  // where their directories begin
};

Directory directoryOf(const TiffPlane& plane, std::uint64_t offset) {
    const Index rowBytes = plane.columns * sizeBytes(plane.type);
    const Index rowsPerStrip = std::clamp<Index>(kStripBytes / rowBytes, 1, plane.rows);
    std::vector<std::uint64_t> offsets;
    std::vector<std::uint64_t> lengths;
    for (Index row = 0; row < plane.rows; row += rowsPerStrip) {
        offsets.push_back(static_cast<std::uint64_t>(plane.begin + row * rowBytes));
        lengths.push_back(
            static_cast<std::uint64_t>(std::min(rowsPerStrip, plane.rows - row) * rowBytes));
    }
    Directory directory(offset);
    if (plane.isSmaller) directory.addLong(254, 1);  // NewSubfileType: reduced resolution
    directory.addLong(256, plane.columns);           // ImageWidth
    directory.addLong(257, plane.rows);              // ImageLength
    directory.addShort(258, static_cast<std::uint16_t>(8 * sizeBytes(plane.type)));
    directory.addShort(259, 1);  // Compression: none
    directory.addShort(262, 1);  // Photometric: black is 0
    if (!plane.description.empty()) {
        std::string text = plane.description;
        text.push_back('\0');
        directory.add(270, kAscii, text.size(), text);  // ImageDescription
    }
    directory.addLong8(273, offsets);                   // StripOffsets
    directory.addShort(277, 1);                         // SamplesPerPixel
    directory.addLong(278, rowsPerStrip);               // RowsPerStrip
    directory.addLong8(279, lengths);                   // StripByteCounts
    directory.addRational(282, 10 / plane.pitchMm[0]);  // XResolution
    directory.addRational(283, 10 / plane.pitchMm[1]);  // YResolution
    directory.addShort(296, 3);                         // ResolutionUnit: cm
    if (!plane.smallerOnes.empty()) directory.addLong8(330, plane.smallerOnes, kIfd8);  // SubIFDs
    directory.addShort(339, isInteger(plane.type) ? 1 : 3);  // SampleFormat
    return directory;
}

// Slice z and its smaller images, of which the file has the levels.
std::vector<TiffPlane> planesOf(const VolumeGrid& grid, PixelType type, Index z,
                                const std::vector<OmeLevel>& levels) {
    const auto [nX, nY, nZ] = grid.voxels;
    const Index sliceBytes = nX * nY * sizeBytes(type);
    std::vector<TiffPlane> planes = {
        {nX, nY, kHeaderBytes + z * sliceBytes, type, {grid.pitchMm[0], grid.pitchMm[1]}}};
    for (const OmeLevel& level : levels) {
        const auto& finer = planes.back().pitchMm;
        planes.push_back({level.columns,
                          level.rows,
                          kHeaderBytes + nZ * sliceBytes + level.begin + z * level.sliceBytes(type),
                          type,
                          {2 * finer[0], 2 * finer[1]},
                          true});
    }
    return planes;
}

// The directories of a slice and of its smaller images behind it.
std::string directoriesOf(std::vector<TiffPlane> planes, std::uint64_t offset, bool isLast) {
    TiffPlane& slice = planes.front();
    slice.smallerOnes.resize(planes.size() - 1);
    std::uint64_t end = offset + directoryOf(slice, offset).bytes(0).size();
    std::string smaller;
    for (std::size_t i = 1; i < planes.size(); ++i) {
        slice.smallerOnes[i - 1] = end + smaller.size();
        smaller += directoryOf(planes[i], end + smaller.size()).bytes(0);
    }
    end += smaller.size();
    return directoryOf(slice, offset).bytes(isLast ? 0 : end) + smaller;
}

// A BigTIFF of uncompressed slices, one image a slice, whose voxels lie in one piece in front of
// all image directories. Every offset is known beforehand, so slices can be written in any order
// and a killed run can be resumed; libtiff can only append. The first image has the
// description as ImageDescription, all have the pitch as resolution. The slices' smaller images, if
// there are levels, lie between voxels and directories, level by level.
// Source: the BigTIFF design of libtiff,
// https://libtiff.gitlab.io/libtiff/specification/bigtiff.html
// Tests: tests/core/io/tiff_sink_test.cpp, tests/core/io/ome_tiff_test.cpp
FlatLayout bigTiffLayout(const std::filesystem::path& path, const VolumeGrid& grid, PixelType type,
                         const std::string& description, const std::vector<OmeLevel>& levels = {}) {
    FlatLayout layout;
    layout.path = path;
    if (!levels.empty()) layout.madeBytes = omeLevelBytes(grid, type);
    const Index voxelEnd = kHeaderBytes + grid.count() * sizeBytes(type) + layout.madeBytes;
    const Index firstDirectory = (voxelEnd + 7) / 8 * 8;
    layout.before = "II";
    put(layout.before, std::uint16_t{43});  // BigTIFF
    put(layout.before, std::uint16_t{8});   // bytes of an offset
    put(layout.before, std::uint16_t{0});
    put(layout.before, static_cast<std::uint64_t>(firstDirectory));
    layout.after.resize(firstDirectory - voxelEnd);
    for (Index z = 0; z < grid.voxels[2]; ++z) {
        std::vector<TiffPlane> planes = planesOf(grid, type, z, levels);
        if (z == 0) planes.front().description = description;
        const auto offset = static_cast<std::uint64_t>(voxelEnd) + layout.after.size();
        layout.after += directoriesOf(std::move(planes), offset, z + 1 == grid.voxels[2]);
    }
    return layout;
}

// Max of one image in a BigTIFF.
constexpr Index kDirectoryBytes = 1024;

std::vector<fs::path> slicesIn(const fs::path& folder) {
    return matchFiles(folder, "*.tif*");
}

StoredVolume readTiffs(const fs::path& path, const std::vector<fs::path>& files) {
    OpenOptions inOrderOfY;
    inOrderOfY.firstRowIsTop = false;
    auto slices = std::make_unique<TiffSource>(files, inOrderOfY);
    const SourceInfo& info = slices->info();
    const std::array<Index, 3> found = {info.columns, info.rows, info.views};
    const std::string stored = TiffReader(files.front()).description();
    const std::string_view text = descriptionIn(stored);
    if (!isVolumeDescription(text))
        return {{found, {1, 1, 1}, {0, 0, 0}}, {info.pixelType, 1, 0}, std::move(slices)};
    const VolumeDescription description =
        parseVolumeDescription(text, path.string() + ": ImageDescription");
    const auto& stated = description.grid.voxels;
    if (stated != found || description.encoding.type != info.pixelType)
        refuseVolume(path,
                     fmt::format("its description says {} × {} × {} voxels of {}, and the images "
                                 "are {} × {} × {} of {}",
                                 stated[0], stated[1], stated[2], name(description.encoding.type),
                                 found[0], found[1], found[2], name(info.pixelType)));
    return {description.grid, description.encoding, std::move(slices)};
}

FlatLayout plainTiffLayout(const fs::path& place, const VolumeGrid& grid,
                           const VoxelEncoding& encoding) {
    const std::string plain = toJson({grid, encoding});
    std::string text = plain;
    text.resize(toJson({grid, longestEncoding(encoding.type)}).size(), ' ');
    FlatLayout layout = bigTiffLayout(place, grid, encoding.type, text);
    layout.former =
        std::make_shared<const FlatLayout>(bigTiffLayout(place, grid, encoding.type, plain));
    return layout;
}

FlatLayout omeTiffLayout(const fs::path& place, const VolumeGrid& grid,
                         const VoxelEncoding& encoding) {
    const std::string name = place.filename().string();
    std::string text = omeText({grid, encoding}, name);
    const std::size_t longest = omeText({grid, longestEncoding(encoding.type)}, name).size();
    // Programs know OME-XML by its end.
    text.insert(text.rfind('<'), longest - text.size(), ' ');
    FlatLayout layout =
        bigTiffLayout(place, grid, encoding.type, text, omeLevels(grid, encoding.type));
    if (layout.madeBytes > 0)
        layout.make = [grid, encoding](Index z, std::span<const float> slice,
                                       const FlatLayout::WriteMade& write) {
            makeOmeLevels(grid, encoding, z, slice, write);
        };
    return layout;
}

std::unique_ptr<VolumeSink> writeBigTiff(const fs::path& place, const VolumeGrid& grid,
                                         const VoxelEncoding& encoding, SinkStart start) {
    return std::make_unique<FlatSink>(plainTiffLayout(place, grid, encoding), grid, encoding,
                                      start);
}

std::unique_ptr<VolumeSink> writeOmeTiff(const fs::path& place, const VolumeGrid& grid,
                                         const VoxelEncoding& encoding, SinkStart start) {
    return std::make_unique<FlatSink>(omeTiffLayout(place, grid, encoding), grid, encoding, start);
}

std::unique_ptr<VolumeSink> writeFolder(const fs::path& place, const VolumeGrid& grid,
                                        const VoxelEncoding& encoding, SinkStart start) {
    TiffPage page;
    page.columns = grid.voxels[0];
    page.rows = grid.voxels[1];
    page.type = encoding.type;
    page.pitchMm = {grid.pitchMm[0], grid.pitchMm[1]};
    page.description = toJson({grid, encoding});
    SliceFiles files;
    files.ending = kSliceEnding;
    files.write = [page](const fs::path& file, Index, std::span<const std::byte> pixels,
                         const std::string&) {
        const bool large = std::ssize(pixels) > kMaxClassicBytes;
        TiffWriter writer(file, large ? TiffWriter::Mode::big : TiffWriter::Mode::classic);
        writer.write(page, pixels);
        writer.close();
    };
    files.belongs = [page](const fs::path& file) {
        return TiffReader(file).description() == page.description;
    };
    return std::make_unique<SliceFolderSink>(place, grid, encoding, std::move(files), start);
}

}  // namespace

VolumeFileFormat bigTiffVolumes() {
    VolumeFileFormat format;
    format.format = VolumeFormat::bigTiff;
    format.name = ".tif";
    format.label = "BigTIFF";
    format.extensions = {".tif", ".tiff"};
    format.headerBytes = [](const VolumeGrid& grid, PixelType) {
        return kVolumeHeaderBytes + grid.voxels[2] * kDirectoryBytes;
    };
    format.write = writeBigTiff;
    format.layout = plainTiffLayout;
    format.read = [](const fs::path& path) { return readTiffs(path, {path}); };
    format.isVolume = [](const fs::path& path) {
        return isVolumeDescription(descriptionIn(TiffReader(path).description()));
    };
    return format;
}

VolumeFileFormat omeTiffVolumes() {
    VolumeFileFormat format = bigTiffVolumes();
    format.format = VolumeFormat::omeTiff;
    format.name = ".ome.tif";
    format.label = "OME-TIFF";
    format.extensions = {".ome.tif", ".ome.tiff"};
    format.headerBytes = [](const VolumeGrid& grid, PixelType type) {
        const Index images = 1 + std::ssize(omeLevels(grid, type));
        return kVolumeHeaderBytes + omeLevelBytes(grid, type) +
               grid.voxels[2] * images * kDirectoryBytes;
    };
    format.write = writeOmeTiff;
    format.layout = omeTiffLayout;
    return format;
}

VolumeFileFormat tiffFolderVolumes() {
    VolumeFileFormat format;
    format.format = VolumeFormat::tiffFolder;
    format.name = "folders of TIFF slices";
    format.label = "Folder of TIFF slices";
    format.checkPlace = [](const fs::path& place) { checkSliceFolder(place, kSliceEnding); };
    format.headerBytes = [](const VolumeGrid& grid, PixelType) {
        return grid.voxels[2] * kVolumeHeaderBytes;
    };
    format.write = writeFolder;
    format.read = [](const fs::path& folder) { return readTiffs(folder, slicesIn(folder)); };
    format.isVolume = [](const fs::path& folder) {
        return isVolumeDescription(TiffReader(slicesIn(folder).front()).description());
    };
    return format;
}

}  // namespace gantry
