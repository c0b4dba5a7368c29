#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/geometry/scan_geometry.h"
#include "core/geometry/volume_grid.h"
#include "core/phantom/phantom.h"

namespace gantry {

/// A sphere whose place and size are known.
struct KnownSphere {
    Vec3 centerMm;
    double radiusMm = 0;
};

/// What is simulated to verify a scan's geometry and settings, of a size that every view sees and
/// the volume holds.
struct TestPiece {
    std::string kind;  ///< one of testPieceNames(), or "shapes"
    Phantom phantom;
    std::optional<KnownSphere> cylinder;  ///< of an upright one: its middle and radius
    std::vector<KnownSphere> spheres;
};

/// "shepp-logan" (Kak and Slaney's head with the contrasts of Yu, Ye and Wang), "cylinder"
/// (uniform, upright), "spheres" (three layers of seven that touch no line of each other's)
[[nodiscard]] const std::vector<std::string>& testPieceNames();

/// The piece in the middle of the volume.
/// @throws InputError where no such piece is there, or the volume shows it in too few voxels
/// Tests: tests/core/verify/test_piece_test.cpp
[[nodiscard]] TestPiece makeTestPiece(std::string_view kind, const ScanGeometry& geometry,
                                      const VolumeGrid& grid);

/// A phantom of the user's, where its shapes say. One that is an upright cylinder alone, or spheres
/// alone, is measured as such.
[[nodiscard]] TestPiece pieceOf(const Phantom& phantom);

}  // namespace gantry
