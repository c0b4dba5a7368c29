#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "core/base/types.h"

namespace gantry {

/// The name of the file beside a volume's projections that says what they were made from.
inline constexpr const char* kProjectionFileName = "projection.json";

/// Calls `make` with a folder of a temporary name, which then becomes `folder`; if it throws,
/// nothing is left.
/// replace: a simulation in `folder`, or projections, may be replaced
/// @throws InputError  `folder` contains something else, alone or beside a simulation, or cannot
/// be made; what `make` throws
/// Tests: tests/core/simulate/simulate_test.cpp
void makeScanFolder(const std::filesystem::path& folder, bool replace,
                    const std::function<void(const std::filesystem::path& part)>& make);

/// @throws ResourceError  the disk has less room than the images of a scan in this folder need
void requireRoomForScan(const std::filesystem::path& part, Index bytes);

/// The file of one of `count` images of a kind: "proj/proj_0012.tif" in the scan's folder.
[[nodiscard]] std::filesystem::path imageOfSeries(const std::filesystem::path& scan,
                                                  const std::string& kind, Index number,
                                                  Index count);

/// Bytes of all files in the folder.
[[nodiscard]] Index bytesInFolder(const std::filesystem::path& folder);

}  // namespace gantry
