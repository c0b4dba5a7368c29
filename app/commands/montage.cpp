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
#include "core/live/montage.h"
#include "core/live/montage_sheet.h"
#include "core/live/montage_values.h"
#include "core/machine/measure.h"

namespace gantry {

namespace fs = std::filesystem;

namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kExample = "ring-width=5,11,21 or detector.offsetMm[0]=-1..1/9";

struct MontageOptions {
    ReconstructionOptions request;
    std::string over;
    fs::path out;
    std::string slice = kSliceKinds.front().word;
    std::optional<double> atMm;
    Index sizePx = 400;
    bool json = false;
};

// What is made, and what came of it.
struct Montage {
    MontageValues values;
    MontageSlice slice;
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

MontageValues valuesOf(const MontageOptions& o, const JobSpec& job) {
    const OverWords words = overWords(o.over, kExample);
    const VariedField field = overField(words.field, job);
    return montageValues(field, words.values, job, "--over " + field.path);
}

MontageSlice sliceOf(const MontageOptions& o, const VolumeGrid& grid) {
    std::size_t kind = 0;
    while (kSliceKinds[kind].word != o.slice)
        ++kind;
    return montageSlice(grid, kind, o.atMm, "--at-mm");
}

MontageScores scoresIn(const Montage& montage) {
    std::vector<std::optional<double>> sharpness;
    for (const MontagePicture& picture : montage.pictures)
        sharpness.push_back(picture.sharpness);
    return scoresOf(montage.values.field, std::move(sharpness));
}

Index binningOf(const Montage& montage) {
    return montage.pictures.front().binning;
}

MontageSheet sheetOf(const Montage& montage, const MontageOptions& o) {
    MontageResult made = {{}, binningOf(montage), montage.scores};
    for (const MontagePicture& picture : montage.pictures)
        made.pixels.emplace_back(picture.pixels);
    return montageSheet(montage.values, montage.slice, made, o.request.scan.string(), o.sizePx);
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
        Json entry = {{"value", jsonOf(montage.values.values[i])},
                      {"sharpness", nullptr},
                      {"seconds", montage.pictures[i].seconds}};
        if (const std::optional<double>& share = montage.scores.shares[i])
            entry["sharpness"] = *share;
        values.push_back(std::move(entry));
    }
    showJson({{"scan", o.request.scan.string()},
              {"field", montage.values.field.path},
              {"unit", montage.values.field.unit},
              {"slice", kSliceKinds[montage.slice.kind].word},
              {"atMm", montage.slice.atMm},
              {"binning", binningOf(montage)},
              {"sheet", o.out.empty() ? Json(nullptr) : Json(o.out.string())},
              {"values", values},
              {"best", montage.scores.best ? jsonOf(montage.values.values[*montage.scores.best])
                                           : Json(nullptr)}});
}

void print(const Montage& montage, const MontageOptions& o) {
    const std::vector<std::optional<double>>& shares = montage.scores.shares;
    const auto unknown = std::count(shares.begin(), shares.end(), std::nullopt);
    const bool isScored = unknown < std::ssize(shares);
    const VariedField& field = montage.values.field;
    TextRows rows = {{field.label, "time"}};
    if (isScored) rows[0].emplace_back("sharpness");
    for (std::size_t i = 0; i < montage.pictures.size(); ++i) {
        rows.push_back({field.withUnit(montage.values.words[i]),
                        fmt::format("{:.2f} s", montage.pictures[i].seconds)});
        if (isScored)
            rows.back().push_back(shares[i] ? fmt::format("{:.3f}{}", *shares[i],
                                                          montage.scores.best == i ? " *" : "  ")
                                            : "–  ");
    }
    show("{}: {}\n{}", o.request.scan.string(), sliceText(montage.slice, binningOf(montage)),
         textTable(rows));
    if (montage.scores.best) show("  * the sharpest\n");
    if (unknown == 0 && !montage.scores.best)
        show("This slice is as sharp with every value. Try another place with --at-mm.\n");
    if (!o.out.empty()) show("  sheet  {}\n", o.out.string());
}

int montage(const MontageOptions& o, Session& session) {
    const JobSpec job = makeJobSpec(o.request, session.stop());
    requireSheet(o, job.scan);
    Montage montage;
    montage.values = valuesOf(o, job);
    montage.slice = sliceOf(o, job.volume);
    MontageRequest request;
    request.jobs = montage.values.jobs;
    request.plane = montage.slice.plane;
    request.place =
        montagePlace(request.jobs, machineOf(session.backends()), availableMemoryBytes());
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
    command.choice("--slice", o.slice,
                   {kSliceKinds[0].word, kSliceKinds[1].word, kSliceKinds[2].word},
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
