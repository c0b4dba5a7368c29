#pragma once

#include <filesystem>
#include <vector>

#include "core/io/volume/open_sink.h"

namespace gantry {

/// Every file or folder that is made or replaced when a volume of that name is written, temporary
/// ones too. @throws InputError as volumeFormatOf()
/// Tests: tests/core/io/input_files_test.cpp
[[nodiscard]] std::vector<std::filesystem::path> outputNames(const std::filesystem::path& output);

/// Whether several processes may write such a volume together.
/// @throws InputError as volumeFormatOf()
[[nodiscard]] bool takesSeveralWriters(const OutputFormat& format);

}  // namespace gantry
