#include "app/commands/doctor_settle.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "app/cli/beside_scan.h"
#include "app/cli/terminal.h"
#include "core/base/file.h"
#include "core/base/parallel.h"
#include "core/base/throw_error.h"
#include "core/doctor/interpretation_words.h"
#include "core/doctor/settle.h"

namespace gantry {

namespace fs = std::filesystem;

namespace {

using Json = nlohmann::ordered_json;

Json toJson(const Settlement& found) {
    Json questions = Json::array();
    for (const OpenQuestion& one : found.description.questions)
        questions.push_back({{"name", one.name},
                             {"taken", one.taken},
                             {"how", one.how},
                             {"isSettled", isSettled(one)},
                             {"choices", one.choices}});
    return {{"scan", found.description.file.string()},
            {"format", found.description.format},
            {"questions", questions},
            {"fitsBadly", found.fitsBadly},
            {"tried", found.tried},
            {"centre", centreOf(found.centre, found.centreTolerancePx)}};
}

void print(const Settlement& found, const SettleCommandOptions& options) {
    const ScanDescription& description = found.description;
    show("{}: {}\n", description.file.string(), description.format);
    if (description.questions.empty())
        show("It leaves no question open. gantry doctor … --all tries other conventions.\n");
    for (const OpenQuestion& one : description.questions)
        show("  {}\n", sentenceOf(one));
    show("{}\n", centreOf(found.centre, found.centreTolerancePx));
    if (found.fitsBadly)
        show(
            "Something else is wrong, or there is too little to be seen: gantry doctor … --all "
            "tries other conventions.\n");
    if (options.out.empty())
        show("Nothing was changed. gantry doctor … --out FILE writes such a scan.json.\n");
    else
        show("Wrote {}.\n", options.out.string());
}

void write(const Settlement& found, const fs::path& out) {
    ScanFile scan = found.description.scan;
    requireApartFromScan({out}, scan, {found.description.file});
    moveScan(scan, fs::absolute(out).lexically_normal());
    writeFileAtomically(out, gantry::toJson(scan));
}

}  // namespace

int settle(const ScanDescription& description, const SettleCommandOptions& options,
           Session& session) {
    throwOnError(description.problems, description.file.string());
    requireApartFromScan({options.out}, description.scan, {description.file});
    const OpenScan opened = openScan(description.scan, session.stop(), BadViews::list);
    // Slices are small, so any processor is fast enough.
    const auto preview = session.backends().cpu.makePreview(0);
    ProgressLine progress("Trying answers", options.json);
    DiagnosisOptions how;
    how.threads = options.threads > 0 ? options.threads : availableThreads();
    how.onProgress = [&](const std::string&, double fraction) { progress.update(fraction); };
    how.stop = session.stop();
    const Settlement found = settleQuestions(description, opened, *preview, how);
    progress.end();
    if (!options.out.empty()) write(found, options.out);
    if (options.json)
        showJson(toJson(found));
    else
        print(found, options);
    return 0;
}

}  // namespace gantry
