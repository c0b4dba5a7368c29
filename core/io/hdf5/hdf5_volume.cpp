#include "core/io/hdf5/hdf5_volume.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <fstream>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <utility>

#include "core/base/error.h"
#include "core/io/file_error.h"
#include "core/io/hdf5/hdf5_file.h"
#include "core/io/hdf5/hdf5_images.h"
#include "core/io/hdf5/hdf5_tomography.h"
#include "core/io/hdf5/hdf5_trial.h"
#include "core/io/hdf5/hdf5_volume_header.h"
#include "core/io/volume/flat_sink.h"
#include "core/io/volume/volume_description.h"

namespace gantry {

namespace fs = std::filesystem;

namespace {

class Hdf5Slices : public ProjectionSource {
  public:
    Hdf5Slices(const fs::path& path, const std::string& dataset)
        : m_file(path), m_images(m_file, dataset) {
        const ImageShape& shape = m_images.shape();
        m_info.views = m_images.images();
        m_info.rows = shape.rows;
        m_info.columns = shape.columns;
        m_info.pixelType = shape.type;
        m_info.readsRowsAlone = m_images.readsRowsAlone();
        m_info.isCompressed = m_images.isCompressed();
        m_info.storedBytes = m_file.sizeBytes();
        m_info.format =
            fmt::format("HDF5, {}, {}", gantry::describe(shape.type), m_images.storage());
    }

    [[nodiscard]] const SourceInfo& info() const override { return m_info; }
    void readRows(Index view, IndexRange rows, std::span<std::byte> pixels) const override {
        m_images.read(view, rows, pixels);
    }
    [[nodiscard]] std::string viewName(Index view) const override {
        return fmt::format("{}, slice {}", m_file.path().string(), view);
    }

    [[nodiscard]] const Hdf5File& file() const { return m_file; }
    void check() const {
        m_images.checkChunks();
        std::vector<std::byte> row(m_info.columns * sizeBytes(m_info.pixelType));
        for (const Index slice : {Index{0}, m_info.views - 1})
            m_images.read(slice, {m_info.rows / 2, m_info.rows / 2 + 1}, row);
    }

  private:
    Hdf5File m_file;
    Hdf5Images m_images;
    SourceInfo m_info;
};

// The dataset that NeXus plots by default: the signal of the default data of the default entry.
std::optional<std::string> defaultPlot(const Hdf5File& file) {
    const auto next = [&](const std::string& group, const char* nxClass) {
        const std::string above = group == "/" ? "" : group;
        if (const std::string stated = file.attribute(group, "default"); !stated.empty())
            return fmt::format("{}/{}", above, stated);
        for (const std::string& child : file.groupsIn(group))
            if (file.attribute(fmt::format("{}/{}", above, child), "NX_class") == nxClass)
                return fmt::format("{}/{}", above, child);
        return std::string();
    };
    const std::string entry = next("/", "NXentry");
    if (entry.empty() || !file.has(entry)) return std::nullopt;
    const std::string data = next(entry, "NXdata");
    if (data.empty() || !file.has(data)) return std::nullopt;
    std::string signal = file.attribute(data, "signal");
    if (signal.empty()) signal = "data";
    std::string dataset = fmt::format("{}/{}", data, signal);
    if (!file.has(dataset)) return std::nullopt;
    return dataset;
}

std::optional<std::string> voxelDataset(const Hdf5File& file) {
    if (std::optional<std::string> plot = defaultPlot(file)) return plot;
    if (file.has("/exchange/data")) return "/exchange/data";
    const std::vector<std::string> stacks = file.stacksIn("/");
    if (stacks.size() == 1) return "/" + stacks.front();
    return std::nullopt;
}

std::string descriptionIn(const Hdf5File& file, const std::string& dataset) {
    std::string text = file.attribute(dataset, kHdf5Description);
    return isVolumeDescription(text) ? text : std::string();
}

std::unique_ptr<Hdf5Slices> openSlices(const fs::path& path) {
    const Hdf5File file(path);
    if (holdsTomography(file))
        throw FileError(path, "holds the projections of a scan, not a volume");
    const std::optional<std::string> dataset = voxelDataset(file);
    if (!dataset)
        throw FileError(path,
                        "is an HDF5 file without a volume that Gantry knows: it has no default "
                        "plot as of NeXus, no dataset /exchange/data, and not one dataset of three "
                        "dimensions at its top");
    return std::make_unique<Hdf5Slices>(path, *dataset);
}

std::array<double, 3> foreignPitchMm(const Hdf5File& file, const std::string& dataset) {
    constexpr double kUmPerMm = 1000;
    const std::vector<double> um = file.attributeNumbers(dataset, "element_size_um");
    if (um.size() != 3) return {1, 1, 1};
    std::array<double, 3> pitchMm = {um[2] / kUmPerMm, um[1] / kUmPerMm, um[0] / kUmPerMm};
    for (const double pitch : pitchMm)
        if (!(pitch > 0) || !std::isfinite(pitch)) return {1, 1, 1};
    return pitchMm;
}

StoredVolume openVolume(const fs::path& path) {
    std::unique_ptr<Hdf5Slices> slices = openSlices(path);
    const SourceInfo& info = slices->info();
    const std::array<Index, 3> found = {info.columns, info.rows, info.views};
    const std::string dataset = *voxelDataset(slices->file());
    const std::string text = descriptionIn(slices->file(), dataset);
    if (text.empty())
        return {{found, foreignPitchMm(slices->file(), dataset), {0, 0, 0}},
                {info.pixelType, 1, 0},
                std::move(slices)};
    const VolumeDescription description =
        parseVolumeDescription(text, fmt::format("{}: {}", path.string(), kHdf5Description));
    if (description.grid.voxels != found || description.encoding.type != info.pixelType)
        refuseVolume(path, fmt::format("its attribute {} tells of another size or type than its "
                                       "dataset {} has",
                                       kHdf5Description, dataset));
    return {description.grid, description.encoding, std::move(slices)};
}

StoredVolume readHdf5(const fs::path& path) {
    (void)tryHdf5(path, Hdf5Question::volume);
    return openVolume(path);
}

bool isHdf5Volume(const fs::path& path) {
    return !tryHdf5(path, Hdf5Question::isVolume).empty();
}

Index hdf5HeaderBytes(const VolumeGrid& grid, PixelType /*type*/) {
    constexpr Index kGroupsAndTexts = 24'576;
    const auto [nX, nY, nZ] = grid.voxels;
    return kGroupsAndTexts + (nX + nY + nZ) * Index{sizeof(double)};
}

}  // namespace

void tryHdf5Volume(const fs::path& path) {
    (void)openVolume(path);
    openSlices(path)->check();
}

// A file that is not marked as a volume, and has something else that can be read as projections,
// may be projections as well.
bool isHdf5VolumeHere(const fs::path& path) {
    const Hdf5File file(path);
    const std::optional<std::string> dataset = voxelDataset(file);
    return dataset && !holdsTomography(file) &&
           (!descriptionIn(file, *dataset).empty() || !file.has("/exchange/data"));
}

std::string hdf5PartsHere(const fs::path& path) {
    const Hdf5File file(path);
    std::set<std::string> datasets;
    if (const std::optional<std::string> dataset = voxelDataset(file)) datasets.insert(*dataset);
    for (const FrameKind kind :
         {FrameKind::projections, FrameKind::dark, FrameKind::flat, FrameKind::badPixels}) {
        try {
            const Hdf5Tomography scan = readTomography(file, kind);
            datasets.insert(scan.frames(kind).dataset);
            datasets.insert(scan.frames(kind).datasetAfter);
        } catch (const InputError&) {
            // It has no such frames.
        }
    }
    std::string names;
    datasets.erase("");
    for (const std::string& dataset : datasets)
        for (const fs::path& part : hdf5SourcesOf(file, dataset))
            names += part.string() + "\n";
    return names;
}

std::vector<fs::path> hdf5Parts(const fs::path& file) {
    std::vector<fs::path> parts;
    std::string begin(2048, '\0');
    std::ifstream(file, std::ios::binary)
        .read(begin.data(), static_cast<std::streamsize>(begin.size()));
    if (!isHdf5Signature(begin)) return parts;
    std::istringstream names(tryHdf5(file, Hdf5Question::parts));
    for (std::string name; std::getline(names, name);)
        parts.emplace_back(name);
    return parts;
}

VolumeFileFormat hdf5Volumes() {
    VolumeFileFormat format;
    format.format = VolumeFormat::hdf5;
    format.name = "HDF5 (.h5)";
    format.label = "HDF5, NeXus";
    format.extensions = {".h5", ".hdf5", ".nxs"};
    format.headerBytes = hdf5HeaderBytes;
    format.write = [](const fs::path& place, const VolumeGrid& grid, const VoxelEncoding& encoding,
                      SinkStart start) -> std::unique_ptr<VolumeSink> {
        return std::make_unique<FlatSink>(hdf5VolumeLayout(place, {grid, encoding}), grid, encoding,
                                          start);
    };
    format.read = readHdf5;
    format.isVolume = isHdf5Volume;
    return format;
}

}  // namespace gantry
