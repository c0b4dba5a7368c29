#include <gtest/gtest.h>

#include <filesystem>

#include "core/base/file.h"
#include "core/io/scan_file/scan_fields.h"
#include "core/io/volume/volume_format.h"
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

// The desktop calls them so, and its page lists them.
TEST(Manual, TellsTheFieldsOfTheEngineAndTheFormatsOfVolumes) {
    for (const char* path : {"engine", "precision", "gpuKernel", "filterOn", "filterRows",
                             "threads", "ranks", "memoryBytes", "deviceMemoryBytes"})
        expectTable("desktop-reconstruction.md",
                    fmt::format("\n| {} | ", fieldOf(jobFields(), path).option.label));
    const std::string_view volume = fieldOf(jobFields(), "output.path").shape.meaning;
    for (const VolumeFileFormat& format : volumeFormats()) {
        if (format.extensions.empty()) continue;
        EXPECT_NE(volume.find(format.extensions.front()), std::string_view::npos)
            << format.name << " is not in: " << volume;
    }
}

}  // namespace
}  // namespace gantry
