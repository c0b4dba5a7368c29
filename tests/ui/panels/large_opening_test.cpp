// How soon volumes of any size are there, in how much memory, and that their own voxels are seen.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "core/base/clock.h"
#include "core/base/this_machine.h"
#include "tests/ui/panels/large_volumes.h"
#include "tests/ui/panels/slices_fixture.h"
#include "ui/models/image/slice_images.h"

namespace gantry {
namespace {

using test::waitUntil;

// What a user may wait for; instrumented code is some times slower.
#ifdef GANTRY_SANITIZED
constexpr double kMaxSeconds = 10;
#else
constexpr double kMaxSeconds = 2;
#endif
constexpr Index kMaxBytes = Index{800} << 20;

struct LargeKind {
    const char* name;
    VolumeGrid grid;
    PixelType type;
};

constexpr VolumeGrid kHuge{{8192, 8192, 8192}, {0.01, 0.01, 0.01}, {}};
constexpr VolumeGrid kUsual{{2048, 2048, 2100}, {0.02, 0.02, 0.02}, {}};
const LargeKind kKinds[] = {{"bytes.raw", kHuge, PixelType::uint8},
                            {"bytes.mha", kHuge, PixelType::uint8},
                            {"bytes.ome.zarr", kHuge, PixelType::uint8},
                            {"floats.raw", kUsual, PixelType::float32},
                            {"floats.mha", kUsual, PixelType::float32}};

// Along a row at x: none that a sample takes, 1 to 100 in turn.
double valueAt(Index x) {
    return static_cast<double>(1 + x % 100);
}

class LargeOpeningTest : public test::SlicesPanelFixture,
                         public testing::WithParamInterface<LargeKind> {
  protected:
    static constexpr Index kFirst = 1024;  // where a chunk begins
    static constexpr Index kRow = 1003;
    static constexpr Index kSlice = 1901;

    void writeRow(const std::filesystem::path& path) {
        const auto& [name, grid, type] = GetParam();
        VolumeDescription description;
        description.grid = grid;
        description.encoding.type = type;
        if (path.extension() == ".zarr") return writeInChunk(path, description);
        std::vector<std::byte> row;
        for (Index x = kFirst; x < kFirst + 300; ++x) {
            const auto value = static_cast<float>(valueAt(x));
            const std::byte byte{static_cast<unsigned char>(value)};
            const auto bytes = std::as_bytes(std::span(&value, 1));
            row.insert(row.end(), type == PixelType::uint8 ? &byte : bytes.data(),
                       type == PixelType::uint8 ? &byte + 1 : bytes.data() + bytes.size());
        }
        const Index voxelBytes = sizeBytes(type);
        const auto [nX, nY, nZ] = grid.voxels;
        const std::string header = path.extension() == ".mha" ? metaHeader() : std::string();
        test::writeHollowFile(path, header, grid.count() * voxelBytes,
                              ((kSlice * nY + kRow) * nX + kFirst) * voxelBytes, row);
        if (header.empty()) writeFileAtomically(path.string() + ".json", toJson(description));
    }
    static void writeInChunk(const std::filesystem::path& path,
                             const VolumeDescription& description) {
        constexpr Index kSide = test::kLargeChunk;
        std::vector<std::byte> voxels(kSide * kSide * kSide);
        for (std::size_t i = 0; i < voxels.size(); ++i)
            voxels[i] = std::byte{
                static_cast<unsigned char>(valueAt(kFirst + static_cast<Index>(i) % kSide))};
        const auto levels = test::writeEmptyPyramid(path, description);
        test::writeChunk(levels.front(), {kSlice / kSide, kRow / kSide, kFirst / kSide}, voxels);
    }
    static std::string metaHeader() {
        const VolumeGrid& grid = GetParam().grid;
        const auto three = [](const auto& values) {
            return std::to_string(values[0]) + ' ' + std::to_string(values[1]) + ' ' +
                   std::to_string(values[2]) + '\n';
        };
        const Vec3 origin = grid.originMm();
        return "ObjectType = Image\nNDims = 3\nBinaryData = True\nBinaryDataByteOrderMSB = False\n"
               "Offset = " +
               three(std::array{origin.x, origin.y, origin.z}) +
               "ElementSpacing = " + three(grid.pitchMm) + "DimSize = " + three(grid.voxels) +
               "ElementType = " +
               (GetParam().type == PixelType::uint8 ? "MET_UCHAR" : "MET_FLOAT") +
               "\nElementDataFile = LOCAL\n";
    }

    test::TemporaryFolder m_large;
};

TEST_P(LargeOpeningTest, IsThereWithinTwoSecondsInBoundedMemoryAndShowsItsOwnVoxels) {
    const std::filesystem::path path = m_large / GetParam().name;
    writeRow(path);
    // The peak of the tests before this one is forgotten (proc(5)).
    std::ofstream("/proc/self/clear_refs") << 5;
    const Index bytesBefore = peakResidentBytes();
    // The processor's time: nothing waits for a disk, as there is nothing on it, and the clock
    // would count what other programs do meanwhile.
    const double before = processCpuSeconds();
    workspace.volume().open(toText(path));
    ASSERT_TRUE(waitUntil([&] {
        return workspace.volume().volume() != nullptr && !axial->image().isEmpty() &&
               axial->corner().contains("of the resolution");
    }));
    EXPECT_LT(processCpuSeconds() - before, kMaxSeconds);
    workspace.volume().cancelOpening();  // of a finer overview, which is bounded, too

    const auto volume = workspace.volume().volume();
    const VolumeGrid& own = volume->stored;
    ASSERT_EQ(own.voxels, GetParam().grid.voxels);
    const auto place = [&](Index x) { return own.positionMm(double(x), kRow, kSlice); };
    const auto pixelAt = [&](Index x) {
        return QPointF(indexAt(volume->grid, 0, place(x).x), indexAt(volume->grid, 1, place(x).y));
    };
    constexpr Index kLookAt = kFirst + 30;
    workspace.selection().setCrossHairMm(place(kLookAt));
    for (int i = 0; i < 40; ++i)
        test::wheel(*axial, axial->viewAt(pixelAt(kLookAt)), 1, Qt::ControlModifier);
    ASSERT_TRUE(waitUntil([&] { return axial->corner().contains("full resolution"); }))
        << axial->corner().toStdString();
    for (Index x = kLookAt - 3; x <= kLookAt + 3; ++x)
        EXPECT_EQ(axial->valueAtPixel(pixelAt(x)), valueAt(x)) << x;
    EXPECT_LT(peakResidentBytes() - bytesBefore, kMaxBytes);
}

INSTANTIATE_TEST_SUITE_P(Kinds, LargeOpeningTest, testing::ValuesIn(kKinds), [](const auto& kind) {
    std::string name = kind.param.name;
    std::ranges::replace(name, '.', '_');
    return name;
});

}  // namespace
}  // namespace gantry
