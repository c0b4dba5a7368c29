#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/file.h"
#include "core/base/types.h"
#include "core/plan/job_spec.h"
#include "core/plan/slabs.h"
#include "core/prep/line_integrals.h"

namespace gantry {

/// What one rank of several has finished since the checkpoint.
struct RankCheckpoint {
    /// Slabs that are made together, and the invalid pixels that the rank found in its part of
    /// their views; they count once all ranks have finished these slabs, because otherwise the
    /// views are read again.
    struct Part {
        std::vector<Index> slabs;
        InvalidPixels invalidPixels;
    };
    int rank = 0;
    /// Slabs in which the rank has done its part: stored its own share, and read what others need.
    std::vector<Part> parts;
    /// Slices that it has stored; empty: all of these slabs.
    std::vector<IndexRange> slices{};
    std::string summary;  ///< VolumeSummary::saveSlices() of these slices, in order

    [[nodiscard]] std::set<Index> slabs() const;  ///< slabs of all parts
};

/// What an interrupted run had finished: everything needed to resume it exactly.
struct Checkpoint {
    FinishedSlabs slabs;
    std::string summary;          ///< VolumeSummary::save() of the slices that are done
    InvalidPixels invalidPixels;  ///< in the views of these slabs
    /// inputState() of the scan's files when the job began; empty: they are somewhere else now, and
    /// known to be the same.
    std::string inputs;
    std::string engine{};  ///< engine that made the slabs; empty if it was not recorded
    /// Rows along which the views were filtered, and are on any machine; none: upright, or it makes
    /// no difference
    std::optional<FilterRows> rows{};
    /// For a run on several ranks: its name, and what the ranks except the first have finished;
    /// including the first if several share a slab.
    std::string run{};
    Index sharers = 1;  ///< number of ranks that share a slab: store parts of it, or read views for
                        ///< it
    std::vector<RankCheckpoint> ranks{};

    /// Slabs that all ranks that share them have finished.
    [[nodiscard]] std::set<Index> allDone() const;
    /// Invalid pixels in the views of these slabs.
    [[nodiscard]] InvalidPixels allInvalid() const;
    /// The part of them that the rank has found.
    [[nodiscard]] InvalidPixels invalidOf(const RankCheckpoint& rank) const;
};

/// A reconstruction on disk (resources/help/architecture.md): job.json, events.jsonl,
/// checkpoint.json (and those of ranks, "events.rank3.jsonl"), the reports, and a forecast if there
/// was one; the volume itself goes to the requested path. While a JobDirectory exists, no other
/// process can work on the same job. Tests: tests/core/job/job_directory_test.cpp
class JobDirectory {
  public:
    /// Creates the folder (its parent must exist) and writes job.json. Files that an earlier job
    /// left in the folder are removed.
    /// @throws InputError when it cannot be written, contains something else than a job, or is
    /// being
    ///         worked on
    static JobDirectory create(const std::filesystem::path& folder, const JobSpec& spec);
    /// @throws InputError when it is no job, or is being worked on
    static JobDirectory open(const std::filesystem::path& folder);
    /// Opens, without the lock, the job that another rank of the same run has opened.
    /// @throws InputError when it is no job
    static JobDirectory join(const std::filesystem::path& folder);

    [[nodiscard]] const std::filesystem::path& folder() const { return m_folder; }
    [[nodiscard]] const JobSpec& spec() const { return m_spec; }
    /// Replaces the request for this run only; job.json is not changed. The volume must be the
    /// same, so that an interrupted run's slabs fit.
    void useSpec(JobSpec spec) { m_spec = std::move(spec); }
    [[nodiscard]] std::filesystem::path file(const char* name) const { return m_folder / name; }

    /// @throws InputError when it does not fit the job
    [[nodiscard]] std::optional<Checkpoint> readCheckpoint() const;
    void writeCheckpoint(const Checkpoint& checkpoint) const;
    void removeCheckpoint() const;
    /// run: Checkpoint::run of the run that it belongs to
    void writeRankCheckpoint(const std::string& run, const RankCheckpoint& checkpoint) const;

  private:
    JobDirectory(std::filesystem::path folder, File lock, JobSpec spec);

    std::filesystem::path m_folder;
    File m_lock;  ///< holds the lock for as long as it is open
    JobSpec m_spec;
};

/// The default folder of a job: "volume.mha" is made in "volume.mha.job".
[[nodiscard]] std::filesystem::path jobFolderFor(const std::filesystem::path& output);

}  // namespace gantry
