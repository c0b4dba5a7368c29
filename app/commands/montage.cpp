#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "app/cli/beside_scan.h"
#include "app/cli/desktop.h"
#include "app/cli/over_field.h"
#include "app/cli/reconstruction_options.h"
#include "app/cli/session.h"
#include "app/cli/terminal.h"
#include "app/commands/commands.h"
#include "core/base/file.h"
#include "core/base/parallel.h"
#include "core/base/read_files.h"
#include "core/base/text.h"
#include "core/base/this_machine.h"
#include "core/base/throw_error.h"
#include "core/geometry/check/validate.h"
#include "core/live/montage.h"
#include "core/machine/measure.h"

namespace gantry {

namespace fs = std::filesystem;

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMaxValues = 64;
constexpr const char* kExample = "ring-width=5,11,21 or detector.offsetMm[0]=-1..1/9";

// The planes of orthogonalPlanes(), in their order.
struct SliceKind {
    const char* word;
    const char* axis;  // across which it lies
    std::size_t along;
};
constexpr std::array kSlices = {SliceKind{"axial", "z", 2}, SliceKind{"coronal", "y", 1},
                                SliceKind{"sagittal", "x", 0}};

struct MontageOptions {
    ReconstructionOptions request;
    std::string over;
    fs::path out;
    std::string slice = kSlices.front().word;
    std::optional<double> atMm;
    Index sizePx = 400;
    bool json = false;
};

// What is made, and what came of it.
struct Montage {
    OverField field;
    std::vector<std::string> words;  // of the values
    std::vector<FieldValue> values;
    std::size_t slice = 0;  // of kSlices
    double atMm = 0;
    MontageRequest request;
    std::vector<MontagePicture> pictures;
    MontageScores scores;
};

void requireSheet(const MontageOptions& o, const ScanFile& scan) {
    if (o.sizePx < 32 || o.sizePx > 4096)
        throwError<InputError>("--size-px is {} px; it must be 32 to 4096.", o.sizePx);
    if (o.out.empty()) return;
    if (inLowerCase(o.out.extension().string()) != ".png")
        throwError<InputError>("--out {}: the sheet is a PNG, so its name must end in .png.",
                               o.out.string());
    requireNameFits(o.out);
    if (isFolder(o.out)) throwError<InputError>("--out {} is a folder.", o.out.string());
    const fs::path folder = fs::absolute(o.out).parent_path();
    if (!isFolder(folder))
        throwError<InputError>(
            "--out {}: the folder {} does not exist; create it, or choose another place.",
            o.out.string(), folder.string());
    requireApartFromScan({o.out}, scan);
    if (!canDrawSheets())
        throw InputError(
            "--out: this build of Gantry has no desktop, whose text a sheet needs. Without --out "
            "the values and scores are printed, with --json as a document.");
}

void takeValues(Montage& montage, const MontageOptions& o, const JobSpec& job) {
    OverWords words = overWords(o.over, kExample);
    if (words.values.size() < 2 || words.values.size() > kMaxValues)
        throwError<InputError>(
            "--over {}: a montage shows 2 to {} values; there {}.", words.field, kMaxValues,
            words.values.size() == 1 ? std::string("is one")
                                     : fmt::format("are {}", words.values.size()));
    montage.field = overField(words.field, job);
    const OverField& field = montage.field;
    for (const std::string& word : words.values) {
        montage.values.push_back(overValue(field.option, "--over " + field.path, word));
        JobSpec spec = job;
        field.assign(spec, montage.values.back());
        const std::string where = fmt::format("--over {}={}", field.path, word);
        throwOnError(validate(spec.scan.geometry), where);
        throwOnError(validate(spec.corrections), where);
        montage.request.jobs.push_back(std::move(spec));
    }
    montage.words = std::move(words.values);
}

// Pictures that are all the same would say that the field does not matter, which may be wrong.
void requireDifferentSlices(const Montage& montage) {
    const OverField& field = montage.field;
    const std::vector<JobSpec>& jobs = montage.request.jobs;
    for (std::size_t i = 1; i < jobs.size(); ++i) {
        const auto same =
            std::find(montage.values.begin(), montage.values.end(), montage.values[i]);
        if (same - montage.values.begin() < static_cast<std::ptrdiff_t>(i))
            throwError<InputError>("--over {} has the value {} twice.", field.path,
                                   montage.words[i]);
        if (haveSameSlices(jobs[i - 1], jobs[i]))
            throwError<InputError>(
                "--over {}: a slice does not depend on it. Choose a field of the corrections, the "
                "filter or the geometry.",
                field.path);
    }
    if (std::ranges::none_of(jobs, field.hasEffect))
        throwError<InputError>("--over {}: it has no effect on this scan with these options{}.",
                               field.path,
                               field.what.empty() ? "" : fmt::format(" of {}", field.what));
}

Plane planeOf(Montage& montage, const MontageOptions& o, const VolumeGrid& grid) {
    while (kSlices[montage.slice].word != o.slice)
        ++montage.slice;
    const SliceKind& slice = kSlices[montage.slice];
    const double centre = grid.centerMm[slice.along];
    const double reach =
        static_cast<double>(grid.voxels[slice.along]) / 2 * grid.pitchMm[slice.along];
    montage.atMm = o.atMm.value_or(centre);
    if (!(std::abs(montage.atMm - centre) <= reach))
        throwError<InputError>("--at-mm is {} mm; the volume is at {} = {:.4g} to {:.4g} mm.",
                               montage.atMm, slice.axis, centre - reach, centre + reach);
    std::array<double, 3> through = grid.centerMm;
    through[slice.along] = montage.atMm;
    return orthogonalPlanes(grid, {through[0], through[1], through[2]})[montage.slice];
}

// The CPU if any of the jobs needs it, as for rows that a GPU does not filter along.
LivePlace placeFor(const std::vector<JobSpec>& jobs, const Machine& machine) {
    const Index freeBytes = availableMemoryBytes();
    LivePlace place = livePlace(jobs.front(), machine, freeBytes);
    for (const JobSpec& job : jobs)
        if (place.device) place = livePlace(job, machine, freeBytes);
    return place;
}

// Fields that are not of the alignment have none: what is sharper need not be better.
MontageScores scoresIn(const Montage& montage) {
    std::vector<std::optional<double>> sharpness;
    for (const MontagePicture& picture : montage.pictures)
        sharpness.push_back(montage.field.isScored ? picture.sharpness : std::nullopt);
    return scoresOf(sharpness);
}

std::string withUnit(const Montage& montage, std::size_t i) {
    const std::string& unit = montage.field.unit;
    if (unit.empty()) return montage.words[i];
    return montage.words[i] + (unit == "°" ? "" : " ") + unit;
}

Index binningOf(const Montage& montage) {
    return montage.pictures.front().binning;
}

std::string placeOf(const Montage& montage) {
    const Index binning = binningOf(montage);
    return fmt::format(
        "{} slice at {} = {:.4g} mm{}", kSlices[montage.slice].word, kSlices[montage.slice].axis,
        montage.atMm,
        binning > 1 ? fmt::format(", from detector pixels averaged {0} × {0} for memory", binning)
                    : "");
}

MontageSheet sheetOf(const Montage& montage, const MontageOptions& o) {
    MontageSheet sheet;
    const OverField& field = montage.field;
    sheet.title =
        field.label == field.path ? field.path : fmt::format("{} ({})", field.label, field.path);
    sheet.subtitle = fmt::format("{}: {}", o.request.scan.string(), placeOf(montage));
    const Plane& plane = montage.request.plane;
    sheet.columns = plane.columns;
    sheet.rows = plane.rows;
    const auto side = [](Vec3 along, Index pixels) {
        return length(along) / static_cast<double>(pixels);
    };
    sheet.pixelAspect =
        side(plane.alongColumnMm, plane.rows) / side(plane.alongRowMm, plane.columns);
    sheet.longestPx = o.sizePx;
    for (std::size_t i = 0; i < montage.pictures.size(); ++i) {
        SheetPicture& picture = sheet.pictures.emplace_back();
        picture.pixels = montage.pictures[i].pixels;
        picture.value = withUnit(montage, i);
        picture.isBest = montage.scores.best == i;
        if (const std::optional<double>& share = montage.scores.shares[i])
            picture.note =
                fmt::format("sharpness {:.3f}{}", *share, picture.isBest ? ", the sharpest" : "");
    }
    return sheet;
}

Json jsonOf(const FieldValue& value) {
    return std::visit(
        [](const auto& v) -> Json {
            if constexpr (std::is_same_v<std::decay_t<decltype(v)>, std::monostate>)
                return nullptr;
            else
                return v;
        },
        value);
}

void printJson(const Montage& montage, const MontageOptions& o) {
    Json values = Json::array();
    for (std::size_t i = 0; i < montage.pictures.size(); ++i) {
        Json entry = {{"value", jsonOf(montage.values[i])},
                      {"sharpness", nullptr},
                      {"seconds", montage.pictures[i].seconds}};
        if (const std::optional<double>& share = montage.scores.shares[i])
            entry["sharpness"] = *share;
        values.push_back(std::move(entry));
    }
    showJson({{"scan", o.request.scan.string()},
              {"field", montage.field.path},
              {"unit", montage.field.unit},
              {"slice", kSlices[montage.slice].word},
              {"atMm", montage.atMm},
              {"binning", binningOf(montage)},
              {"sheet", o.out.empty() ? Json(nullptr) : Json(o.out.string())},
              {"values", values},
              {"best", montage.scores.best ? jsonOf(montage.values[*montage.scores.best])
                                           : Json(nullptr)}});
}

void print(const Montage& montage, const MontageOptions& o) {
    const std::vector<std::optional<double>>& shares = montage.scores.shares;
    const auto unknown = std::count(shares.begin(), shares.end(), std::nullopt);
    const bool isScored = unknown < std::ssize(shares);
    TextRows rows = {{montage.field.label, "time"}};
    if (isScored) rows[0].emplace_back("sharpness");
    for (std::size_t i = 0; i < montage.pictures.size(); ++i) {
        rows.push_back(
            {withUnit(montage, i), fmt::format("{:.2f} s", montage.pictures[i].seconds)});
        if (isScored)
            rows.back().push_back(shares[i] ? fmt::format("{:.3f}{}", *shares[i],
                                                          montage.scores.best == i ? " *" : "  ")
                                            : "–  ");
    }
    show("{}: {}\n{}", o.request.scan.string(), placeOf(montage), textTable(rows));
    if (montage.scores.best) show("  * the sharpest\n");
    if (unknown == 0 && !montage.scores.best)
        show("This slice is as sharp with every value. Try another place with --at-mm.\n");
    if (!o.out.empty()) show("  sheet  {}\n", o.out.string());
}

int montage(const MontageOptions& o, Session& session) {
    const JobSpec job = makeJobSpec(o.request, session.stop());
    requireSheet(o, job.scan);
    Montage montage;
    takeValues(montage, o, job);
    requireDifferentSlices(montage);
    MontageRequest& request = montage.request;
    request.plane = planeOf(montage, o, job.volume);
    request.place = placeFor(request.jobs, machineOf(session.backends()));
    request.threads = job.threads > 0 ? job.threads : availableThreads();
    ProgressLine progress("Reconstructing", o.json);
    request.onProgress = [&](double fraction) { progress.update(fraction); };
    montage.pictures = makeMontage(request, session.backends(), session.stop());
    progress.end();
    montage.scores = scoresIn(montage);
    if (!o.out.empty()) writeFileAtomically(o.out, sheetPng(sheetOf(montage, o)));
    if (o.json)
        printJson(montage, o);
    else
        print(montage, o);
    return 0;
}

}  // namespace

void addMontage(Command program) {
    auto options = std::make_shared<MontageOptions>();
    MontageOptions& o = *options;
    Command command = program.command(
        "montage", "Show the same slice with several values of one option or field");
    command.required("scan", o.request.scan, "SCAN", kScanHelp);
    command.add(
        "--over", "FIELD=A,B",
        "The field, by its place in job.json or scan.json or by its word here, and its values, or "
        "a "
        "range of N as FROM..TO/N: " +
            std::string(kExample),
        {}, [&o](const std::string& text) { o.over = text; }, true);
    command.option("--out", o.out, "FILE.png",
                   "Write the sheet: the slices side by side, with their values below");
    command.choice("--slice", o.slice, {kSlices[0].word, kSlices[1].word, kSlices[2].word},
                   "Which slice of the volume");
    command.option("--at-mm", o.atMm, "MM",
                   "Where it lies along its axis (z, y, x); by default the volume's middle");
    command.option("--size-px", o.sizePx, "N", "Pixels of each picture's longer side on the sheet");
    addSliceOptions(command, o.request);
    command.flag("--json", o.json, "Print one JSON document, with values, scores and times");
    command.examples(
        "  gantry montage scan/scan.json --over 'detector.offsetMm[0]=-1..1/9' --out sheet.png\n"
        "  gantry montage scan/scan.json --rings sorting --over ring-width=5,11,21 --out "
        "sheet.png\n"
        "  gantry montage scan/scan.json --over window=ram-lak,hann --voxels 200 --pitch-mm 0.05 "
        "\\\n"
        "      --out part.png");
    command.action([options](Session& session) { return montage(*options, session); });
}

}  // namespace gantry
