#include "core/remote/action/host_scratch.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <set>
#include <string>

#include "core/base/file.h"
#include "tests/support/temporary_folder.h"

namespace gantry {
namespace {

namespace fs = std::filesystem;

// Folders of this machine stand for those of a host: what is offered follows from them alone.
class HostScratchTest : public testing::Test {
  protected:
    fs::path makeJob(const std::string& id, const std::string& data = "scan-0a") {
        const fs::path job = scratch() / "jobs" / id;
        fs::create_directories(job / "job");
        fs::create_directories(job / "out");
        writeFileAtomically(job / "owner", "ada@desk\n");
        writeFileAtomically(
            job / "job/job.json",
            "{\"scan\": \"" + (scratch() / "data" / data / "scan.json").string() + "\"}\n");
        fs::create_directories(scratch() / "data" / data);
        return job;
    }
    fs::path makeEndedJob(const std::string& id, const std::string& data = "scan-0a") {
        const fs::path job = makeJob(id, data);
        writeFileAtomically(job / "begun", "1 0 n1\n");
        writeFileAtomically(job / "ended", "0\n");
        writeFileAtomically(job / "out/v.mha", "voxels");
        return job;
    }
    static void makeOld(const fs::path& folder) {
        const auto then = fs::file_time_type::clock::now() - std::chrono::hours(24 * 40);
        for (const auto& entry : fs::recursive_directory_iterator(folder))
            fs::last_write_time(entry, then);
        fs::last_write_time(folder, then);
    }

    [[nodiscard]] Host host() const {
        Host made;
        made.name = "here";
        made.scratch = scratch().string();
        return made;
    }
    [[nodiscard]] fs::path scratch() const { return m_folder / "it's $(scratch)"; }
    [[nodiscard]] std::set<std::string> offered() const {
        std::set<std::string> names;
        for (const ScratchFolder& folder : unusedFolders(host(), {}))
            names.insert(fs::path(folder.path).lexically_relative(scratch()).string());
        return names;
    }

    test::TemporaryFolder m_folder;
};

using Names = std::set<std::string>;

TEST_F(HostScratchTest, AHostWithoutTheFolderHasNothing) {
    EXPECT_EQ(offered(), Names());
}

TEST_F(HostScratchTest, WhatIsNeededStays) {
    makeEndedJob("1");                  // its volume was not fetched
    makeJob("2", "scan-0b");            // was not begun
    const fs::path job = makeJob("3");  // runs, for longer than anybody has asked for it
    writeFileAtomically(job / "begun", std::to_string(::getpid()) + " 0 n1\n");
    makeOld(job);
    const fs::path before = fs::current_path();
    fs::current_path(job);
    EXPECT_EQ(offered(), Names());
    fs::current_path(before);
    EXPECT_EQ(offered(), Names{"jobs/3"});  // it is old, and its process is gone
}

TEST_F(HostScratchTest, WhatWasFetchedOrHasNothingIsOfferedWithTheDataOfNoOtherJob) {
    writeFileAtomically(makeEndedJob("1", "scan-0b") / "fetched", "");
    const fs::path failed = makeEndedJob("2");
    fs::remove(failed / "out/v.mha");
    EXPECT_EQ(offered(), (Names{"jobs/1", "jobs/2", "data/scan-0a", "data/scan-0b"}));
    writeFileAtomically(failed / "job/checkpoint.json", "{}");
    EXPECT_EQ(offered(), (Names{"jobs/1", "data/scan-0b"}));
    const std::string reason = unusedFolders(host(), {}).front().reason;
    EXPECT_EQ(reason, "fetched; sent by ada@desk, last asked for 0 days ago");
}

TEST_F(HostScratchTest, WhatIsOldIsOffered) {
    makeOld(makeEndedJob("1"));
    makeOld(makeJob("2"));
    EXPECT_EQ(offered(), (Names{"jobs/1", "jobs/2", "data/scan-0a"}));
}

TEST_F(HostScratchTest, DataStayWhileAJobIsBeingSent) {
    fs::remove(makeJob("1") / "job/job.json");
    EXPECT_EQ(offered(), Names());
    fs::remove_all(scratch() / "jobs/1");
    fs::create_directories(scratch() / "data/scan-0a.lock");
    EXPECT_EQ(offered(), Names());
}

TEST_F(HostScratchTest, RemovingCanBeGoneOnWithAndSparesWhatIsInUseAgain) {
    writeFileAtomically(makeEndedJob("1") / "fetched", "");
    writeFileAtomically(makeEndedJob("2") / "fetched", "");
    fs::create_directories(scratch() / "jobs/3.removed/out");
    writeFileAtomically(scratch() / "mine.txt", "");
    const std::vector<ScratchFolder> folders = unusedFolders(host(), {});
    fs::remove(scratch() / "jobs/2/fetched");
    removeFolders(host(), folders, {});
    EXPECT_FALSE(pathExists(scratch() / "jobs/1"));
    EXPECT_FALSE(pathExists(scratch() / "jobs/3.removed"));
    EXPECT_TRUE(pathExists(scratch() / "jobs/2/out/v.mha"));
    EXPECT_TRUE(pathExists(scratch() / "data/scan-0a"));
    EXPECT_TRUE(pathExists(scratch() / "mine.txt"));
}

}  // namespace
}  // namespace gantry
