#include "core/verify/test_piece.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "core/base/throw_error.h"
#include "core/verify/edge_rays.h"

namespace gantry {

namespace {

// An upright cylinder in the middle of the volume that every view sees completely.
struct Room {
    Vec3 centerMm;
    double radiusMm;
    double halfHeightMm;
    double voxelMm;  ///< the longest side
};

Room roomOf(const ScanGeometry& geometry, const VolumeGrid& grid) {
    const auto half = [&](std::size_t axis) {
        return static_cast<double>(grid.voxels[axis]) * grid.pitchMm[axis] / 2;
    };
    const FieldOfView seen = fieldOfView(geometry);
    const auto [x, y, z] = grid.centerMm;
    Room room = {{x, y, z},
                 std::min({half(0), half(1), seen.radiusMm - std::hypot(x, y)}),
                 half(2),
                 gantry::voxelMm(grid)};
    // Away from the axis the cone limits what every view sees.
    const double reach = std::hypot(x, y) + room.radiusMm;
    const double middle = (seen.zMinMm + seen.zMaxMm) / 2;
    const double cut =
        geometry.isParallel()
            ? reach * std::abs(std::tan(radians(geometry.detector.tiltDeg)))
            : reach / meanCircleOf(geometry).cone().sourceToIsocenterMm * (seen.zMaxMm - middle);
    const double bottom = std::max(z - half(2), seen.zMinMm + cut);
    const double top = std::min(z + half(2), seen.zMaxMm - cut);
    room.centerMm.z = (bottom + top) / 2;
    room.halfHeightMm = (top - bottom) / 2;
    return room;
}

void requireVoxels(std::string_view kind, const char* what, double mm, double voxelMm, double min) {
    if (!(mm >= min * voxelMm))
        throwError<InputError>(
            "The volume is too coarse or too small for the test piece \"{}\": {} has {:.1f} voxels "
            "in what every view sees of the volume; it needs at least {}. Take smaller voxels, or "
            "a larger volume.",
            kind, what, std::max(0.0, mm / voxelMm), min);
}

// The head reaches 0.92 units from its centre.
TestPiece head(const Room& room) {
    const double scale = 0.95 * std::min(room.radiusMm, room.halfHeightMm) / 0.92;
    requireVoxels("shepp-logan", "its radius", scale, room.voxelMm, 16);
    // The skull's value is 1, so that the longest line integral is about 1.
    return {"shepp-logan",
            makePhantom("shepp-logan-contrast",
                        {.scaleMm = scale, .centerMm = room.centerMm, .density = 1 / scale}),
            {},
            {}};
}

// It stands off the axis, so that its rim falls between columns differently in every view: on the
// axis, all views would have the same sampling error.
TestPiece cylinder(const Room& room) {
    const double radius = 0.65 * room.radiusMm;
    const Vec3 center = room.centerMm + Vec3{0.09 * room.radiusMm, 0.04 * room.radiusMm, 0};
    requireVoxels("cylinder", "its radius", radius, room.voxelMm, 16);
    requireVoxels("cylinder", "its half height", 0.85 * room.halfHeightMm, room.voxelMm, 4);
    PhantomShape shape = sphere(center, radius, 1 / radius);
    shape.kind = PhantomShape::Kind::cylinder;
    shape.halfAxesMm[2] = 0.85 * room.halfHeightMm;
    return {"cylinder", {"Uniform cylinder", {shape}}, KnownSphere{center, radius}, {}};
}

TestPiece spheres(const Room& room) {
    constexpr int kLayers = 3;
    constexpr int kAround = 6;
    const double radius = std::min(0.11 * room.radiusMm, 0.18 * room.halfHeightMm);
    requireVoxels("spheres", "a sphere's radius", radius, room.voxelMm, 4);
    TestPiece piece = {"spheres", {"Grid of spheres", {}}, {}, {}};
    for (int layer = 0; layer < kLayers; ++layer)
        for (int i = 0; i <= kAround; ++i) {
            // Layers are rotated, so that no sphere stands above another.
            const double angle = 2 * kPi * (i + layer / 3.0) / kAround;
            const double distance = (i == kAround ? 0.12 : 0.66) * room.radiusMm;
            const Vec3 place = {distance * std::cos(angle), distance * std::sin(angle),
                                (layer - 1) * 0.66 * room.halfHeightMm};
            piece.spheres.push_back({room.centerMm + place, radius});
            piece.phantom.shapes.push_back(sphere(room.centerMm + place, radius, 0.5 / radius));
        }
    return piece;
}

bool isSphere(const PhantomShape& shape) {
    const auto& [a, b, c] = shape.halfAxesMm;
    return shape.kind == PhantomShape::Kind::ellipsoid && a == b && b == c;
}

}  // namespace

const std::vector<std::string>& testPieceNames() {
    static const std::vector<std::string> names = {"shepp-logan", "cylinder", "spheres"};
    return names;
}

TestPiece makeTestPiece(std::string_view kind, const ScanGeometry& geometry,
                        const VolumeGrid& grid) {
    const Room room = roomOf(geometry, grid);
    if (kind == "shepp-logan") return head(room);
    if (kind == "cylinder") return cylinder(room);
    if (kind == "spheres") return spheres(room);
    throwError<InputError>("There is no test piece \"{}\". The pieces are {}.", kind,
                           fmt::join(testPieceNames(), ", "));
}

TestPiece pieceOf(const Phantom& phantom) {
    TestPiece piece = {"shapes", phantom, {}, {}};
    if (std::ranges::all_of(phantom.shapes, isSphere))
        for (const PhantomShape& shape : phantom.shapes)
            piece.spheres.push_back({shape.centerMm, shape.halfAxesMm[0]});
    const PhantomShape& first = phantom.shapes.front();
    if (phantom.shapes.size() == 1 && first.kind == PhantomShape::Kind::cylinder &&
        first.halfAxesMm[0] == first.halfAxesMm[1] && first.axes[2] == Vec3{0, 0, 1})
        piece.cylinder = KnownSphere{first.centerMm, first.halfAxesMm[0]};
    return piece;
}

}  // namespace gantry
