#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "app/cli/beside_scan.h"
#include "app/cli/description_text.h"
#include "app/cli/field_options.h"
#include "app/cli/reconstruction_options.h"
#include "app/cli/session.h"
#include "app/cli/terminal.h"
#include "app/commands/commands.h"
#include "app/commands/doctor_settle.h"
#include "core/base/file.h"
#include "core/base/parallel.h"
#include "core/base/percent.h"
#include "core/base/throw_error.h"
#include "core/describe/description_format.h"
#include "core/doctor/interpretation_words.h"
#include "core/job/job_fields.h"
#include "core/report/png_image.h"
#include "core/scan/guess/described_scan.h"

namespace gantry {

namespace fs = std::filesystem;

namespace {

using Json = nlohmann::ordered_json;

struct DoctorOptions {
    fs::path scan;
    fs::path out;
    fs::path picture;
    std::optional<Index> interpretation;
    std::vector<std::string> assume;
    std::string entry;
    int threads = 0;
    bool all = false;
    bool json = false;
};

// Max rows of the table, and of the picture.
constexpr std::size_t kMaxShown = 8;

// An interpretation and its number for the user: each group's own, then those of the same views.
struct Numbered {
    const InterpretationGroup* group;
    const SameViews* same;  // null: the group's own

    [[nodiscard]] const Interpretation& interpretation() const {
        return same ? same->interpretation : group->interpretation;
    }
};

std::vector<Numbered> numbered(const Diagnosis& diagnosis) {
    std::vector<Numbered> all;
    for (const InterpretationGroup& group : diagnosis.groups) {
        all.push_back({&group, nullptr});
        for (const SameViews& same : group.others)
            all.push_back({&group, &same});
    }
    return all;
}

void printGroups(const Diagnosis& found, const std::vector<Numbered>& all) {
    const double sharpest = found.groups.front().trial.all.sharpness;
    TextRows rows = {
        {"reading", "number", "sharpness", "negative", "rays differ", "planes differ", "behind"}};
    for (std::size_t i = 0; i < all.size() && rows.size() <= kMaxShown; ++i) {
        if (all[i].same) continue;
        const InterpretationGroup& group = *all[i].group;
        const TrialScores& scores = group.trial.all;
        rows.push_back({nameOf(group.interpretation), std::to_string(i + 1),
                        fmt::format("{:.2f}", sharpest > 0 ? scores.sharpness / sharpest : 0),
                        formatPercent(scores.negative), formatPercent(scores.rays),
                        formatPercent(scores.planes),
                        fmt::format("{:.2f} ± {:.2f}", group.behind, group.spread)});
    }
    show("\n{}", textTable(rows));
    if (found.groups.size() > kMaxShown) show("  and {} more\n", found.groups.size() - kMaxShown);
}

void printSameViews(const Diagnosis& found, const std::vector<Numbered>& all) {
    const InterpretationGroup& best = found.groups.front();
    if (best.others.empty()) return;
    show("\nNo view can tell these from “{}”; look at the volume:\n", nameOf(best.interpretation));
    for (std::size_t i = 0; i < all.size(); ++i)
        if (all[i].group == &best && all[i].same)
            show("  {}  {}: the volume is {}\n     {}\n", i + 1, nameOf(all[i].interpretation()),
                 nameOf(all[i].same->relation), landmarkOf(all[i].same->relation));
}

void printChanges(const DoctorOptions& o, const ScanFile& scan,
                  const Interpretation& interpretation) {
    const std::vector<FieldChange> changes = changesOf(scan, interpretation);
    if (changes.empty()) return;
    show("\nNothing was changed. “{}” is, in {}:\n", nameOf(interpretation), o.scan.string());
    std::vector<std::pair<std::string, std::string>> fields;
    fields.reserve(changes.size());
    for (const FieldChange& change : changes)
        fields.emplace_back(change.field, fmt::format("{} → {}", change.before, change.after));
    show("{}gantry doctor … --out FILE writes such a scan.json.\n", textFields(fields));
}

void print(const DoctorOptions& o, const ScanFile& scan, const Diagnosis& found,
           const std::vector<Numbered>& all) {
    show("{}\n{}\n{}\n", o.scan.string(), summaryOf(found), centreOf(found));
    if (!found.whyUnusable.empty())
        show("As it is declared it cannot be reconstructed: {}\n", found.whyUnusable);
    printGroups(found, all);
    printSameViews(found, all);
    if (o.out.empty()) printChanges(o, scan, found.groups.front().interpretation);
}

Json toJson(double share) {
    return std::isnan(share) ? Json(nullptr) : Json(share);
}

Json toJson(const ScanFile& scan, const Interpretation& interpretation, std::size_t number) {
    Json changes = Json::array();
    for (const FieldChange& change : changesOf(scan, interpretation))
        changes.push_back(
            {{"field", change.field}, {"before", change.before}, {"after", change.after}});
    return {{"number", number}, {"reading", nameOf(interpretation)}, {"changes", changes}};
}

Json centreJson(const Diagnosis& found) {
    Json document = {{"found", found.centre.isFound}, {"sentence", centreOf(found)}};
    if (!found.centre.isFound) return document;
    document["off"] = found.isCentreOff();
    document["offPx"] = std::abs(found.centre.value);
    document["uncertaintyPx"] = found.centre.uncertainty;
    document["tolerancePx"] = found.centreTolerancePx;
    return document;
}

Json shiftedAxisJson(const Diagnosis& found) {
    if (!found.shiftedAxis) return nullptr;
    return {{"reading", nameOf(found.shiftedAxis->interpretation)},
            {"offPx", std::abs(found.shiftedAxis->shiftPx)}};
}

Json toJson(const ScanFile& scan, const Diagnosis& found, const std::vector<Numbered>& all) {
    Json interpretations = Json::array();
    for (std::size_t i = 0; i < all.size(); ++i) {
        Json entry = toJson(scan, all[i].interpretation(), i + 1);
        if (all[i].same) {
            const Relation& relation = all[i].same->relation;
            entry["volume"] = nameOf(relation);
            entry["question"] = landmarkOf(relation);
            interpretations.back()["sameViews"].push_back(entry);
            continue;
        }
        const InterpretationGroup& group = *all[i].group;
        const TrialScores& scores = group.trial.all;
        entry["sharpness"] = scores.sharpness;
        entry["negative"] = scores.negative;
        entry["raysDiffer"] = toJson(scores.rays);
        entry["planesDiffer"] = toJson(scores.planes);
        entry["behind"] = group.behind;
        entry["spread"] = group.spread;
        entry["sameViews"] = Json::array();
        interpretations.push_back(std::move(entry));
    }
    return {{"scan", scan.path.string()},           {"summary", summaryOf(found)},
            {"certainty", nameOf(found.certainty)}, {"asDeclared", found.isAsDeclared},
            {"fitsBadly", found.fitsBadly},         {"notToldApart", found.tied},
            {"centre", centreJson(found)},          {"shiftedAxis", shiftedAxisJson(found)},
            {"whyUnusable", found.whyUnusable},     {"readings", interpretations}};
}

// The grey value that nearly all pixels of the best one are below.
double brightestOf(const Trial& trial) {
    std::vector<float> pixels;
    for (const TrialPicture& slice : trial.slices)
        pixels.insert(pixels.end(), slice.pixels.begin(), slice.pixels.end());
    const auto max = pixels.begin() + static_cast<std::ptrdiff_t>(pixels.size() * 995 / 1000);
    std::nth_element(pixels.begin(), max, pixels.end());
    return *max;
}

// A row of slices for each group, the best at the top; z and y run up.
Picture contactSheet(const Diagnosis& found) {
    constexpr Index kTimes = 2;
    constexpr Index kGap = 8;
    const std::size_t rows = std::min(kMaxShown, found.groups.size());
    const double brightest = brightestOf(found.groups.front().trial);
    const std::vector<TrialPicture>& first = found.groups.front().trial.slices;
    Index width = -kGap;
    Index height = 0;
    for (const TrialPicture& slice : first) {
        width += kTimes * slice.columns + kGap;
        height = std::max(height, kTimes * slice.rows);
    }
    Picture sheet(width, static_cast<Index>(rows) * (height + kGap) - kGap, 255);
    for (std::size_t row = 0; row < rows; ++row) {
        Index column = 0;
        for (const TrialPicture& slice : found.groups[row].trial.slices) {
            std::vector<float> upright;
            for (Index y = slice.rows - 1; y >= 0; --y)
                upright.insert(upright.end(), slice.pixels.begin() + y * slice.columns,
                               slice.pixels.begin() + (y + 1) * slice.columns);
            const Picture grey = greyPicture(upright, slice.columns, slice.rows, 0, brightest);
            sheet.paste(stretched(grey, kTimes * slice.columns, kTimes * slice.rows), column,
                        static_cast<Index>(row) * (height + kGap));
            column += kTimes * slice.columns + kGap;
        }
    }
    return sheet;
}

void writeRead(const DoctorOptions& o, const ScanFile& scan, const std::vector<Numbered>& all) {
    const Index number = o.interpretation.value_or(1);
    if (number > std::ssize(all))
        throwError<InputError>("--reading {}: there are readings 1 to {}.", number, all.size());
    const Interpretation& interpretation = all[number - 1].interpretation();
    ScanFile written = withInterpretation(scan, interpretation);
    moveScan(written, std::filesystem::absolute(o.out).lexically_normal());
    writeFileAtomically(o.out, toJson(written));
}

void requireUsable(const DoctorOptions& o) {
    if (o.interpretation && *o.interpretation < 1)
        throwError<InputError>("--reading {}: readings are numbered from 1.", *o.interpretation);
    if (o.interpretation && o.out.empty())
        throwError<InputError>("--reading {}: it says what --out writes; name that file too.",
                               *o.interpretation);
    if (!o.out.empty()) requireBesideScan("--out", o.out, o.scan);
}

// What a scanner's maker describes the scan by, whose questions are settled; else none.
std::optional<ScanDescription> makersDescription(const DoctorOptions& o, const fs::path& file) {
    ScanDescription description = describedWithImages(file, answersOf(o.assume));
    if (o.all || description.statements.empty()) return std::nullopt;
    if (!o.picture.empty())
        throwError<InputError>(
            "--picture {}: it shows readings, which --all tries on such a file too.",
            o.picture.string());
    return description;
}

int doctor(DoctorOptions o, Session& session) {
    o.scan = descriptionAt(o.scan).value_or(o.scan);
    if (const std::optional<ScanDescription> description = makersDescription(o, o.scan))
        return settle(*description, {o.out, o.threads, o.json}, session);
    requireUsable(o);
    ScanFile scan = describedScan(o.scan, answersOf(o.assume));
    if (!o.entry.empty()) scan.projections.entry = o.entry;
    requireApartFromScan({o.out, o.picture}, scan, {o.scan});
    const OpenScan opened = openForDiagnosis(scan, session.stop());
    // Slices are small, so any processor is fast enough.
    const auto preview = session.backends().cpu.makePreview(0);
    ProgressLine progress("Trying readings", o.json);
    DiagnosisOptions options;
    options.threads = o.threads > 0 ? o.threads : availableThreads();
    options.onProgress = [&](const std::string&, double fraction) { progress.update(fraction); };
    options.stop = session.stop();
    const Diagnosis found = diagnose(opened, scan.geometry, *preview, options);
    progress.end();
    const std::vector<Numbered> all = numbered(found);
    if (!o.picture.empty()) writeFileAtomically(o.picture, toPng(contactSheet(found)));
    if (!o.out.empty()) writeRead(o, scan, all);
    if (o.json)
        showJson(toJson(scan, found, all));
    else
        print(o, scan, found, all);
    return 0;
}

}  // namespace

void addDoctor(Command program) {
    auto options = std::make_shared<DoctorOptions>();
    DoctorOptions& o = *options;
    Command command = program.command(
        "doctor",
        "Settle on its views what a scanner's file leaves open of a scan, or try other conventions "
        "on it: directions, flips, signs and units");
    command.required("scan", o.scan, "SCAN",
                     "A scan.json, a scanner's own description, or a folder with one");
    command.flag("--all", o.all,
                 "Try all conventions on a scanner's description, not its open questions alone");
    command.repeated("--assume", o.assume, "QUESTION=ANSWER",
                     "Answer an open question of a scanner's file, which is not tried then");
    command.option("--entry", o.entry, "NAME", kEntryHelp);
    command.option("--picture", o.picture, "FILE",
                   "Write a PNG of slices, a row for each reading of the table");
    command.option(
        "--out", o.out, "FILE",
        "Write a scan.json with the best reading, or that of --reading, beside SCAN; of a "
        "scanner's description with the answers that the views show");
    command.option("--reading", o.interpretation, "N", "The number of the reading for --out");
    addRow(command, jobFields(), "threads", o.threads);
    command.flag("--json", o.json, "Print one JSON document, with all readings");
    command.examples(
        "  gantry doctor scan/scan.json\n"
        "  gantry doctor \"scan/Part 7.xtekct\" --out scan/scan.json\n"
        "  gantry doctor scan/scan.json --picture readings.png\n"
        "  gantry doctor scan/scan.json --out scan/other.json");
    command.action([options](Session& session) { return doctor(*options, session); });
}

}  // namespace gantry
