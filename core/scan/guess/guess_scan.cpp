#include "core/scan/guess/guess_scan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>
#include <utility>

#include "core/base/throw_error.h"
#include "core/geometry/check/validate.h"
#include "core/io/series/file_order.h"
#include "core/scan/guess/find_frames.h"
#include "core/scan/guess/frame_sample.h"
#include "core/scan/guess/guess_arc.h"
#include "core/scan/guess/guess_pitch.h"
#include "core/scan/guess/stated_axis.h"

namespace gantry {

namespace {

// Reads the scan's frames and gives the reason for the value of each field.
class Guesser {
  public:
    Guesser(FoundFrames frames, std::string entry)
        : m_frames(std::move(frames)), m_entry(std::move(entry)) {}

    GuessedScan guess();

  private:
    void say(const char* field, std::string reason) {
        m_result.guesses.push_back({field, std::move(reason) + "."});
    }
    void sayStated(const char* field, const char* what) {
        say(field, fmt::format("{} stands in the file, in {}", what, m_frames.stated->where));
        m_result.guesses.back().isStated = true;
    }
    // Adds a clause to the last reason and marks it as unsure; empty: nothing.
    void doubt(const std::string& clause) {
        if (clause.empty()) return;
        m_result.guesses.back().isUnsure = true;
        m_result.guesses.back().reason += fmt::format(" But {}.", clause);
    }
    void guessGeometry();
    void guessBeam(const ArcGuess& arc);
    void takePitch(bool isParallel);
    void guessAxis(const ArcGuess& arc);
    void setAxis(double column);
    bool takeStatedAxis(const std::optional<double>& seenColumn);
    void addRemarks();
    void sayUnused(FrameRole role);
    void sayFrames(const char* field, const FrameSeries& frames);
    bool takeStatedOffset(const std::optional<double>& seenColumn);
    void guessFirstRow();
    [[nodiscard]] StripReader strips() const;
    [[nodiscard]] ArcGuess arcOf() const;
    void guessOrder();
    void takeKind();
    void guessFields();
    void takeAfter(std::string_view kind, const std::optional<FrameSeries>& after,
                   std::string& pattern);
    void guessFlatValue();

    FoundFrames m_frames;
    std::string m_entry;
    FrameSample m_sample;
    GuessedScan m_result;
};

// Assumes a parallel beam if distances are not stored and something indicates it.
void Guesser::guessBeam(const ArcGuess& arc) {
    ScanGeometry& geometry = m_result.scan.geometry;
    const std::optional<StatedGeometry>& stated = m_frames.stated;
    if (stated && stated->sourceToObjectMm && stated->objectToDetectorMm) {
        CircularCone& cone = geometry.cone();
        cone.sourceToIsocenterMm = *stated->sourceToObjectMm;
        cone.sourceToDetectorMm = *stated->sourceToObjectMm + *stated->objectToDetectorMm;
        sayStated("trajectory.sourceToIsocenterMm", "It");
        sayStated("trajectory.sourceToDetectorMm", "It");
        return;
    }
    if (arc.isParallel) {
        const bool isStated = stated && stated->wouldTellSource;
        geometry.trajectory = ParallelBeam{geometry.angles()};
        say("trajectory.type", isStated
                                   ? "The file has no distance of the source, as of a parallel beam"
                                   : "Opposite views are mirror images, as in a parallel beam");
        if (arc.mayBeSmallFan && !isStated)
            doubt("a cone beam whose fan is below about 10° looks alike");
        return;
    }
    CircularCone& cone = geometry.cone();
    cone.sourceToIsocenterMm = 600;
    cone.sourceToDetectorMm = 1200;
    const char* const distance = "Typical of a bench scanner; not stored in the images";
    if (stated && stated->sourceToObjectMm) {
        cone.sourceToIsocenterMm = *stated->sourceToObjectMm;
        cone.sourceToDetectorMm = 2 * cone.sourceToIsocenterMm;
        sayStated("trajectory.sourceToIsocenterMm", "It");
        say("trajectory.sourceToDetectorMm",
            "Twice the distance of the axis, as of a bench scanner; not stored in the images");
        m_result.guesses.back().isUnsure = true;
        return;
    }
    say("trajectory.sourceToIsocenterMm", distance);
    say("trajectory.sourceToDetectorMm", distance);
}

void Guesser::takePitch(bool isParallel) {
    Detector& detector = m_result.scan.geometry.detector;
    const PitchGuess pitch = guessPitch(m_frames.stated, detector.columns, isParallel);
    detector.pitchMm = pitch.pitchMm;
    if (pitch.reason.empty())
        sayStated("detector.pitchMm", "It");
    else
        say("detector.pitchMm", pitch.reason);
    for (const std::string& clause : pitch.doubts)
        doubt(clause);
}

bool Guesser::takeStatedOffset(const std::optional<double>& seenColumn) {
    ScanGeometry& geometry = m_result.scan.geometry;
    if (!m_frames.stated || !placesDetector(*m_frames.stated, geometry.detector)) return false;
    geometry.detector.offsetMm = *m_frames.stated->offsetMm;
    sayStated("detector.offsetMm[1]", "It");
    sayStated("detector.offsetMm[0]", "It");
    const double column = geometry.axisColumn();
    if (seenColumn && std::abs(*seenColumn - column) > 1) {
        m_result.guesses.back().isUnsure = true;
        m_result.guesses.back().reason += fmt::format(
            " It puts the axis on column {:.1f}; opposite views lie on each other best "
            "when mirrored about column {:.1f}.",
            column, *seenColumn);
    }
    return true;
}

// Images do not show which of their rows is the upper one.
void Guesser::guessFirstRow() {
    const std::optional<StatedGeometry>& stated = m_frames.stated;
    const char* const field = "detector.firstRow";
    if (!stated || !stated->firstRowIsTop)
        return say(field, "Image files have the top row first as a rule");
    m_result.scan.projections.firstRowIsTop = *stated->firstRowIsTop;
    sayStated(field, "It");
    doubt(stated->doubt);
}

// A number for the column of the axis may be meant in several ways; the views tell which.
bool Guesser::takeStatedAxis(const std::optional<double>& seenColumn) {
    const std::optional<StatedGeometry>& stated = m_frames.stated;
    if (!stated || !stated->axis) return false;
    const ScanGeometry& geometry = m_result.scan.geometry;
    FittedAxis fitted;
    try {
        std::vector<double> anglesDeg;
        for (Index view = 0; view < geometry.views(); ++view)
            anglesDeg.push_back(geometry.angleDeg(view));
        fitted =
            fitAxis(*stated->axis, geometry.detector.pitchMm[0], seenColumn, strips(), anglesDeg);
    } catch (const InputError&) {
        return false;
    }
    if (fitted.reading)
        setAxis(fitted.reading->column);
    else if (seenColumn)
        setAxis(*seenColumn);
    say("detector.offsetMm[0]",
        fmt::format("{}{}",
                    fitted.reading ? ""
                    : seenColumn   ? "Opposite views lie on each other best when mirrored about "
                                     "the column that is taken. "
                                   : "The axis is taken to be on the middle column. ",
                    fitted.why));
    m_result.guesses.back().isUnsure = !fitted.isSure;
    doubt(halfFieldDoubt(*stated, geometry));
    m_result.guesses.back().isStated = fitted.reading && !m_result.guesses.back().isUnsure;
    return true;
}

// The column is one of the images as stored.
void Guesser::setAxis(double column) {
    constexpr double kDigits = 20;  // of a pixel: no image shows finer
    ScanGeometry& geometry = m_result.scan.geometry;
    Detector& detector = geometry.detector;
    const bool isMirrored = m_result.scan.projections.isMirrored;
    const double ofDetector =
        isMirrored ? static_cast<double>(detector.columns - 1) - column : column;
    const double found = std::round(ofDetector * kDigits) / kDigits;
    detector.offsetMm[0] = 0;
    detector.offsetMm[0] = (geometry.axisColumn() - found) * detector.pitchMm[0];
}

// What the file states of fields beside their values.
void Guesser::addRemarks() {
    if (!m_frames.stated) return;
    for (const StatedRemark& remark : m_frames.stated->remarks) {
        const auto known = std::ranges::find_if(
            m_result.guesses, [&](const auto& guess) { return guess.field == remark.field; });
        if (known == m_result.guesses.end()) {
            say(remark.field.c_str(), remark.sentence);
            m_result.guesses.back().isUnsure = remark.isUnused;
            continue;
        }
        known->reason += fmt::format(" {}.", remark.sentence);
        known->isUnsure = known->isUnsure || remark.isUnused;
    }
}

void Guesser::guessAxis(const ArcGuess& arc) {
    const std::optional<double>& column = arc.axisColumn;
    const ScanGeometry& geometry = m_result.scan.geometry;
    const char* const field = "detector.offsetMm[0]";
    if (takeStatedOffset(column)) return;
    const std::optional<StatedGeometry>& stated = m_frames.stated;
    const bool isQuoted = stated && std::ranges::any_of(stated->remarks, [](const auto& remark) {
                              return remark.field == "detector.offsetMm[1]";
                          });
    say("detector.offsetMm[1]",
        isQuoted ? "Taken as 0 mm" : "Taken as 0 mm; not stored in the images");
    if (takeStatedAxis(column)) return;
    if (column) {
        setAxis(*column);
        say(field,
            fmt::format("Opposite views lie on each other best when mirrored about column {:g}",
                        geometry.axisColumn()));
    } else {
        say(field, fmt::format("The axis is taken to be on the middle column, {:.1f}; not stored "
                               "in the images",
                               geometry.axisColumn()));
    }
    doubt(arc.axisDoubt);
    if (stated) doubt(halfFieldDoubt(*stated, geometry));
}

void Guesser::guessGeometry() {
    const SourceInfo& info = m_frames.projections.source->info();
    ScanGeometry& geometry = m_result.scan.geometry;
    CircularCone& cone = geometry.cone();
    cone.views = m_frames.projections.views;
    geometry.detector.columns = info.columns;
    geometry.detector.rows = info.rows;
    ArcGuess arc = arcOf();
    if (m_frames.stated) takeStatedAngles(*m_frames.stated, cone.views, arc);
    if (!arc.anglesDeg.empty() && std::ssize(arc.anglesDeg) != cone.views) {
        // Unusable views have no angle in the list, so equal steps are likelier.
        const auto views = static_cast<double>(cone.views);
        arc.arcDeg = (arc.anglesDeg.back() - arc.anglesDeg.front()) * views / (views - 1);
        arc.anglesDeg.clear();
        arc.isSure = false;
    }
    cone.startDeg = arc.startDeg;
    cone.arcDeg = arc.arcDeg;
    cone.anglesDeg = contiguousAngles(arc.anglesDeg);
    guessBeam(arc);
    takePitch(arc.isParallel);
    if (m_frames.stated && m_frames.stated->isMirrored) {
        m_result.scan.projections.isMirrored = *m_frames.stated->isMirrored;
        sayStated("detector.mirrored", "It");
    }
    guessAxis(arc);
    say(geometry.angles().anglesDeg.empty() ? "trajectory.arcDeg" : "trajectory.anglesDeg",
        arc.arcReason);
    m_result.guesses.back().isUnsure = !arc.isSure;
    m_result.guesses.back().isStated = arc.isStated;
    say("trajectory.direction",
        "Not seen in the images. The wrong one mirrors the volume, or blurs it");
    guessFirstRow();
}

StripReader Guesser::strips() const {
    const auto sourceOf = [](const std::optional<FrameSeries>& series) {
        return series ? series->source.get() : nullptr;
    };
    const bool isAttenuation = m_result.scan.projections.kind == ProjectionKind::attenuation;
    return {*m_frames.projections.source, sourceOf(m_frames.dark), sourceOf(m_frames.flat),
            isAttenuation};
}

// Unreadable views are reported by the inspection; the rest of the scan is still guessed.
ArcGuess Guesser::arcOf() const {
    try {
        return guessArc(*m_frames.projections.source, strips());
    } catch (const InputError&) {
        ArcGuess unsure;
        unsure.arcReason = "Not sure: some views cannot be read. Most scans are one full turn";
        return unsure;
    }
}

// The names may sort in two ways.
void Guesser::guessOrder() {
    const ProjectionSource& source = *m_frames.projections.source;
    std::vector<std::string> names;
    for (Index view = 0; view < source.info().views; ++view)
        names.push_back(std::filesystem::path(source.viewName(view)).filename().string());
    const std::string orderDoubt = doubtOfOrder(names);
    const bool isOpen = !orderDoubt.empty();
    const FrameSeries& frames = m_frames.projections;
    const bool hasOthers = std::ranges::any_of(m_frames.unused, [](const UnusedFrames& unused) {
        return unused.role == FrameRole::projections;
    });
    if (frames.reason.empty() && !isOpen && !hasOthers) return;
    say("projections.files", isOpen ? fmt::format("Not sure of their order: {}", orderDoubt)
                             : frames.reason.empty()
                                 ? fmt::format("{} images, {}", frames.views, frames.pattern)
                                 : frames.reason);
    m_result.guesses.back().isUnsure = isOpen || frames.isUnsure;
    sayUnused(FrameRole::projections);
}

void Guesser::takeKind() {
    const SourceInfo& info = m_frames.projections.source->info();
    const KindGuess kind = guessKind(info.pixelType, m_sample, m_frames.dark.has_value());
    m_result.scan.projections.kind = kind.kind;
    say("projections.kind", kind.reason);
    doubt(kind.doubt);
}

void Guesser::guessFlatValue() {
    ProjectionFiles& files = m_result.scan.projections;
    double value = m_sample.bright;
    // Must be brighter than the dark signal, or no pixel would have a net signal.
    if (m_frames.dark) value = std::max(value, sampleFrames(*m_frames.dark->source).bright * 1.01);
    files.flatValue = value > 0 ? value : 1;
    say("projections.flatValue",
        "No flat frames are known; this is the brightest that the projections show, in the place "
        "of the open beam");
}

// Takes frames from after the scan, and adds to the last reason that they are.
void Guesser::takeAfter(std::string_view kind, const std::optional<FrameSeries>& after,
                        std::string& pattern) {
    if (!after) return;
    pattern = after->pattern;
    m_result.guesses.back().isUnsure = m_result.guesses.back().isUnsure || after->isUnsure;
    m_result.guesses.back().reason += fmt::format(
        " There are {} frames from after the scan too, {}: from one to the other they "
        "change linearly over the views.",
        kind, pattern);
}

// Adds to the last reason which further images there are and why they are not used.
void Guesser::sayUnused(FrameRole role) {
    for (const UnusedFrames& unused : m_frames.unused) {
        if (unused.role != role) continue;
        GuessedScan::Guess& last = m_result.guesses.back();
        last.reason += fmt::format(" {}.", unused.clause);
        last.isUnsure = last.isUnsure || unused.isDoubt;
    }
}

void Guesser::sayFrames(const char* field, const FrameSeries& frames) {
    say(field, frames.reason);
    m_result.guesses.back().isUnsure = frames.isUnsure;
}

void Guesser::guessFields() {
    ProjectionFiles& files = m_result.scan.projections;
    if (m_frames.stated && m_frames.stated->hasBadPixels) {
        sayStated("projections.badPixels", "The mask");
        files.badPixels = m_frames.projections.pattern;
    }
    if (files.kind == ProjectionKind::attenuation) return;
    std::optional<FrameSeries>& dark = m_frames.dark;
    std::optional<FrameSeries>& flat = m_frames.flat;
    const bool isNamed =
        !m_frames.stated || m_frames.stated->isPitchCandidate;  // names may mislead
    if (isNamed && dark && flat &&
        sampleFrames(*dark->source).median > sampleFrames(*flat->source).median) {
        std::swap(dark, flat);
        std::swap(m_frames.darkAfter, m_frames.flatAfter);
        dark->reason = flat->reason = "Names say the opposite, but the flat field is the brighter";
    }
    if (dark) {
        files.dark = dark->pattern;
        sayFrames("projections.dark", *dark);
        takeAfter("dark", m_frames.darkAfter, files.darkAfter);
    } else {
        say("projections.dark", "There are no dark frames; the dark signal is taken as 0");
    }
    sayUnused(FrameRole::dark);
    if (!flat) {
        guessFlatValue();
        return sayUnused(FrameRole::flat);
    }
    files.flat = flat->pattern;
    sayFrames("projections.flat", *flat);
    takeAfter("flat", m_frames.flatAfter, files.flatAfter);
    sayUnused(FrameRole::flat);
}

GuessedScan Guesser::guess() {
    if (m_frames.projections.views < 2)
        throwError<InputError>(
            "{}: is a single image; a scan has projections from many sides, as a folder of images "
            "or several in one file",
            m_frames.projections.source->viewName(0));
    m_sample = sampleFrames(*m_frames.projections.source);
    ScanFile& scan = m_result.scan;
    scan.folder = m_frames.folder;
    scan.path = m_frames.folder / "scan.json";
    scan.name = m_frames.name;
    scan.projections.files = m_frames.projections.pattern;
    scan.projections.entry = m_entry;
    guessOrder();
    takeKind();
    guessFields();
    guessGeometry();
    addRemarks();
    throwOnError(validate(scan.geometry), scan.folder.string());
    return std::move(m_result);
}

}  // namespace

GuessedScan guessScan(const Inspection& inspection) {
    if (inspection.scan) return {*inspection.scan, {}};
    return Guesser(findFrames(inspection.path, inspection.entry), inspection.entry).guess();
}

}  // namespace gantry
