#pragma once

#include <memory>
#include <stop_token>
#include <string>

#include "core/cluster/rank_requests.h"
#include "core/io/volume/volume_sink.h"
#include "core/pipeline/runner.h"
#include "core/plan/job_plan.h"
#include "core/plan/job_spec.h"
#include "core/scan/open_scan.h"

namespace gantry {

/// Which of several ranks read views and write the volume, and the channel to them.
struct RankStorage {
    int rank = 0;
    int count = 1;
    RankIo io = RankIo::parallel;
    RankRequests* line = nullptr;  ///< null where every rank reads and writes

    [[nodiscard]] bool reads() const { return !line || rank == 0; }
    [[nodiscard]] bool writes() const { return !line || rank == writer(); }
    /// The rank that writes for all; rank 0 where all do.
    [[nodiscard]] int writer() const { return io == RankIo::split ? count - 1 : 0; }
    /// Memory and disk that the volume's store needs on this rank, including requests and answers.
    [[nodiscard]] SinkNeeds needs(const OpenScan& scan, const JobSpec& spec) const;
};

/// "Rank 0 reads for all, and rank 3 writes.", where not every rank reads and writes.
[[nodiscard]] std::string describe(const RankStorage& storage);

/// The scan with its views read by the rank that reads for all. stop: ends waiting for it.
/// @throws as ProjectionSource
[[nodiscard]] OpenScan readThrough(OpenScan scan, const RankStorage& storage, std::stop_token stop);

/// A sink that sends slices to the rank that writes for all; only that rank finishes the volume.
[[nodiscard]] std::unique_ptr<VolumeSink> writeThrough(const RankStorage& storage,
                                                       std::stop_token stop);

/// Answers the ranks that read and write through this one, in threads of its own, until `stop` is
/// requested; does nothing if none does.
/// sink: null if this rank does not write, or the volume is complete
/// Tests: tests/cli/test_ranks.py
void spawnStorage(Runner& runner, const RankStorage& storage, const OpenScan& scan,
                  VolumeSink* sink, const VolumeGrid& grid, int threads,
                  const std::stop_token& stop);

}  // namespace gantry
