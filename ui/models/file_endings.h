#pragma once

#include <QString>

namespace gantry {

// The files of a kind for the filter of a dialog, by the lists of formats: "*.mha *.nrrd".
// Tests: tests/ui/models/file_endings_test.cpp

/// Volumes that are a file; others are folders.
[[nodiscard]] QString endingsOfVolumes();
/// Stacks of images.
[[nodiscard]] QString endingsOfProjections();
/// All that is opened: descriptions of whole scans, stacks of images and volumes.
[[nodiscard]] QString endingsToOpen();
/// The filter for files that have at least a geometry, for all of them and for each other program.
[[nodiscard]] QString geometryFilter();

}  // namespace gantry
