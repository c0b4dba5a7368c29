#include "ui/workspace/volume/volume_loading.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "core/base/error.h"
#include "core/io/volume/read_volume.h"
#include "tests/support/expect_error.h"
#include "tests/support/small_job.h"
#include "tests/support/temporary_folder.h"
#include "tests/ui/workspace/small_scan.h"
#include "tests/ui/workspace/small_volume.h"
#include "ui/workspace/scan/scan_document.h"

namespace gantry {
namespace {

constexpr Index kPlenty = Index{1} << 40;
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

float ramp(Index x, Index y, Index z) {
    return static_cast<float>(x + 10 * y + 100 * z) / 1000;
}

LoadedVolume load(const std::filesystem::path& path, Index maxBytes = kPlenty) {
    std::atomic<double> fraction = 0;
    LoadedVolume volume = loadVolume(path, {maxBytes, maxBytes}, fraction, {});
    EXPECT_EQ(fraction, 1);
    return volume;
}

TEST(VolumeLoading, GivesEveryVoxelOfEveryFormat) {
    const test::TemporaryFolder folder;
    for (const char* name :
         {"a.mha", "a.mhd", "a.raw", "a.tif", "a.h5", "slices", "a.ome.zarr", "Nuß \"ä\".mha"}) {
        test::writeVolume(folder / name, test::smallGrid(), ramp);
        const LoadedVolume volume = load(folder / name);
        const Volume whole = readVolume(folder / name);
        EXPECT_EQ(volume.grid, test::smallGrid()) << name;
        EXPECT_EQ(volume.stored, volume.grid) << name;
        EXPECT_TRUE(std::equal(whole.voxels.span().begin(), whole.voxels.span().end(),
                               volume.voxels.span().begin()))
            << name;
        EXPECT_GE(volume.window.white, volume.window.black);
        EXPECT_FALSE(volume.format.isEmpty());
    }
}

TEST(VolumeLoading, IsCoarserWhereTheBudgetIsSmall) {
    const test::TemporaryFolder folder;
    const VolumeGrid grid = test::smallGrid(200, 150, 140);
    test::writeVolume(folder / "a.mha", grid, ramp);
    const LoadedVolume volume = load(folder / "a.mha", grid.count() * 4 / 4);
    EXPECT_FALSE(volume.isWhole());
    EXPECT_EQ(volume.stored, grid);
    EXPECT_EQ(volume.grid.voxels, (std::array<Index, 3>{100, 75, 70}));
    // Every second voxel, the second of its block.
    for (const Index z : {0, 69})
        for (const Index x : {0, 99})
            EXPECT_EQ(volume.voxels[(z * 75 + 3) * 100 + x], ramp(2 * x + 1, 7, 2 * z + 1));
    // A block lies where its voxels do.
    const Vec3 block = volume.grid.positionMm(1, 1, 1);
    const Vec3 middle = grid.positionMm(2.5, 2.5, 2.5);
    EXPECT_LT(length(block - middle), 1e-9);
    // What is not held can be read.
    float voxel = 0;
    volume.levels->read(0, {{17, 18}, {22, 23}, {31, 32}}, {&voxel, 1, 1, 1});
    EXPECT_EQ(voxel, ramp(17, 22, 31));
}

TEST(VolumeLoading, FitsEvenIntoNextToNothing) {
    const test::TemporaryFolder folder;
    test::writeVolume(folder / "a.mha", test::smallGrid(300, 5, 7), ramp);
    const LoadedVolume volume = load(folder / "a.mha", 0);
    EXPECT_FALSE(volume.isWhole());
    EXPECT_GT(volume.grid.count(), 0);
}

TEST(VolumeLoading, ADamagedChunkIsNamedAndHidesNoOther) {
    const test::TemporaryFolder folder;
    const auto path = folder / "a.ome.zarr";
    const VolumeGrid grid = test::smallGrid(70, 65, 66);
    test::writeVolume(path, grid, ramp);
    std::filesystem::resize_file(path / "0/0/0/0", 50);
    const LoadedVolume volume = load(path);
    EXPECT_EQ(volume.notFinite, 64 * 64 * 64);
    EXPECT_TRUE(volume.damage.contains("0/0/0/0")) << volume.damage.toStdString();
    EXPECT_EQ(volume.voxels[(65 * 65 + 64) * 70 + 69], ramp(69, 64, 65));
    // Where nothing is left, it is not opened.
    for (const auto& entry : std::filesystem::recursive_directory_iterator(path / "0"))
        if (entry.is_regular_file() && entry.path().filename() != ".zarray")
            std::filesystem::resize_file(entry.path(), 50);
    EXPECT_ERROR((void)load(path), InputError, "damaged");
}

TEST(VolumeLoading, APreviewIsOfItsJobsScanAndVolume) {
    const test::TemporaryFolder folder;
    JobSpec spec = test::jobOf(readScanFile(test::makeScan(folder / "scan")), 48, folder / "v.mha");
    const JobDirectory job = JobDirectory::create(jobFolderFor(spec.output.path), spec);
    test::writeVolume(job.file("preview.mha"), test::smallGrid(), ramp);
    const VolumeOrigin origin = originOf(job.file("preview.mha"));
    EXPECT_EQ(origin.scan, titleOf(spec.scan));
    EXPECT_DOUBLE_EQ(origin.previewedPitchMm, spec.volume.pitchMm[0]);
    EXPECT_EQ(originOf(spec.output.path).previewedPitchMm, 0);
}

TEST(VolumeLoading, AVolumeWiderThanTheFieldOfViewKnowsWhatWasMeasured) {
    const test::TemporaryFolder folder;
    JobSpec spec = test::jobOf(readScanFile(test::makeScan(folder / "scan")), 48, folder / "v.mha");
    const double radiusMm = fieldOfView(spec.geometry()).radiusMm;
    spec.corrections.truncation.fieldOfViewMm = 3 * radiusMm;
    (void)JobDirectory::create(jobFolderFor(spec.output.path), spec);
    ASSERT_TRUE(originOf(spec.output.path).measured.has_value());
    EXPECT_DOUBLE_EQ(originOf(spec.output.path).measured->radiusMm, radiusMm);
    spec.output.path = folder / "narrow.mha";
    spec.corrections.truncation.fieldOfViewMm = radiusMm;
    (void)JobDirectory::create(jobFolderFor(spec.output.path), spec);
    EXPECT_FALSE(originOf(spec.output.path).measured.has_value());
}

TEST(VolumeLoading, CountsWhatIsNoNumber) {
    const test::TemporaryFolder folder;
    test::writeVolume(folder / "a.mha", test::smallGrid(), [](Index x, Index, Index z) {
        if (z == 0) return kNaN;
        return x == 0 ? std::numeric_limits<float>::infinity() : 2.0F;
    });
    const LoadedVolume volume = load(folder / "a.mha");
    EXPECT_EQ(volume.notFinite, 80 + 5 * 8);
    EXPECT_TRUE(std::isfinite(volume.window.black) && std::isfinite(volume.window.white));
}

TEST(VolumeLoading, OneObjectIsThatOfOneScanOrElseOfOneBox) {
    const VolumeOrigin walnut = {"walnut", "/a/scan.json", "/a", 0};
    const VolumeOrigin namesake = {"walnut", "/b/scan.json", "/b", 0};
    const VolumeGrid whole = {{100, 80, 60}, {0.5, 0.5, 0.5}, {0, 0, 3}};
    const VolumeGrid coarse = {{13, 10, 8}, {4, 4, 4}, {0, 0, 3}};
    const VolumeGrid region = {{20, 20, 20}, {0.1, 0.1, 0.1}, {9, 0, 0}};
    EXPECT_TRUE(showOneObject({walnut, whole}, {walnut, region}));
    EXPECT_FALSE(showOneObject({walnut, whole}, {namesake, whole}));
    EXPECT_TRUE(showOneObject({{}, whole}, {walnut, coarse}));
    EXPECT_FALSE(showOneObject({{}, whole}, {{}, region}));
    VolumeGrid moved = whole;
    moved.centerMm[2] = 4;
    EXPECT_FALSE(showOneObject({{}, whole}, {{}, moved}));
}

TEST(VolumeLoading, OfNoNumbersAtAllIsStillAVolume) {
    const test::TemporaryFolder folder;
    test::writeVolume(folder / "a.mha", test::smallGrid(1, 1, 1),
                      [](Index, Index, Index) { return kNaN; });
    const LoadedVolume volume = load(folder / "a.mha");
    EXPECT_EQ(volume.notFinite, 1);
    EXPECT_GT(volume.window.width(), 0);
}

TEST(VolumeLoading, SaysWhatIsWrongWithTheFile) {
    const test::TemporaryFolder folder;
    test::writeVolume(folder / "short.mha", test::smallGrid(), ramp);
    std::filesystem::resize_file(folder / "short.mha",
                                 std::filesystem::file_size(folder / "short.mha") - 100);
    EXPECT_ERROR((void)load(folder / "short.mha"), InputError, "short.mha");
    EXPECT_ERROR((void)load(folder / "missing.mha"), InputError, "missing.mha");
}

TEST(VolumeLoading, StopsWhenItIsTold) {
    const test::TemporaryFolder folder;
    test::writeVolume(folder / "a.mha", test::smallGrid(), ramp);
    std::stop_source stop;
    stop.request_stop();
    std::atomic<double> fraction = 0;
    EXPECT_THROW((void)loadVolume(folder / "a.mha", {kPlenty, kPlenty}, fraction, stop.get_token()),
                 Cancelled);
}

}  // namespace
}  // namespace gantry
