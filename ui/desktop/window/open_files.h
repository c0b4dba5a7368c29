#pragma once

#include "core/base/read_files.h"

namespace gantry {

class Workspace;

/// All files of the scan and the volumes that are open. GUI thread only.
[[nodiscard]] ReadFiles openFiles(Workspace& workspace);

}  // namespace gantry
