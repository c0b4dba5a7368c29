#include "core/work/volume_store.h"

#include <fmt/format.h>

#include <mutex>
#include <utility>

#include "core/base/error.h"
#include "core/base/file.h"

namespace gantry {

SinkNeeds sinkNeedsOf(const JobSpec& spec) {
    const std::filesystem::path& path = spec.output.path;
    // A folder of slices ends in a slash.
    std::filesystem::path folder = (path.has_filename() ? path : path.parent_path()).parent_path();
    if (folder.empty()) folder = ".";
    return {2 * VolumeSummary::bytesNeeded(spec.volume), outputBytes(spec.output, spec.volume),
            folder};
}

VolumeStore::VolumeStore(const JobDirectory& job, std::vector<IndexRanges> slabs,
                         const std::optional<Checkpoint>& checkpoint, std::string inputs,
                         std::string engine)
    : m_job(job) {
    if (checkpoint) {
        m_checkpoint = *checkpoint;
        if (m_checkpoint.inputs != inputs)
            throw InputError(
                fmt::format("The scan's files have changed since the job {} was interrupted. Start "
                            "it again from the beginning.",
                            job.folder().string()));
    } else {
        m_checkpoint.slabs.slabs = std::move(slabs);
        m_checkpoint.inputs = std::move(inputs);
    }
    m_checkpoint.engine = std::move(engine);
    // The disk is checked before memory is allocated.
    m_file = openOutput();
    try {
        m_summary.emplace(job.spec().volume);
        if (hasKeptSlabs()) m_summary->restore(std::exchange(m_checkpoint.summary, {}));
    } catch (...) {
        discard();
        throw;
    }
}

std::unique_ptr<VolumeSink> VolumeStore::openOutput() const {
    const JobSpec& spec = m_job.spec();
    try {
        return openSink(spec.output, spec.volume, hasKeptSlabs());
    } catch (const InputError&) {
        // The interrupted run may have come as far as giving the volume its name.
        const bool complete = m_checkpoint.slabs.done.size() == m_checkpoint.slabs.slabs.size();
        if (!complete || !pathExists(spec.output.path)) throw;
        return nullptr;
    }
}

void VolumeStore::put(Index zBegin, Span3<const float> voxels, int threads) {
    {
        const std::shared_lock lock(m_summaryMutex);
        m_summary->add(zBegin, voxels, threads);
    }
    m_file->write(zBegin, voxels, threads);
}

void VolumeStore::keepSlabs(const std::vector<Index>& slabs, const InvalidPixels& invalid) {
    flush();
    m_checkpoint.slabs.done.insert(slabs.begin(), slabs.end());
    m_checkpoint.invalidPixels += invalid;
    {
        const std::unique_lock lock(m_summaryMutex);
        m_checkpoint.summary = m_summary->save();
    }
    m_job.writeCheckpoint(m_checkpoint);
    m_checkpoint.summary = {};
}

void VolumeStore::complete(int threads, const std::stop_token& stop) {
    if (m_file) m_file->finish(threads, stop);
}

void VolumeStore::discard() noexcept {
    if (m_file && !hasKeptSlabs()) m_file->discard();
}

}  // namespace gantry
