#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "core/io/open_source.h"
#include "core/io/series/match_files.h"
#include "core/io/series/selected_views.h"
#include "tests/core/io/image_files.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

namespace gantry {
namespace {

using namespace test;
namespace fs = std::filesystem;

constexpr Index kViews = 9;

// Nine TIFF files of 37 × 23 pixels, of which some are spoilt.
class OpenViews : public testing::Test {
  protected:
    OpenViews() {
        for (Index view = 0; view < kViews; ++view)
            write(view, {});
    }
    fs::path file(Index view) const { return m_folder / fmt::format("view_{:04}.tif", view); }
    void write(Index view, const ForeignTiff& spec) const {
        writeTiff(
            file(view), spec,
            randomPixels(spec.type, spec.columns * spec.rows, static_cast<std::uint32_t>(view)));
    }
    OpenedViews open() const { return openViews(matchViews(m_folder.path(), "*.tif"), {}); }

    // Only that view is bad, the others are read as before.
    void expectBad(Index view, BadViewKind kind, const std::string& sentence) {
        const OpenedViews opened = open();
        ASSERT_EQ(opened.views(), kViews);
        ASSERT_EQ(opened.bad.size(), 1U);
        EXPECT_EQ(opened.bad[0].view, view);
        EXPECT_EQ(opened.bad[0].file, file(view));
        EXPECT_EQ(opened.bad[0].kind, kind);
        EXPECT_EQ(opened.bad[0].sentence, sentence);
        ASSERT_EQ(opened.source->info().views, kViews - 1);
        for (Index s = 0; s < kViews - 1; ++s) {
            const Index number = s < view ? s : s + 1;
            EXPECT_EQ(opened.source->viewName(s), file(number).string());
            EXPECT_PIXELS_EQ(readView(*opened.source, s, {0, 23}),
                             detectorRows(randomPixels(PixelType::uint16, 37 * 23,
                                                       static_cast<std::uint32_t>(number)),
                                          {37, 23, PixelType::uint16}, {0, 23}, true));
        }
    }

    TemporaryFolder m_folder;
};

TEST_F(OpenViews, AnyBadFileAtAnyPlaceLeavesTheOthers) {
    for (const Index view : {Index{0}, Index{4}, kViews - 1}) {
        SCOPED_TRACE(view);
        const std::string name = file(view).filename().string();
        const Bytes whole = readBytes(file(view));
        const auto spoil = [&](const Bytes& bytes, const std::string& sentence) {
            writeBytes(file(view), bytes);
            expectBad(view, BadViewKind::unreadable, sentence);
        };
        spoil({}, name + " is empty; a TIFF image was expected.");
        spoil(Bytes(whole.begin(), whole.begin() + 200),
              name + " is damaged (its directory cannot be read).");
        // A writer that has not come to the directory leaves such a file.
        Bytes begun = whole;
        std::fill(begun.begin() + 4, begun.begin() + 8, std::byte{0});
        spoil(begun, name + " is damaged (its directory cannot be read).");
        spoil(Bytes(500, std::byte{'x'}), name + " is no TIFF file.");

        ForeignTiff larger;
        larger.columns = larger.rows = 64;
        write(view, larger);
        expectBad(view, BadViewKind::otherSize,
                  name + " is 64 × 64; the others are 37 × 23. All must be the same size.");
        ForeignTiff wider;
        wider.type = PixelType::float32;
        write(view, wider);
        expectBad(view, BadViewKind::otherType,
                  name +
                      " has pixels of float32; the others have uint16. All must be the same "
                      "type.");
        write(view, {});
    }
    EXPECT_TRUE(open().bad.empty());
}

TEST_F(OpenViews, AMissingNumberHasItsPlace) {
    fs::remove(file(4));
    expectBad(4, BadViewKind::missing, "view_0004.tif is missing.");
    fs::remove(file(5));
    fs::remove(file(6));
    const OpenedViews opened = open();
    ASSERT_EQ(opened.bad.size(), 3U);
    EXPECT_EQ(opened.bad[2].view, 6);
    EXPECT_EQ(opened.bad[2].file, file(6));
    EXPECT_EQ(opened.views(), kViews);
}

TEST_F(OpenViews, OfStacksTheImageIsBad) {
    // Three files of three images; in the second one, one image is of another size.
    for (Index view = 0; view < kViews; ++view)
        fs::remove(file(view));
    for (Index stack = 0; stack < 3; ++stack)
        for (int image = 0; image < 3; ++image) {
            ForeignTiff spec;
            if (image > 0) spec.mode = "a";
            if (stack == 1 && image == 1) spec.rows = 24;
            write(stack, spec);
        }
    const OpenedViews opened = open();
    ASSERT_EQ(opened.views(), 9);
    ASSERT_EQ(opened.bad.size(), 1U);
    EXPECT_EQ(opened.bad[0].view, 4);
    EXPECT_NE(opened.bad[0].sentence.find("view_0001.tif, image 1 is 37 × 24"), std::string::npos)
        << opened.bad[0].sentence;
    // An unreadable one stands for as many as the others hold.
    writeText(file(0), "rubbish");
    EXPECT_EQ(open().views(), 9);
    EXPECT_EQ(open().bad.size(), 4U);
}

TEST_F(OpenViews, WhereNoneCanBeUsedTheFirstFaultIsTold) {
    for (Index view = 0; view < kViews; ++view)
        writeText(file(view), "rubbish");
    EXPECT_ERROR((void)open(), InputError, "view_0000.tif: unknown format");
}

TEST_F(OpenViews, SomeOfThemCanBeSelected) {
    const std::shared_ptr<const ProjectionSource> all = open().source;
    const SelectedViews some(all, {1, 7});
    EXPECT_EQ(some.info().views, 2);
    EXPECT_EQ(some.info().columns, 37);
    EXPECT_EQ(some.viewName(1), file(7).string());
    EXPECT_PIXELS_EQ(readView(some, 1, {3, 9}), readView(*all, 7, {3, 9}));
}

}  // namespace
}  // namespace gantry
