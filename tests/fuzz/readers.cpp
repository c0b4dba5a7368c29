#include "tests/fuzz/readers.h"

#include <cstddef>
#include <cstring>
#include <memory>

#include "core/base/file.h"
#include "core/describe/angle_table.h"
#include "core/describe/description_format.h"
#include "core/describe/projection_table.h"
#include "core/geometry/exchange/exchange.h"
#include "core/io/matlab/tigre_geometry.h"
#include "core/io/open_source.h"
#include "core/io/scan_file/angle_file.h"
#include "core/io/scan_file/pose_file.h"
#include "core/io/volume/stored_volume.h"

namespace gantry::fuzz {

namespace fs = std::filesystem;

namespace {

// A description is read twice, the second time with the last answer to each of its questions.
void readDescription(const DescriptionFormat& format, const fs::path& file) {
    Answers answers;
    for (const OpenQuestion& question : format.read(file, {}).questions)
        answers[question.name] = question.choices.back();
    if (!answers.empty()) (void)format.read(file, answers);
}

void readImages(const fs::path& file) {
    constexpr Index kMaxPixels = 1 << 18;
    (void)statedGeometry({file});
    const std::shared_ptr<const ProjectionSource> source = openViews({file}, {}).source;
    const SourceInfo& info = source->info();
    if (info.rows * info.columns > kMaxPixels) return;
    std::vector<std::byte> pixels(
        static_cast<std::size_t>(info.rows * info.columns * sizeBytes(info.pixelType)));
    source->readRows(info.views - 1, {0, info.rows}, pixels);
}

void readVolume(const fs::path& file) {
    constexpr Index kMaxVoxels = 1 << 18;
    const StoredVolume volume = openStoredVolume(file);
    const Index voxels = volume.grid.voxels[0] * volume.grid.voxels[1];
    if (voxels > kMaxVoxels) return;
    std::vector<float> slice(static_cast<std::size_t>(voxels));
    volume.read(volume.grid.voxels[2] - 1,
                {slice.data(), 1, volume.grid.voxels[1], volume.grid.voxels[0]});
}

// A volume in DICOM files is a folder.
void readSlice(const fs::path& file) {
    const fs::path folder = file.parent_path() / "series.dcm";
    fs::create_directories(folder);
    fs::copy_file(file, folder / "slice_0000.dcm", fs::copy_options::overwrite_existing);
    readVolume(folder);
}

// The header of raw images, which lies beside them.
void readRawHeader(const fs::path& file) {
    fs::path images = file;
    images.replace_extension();
    if (!pathExists(images)) writeFileAtomically(images, "pixels");
    readImages(images);
}

}  // namespace

void writeImagesBeside(const fs::path& folder) {
    // A frame of 4 x 3 pixels for Elekta's description, which has no sizes.
    std::string his(68 + 2 * 4 * 3, '\0');
    his.replace(0, 4, std::string("\0pD\0", 4));
    his[16] = 3;
    his[18] = 2;
    his[20] = 1;
    writeFileAtomically(folder / "beside.his", his);
    // An image of a row of 4 pixels of 0.4 mm for Varian's older description, which has no sizes.
    std::string hnd(1024 + 4 * 4, '\0');
    hnd[120] = 4;
    hnd[124] = 1;
    const double pitchMm = 0.4;
    for (const std::size_t at : {352U, 360U})
        std::memcpy(hnd.data() + at, &pitchMm, sizeof pitchMm);
    writeFileAtomically(folder / "beside.hnd", hnd);
    // The voxels of VGSTUDIO's header.
    writeFileAtomically(folder / "volume.vol", std::string(3 * 2 * 2 * sizeof(float), '\0'));
}

std::vector<Reader> readers() {
    std::vector<Reader> all;
    for (const DescriptionFormat& format : descriptionFormats())
        if (format.read)
            all.push_back({std::string(format.word), std::string(format.extensions.front()),
                           [&](const fs::path& file) { readDescription(format, file); }});
    const std::vector<Reader> others = {
        {"angle-table", "_ctdata.txt",
         [](const fs::path& file) { (void)readAngleTable(file, 1000); }},
        {"projection-table", ".projtable",
         [](const fs::path& file) {
             (void)readProjectionTable(file, {64, 48, {1, 1}, {0, 0}}, 2);
         }},
        {"rtk", ".xml",
         [](const fs::path& file) {
             (void)readRtkGeometry(file, {64, 48, {1, 1}, {0, 0}});
         }},
        {"astra", ".vec", [](const fs::path& file) { (void)readAstraVectors(file, 64, 48); }},
        {"leap", ".cfg", [](const fs::path& file) { (void)readLeapParameters(file); }},
        {"tigre", ".mat", [](const fs::path& file) { (void)readTigreGeometryHere(file); }},
        {"poses", ".csv", [](const fs::path& file) { (void)readPoseFile(file); }},
        {"angles", ".txt", [](const fs::path& file) { (void)readAngleFile(file); }},
        {"metaimage", ".mha", readImages},
        {"tiff", ".tif", readImages},
        {"xim", ".xim", readImages},
        {"hnd", ".hnd", readImages},
        {"his", ".his", readImages},
        {"xradia", ".txrm", readImages},
        {"nrrd", ".nrrd", readVolume},
        {"nifti", ".nii", readVolume},
        {"vgi", ".vgi", readVolume},
        {"ome-tiff", ".ome.tif", readVolume},
        {"dicom", ".dcm", readSlice},
        {"raw", ".raw.json", readRawHeader},
    };
    all.insert(all.end(), others.begin(), others.end());
    return all;
}

}  // namespace gantry::fuzz
