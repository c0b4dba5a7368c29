#pragma once

#include <sys/types.h>

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace gantry {

/// The files that a command, a job or a window reads, so that nothing is written over them. They
/// are known by device and inode: another spelling, a link or a mount of the same file is the same
/// file. Tests: tests/core/base/read_files_test.cpp
class ReadFiles {
  public:
    /// what: completes "which is read as": "a projection of the scan". Names that do not exist are
    /// left out.
    void add(const std::filesystem::path& file, const std::string& what);
    /// The same for all that is in a folder, at any depth.
    void addFolder(const std::filesystem::path& folder, const std::string& what);

    /// New files that would be read as one of these from then on: isOne says so of a name.
    void addRule(std::function<bool(const std::filesystem::path&)> isOne, const std::string& what);

    /// @throws InputError  the output, which would be replaced, is one of the files, or a folder
    /// that contains one; or it would be read as one from then on. It also finds names that are too
    /// long, before any work is done.
    void requireApart(const std::filesystem::path& output) const;
    void requireApart(const std::vector<std::filesystem::path>& outputs) const;

  private:
    using Identity = std::pair<dev_t, ino_t>;
    struct Known {
        std::filesystem::path path;
        std::string what;
    };

    std::map<Identity, Known> m_files;
    std::map<Identity, Known> m_folders;  ///< folders that are read as a whole
    std::map<Identity, Known> m_around;   ///< folders around a file, with one of the files
    std::vector<std::pair<std::function<bool(const std::filesystem::path&)>, std::string>> m_rules;
    std::filesystem::path m_lastFolder;  ///< whose folders around it are in m_around
};

/// @throws InputError  the name, or that of the temporary file beside it while it is written, is
/// longer than the disk allows
void requireNameFits(const std::filesystem::path& output);

}  // namespace gantry
