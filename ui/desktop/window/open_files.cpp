#include "ui/desktop/window/open_files.h"

#include "core/io/input_files.h"
#include "ui/models/text.h"
#include "ui/workspace/workspace.h"

namespace gantry {

ReadFiles openFiles(Workspace& workspace) {
    ReadFiles read;
    if (workspace.scan().hasScan()) addScanFiles(read, workspace.scan().request().job.scan);
    for (const auto& volume : {workspace.volume().volume(), workspace.comparison().second()})
        if (volume && !volume->path.isEmpty()) addVolumeFiles(read, toPath(volume->path));
    return read;
}

}  // namespace gantry
