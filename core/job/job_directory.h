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

/// What one rank of a run on several has finished, beside what the checkpoint says.
struct RankCheckpoint {
    /// Slabs that are made together, and the invalid pixels that the rank found in its part of
    /// their views; they count once all ranks have finished these slabs, as else they are looked at
    /// again.
    struct Part {
        std::vector<Index> slabs;
        InvalidPixels invalidPixels;
    };
    int rank = 0;
    /// In all of these slabs the rank has done its part: stored what is its own to store, and read
    /// what others need.
    std::vector<Part> parts;
    /// That it has stored; empty: all of these slabs.
    std::vector<IndexRange> slices{};
    std::string summary;  ///< VolumeSummary::saveSlices() of these slices, in order

    [[nodiscard]] std::set<Index> slabs() const;  ///< of all parts
};

/// What an interrupted run had finished: enough to resume it exactly.
struct Checkpoint {
    FinishedSlabs slabs;
    std::string summary;          ///< VolumeSummary::save() of the slices that are done
    InvalidPixels invalidPixels;  ///< in their views
    /// inputState() of the scan's files when the job began; empty: they lie elsewhere now, and are
    /// known to be the same.
    std::string inputs;
    std::string engine{};  ///< that made them; empty where that was not recorded
    /// That their views were filtered along, and are on any machine; none: upright, or there is no
    /// difference
    std::optional<FilterRows> rows{};
    /// Of a run on several ranks: its name, and what the ranks but the first have finished; the
    /// first, too, where several share a slab.
    std::string run{};
    Index sharers = 1;  ///< ranks that do so: that store parts of it, or read views for it
    std::vector<RankCheckpoint> ranks{};

    /// Slabs that all of the ranks that share them have finished.
    [[nodiscard]] std::set<Index> allDone() const;
    /// In the views of these.
    [[nodiscard]] InvalidPixels allInvalid() const;
    /// What the rank has found of that.
    [[nodiscard]] InvalidPixels invalidOf(const RankCheckpoint& rank) const;
};

/// A reconstruction on disk (DESIGN.md section 5): job.json, events.jsonl, checkpoint.json (and
/// those of ranks, "events.rank3.jsonl"), the reports, the forecast where there was one; the volume
/// itself goes where the request says. While a JobDirectory lives, no other process can work on the
/// same job. Tests: tests/core/job/job_directory_test.cpp
class JobDirectory {
  public:
    /// Makes the folder (its parent must exist) and writes job.json. What an earlier job left in
    /// the folder is removed.
    /// @throws InputError when it cannot be written, holds something else than a job, or is being
    ///         worked on
    static JobDirectory create(const std::filesystem::path& folder, const JobSpec& spec);
    /// @throws InputError when it is no job, or is being worked on
    static JobDirectory open(const std::filesystem::path& folder);
    /// The job that another rank of the same run has opened; without the lock.
    /// @throws InputError when it is no job
    static JobDirectory join(const std::filesystem::path& folder);

    [[nodiscard]] const std::filesystem::path& folder() const { return m_folder; }
    [[nodiscard]] const JobSpec& spec() const { return m_spec; }
    /// Replaces the request for this run only; job.json stays as it is. The volume must be the
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

/// The default place of a job: "volume.mha" is made in "volume.mha.job".
[[nodiscard]] std::filesystem::path jobFolderFor(const std::filesystem::path& output);

}  // namespace gantry
