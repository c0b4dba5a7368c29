#include "core/recon/guess_scan.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "core/base/error.h"
#include "core/geometry/validate.h"
#include "core/recon/find_frames.h"

namespace gantry {

namespace {

// Reads the scan's frames and says of each field why it is what it is.
class Guesser {
  public:
    explicit Guesser(FoundFrames frames) : m_frames(std::move(frames)) {}

    GuessedScan guess();

  private:
    void say(const char* field, std::string reason) {
        m_result.guesses.push_back({field, std::move(reason) + "."});
    }
    void guessGeometry();
    void guessKind();
    void guessFields();
    void guessFlatValue();

    FoundFrames m_frames;
    FrameSample m_sample;
    GuessedScan m_result;
};

// Flat panels are some 400 mm wide whatever the binning they are read with.
double pitchOf(Index columns) {
    if (columns > 3072) return 0.1;
    if (columns >= 1536) return 0.2;
    return columns >= 768 ? 0.4 : 0.8;
}

void Guesser::guessGeometry() {
    const SourceInfo& info = m_frames.projections.source->info();
    ScanGeometry& geometry = m_result.scan.geometry;
    geometry.sourceToIsocenterMm = 600;
    geometry.sourceToDetectorMm = 1200;
    geometry.views = m_frames.projections.views;
    geometry.detector.columns = info.columns;
    geometry.detector.rows = info.rows;
    const double pitch = pitchOf(info.columns);
    geometry.detector.pitchMm = {pitch, pitch};
    const char* const distance = "As of a common bench scanner; the images do not say";
    say("trajectory.sourceToIsocenterMm", distance);
    say("trajectory.sourceToDetectorMm", distance);
    say("trajectory.arcDeg",
        fmt::format("One full turn over the {} images, as most scans; the images do not say",
                    geometry.views));
    say("detector.pitchMm",
        fmt::format("As of a flat panel about 400 mm wide that is read with {} columns; the "
                    "images do not say",
                    info.columns));
    say("detector.firstRow", "Image files have the top row first as a rule");
}

void Guesser::guessKind() {
    constexpr double kMostAttenuation = 50;  // e⁻⁵⁰ of the beam: no detector sees it
    const SourceInfo& info = m_frames.projections.source->info();
    ProjectionFiles& files = m_result.scan.projections;
    files.kind = ProjectionKind::counts;
    if (isInteger(info.pixelType)) {
        say("projections.kind", fmt::format("Whole numbers ({}) are a detector's counts as a rule",
                                            name(info.pixelType)));
    } else if (m_sample.bright > kMostAttenuation) {
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
    // Brighter than the dark signal in any case, or no pixel would show light.
    if (m_frames.dark) value = std::max(value, sampleFrames(*m_frames.dark->source).bright * 1.01);
    files.flatValue = value > 0 ? value : 1;
    say("projections.flatValue",
        "There are no flat frames; this is the brightest that the projections show, in the place "
        "of the open beam");
}

void Guesser::guessFields() {
    ProjectionFiles& files = m_result.scan.projections;
    if (files.kind == ProjectionKind::attenuation) return;
    std::optional<FrameSeries>& dark = m_frames.dark;
    std::optional<FrameSeries>& flat = m_frames.flat;
    if (dark && flat && sampleFrames(*dark->source).median > sampleFrames(*flat->source).median) {
        std::swap(dark, flat);
        dark->reason = flat->reason = "Names say the opposite, but the flat field is the brighter";
    }
    if (dark) {
        files.dark = dark->pattern;
        say("projections.dark", dark->reason);
    } else {
        say("projections.dark", "There are no dark frames; the dark signal is taken as 0");
    }
    if (!flat) return guessFlatValue();
    files.flat = flat->pattern;
    say("projections.flat", flat->reason);
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
    guessGeometry();
    throwOnError(validate(scan.geometry), scan.folder.string());
    if (!m_frames.projections.reason.empty()) say("projections.files", m_frames.projections.reason);
    guessKind();
    guessFields();
    return std::move(m_result);
}

}  // namespace

GuessedScan guessScan(const Inspection& inspection) {
    if (inspection.scan) return {*inspection.scan, {}};
    return Guesser(findFrames(inspection.path)).guess();
}

}  // namespace gantry
