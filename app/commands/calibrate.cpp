#include "core/calibrate/calibrate.h"

#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/cli/beside_scan.h"
#include "app/cli/field_options.h"
#include "app/cli/session.h"
#include "app/cli/terminal.h"
#include "app/commands/commands.h"
#include "core/base/file.h"
#include "core/base/parallel.h"
#include "core/base/throw_error.h"
#include "core/calibrate/balls/ball_file.h"
#include "core/calibrate/calibration_text.h"
#include "core/job/job_fields.h"

namespace gantry {

namespace fs = std::filesystem;

namespace {

using Json = nlohmann::ordered_json;

struct CalibrateCommandOptions {
    fs::path scan;
    fs::path balls;
    std::optional<std::array<double, 3>> distance;
    std::optional<double> ringDistanceMm;
    std::optional<double> diameterMm;
    std::string model = "circle";
    fs::path out;
    fs::path ballsOut;
    int threads = 0;
    bool json = false;
};

double checkedLength(const char* option, double mm) {
    if (!(mm > 0))
        throwError<InputError>("{} is {}; it must be a number of mm greater than 0.", option, mm);
    return mm;
}

std::optional<KnownLength> lengthOf(const CalibrateCommandOptions& o) {
    const int given = int{o.distance.has_value()} + int{o.ringDistanceMm.has_value()} +
                      int{o.diameterMm.has_value()};
    if (given > 1)
        throw InputError(
            "--distance, --ring-distance-mm and --ball-diameter-mm each set the scale: give one "
            "of them.");
    if (given > 0 && !o.balls.empty())
        throw InputError(
            "--balls sets the scale already: --distance, --ring-distance-mm and "
            "--ball-diameter-mm are for balls whose places are not known.");
    KnownLength length;
    if (o.distance) {
        const auto [first, second, mm] = *o.distance;
        for (const double ball : {first, second})
            if (!(ball >= 1 && ball <= 1e6 && ball == std::floor(ball)))
                throwError<InputError>(
                    "--distance {},{},{}: {} is no number of a ball; they are counted 1, 2, 3 …",
                    first, second, mm, ball);
        length.mm = checkedLength("--distance", mm);
        length.balls = {static_cast<Index>(first), static_cast<Index>(second)};
        return length;
    }
    if (o.ringDistanceMm) {
        length.kind = KnownLength::Kind::betweenRings;
        length.mm = checkedLength("--ring-distance-mm", *o.ringDistanceMm);
        return length;
    }
    if (o.diameterMm) {
        length.kind = KnownLength::Kind::diameter;
        length.mm = checkedLength("--ball-diameter-mm", *o.diameterMm);
        return length;
    }
    return std::nullopt;
}

void print(const CalibrateCommandOptions& o, const BallCalibration& found) {
    show("{}\n{}{}", o.scan.string(),
         textFields({{"balls", ballsText(found)}, {"residual", residualText(found)}}),
         textTable(calibrationTable(found)));
    for (const std::string& note : calibrationNotes(found))
        show("  {}\n", note);
}

Json toJson(const CalibratedNumber& n) {
    Json document = {{"found", n.isFound}, {"label", n.label}, {"before", n.before}};
    if (n.isFound) document["value"] = n.value;
    if (std::isfinite(n.uncertainty)) document["uncertainty"] = n.uncertainty;
    if (!n.isFound) document["reason"] = n.reason;
    return document;
}

Json toJson(const CalibratedBall& ball) {
    Json document = {{"centerMm", {ball.centerMm.x, ball.centerMm.y, ball.centerMm.z}},
                     {"radiusMm", ball.radiusMm},
                     {"views", ball.views}};
    if (std::isfinite(ball.rmsPx)) document["rmsPx"] = ball.rmsPx;
    if (ball.known) document["knownBall"] = *ball.known + 1;
    return document;
}

Json toJson(const CalibrateCommandOptions& o, const BallCalibration& found) {
    Json document = {{"scan", o.scan.string()},        {"model", o.model},
                     {"rmsPx", found.rmsPx},           {"circleRmsPx", found.circleRmsPx},
                     {"imagesUsed", found.imagesUsed}, {"turnsOtherWay", found.turnsOtherWay},
                     {"hasScale", found.hasScale}};
    if (o.model == "poses") document["viewsWithPose"] = found.viewsWithPose;
    for (const CalibratedNumber& n : found.numbers)
        document["numbers"][n.name] = toJson(n);
    document["balls"] = Json::array();
    for (const CalibratedBall& ball : found.balls)
        document["balls"].push_back(toJson(ball));
    document["viewRmsPx"] = Json::array();
    for (const double rms : found.viewRmsPx)
        document["viewRmsPx"].push_back(std::isfinite(rms) ? Json(rms) : Json());
    return document;
}

void write(const CalibrateCommandOptions& o, ScanFile scan, const BallCalibration& found) {
    if (!o.out.empty()) {
        scan.geometry = found.geometry;
        writeFileAtomically(o.out, toJson(scan));
    }
    if (o.ballsOut.empty()) return;
    std::vector<Vec3> centers;
    centers.reserve(found.balls.size());
    for (const CalibratedBall& ball : found.balls)
        centers.push_back(ball.centerMm);
    writeFileAtomically(o.ballsOut, toBallCsv(centers));
}

int runCalibrate(const CalibrateCommandOptions& o, Session& session) {
    CalibrationOptions options;
    options.length = lengthOf(o);
    if (!o.out.empty()) requireBesideScan("--out", o.out, o.scan);
    if (!o.ballsOut.empty() && o.balls.empty() && !options.length)
        throw InputError(
            "--balls-out writes places in mm, which needs a scale: give --distance, "
            "--ring-distance-mm, --ball-diameter-mm or --balls too.");
    if (!o.balls.empty()) {
        options.knownBallsMm = readBallFile(o.balls);
        options.knownBallsName = o.balls.string();
    }
    const ScanFile description = readScanFile(o.scan);
    requireApartFromScan({o.out, o.ballsOut}, description, {o.balls});
    const OpenScan scan = openScan(description, session.stop());
    ProgressLine progress("Calibrating", o.json);
    options.posePerView = o.model == "poses";
    options.threads = o.threads > 0 ? o.threads : availableThreads();
    options.onProgress = [&](const std::string&, double fraction) { progress.update(fraction); };
    options.stop = session.stop();
    const BallCalibration found = calibrate(scan, options);
    progress.end();
    write(o, scan.description, found);
    if (o.json)
        showJson(toJson(o, found));
    else
        print(o, found);
    return 0;
}

}  // namespace

void addCalibrate(Command program) {
    auto options = std::make_shared<CalibrateCommandOptions>();
    CalibrateCommandOptions& o = *options;
    Command command = program.command(
        "calibrate", "Calibrate the geometry by the views of a phantom with small dense balls");
    command.required("scan", o.scan, "SCAN",
                     "A scan.json, whose geometry is where the search begins");
    command.option("--balls", o.balls, "FILE",
                   "Where the balls are in the phantom: a .csv with columns xMm,yMm,zMm, or the "
                   "spheres of a .json of shapes; without it their places are sought too");
    command.option("--distance", o.distance, "A,B,MM",
                   "Known distance of balls A and B, which are counted from 1, upwards");
    command.option("--ring-distance-mm", o.ringDistanceMm, "MM",
                   "Known distance of the lowest and the topmost ring of balls");
    command.option("--ball-diameter-mm", o.diameterMm, "MM",
                   "Known diameter of the balls; sets the scale to about 1 %");
    command.choice("--model", o.model, {"circle", "poses"},
                   "One rigid circle, or from there a pose for each view");
    command.option("--out", o.out, "FILE", "Write a scan.json with what was found, beside SCAN");
    command.option("--balls-out", o.ballsOut, "FILE",
                   "Write where the balls are, for --balls the next time");
    addRow(command, jobFields(), "threads", o.threads);
    command.flag("--json", o.json, "Print one JSON document, with balls and views");
    command.examples(
        "  gantry calibrate balls/scan.json --balls phantom.csv --out balls/calibrated.json\n"
        "  gantry calibrate balls/scan.json --distance 1,24,105.4 --balls-out phantom.csv\n"
        "  gantry calibrate balls/scan.json --balls phantom.csv --model poses --out "
        "balls/poses.json");
    command.action([options](Session& session) { return runCalibrate(*options, session); });
}

}  // namespace gantry
