#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/types.h"

namespace gantry {

/// An open file, read and written at positions. Several threads may call one File. Every error
/// names the file and the system's reason; a full disk is a ResourceError, everything else an
/// InputError. Pipes, sockets and disks are refused, not waited for; devices such as /dev/null may
/// be written to. Tests: tests/core/base/file_test.cpp
class File {
  public:
    enum class Mode {
        read,    ///< must exist and be a regular file
        create,  ///< created, or emptied
        update,  ///< must exist; read and written in place
        keep,    ///< as update, but created if it is missing
        folder,  ///< a folder that exists, to be locked or synced
    };

    File() = default;
    File(std::filesystem::path path, Mode mode);
    File(File&& other) noexcept;
    File& operator=(File&& other) noexcept;
    File(const File&) = delete;
    File& operator=(const File&) = delete;
    ~File();

    [[nodiscard]] bool isOpen() const { return m_descriptor >= 0; }
    [[nodiscard]] const std::filesystem::path& path() const { return m_path; }
    [[nodiscard]] Index sizeBytes() const;

    /// Fills all of `bytes` from `offset`. @throws InputError when the file ends before
    void readAt(Index offset, std::span<std::byte> bytes) const;
    void writeAt(Index offset, std::span<const std::byte> bytes);
    /// Whether takeMemory() has allocated all memory of what is written.
    enum class Room { unknown, taken };
    /// The same with up to `threads` threads. Systems admit one writer of a file at a time, which
    /// limits files in memory: there, bytes are copied directly to the file's pages.
    void writeAt(Index offset, std::span<const std::byte> bytes, int threads,
                 Room room = Room::unknown);
    /// Produces the bytes from `begin` on, counted from the position where they are written.
    using MakeBytes = std::function<void(Index begin, std::span<std::byte> to)>;
    /// The same for bytes that are produced while they are written, in pieces of a multiple of 16
    /// bytes except for the last, by several threads at once.
    void writeMade(Index offset, Index bytes, int threads, Room room, const MakeBytes& make);
    /// Allocates the memory for these bytes of a file in memory (tmpfs), so that writing waits
    /// less.
    /// @returns whether it did: false on disks, and where there is no room
    bool takeMemory(Index offset, Index bytes) noexcept;
    void resize(Index bytes);
    /// Starts writing these bytes to disk now, so that a later sync() waits less; only a hint.
    void startSync(Index offset, Index bytes) noexcept;
    /// Waits until the file is on disk.
    void sync();
    /// Locks the file until this File closes; false when another File holds the lock, here or in
    /// another process, or when path() now names another file. On a disk without locks (as on some
    /// clusters) it is always true.
    [[nodiscard]] bool tryLock();
    /// Whether another File holds the lock, here or in another process; nothing if the disk has no
    /// locks. Must not be called for the File that holds it. It takes a shared lock for a moment,
    /// in which tryLock() of a third File fails.
    [[nodiscard]] std::optional<bool> isLocked() const;
    /// Closes the file and reports errors that the system deferred.
    void close();

  private:
    bool writeToPages(Index offset, Index bytes, int threads, Room room, const MakeBytes& make);

    std::filesystem::path m_path;
    int m_descriptor = -1;
};

/// Reads a whole text file. @throws InputError also when it is larger than `maxBytes`
[[nodiscard]] std::string readTextFile(const std::filesystem::path& path,
                                       Index maxBytes = 64'000'000);

/// Writes under a temporary name beside `path` and renames, so that `path` is never half-written.
void writeFileAtomically(const std::filesystem::path& path, std::string_view text);

/// Renames a file or folder; both names lie on one disk. Returns when the disk has the new name.
/// @throws InputError, ResourceError naming the new name
void renameFile(const std::filesystem::path& from, const std::filesystem::path& to);

/// Removes a file; one that is missing is fine. @throws InputError naming it
void removeFile(const std::filesystem::path& path);

/// Whether anything, a regular file (also behind a link) or a folder with that name exists; false
/// if access is denied, or if no file can have such a name, which may come from a file.
[[nodiscard]] bool pathExists(const std::filesystem::path& path) noexcept;
[[nodiscard]] bool isRegularFile(const std::filesystem::path& path) noexcept;
[[nodiscard]] bool isFolder(const std::filesystem::path& path) noexcept;

/// The entries of a folder, in natural order of the names. @throws InputError naming the folder
[[nodiscard]] std::vector<std::filesystem::path> entriesOf(const std::filesystem::path& folder);

/// Space left for this user on the disk that holds `path` (or its nearest existing parent), bytes.
[[nodiscard]] Index freeDiskBytes(const std::filesystem::path& path);
/// A function like freeDiskBytes().
using FreeDisk = std::function<Index(const std::filesystem::path& path)>;

}  // namespace gantry
