#include "core/work/volume_store.h"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <utility>

#include "core/base/file.h"
#include "core/base/throw_error.h"
#include "core/io/volume/volume_format.h"
#include "core/work/job_preview.h"

namespace gantry {

namespace {

// "raw uint16, scaled to its own range"
std::string kindOf(const OutputFormat& output) {
    const bool ownRange = output.type != PixelType::float32 && !output.range;
    return fmt::format("{} {}{}", volumeFormatOf(output.path).name, name(output.type),
                       ownRange ? ", scaled to its own range" : "");
}

}  // namespace

SinkNeeds sinkNeedsOf(const JobSpec& spec) {
    const std::filesystem::path& path = spec.output.path;
    // A folder of slices ends in a slash.
    std::filesystem::path folder = (path.has_filename() ? path : path.parent_path()).parent_path();
    if (folder.empty()) folder = ".";
    return {2 * VolumeSummary::bytesNeeded(spec.volume) + JobPreview::bytesNeeded(spec),
            outputBytes(spec.output, spec.volume), folder, sinkThreadBytes(spec.output),
            kindOf(spec.output)};
}

VolumeStore::VolumeStore(const JobDirectory& job, std::vector<IndexRanges> slabs,
                         const std::optional<Checkpoint>& checkpoint, std::string inputs,
                         std::string engine, const ViewChoices& choices, StoreShare share)
    : m_job(job), m_share(std::move(share)) {
    if (checkpoint) {
        m_checkpoint = *checkpoint;
        // The finished slabs of all ranks now belong to this process, or to rank 0.
        m_checkpoint.slabs.done = checkpoint->allDone();
        m_checkpoint.invalidPixels = checkpoint->allInvalid();
        m_checkpoint.ranks.clear();
        const bool isKnownSame = m_checkpoint.inputs.empty();
        if (!isKnownSame && m_checkpoint.inputs != inputs)
            throwError<InputError>(
                "The scan's files have changed since the job {} was interrupted. Start "
                "it again from the beginning.",
                job.folder().string());
    } else {
        m_checkpoint.slabs.slabs = std::move(slabs);
    }
    m_checkpoint.inputs = std::move(inputs);
    m_checkpoint.engine = std::move(engine);
    m_checkpoint.choices = choices;
    m_own.rank = m_share.rank;
    // The disk is checked before memory is allocated.
    m_file = openOutput();
    try {
        m_summary.emplace(job.spec().volume);
        if (checkpoint && isFirst()) takeSaved(*checkpoint);
        m_checkpoint.summary = {};
        m_checkpoint.run = m_share.run;
        m_checkpoint.sharers = m_share.sharers;
        // Ties the records of the other ranks to this run.
        if (isFirst() && !m_share.run.empty()) writeCheckpoint();
    } catch (...) {
        discard();
        throw;
    }
}

std::unique_ptr<VolumeSink> VolumeStore::openOutput() const {
    const JobSpec& spec = m_job.spec();
    if (m_share.through) return m_share.through();
    if (!m_share.opens) return openSink(spec.output, spec.volume, SinkStart::joined);
    try {
        return openSink(spec.output, spec.volume,
                        hasKeptSlabs() ? SinkStart::resumed : SinkStart::fresh);
    } catch (const InputError&) {
        // The interrupted run may have got as far as giving the volume its final name.
        const bool complete = m_checkpoint.slabs.done.size() == m_checkpoint.slabs.slabs.size();
        if (!complete || !pathExists(spec.output.path)) throw;
        return nullptr;
    }
}

std::vector<IndexRange> VolumeStore::slicesOf(const std::set<Index>& slabs) const {
    std::vector<IndexRange> slices;
    for (const Index slab : slabs)
        for (const IndexRange& part :
             m_checkpoint.slabs.slabs[static_cast<std::size_t>(slab)].parts())
            slices.push_back(part);
    return slices;
}

void VolumeStore::takeSaved(const Checkpoint& checkpoint) {
    if (!checkpoint.slabs.done.empty()) m_summary->restore(checkpoint.summary);
    for (const RankCheckpoint& rank : checkpoint.ranks)
        addSaved(rank, checkpoint.sharers);
}

void VolumeStore::addSaved(const RankCheckpoint& rank, Index sharers) {
    const std::vector<IndexRange> slices = sharers > 1 ? rank.slices : slicesOf(rank.slabs());
    if (!slices.empty()) m_summary->addSaved(slices, rank.summary);
}

// Sorts ranges and joins neighbours.
std::vector<IndexRange> VolumeStore::joined(std::vector<IndexRange> slices) {
    std::sort(slices.begin(), slices.end(),
              [](const IndexRange& a, const IndexRange& b) { return a.begin < b.begin; });
    std::vector<IndexRange> result;
    for (const IndexRange& range : slices)
        if (!result.empty() && result.back().end == range.begin)
            result.back().end = range.end;
        else
            result.push_back(range);
    return result;
}

InvalidPixels VolumeStore::takeRanks() {
    InvalidPixels invalid;
    const std::optional<Checkpoint> kept = m_job.readCheckpoint();
    require(kept && kept->run == m_share.run, "a run on ranks has lost its checkpoint");
    for (const RankCheckpoint& rank : kept->ranks) {
        if (rank.rank == m_share.rank) continue;
        addSaved(rank, kept->sharers);
        invalid += kept->invalidOf(rank);
    }
    require(kept->allDone().size() == kept->slabs.slabs.size(),
            "the ranks of a run have left slabs unmade");
    // Opens the file again as the others left it, because this sink knows only its own slices.
    if (m_file && !m_share.isServed) {
        m_file.reset();
        m_file = openSink(m_job.spec().output, m_job.spec().volume, SinkStart::resumed);
    }
    return invalid;
}

void VolumeStore::put(Index zBegin, Span3<const float> voxels, int threads) {
    {
        const std::shared_lock lock(m_summaryMutex);
        m_summary->add(zBegin, voxels, threads);
    }
    if (m_share.sharers > 1) {
        const std::scoped_lock lock(m_addedMutex);
        m_added.push_back({zBegin, zBegin + voxels.size(0)});
    }
    m_file->write(zBegin, voxels, threads);
}

void VolumeStore::keepSlabs(const std::vector<Index>& slabs, const InvalidPixels& invalid) {
    flush();
    if (isFirst() && m_share.sharers == 1) {
        m_checkpoint.slabs.done.insert(slabs.begin(), slabs.end());
        m_checkpoint.invalidPixels += invalid;
        writeCheckpoint();
        return;
    }
    m_own.parts.push_back({slabs, invalid});
    if (m_share.sharers > 1) {
        const std::scoped_lock lock(m_addedMutex);
        m_own.slices = m_added = joined(std::move(m_added));
    }
    {
        const std::unique_lock lock(m_summaryMutex);
        m_own.summary =
            m_summary->saveSlices(m_share.sharers > 1 ? m_own.slices : slicesOf(m_own.slabs()));
    }
    m_job.writeRankCheckpoint(m_share.run, m_own);
}

void VolumeStore::writeCheckpoint() {
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
    if (!m_file || !m_share.opens || hasKeptSlabs()) return;
    try {
        const std::optional<Checkpoint> kept =
            m_share.run.empty() ? std::nullopt : m_job.readCheckpoint();
        if (kept && !kept->allDone().empty()) return;
        // Other ranks may still keep slabs of this run. Without this record theirs do not count,
        // and a later run begins anew instead of looking for slices that are gone.
        if (kept) m_job.removeSlabRecords();
    } catch (const std::exception&) {
        return;  // an unreadable record is ignored
    }
    m_file->discard();
}

}  // namespace gantry
