#include <gtest/gtest.h>

#include <filesystem>

#include "core/base/file.h"
#include "core/io/scan_file/scan_fields.h"
#include "core/job/job_fields.h"
#include "tests/support/manual_table.h"

namespace gantry {
namespace {

void expectTable(const char* page, const std::string& table) {
    const std::string text = readTextFile(std::filesystem::path(GANTRY_RESOURCES) / "help" / page);
    EXPECT_NE(text.find(table), std::string::npos) << page << " lacks this table:\n" << table;
}

TEST(Manual, ListsEveryFieldOfAScan) {
    expectTable("geometry.md", manualTable(scanFileFields()));
    expectTable("geometry.md", manualTable(gridFields(), "volume."));
}

TEST(Manual, ListsEveryFieldOfAJob) {
    expectTable("scan-files.md", manualTable(jobFields()));
}

TEST(Manual, ListsEveryOptionOfAJob) {
    expectTable("command-line.md", optionTable(jobFields()));
}

}  // namespace
}  // namespace gantry
