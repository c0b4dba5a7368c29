#include "core/io/volume/volume_formats.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/file.h"
#include "core/io/volume/calibration.h"
#include "core/io/volume/flat_sink.h"
#include "core/io/volume/flat_slices.h"

namespace gantry {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kMagic1("n+1\0", 4);
constexpr std::string_view kMagic2("n+2\0\r\n\032\n", 8);
constexpr Index kMaxAxis1 = std::numeric_limits<std::int16_t>::max();

// Where the fields of a version begin, and their kinds: sizes are 16- or 64-bit, lengths float or
// double, codes 16- or 32-bit.
// Source: nifti1.h and nifti2.h of https://nifti.nimh.nih.gov
struct NiftiFields {
    bool isSecond = false;
    Index headerBytes, magic, datatype, bitpix, dim, pixdim, voxOffset, slope, units, descrip,
        qformCode, quatern, srow;
};
constexpr NiftiFields kNifti1 = {.headerBytes = 348,
                                 .magic = 344,
                                 .datatype = 70,
                                 .bitpix = 72,
                                 .dim = 40,
                                 .pixdim = 76,
                                 .voxOffset = 108,
                                 .slope = 112,
                                 .units = 123,
                                 .descrip = 148,
                                 .qformCode = 252,
                                 .quatern = 256,
                                 .srow = 280};
constexpr NiftiFields kNifti2 = {.isSecond = true,
                                 .headerBytes = 540,
                                 .magic = 4,
                                 .datatype = 12,
                                 .bitpix = 14,
                                 .dim = 16,
                                 .pixdim = 104,
                                 .voxOffset = 168,
                                 .slope = 176,
                                 .units = 500,
                                 .descrip = 240,
                                 .qformCode = 344,
                                 .quatern = 352,
                                 .srow = 400};
// The description, of 80 bytes with a zero at its end.
constexpr std::string_view kDescripBegin = "Gantry: ";
constexpr std::size_t kDescripBytes = 80;

constexpr std::pair<int, PixelType> kNiftiTypes[] = {
    {2, PixelType::uint8},    {256, PixelType::int8},   {512, PixelType::uint16},
    {4, PixelType::int16},    {768, PixelType::uint32}, {8, PixelType::int32},
    {16, PixelType::float32}, {64, PixelType::float64}};

// The decimal number of fewest digits that a float stands for: 0.3, not 0.300000012.
double decimalOf(float value) {
    if (!std::isfinite(value)) return std::numeric_limits<double>::quiet_NaN();
    const std::string digits = fmt::format("{}", value);
    double decimal = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), decimal);
    return decimal;
}

// A header in memory, whose numbers are put and taken as its version has them.
class NiftiHeader {
  public:
    explicit NiftiHeader(const NiftiFields& fields)
        : m_fields(fields), m_bytes(static_cast<std::size_t>(fields.headerBytes) + 4, '\0') {}
    NiftiHeader(const NiftiFields& fields, std::string bytes, bool isSwapped)
        : m_fields(fields), m_bytes(std::move(bytes)), m_isSwapped(isSwapped) {}

    [[nodiscard]] const NiftiFields& fields() const { return m_fields; }
    [[nodiscard]] const std::string& bytes() const { return m_bytes; }

    // This machine's order is little-endian.
    [[nodiscard]] bool isBigEndian() const { return m_isSwapped; }

    template <class T>
    void put(Index at, T value) {
        std::memcpy(m_bytes.data() + at, &value, sizeof(T));
    }
    template <class T>
    [[nodiscard]] T take(Index at) const {
        char raw[sizeof(T)];
        std::copy_n(m_bytes.data() + at, sizeof(T), raw);
        if (m_isSwapped) std::reverse(raw, raw + sizeof(T));
        T value;
        std::memcpy(&value, raw, sizeof(T));
        return value;
    }
    void putText(Index at, std::string_view text) { m_bytes.replace(at, text.size(), text); }

    // The i-th of a row of lengths, sizes or codes.
    void putReal(Index at, Index i, double value) {
        m_fields.isSecond ? put(at + 8 * i, value) : put(at + 4 * i, static_cast<float>(value));
    }
    [[nodiscard]] double real(Index at, Index i) const {
        return m_fields.isSecond ? take<double>(at + 8 * i) : decimalOf(take<float>(at + 4 * i));
    }
    void putSize(Index at, Index i, Index value) {
        m_fields.isSecond ? put(at + 8 * i, std::int64_t{value})
                          : put(at + 2 * i, static_cast<std::int16_t>(value));
    }
    [[nodiscard]] Index size(Index at, Index i) const {
        return m_fields.isSecond ? take<std::int64_t>(at + 8 * i) : take<std::int16_t>(at + 2 * i);
    }
    void putCode(Index at, Index i, int value) {
        m_fields.isSecond ? put(at + 4 * i, std::int32_t{value})
                          : put(at + 2 * i, static_cast<std::int16_t>(value));
    }
    [[nodiscard]] int code(Index at, Index i) const {
        return m_fields.isSecond ? take<std::int32_t>(at + 4 * i) : take<std::int16_t>(at + 2 * i);
    }

  private:
    NiftiFields m_fields;
    std::string m_bytes;
    bool m_isSwapped = false;
};

const NiftiFields& niftiVersionFor(const VolumeGrid& grid) {
    return *std::ranges::max_element(grid.voxels) > kMaxAxis1 ? kNifti2 : kNifti1;
}

// The matrix from voxel numbers to the world, and the same as a quaternion: half a turn about z.
void putNiftiPlace(NiftiHeader& header, const VolumeGrid& grid) {
    const NiftiFields& at = header.fields();
    const Vec3 origin = grid.originMm();
    const double first[3] = {-origin.x, -origin.y, origin.z};
    header.putReal(at.pixdim, 0, 1);
    header.putCode(at.qformCode, 0, 1);
    header.putCode(at.qformCode, 1, 1);
    const double halfTurn[3] = {0, 0, 1};
    for (Index axis = 0; axis < 3; ++axis) {
        const double pitch = grid.pitchMm[static_cast<std::size_t>(axis)];
        header.putReal(at.pixdim, axis + 1, pitch);
        header.putReal(at.quatern, axis, halfTurn[axis]);
        header.putReal(at.quatern, axis + 3, first[axis]);
        header.putReal(at.srow, 4 * axis + axis, axis < 2 ? -pitch : pitch);
        header.putReal(at.srow, 4 * axis + 3, first[axis]);
    }
}

std::string niftiHeader(const VolumeGrid& grid, const VoxelEncoding& encoding) {
    const NiftiFields& at = niftiVersionFor(grid);
    NiftiHeader header(at);
    header.put(0, static_cast<std::int32_t>(at.headerBytes));
    header.putText(at.magic, at.isSecond ? kMagic2 : kMagic1);
    const auto* type = std::ranges::find_if(
        kNiftiTypes, [&](const auto& known) { return known.second == encoding.type; });
    header.put(at.datatype, static_cast<std::int16_t>(type->first));
    header.put(at.bitpix, static_cast<std::int16_t>(8 * sizeBytes(encoding.type)));
    const Index dims[] = {3, grid.voxels[0], grid.voxels[1], grid.voxels[2], 1, 1, 1, 1};
    for (Index i = 0; i < 8; ++i)
        header.putSize(at.dim, i, dims[i]);
    const std::int64_t begin = std::ssize(header.bytes());
    at.isSecond ? header.put(at.voxOffset, begin)
                : header.put(at.voxOffset, static_cast<float>(begin));
    header.putReal(at.slope, 0, encoding.slope);
    header.putReal(at.slope, 1, encoding.intercept);
    constexpr std::uint8_t kMillimetres = 2;
    header.put(at.units, kMillimetres);
    header.putText(at.descrip, fmt::format("{}{}", kDescripBegin, scaleText(encoding.scale)));
    putNiftiPlace(header, grid);
    return header.bytes();
}

NiftiHeader readNiftiHeader(const fs::path& path) {
    const File file(path, File::Mode::read);
    std::string bytes(std::min(file.sizeBytes(), kNifti2.headerBytes), '\0');
    file.readAt(0, std::as_writable_bytes(std::span(bytes)));
    for (const NiftiFields* version : {&kNifti1, &kNifti2})
        for (const bool isSwapped : {false, true}) {
            if (std::ssize(bytes) < version->headerBytes) continue;
            NiftiHeader header(*version, bytes, isSwapped);
            const std::string_view magic = version->isSecond ? kMagic2 : kMagic1;
            if (header.take<std::int32_t>(0) == version->headerBytes &&
                std::string_view(bytes).substr(version->magic, magic.size()) == magic)
                return header;
        }
    refuseVolume(path, "it is no NIfTI-1 or NIfTI-2 file with its voxels (n+1, n+2)",
                 ErrorCode::unknownFormat);
}

double niftiUnitMm(const fs::path& path, const NiftiHeader& header) {
    const int unit = header.take<std::uint8_t>(header.fields().units) % 8;
    constexpr double kMm[] = {1, 1000, 1, 1e-3};  // unknown, m, mm, µm
    if (unit > 3)
        refuseVolume(path, fmt::format("its unit of length has the unknown code {}", unit));
    return kMm[unit];
}

// The steps from voxel to voxel and the first voxel's centre, in NIfTI's world.
struct NiftiPlace {
    double matrix[3][3] = {};
    double first[3] = {};
};

NiftiPlace placeOfVoxels(const NiftiHeader& header) {
    const NiftiFields& at = header.fields();
    NiftiPlace place;
    for (Index i = 0; i < 3; ++i) {
        const double pitch = header.real(at.pixdim, i + 1);
        // Without a place, the axes are taken as ours.
        place.matrix[i][i] = i < 2 ? -pitch : pitch;
    }
    if (header.code(at.qformCode, 1) > 0) {
        for (Index i = 0; i < 3; ++i) {
            for (Index j = 0; j < 3; ++j)
                place.matrix[i][j] = header.real(at.srow, 4 * i + j);
            place.first[i] = header.real(at.srow, 4 * i + 3);
        }
    } else if (header.code(at.qformCode, 0) > 0) {
        const double b = header.real(at.quatern, 0);
        const double c = header.real(at.quatern, 1);
        const double d = header.real(at.quatern, 2);
        const double a = std::sqrt(std::max(0.0, 1 - b * b - c * c - d * d));
        const double turn[3][3] = {
            {a * a + b * b - c * c - d * d, 2 * (b * c - a * d), 2 * (b * d + a * c)},
            {2 * (b * c + a * d), a * a + c * c - b * b - d * d, 2 * (c * d - a * b)},
            {2 * (b * d - a * c), 2 * (c * d + a * b), a * a + d * d - b * b - c * c}};
        for (Index i = 0; i < 3; ++i) {
            for (Index j = 0; j < 3; ++j) {
                const double mirrored = j == 2 && header.real(at.pixdim, 0) < 0 ? -1 : 1;
                place.matrix[i][j] = turn[i][j] * header.real(at.pixdim, j + 1) * mirrored;
            }
            place.first[i] = header.real(at.quatern, i + 3);
        }
    }
    return place;
}

void readNiftiPlace(const fs::path& path, const NiftiHeader& header, VolumeGrid& grid) {
    const double mm = niftiUnitMm(path, header);
    const NiftiPlace place = placeOfVoxels(header);
    const double signs[3] = {-1, -1, 1};
    for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t j = 0; j < 3; ++j) {
            const double along = place.matrix[j][j] * signs[j];
            // A float's and a quaternion's digits.
            const bool fits = i == j ? along > 0 : std::abs(place.matrix[i][j]) <= 1e-5 * along;
            if (!fits)
                refuseVolume(path,
                             "its sform or qform reverses or rotates axes, which is not supported; "
                             "resample the image to axes that run left, posterior and superior");
            if (i == j) grid.pitchMm[i] = along * mm;
        }
    const bool isPlaced = header.code(header.fields().qformCode, 0) > 0 ||
                          header.code(header.fields().qformCode, 1) > 0;
    if (!isPlaced) return;
    // The grid is centred on the origin so far, so the difference is the true centre.
    const Vec3 shift =
        mm * Vec3{place.first[0] * signs[0], place.first[1] * signs[1], place.first[2]} -
        grid.originMm();
    grid.centerMm = {shift.x, shift.y, shift.z};
}

StoredVolume readNifti(const fs::path& path) {
    const NiftiHeader header = readNiftiHeader(path);
    const NiftiFields& at = header.fields();
    VolumeGrid grid{{1, 1, 1}, {1, 1, 1}, {0, 0, 0}};
    const Index dimensions = header.size(at.dim, 0);
    if (dimensions < 2 || dimensions > 7)
        refuseVolume(path, fmt::format("it has {} axes; 2 to 7 are possible", dimensions));
    for (Index axis = 1; axis <= dimensions; ++axis) {
        const Index size = header.size(at.dim, axis);
        if (axis <= 3)
            grid.voxels[static_cast<std::size_t>(axis - 1)] = size;
        else if (size > 1)
            refuseVolume(path,
                         fmt::format("its axis {} has {} values; a volume has 3 axes", axis, size));
    }
    VoxelEncoding encoding;
    const int code = header.take<std::int16_t>(at.datatype);
    const auto* type =
        std::ranges::find_if(kNiftiTypes, [&](const auto& known) { return known.first == code; });
    if (type == std::end(kNiftiTypes))
        refuseVolume(path, fmt::format("its voxels have the type {}, which is not supported; they "
                                       "must be single integers of 8 to 32 bits or floats",
                                       code));
    encoding.type = type->second;
    // A slope of 0 means that there is none.
    if (const double slope = header.real(at.slope, 0); slope != 0) {
        encoding.slope = slope;
        encoding.intercept = header.real(at.slope, 1);
    }
    const std::string descrip(header.bytes().substr(at.descrip, kDescripBytes).c_str());
    if (descrip.starts_with(kDescripBegin))
        encoding.scale =
            scaleOf(std::string_view(descrip).substr(kDescripBegin.size())).value_or(ValueScale{});
    readNiftiPlace(path, header, grid);
    StoredPixels voxels;
    voxels.path = path;
    voxels.bigEndian = header.isBigEndian();
    const double begin = at.isSecond ? static_cast<double>(header.take<std::int64_t>(at.voxOffset))
                                     : header.real(at.voxOffset, 0);
    // 2^53: whole numbers up to there are exact.
    if (!(begin >= static_cast<double>(at.headerBytes)) || begin > 9007199254740992.0)
        refuseVolume(path, fmt::format("its voxels begin at byte {}, inside its header or beyond "
                                       "any file",
                                       begin));
    voxels.offsetBytes = static_cast<Index>(begin);
    return openFlatVolume(path, "NIfTI", grid, encoding, voxels);
}

// Version 1 has floats, so that voxels are scaled by what a reader will find; a slope of 0 would
// mean that there is none.
VoxelEncoding asStored(const VoxelEncoding& encoding, const NiftiFields& version) {
    VoxelEncoding stored = encoding;
    if (!version.isSecond) {
        stored.slope = decimalOf(static_cast<float>(encoding.slope));
        stored.intercept = decimalOf(static_cast<float>(encoding.intercept));
    }
    if (stored.slope == 0) stored.slope = 1;
    return stored;
}

FlatLayout niftiLayout(const fs::path& place, const VolumeGrid& grid,
                       const VoxelEncoding& encoding) {
    return {place, niftiHeader(grid, asStored(encoding, niftiVersionFor(grid))), {}};
}

}  // namespace

VolumeFileFormat niftiVolumes() {
    VolumeFileFormat format;
    format.format = VolumeFormat::nifti;
    format.name = ".nii";
    format.label = "NIfTI";
    format.extensions = {".nii"};
    format.write = [](const fs::path& place, const VolumeGrid& grid, const VoxelEncoding& encoding,
                      SinkStart start) -> std::unique_ptr<VolumeSink> {
        return std::make_unique<FlatSink>(niftiLayout(place, grid, encoding), grid,
                                          asStored(encoding, niftiVersionFor(grid)), start);
    };
    format.layout = niftiLayout;
    format.read = readNifti;
    format.isVolume = [](const fs::path& path) {
        (void)readNiftiHeader(path);
        return true;
    };
    return format;
}

}  // namespace gantry
