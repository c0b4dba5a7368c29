#pragma once

#include <filesystem>

namespace gantry {

/// A folder in memory, if the system has one, so that no disk is measured.
[[nodiscard]] std::filesystem::path memoryFolder();

/// A new folder below another one, removed with its content at the end.
class BenchFolder {
  public:
    /// @throws InputError when it cannot be created there
    explicit BenchFolder(const std::filesystem::path& parent);
    ~BenchFolder();
    BenchFolder(const BenchFolder&) = delete;
    BenchFolder& operator=(const BenchFolder&) = delete;

    [[nodiscard]] const std::filesystem::path& path() const { return m_path; }

  private:
    std::filesystem::path m_path;
};

}  // namespace gantry
