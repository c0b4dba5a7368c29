#include "core/remote/shell/host_folders.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/base/file.h"
#include "tests/support/temporary_folder.h"

namespace gantry {
namespace {

namespace fs = std::filesystem;

HostFolder read(const std::string& place) {
    Host host;
    host.scratch = "/tmp";
    return readHostFolder(HostShell(host), place, {});
}

std::string reasonAgainst(const std::string& place) {
    try {
        (void)read(place);
    } catch (const InputError& error) {
        return error.message();
    }
    return "none";
}

// No shell, list or line may take anything of these for its own.
const std::vector<std::string> kOdd = {"two  words",   "it's",        "\"quoted\"", "a\nb",
                                       "ends\n",       "$(touch no)", "`touch no`", "-n",
                                       "--",           "*",           "[a-z]?",     "\\0101",
                                       "größer Zahn",  "日本",        "a;b&c|d>e",  " blank ",
                                       "\xff\xfe odd", "~",           "$HOME",      "%s"};

TEST(HostFolders, NamesComeAsTheyAre) {
    const test::TemporaryFolder folder;
    const fs::path top = folder / "it's $(touch no)\n";
    for (const std::string& name : kOdd) {
        fs::create_directories(top / name);
        writeFileAtomically(top / (name + ".json"), "{}");
    }
    writeFileAtomically(top / "notes.txt", "no scan");
    fs::create_directories(top / ".hidden");
    fs::create_directories(top / "folder.json");
    fs::create_directory_symlink(top / "two  words", top / "by a link");
    fs::create_symlink(top / "nowhere", top / "broken.json");
    std::vector<std::string> folders = kOdd;
    folders.insert(folders.end(), {"folder.json", "by a link"});
    std::vector<std::string> scans;
    for (const std::string& name : kOdd)
        scans.push_back(name + ".json");
    std::sort(folders.begin(), folders.end());
    std::sort(scans.begin(), scans.end());
    const HostFolder found = read(top.string());
    EXPECT_EQ(found.path, top.string());
    EXPECT_EQ(found.folders, folders);
    EXPECT_EQ(found.scans, scans);
    EXPECT_FALSE(found.isCut);
    // Each of them can be entered, and nothing was run.
    for (const std::string& name : kOdd)
        EXPECT_EQ(read((top / name).string()).path, (top / name).string());
    for (const auto& each : fs::recursive_directory_iterator(folder.path()))
        EXPECT_NE(each.path().filename(), "no");
}

TEST(HostFolders, PlacesBeginAtTheTopOrAtWhatTheHostKnows) {
    const test::TemporaryFolder folder;
    fs::create_directories(folder / "home/scans");
    const std::string before = std::getenv("HOME") ? std::getenv("HOME") : "/";
    ::setenv("HOME", (folder / "home").c_str(), 1);
    ::setenv("GANTRY_TEST_PLACE", folder.path().c_str(), 1);
    EXPECT_EQ(read("~").folders, std::vector<std::string>{"scans"});
    EXPECT_EQ(read("~/scans").path, (folder / "home/scans").string());
    EXPECT_EQ(read("$GANTRY_TEST_PLACE/home").path, (folder / "home").string());
    EXPECT_EQ(read((folder / "home/scans/../scans/").string()).path,
              (folder / "home/scans").string());
    EXPECT_EQ(read("/").path, "/");
    ::setenv("HOME", before.c_str(), 1);
    ::unsetenv("GANTRY_TEST_PLACE");
    EXPECT_NE(reasonAgainst("$GANTRY_TEST_PLACE/home").find("is not set"), std::string::npos);
    EXPECT_NE(reasonAgainst("scans").find("must begin with /"), std::string::npos);
    EXPECT_NE(reasonAgainst("$(id)/x").find("must begin with /"), std::string::npos);
}

TEST(HostFolders, ThousandsOfEntriesAreReadAndMoreThanThatIsSaid) {
    const test::TemporaryFolder folder;
    std::mt19937 random(3);
    std::set<std::string> names;
    const std::string filling(200, 'x');
    while (names.size() < 4000)
        names.insert(std::to_string(random()) + filling.substr(0, random() % 30));
    for (const std::string& name : names)
        fs::create_directory(folder / name);
    const HostFolder found = read(folder.path().string());
    EXPECT_EQ(found.folders, std::vector<std::string>(names.begin(), names.end()));
    EXPECT_FALSE(found.isCut);
    for (int i = 0; i < 5000; ++i)
        fs::create_directory(folder / (std::to_string(i) + filling));
    const HostFolder cut = read(folder.path().string());
    EXPECT_TRUE(cut.isCut);
    EXPECT_GT(cut.folders.size(), 4000);
    for (const std::string& name : cut.folders)
        EXPECT_TRUE(fs::exists(folder / name)) << name;
}

TEST(HostFolders, WhatCannotBeReadIsSaid) {
    const test::TemporaryFolder folder;
    writeFileAtomically(folder / "scan.json", "{}");
    EXPECT_EQ(reasonAgainst((folder / "scan.json").string()),
              "This machine: " + (folder / "scan.json").string() + " is a file, not a folder.");
    EXPECT_EQ(reasonAgainst((folder / "gone").string()),
              "This machine has no folder " + (folder / "gone").string() + ".");
}

// Another user asks, for whom it matters: the administrator may read everything.
TEST(HostFolders, AFolderThatMayNotBeReadIsSaid) {
    const test::TemporaryFolder folder;
    constexpr auto kAll = fs::perms::owner_all | fs::perms::group_read | fs::perms::group_exec |
                          fs::perms::others_read | fs::perms::others_exec;
    fs::permissions(folder.path(), kAll);
    fs::create_directories(folder / "closed");
    fs::create_directories(folder / "unlisted");
    fs::permissions(folder / "closed", fs::perms::none);
    fs::permissions(folder / "unlisted", fs::perms::owner_exec | fs::perms::others_exec);
    constexpr uid_t kNobody = 65534;
    const bool isRoot = ::geteuid() == 0;
    ASSERT_EQ(isRoot ? ::setresuid(kNobody, kNobody, 0) : 0, 0);
    const std::string closed = reasonAgainst((folder / "closed").string());
    const std::string unlisted = reasonAgainst((folder / "unlisted").string());
    ASSERT_EQ(isRoot ? ::setresuid(0, 0, 0) : 0, 0);
    EXPECT_EQ(closed, "This machine does not let you read " + (folder / "closed").string() + ".");
    EXPECT_EQ(unlisted,
              "This machine does not let you read " + (folder / "unlisted").string() + ".");
    fs::permissions(folder / "closed", kAll);
}

}  // namespace
}  // namespace gantry
