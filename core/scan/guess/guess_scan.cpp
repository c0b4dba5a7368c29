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
#include "core/scan/guess/guess_arc.h"
#include "core/scan/guess/stated_axis.h"

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
        m_result.guesses.back().isStated = true;
    }
    // Adds a clause to the last reason and marks it as unsure; empty: nothing.
    void doubt(const std::string& clause) {
        if (clause.empty()) return;
        m_result.guesses.back().isUnsure = true;
        m_result.guesses.back().reason += fmt::format(" But {}.", clause);
    }
    void guessGeometry();
    void guessBeam(bool isParallel);
    void guessPitch(bool isParallel);
    void guessAxis(const std::optional<double>& column);
    void setAxis(double column);
    bool takeStatedAxis(const std::optional<double>& seenColumn);
    void addRemarks();
    void sayUnused(std::string_view kind);
    bool takeStatedOffset(const std::optional<double>& seenColumn);
    void guessFirstRow();
    [[nodiscard]] StripReader strips() const;
    [[nodiscard]] ArcGuess arcOf() const;
    void guessOrder();
    void guessKind();
    void guessFields();
    void takeAfter(std::string_view kind, const std::optional<FrameSeries>& after,
                   std::string& pattern);
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

// A doubt about pixels that are longer than binning makes them; empty: none.
std::string notSquare(const std::array<double, 2>& pitchMm) {
    constexpr double kMaxRatio = 4;
    const auto [low, high] = std::minmax(pitchMm[0], pitchMm[1]);
    if (high <= kMaxRatio * low) return {};
    return fmt::format(
        "pixels of {:.4g} × {:.4g} mm are far from square: one of the two may be in "
        "another unit",
        pitchMm[0], pitchMm[1]);
}

void Guesser::guessPitch(bool isParallel) {
    constexpr double kParallelPitchMm = 0.01;
    Detector& detector = m_result.scan.geometry.detector;
    const Index columns = detector.columns;
    if (m_frames.stated && m_frames.stated->pitchMm) {
        detector.pitchMm = *m_frames.stated->pitchMm;
        if (!m_frames.stated->isPitchCandidate) {
            sayStated("detector.pitchMm", "It");
            doubt(m_frames.stated->pitchDoubt);
            return doubt(notSquare(detector.pitchMm));
        }
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
    const double middle = static_cast<double>(geometry.detector.columns - 1) / 2;
    const double part = std::abs(geometry.axisColumn() - middle) / (2 * middle + 1);
    const bool isDoubtful = stated->isHalfField && part < 0.1;
    say("detector.offsetMm[0]",
        fmt::format(
            "{}{}{}",
            fitted.reading ? ""
            : seenColumn   ? "Opposite views lie on each other best when mirrored about "
                             "the column that is taken. "
                           : "The axis is taken to be on the middle column. ",
            fitted.why,
            isDoubtful ? ". But the file says that the field of view is half of the object" : ""));
    m_result.guesses.back().isUnsure = !fitted.isSure || isDoubtful;
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

void Guesser::guessAxis(const std::optional<double>& column) {
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
    if (!column) {
        say(field, fmt::format("The axis is taken to be on the middle column, {:.1f}; not stored "
                               "in the images",
                               geometry.axisColumn()));
        return;
    }
    setAxis(*column);
    say(field, fmt::format("Opposite views lie on each other best when mirrored about column {:g}",
                           geometry.axisColumn()));
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
    if (m_frames.stated && m_frames.stated->isMirrored) {
        m_result.scan.projections.isMirrored = *m_frames.stated->isMirrored;
        sayStated("detector.mirrored", "It");
    }
    guessAxis(arc.axisColumn);
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

// Takes frames from after the scan, and adds to the last reason that they are.
void Guesser::takeAfter(std::string_view kind, const std::optional<FrameSeries>& after,
                        std::string& pattern) {
    if (!after) return;
    pattern = after->pattern;
    m_result.guesses.back().reason += fmt::format(
        " There are {} frames from after the scan too, {}: from one to the other they "
        "change linearly over the views.",
        kind, pattern);
}

// Adds to the last reason which further frames there are and why they are not used.
void Guesser::sayUnused(std::string_view kind) {
    for (const std::string& clause : m_frames.unused) {
        if (!clause.starts_with(kind)) continue;
        m_result.guesses.back().reason += fmt::format(" {}.", clause);
        m_result.guesses.back().isUnsure = true;
    }
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
        takeAfter("dark", m_frames.darkAfter, files.darkAfter);
    } else {
        say("projections.dark", "There are no dark frames; the dark signal is taken as 0");
    }
    sayUnused("Dark");
    if (!flat) {
        guessFlatValue();
        return sayUnused("Flat");
    }
    files.flat = flat->pattern;
    say("projections.flat", flat->reason);
    takeAfter("flat", m_frames.flatAfter, files.flatAfter);
    sayUnused("Flat");
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
    guessOrder();
    guessKind();
    guessFields();
    guessGeometry();
    addRemarks();
    throwOnError(validate(scan.geometry), scan.folder.string());
    return std::move(m_result);
}

}  // namespace

GuessedScan guessScan(const Inspection& inspection) {
    if (inspection.scan) return {*inspection.scan, {}};
    return Guesser(findFrames(inspection.path)).guess();
}

}  // namespace gantry
