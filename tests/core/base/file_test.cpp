#include "core/base/file.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <linux/magic.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <fstream>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

namespace gantry {
namespace {

namespace fs = std::filesystem;

std::span<const std::byte> bytesOf(const std::string& text) {
    return std::as_bytes(std::span(text.data(), text.size()));
}

std::vector<std::string> namesIn(const fs::path& folder) {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder))
        names.push_back(entry.path().filename().string());
    std::sort(names.begin(), names.end());
    return names;
}

// While it lives, no file of this process can grow past `bytes`: a disk that fills up midway.
class FileSizeLimit {
  public:
    explicit FileSizeLimit(rlim_t bytes) : m_handler(std::signal(SIGXFSZ, SIG_IGN)) {
        getrlimit(RLIMIT_FSIZE, &m_before);
        const rlimit limit{bytes, m_before.rlim_max};
        setrlimit(RLIMIT_FSIZE, &limit);
    }
    ~FileSizeLimit() {
        setrlimit(RLIMIT_FSIZE, &m_before);
        std::signal(SIGXFSZ, m_handler);
    }
    FileSizeLimit(const FileSizeLimit&) = delete;
    FileSizeLimit& operator=(const FileSizeLimit&) = delete;

  private:
    rlimit m_before{};
    void (*m_handler)(int);
};

// While it lives, root is nobody in particular, for whom permissions count.
class OrdinaryUser {
  public:
    OrdinaryUser() { EXPECT_EQ(m_before == 0 ? ::seteuid(65534) : 0, 0); }
    ~OrdinaryUser() { EXPECT_EQ(::seteuid(m_before), 0); }
    OrdinaryUser(const OrdinaryUser&) = delete;
    OrdinaryUser& operator=(const OrdinaryUser&) = delete;

  private:
    uid_t m_before = ::geteuid();
};

TEST(File, givesBackWhatWasWrittenAnywhere) {
    const test::TemporaryFolder folder;
    std::string content(100'000, '\0');
    std::mt19937 random(1);
    std::generate(content.begin(), content.end(), [&] { return static_cast<char>(random()); });
    {
        File file(folder / "data", File::Mode::create);
        file.writeAt(50'000, bytesOf(content.substr(50'000)));
        file.writeAt(0, bytesOf(content.substr(0, 50'000)));
        file.writeAt(file.sizeBytes(), bytesOf("end"));
        EXPECT_EQ(file.sizeBytes(), 100'003);
        file.sync();
        file.close();
        EXPECT_FALSE(file.isOpen());
        file.close();
    }
    EXPECT_EQ(readTextFile(folder / "data"), content + "end");

    const File file(folder / "data", File::Mode::read);
    std::string part(777, '\0');
    file.readAt(99'000, std::as_writable_bytes(std::span(part)));
    EXPECT_EQ(part, content.substr(99'000, 777));
}

TEST(File, updateKeepsAndCreateEmpties) {
    const test::TemporaryFolder folder;
    writeFileAtomically(folder / "data", "0123456789");
    File(folder / "data", File::Mode::update).writeAt(3, bytesOf("xy"));
    EXPECT_EQ(readTextFile(folder / "data"), "012xy56789");
    File(folder / "data", File::Mode::update).resize(4);
    EXPECT_EQ(readTextFile(folder / "data"), "012x");
    (void)File(folder / "data", File::Mode::create);
    EXPECT_EQ(readTextFile(folder / "data"), "");
}

TEST(File, whatIsMissingIsNamed) {
    const test::TemporaryFolder folder;
    EXPECT_ERROR(File(folder / "none.tif", File::Mode::read), InputError, "none.tif cannot be");
    EXPECT_ERROR(File(folder / "none.tif", File::Mode::update), InputError,
                 "none.tif cannot be opened: there is no such file or folder.");
    EXPECT_ERROR(File(folder / "no/folder/x", File::Mode::create), InputError, "no/folder/x");
    EXPECT_ERROR((void)readTextFile(folder / "none.json"), InputError, "none.json");
}

TEST(File, aFolderIsNoFile) {
    const test::TemporaryFolder folder;
    fs::create_directory(folder / "scan");
    EXPECT_ERROR(File(folder / "scan", File::Mode::read), InputError, "scan cannot be opened");
    EXPECT_ERROR(File(folder / "scan", File::Mode::create), InputError, "it is a folder");
    EXPECT_ERROR(File(folder / "scan", File::Mode::update), InputError, "it is a folder");
    EXPECT_ERROR(File(folder / "scan", File::Mode::keep), InputError, "it is a folder");
    writeFileAtomically(folder / "plain", "");
    EXPECT_ERROR(File(folder / "plain/x", File::Mode::read), InputError,
                 "part of its path is a file, not a folder");
}

TEST(File, keepLeavesWhatIsThereAndMakesWhatIsNot) {
    const test::TemporaryFolder folder;
    writeFileAtomically(folder / "data", "0123");
    File(folder / "data", File::Mode::keep).writeAt(1, bytesOf("x"));
    EXPECT_EQ(readTextFile(folder / "data"), "0x23");
    File(folder / "new", File::Mode::keep).writeAt(0, bytesOf("y"));
    EXPECT_EQ(readTextFile(folder / "new"), "y");
}

TEST(File, whatIsNoRegularFileIsRefusedAtOnce) {
    const test::TemporaryFolder folder;
    // Would wait for a writer for ever.
    ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
    for (const auto mode : {File::Mode::read, File::Mode::create, File::Mode::update})
        EXPECT_ERROR(File(folder / "pipe", mode), InputError, "it is not a regular file");
    EXPECT_ERROR((void)readTextFile(folder / "pipe"), InputError, "pipe cannot be opened");

    const int listener = ::socket(AF_UNIX, SOCK_STREAM, 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    const std::string name = (folder / "socket").string();
    ASSERT_LT(name.size(), sizeof(address.sun_path));
    std::copy(name.begin(), name.end(), address.sun_path);
    ASSERT_EQ(::bind(listener, reinterpret_cast<const sockaddr*>(&address), sizeof(address)), 0);
    EXPECT_ERROR(File(folder / "socket", File::Mode::read), InputError, "it is not a regular file");
    ::close(listener);

    EXPECT_ERROR(File("/dev/zero", File::Mode::read), InputError, "it is not a regular file");
    EXPECT_NO_THROW(File("/dev/null", File::Mode::create).writeAt(0, bytesOf("x")));
}

TEST(File, aFileThatEndsEarlyIsReportedWithPlaceAndNeed) {
    const test::TemporaryFolder folder;
    writeFileAtomically(folder / "short.raw", std::string(100, 'a'));
    const File file(folder / "short.raw", File::Mode::read);
    std::vector<std::byte> bytes(64);
    EXPECT_NO_THROW(file.readAt(36, bytes));
    EXPECT_ERROR(file.readAt(40, bytes), InputError,
                 "short.raw is damaged: it ends after 100 bytes, and 4");
    EXPECT_ERROR(file.readAt(1'000, bytes), InputError, "64 more");
}

TEST(File, whatTheSystemRefusesToReadIsToldAtOnce) {
    const test::TemporaryFolder folder;
    const File opened(folder.path(), File::Mode::folder);
    std::vector<std::byte> bytes(16);
    EXPECT_ERROR(opened.readAt(0, bytes), InputError, "cannot be read: ");
}

TEST(File, aFullDiskIsAResourceErrorThatSaysWhatToDo) {
    File full("/dev/full", File::Mode::update);
    EXPECT_ERROR(full.writeAt(0, bytesOf("x")), ResourceError, "/dev/full cannot be written");
    EXPECT_ERROR(full.writeAt(0, bytesOf("x")), ResourceError,
                 ". Free space, or choose another place.");
}

TEST(File, aDiskThatFillsUpMidwayIsAResourceError) {
    const test::TemporaryFolder folder;
    File file(folder / "big", File::Mode::create);
    const FileSizeLimit limit(10'000);
    EXPECT_ERROR(file.writeAt(0, bytesOf(std::string(20'000, 'x'))), ResourceError, "big");
    EXPECT_ERROR(file.resize(20'000), ResourceError, "cannot be resized");
}

TEST(File, whatMayNotBeOpenedIsNamed) {
    const test::TemporaryFolder folder;
    writeFileAtomically(folder / "secret", "x");
    fs::permissions(folder / "secret", fs::perms::none);
    fs::permissions(folder.path(), fs::perms(0555));
    {
        const OrdinaryUser user;
        EXPECT_ERROR(File(folder / "secret", File::Mode::read), InputError,
                     "permission denied; check its permissions");
        EXPECT_ERROR(File(folder / "secret", File::Mode::create), InputError, "secret cannot be");
        EXPECT_ERROR(writeFileAtomically(folder / "new", "x"), InputError,
                     "permission denied; check its permissions");
        EXPECT_ERROR(writeFileAtomically(folder / "secret", "x"), InputError,
                     "permission denied; check its permissions");
    }
    fs::permissions(folder.path(), fs::perms::owner_all);
}

TEST(File, movesAndClosesOnce) {
    const test::TemporaryFolder folder;
    File first(folder / "a", File::Mode::create);
    File second = std::move(first);
    EXPECT_FALSE(first.isOpen());  // NOLINT(bugprone-use-after-move): what is left is the point
    EXPECT_TRUE(second.isOpen());
    second.writeAt(0, bytesOf("one"));
    first = std::move(second);
    first.writeAt(3, bytesOf("two"));
    EXPECT_EQ(readTextFile(folder / "a"), "onetwo");
}

TEST(File, severalThreadsMayReadAndWriteOne) {
    const test::TemporaryFolder folder;
    File file(folder / "shared", File::Mode::create);
    constexpr Index kPart = 10'000;
    {
        std::vector<std::jthread> writers;
        for (Index t = 0; t < 4; ++t)
            writers.emplace_back([&file, t] {
                const std::string mine(kPart, static_cast<char>('a' + t));
                file.writeAt(t * kPart, bytesOf(mine));
            });
    }
    const std::string text = readTextFile(folder / "shared");
    for (std::size_t t = 0; t < 4; ++t)
        EXPECT_EQ(text.substr(t * kPart, kPart), std::string(kPart, static_cast<char>('a' + t)));
}

TEST(ReadTextFile, refusesWhatIsTooLarge) {
    const test::TemporaryFolder folder;
    File(folder / "bomb.json", File::Mode::create).resize(Index{1} << 40);
    EXPECT_ERROR((void)readTextFile(folder / "bomb.json"), InputError,
                 "bomb.json is 1.10 TB large; at most 64.0 MB");
}

TEST(WriteFileAtomically, replacesAndLeavesNothingElse) {
    const test::TemporaryFolder folder;
    writeFileAtomically(folder / "job.json", "first");
    writeFileAtomically(folder / "job.json", "second");
    EXPECT_EQ(readTextFile(folder / "job.json"), "second");
    EXPECT_EQ(namesIn(folder.path()), std::vector<std::string>{"job.json"});
}

TEST(WriteFileAtomically, aFailureKeepsTheOldContentAndLeavesNothingElse) {
    const test::TemporaryFolder folder;
    writeFileAtomically(folder / "job.json", "first");
    {
        const FileSizeLimit limit(1'000);
        EXPECT_ERROR(writeFileAtomically(folder / "job.json", std::string(5'000, 'x')),
                     ResourceError, "job.json");
    }
    EXPECT_EQ(readTextFile(folder / "job.json"), "first");
    EXPECT_EQ(namesIn(folder.path()), std::vector<std::string>{"job.json"});
}

TEST(WriteFileAtomically, whereNothingCanBeWrittenTheNameIsTold) {
    const test::TemporaryFolder folder;
    EXPECT_ERROR(writeFileAtomically(folder / "no/job.json", "x"), InputError, "no/job.json");
    EXPECT_ERROR(writeFileAtomically("/proc/job.json", "x"), InputError, "/proc/job.json");
    fs::create_directory(folder / "taken");
    EXPECT_ERROR(writeFileAtomically(folder / "taken", "x"), InputError, "taken cannot be");
    EXPECT_EQ(namesIn(folder.path()), std::vector<std::string>{"taken"});
}

TEST(RenameFile, namesTheNewNameWhenItFails) {
    const test::TemporaryFolder folder;
    EXPECT_ERROR(renameFile(folder / "none", folder / "final.mha"), InputError, "final.mha");
}

TEST(RenameFile, worksInAFolderThatMayNotBeRead) {
    const test::TemporaryFolder folder;
    writeFileAtomically(folder / "a", "x");
    fs::permissions(folder.path(), fs::perms(0333));
    {
        const OrdinaryUser user;
        EXPECT_NO_THROW(renameFile(folder / "a", folder / "b"));
    }
    fs::permissions(folder.path(), fs::perms::owner_all);
    EXPECT_EQ(namesIn(folder.path()), std::vector<std::string>{"b"});
}

TEST(RemoveFile, takesWhatIsThereAndNamesWhatItCannot) {
    const test::TemporaryFolder folder;
    writeFileAtomically(folder / "a", "x");
    removeFile(folder / "a");
    EXPECT_NO_THROW(removeFile(folder / "a"));
    EXPECT_TRUE(namesIn(folder.path()).empty());
    EXPECT_ERROR(removeFile(folder.path()), InputError, "cannot be removed");
}

TEST(FreeDiskBytes, isKnownEvenForPathsToCome) {
    const test::TemporaryFolder folder;
    EXPECT_GT(freeDiskBytes(folder.path()), 0);
    EXPECT_GT(freeDiskBytes(folder / "not/yet/there.mha"), 0);
    EXPECT_GE(freeDiskBytes("not/yet/there.mha"), 0);
}

TEST(Folder, entriesComeInNaturalOrder) {
    const test::TemporaryFolder folder;
    for (const char* name : {"view10", "view2", "view1"})
        std::ofstream(folder / name) << "x";
    const auto entries = entriesOf(folder.path());
    ASSERT_EQ(entries.size(), 3U);
    EXPECT_EQ(entries[0].filename(), "view1");
    EXPECT_EQ(entries[1].filename(), "view2");
    EXPECT_EQ(entries[2].filename(), "view10");
    EXPECT_TRUE(isFolder(folder.path()));
    EXPECT_FALSE(isFolder(folder / "view1"));
    EXPECT_TRUE(pathExists(folder / "view1"));
    EXPECT_FALSE(pathExists(folder / "view3"));
    EXPECT_ERROR((void)entriesOf(folder / "view1"), InputError, "view1 cannot be read");
}

TEST(File, ManyThreadsWriteTheSameBytesAlsoToADiskInMemory) {
    std::mt19937 random(3);
    std::string bytes(7'654'321, '\0');
    for (char& byte : bytes)
        byte = static_cast<char>(random());
    const test::TemporaryFolder onDisk;
    std::vector<fs::path> folders = {onDisk / "."};
    const fs::path inMemory = fmt::format("/dev/shm/gantry-file-test-{}", ::getpid());
    std::error_code ignored;
    if (fs::create_directory(inMemory, ignored)) folders.push_back(inMemory);
    for (const fs::path& folder : folders) {
        File file(folder / "file", File::Mode::create);
        file.writeAt(0, bytesOf(bytes).first(5));
        file.writeAt(5, bytesOf(bytes).subspan(5), 3);  // begins and ends within a page
        EXPECT_EQ(readTextFile(folder / "file"), bytes) << folder;
    }
    // On a disk in memory too, but no file of it.
    File("/dev/null", File::Mode::update).writeAt(0, bytesOf(bytes), 3);
    const FileSizeLimit limit(3'000'000);
    for (const fs::path& folder : folders) {
        File file(folder / "file", File::Mode::create);
        EXPECT_ERROR(file.writeAt(5, bytesOf(bytes), 3), ResourceError, "file");
        // In memory, room for all is taken before the first byte.
        struct statfs disk {};
        ASSERT_EQ(::statfs(folder.c_str(), &disk), 0);
        if (disk.f_type == TMPFS_MAGIC) {
            EXPECT_EQ(file.sizeBytes(), 0);
        }
    }
    fs::remove_all(inMemory, ignored);
}

}  // namespace
}  // namespace gantry
