#include "ui/workspace/volume_loading.h"

#include <QJsonDocument>
#include <QJsonObject>
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/io/volume/stored_volume.h"
#include "core/job/job_directory.h"
#include "core/job/job_file.h"
#include "core/job/job_status.h"
#include "core/job/provenance.h"
#include "ui/models/text.h"
#include "ui/workspace/scan_document.h"

namespace gantry {

namespace {

constexpr Index kVoxelBytes = sizeof(float);

Index factorFor(const VolumeGrid& grid, Index mostBytes) {
    Index factor = 1;
    while (coarsened(grid, factor).count() > std::max(mostBytes / kVoxelBytes, Index{1}))
        ++factor;
    return factor;
}

Index countNotFinite(std::span<const float> voxels) {
    return std::count_if(voxels.begin(), voxels.end(),
                         [](float voxel) { return !std::isfinite(voxel); });
}

// Sums of the finite voxels of one layer of blocks, and how many they are.
class BlockLayer {
  public:
    BlockLayer(const VolumeGrid& stored, const VolumeGrid& grid, Index factor)
        : m_stored(stored), m_grid(grid), m_factor(factor) {
        const auto blocks = static_cast<std::size_t>(grid.voxels[0] * grid.voxels[1]);
        m_sums.resize(blocks);
        m_counts.resize(blocks);
    }

    void add(std::span<const float> slice) {
        const Index nX = m_stored.voxels[0];
        for (Index y = 0; y < m_stored.voxels[1]; ++y) {
            const Index row = y / m_factor * m_grid.voxels[0];
            for (Index x = 0; x < nX; ++x) {
                const float voxel = slice[static_cast<std::size_t>(y * nX + x)];
                if (!std::isfinite(voxel)) continue;
                const auto block = static_cast<std::size_t>(row + x / m_factor);
                m_sums[block] += static_cast<double>(voxel);
                ++m_counts[block];
            }
        }
    }

    // Gives the means, NaN where there was nothing finite, and begins anew.
    void take(float* means) {
        for (std::size_t i = 0; i < m_sums.size(); ++i)
            means[i] = m_counts[i] > 0
                           ? static_cast<float>(m_sums[i] / static_cast<double>(m_counts[i]))
                           : std::numeric_limits<float>::quiet_NaN();
        std::fill(m_sums.begin(), m_sums.end(), 0.0);
        std::fill(m_counts.begin(), m_counts.end(), Index{0});
    }

  private:
    const VolumeGrid& m_stored;
    const VolumeGrid& m_grid;
    Index m_factor;
    std::vector<double> m_sums;
    std::vector<Index> m_counts;
};

// In order, as compressed files can be read quickly only so; a slice at a time, so that a request
// to stop takes effect.
void readSlices(const StoredVolume& file, Index factor, LoadedVolume& volume,
                std::atomic<double>& fraction, const std::stop_token& stop) {
    const auto [nX, nY, nZ] = volume.stored.voxels;
    BlockLayer layer(volume.stored, volume.grid, factor);
    HostBuffer<float> slice(factor > 1 ? nX * nY : 0);
    const Index blocks = volume.grid.voxels[0] * volume.grid.voxels[1];
    for (Index z = 0; z < nZ; ++z) {
        if (stop.stop_requested()) throw Cancelled();
        float* const voxels = factor > 1 ? slice.data() : volume.voxels.data() + z * blocks;
        file.read(z, {voxels, 1, nY, nX});
        const std::span<const float> read(voxels, static_cast<std::size_t>(nX * nY));
        volume.notFinite += countNotFinite(read);
        if (factor > 1) {
            layer.add(read);
            if ((z + 1) % factor == 0 || z + 1 == nZ)
                layer.take(volume.voxels.data() + z / factor * blocks);
        }
        fraction = static_cast<double>(z + 1) / static_cast<double>(nZ);
    }
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
        const std::filesystem::path job = jobFolderFor(volume);
        const JobSpec request =
            pathExists(job / "job.json") ? readJobRequest(job) : requestInRecord(volume);
        return {titleOf(request.scan), request.scan.path, request.scan.folder};
    } catch (const std::exception&) {
        return {};
    }
}

LoadedVolume loadVolume(const std::filesystem::path& path, Index mostBytes,
                        std::atomic<double>& fraction, const std::stop_token& stop) {
    const StoredVolume file = openStoredVolume(path);
    const Index factor = factorFor(file.grid, mostBytes);
    LoadedVolume volume;
    volume.path = toText(path);
    volume.origin = originOf(path);
    volume.levels = openVolumeLevels(path);
    volume.format = QString::fromStdString(file.slices->info().format);
    volume.stored = file.grid;
    volume.grid = coarsened(file.grid, factor);
    volume.voxels = HostBuffer<float>(volume.grid.count());
    readSlices(file, factor, volume, fraction, stop);
    volume.histogram = histogramOf(volume.voxels.span());
    volume.window = autoWindow(volume.voxels.span());
    return volume;
}

}  // namespace gantry
