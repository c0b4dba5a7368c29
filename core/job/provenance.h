#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include <stop_token>

#include "core/io/series/bad_view.h"
#include "core/pipeline/progress.h"
#include "core/plan/job_spec.h"

namespace gantry {

struct FileChecksum {
    std::filesystem::path path;
    Index bytes = 0;
    std::uint32_t crc32 = 0;  ///< of the whole file, the same as of zip and `crc32`
};

/// Reads every file once, in pieces, with a part of the run's threads, because other threads read
/// the same files. @throws Cancelled, InputError Tests: tests/core/job/provenance_test.cpp
[[nodiscard]] std::vector<FileChecksum> checksumFiles(
    const std::vector<std::filesystem::path>& files, const std::stop_token& stop, int threads);

/// A text that changes when one of the files is written again: names, sizes and times of change.
[[nodiscard]] std::string inputState(const std::vector<std::filesystem::path>& files);

/// The record beside a volume about how it was made.
struct Provenance {
    JobSpec spec;
    std::string engine;
    std::vector<std::string> notes;  ///< what was applied and found: weights, invalid pixels
    std::vector<FileChecksum> inputs;
    std::vector<LeftOutView> leftOut;
    std::vector<IterationFigures> iterations{};  ///< of an iterative method
};

/// "volume.mha" → "volume.mha.provenance.json"
[[nodiscard]] std::filesystem::path provenancePath(const std::filesystem::path& output);
[[nodiscard]] std::string toJson(const Provenance& provenance);
[[nodiscard]] nlohmann::ordered_json toJson(const IterationFigures& figures);

}  // namespace gantry
