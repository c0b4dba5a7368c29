#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "core/io/open_source.h"
#include "core/io/series/match_files.h"
#include "tests/core/io/image_files.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

namespace gantry {
namespace {

using Names = std::vector<std::string>;

class MatchFiles : public testing::Test {
  protected:
    void make(const Names& names) {
        for (const std::string& name : names) {
            std::filesystem::create_directories((m_folder / name).parent_path());
            test::writeText(m_folder / name, "x");
        }
    }
    [[nodiscard]] Names match(const std::string& pattern) const {
        Names names;
        for (const auto& path : matchFiles(m_folder.path(), pattern))
            names.push_back(path.lexically_relative(m_folder.path()).string());
        return names;
    }

    test::TemporaryFolder m_folder;
};

TEST_F(MatchFiles, AFolderGivesItsImagesInNaturalOrder) {
    make({"p/view10.tif", "p/view9.TIF", "p/view8.tif", "p/.view11.tif", "p/notes.txt",
          "p/sub/view12.tif"});
    EXPECT_EQ(match("p"), (Names{"p/view8.tif", "p/view9.TIF", "p/view10.tif"}));
    EXPECT_EQ(match("p/").size(), 3U);
    EXPECT_EQ(matchFiles("/nowhere", (m_folder / "p").string()).size(), 3U);
}

TEST_F(MatchFiles, AFolderItselfIsNamedWithoutADot) {
    make({"p/view8.tif", "empty/notes.txt"});
    EXPECT_EQ(matchFiles(m_folder / "p", ".").at(0), m_folder / "p/view8.tif");
    EXPECT_ERROR((void)matchFiles(m_folder / "empty", "."), InputError,
                 (m_folder / "empty").string() + ": ");
}

TEST_F(MatchFiles, APatternMatchesInItsLastPart) {
    make({"p/a_1.tif", "p/a_2.tif", "p/a_3.tiff", "p/b_9.tif", "p/.a_7.tif", "p/a_12.tif.bak"});
    EXPECT_EQ(match("p/a_*.tif"), (Names{"p/a_1.tif", "p/a_2.tif"}));
    EXPECT_EQ(match("p/?_?.tif"), (Names{"p/a_1.tif", "p/a_2.tif", "p/b_9.tif"}));
    EXPECT_EQ(match("p/*1*f"), (Names{"p/a_1.tif"}));
    EXPECT_EQ(match("p/.*.tif"), (Names{"p/.a_7.tif"}));
    EXPECT_EQ(match("p/b_9.tif"), (Names{"p/b_9.tif"}));
}

TEST_F(MatchFiles, AFileWhoseNameHoldsAStarIsItself) {
    make({"a*.tif", "ab.tif", "it's \"ü\" 1.tif"});
    EXPECT_EQ(match("a*.tif"), (Names{"a*.tif"}));
    EXPECT_EQ(match("it's*"), (Names{"it's \"ü\" 1.tif"}));
}

TEST_F(MatchFiles, NamesWhatIsMissing) {
    make({"p/readme.txt"});
    EXPECT_ERROR((void)match("q"), InputError, "q: there is no such file or folder");
    EXPECT_ERROR((void)match("q/*.tif"), InputError, "q: there is no such folder");
    EXPECT_ERROR((void)match("*/1.tif"), InputError, "/*/1.tif: there is no such file");
    EXPECT_ERROR((void)match("*/*.tif"), InputError, "understood in the last part of a path only");
    EXPECT_ERROR((void)match("p/*.tif"), InputError, "p/*.tif: no file matches");
    EXPECT_ERROR((void)match("p"), InputError, "p: the folder holds no images");
    EXPECT_ERROR((void)match(""), InputError, "empty pattern");
}

TEST_F(MatchFiles, RefusesAFolderWithAnImagesName) {
    make({"p/view1.tif"});
    std::filesystem::create_directory(m_folder / "p/view2.tif");
    EXPECT_ERROR((void)match("p"), InputError, "view2.tif: is a folder");
    EXPECT_ERROR((void)match("p/*.tif"), InputError, "view2.tif: is a folder");
    ASSERT_EQ(mkfifo((m_folder / "pipe.tif").c_str(), 0600), 0);
    EXPECT_ERROR((void)match("pipe.tif"), InputError, "pipe.tif: is no regular file");
    EXPECT_ERROR((void)openSource({m_folder / "pipe.tif"}, {}), InputError,
                 "is not a regular file");
}

TEST_F(MatchFiles, NamesTheNumberThatIsMissing) {
    make({"p/v_007.tif", "p/v_008.tif", "p/v_010.tif", "p/v_011.tif"});
    EXPECT_ERROR((void)match("p"), InputError,
                 "p/v_009.tif: the file is missing; the sequence has v_008.tif and then v_010.tif");
    make({"s/2024-1-v0.tif", "s/2024-1-v10.tif", "s/2024-1-v20.tif", "s/2024-1-v40.tif"});
    EXPECT_ERROR((void)match("s/*.tif"), InputError, "s/2024-1-v30.tif: the file is missing");
    make({"d/v1.tif", "d/v2.tif", "d/v02.tif"});
    EXPECT_ERROR((void)match("d"), InputError, "number 2 is there twice");
}

TEST_F(MatchFiles, NamesTheNegativeNumberThatIsMissing) {
    make({"p/v_-8.tif", "p/v_-6.tif", "p/v_-2.tif", "p/v_0.tif", "p/v_2.tif", "p/v_4.tif"});
    EXPECT_ERROR((void)match("p"), InputError, "p/v_-4.tif: the file is missing");
    Names views;
    for (const auto& path : matchViews(m_folder.path(), "p"))
        views.push_back(path.filename().string());
    EXPECT_EQ(views, (Names{"v_-8.tif", "v_-6.tif", "v_-4.tif", "v_-2.tif", "v_0.tif", "v_2.tif",
                            "v_4.tif"}));
}

TEST_F(MatchFiles, NamesTheHexadecimalNumberThatIsMissing) {
    for (int i = 0; i < 40; ++i)
        if (i != 10) make({fmt::format("p/v_{:03X}.tif", i).c_str()});
    EXPECT_ERROR((void)match("p"), InputError, "p/v_00A.tif: the file is missing");
    EXPECT_EQ(matchViews(m_folder.path(), "p").at(10).filename(), "v_00A.tif");
}

TEST_F(MatchFiles, NothingIsMissingWhereAnglesPassAFullTurn) {
    for (int i = 0; i < 90; ++i)
        make({fmt::format("p/v_{:03}.tif", (270 + 2 * i) % 360).c_str()});
    EXPECT_EQ(match("p").size(), 90U);
    const auto views = matchViews(m_folder.path(), "p");
    ASSERT_EQ(views.size(), 90U);
    EXPECT_EQ(views.front().filename(), "v_270.tif");
    std::filesystem::remove(m_folder / "p/v_010.tif");
    EXPECT_ERROR((void)match("p"), InputError, "p/v_010.tif: the file is missing");
    EXPECT_EQ(matchViews(m_folder.path(), "p").at(50).filename(), "v_010.tif");
}

TEST_F(MatchFiles, ANewFileWouldMatchWhatItsNameSays) {
    make({"p/v_1.tif", "q/v_1.tif"});
    const auto wouldBe = [&](const std::string& pattern, const char* name) {
        return wouldMatch(m_folder.path(), pattern, m_folder / name);
    };
    EXPECT_TRUE(wouldBe("p/v_*.tif", "p/v_new.tif"));
    EXPECT_FALSE(wouldBe("p/v_*.tif", "p/w_new.tif"));
    EXPECT_FALSE(wouldBe("p/v_*.tif", "q/v_new.tif"));
    EXPECT_FALSE(wouldBe("p/v_1.tif", "p/v_1.tif"));  // one file, which is known by itself
    EXPECT_TRUE(wouldBe("p", "p/any.mha"));
    EXPECT_FALSE(wouldBe("p", "p/any.json"));
    EXPECT_FALSE(wouldBe("p", "p/.any.mha"));
}

TEST_F(MatchFiles, NamesThatAreNoCounterAreNoSequence) {
    make({"a/0.0deg.tif", "a/0.5deg.tif", "a/1.0deg.tif", "a/1.5deg.tif"});  // two numbers vary
    EXPECT_EQ(match("a").size(), 4U);
    make({"b/t102.tif", "b/t317.tif", "b/t533.tif", "b/t751.tif"});
    EXPECT_EQ(match("b").size(), 4U);
    make({"c/first.tif", "c/v1.tif", "c/v2.tif"});
    EXPECT_EQ(match("c").size(), 3U);
    make({"d/v99999999999999999999991.tif", "d/v99999999999999999999993.tif"});
    EXPECT_EQ(match("d").size(), 2U);
    make({"e/1.tif", "e/v5.tif"});
    EXPECT_EQ(match("e").size(), 2U);
}

}  // namespace
}  // namespace gantry
