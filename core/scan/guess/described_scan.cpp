#include "core/scan/guess/described_scan.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/describe/description_format.h"
#include "core/io/open_source.h"
#include "core/io/series/match_files.h"
#include "core/scan/guess/find_frames.h"
#include "core/scan/guess/frame_sample.h"
#include "core/scan/open_scan.h"

namespace gantry {

namespace {

std::string placesText(const Statement& statement) {
    std::string text;
    for (const std::string& place : statement.places)
        text += (text.empty() ? "" : ", ") + place;
    return text;
}

void takeBeamFromImages(ScanDescription& description, Statement& beam) {
    ProjectionFiles& files = description.scan.projections;
    try {
        const OpenedViews views = openViews(matchViews(description.scan.folder, files.files),
                                            openOptionsOf(description.scan));
        const double bright = sampleFrames(*views.source).bright;
        if (!(bright > 0)) return;
        files.flatValue = bright;
        beam.value = fmt::format("{:.10g}", bright);
        beam.note = "The description lacks it; this is the brightest that the images show.";
    } catch (const InputError&) {
        // Who opens the images says what is wrong with them.
    }
}

}  // namespace

ScanDescription describedWithImages(const std::filesystem::path& file, const Answers& answers) {
    ScanDescription description = readScanDescription(file, answers);
    const auto beam =
        std::ranges::find(description.statements, "projections.flatValue", &Statement::field);
    if (beam != description.statements.end() && beam->certainty == StatedCertainty::unknown)
        takeBeamFromImages(description, *beam);
    return description;
}

ScanFile describedScan(const std::filesystem::path& file, const Answers& answers) {
    ScanDescription description = describedWithImages(file, answers);
    throwOnError(description.problems, file.string());
    return std::move(description.scan);
}

std::vector<MakersSetting> makersSettings(const ScanFile& scan) {
    if (scan.origin.file.empty()) return {};
    const std::filesystem::path file = scan.folder / scan.origin.file;
    return scanFormatOf(file) ? readScanDescription(file).settings : std::vector<MakersSetting>();
}

std::vector<GuessedScan::Guess> guessesOf(const ScanDescription& description) {
    std::vector<GuessedScan::Guess> guesses;
    for (const Statement& statement : description.statements) {
        if (statement.certainty == StatedCertainty::certain) continue;
        const std::string places = placesText(statement);
        std::string reason =
            places.empty() ? "The file does not have it." : fmt::format("From {}.", places);
        if (!statement.note.empty()) reason += " " + statement.note;
        const bool isUnsure = statement.certainty == StatedCertainty::unknown;
        guesses.push_back({statement.field, std::move(reason), isUnsure, !isUnsure});
    }
    for (const OpenQuestion& question : description.questions)
        guesses.push_back({question.name,
                           fmt::format("Taken as {}. {}", question.taken, question.what), true,
                           false});
    for (const Problem& problem : description.problems)
        guesses.push_back({problem.field, withFullStop(problem.message), true, false});
    return guesses;
}

}  // namespace gantry
