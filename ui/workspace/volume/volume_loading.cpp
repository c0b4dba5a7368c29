#include "ui/workspace/volume/volume_loading.h"

#include <QJsonDocument>
#include <QJsonObject>
#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/parallel.h"
#include "core/io/volume/stored_volume.h"
#include "core/job/job_directory.h"
#include "core/job/job_file.h"
#include "core/job/job_status.h"
#include "core/job/provenance.h"
#include "ui/models/text.h"
#include "ui/workspace/scan/scan_document.h"

namespace gantry {

namespace {

constexpr Index kVoxelBytes = sizeof(float);

Index countNotFinite(std::span<const float> voxels) {
    return std::ranges::count_if(voxels, [](float voxel) { return !std::isfinite(voxel); });
}

// Reads in order, because only so compressed files are fast; and a few slices at a time, so that a
// request to stop takes effect.
void readLevel(Index level, LoadedVolume& volume, std::atomic<double>& fraction,
               const std::stop_token& stop) {
    constexpr Index kSlicesAtOnce = 8;
    const auto [nX, nY, nZ] = volume.grid.voxels;
    std::optional<InputError> failure;
    for (Index z = 0; z < nZ; z += kSlicesAtOnce) {
        if (stop.stop_requested()) throw Cancelled();
        const IndexRange slices = {z, std::min(z + kSlicesAtOnce, nZ)};
        float* const voxels = volume.voxels.data() + z * nX * nY;
        std::optional<InputError> here = volume.levels->readIntact(
            level, {{0, nX}, {0, nY}, slices}, {voxels, slices.size(), nY, nX}, availableThreads());
        if (here && !failure) failure = std::move(here);
        volume.notFinite +=
            countNotFinite({voxels, static_cast<std::size_t>(slices.size() * nY * nX)});
        fraction = static_cast<double>(slices.end) / static_cast<double>(nZ);
    }
    if (!failure) return;
    if (volume.notFinite == volume.grid.count()) throw InputError(*failure);
    volume.damage = QString::fromStdString(messageOf(*failure));
}

bool isAttenuation(const VoxelEncoding& encoding) {
    return !isInteger(encoding.type) || encoding.slope != 1 || encoding.intercept != 0;
}

Index levelWithin(const std::vector<VolumeGrid>& levels, const VolumeBudget& budget) {
    if (levels.front().count() <= budget.wholeBytes / kVoxelBytes) return 0;
    const auto fits = std::ranges::find_if(levels, [&](const VolumeGrid& level) {
        return level.count() <= budget.overviewBytes / kVoxelBytes;
    });
    return std::min<Index>(fits - levels.begin(), std::ssize(levels) - 1);
}

JobSpec requestInRecord(const std::filesystem::path& volume) {
    const std::filesystem::path record = provenancePath(volume);
    const auto json = QJsonDocument::fromJson(QByteArray::fromStdString(readTextFile(record)));
    const QJsonDocument request(json.object().value("request").toObject());
    return parseJobSpec(request.toJson().toStdString(), record.string());
}

}  // namespace

VolumeOrigin originOf(const std::filesystem::path& volume) {
    try {
        const std::filesystem::path own = volume.parent_path();
        const bool isPreview = volume.filename() == "preview.mha" && pathExists(own / "job.json");
        const std::filesystem::path job = isPreview ? own : jobFolderFor(volume);
        const JobSpec request =
            pathExists(job / "job.json") ? readJobRequest(job) : requestInRecord(volume);
        VolumeOrigin origin = {titleOf(request.scan), request.scan.path, request.scan.folder,
                               isPreview ? request.volume.pitchMm[0] : 0};
        const FieldOfView measured = fieldOfView(request.geometry());
        if (request.corrections.truncation.fieldOfViewMm > 2 * measured.radiusMm)
            origin.measured = measured;
        origin.geometry = request.scan.geometry;
        return origin;
    } catch (const std::exception&) {
        return {};
    }
}

bool showOneObject(const VolumeIdentity& a, const VolumeIdentity& b) {
    if (!a.origin.scan.isEmpty() && !b.origin.scan.isEmpty())
        return a.origin.file == b.origin.file && a.origin.folder == b.origin.folder;
    for (std::size_t i = 0; i < 3; ++i) {
        const double voxelMm = std::max(a.stored.pitchMm[i], b.stored.pitchMm[i]);
        const auto widthMm = [i](const VolumeGrid& grid) {
            return static_cast<double>(grid.voxels[i]) * grid.pitchMm[i];
        };
        if (std::abs(widthMm(a.stored) - widthMm(b.stored)) > 2 * voxelMm ||
            std::abs(a.stored.centerMm[i] - b.stored.centerMm[i]) > voxelMm)
            return false;
    }
    return true;
}

QString whyNotOfScan(const VolumeOrigin& origin, const ScanFile& scan) {
    if (!origin.geometry) return {};
    if (origin.file != scan.path || origin.folder != scan.folder)
        return ScanDocument::tr("It was made from another scan: %1.").arg(origin.scan);
    if (*origin.geometry != scan.geometry)
        return ScanDocument::tr(
            "It was made with another geometry than the scan has now. Reconstruct again, or undo "
            "the changes of the geometry.");
    return {};
}

LoadedVolume loadVolume(const std::filesystem::path& path, const VolumeBudget& budget,
                        std::atomic<double>& fraction, const std::stop_token& stop) {
    LoadedVolume volume;
    const StoredVolume file = openStoredVolume(path);
    volume.format = QString::fromStdString(file.slices->info().format);
    if (!isAttenuation(file.encoding)) volume.unit.clear();
    volume.scale = file.encoding.scale;
    if (volume.scale.unit == ValueUnit::hounsfield) volume.unit = QStringLiteral("HU");
    volume.levels = openVolumeLevels(path);
    const std::vector<VolumeGrid>& levels = volume.levels->grids();
    const Index level = levelWithin(levels, budget);
    volume.path = toText(path);
    volume.origin = originOf(path);
    volume.stored = levels.front();
    volume.grid = levels[level];
    volume.voxels = HostBuffer<float>(volume.grid.count());
    readLevel(level, volume, fraction, stop);
    volume.histogram = histogramOf(volume.voxels.span());
    volume.window = autoWindow(volume.voxels.span());
    return volume;
}

}  // namespace gantry
