#include "core/scan/inspect/scan_notes.h"

#include <cctype>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/scan/dead_rows.h"
#include "core/scan/geometry_file.h"
#include "core/scan/inspect/name_order.h"
#include "core/scan/inspect/picture_checks.h"

namespace gantry {

namespace {

std::vector<Problem> shownByPictures(const OpenScan& scan, int threads,
                                     const std::stop_token& stop) {
    try {
        return checkPictures(scan, threads, stop);
    } catch (const InputError&) {
        return {};
    } catch (const ResourceError&) {
        return {};
    }
}

std::string sentenceOfNote(const Problem& problem) {
    std::string text =
        problem.goesOnFromField ? problem.field + " " + problem.message : problem.message;
    if (!problem.goesOnFromField && !text.empty())
        text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
    return withFullStop(std::move(text));
}

}  // namespace

std::vector<std::string> scanNotes(const OpenScan& scan, const VolumeGrid& volume, int threads,
                                   const std::stop_token& stop) {
    std::vector<std::string> notes;
    const ScanFile& inFiles = scan.asInFiles().description;
    for (Problem problem : contradictedByImages(inFiles)) {
        problem.goesOnFromField = true;
        notes.push_back(sentenceOfNote(problem));
    }
    for (const Problem& problem : contradictedByNames(inFiles))
        notes.push_back(sentenceOfNote(problem));
    for (const Problem& problem : shownByPictures(scan, threads, stop))
        notes.push_back(sentenceOfNote(problem));
    for (const std::string& note : scan.asInFiles().fieldNotes)
        notes.push_back(note);
    for (std::string& note : deadRowsNotes(scan, volume))
        notes.push_back(std::move(note));
    for (std::string& note : deadColumnsNotes(scan))
        notes.push_back(std::move(note));
    return notes;
}

}  // namespace gantry
