#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>

#include "core/base/kept_values.h"
#include "core/pipeline/timeline.h"

namespace gantry {

/// How fast jobs have stored their volumes, in a file, for later forecasts: the rate of a disk or
/// of the system's cache over many seconds, which a short measurement cannot show. Tests:
/// tests/core/machine/storage_speeds_test.cpp
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

/// The folder on which this one's disk is mounted; the folder itself if it does not exist.
[[nodiscard]] std::filesystem::path mountOf(const std::filesystem::path& folder);

/// Seconds in which at least one thread stored. spans: of one process
[[nodiscard]] double storeSecondsOf(std::span<const TimelineSpan> spans);

/// The rate at which a job has stored while it stored; nothing where there was too little to
/// measure. spans: of this run only outputBytes, voxels: of the whole volume
[[nodiscard]] std::optional<double> storageRateOf(std::span<const TimelineSpan> spans,
                                                  Index outputBytes, Index voxels);

}  // namespace gantry
