#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/engine/backends.h"
#include "core/plan/job_spec.h"

namespace gantry {

/// What a rank may use of its machine: its launcher or a scheduler may have bound it to some of the
/// processors, and hidden GPUs from it.
struct RankView {
    std::vector<IndexRange> cores;  ///< numbers of the processors; empty: not known
    std::vector<std::string> gpus;  ///< names that no other GPU has, in the order of Machine::gpu
};
/// The view of this process. Its text for other ranks can be read by parseRankView().
[[nodiscard]] RankView rankView(const Machine& machine);
[[nodiscard]] std::string toJson(const RankView& view);
/// @throws InputError  it is no such text
[[nodiscard]] RankView parseRankView(std::string_view json);

/// The request for one of several ranks on a machine, with its part of threads, memory and GPUs; no
/// GPUs where the CPU is requested. A rank that is bound gets all the processors and GPUs that it
/// sees alone; what several see is divided among them.
/// views: of all ranks of the machine; number: of the rank among them
/// Tests: tests/core/work/rank_share_test.cpp, tests/cli/test_rank_binding.py
[[nodiscard]] JobSpec partOfMachine(JobSpec spec, const Machine& machine,
                                    std::span<const RankView> views, int number);

/// For the log, "works with 4 threads bound to cores 0-3 of 16, which no other rank sees; with GPU
/// 1 of 4, which 4 ranks see.": a sentence behind the rank's name. spec: from partOfMachine()
[[nodiscard]] std::string describeShare(const JobSpec& spec, std::span<const RankView> views,
                                        int number);

}  // namespace gantry
