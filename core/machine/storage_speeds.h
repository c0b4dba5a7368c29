#pragma once

#include <filesystem>
#include <optional>
#include <span>

#include "core/base/kept_values.h"
#include "core/pipeline/timeline.h"
#include "core/plan/facts.h"

namespace gantry {

/// How fast jobs have stored their volumes, in a file, for later forecasts: what a disk or the
/// system's memory does over many seconds no short measurement tells.
/// Tests: tests/core/machine/storage_speeds_test.cpp
class StorageSpeeds {
  public:
    /// file: see KeptValues
    explicit StorageSpeeds(std::filesystem::path file);

    /// Bytes a second of the last job like this one, on the same disk of this machine.
    /// question: storageQuestion()
    [[nodiscard]] std::optional<StorageRate> find(const Question& question) const;
    void keep(const Question& question, StorageRate rate) const noexcept;

  private:
    KeptValues m_kept;
};

/// What a job has stored a second while it stored; nothing where that was too little to tell.
/// spans: of this run alone
/// outputBytes, voxels: of the whole volume
[[nodiscard]] std::optional<StorageRate> storageRateOf(std::span<const TimelineSpan> spans,
                                                       Index outputBytes, Index voxels);

}  // namespace gantry
