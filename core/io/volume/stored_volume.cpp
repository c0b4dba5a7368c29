#include "core/io/volume/stored_volume.h"

#include <fmt/format.h>

#include <array>
#include <string>
#include <system_error>
#include <vector>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/host_buffer.h"
#include "core/io/metaimage/metaimage_header.h"
#include "core/io/open_source.h"
#include "core/io/tiff/tiff_file.h"
#include "core/io/tiff/tiff_source.h"
#include "core/io/volume/volume_description.h"
#include "core/io/volume/volume_format.h"

namespace gantry {

namespace fs = std::filesystem;

namespace {

constexpr const char* kTiffNames = "*.tif*";

[[noreturn]] void fail(const fs::path& path, const std::string& sentence,
                       ErrorCode code = ErrorCode::damagedFile) {
    throw InputError(fmt::format("Cannot open {}: {}.", path.string(), sentence), {.code = code});
}

// Slices that lie in one piece, [z][y][x].
class FlatSlices : public ProjectionSource {
  public:
    /// voxels: of a volume of that size; file: that was opened
    FlatSlices(StoredPixels voxels, const std::array<Index, 3>& size, fs::path file,
               const char* format)
        : m_file(std::move(file)),
          m_voxels(std::move(voxels)),
          m_shape{size[0], size[1], m_voxels.stored().type} {
        const StoredPixels& stored = m_voxels.stored();
        m_info.views = size[2];
        m_info.rows = size[1];
        m_info.columns = size[0];
        m_info.pixelType = stored.type;
        m_info.format = fmt::format("{}, {}{}", format, describe(stored.type),
                                    stored.compressed ? ", compressed" : "");
        m_info.readsRowsAlone = !stored.compressed;
        m_info.storedBytes = stored.storedBytes;
    }

    [[nodiscard]] const SourceInfo& info() const override { return m_info; }
    void readRows(Index view, IndexRange rows, std::span<std::byte> pixels) const override {
        checkRequest(m_shape, m_info.views, view, rows, pixels);
        m_voxels.read((view * m_info.rows + rows.begin) * m_info.columns, pixels);
    }
    [[nodiscard]] std::string viewName(Index view) const override {
        return fmt::format("{}, slice {}", m_file.string(), view);
    }

  private:
    fs::path m_file;
    PixelReader m_voxels;
    ImageShape m_shape;
    SourceInfo m_info;
};

StoredVolume openMetaImage(const fs::path& path) {
    const MetaImageHeader header = readMetaImageHeader(path);
    StoredVolume volume;
    volume.grid.voxels = header.size;
    volume.grid.pitchMm = header.spacingMm;
    // With the centre still at the origin, the difference is where it belongs.
    const Vec3 shift =
        Vec3{header.originMm[0], header.originMm[1], header.originMm[2]} - volume.grid.originMm();
    volume.grid.centerMm = {shift.x, shift.y, shift.z};
    volume.encoding = {header.data.type, header.slope, header.intercept};
    volume.slices = std::make_unique<FlatSlices>(header.data, header.size, path, "MetaImage");
    return volume;
}

StoredVolume openRaw(const fs::path& path) {
    const Index found = File(path, File::Mode::read).sizeBytes();
    const fs::path beside = rawDescriptionPath(path);
    if (std::error_code ignored; !fs::exists(beside, ignored))
        fail(path, fmt::format("its description {} is missing", beside.string()),
             ErrorCode::missingFile);
    const VolumeDescription description =
        parseVolumeDescription(readTextFile(beside), beside.string());
    StoredPixels voxels;
    voxels.path = path;
    voxels.count = description.grid.count();
    voxels.type = description.encoding.type;
    voxels.storedBytes = voxels.bytes();
    if (found != voxels.storedBytes)
        fail(path, fmt::format("it has {} bytes, and {} describes {}", found, beside.string(),
                               voxels.storedBytes));
    return {description.grid, description.encoding,
            std::make_unique<FlatSlices>(voxels, description.grid.voxels, path, "raw")};
}

StoredVolume openTiff(const fs::path& path, const std::vector<fs::path>& files) {
    OpenOptions inOrderOfY;
    inOrderOfY.firstRowIsTop = false;
    auto slices = std::make_unique<TiffSource>(files, inOrderOfY);
    const SourceInfo& info = slices->info();
    const std::array<Index, 3> found = {info.columns, info.rows, info.views};
    const std::string text = TiffReader(files.front()).description();
    if (!isVolumeDescription(text))
        return {{found, {1, 1, 1}, {0, 0, 0}}, {info.pixelType, 1, 0}, std::move(slices)};
    const VolumeDescription description =
        parseVolumeDescription(text, path.string() + ": ImageDescription");
    const auto& stated = description.grid.voxels;
    if (stated != found || description.encoding.type != info.pixelType)
        fail(path, fmt::format("its description says {} × {} × {} voxels of {}, and the images are "
                               "{} × {} × {} of {}",
                               stated[0], stated[1], stated[2], name(description.encoding.type),
                               found[0], found[1], found[2], name(info.pixelType)));
    return {description.grid, description.encoding, std::move(slices)};
}

bool saysItIsAVolume(const fs::path& path) {
    std::error_code ignored;
    if (fs::is_directory(path, ignored))
        return isVolumeDescription(TiffReader(matchFiles(path, kTiffNames).front()).description());
    switch (volumeFormatOf(path)) {
        case VolumeFormat::metaImage:
        case VolumeFormat::metaImagePair:
            return true;
        case VolumeFormat::raw:
            return isVolumeDescription(readTextFile(rawDescriptionPath(path)));
        case VolumeFormat::bigTiff:
            return isVolumeDescription(TiffReader(path).description());
        case VolumeFormat::tiffFolder:
            break;
    }
    return false;
}

}  // namespace

void StoredVolume::read(Index zBegin, Span3<float> voxels) const {
    const auto [nX, nY, nZ] = grid.voxels;
    require(zBegin >= 0 && zBegin + voxels.size(0) <= nZ && voxels.size(1) == nY &&
                voxels.size(2) == nX,
            "slices do not fit the volume that they are read from");
    HostBuffer<std::byte> stored(nY * nX * sizeBytes(encoding.type));
    for (Index z = 0; z < voxels.size(0); ++z) {
        slices->readRows(zBegin + z, {0, nY}, stored.span());
        decode(encoding, stored.span(), {voxels.row(z, 0), static_cast<std::size_t>(nY * nX)});
    }
}

StoredVolume openStoredVolume(const fs::path& path) {
    std::error_code ignored;
    if (!fs::exists(path, ignored))
        fail(path, "there is no such file or folder", ErrorCode::missingFile);
    if (fs::is_directory(path, ignored)) return openTiff(path, matchFiles(path, kTiffNames));
    switch (volumeFormatOf(path)) {
        case VolumeFormat::metaImage:
        case VolumeFormat::metaImagePair:
            return openMetaImage(path);
        case VolumeFormat::raw:
            return openRaw(path);
        case VolumeFormat::bigTiff:
            return openTiff(path, {path});
        case VolumeFormat::tiffFolder:
            break;
    }
    fail(path,
         "it is not a volume. Volumes are .mha, .mhd, .raw with its .raw.json, .tif and folders of "
         "TIFF slices",
         ErrorCode::unknownFormat);
}

bool isStoredVolume(const fs::path& path) {
    try {
        return saysItIsAVolume(path);
    } catch (const InputError&) {
        return false;
    }
}

}  // namespace gantry
