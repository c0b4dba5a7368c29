#pragma once

#include <filesystem>

namespace gantry {

/// A place for files in memory, where the system has one, so that no disk is measured.
[[nodiscard]] std::filesystem::path memoryFolder();

/// A fresh folder below another one, removed with all that is in it at the end.
class BenchFolder {
  public:
    /// @throws InputError when none can be made there
    explicit BenchFolder(const std::filesystem::path& parent);
    ~BenchFolder();
    BenchFolder(const BenchFolder&) = delete;
    BenchFolder& operator=(const BenchFolder&) = delete;

    [[nodiscard]] const std::filesystem::path& path() const { return m_path; }

  private:
    std::filesystem::path m_path;
};

}  // namespace gantry
