#include "ui/models/path_text.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tests/support/temporary_folder.h"
#include "ui/models/text.h"

namespace gantry {
namespace {

// Shares of old machines have such names.
TEST(PathText, NamesThatAreNoUtf8KeepTheirBytes) {
    for (const char* bytes : {"/a/Messung_\xFC/b.mha", "/\xE4\xF6", "/größer", "/100 % [x] *?"}) {
        EXPECT_EQ(toPath(toText(bytes)).string(), bytes);
        const QByteArray url = "file://" + QByteArray(bytes).toPercentEncoding("/");
        EXPECT_EQ(toPath(pathTextOf(QUrl::fromEncoded(url))).string(), bytes);
    }
}

TEST(PathText, WhatADialogCannotShowIsFoundInItsFolderIfItIsTheOnlyOne) {
    const test::TemporaryFolder folder;
    const std::filesystem::path real = folder / "Messung_\xFC";
    std::filesystem::create_directory(real);
    std::ofstream(real / "a.mha") << "x";
    const QString shown = toText(folder.path()) + "/Messung_\uFFFD";
    EXPECT_EQ(toPath(shown + "/a.mha"), real / "a.mha");
    EXPECT_EQ(toPath(shown + "/new.mha"), real / "new.mha");
    EXPECT_EQ(toPath(shown + "/\uFFFD.mha"), real / "\uFFFD.mha");
    EXPECT_EQ(reasonAgainstPath(shown + "/a.mha"), "");

    std::filesystem::create_directory(folder / "Messung_\xE4");
    EXPECT_FALSE(std::filesystem::exists(toPath(shown)));
    EXPECT_TRUE(reasonAgainstPath(shown + "/a.mha").startsWith(shown)) << "it names the path";
    // Another one that is truly called so is meant.
    std::filesystem::create_directory(folder / "Messung_\uFFFD");
    EXPECT_EQ(toPath(shown), folder / "Messung_\uFFFD");
    EXPECT_EQ(reasonAgainstPath(shown), "");
}

}  // namespace
}  // namespace gantry
