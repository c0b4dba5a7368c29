#pragma once

#include "core/describe/description_format.h"

namespace gantry {

// Formats of scanners' makers, each in a file of its name. What is known of them, and how certain
// it is, stands in resources/help/scanners.md.

/// .xtekct, with _ctdata.txt or .ang and .ctprofile.xml beside it.
/// Tests: tests/core/describe/nikon_test.cpp
[[nodiscard]] DescriptionFormat nikonDescriptions();
/// .log of an acquisition or, as _rec.log, of a reconstruction; _TS.csv beside it.
/// Tests: tests/core/describe/skyscan_test.cpp
[[nodiscard]] DescriptionFormat skyscanDescriptions();
/// .pca of an acquisition. Tests: tests/core/describe/phoenix_test.cpp
[[nodiscard]] DescriptionFormat phoenixDescriptions();
/// .nsipro of a project. Tests: tests/core/describe/north_star_test.cpp
[[nodiscard]] DescriptionFormat northStarDescriptions();
/// "data settings XRE.txt" of an acquisition. Tests: tests/core/describe/tescan_test.cpp
[[nodiscard]] DescriptionFormat tescanDescriptions();
/// .prm of a reconstruction, with Recon.mnri and Angle.prm beside it.
/// Tests: tests/core/describe/rigaku_test.cpp
[[nodiscard]] DescriptionFormat rigakuDescriptions();
/// YXLON's ScanParameter.xml. Tests: tests/core/describe/yxlon_test.cpp
[[nodiscard]] DescriptionFormat yxlonDescriptions();
/// YXLON's older .txt. Tests: tests/core/describe/yxlon_test.cpp
[[nodiscard]] DescriptionFormat olderYxlonDescriptions();
/// Diondo's .xml. Tests: tests/core/describe/diondo_test.cpp
[[nodiscard]] DescriptionFormat diondoDescriptions();
/// Varian's Scan.xml, with .xim images below it. Tests: tests/core/describe/varian_test.cpp
[[nodiscard]] DescriptionFormat varianDescriptions();
/// ProjectionInfo.xml of Varian's older machines, with .hnd images beside it or below.
/// Tests: tests/core/describe/varian_obi_test.cpp
[[nodiscard]] DescriptionFormat varianObiDescriptions();
/// Elekta's _Frames.xml, with .his images beside it. Tests: tests/core/describe/elekta_test.cpp
[[nodiscard]] DescriptionFormat elektaDescriptions();
/// Siemens CERA's .config, with a table of projection matrices beside it. Tests:
/// tests/core/describe/cera_test.cpp
[[nodiscard]] DescriptionFormat ceraDescriptions();
/// .txrm of a scan, with its images. Tests: tests/core/describe/zeiss_test.cpp
[[nodiscard]] DescriptionFormat zeissDescriptions();

}  // namespace gantry
