#include "core/scan/guess/guess_scan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>
#include <utility>

#include "core/base/error.h"
#include "core/geometry/check/validate.h"
#include "core/io/series/file_order.h"
#include "core/scan/guess/find_frames.h"
#include "core/scan/guess/guess_arc.h"

namespace gantry {

namespace {

// Reads the scan's frames and gives the reason for the value of each field.
class Guesser {
  public:
    explicit Guesser(FoundFrames frames) : m_frames(std::move(frames)) {}

    GuessedScan guess();

  private:
    void say(const char* field, std::string reason) {
        m_result.guesses.push_back({field, std::move(reason) + "."});
    }
    void sayStated(const char* field, const char* what) {
        say(field, fmt::format("{} stands in the file, in {}", what, m_frames.stated->where));
    }
    void guessGeometry();
    void takeStated(const StatedGeometry& stated, ArcGuess& arc) const;
    void guessBeam(bool isParallel);
    void guessPitch(bool isParallel);
    void guessAxis(const std::optional<double>& column);
    bool takeStatedOffset(const std::optional<double>& seenColumn);
    void guessFirstRow();
    [[nodiscard]] ArcGuess arcOf(const ProjectionSource& projections, const ProjectionSource* dark,
                                 const ProjectionSource* flat) const;
    void guessOrder();
    void guessKind();
    void guessFields();
    void sayUnused(std::string_view kind, const std::optional<FrameSeries>& after);
    void guessFlatValue();

    FoundFrames m_frames;
    FrameSample m_sample;
    GuessedScan m_result;
};

// Flat panels are about 400 mm wide whatever binning they are read with.
double pitchOf(Index columns) {
    if (columns > 3072) return 0.1;
    if (columns >= 1536) return 0.2;
    return columns >= 768 ? 0.4 : 0.8;
}

// Assumes a parallel beam if distances are not stored and something indicates it.
void Guesser::guessBeam(bool isParallel) {
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
    if (isParallel) {
        geometry.trajectory = ParallelBeam{geometry.angles()};
        return say("trajectory.type",
                   stated && stated->wouldTellSource
                       ? "The file has no distance of the source, as of a parallel beam"
                       : "Opposite views are mirror images, as in a parallel beam");
    }
    CircularCone& cone = geometry.cone();
    cone.sourceToIsocenterMm = 600;
    cone.sourceToDetectorMm = 1200;
    const char* const distance = "Typical of a bench scanner; not stored in the images";
    say("trajectory.sourceToIsocenterMm", distance);
    say("trajectory.sourceToDetectorMm", distance);
}

void Guesser::guessPitch(bool isParallel) {
    constexpr double kParallelPitchMm = 0.01;
    Detector& detector = m_result.scan.geometry.detector;
    const Index columns = detector.columns;
    if (m_frames.stated && m_frames.stated->pitchMm) {
        detector.pitchMm = *m_frames.stated->pitchMm;
        if (!m_frames.stated->isPitchCandidate) return sayStated("detector.pitchMm", "It");
        return say("detector.pitchMm",
                   fmt::format("It stands in the file, in {}; programs also store the size of a "
                               "voxel there",
                               m_frames.stated->where));
    }
    const double pitch = isParallel ? kParallelPitchMm : pitchOf(columns);
    detector.pitchMm = {pitch, pitch};
    say("detector.pitchMm",
        isParallel
            ? "Typical of a parallel beam; not stored in the images. It scales the volume"
            : fmt::format("Typical of a flat panel about 400 mm wide that is read with {} columns; "
                          "not stored in the images",
                          columns));
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
    if (stated->doubt.empty()) return;
    m_result.guesses.back().isUnsure = true;
    m_result.guesses.back().reason += fmt::format(" But {}.", stated->doubt);
}

void Guesser::guessAxis(const std::optional<double>& column) {
    ScanGeometry& geometry = m_result.scan.geometry;
    Detector& detector = geometry.detector;
    const char* const field = "detector.offsetMm[0]";
    if (takeStatedOffset(column)) return;
    say("detector.offsetMm[1]", "Taken as 0 mm; not stored in the images");
    if (!column) {
        say(field, fmt::format("The axis is taken to be on the middle column, {:.1f}; not stored "
                               "in the images",
                               geometry.axisColumn()));
        return;
    }
    constexpr double kDigits = 20;  // of a pixel: no image shows finer
    const double found = std::round(*column * kDigits) / kDigits;
    detector.offsetMm[0] = (geometry.axisColumn() - found) * detector.pitchMm[0];
    say(field, fmt::format("Opposite views lie on each other best when mirrored about column {:g}",
                           found));
}

void Guesser::guessGeometry() {
    const SourceInfo& info = m_frames.projections.source->info();
    ScanGeometry& geometry = m_result.scan.geometry;
    CircularCone& cone = geometry.cone();
    cone.views = m_frames.projections.views;
    geometry.detector.columns = info.columns;
    geometry.detector.rows = info.rows;
    const auto sourceOf = [](const std::optional<FrameSeries>& series) {
        return series ? series->source.get() : nullptr;
    };
    const ProjectionSource& projections = *m_frames.projections.source;
    ArcGuess arc = arcOf(projections, sourceOf(m_frames.dark), sourceOf(m_frames.flat));
    if (m_frames.stated) takeStated(*m_frames.stated, arc);
    if (!arc.anglesDeg.empty() && static_cast<Index>(arc.anglesDeg.size()) != cone.views) {
        // Unusable views have no angle in the list, so equal steps are the more likely
        // interpretation.
        const auto views = static_cast<double>(cone.views);
        arc.arcDeg = (arc.anglesDeg.back() - arc.anglesDeg.front()) * views / (views - 1);
        arc.anglesDeg.clear();
        arc.isSure = false;
    }
    cone.startDeg = arc.startDeg;
    cone.arcDeg = arc.arcDeg;
    cone.anglesDeg = contiguousAngles(arc.anglesDeg);
    guessBeam(arc.isParallel);
    guessPitch(arc.isParallel);
    guessAxis(arc.axisColumn);
    say(geometry.angles().anglesDeg.empty() ? "trajectory.arcDeg" : "trajectory.anglesDeg",
        arc.arcReason);
    m_result.guesses.back().isUnsure = !arc.isSure;
    say("trajectory.direction",
        "Not seen in the images. The wrong one mirrors the volume, or blurs it");
    guessFirstRow();
}

void Guesser::takeStated(const StatedGeometry& stated, ArcGuess& arc) const {
    constexpr double kRoundedDeg = 1e-4;  // as most programs print angles
    if (stated.wouldTellSource && !stated.sourceToObjectMm) arc.isParallel = true;
    if (std::ssize(stated.anglesDeg) == m_frames.projections.views) {
        takeAngles(stated.anglesDeg, kRoundedDeg, arc);
        arc.arcReason = fmt::format("The angles stand in the file, in {}", stated.where);
    } else if (stated.arcDeg) {
        arc.startDeg = 0;
        arc.arcDeg = *stated.arcDeg;
        arc.anglesDeg.clear();
        arc.isSure = true;
        arc.arcReason =
            fmt::format("The file lists no angles; its format then means equal steps over {:g}°",
                        *stated.arcDeg);
    }
}

// Unreadable views are reported by the inspection; the rest of the scan is still guessed.
ArcGuess Guesser::arcOf(const ProjectionSource& projections, const ProjectionSource* dark,
                        const ProjectionSource* flat) const {
    const bool isAttenuation = m_result.scan.projections.kind == ProjectionKind::attenuation;
    try {
        return guessArc(projections, StripReader(projections, dark, flat, isAttenuation));
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
    const bool isOpen = meaningOfPoints(names) == PointMeaning::ambiguous;
    if (!m_frames.projections.reason.empty() || isOpen)
        say("projections.files",
            isOpen ? fmt::format("Not sure of their order: digits behind the points in the names "
                                 "may be fractions or counters, and are taken for counters, from "
                                 "{} to {}",
                                 names.front(), names.back())
                   : m_frames.projections.reason);
    if (isOpen) m_result.guesses.back().isUnsure = true;
}

void Guesser::guessKind() {
    constexpr double kMaxAttenuation = 50;  // e⁻⁵⁰ of the beam, which no detector can measure
    const SourceInfo& info = m_frames.projections.source->info();
    ProjectionFiles& files = m_result.scan.projections;
    files.kind = ProjectionKind::counts;
    if (isInteger(info.pixelType)) {
        say("projections.kind", fmt::format("Whole numbers ({}) are a detector's counts as a rule",
                                            name(info.pixelType)));
    } else if (m_sample.bright > kMaxAttenuation) {
        say("projections.kind",
            fmt::format("Values as large as {:.4g} are a detector's counts", m_sample.bright));
    } else if (m_sample.smallest >= 0 && m_sample.bright > 0.5 &&
               m_sample.edge > 0.7 * m_sample.bright) {
        say("projections.kind",
            "Beside the object the images are bright, as shares of the open beam are");
    } else {
        files.kind = ProjectionKind::attenuation;
        say("projections.kind",
            "Small numbers with fractions, dark beside the object, are attenuation as a rule");
    }
}

void Guesser::guessFlatValue() {
    ProjectionFiles& files = m_result.scan.projections;
    double value = m_sample.bright;
    // Must be brighter than the dark signal, or no pixel would have a net signal.
    if (m_frames.dark) value = std::max(value, sampleFrames(*m_frames.dark->source).bright * 1.01);
    files.flatValue = value > 0 ? value : 1;
    say("projections.flatValue",
        "There are no flat frames; this is the brightest that the projections show, in the place "
        "of the open beam");
}

// Adds to the last reason what further frames there are and why they are not used.
void Guesser::sayUnused(std::string_view kind, const std::optional<FrameSeries>& after) {
    std::string unused;
    if (after)
        unused +=
            fmt::format(" {} frames from after the scan, {}, are not used.", kind, after->pattern);
    for (const std::string& clause : m_frames.unused)
        if (clause.starts_with(kind)) unused += fmt::format(" {}.", clause);
    if (unused.empty()) return;
    m_result.guesses.back().reason += unused;
    m_result.guesses.back().isUnsure = true;
}

void Guesser::guessFields() {
    ProjectionFiles& files = m_result.scan.projections;
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
        say("projections.dark", dark->reason);
        sayUnused("Dark", m_frames.darkAfter);
    } else {
        say("projections.dark", "There are no dark frames; the dark signal is taken as 0");
    }
    if (!flat) return guessFlatValue();
    files.flat = flat->pattern;
    say("projections.flat", flat->reason);
    sayUnused("Flat", m_frames.flatAfter);
}

GuessedScan Guesser::guess() {
    if (m_frames.projections.views < 2)
        throw InputError(fmt::format(
            "{}: is a single image; a scan has projections from many sides, as a folder of images "
            "or several in one file",
            m_frames.projections.source->viewName(0)));
    m_sample = sampleFrames(*m_frames.projections.source);
    ScanFile& scan = m_result.scan;
    scan.folder = m_frames.folder;
    scan.path = m_frames.folder / "scan.json";
    scan.name = m_frames.name;
    scan.projections.files = m_frames.projections.pattern;
    guessOrder();
    guessKind();
    guessFields();
    guessGeometry();
    throwOnError(validate(scan.geometry), scan.folder.string());
    return std::move(m_result);
}

}  // namespace

GuessedScan guessScan(const Inspection& inspection) {
    if (inspection.scan) return {*inspection.scan, {}};
    return Guesser(findFrames(inspection.path)).guess();
}

}  // namespace gantry
