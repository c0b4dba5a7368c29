#include "core/io/volume/volume_formats.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "core/base/file.h"
#include "core/base/text.h"
#include "core/base/throw_error.h"
#include "core/io/dicom/dicom_header.h"
#include "core/io/file_error.h"
#include "core/io/stack_source.h"
#include "core/io/volume/slice_folder_sink.h"
#include "core/io/volume/volume_description.h"

namespace gantry {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kDicomEnding = ".dcm";

bool hasDicomName(const fs::path& file) {
    return inLowerCase(file.extension().string()) == kDicomEnding;
}

std::unique_ptr<VolumeSink> writeDicom(const fs::path& place, const VolumeGrid& grid,
                                       const VoxelEncoding& encoding, SinkStart start) {
    const VolumeDescription description{grid, encoding};
    SliceFiles files;
    files.ending = kDicomEnding;
    files.makeIdentity = newDicomUid;
    files.write = [description, title = place.stem().string()](const fs::path& path, Index z,
                                                               std::span<const std::byte> pixels,
                                                               const std::string& uid) {
        const std::string header = dicomHeader(description, title, uid, z);
        File file(path, File::Mode::create);
        file.writeAt(0, std::as_bytes(std::span(header)));
        file.writeAt(std::ssize(header), pixels);
        file.close();
    };
    files.belongs = [text = toJson(description)](const fs::path& file) {
        return readDicomSlice(file).comments == text;
    };
    return std::make_unique<SliceFolderSink>(place, grid, encoding, std::move(files), start);
}

// Slices in order of z, which must be alike and equally spaced.
void requireSeries(const std::vector<DicomSlice>& slices, double pitchMm) {
    const DicomSlice& first = slices.front();
    const auto near = [](double a, double b, double step) {
        // A part of a voxel, as viewers of the field allow.
        return std::abs(a - b) <= 0.01 * step;
    };
    for (std::size_t i = 0; i < slices.size(); ++i) {
        const DicomSlice& slice = slices[i];
        if (slice.rows != first.rows || slice.columns != first.columns ||
            slice.encoding != first.encoding || slice.pitchMm != first.pitchMm)
            throwErrorOf<FileError>(slice.file,
                                    "differs from {} in its size, type, spacing or rescaling; a "
                                    "folder must hold one series",
                                    first.file.filename().string());
        const double expected = first.originMm[2] + static_cast<double>(i) * pitchMm;
        if (!near(slice.originMm[0], first.originMm[0], slice.pitchMm[0]) ||
            !near(slice.originMm[1], first.originMm[1], slice.pitchMm[1]) ||
            !near(slice.originMm[2], expected, pitchMm))
            throwErrorOf<FileError>(slice.file,
                                    "is at ({}, {}, {}) mm and was expected at ({}, {}, {}): "
                                    "slices are missing, there twice or not equally spaced",
                                    slice.originMm[0], slice.originMm[1], slice.originMm[2],
                                    first.originMm[0], first.originMm[1], expected);
    }
}

// Whether a description may stand for what the elements say; another program may have cropped,
// moved or rescaled the series, and left the text.
bool isSameButForDigits(const VolumeDescription& ours, const VolumeDescription& found) {
    const auto near = [](double a, double b, double of) { return std::abs(a - b) <= 1e-6 * of; };
    bool same = ours.grid.voxels == found.grid.voxels && ours.encoding.type == found.encoding.type;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const double pitchMm = found.grid.pitchMm[axis];
        same = same && near(ours.grid.pitchMm[axis], pitchMm, pitchMm) &&
               near(ours.grid.centerMm[axis], found.grid.centerMm[axis], pitchMm);
    }
    const double slope = found.encoding.slope;
    return same && near(ours.encoding.slope, slope, std::abs(slope)) &&
           near(ours.encoding.intercept, found.encoding.intercept, std::abs(slope));
}

StoredVolume readDicom(const fs::path& folder) {
    if (!isFolder(folder)) refuseVolume(folder, "it is one slice; open its folder");
    std::vector<DicomSlice> slices;
    for (const fs::path& entry : entriesOf(folder))
        if (hasDicomName(entry)) slices.push_back(readDicomSlice(entry));
    if (slices.empty()) refuseVolume(folder, "it has no files that end in .dcm");
    std::ranges::stable_sort(slices, {}, [](const DicomSlice& slice) { return slice.originMm[2]; });
    const DicomSlice& first = slices.front();
    const auto count = static_cast<double>(slices.size());
    double pitchMm = first.thicknessMm > 0 ? first.thicknessMm : 1;
    if (slices.size() > 1) pitchMm = (slices.back().originMm[2] - first.originMm[2]) / (count - 1);
    if (!(pitchMm > 0) || !(first.pitchMm[0] > 0) || !(first.pitchMm[1] > 0))
        refuseVolume(folder, fmt::format("its voxels are {} × {} × {} mm apart; each must be "
                                         "greater than 0",
                                         first.pitchMm[0], first.pitchMm[1], pitchMm));
    requireSeries(slices, pitchMm);
    StoredVolume volume;
    volume.grid.voxels = {first.columns, first.rows, std::ssize(slices)};
    volume.grid.pitchMm = {first.pitchMm[0], first.pitchMm[1], pitchMm};
    // The grid is centred on the origin so far, so the difference is the true centre.
    const Vec3 shift =
        Vec3{first.originMm[0], first.originMm[1], first.originMm[2]} - volume.grid.originMm();
    volume.grid.centerMm = {shift.x, shift.y, shift.z};
    volume.encoding = first.encoding;
    if (isVolumeDescription(first.comments)) {
        // DICOM's numbers have 16 characters, these all digits.
        const VolumeDescription ours =
            parseVolumeDescription(first.comments, first.file.string() + ": Image Comments");
        if (isSameButForDigits(ours, {volume.grid, volume.encoding})) {
            volume.grid = ours.grid;
            volume.encoding = ours.encoding;
        }
    }
    std::vector<ImageStack> stacks;
    stacks.reserve(slices.size());
    for (DicomSlice& slice : slices)
        stacks.push_back({slice.file, 1, slice.rows, slice.columns, slice.pixels.storedBytes,
                          std::move(slice.pixels)});
    OpenOptions inOrderOfY;
    inOrderOfY.firstRowIsTop = false;
    volume.slices = std::make_unique<StackSource>(
        std::move(stacks), fmt::format("DICOM, {}", describe(volume.encoding.type)), "slice",
        inOrderOfY);
    return volume;
}

}  // namespace

bool isDicomFolder(const fs::path& folder) noexcept {
    std::error_code error;
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
         entry.increment(error))
        if (hasDicomName(entry->path())) return true;
    return false;
}

VolumeFileFormat dicomVolumes() {
    VolumeFileFormat format;
    format.format = VolumeFormat::dicom;
    format.name = "folders of DICOM slices (.dcm)";
    format.label = "DICOM slices, 16-bit";
    format.extensions = {kDicomEnding};
    format.isFolder = true;
    format.types = {PixelType::uint16};
    format.checkPlace = [](const fs::path& place) { checkSliceFolder(place, kDicomEnding); };
    format.headerBytes = [](const VolumeGrid& grid, PixelType) {
        return grid.voxels[2] * kVolumeHeaderBytes;
    };
    format.write = writeDicom;
    format.read = readDicom;
    format.isVolume = [](const fs::path& path) { return isDicomFolder(path); };
    return format;
}

}  // namespace gantry
