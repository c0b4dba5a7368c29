#include "core/verify/figures.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "core/base/file.h"
#include "core/verify/verification.h"
#include "core/verify/verify_run.h"
#include "tests/core/verify/made_volumes.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

namespace gantry {
namespace {

TEST(Figures, ALimitIsAFloorOrASize) {
    Figure figure{"spheres", "scalePercent", "scale error", -0.04, "%", 3, {}, 0.05, 0.002};
    EXPECT_TRUE(figure.isMet());
    EXPECT_EQ(figure.shownValue(), "-0.040 ± 0.002 %");
    EXPECT_EQ(figure.shownLimit(), "±0.050 %");
    figure.value = -0.06;
    EXPECT_FALSE(figure.isMet());
    EXPECT_EQ(missedLimits({figure}),
              std::vector<std::string>{
                  "spheres: scale error is -0.060 ± 0.002 %; the limit is ±0.050 %"});
    const Figure floor{"head", "psnrDb", "PSNR", -0.0001, "dB", 2, 20, {}, {}};
    EXPECT_EQ(floor.shownValue(), "0.00 dB");
    EXPECT_EQ(floor.shownLimit(), "at least 20.00 dB");
    EXPECT_FALSE(floor.isMet());
    // What is not a number meets no limit.
    figure.value = std::nan("");
    EXPECT_FALSE(figure.isMet());
    EXPECT_EQ(figureTable({figure, floor})[2].back(), "missed");
}

TEST(Limits, AreReadStrictly) {
    const test::TemporaryFolder folder;
    const auto read = [&](const std::string& text) {
        writeFileAtomically(folder / "limits.json", text);
        return readLimits(folder / "limits.json");
    };
    const VerifyLimits limits = read(R"({"gantryLimits": 1, "maxScalePercent": 0.2})");
    EXPECT_EQ(limits.maxScalePercent, 0.2);
    EXPECT_EQ(limits.minPsnrDb, VerifyLimits().minPsnrDb);
    // Version 0.1 called it so; both names at once are one too many.
    EXPECT_EQ(read(R"({"gantryLimits": 1, "mostScalePercent": 0.3})").maxScalePercent, 0.3);
    EXPECT_ERROR((void)read(R"({"gantryLimits": 1, "maxScalePercent": 1, "mostScalePercent": 2})"),
                 InputError, "mostScalePercent");
    EXPECT_ERROR((void)read(R"({"gantryLimits": 1, "maxScale": 0.2})"), InputError, "maxScale");
    EXPECT_ERROR((void)read(R"({"gantryLimits": 2})"), InputError, "reads 1");
}

TEST(Limits, AreListedInTheManual) {
    const std::string manual =
        readTextFile(std::filesystem::path(GANTRY_RESOURCES) / "help" / "verification.md");
    const VerifyLimits usual;
    for (const FileField<VerifyLimits>& field : limitFields()) {
        const std::string row =
            fmt::format("| `{}` | {} | {} | `{}` |", field.shape.name, field.shape.meaning,
                        field.shape.unit, std::get<double>(field.value(usual)));
        EXPECT_NE(manual.find(row), std::string::npos) << row;
    }
}

TEST(Verification, APageHasFiguresFactsAndAPicture) {
    const VolumeGrid grid = {{64, 60, 20}, {1, 1, 1.2}, {0, 0, 0}};
    const Volume volume = test::volumeOf(
        grid, [](Vec3 p) { return 0.02 * test::softEdge(std::hypot(p.x - 1, p.y + 2) - 18, 0.8); });
    const PieceMeasures measures = measureVolume(volume, {}, nullptr, 1);
    Verification found = verificationOf("größe<1>.mha", volume, "cylinder", measures, {});
    found.wrongOnPurpose = {"Wrong on purpose: the detector's roll, by 1°."};
    EXPECT_TRUE(found.isPassed());  // a real piece tells no limit of its MTF
    const std::string page = verificationPage(found);
    for (const char* part : {"größe&lt;1&gt;.mha", "MTF 10 %", "lp/mm", "data:image/png;base64,",
                             "64 × 60 × 20 voxels", "gantry ", "machine", "@media print",
                             "<p>Wrong on purpose: the detector's roll, by 1°.</p>"})
        EXPECT_NE(page.find(part), std::string::npos) << part;
    nlohmann::ordered_json document = toJson(found);
    document["pieces"] = nlohmann::ordered_json::array({toJson(measures)});
    const Verification again = parseVerification(document.dump());
    EXPECT_EQ(figureTable(again.figures), figureTable(found.figures));
    EXPECT_EQ(again.verdict(), found.verdict());
    EXPECT_EQ(again.title, found.title);
    EXPECT_EQ(again.sentences, found.sentences);
    EXPECT_EQ(again.wrongOnPurpose, found.wrongOnPurpose);
    EXPECT_EQ(again.facts.size(), found.facts.size());
    ASSERT_EQ(again.mtf.size(), found.mtf.size());
    EXPECT_GT(found.mtf.size(), 50U);
    for (std::size_t i = 0; i < found.mtf.size(); ++i) {
        EXPECT_EQ(again.mtf[i].perMm, found.mtf[i].perMm);
        EXPECT_EQ(again.mtf[i].value, found.mtf[i].value);
    }
    EXPECT_TRUE(again.expectedMtf.empty());
    ASSERT_EQ(again.cdf.size(), found.cdf.size());
    EXPECT_GT(found.cdf.size(), 2U);
    for (std::size_t i = 0; i < found.cdf.size(); ++i) {
        EXPECT_EQ(again.cdf[i].voxels, found.cdf[i].voxels);
        EXPECT_EQ(again.cdf[i].widthMm, found.cdf[i].widthMm);
        EXPECT_EQ(again.cdf[i].percent, found.cdf[i].percent);
    }
    EXPECT_ERROR((void)parseVerification("{}"), InputError, "title");
    EXPECT_EQ(toJson(measures)["cylinder"]["mtf"].size(), measures.cylinder->mtf.size());
}

// The columns and rows that are brighter than half of the brightest.
std::array<Index, 2> brightExtent(const Picture& picture) {
    std::array<Index, 2> first = {picture.width, picture.height};
    std::array<Index, 2> last = {-1, -1};
    for (Index y = 0; y < picture.height; ++y)
        for (Index x = 0; x < picture.width; ++x) {
            if (picture.rgb[static_cast<std::size_t>(3 * (y * picture.width + x))] < 128) continue;
            first = {std::min(first[0], x), std::min(first[1], y)};
            last = {std::max(last[0], x), std::max(last[1], y)};
        }
    return {last[0] - first[0] + 1, last[1] - first[1] + 1};
}

TEST(Verification, ACylinderIsRoundInThePictureWhateverTheVoxels) {
    const VolumeGrid grid = {{64, 120, 20}, {1, 0.5, 1.2}, {0, 0, 0}};
    const Volume volume = test::volumeOf(
        grid, [](Vec3 p) { return 0.02 * test::softEdge(std::hypot(p.x, p.y) - 18, 0.8); });
    const Verification found = verificationOf("cylinder.mha", volume, "cylinder",
                                              measureVolume(volume, {}, nullptr, 1), {});
    ASSERT_EQ(found.pictures.size(), 1U);
    const auto [width, height] = brightExtent(found.pictures[0]);
    // The cylinder is 36 mm across, and the longer side of the slice is 64 mm.
    EXPECT_NEAR(static_cast<double>(width), 220 * 36.0 / 64, 5);
    EXPECT_NEAR(static_cast<double>(height), static_cast<double>(width), 5);
}

TEST(Verification, TellsSphereBySphere) {
    const std::vector<KnownSphere> known = {
        {{-9, -8, -6}, 4}, {{10, -7, 5}, 4}, {{-2, 9, 1}, 4}, {{9, 8, -7}, 4}, {{0, 0, -8}, 4}};
    std::vector<KnownSphere> real = known;
    real[1].centerMm.x += 0.1;  // mm
    const VolumeGrid grid = {{72, 68, 60}, {0.5, 0.5, 0.6}, {0, 0, 0}};
    const Volume volume = test::volumeOfSpheres(grid, real, 0.4);
    PieceMeasures measures;
    measures.spheres = measureSpheres(volume, known, 1);
    const Verification found = verificationOf("balls.mha", volume, "spheres", measures, {});
    nlohmann::ordered_json document = toJson(found);
    document["pieces"] = nlohmann::ordered_json::array({toJson(measures)});
    const auto rows = sphereTable(found.spheres);
    ASSERT_EQ(rows.size(), known.size() + 1);
    EXPECT_EQ(sphereTable(parseVerification(document.dump()).spheres), rows);
    EXPECT_EQ(rows[2][0], "10.00,\u00a0-7.00,\u00a05.00");
    EXPECT_NEAR(std::stod(rows[2][1]), 100, 3);  // µm; a sphere is found to a few of them
    EXPECT_NEAR(std::stod(rows[2][2]), 0, 3);
    EXPECT_NEAR(std::stod(rows[1][1]), 0, 3);
    // The page has all of them, two beside each other.
    const std::string page = verificationPage(found);
    for (const auto& row : rows)
        for (const std::string& cell : row)
            EXPECT_NE(page.find(">" + cell + "<"), std::string::npos) << cell;
}

}  // namespace
}  // namespace gantry
