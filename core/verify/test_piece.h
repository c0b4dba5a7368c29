#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/geometry/scan_geometry.h"
#include "core/geometry/volume_grid.h"
#include "core/phantom/phantom.h"

namespace gantry {

/// A sphere whose position and size are known.
struct KnownSphere {
    Vec3 centerMm;
    double radiusMm = 0;
};

/// An object that is simulated to verify a scan's geometry and settings; every view sees all of it,
/// and it fits the volume.
struct TestPiece {
    std::string kind;  ///< one of testPieceNames(), or "shapes"
    Phantom phantom;
    std::optional<KnownSphere> cylinder;  ///< of an upright cylinder: its middle and radius
    std::vector<KnownSphere> spheres;
};

/// "shepp-logan" (Kak and Slaney's head with the contrasts of Yu, Ye and Wang), "cylinder"
/// (uniform, upright), "spheres" (three layers of seven that touch no line of each other's)
[[nodiscard]] const std::vector<std::string>& testPieceNames();

/// The piece in the middle of the volume.
/// @throws InputError if there is no such piece, or the volume shows it in too few voxels
/// Tests: tests/core/verify/test_piece_test.cpp
[[nodiscard]] TestPiece makeTestPiece(std::string_view kind, const ScanGeometry& geometry,
                                      const VolumeGrid& grid);

/// A phantom of the user, where its shapes are. If it consists of one upright cylinder, or only of
/// spheres, it is measured as such.
[[nodiscard]] TestPiece pieceOf(const Phantom& phantom);

}  // namespace gantry
