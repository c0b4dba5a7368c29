#include "core/io/projection_format.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstring>

#include "core/base/file.h"
#include "core/io/image_shape.h"
#include "core/io/open_source.h"
#include "core/io/scan_file/scan_file.h"
#include "core/io/series/match_files.h"
#include "tests/core/io/image_files.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

namespace gantry {
namespace {

using namespace test;
namespace fs = std::filesystem;

// A format as somebody adds it: "DIGITS" and an image of one row, a digit a pixel.
constexpr std::string_view kMagic = "DIGITS";

class DigitsSource : public ProjectionSource {
  public:
    DigitsSource(const std::vector<fs::path>& files, const OpenOptions& /*options*/,
                 const ChooseParts& choose) {
        std::vector<SeriesPart> parts;
        for (std::size_t i = 0; i < files.size(); ++i) {
            const bool isGood = pathExists(files[i]);
            const Index columns = isGood ? static_cast<Index>(digitsOf(files[i]).size()) : 0;
            parts.push_back({i, SeriesPart::kWholeFile, 1, {columns, 1, PixelType::uint8}});
            if (!isGood) parts.back().fault = std::make_exception_ptr(InputError("It is missing."));
        }
        const UsableParts usable = choose(files, parts);
        for (const std::size_t part : usable.parts)
            m_files.push_back(files[part]);
        m_info.views = static_cast<Index>(m_files.size());
        m_info.rows = 1;
        m_info.columns = usable.shape.columns;
        m_info.pixelType = PixelType::uint8;
        m_info.format = "digits";
    }

    [[nodiscard]] const SourceInfo& info() const override { return m_info; }
    void readRows(Index view, IndexRange /*rows*/, std::span<std::byte> pixels) const override {
        const std::string digits = digitsOf(m_files[static_cast<std::size_t>(view)]);
        for (std::size_t u = 0; u < pixels.size(); ++u)
            pixels[u] = static_cast<std::byte>(digits[u] - '0');
    }
    [[nodiscard]] std::string viewName(Index view) const override {
        return m_files[static_cast<std::size_t>(view)].string();
    }

  private:
    static std::string digitsOf(const fs::path& file) {
        return readTextFile(file).substr(kMagic.size());
    }
    std::vector<fs::path> m_files;
    SourceInfo m_info;
};

bool isDigits(const fs::path& /*file*/, std::string_view begin) {
    return begin.starts_with(kMagic);
}

// The line that adds it.
ProjectionFormats withDigits() {
    ProjectionFormats formats = projectionFormats();
    formats.push_back({"digits", {".dig"}, {{".dig", ".txt"}}, isDigits, openAs<DigitsSource>});
    return formats;
}

class AddedFormat : public testing::Test {
  protected:
    AddedFormat() {
        for (const char* view : {"1", "2", "3", "4"})
            writeText(m_folder / fmt::format("views/view{}.DIG", view),
                      fmt::format("{}{}", kMagic, std::string(5, *view)));
        writeText(m_folder / "views/view1.txt", "of view1");
    }
    [[nodiscard]] fs::path view(int number) const {
        return m_folder / fmt::format("views/view{}.DIG", number);
    }

    struct Folder : TemporaryFolder {
        Folder() { fs::create_directory(path() / "views"); }
    };
    Folder m_folder;
    ProjectionFormats m_formats = withDigits();
};

TEST_F(AddedFormat, IsToldByItsContentAndRead) {
    const auto source = openSource({view(1), view(3)}, {}, m_formats);
    EXPECT_EQ(source->info().format, "digits");
    EXPECT_PIXELS_EQ(readView(*source, 1), Bytes(5, std::byte{3}));
    // Formats that were there are told as before.
    writeTiff(m_folder / "tiff.dig", {}, randomBytes(2 * 37 * 23, 1));
    EXPECT_TRUE(
        openSource({m_folder / "tiff.dig"}, {}, m_formats)->info().format.starts_with("TIFF"));
    EXPECT_ERROR((void)openSource({view(1)}, {}), InputError, "view1.DIG: unknown format.");
}

TEST_F(AddedFormat, IsFoundInAFolderByItsExtension) {
    EXPECT_EQ(matchFiles(m_folder.path(), "views", m_formats),
              (std::vector<fs::path>{view(1), view(2), view(3), view(4)}));
    EXPECT_ERROR(
        (void)matchFiles(m_folder.path(), "views"), InputError,
        "holds no images (.tif, .tiff, .mha, .mhd, .h5, .hdf5, .hdf, .nx, .nxs, .txrm, .xrm, .xim, "
        ".hnd, .his or .raw)");
}

TEST_F(AddedFormat, IsNamedWhereAFileCannotBeRead) {
    writeText(m_folder / "views/view2.DIG", "hello");
    EXPECT_ERROR((void)openSource({view(2)}, {}, m_formats), InputError,
                 "Gantry reads TIFF, MetaImage, HDF5 (NXtomo, Data Exchange), ZEISS Xradia, Varian "
                 ".xim and .hnd, Elekta .his, raw files with a JSON header and digits, and scans");
    for (const int number : {1, 2, 3, 4})
        fs::remove(view(number));
    EXPECT_ERROR(
        (void)matchFiles(m_folder.path(), "views", m_formats), InputError,
        "holds no images (.tif, .tiff, .mha, .mhd, .h5, .hdf5, .hdf, .nx, .nxs, .txrm, .xrm, .xim, "
        ".hnd, .his, .raw or "
        ".dig)");
}

TEST_F(AddedFormat, HoldsTheViewsOfAScan) {
    writeText(m_folder / "scan.json", R"({"gantryScan": 1,
        "trajectory": {"type": "circular-cone", "sourceToIsocenterMm": 500, "sourceToDetectorMm": 1000,
                       "views": 4},
        "detector": {"columns": 5, "rows": 1, "pitchMm": [1, 1]},
        "projections": {"files": "views", "flatValue": 9}})");
    fs::remove(view(2));
    const ScanFile scan = readScanFile(m_folder / "scan.json");
    const OpenedViews opened =
        openViews(matchViews(scan.folder, scan.projections.files, m_formats), {}, m_formats);
    ASSERT_EQ(opened.bad.size(), 1U);
    EXPECT_EQ(opened.bad[0].view, 1);
    EXPECT_EQ(opened.bad[0].kind, BadViewKind::missing);
    ASSERT_EQ(opened.views(), scan.geometry.views());
    EXPECT_PIXELS_EQ(readView(*opened.source, 1), Bytes(5, std::byte{3}));
}

}  // namespace
}  // namespace gantry
