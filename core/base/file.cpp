#include "core/base/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/magic.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include "core/base/host_buffer.h"
#include "core/base/parallel.h"
#include "core/base/system_fault.h"
#include "core/base/text.h"
#include "core/base/throw_error.h"
#include "core/base/written_place.h"

namespace gantry {

namespace fs = std::filesystem;

namespace {

int flagsOf(File::Mode mode) {
    switch (mode) {
        case File::Mode::read:
            return O_RDONLY;
        case File::Mode::create:
            return O_RDWR | O_CREAT | O_TRUNC;
        case File::Mode::update:
            return O_RDWR;
        case File::Mode::keep:
            return O_RDWR | O_CREAT;
        case File::Mode::folder:
            return O_RDONLY | O_DIRECTORY;
    }
    return O_RDONLY;
}

void checkKind(const fs::path& path, const char* what, int descriptor, File::Mode mode) {
    struct stat status {};
    if (::fstat(descriptor, &status) != 0) throwSystemFault(path, what, errno);
    if (mode == File::Mode::folder || S_ISREG(status.st_mode)) return;
    if (S_ISDIR(status.st_mode)) throwSystemFault(path, what, EISDIR);
    if (mode == File::Mode::read || !S_ISCHR(status.st_mode))
        throwError<InputError>("{} {}: it is not a regular file.", path.string(), what);
}

fs::path folderOf(const fs::path& path) {
    return path.has_parent_path() ? path.parent_path() : fs::path(".");
}

// A new name is safe only once its folder is on disk.
void syncFolderOf(const fs::path& path) {
    const fs::path folder = folderOf(path);
    // A folder without read permission cannot be opened for syncing.
    if (::eaccess(folder.c_str(), R_OK) == 0) File(folder, File::Mode::folder).sync();
}

}  // namespace

File::File(fs::path path, Mode mode) : m_path(std::move(path)) {
    // Opening a pipe would otherwise wait for its other end for ever.
    const int flags = flagsOf(mode) | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
    m_descriptor = ::open(m_path.c_str(), flags, 0666);
    const char* what =
        mode == Mode::create || mode == Mode::keep ? "cannot be written" : "cannot be opened";
    if (m_descriptor < 0 && errno == ENXIO)  // a socket
        throwError<InputError>("{} {}: it is not a regular file.", m_path.string(), what);
    if (m_descriptor < 0) throwSystemFault(m_path, what, errno);
    try {
        checkKind(m_path, what, m_descriptor, mode);
    } catch (...) {
        ::close(m_descriptor);
        throw;
    }
}

File::File(File&& other) noexcept
    : m_path(std::move(other.m_path)), m_descriptor(std::exchange(other.m_descriptor, -1)) {}

File& File::operator=(File&& other) noexcept {
    std::swap(m_path, other.m_path);
    std::swap(m_descriptor, other.m_descriptor);
    return *this;
}

File::~File() {
    if (m_descriptor >= 0) ::close(m_descriptor);
}

Index File::sizeBytes() const {
    struct stat status {};
    if (::fstat(m_descriptor, &status) != 0) throwSystemFault(m_path, "cannot be measured", errno);
    return static_cast<Index>(status.st_size);
}

void File::readAt(Index offset, std::span<std::byte> bytes) const {
    while (!bytes.empty()) {
        const ssize_t got = ::pread(m_descriptor, bytes.data(), bytes.size(), offset);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) throwSystemFault(m_path, "cannot be read", errno);
        if (got == 0)
            throw InputError(fmt::format("{} is damaged: it ends after {} bytes, and {} more were "
                                         "expected.",
                                         m_path.string(), offset, bytes.size()),
                             {.code = ErrorCode::damagedFile});
        offset += got;
        bytes = bytes.subspan(got);
    }
}

void File::writeAt(Index offset, std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
        const ssize_t put = ::pwrite(m_descriptor, bytes.data(), bytes.size(), offset);
        if (put < 0 && errno == EINTR) continue;
        if (put < 0) throwSystemFault(m_path, "cannot be written", errno);
        offset += put;
        bytes = bytes.subspan(put);
    }
}

namespace {

constexpr Index kWritePieceBytes = Index{2} << 20;

// Whether the file is in memory (tmpfs), where writing to mapped pages is safe. On other disks such
// a write may fail even after fallocate().
bool isInMemory(int descriptor) {
    struct stat file {};
    struct statfs disk {};
    return ::fstat(descriptor, &file) == 0 && S_ISREG(file.st_mode) &&
           ::fstatfs(descriptor, &disk) == 0 && disk.f_type == TMPFS_MAGIC;
}

// Reserves space for a part of a file: 0, or the system's error number.
int takeRoom(int descriptor, Index offset, Index bytes) {
    int code = 0;
    do
        code = ::fallocate(descriptor, 0, offset, bytes) == 0 ? 0 : errno;
    while (code == EINTR);
    return code;
}

// Whether the error of takeRoom() only means that the disk cannot reserve; writing may succeed.
bool isUnknownThere(int code) {
    return code == ENODEV || code == EOPNOTSUPP || code == ENOSYS || code == ESPIPE;
}

// Part of a file in this process's memory.
class MappedPart {
  public:
    // Mapping may fail; see data().
    MappedPart(int descriptor, Index offset, Index bytes)
        : m_before(offset % ::sysconf(_SC_PAGESIZE)),
          m_bytes(static_cast<std::size_t>(m_before + bytes)),
          m_data(::mmap(nullptr, m_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor,
                        offset - m_before)) {}
    ~MappedPart() {
        if (m_data != MAP_FAILED) ::munmap(m_data, m_bytes);
    }
    MappedPart(const MappedPart&) = delete;
    MappedPart& operator=(const MappedPart&) = delete;

    // The first byte; null if mapping failed.
    [[nodiscard]] std::byte* data() const {
        return m_data == MAP_FAILED ? nullptr : static_cast<std::byte*>(m_data) + m_before;
    }

  private:
    Index m_before;
    std::size_t m_bytes;
    void* m_data;
};

}  // namespace

bool File::writeToPages(Index offset, Index bytes, int threads, Room room, const MakeBytes& make) {
    if (threads <= 1 || bytes <= kWritePieceBytes || !isInMemory(m_descriptor)) return false;
    // A page that is missing later would kill the process (SIGBUS). Memory that is reserved twice
    // is cleared here, by one thread, instead of by all those that copy.
    const int code = room == Room::taken ? 0 : takeRoom(m_descriptor, offset, bytes);
    if (code != 0 && !isUnknownThere(code)) throwSystemFault(m_path, "cannot be written", code);
    const MappedPart part(code == 0 ? m_descriptor : -1, offset, bytes);
    std::byte* to = part.data();
    if (!to) return false;
    parallelFor(threads, bytes, kWritePieceBytes, [&](Index begin, Index end, int) {
        make(begin, {to + begin, static_cast<std::size_t>(end - begin)});
    });
    return true;
}

void File::writeAt(Index offset, std::span<const std::byte> bytes, int threads, Room room) {
    const auto size = std::ssize(bytes);
    const auto piece = [&](Index begin, Index end) { return bytes.subspan(begin, end - begin); };
    const bool isWritten =
        writeToPages(offset, size, threads, room, [&](Index begin, std::span<std::byte> to) {
            std::memcpy(to.data(), bytes.data() + begin, to.size());
        });
    if (isWritten) return;
    parallelFor(threads, size, kWritePieceBytes,
                [&](Index begin, Index end, int) { writeAt(offset + begin, piece(begin, end)); });
}

void File::writeMade(Index offset, Index bytes, int threads, Room room, const MakeBytes& make) {
    if (writeToPages(offset, bytes, threads, room, make)) return;
    parallelFor(threads, bytes, kWritePieceBytes, [&](Index begin, Index end, int) {
        HostBuffer<std::byte> made(end - begin);
        make(begin, made.span());
        writeAt(offset + begin, made.span());
    });
}

bool File::takeMemory(Index offset, Index bytes) noexcept {
    return isInMemory(m_descriptor) && takeRoom(m_descriptor, offset, bytes) == 0;
}

void File::resize(Index bytes) {
    if (::ftruncate(m_descriptor, bytes) != 0) throwSystemFault(m_path, "cannot be resized", errno);
}

void File::startSync(Index offset, Index bytes) noexcept {
    (void)::sync_file_range(m_descriptor, offset, bytes, SYNC_FILE_RANGE_WRITE);
}

void File::sync() {
    if (::fsync(m_descriptor) != 0 && errno != EINVAL && errno != EROFS)
        throwSystemFault(m_path, "cannot be written to disk", errno);
}

bool File::tryLock() {
    if (::flock(m_descriptor, LOCK_EX | LOCK_NB) != 0) {
        if (errno == EWOULDBLOCK) return false;
        if (errno != ENOSYS && errno != EOPNOTSUPP && errno != ENOLCK)
            throwSystemFault(m_path, "cannot be locked", errno);
    }
    // The previous holder of the lock may have removed or renamed the file.
    struct stat mine {};
    struct stat named {};
    return ::fstat(m_descriptor, &mine) == 0 && ::stat(m_path.c_str(), &named) == 0 &&
           mine.st_dev == named.st_dev && mine.st_ino == named.st_ino;
}

std::optional<bool> File::isLocked() const {
    if (::flock(m_descriptor, LOCK_SH | LOCK_NB) == 0) {
        (void)::flock(m_descriptor, LOCK_UN);
        return false;
    }
    if (errno == EWOULDBLOCK) return true;
    return std::nullopt;
}

void File::close() {
    if (m_descriptor < 0) return;
    if (::close(std::exchange(m_descriptor, -1)) != 0)
        throwSystemFault(m_path, "cannot be written", errno);
}

std::string readTextFile(const fs::path& path, Index maxBytes) {
    const File file(path, File::Mode::read);
    const Index size = file.sizeBytes();
    if (size > maxBytes)
        throwError<InputError>("{} is {} large; at most {} are expected here.", path.string(),
                               formatBytes(size), formatBytes(maxBytes));
    std::string text(size, '\0');
    file.readAt(0, std::as_writable_bytes(std::span(text)));
    return text;
}

void writeFileAtomically(const fs::path& path, std::string_view text) {
    const fs::path place = writtenPlace(path);
    const std::span bytes = std::as_bytes(std::span(text.data(), text.size()));
    if (isSpecial(place)) {
        // Devices are written into; File refuses folders, pipes and sockets.
        File device(place, File::Mode::keep);
        device.writeAt(0, bytes);
        device.close();
        return;
    }
    replaceFile(path, [&](const fs::path& part) {
        File file(part, File::Mode::create);
        file.writeAt(0, bytes);
        file.sync();
        file.close();
    });
}

void renameFile(const fs::path& from, const fs::path& to) {
    if (::rename(from.c_str(), to.c_str()) != 0) throwSystemFault(to, "cannot be written", errno);
    syncFolderOf(to);
}

void removeFile(const fs::path& path) {
    if (::unlink(path.c_str()) != 0 && errno != ENOENT)
        throwSystemFault(path, "cannot be removed", errno);
}

bool pathExists(const fs::path& path) noexcept {
    std::error_code ignored;
    return fs::exists(path, ignored);
}

bool isRegularFile(const fs::path& path) noexcept {
    std::error_code ignored;
    return fs::is_regular_file(path, ignored);
}

bool isFolder(const fs::path& path) noexcept {
    std::error_code ignored;
    return fs::is_directory(path, ignored);
}

std::vector<fs::path> entriesOf(const fs::path& folder) {
    std::vector<fs::path> entries;
    std::error_code error;
    for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error))
        entries.push_back(at->path());
    if (error) throwSystemFault(folder, "cannot be read", error.value());
    std::ranges::sort(entries, [](const fs::path& a, const fs::path& b) {
        return naturalLess(a.native(), b.native());
    });
    return entries;
}

Index freeDiskBytes(const fs::path& path) {
    std::error_code error;
    fs::path place = fs::absolute(path, error);
    if (error) throwSystemFault(path, "free space cannot be measured", error.value());
    while (!fs::exists(place, error) && place.has_relative_path())
        place = place.parent_path();
    const fs::space_info space = fs::space(place, error);
    if (error) throwSystemFault(place, "free space cannot be measured", error.value());
    return static_cast<Index>(space.available);
}

}  // namespace gantry
