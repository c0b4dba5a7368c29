#include <memory>
#include <optional>

#include "app/cli/desktop.h"
#include "app/cli/session.h"
#include "app/commands/commands.h"

namespace gantry {

void addView(Command program) {
    auto path = std::make_shared<std::filesystem::path>();
    Command command = program.command("view", "Open the desktop, with a scan, a job or a volume");
    command.option("path", *path, "PATH",
                   "A scan.json, a folder of projections, a job's folder, or a volume");
    command.examples(
        "  gantry view scan/scan.json\n"
        "  gantry view volume.mha.job\n"
        "  gantry view volume.mha\n"
        "  gantry                     # the same as gantry view");
    command.action([path](Session& session) {
        std::optional<std::filesystem::path> open;
        if (!path->empty()) open = std::filesystem::absolute(*path).lexically_normal();
        return showDesktop(session, open);
    });
}

}  // namespace gantry
