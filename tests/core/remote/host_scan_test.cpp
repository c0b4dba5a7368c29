#include "core/remote/shell/host_scan.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/io/scan_file/scan_file.h"
#include "tests/support/temporary_folder.h"

namespace gantry {
namespace {

namespace fs = std::filesystem;

class HostScanTest : public testing::Test {
  protected:
    void SetUp() override {
        ::setenv("XDG_STATE_HOME", (m_folder / "state").c_str(), 1);
        m_host.name = "cluster";
        m_host.scratch = "/tmp";
        fs::create_directories(m_there.parent_path());
        write("walnut");
    }
    void TearDown() override { ::unsetenv("XDG_STATE_HOME"); }

    void write(const std::string& name) const {
        writeFileAtomically(m_there, R"({"gantryScan": 1, "name": ")" + name + R"(",
"detector": {"columns": 24, "rows": 16, "pitchMm": [16, 16]},
"trajectory": {"type": "circular-cone", "sourceToIsocenterMm": 600,
  "sourceToDetectorMm": 1200, "startDeg": 0, "arcDeg": 360, "views": 18},
"projections": {"files": "proj/*.tif", "flatValue": 60000}})");
    }
    [[nodiscard]] fs::path bring() const { return bringScan(m_host, m_there.string(), {}); }
    [[nodiscard]] static std::string nameIn(const fs::path& copy) {
        return readScanFile(copy).name;
    }
    [[nodiscard]] std::string reason() const {
        try {
            (void)bring();
        } catch (const InputError& error) {
            return error.message();
        }
        return "none";
    }

    test::TemporaryFolder m_folder;
    Host m_host;
    fs::path m_there = m_folder / "it's $(touch no)/größer\n/scan.json";
};

TEST_F(HostScanTest, TheCopyTellsWhereItIsFrom) {
    const fs::path copy = bring();
    EXPECT_EQ(nameIn(copy), "walnut");
    EXPECT_EQ(copy, copyOf({"cluster", m_there.string()}));
    const std::optional<HostScan> scan = scanOfCopy(copy);
    ASSERT_TRUE(scan);
    EXPECT_EQ(scan->host, "cluster");
    EXPECT_EQ(scan->place, m_there.string());
    EXPECT_FALSE(scanOfCopy(m_there));
    EXPECT_FALSE(scanOfCopy(m_folder / "state/gantry"));
    EXPECT_FALSE(scanOfCopy(""));
    // A folder stands for its scan.
    EXPECT_EQ(bringScan(m_host, m_there.parent_path().string(), {}), copy);
    // No place leaves the copies' folder.
    const fs::path top = copyOf({"cluster", "/"}).parent_path();
    EXPECT_EQ(copyOf({"cluster", "/../../x/scan.json"}), top / "x/scan.json");
}

TEST_F(HostScanTest, TheHostsFileIsTakenAgainUnlessTheCopyWasEdited) {
    const fs::path copy = bring();
    write("hazelnut");
    EXPECT_EQ(nameIn(bring()), "hazelnut");
    ScanFile edited = readScanFile(copy);
    edited.name = "edited";
    writeFileAtomically(copy, toJson(edited));
    write("peanut");
    EXPECT_EQ(nameIn(bring()), "edited");
}

TEST_F(HostScanTest, WhatIsNoScanIsSaidAndLeavesNothing) {
    const fs::path copy = copyOf({"cluster", m_there.string()});
    writeFileAtomically(m_there, "{}");
    EXPECT_NE(reason().find("On cluster: "), std::string::npos);
    fs::remove(m_there);
    EXPECT_NE(reason().find("cannot read"), std::string::npos);
    EXPECT_FALSE(pathExists(copy));
    m_there = "scan.json";
    EXPECT_NE(reason().find("must begin with /"), std::string::npos);
}

}  // namespace
}  // namespace gantry
