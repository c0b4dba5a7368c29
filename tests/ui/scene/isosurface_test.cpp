#include "ui/scene/volume/isosurface.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <atomic>
#include <cmath>
#include <cstring>
#include <fstream>
#include <functional>
#include <limits>
#include <map>
#include <numbers>
#include <span>
#include <sstream>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "tests/support/file_bytes.h"
#include "tests/support/temporary_folder.h"
#include "tests/ui/workspace/small_volume.h"

namespace gantry {
namespace {

constexpr double kLevel = 0.02;
const VolumeGrid kShapeGrid{{61, 53, 47}, {0.2, 0.25, 0.3}, {3, -40, 900}};

using Shape = std::function<double(const Vec3& fromCentre)>;

// Attenuation falls by as much a mm through the surface, as of a shape that a scan has blurred.
float blurred(double insideMm) {
    return static_cast<float>(std::clamp(kLevel * (1 + insideMm), 0.0, 2 * kLevel));
}

float voxelOf(const VolumeGrid& grid, const Shape& insideMm, Index x, Index y, Index z) {
    const Vec3 at =
        grid.positionMm(static_cast<double>(x), static_cast<double>(y), static_cast<double>(z));
    return blurred(insideMm(at - Vec3{grid.centerMm[0], grid.centerMm[1], grid.centerMm[2]}));
}

std::vector<float> voxelsOf(const VolumeGrid& grid, const Shape& insideMm) {
    std::vector<float> voxels;
    for (Index z = 0; z < grid.voxels[2]; ++z)
        for (Index y = 0; y < grid.voxels[1]; ++y)
            for (Index x = 0; x < grid.voxels[0]; ++x)
                voxels.push_back(voxelOf(grid, insideMm, x, y, z));
    return voxels;
}

SurfaceOrder wholeOf(const VolumeGrid& grid) {
    SurfaceOrder order{kLevel, {}, {}};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const double half = 0.5 * static_cast<double>(grid.voxels[axis]) * grid.pitchMm[axis];
        order.lowMm[axis] = grid.centerMm[axis] - half;
        order.highMm[axis] = grid.centerMm[axis] + half;
    }
    return order;
}

Isosurface surfaceOf(const VolumeGrid& grid, std::span<const float> voxels,
                     const SurfaceOrder& order, Index maxVoxels) {
    std::atomic<double> fraction = 0;
    Isosurface surface = isosurfaceOf(grid, voxels, order, maxVoxels, fraction);
    EXPECT_EQ(fraction, 1);
    return surface;
}

double sphere(const Vec3& at) {
    return 4.5 - length(at);
}
// Along z, through both ends of the volume.
double cylinder(const Vec3& at) {
    return 3.0 - std::hypot(at.x, at.y);
}

constexpr double kSphereArea = 4 * std::numbers::pi * 4.5 * 4.5;
constexpr double kSphereVolume = kSphereArea * 4.5 / 3;
// Triangles of chords lie within a convex shape by (voxel)²/(8·radius), 0.3²/36 mm: less than
// 0.2 % of area and volume. Interpolation between voxels adds as much.
constexpr double kShare = 4e-3;

TEST(Isosurface, ASphereHasTheAreaAndVolumeOfASphere) {
    const Isosurface surface =
        surfaceOf(kShapeGrid, voxelsOf(kShapeGrid, sphere), wholeOf(kShapeGrid), 320);
    EXPECT_NEAR(surface.size.areaMm2, kSphereArea, kShare * kSphereArea);
    EXPECT_NEAR(surface.size.volumeMm3, kSphereVolume, kShare * kSphereVolume);
    EXPECT_EQ(surface.voxelMm, kShapeGrid.pitchMm);
    EXPECT_NE(surface.mesh, nullptr);
}

TEST(Isosurface, ACylinderCutByTheVolumesEndsHasNoAreaThere) {
    const Isosurface surface =
        surfaceOf(kShapeGrid, voxelsOf(kShapeGrid, cylinder), wholeOf(kShapeGrid), 320);
    const double height = 46 * 0.3;  // from the first slice's centre to the last one's
    const double area = 2 * std::numbers::pi * 3 * height;
    EXPECT_NEAR(surface.size.areaMm2, area, kShare * area);
    EXPECT_NEAR(surface.size.volumeMm3, area * 3 / 2, kShare * area * 3 / 2);
}

TEST(Isosurface, OfHalfASphereInABoxThereIsHalf) {
    SurfaceOrder order = wholeOf(kShapeGrid);
    order.lowMm[0] = kShapeGrid.centerMm[0];  // the centre of voxel 30
    const Isosurface surface = surfaceOf(kShapeGrid, voxelsOf(kShapeGrid, sphere), order, 320);
    EXPECT_NEAR(surface.size.areaMm2, kSphereArea / 2, kShare * kSphereArea);
    EXPECT_NEAR(surface.size.volumeMm3, kSphereVolume / 2, kShare * kSphereVolume);
}

TEST(Isosurface, OfALargeVolumeTheVoxelsThatItWasMadeFromAreTold) {
    const Isosurface surface =
        surfaceOf(kShapeGrid, voxelsOf(kShapeGrid, sphere), wholeOf(kShapeGrid), 31);
    EXPECT_DOUBLE_EQ(surface.voxelMm[0], 0.4);
    // Voxels of twice the size: four times as far within, and blurred by their means.
    EXPECT_NEAR(surface.size.volumeMm3, kSphereVolume, 0.02 * kSphereVolume);
}

TEST(Isosurface, NoMatterIsNoSurfaceAndABoxBesideTheVolumeIsASentence) {
    const std::vector<float> air(static_cast<std::size_t>(kShapeGrid.count()), 0.0F);
    EXPECT_EQ(surfaceOf(kShapeGrid, air, wholeOf(kShapeGrid), 320).size.triangles, 0);
    SurfaceOrder order = wholeOf(kShapeGrid);
    order.lowMm[2] = order.highMm[2] + 5;
    order.highMm[2] += 9;
    EXPECT_THROW((void)surfaceOf(kShapeGrid, air, order, 320), InputError);
}

TEST(Isosurface, VoxelsThatAreNoNumbersAreClear) {
    std::vector<float> voxels = voxelsOf(kShapeGrid, sphere);
    voxels.front() = std::nanf("");
    voxels.back() = std::numeric_limits<float>::infinity();
    const Isosurface surface = surfaceOf(kShapeGrid, voxels, wholeOf(kShapeGrid), 320);
    EXPECT_NEAR(surface.size.volumeMm3, kSphereVolume, kShare * kSphereVolume);
}

struct Stl {
    std::vector<std::array<Vec3, 3>> triangles;
    bool areNormalsOutward = true;
};

Stl readStl(const std::filesystem::path& path, const VolumeGrid& grid) {
    const std::string bytes = test::fileBytes(path);
    std::uint32_t count = 0;
    std::memcpy(&count, bytes.data() + 80, 4);
    EXPECT_EQ(bytes.size(), 84 + 50 * static_cast<std::size_t>(count));
    EXPECT_NE(bytes.substr(0, 5), "solid");
    const Vec3 centre{grid.centerMm[0], grid.centerMm[1], grid.centerMm[2]};
    Stl stl;
    for (std::size_t i = 0; i < count; ++i) {
        std::array<float, 12> n{};
        std::memcpy(n.data(), bytes.data() + 84 + 50 * i, sizeof n);
        const auto at = [&](std::size_t k) {
            return Vec3{static_cast<double>(n[k]), static_cast<double>(n[k + 1]),
                        static_cast<double>(n[k + 2])};
        };
        stl.triangles.push_back({at(3), at(6), at(9)});
        const double outward = dot(at(0), at(3) - centre);
        stl.areNormalsOutward = stl.areNormalsOutward && outward >= 0;
    }
    return stl;
}

struct Ply {
    std::vector<std::array<float, 3>> corners;
    std::vector<std::array<std::int32_t, 3>> triangles;
};

// Reads it as the format is described: lines of text up to "end_header", then what they count.
Ply readPly(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    std::string line;
    std::size_t corners = 0;
    std::size_t triangles = 0;
    std::getline(file, line);
    EXPECT_EQ(line, "ply");
    std::getline(file, line);
    EXPECT_EQ(line, "format binary_little_endian 1.0");
    while (std::getline(file, line) && line != "end_header") {
        std::istringstream words(line);
        std::string first;
        std::string second;
        words >> first >> second;
        if (first == "element") words >> (second == "vertex" ? corners : triangles);
    }
    Ply ply;
    ply.corners.resize(corners);
    for (auto& corner : ply.corners)
        file.read(reinterpret_cast<char*>(corner.data()), sizeof corner);
    ply.triangles.resize(triangles);
    for (auto& triangle : ply.triangles) {
        EXPECT_EQ(file.get(), 3);
        file.read(reinterpret_cast<char*>(triangle.data()), sizeof triangle);
    }
    EXPECT_TRUE(file);
    EXPECT_EQ(file.peek(), std::ifstream::traits_type::eof());
    return ply;
}

// Each edge is run along as often one way as the other.
bool isClosed(const Stl& stl) {
    using Key = std::tuple<double, double, double>;
    const auto key = [](const Vec3& v) { return Key{v.x, v.y, v.z}; };
    std::map<std::pair<Key, Key>, int> edges;
    for (const auto& corners : stl.triangles)
        for (std::size_t i = 0; i < 3; ++i) {
            const Key from = key(corners[i]);
            const Key to = key(corners[(i + 1) % 3]);
            if (from < to) ++edges[{from, to}];
            if (to < from) --edges[{to, from}];
        }
    return std::ranges::all_of(edges, [](const auto& edge) { return edge.second == 0; });
}

TEST(Isosurface, IsSavedInMmFromTheFilesOwnVoxelsAndClosed) {
    const test::TemporaryFolder folder;
    test::writeVolume(folder / "v.mha", kShapeGrid, [](Index x, Index y, Index z) {
        return voxelOf(kShapeGrid, sphere, x, y, z);
    });
    const auto levels = openVolumeLevels(folder / "v.mha");
    std::atomic<double> fraction = 0;
    const auto path = folder / "Zahn (größer) 歯.stl";
    const SurfaceSize size =
        saveIsosurface(*levels, wholeOf(kShapeGrid), path, fraction, {}, 20000);
    EXPECT_EQ(fraction, 1.0);
    EXPECT_NEAR(size.volumeMm3, kSphereVolume, kShare * kSphereVolume);
    const Stl stl = readStl(path, kShapeGrid);
    EXPECT_EQ(static_cast<Index>(stl.triangles.size()), size.triangles);
    EXPECT_TRUE(stl.areNormalsOutward);
    EXPECT_TRUE(isClosed(stl));
    const Vec3 centre{kShapeGrid.centerMm[0], kShapeGrid.centerMm[1], kShapeGrid.centerMm[2]};
    for (const auto& corners : stl.triangles)
        // Within a tenth of a voxel: attenuation is not linear between voxels of a sphere.
        EXPECT_NEAR(length(corners[0] - centre), 4.5, 0.02);
}

TEST(Isosurface, APlyFileHasTheTrianglesOfTheStlFileAndEachCornerOnce) {
    const test::TemporaryFolder folder;
    test::writeVolume(folder / "v.mha", kShapeGrid, [](Index x, Index y, Index z) {
        return voxelOf(kShapeGrid, sphere, x, y, z);
    });
    const auto levels = openVolumeLevels(folder / "v.mha");
    std::atomic<double> fraction = 0;
    // In slabs, and at once.
    for (const Index slabVoxels : {Index{20000}, kSurfaceSlabVoxels}) {
        (void)saveIsosurface(*levels, wholeOf(kShapeGrid), folder / "s.stl", fraction, {},
                             slabVoxels);
        (void)saveIsosurface(*levels, wholeOf(kShapeGrid), folder / "größer.PLY", fraction, {},
                             slabVoxels);
        Stl stl = readStl(folder / "s.stl", kShapeGrid);
        std::erase_if(stl.triangles, [](const auto& corners) {
            const auto isAt = [](const Vec3& a, const Vec3& b) { return length(a - b) == 0; };
            return isAt(corners[0], corners[1]) || isAt(corners[1], corners[2]) ||
                   isAt(corners[2], corners[0]);
        });
        const Ply ply = readPly(folder / "größer.PLY");
        ASSERT_EQ(ply.triangles.size(), stl.triangles.size());
        bool isSame = true;
        for (std::size_t i = 0; i < stl.triangles.size(); ++i)
            for (std::size_t k = 0; k < 3; ++k) {
                const auto& corner = ply.corners.at(static_cast<std::size_t>(ply.triangles[i][k]));
                const Vec3& other = stl.triangles[i][k];
                isSame = isSame && static_cast<double>(corner[0]) == other.x &&
                         static_cast<double>(corner[1]) == other.y &&
                         static_cast<double>(corner[2]) == other.z;
            }
        EXPECT_TRUE(isSame);
        std::vector<std::array<float, 3>> sorted = ply.corners;
        std::ranges::sort(sorted);
        EXPECT_EQ(std::ranges::adjacent_find(sorted), sorted.end()) << "a corner is there twice";
        // Euler: of a closed surface without holes, corners − edges + triangles = 2.
        const auto triangles = std::ssize(ply.triangles);
        EXPECT_EQ(std::ssize(ply.corners) - triangles * 3 / 2 + triangles, 2);
    }
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder / "."), {}), 3);
    EXPECT_THROW(saveIsosurface(*levels, wholeOf(kShapeGrid), folder / "s.obj", fraction),
                 InputError);
}

TEST(Isosurface, OfASavingThatIsStoppedOrCannotBeNothingIsLeft) {
    const test::TemporaryFolder folder;
    test::writeVolume(folder / "v.mha", kShapeGrid, [](Index x, Index y, Index z) {
        return voxelOf(kShapeGrid, sphere, x, y, z);
    });
    const auto levels = openVolumeLevels(folder / "v.mha");
    std::atomic<double> fraction = 0;
    std::stop_source stop;
    stop.request_stop();
    EXPECT_THROW(
        saveIsosurface(*levels, wholeOf(kShapeGrid), folder / "s.stl", fraction, stop.get_token()),
        Cancelled);
    EXPECT_THROW(saveIsosurface(*levels, wholeOf(kShapeGrid), folder / "none/s.stl", fraction),
                 ResourceError);
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder / "."), {}), 1);
    // A pipe stays one.
    ASSERT_EQ(::mkfifo((folder / "pipe.stl").c_str(), 0600), 0);
    EXPECT_THROW(saveIsosurface(*levels, wholeOf(kShapeGrid), folder / "pipe.stl", fraction),
                 InputError);
    EXPECT_TRUE(std::filesystem::is_fifo(folder / "pipe.stl"));
}

}  // namespace
}  // namespace gantry
