#pragma once

/// @file
/// A scan's geometry as it is declared, gantry::ScanGeometry: a circular cone-beam orbit, a
/// parallel beam or a pose for each view, and a flat detector. Lengths are in mm, angles in
/// degrees.

#include "core/geometry/scan_geometry.h"
