#include <iostream>
#include <iterator>
#include <string>

#include "app/cli/session.h"
#include "app/cli/terminal.h"
#include "app/commands/commands.h"
#include "core/work/measure_request.h"

namespace gantry {

namespace {

int answer(Session& session) {
    const std::string request{std::istreambuf_iterator<char>(std::cin), {}};
    show("{}\n", answerMeasureRequest(request, "the request", session.backends(), session.stop()));
    return 0;
}

}  // namespace

void addMeasure(Command program) {
    Command command = program.command(
        "measure", "Measure this machine for the forecast of a job, for the desktop");
    command.examples(
        "Reads a request from its input, as the desktop writes it, and prints what it measured as "
        "JSON.\n"
        "  gantry measure </dev/null    # the GPUs alone");
    command.action([](Session& session) { return answer(session); });
}

}  // namespace gantry
