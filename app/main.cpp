#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "app/cli/command_line.h"
#include "app/cli/desktop.h"
#include "app/cli/interrupt.h"
#include "app/cli/session.h"
#include "app/commands/commands.h"
#include "core/base/error.h"
#include "core/base/sentence.h"
#include "core/base/version.h"

namespace gantry {

namespace {

enum ExitCode { kDone = 0, kFailed = 1, kBadInput = 2, kCancelled = kCancelledExitCode };

// One line, even if a file's name has line breaks.
void complain(std::string sentence) {
    for (char& c : sentence)
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) c = ' ';
    fmt::print(stderr, "gantry: {}\n", withFullStop(std::move(sentence)));
}

// Without a word, as from a menu of programs, the desktop opens.
std::vector<std::string> orDesktop(std::vector<std::string> words) {
    if (words.empty() && canShowDesktop()) words = {"view"};
    return words;
}

int run(const std::vector<std::string>& words) {
    try {
        Interrupt interrupt;
        Session session(interrupt);
        const int code =
            runCommandLine(orDesktop(words), session, std::string(programVersion()), addCommands);
        if (std::fflush(stdout) != 0)
            throw ResourceError("The output cannot be written. Is the disk full?");
        return code;
    } catch (const Cancelled& cancelled) {
        complain(cancelled.what());
        return kCancelled;
    } catch (const InputError& error) {
        complain(error.what());
        return kBadInput;
    } catch (const InternalError& error) {
        complain(messageOf(error));
        return kFailed;
    } catch (const std::bad_alloc&) {
        complain("The memory does not suffice. Ask for fewer --voxels or less --memory.");
        return kFailed;
    } catch (const std::exception& error) {
        complain(error.what());
        return kFailed;
    }
}

}  // namespace

}  // namespace gantry

int main(int count, char** words) {
    return gantry::run({words + 1, words + count});
}
