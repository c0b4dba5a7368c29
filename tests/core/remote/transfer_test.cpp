#include "core/remote/transfer/transfer.h"

#include <gtest/gtest.h>

#include <atomic>
#include <fstream>
#include <iterator>
#include <thread>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/remote/transfer/rsync.h"
#include "core/remote/transfer/sftp.h"
#include "tests/support/file_bytes.h"
#include "tests/support/temporary_folder.h"

namespace gantry {
namespace {

namespace fs = std::filesystem;

const std::vector<std::string> kOddNames = {
    "plain", "two  words ", "it's \"$(touch no)\"", "a\nb",        "#c",      ";d",
    "-n",    "[x]*?\\0101", "über/ß 測.t",          "a b/c\n/d:e", "there:.", "!!`id`"};

class TransferTest : public testing::Test {
  protected:
    static void write(const fs::path& file, const std::string& text) {
        fs::create_directories(file.parent_path());
        std::ofstream(file, std::ios::binary) << text;
    }
    TransferTest() {
        fs::create_directories(there());
        for (const std::string& name : kOddNames)
            add(name, "text of " + name);
        add("long", std::string(3'000'000, 'x'));
        progress.onNotice = [](const std::string&) {};
    }
    void add(const std::string& name, const std::string& text) {
        write(here() / name, text);
        files.push_back({name, static_cast<Index>(text.size())});
    }
    static bool hasRsync() {
        return HostShell(Host{}).run({.script = "command -v rsync"}).code == 0;
    }
    [[nodiscard]] fs::path here() const { return folder / "it's here\n"; }
    [[nodiscard]] fs::path there() const { return folder / "$(there) ü"; }
    void expectAlike(const fs::path& a, const fs::path& b) const {
        for (const HostFile& file : files)
            EXPECT_TRUE(test::fileBytes(a / file.name) == test::fileBytes(b / file.name))
                << file.name;
    }
    void send() { sendFiles(shell, here(), files, there().string(), progress, {}); }

    test::TemporaryFolder folder;
    HostShell shell{Host{}};
    std::vector<HostFile> files;
    HostProgress progress;
};

TEST_F(TransferTest, NamesOfAllKindsGoThereAndBack) {
    Index told = 0;
    progress.bytes = [&](Index done, Index all) {
        EXPECT_EQ(all, bytesOf(files));
        told = done;
    };
    send();
    expectAlike(here(), there());
    EXPECT_EQ(told, bytesOf(files));
    fs::create_directory(folder / "back");
    fetchFiles(shell, there().string(), files, folder / "back", {}, progress, {});
    expectAlike(here(), folder / "back");
    EXPECT_EQ(told, bytesOf(files));
}

// The same name and size do not mean the same content.
TEST_F(TransferTest, WhatWasAlteredThereIsSentAgain) {
    send();
    write(there() / "plain", "TEXT OF plain");
    std::string longer = test::fileBytes(there() / "long");
    longer[1'234'567] = 'y';
    write(there() / "long", longer);
    send();
    expectAlike(here(), there());
}

TEST_F(TransferTest, AnUnfinishedFileGoesOn) {
    write(there() / "long", std::string(2'000'000, 'x'));
    write(there() / "plain", "text of plain, and what was there before");
    send();
    expectAlike(here(), there());
}

TEST_F(TransferTest, WhatIsKnownIsLinkedInsteadOfFetched) {
    if (!hasRsync()) GTEST_SKIP() << "rsync is not installed";
    send();
    fs::create_directory(folder / "back");
    write(here() / "plain", "changed here.");
    fetchFiles(shell, there().string(), files, folder / "back", here(), progress, {});
    expectAlike(there(), folder / "back");
    EXPECT_EQ(fs::hard_link_count(folder / "back" / "long"), 2U);
    EXPECT_EQ(test::fileBytes(here() / "plain"), "changed here.");
}

TEST_F(TransferTest, WithoutRsyncTheSameIsDone) {
    Index told = 0;
    const auto tell = [&](Index bytes) { told = bytes; };
    write(there() / "long", std::string(3'000'000, 'y'));
    moveBySftp({shell, Transfer::Way::send, here(), there().string(), files}, tell, {});
    expectAlike(here(), there());
    EXPECT_EQ(told, bytesOf(files));
    moveBySftp({shell, Transfer::Way::send, here(), there().string(), files}, tell, {});
    fs::create_directory(folder / "back");
    moveBySftp({shell, Transfer::Way::fetch, folder / "back", there().string(), files}, tell, {});
    expectAlike(here(), folder / "back");
}

// A host may put what it likes in the place of a file after it was listed.
TEST_F(TransferTest, NothingButTheListedFilesIsTaken) {
    if (!hasRsync()) GTEST_SKIP() << "rsync is not installed";
    send();
    write(folder / "secret", "secret");
    fs::remove(there() / "plain");
    fs::create_symlink(folder / "secret", there() / "plain");
    write(there() / ".bashrc", "evil");
    fs::create_directory(folder / "back");
    fetchFiles(shell, there().string(), files, folder / "back", {}, progress, {});
    EXPECT_FALSE(fs::exists(fs::symlink_status(folder / "back" / "plain")));
    EXPECT_FALSE(fs::exists(folder / "back" / ".bashrc"));
}

TEST_F(TransferTest, AFileThatIsLongerThanListedIsRefused) {
    if (!hasRsync()) GTEST_SKIP() << "rsync is not installed";
    send();
    std::vector<HostFile> listed = {{"long", 100'000}};
    fs::create_directory(folder / "back");
    try {
        fetchFiles(shell, there().string(), listed, folder / "back", {}, progress, {});
        ADD_FAILURE() << "it was taken";
    } catch (const ResourceError& error) {
        EXPECT_NE(error.message().find("sent more"), std::string::npos) << error.message();
    }
    EXPECT_LT(fs::file_size(folder / "back" / "long"), 200'000U);
}

TEST_F(TransferTest, AMissingFolderIsASentence) {
    try {
        fetchFiles(shell, folder / "nowhere", files, folder.path(), {}, progress, {});
        ADD_FAILURE() << "it was fetched";
    } catch (const ResourceError& error) {
        EXPECT_NE(error.message().find("nowhere"), std::string::npos) << error.message();
    }
}

TEST_F(TransferTest, OfTwoThatSendTheSameOneWaits) {
    std::atomic<int> waited = 0;
    const auto sendOnce = [&] {
        HostProgress own = progress;
        own.onRemark = [&](const std::string& sentence) {
            EXPECT_NE(sentence.find("waits"), std::string::npos);
            ++waited;
        };
        // The first takes its time, until the other one waits.
        own.bytes = [&](Index, Index) {
            for (int i = 0; i < 1000 && waited == 0; ++i)
                std::this_thread::sleep_for(std::chrono::milliseconds(10));
        };
        sendFiles(shell, here(), files, there().string(), own, {});
    };
    std::jthread first(sendOnce);
    std::jthread second(sendOnce);
    first.join();
    second.join();
    EXPECT_EQ(waited, 1);
    expectAlike(here(), there());
}

TEST_F(TransferTest, SendingEndsWhenItIsCancelled) {
    std::stop_source stop;
    progress.bytes = [&](Index, Index) { stop.request_stop(); };
    EXPECT_THROW(sendFiles(shell, here(), files, there().string(), progress, stop.get_token()),
                 Cancelled);
}

}  // namespace
}  // namespace gantry
