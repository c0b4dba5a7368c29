#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>

#include "core/base/kept_values.h"
#include "core/pipeline/timeline.h"

namespace gantry {

/// How fast jobs have stored their volumes, in a file, for later forecasts: what a disk or the
/// system's memory does over many seconds no short measurement tells.
/// Tests: tests/core/machine/storage_speeds_test.cpp
class StorageSpeeds {
  public:
    /// file: see KeptValues
    explicit StorageSpeeds(std::filesystem::path file);

    /// Bytes a second of the last job of each storageKind() on the disk of that folder.
    [[nodiscard]] std::map<std::string, double> on(const std::filesystem::path& folder) const;
    void keep(const std::filesystem::path& folder, const std::string& kind,
              double bytesPerSecond) const noexcept;

  private:
    KeptValues m_kept;
};

/// The folder on which the disk of this one is mounted; itself where it does not exist.
[[nodiscard]] std::filesystem::path mountOf(const std::filesystem::path& folder);

/// Seconds in which at least one thread stored. spans: of one process
[[nodiscard]] double storeSecondsOf(std::span<const TimelineSpan> spans);

/// What a job has stored a second while it stored; nothing where that was too little to tell.
/// spans: of this run alone
/// outputBytes, voxels: of the whole volume
[[nodiscard]] std::optional<double> storageRateOf(std::span<const TimelineSpan> spans,
                                                  Index outputBytes, Index voxels);

}  // namespace gantry
