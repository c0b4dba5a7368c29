#include <unistd.h>

#include <iostream>
#include <memory>
#include <string>

#include "app/cli/session.h"
#include "app/commands/commands.h"
#include "core/base/parallel.h"
#include "core/live/live_server.h"

namespace gantry {

namespace {

// The window's own work has priority.
constexpr int kBehindTheWindow = 5;

int serve(const std::string& pictures, Session& session) {
    (void)::nice(kBehindTheWindow);
    serveLiveSlices(STDIN_FILENO, std::cout, pictures, session.backends(), availableThreads(),
                    session.stop());
    return 0;
}

}  // namespace

void addLive(Command program) {
    const auto pictures = std::make_shared<std::string>();
    Command command =
        program.command("live", "Reconstruct slices again and again, for the desktop");
    command.required("pictures", *pictures, "FILE", "A file in memory that takes the pictures");
    command.examples(
        "Reads requests from its input, as the desktop writes them, and prints where the pictures "
        "are.");
    command.action([pictures](Session& session) { return serve(*pictures, session); });
}

}  // namespace gantry
