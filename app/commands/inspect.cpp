#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "app/cli/beside_scan.h"
#include "app/cli/description_text.h"
#include "app/cli/field_options.h"
#include "app/cli/guesses_text.h"
#include "app/cli/reconstruction_options.h"
#include "app/cli/session.h"
#include "app/cli/terminal.h"
#include "app/commands/commands.h"
#include "core/base/file.h"
#include "core/base/json_text.h"
#include "core/base/parallel.h"
#include "core/base/text.h"
#include "core/base/throw_error.h"
#include "core/base/trial_process.h"
#include "core/io/scan_file/scan_fields.h"
#include "core/job/job_fields.h"
#include "core/job/provenance.h"
#include "core/scan/guess/guess_scan.h"
#include "core/scan/inspect/find_defects.h"
#include "core/scan/inspect/inspect_scan.h"

namespace gantry {

namespace {

using Json = nlohmann::ordered_json;

struct InspectCommandOptions {
    std::filesystem::path path;
    std::filesystem::path write;
    std::filesystem::path defects;
    std::vector<std::string> assume;
    std::string entry;
    bool everyImage = false;
    int threads = 0;
    bool json = false;
};

Json seriesJson(const SeriesInspection& series) {
    const ImageStatistics& s = series.statistics;
    Json percentiles;
    for (std::size_t i = 0; i < kPercentiles.size(); ++i)
        percentiles[std::to_string(kPercentiles[i])] = s.percentiles[i];
    Json suspects = Json::array();
    for (const SuspectFrame& frame : series.suspects)
        suspects.push_back(
            {{"number", frame.number}, {"name", frame.name}, {"reason", frame.reason}});
    Json leftOut = Json::array();
    for (const LeftOutView& view : series.leftOut)
        leftOut.push_back({{"view", view.view},
                           {"file", view.file.string()},
                           {"isBad", view.isBad},
                           {"isLeftOut", view.isWanted},
                           {"reason", view.sentence}});
    return {{"kind", series.kind},
            {"where", series.where},
            {"format", series.info.format},
            {"notes", series.info.notes},
            {"images", series.info.views},
            {"columns", series.info.columns},
            {"rows", series.info.rows},
            {"pixelType", std::string(name(series.info.pixelType))},
            {"storedBytes", series.info.storedBytes},
            {"readsRowsAlone", series.info.readsRowsAlone},
            {"imagesLookedAt", s.images},
            {"smallest", s.smallest},
            {"largest", s.largest},
            {"mean", s.mean},
            {"standardDeviation", s.standardDeviation},
            {"percentiles", percentiles},
            {"suspects", suspects},
            {"badViews", leftOut}};
}

Json geometryJson(const GeometryFacts& facts) {
    Json document = {{"magnification", facts.magnification},
                     {"voxelMm", facts.voxelMm},
                     {"fieldOfView",
                      {{"radiusMm", facts.field.radiusMm},
                       {"zMinMm", facts.field.zMinMm},
                       {"zMaxMm", facts.field.zMaxMm}}},
                     {"fanAngleDeg", facts.fanAngleDeg},
                     {"coneAngleDeg", facts.coneAngleDeg},
                     {"arcDeg", facts.arcDeg},
                     {"fittedVolume", gridJson(facts.fitted)}};
    if (facts.redundancy) {
        constexpr std::array kKinds = {"fullCircle", "shortScan", "offsetDetector", "halfCircle"};
        document["redundancy"] = {
            {"kind", kKinds[static_cast<std::size_t>(facts.redundancy->kind)]},
            {"reason", facts.redundancy->reason},
            {"neededArcDeg", facts.redundancy->neededArcDeg}};
    }
    return document;
}

Json meanCircleJson(const CalibratedPoses& poses) {
    const MeanCircle& circle = poses.meanCircle();
    Json parameters;
    for (const PoseParameter& parameter : poseParameters())
        parameters[parameter.name] = parameter.value(circle.mean);
    Json far = Json::array();
    for (const FarPose& pose : farthestPoses(poses, 10))
        far.push_back(
            {{"view", pose.view}, {"sourceMm", pose.sourceMm}, {"detectorMm", pose.detectorMm}});
    return {{"axisMm", {circle.centerMm.x, circle.centerMm.y}},
            {"axisLeanDeg", circle.tiltOfAxisDeg},
            {"parameters", parameters},
            {"sourceRmsMm", circle.sourceRmsMm},
            {"detectorRmsMm", circle.detectorRmsMm},
            {"farthest", far}};
}

const char* severityName(const Problem& problem) {
    return problem.severity == Problem::Severity::error ? "error" : "warning";
}

Json toJson(const Inspection& inspection) {
    Json document = {{"path", inspection.path.string()}};
    if (inspection.description) document["description"] = descriptionJson(*inspection.description);
    if (inspection.scan) {
        document["name"] = inspection.scan->name;
        document["scan"] = ownOrderedJson(gantry::toJson(*inspection.scan));
    }
    document["series"] = Json::array();
    for (const SeriesInspection& series : inspection.series)
        document["series"].push_back(seriesJson(series));
    if (inspection.geometry) document["geometry"] = geometryJson(*inspection.geometry);
    if (inspection.geometry && inspection.scan)
        if (const CalibratedPoses* poses = inspection.scan->geometry.poses())
            document["meanCircle"] = meanCircleJson(*poses);
    if (inspection.volume) document["volume"] = gridJson(*inspection.volume);
    document["problems"] = Json::array();
    for (const Problem& problem : inspection.problems)
        document["problems"].push_back({{"severity", severityName(problem)},
                                        {"field", problem.field},
                                        {"message", problem.message}});
    if (!inspection.missing.empty()) document["missing"] = inspection.missing;
    return document;
}

std::string shown(const VolumeGrid& grid) {
    const auto& [nX, nY, nZ] = grid.voxels;
    const auto& p = grid.pitchMm;
    const auto& c = grid.centerMm;
    return fmt::format(
        "{} × {} × {} voxels of {:.4g} × {:.4g} × {:.4g} mm, centre {:.4g}, {:.4g}, "
        "{:.4g} mm",
        nX, nY, nZ, p[0], p[1], p[2], c[0], c[1], c[2]);
}

void print(const SeriesInspection& series) {
    const SourceInfo& info = series.info;
    const ImageStatistics& s = series.statistics;
    const Index usable =
        info.views -
        std::ranges::count_if(series.leftOut, [](const LeftOutView& view) { return view.isBad; });
    show("{} ({})\n", series.kind, series.where);
    std::vector<std::string> percentiles;
    for (std::size_t i = 0; i < kPercentiles.size(); ++i)
        percentiles.push_back(fmt::format("{} %: {:.5g}", kPercentiles[i], s.percentiles[i]));
    show(
        "{}",
        textFields(
            {{"format", info.format},
             {"size", fmt::format("{} of {} × {} pixels, {}, {}", info.views, info.columns,
                                  info.rows, name(info.pixelType), formatBytes(info.storedBytes))},
             {"values", fmt::format("{:.5g} to {:.5g}, mean {:.5g}, standard deviation "
                                    "{:.4g}",
                                    s.smallest, s.largest, s.mean, s.standardDeviation)},
             {"percentiles", fmt::format("{}", fmt::join(percentiles, ", "))},
             {"examined", s.images == usable ? std::string("every image")
                                             : fmt::format("{} of {} images", s.images, usable)}}));
    for (const std::string& note : series.info.notes)
        fmt::print("  note: {}\n", note);
    for (const LeftOutView& view : series.leftOut)
        show("  {} view {}: {}\n", view.isWanted ? "left out:" : "cannot be used:", view.view,
             view.sentence);
    constexpr std::size_t kMax = 10;
    for (std::size_t i = 0; i < std::min(kMax, series.suspects.size()); ++i)
        show("  suspect: number {}, {}: {}\n", series.suspects[i].number, series.suspects[i].name,
             series.suspects[i].reason);
    if (series.suspects.size() > kMax)
        show("  and {} more suspect images\n", series.suspects.size() - kMax);
}

std::string distancesText(const ScanGeometry& geometry) {
    if (geometry.isParallel()) return "none: parallel beam";
    const CircularCone cone = meanCircleOf(geometry).cone();
    return fmt::format("source-object {:.9g} mm, source-detector {:.9g} mm{}",
                       cone.sourceToIsocenterMm, cone.sourceToDetectorMm,
                       geometry.poses() ? ", of the mean circle" : "");
}

// Views whose source or detector lies farthest from the circle, the farthest first.
void printPoses(const CalibratedPoses& poses) {
    const MeanCircle& circle = poses.meanCircle();
    const PoseParameters& mean = circle.mean;
    const std::vector<FarPose> far = farthestPoses(poses, 3);
    std::string views;
    for (const FarPose& pose : far)
        views += fmt::format("{}view {} ({:.3g} and {:.3g} mm)", views.empty() ? "" : ", ",
                             pose.view, pose.sourceMm, pose.detectorMm);
    show("calibrated poses\n{}",
         textFields(
             {{"mean circle",
               fmt::format("axis through {:.4g}, {:.4g} mm, {:.3g}° from z; source's height {:.4g} "
                           "mm; detector's offset {:.4g}, {:.4g} mm, roll {:.3g}°, tilt {:.3g}°, "
                           "slant {:.3g}°",
                           circle.centerMm.x, circle.centerMm.y, circle.tiltOfAxisDeg,
                           mean.sourceHeightMm, mean.detectorOffsetMm[0], mean.detectorOffsetMm[1],
                           mean.rollDeg, mean.tiltDeg, mean.slantDeg)},
              {"off the circle", fmt::format("sources {:.3g} mm, detectors {:.3g} mm (root mean "
                                             "square)",
                                             circle.sourceRmsMm, circle.detectorRmsMm)},
              {"farthest off", views}}));
}

void print(const ScanGeometry& geometry, const GeometryFacts& facts) {
    const Detector& d = geometry.detector;
    show("geometry\n{}",
         textFields({{"distances", distancesText(geometry)},
                     {"magnification", fmt::format("{:.4g}", facts.magnification)},
                     {"detector",
                      fmt::format("{} × {} pixels of {:.4g} × {:.4g} mm, offset {:.4g}, {:.4g} "
                                  "mm, roll {:.4g}°, tilt {:.4g}°, slant {:.4g}°",
                                  d.columns, d.rows, d.pitchMm[0], d.pitchMm[1], d.offsetMm[0],
                                  d.offsetMm[1], d.rollDeg, d.tiltDeg, d.slantDeg)},
                     {"voxel at isocentre",
                      fmt::format("{:.4g} × {:.4g} mm", facts.voxelMm[0], facts.voxelMm[1])},
                     {"field of view",
                      fmt::format("radius {:.4g} mm, z {:.4g} to {:.4g} mm", facts.field.radiusMm,
                                  facts.field.zMinMm, facts.field.zMaxMm)},
                     {"fan and cone angle",
                      fmt::format("{:.4g}° and {:.4g}°", facts.fanAngleDeg, facts.coneAngleDeg)},
                     {"arc", fmt::format("{:.6g}° in {} views", facts.arcDeg, geometry.views())},
                     {"weights",
                      facts.redundancy ? facts.redundancy->reason : "none possible, see problems"},
                     {"fitted volume", shown(facts.fitted)}}));
    if (const CalibratedPoses* poses = geometry.poses()) printPoses(*poses);
}

bool isBareScan(const Inspection& inspection) {
    return !inspection.scan && !inspection.volume &&
           std::ranges::any_of(inspection.series,
                               [](const SeriesInspection& one) { return one.info.views > 1; });
}

// What bare images state and show of the scan; nothing, and a problem that says why, where they
// cannot be one.
std::optional<GuessedScan> guessOf(Inspection& inspection) {
    if (!isBareScan(inspection)) return std::nullopt;
    try {
        return guessScan(inspection);
    } catch (const InputError& error) {
        inspection.problems.push_back({Problem::Severity::error,
                                       error.field().empty() ? "projections" : error.field(),
                                       error.message()});
        return std::nullopt;
    }
}

// MetaImages do not say whether they are volumes or projections.
bool isSurelyVolume(const Inspection& inspection) {
    const std::string ending = inLowerCase(inspection.path.extension().string());
    return inspection.volume && ending != ".mha" && ending != ".mhd";
}

// A MetaImage beside which there is no record of a job that made it.
bool mayBeProjections(const Inspection& inspection) {
    return inspection.volume && !isSurelyVolume(inspection) &&
           !pathExists(provenancePath(inspection.path));
}

void writeScan(ScanFile scan, const std::filesystem::path& to,
               const std::vector<std::filesystem::path>& read) {
    const std::filesystem::path whole = std::filesystem::absolute(to).lexically_normal();
    requireApartFromScan({whole}, scan, read);
    moveScan(scan, whole);
    writeFileAtomically(whole, gantry::toJson(scan));
}

// Writes the scan that bare images are, or that another program describes, with patterns as seen
// from the file.
std::optional<GuessedScan> writeScan(const Inspection& inspection,
                                     const std::filesystem::path& to) {
    if (inspection.description) {
        writeScan(*inspection.scan, to, {inspection.description->file});
        return std::nullopt;
    }
    if (inspection.scan || isSurelyVolume(inspection))
        throwError<InputError>(
            "--write {}: {} {}; a description is written of images that have none.", to.string(),
            inspection.path.string(), inspection.volume ? "is a volume" : "is described already");
    GuessedScan guess = guessScan(inspection);
    writeScan(guess.scan, to, {});
    return guess;
}

// Writes the map of the detector's defects.
void writeMap(const Inspection& inspection, const std::optional<GuessedScan>& guess,
              const std::filesystem::path& to) {
    const ScanFile* scan = inspection.scan ? &*inspection.scan : guess ? &guess->scan : nullptr;
    if (!scan || !inspection.defects)
        throwError<InputError>(
            "--defects {}: nothing is known of a detector, as {} is no scan that can be "
            "reconstructed as it is.",
            to.string(), inspection.path.string());
    requireApartFromScan({to}, *scan);
    writeDefects(*inspection.defects, *scan, to);
}

Json defectsJson(const DefectMap& map) {
    return {{"dead", map.count(PixelDefect::dead)},
            {"hot", map.count(PixelDefect::hot)},
            {"uneven", map.count(PixelDefect::uneven)},
            {"noisy", map.count(PixelDefect::noisy)}};
}

Json guessesJson(const GuessedScan& guess) {
    Json guesses = Json::array();
    for (const GuessedScan::Guess& one : guess.guesses)
        guesses.push_back({{"field", one.field},
                           {"reason", one.reason},
                           {"isUnsure", one.isUnsure},
                           {"isStated", one.isStated}});
    return guesses;
}

void print(const GuessedScan& guess, const std::filesystem::path& images,
           const std::filesystem::path& written) {
    if (written.empty())
        show(
            "There is no scan.json. What the images state and show of the scan (gantry inspect {} "
            "--write scan.json writes it):\n",
            images.string());
    else
        show("Wrote {}, with what the images state and show:\n", written.string());
    show("{}", guessesText(guess.guesses));
}

void print(const Inspection& inspection) {
    if (inspection.scan)
        show("{}: scan '{}'\n", inspection.path.string(), inspection.scan->name);
    else
        show("{}\n", inspection.path.string());
    if (inspection.description) show("{}", descriptionText(*inspection.description));
    if (inspection.volume) show("volume\n  {}\n", shown(*inspection.volume));
    if (mayBeProjections(inspection))
        show(
            "  If these images are projections, describe them as a scan: gantry inspect {} --write "
            "scan.json\n",
            inspection.path.string());
    for (const SeriesInspection& series : inspection.series)
        print(series);
    if (inspection.geometry) print(inspection.scan->geometry, *inspection.geometry);
    if (inspection.scan && inspection.scan->volume)
        show("  requested volume   {}\n", shown(*inspection.scan->volume));
}

void printProblems(const Inspection& inspection) {
    if (!inspection.problems.empty()) show("problems\n");
    for (const Problem& problem : inspection.problems)
        show("  {}: {}: {}\n", severityName(problem), problem.field, problem.message);
    if (inspection.scan && inspection.problems.empty()) show("no problems\n");
}

int inspect(const InspectCommandOptions& options, Session& session) {
    InspectOptions how;
    how.threads = options.threads > 0 ? options.threads : availableThreads();
    how.everyImage = options.everyImage;
    how.findsDefects = true;
    how.entry = options.entry;
    how.stop = session.stop();
    const TrialBudget budget;
    Inspection inspection = inspectPath(options.path, how, answersOf(options.assume));
    const bool isWritten = !options.write.empty();
    const std::optional<GuessedScan> guess =
        isWritten ? writeScan(inspection, options.write) : guessOf(inspection);
    if (guess) inspectAs(guess->scan, how, inspection);
    if (!options.defects.empty()) writeMap(inspection, guess, options.defects);
    if (options.json) {
        Json document = toJson(inspection);
        if (guess) document["guesses"] = guessesJson(*guess);
        if (isWritten) document["written"] = options.write.string();
        if (inspection.defects) document["defects"] = defectsJson(*inspection.defects);
        if (!options.defects.empty()) document["defectsWritten"] = options.defects.string();
        showJson(document);
    } else {
        print(inspection);
        if (guess) print(*guess, options.path, options.write);
        if (inspection.description && isWritten) show("Wrote {}.\n", options.write.string());
        if (inspection.defects && !inspection.defects->text().empty())
            show("detector\n  pixels to leave out: {}\n", inspection.defects->text());
        if (!options.defects.empty())
            show("Wrote {}; projections.badPixels may name it.\n", options.defects.string());
        printProblems(inspection);
    }
    throwOnError(inspection.problems, inspection.path.string());
    return 0;
}

}  // namespace

void addInspect(Command program) {
    auto options = std::make_shared<InspectCommandOptions>();
    Command command = program.command(
        "inspect",
        "Show what a scan, a folder of images or a volume is, and what is wrong with it");
    command.required(
        "path", options->path, "PATH",
        "A scan.json or a scanner's own description, a folder, or an image or volume file");
    command.option("--write", options->write, "FILE",
                   "Write what images without a description state and show, or what a scanner's "
                   "own file describes, as a scan.json");
    command.repeated("--assume", options->assume, "QUESTION=ANSWER",
                     "Answer an open question of a scanner's file; it lists them");
    command.option("--entry", options->entry, "NAME", kEntryHelp);
    command.option("--defects", options->defects, "FILE",
                   "Write a map of the detector's dead, hot, uneven and noisy pixels, a TIFF that "
                   "projections.badPixels may name");
    command.flag("--all", options->everyImage, "Examine every image, however many there are");
    addRow(command, jobFields(), "threads", options->threads);
    command.flag("--json", options->json, "Print one JSON document");
    command.examples(
        "  gantry inspect scan/scan.json\n"
        "  gantry inspect scan/proj\n"
        "  gantry inspect scan.nxs --entry /entry2 --write scan.json\n"
        "  gantry inspect sample.xtekct --assume rotation=clockwise --write scan.json\n"
        "  gantry inspect scan/scan.json --defects scan/defects.tif\n"
        "  gantry inspect volume.mha --json\n"
        "Exits 2 when the scan cannot be reconstructed as it is.");
    command.action([options](Session& session) { return inspect(*options, session); });
}

}  // namespace gantry
