#pragma once

#include <filesystem>

namespace gantry {

/// The file beside a volume in which the job that made it is recorded: "volume.mha" gives
/// "volume.mha.provenance.json". Where it is, the volume is no projections.
/// Tests: tests/core/scan/find_frames_test.cpp
[[nodiscard]] inline std::filesystem::path recordPath(std::filesystem::path volume) {
    if (!volume.has_filename()) volume = volume.parent_path();
    volume += ".provenance.json";
    return volume;
}

}  // namespace gantry
