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

/// The progress of one rank of several since checkpoint.json was written.
struct RankCheckpoint {
    /// Slabs that are made together, and the invalid pixels that the rank found in its part of
    /// their views. These pixels are added to the total only when all ranks have finished the
    /// slabs; before that, a resumed run reads the views again and counts them again.
    struct Part {
        std::vector<Index> slabs;
        InvalidPixels invalidPixels;
    };
    int rank = 0;
    /// Slabs for which the rank has stored its share and read the views that other ranks need.
    std::vector<Part> parts;
    /// Slices that the rank has stored; empty: all slices of the slabs in `parts`.
    std::vector<IndexRange> slices{};
    std::string summary;  ///< VolumeSummary::saveSlices() of these slices, in order

    [[nodiscard]] std::set<Index> slabs() const;  ///< the slabs of all parts
};

/// How views come to the back-projection, as far as a run decided it: every machine that resumes
/// the run must do the same.
struct ViewChoices {
    /// The rows along which views are filtered; none: upright rows, or a geometry for which there
    /// is no difference.
    std::optional<FilterRows> rows{};
    RowExtension extension{};
};

/// The progress of an interrupted run, with everything that is needed to resume it exactly.
struct Checkpoint {
    FinishedSlabs slabs;
    std::string summary;          ///< VolumeSummary::save() of the finished slices
    InvalidPixels invalidPixels;  ///< in the views of the finished slabs
    /// inputState() of the scan's files when the job began; empty: the files have moved since, and
    /// are known to be the same.
    std::string inputs;
    std::string engine{};  ///< engine that made the slabs; empty if it was not recorded
    ViewChoices choices{};
    std::string run{};  ///< name of a run on several ranks, in all their checkpoints
    /// Number of ranks that share a slab: each stores a part of it or reads a part of its views.
    Index sharers = 1;
    /// The progress of the ranks except the first; with the first if several share a slab.
    std::vector<RankCheckpoint> ranks{};

    /// The slabs that are finished by all ranks that share them.
    [[nodiscard]] std::set<Index> allDone() const;
    /// The invalid pixels in the views of these slabs.
    [[nodiscard]] InvalidPixels allInvalid() const;
    /// Those of allInvalid() that one rank has found.
    [[nodiscard]] InvalidPixels invalidOf(const RankCheckpoint& rank) const;
};

/// Files in a job's folder: the state from which an iterative method resumes, and the request to
/// end after the iteration at work and keep its volume.
inline constexpr const char* kIterationState = "iterations.bin";
inline constexpr const char* kStopRequest = "stop";

/// The folder of a reconstruction job (resources/help/architecture.md). It contains job.json,
/// events.jsonl, checkpoint.json, those of single ranks ("events.rank3.jsonl", "checkpoint.rank3"),
/// the reports, and the forecast if one was made. The volume itself is written to the requested
/// path. While a JobDirectory exists, no other process can work on the same job. Tests:
/// tests/core/job/job_directory_test.cpp
class JobDirectory {
  public:
    /// Creates the folder (its parent must exist) and writes job.json. Files that an earlier job
    /// left in the folder are removed.
    /// @throws InputError if the folder cannot be written, contains other files than a job's, or is
    /// in use by another process
    static JobDirectory create(const std::filesystem::path& folder, const JobSpec& spec);
    /// @throws InputError if the folder is not a job's, or is in use by another process
    static JobDirectory open(const std::filesystem::path& folder);
    /// Opens, without the lock, the job that another rank of the same run has opened.
    /// @throws InputError if the folder is not a job's
    static JobDirectory join(const std::filesystem::path& folder);

    [[nodiscard]] const std::filesystem::path& folder() const { return m_folder; }
    [[nodiscard]] const JobSpec& spec() const { return m_spec; }
    /// Replaces the request for this run only; job.json is not changed. The volume must be the
    /// same, so that an interrupted run's slabs fit.
    void useSpec(JobSpec spec) { m_spec = std::move(spec); }
    [[nodiscard]] std::filesystem::path file(const char* name) const { return m_folder / name; }

    /// None if there is no checkpoint. @throws InputError if the checkpoint does not fit the job
    [[nodiscard]] std::optional<Checkpoint> readCheckpoint() const;
    void writeCheckpoint(const Checkpoint& checkpoint) const;
    /// Forgets finished slabs, but not the state of iterations.
    void removeSlabRecords() const;
    void removeCheckpoint() const;
    /// run: the value of Checkpoint::run to which the rank's progress belongs
    void writeRankCheckpoint(const std::string& run, const RankCheckpoint& checkpoint) const;

  private:
    JobDirectory(std::filesystem::path folder, File lock, JobSpec spec);

    std::filesystem::path m_folder;
    File m_lock;  ///< holds the lock for as long as it is open
    JobSpec m_spec;
};

/// Asks an iterative job, also one that runs, to end after its iteration and keep the volume.
/// @throws InputError  it is no job, its method has no iterations, or the folder cannot be written
/// Tests: tests/cli/test_iterative.py
void requestStop(const std::filesystem::path& folder);

/// The default folder of a job: "volume.mha" is made in "volume.mha.job".
[[nodiscard]] std::filesystem::path jobFolderFor(const std::filesystem::path& output);

/// The files that a job writes or removes in its folder, as far as they are known or there.
[[nodiscard]] std::vector<std::filesystem::path> filesOfJob(const std::filesystem::path& folder);

/// Checks that nothing that a job writes replaces anything that it reads: the volume with the files
/// beside it, its record, and the files of the job's folder, against all files of the scan.
/// folder: the job's; empty: it has none
/// @throws InputError naming the file, also if a name is longer than its disk allows
/// Tests: tests/cli/test_outputs.py
void requireInputsSpared(const JobSpec& spec, const std::filesystem::path& folder);

}  // namespace gantry
