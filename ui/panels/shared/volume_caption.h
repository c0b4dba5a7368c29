#pragma once

#include <QString>

namespace gantry {

class Workspace;

/// What a picture of the open volume is of: "volume.mha of walnut".
struct VolumeCaption {
    QString text;
    bool isOfAnotherScan = false;  ///< than the open one; the text says so
};

/// Empty where no volume is open.
/// Tests: tests/ui/panels/slices_panel_test.cpp, tests/ui/panels/volume_panel_test.cpp
[[nodiscard]] VolumeCaption volumeCaption(Workspace& workspace);

}  // namespace gantry
