#include "core/doctor/diagnosis.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "core/align/find_alignment.h"
#include "core/base/error.h"
#include "core/base/throw_error.h"
#include "core/filter/redundancy.h"
#include "core/geometry/check/validate.h"

namespace gantry {

namespace {

// The part of the time that reading takes.
constexpr double kReading = 0.4;

// A group that has not been tried yet.
struct Untried {
    ReadGeometry read;
    InterpretationGroup group;
};

// Smaller turns cannot be seen.
constexpr double kSameTurnDeg = 0.01;

constexpr double kLittleDeg = 10;

bool isLittleTurn(const Relation& relation) {
    return !relation.isMirrored && !relation.isUpsideDown &&
           std::abs(relation.turnDeg) < kLittleDeg;
}

bool liesTheSame(const Relation& a, const Relation& b) {
    if (a.isMirrored != b.isMirrored || a.isUpsideDown != b.isUpsideDown) return false;
    // Beside a mirror or an exchange of the ends, a turn adds nothing.
    if (a.isMirrored || a.isUpsideDown) return true;
    return std::abs(std::remainder(a.turnDeg - b.turnDeg, 360)) < kLittleDeg;
}

bool isSameVolume(const Relation& relation) {
    return !relation.isMirrored && !relation.isUpsideDown &&
           std::abs(relation.turnDeg) < kSameTurnDeg;
}

// Whether the interpretation differs only by a small turn but has more changes than the group's,
// such as files in reverse order in addition to a reverse rotation.
bool isDetour(const InterpretationGroup& group, const Interpretation& interpretation,
              const Relation& relation) {
    return isLittleTurn(relation) &&
           interpretation.changed.size() > group.interpretation.changed.size();
}

void addTo(InterpretationGroup& group, const Interpretation& interpretation,
           const Relation& relation) {
    if (isSameVolume(relation) || isDetour(group, interpretation, relation)) return;
    const bool isKnown = std::ranges::any_of(group.others, [&](const SameViews& other) {
        return liesTheSame(other.relation, relation);
    });
    if (!isKnown) group.others.push_back({interpretation, relation});
}

// Interpretations with a usable geometry, grouped by what the views would be.
std::vector<Untried> groupsOf(const ScanGeometry& declared, double tolerancePx) {
    std::vector<Untried> groups;
    for (const Interpretation& interpretation : interpretationsOf(declared)) {
        ReadGeometry read = readAs(declared, interpretation);
        if (!isUsable(read.geometry)) continue;
        const auto found = std::ranges::find_if(groups, [&](Untried& known) {
            const std::optional<Relation> relation = relationBetween(known.read, read, tolerancePx);
            if (relation) addTo(known.group, interpretation, *relation);
            return relation.has_value();
        });
        if (found != groups.end()) continue;
        Untried& group = groups.emplace_back();
        group.read = std::move(read);
        group.group.interpretation = interpretation;
    }
    return groups;
}

void judge(Diagnosis& found) {
    std::vector<InterpretationGroup>& groups = found.groups;
    std::ranges::stable_sort(groups,
                             [](const InterpretationGroup& a, const InterpretationGroup& b) {
                                 return a.score > b.score;
                             });
    for (InterpretationGroup& group : groups)
        group.compareWith(groups.front());
    found.fitsBadly = groups.front().fitsBadly();
    // Groups that are tied come first, those with fewer changes before others. If nothing fits, all
    // are tied.
    const auto isTied = [&](const InterpretationGroup& group) {
        return found.fitsBadly || !group.isBehind();
    };
    const auto end = std::stable_partition(groups.begin(), groups.end(), isTied);
    found.tied = static_cast<std::size_t>(end - groups.begin());
    std::stable_sort(groups.begin(), end,
                     [](const InterpretationGroup& a, const InterpretationGroup& b) {
                         return a.interpretation.changed.size() < b.interpretation.changed.size();
                     });
    found.isAsDeclared = groups.front().interpretation.changed.empty();
    const bool isSure = std::all_of(
        end, groups.end(), [](const InterpretationGroup& group) { return group.isSurelyBehind(); });
    if (found.tied > 1 || found.fitsBadly)
        found.certainty = Certainty::cannotTell;
    else
        found.certainty = isSure ? Certainty::sure : Certainty::likely;
}

// Whether the two differ only in what a shifted axis does as well.
bool isShiftOf(const InterpretationGroup& group, const InterpretationGroup& other) {
    return &group != &other &&
           withoutShifts(group.interpretation) == withoutShifts(other.interpretation);
}

InterpretationGroup* groupWith(std::vector<InterpretationGroup>& groups,
                               const Interpretation& interpretation) {
    const auto found = std::ranges::find_if(
        groups, [&](const auto& group) { return group.interpretation == interpretation; });
    return found != groups.end() ? &*found : nullptr;
}

// Where the best reading needs a shifted axis beside a change of the offset, or two such changes, a
// shift alone explains as much with less: its reading is judged by slices about its own axis, and
// those that differ by the offset alone are no rivals of it.
void preferShift(Diagnosis& found, const Finding& centre, InterpretationGroup shifted) {
    *groupWith(found.groups, shifted.interpretation) = std::move(shifted);
    judge(found);
    InterpretationGroup& first = found.groups.front();
    if (withoutShifts(first.interpretation) != first.interpretation) return;
    found.centre = centre;
    const auto rivals = std::stable_partition(
        found.groups.begin() + 1, found.groups.begin() + static_cast<std::ptrdiff_t>(found.tied),
        [&](const InterpretationGroup& group) { return !isShiftOf(group, first); });
    found.tied = static_cast<std::size_t>(rivals - found.groups.begin());
    if (found.tied == 1 && !found.fitsBadly) found.certainty = Certainty::likely;
}

// A sign or a unit of the offset along u may pass for a shift of the axis, and a shift for one of
// these.
void allowForShift(Diagnosis& found, const ScanGeometry& declared, Trials& trials,
                   const std::stop_token& stop) {
    const InterpretationGroup& best = found.groups.front();
    const Interpretation plain = withoutShifts(best.interpretation);
    const InterpretationGroup* const known = groupWith(found.groups, plain);
    if (found.fitsBadly || !known) return;
    const bool isPlain = plain == best.interpretation;
    const bool isTied = std::any_of(found.groups.begin(),
                                    found.groups.begin() + static_cast<std::ptrdiff_t>(found.tied),
                                    [&](const auto& group) { return isShiftOf(group, best); });
    if (isPlain && (!isTied || !found.isCentreOff())) {
        const bool isSignOpen = std::ranges::any_of(found.groups, [&](const auto& group) {
            return isShiftOf(group, best) && group.interpretation.has(Convention::detectorOffsetU);
        });
        // With the other sign the axis would be off as well.
        if (isSignOpen && found.isCentreOff() && found.certainty == Certainty::sure)
            found.certainty = Certainty::likely;
        return;
    }
    const ReadGeometry read = readAs(declared, plain);
    const Finding centre = isPlain ? found.centre : trials.centre(read, stop);
    if (!centre.isFound) return;
    InterpretationGroup shifted = *known;
    ReadGeometry moved = read;
    moved.geometry = withMisalignment(read.geometry, {.centrePx = centre.value});
    shifted.take(trials.run(moved, stop));
    shifted.compareWith(best);
    if (found.certainty == Certainty::sure && !shifted.isSurelyBehind())
        found.certainty = Certainty::likely;
    if (shifted.isBehind()) return;
    // Two changes that put the axis in place together are no better than the shift alone.
    const bool needsSeveral = best.interpretation.changed.size() > plain.changed.size() + 1;
    if (found.isCentreOff() || needsSeveral)
        preferShift(found, centre, std::move(shifted));
    else
        found.shiftedAxis = {plain, centre.value};
}

// Parallel rays of an object that is round about the axis agree in many readings, and only the
// sharpness is left to tell them apart, which is no reason for a change where the rays agree as
// declared, too.
void doubtRoundness(Diagnosis& found) {
    if (found.isAsDeclared) return;
    if (found.certainty == Certainty::sure) found.certainty = Certainty::likely;
    InterpretationGroup* const declared = groupWith(found.groups, Interpretation());
    if (!declared || !declared->raysAgreeAsIn(found.groups.front())) return;
    std::rotate(found.groups.begin(), found.groups.begin() + (declared - found.groups.data()),
                found.groups.begin() + (declared - found.groups.data()) + 1);
    found.isAsDeclared = true;
    found.tied = static_cast<std::size_t>(
        std::stable_partition(found.groups.begin(), found.groups.end(),
                              [&](const InterpretationGroup& group) {
                                  return group.raysAgreeAsIn(found.groups.front());
                              }) -
        found.groups.begin());
    found.certainty = Certainty::cannotTell;
}

std::string whyNot(const ScanGeometry& geometry) {
    try {
        throwOnError(validate(geometry), "the scan");
        const std::optional<MissingRays> missing = planRedundancy(geometry).cover.missing();
        return missing && !isUsable(geometry) ? "the arc is too short: " + describe(*missing) : "";
    } catch (const InputError& error) {
        return error.message();
    }
}

}  // namespace

bool Diagnosis::isCentreOff() const {
    return gantry::isCentreOff(centre, centreTolerancePx);
}

OpenScan openForDiagnosis(const ScanFile& scan, const std::stop_token& stop) {
    // The images are read as declared in the scan, whatever the geometry.
    ScanFile usable = scan;
    for (const Interpretation& interpretation : interpretationsOf(scan.geometry)) {
        usable.geometry = declaredAs(scan.geometry, interpretation);
        if (isUsable(usable.geometry)) return openScan(usable, stop, BadViews::list);
    }
    const OpenScan opened = openScan(scan, stop, BadViews::list);
    const std::optional<MissingRays> missing = opened.redundancy.cover.missing();
    throwError<InputError>("With this arc the conventions of the scan cannot be told: {}.",
                           missing ? describe(*missing) : "rays are missing");
}

Diagnosis diagnose(const OpenScan& scan, const ScanGeometry& declared, PlanePreview& preview,
                   const DiagnosisOptions& options) {
    const auto tell = [&](const char* what, double fraction) {
        if (options.onProgress) options.onProgress(what, fraction);
    };
    Trials trials(
        scan, preview, options.threads,
        [&](double share) { tell("Reading views", kReading * share); }, options.stop);
    constexpr double kTolerance = 0.5;  // of a pixel of the trials' views
    std::vector<Untried> untried =
        groupsOf(declared, kTolerance * static_cast<double>(trials.binning()));
    Diagnosis found;
    found.whyUnusable = whyNot(declared);
    const auto count = static_cast<double>(untried.size());
    for (Untried& one : untried) {
        tell("Trying readings",
             kReading + (1 - kReading) * static_cast<double>(found.groups.size()) / count);
        one.group.take(trials.run(one.read, options.stop));
        found.groups.push_back(std::move(one.group));
    }
    require(!found.groups.empty(), "a scan was diagnosed that no reading makes usable");
    judge(found);
    found.centreTolerancePx = trials.centreTolerancePx();
    found.centre =
        trials.centre(readAs(declared, found.groups.front().interpretation), options.stop);
    allowForShift(found, declared, trials, options.stop);
    if (declared.isParallel()) doubtRoundness(found);
    tell("Trying readings", 1);
    return found;
}

ScanFile withInterpretation(const ScanFile& scan, const Interpretation& interpretation) {
    ScanFile changed = scan;
    changed.geometry = declaredAs(scan.geometry, interpretation);
    if (interpretation.has(Convention::columns))
        changed.projections.isMirrored = !changed.projections.isMirrored;
    if (interpretation.has(Convention::rows))
        changed.projections.firstRowIsTop = !changed.projections.firstRowIsTop;
    return changed;
}

}  // namespace gantry
