#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "app/cli/command_line.h"
#include "app/cli/desktop.h"
#include "app/cli/interrupt.h"
#include "app/cli/session.h"
#include "app/cli/terminal.h"
#include "app/commands/commands.h"
#include "core/base/error.h"
#include "core/base/system_fault.h"
#include "core/base/version.h"

namespace gantry {

namespace {

// Opens the desktop if the program is called without arguments, as from a menu.
std::vector<std::string> orDesktop(std::vector<std::string> words) {
    if (words.empty() && canShowDesktop()) words = {"view"};
    return words;
}

int run(const std::vector<std::string>& words) {
    try {
        Interrupt interrupt;
        Session session(interrupt, words);
        const int code =
            runCommandLine(orDesktop(words), session, std::string(programVersion()), addCommands);
        if (std::fflush(stdout) != 0)
            throw ResourceError("The output cannot be written. Is the disk full?");
        return code;
    } catch (const std::exception& error) {
        complain(error);
        return exitCodeOf(error);
    }
}

}  // namespace

}  // namespace gantry

int main(int count, char** words) {
    gantry::prepareStreams();
    return gantry::run({words + 1, words + count});
}
