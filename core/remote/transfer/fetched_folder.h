#pragma once

#include <filesystem>
#include <stop_token>
#include <string>

#include "core/base/file.h"

namespace gantry {

/// The folder `fetched` of a job, where files from its host are put until they are whole and
/// checked. It stays after an error, so that the next call goes on with it.
/// Tests: tests/core/remote/fetched_folder_test.cpp
class FetchedFolder {
  public:
    /// Makes the folder; waits while another program fetches into it.
    /// @throws InputError if something else has its name; Cancelled
    FetchedFolder(const std::filesystem::path& job, const std::stop_token& stop);

    [[nodiscard]] const std::filesystem::path& path() const { return m_path; }
    /// Puts a copy of a file there, so that only what has changed since is fetched.
    void seed(const std::string& name, const std::filesystem::path& from) const;
    /// The size of a file there. @throws ResourceError if it is missing
    [[nodiscard]] Index bytesOf(const std::string& name) const;
    /// Moves a file there to its place below a folder, over an older one. A link in the way to it
    /// is not followed. @throws InputError, ResourceError
    void moveTo(const std::string& name, const std::filesystem::path& folder,
                const std::filesystem::path& place) const;
    /// Removes the folder with all that is left in it.
    void remove() const;

  private:
    std::filesystem::path m_path;
    File m_lock;
};

}  // namespace gantry
