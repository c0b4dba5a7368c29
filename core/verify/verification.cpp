#include "core/verify/verification.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>

#include "core/base/text.h"
#include "core/base/this_machine.h"
#include "core/base/version.h"
#include "core/metrics/volume_summary.h"
#include "core/report/report.h"

namespace gantry {

namespace {

std::string gridText(const VolumeGrid& grid) {
    const auto& [nX, nY, nZ] = grid.voxels;
    return fmt::format("{} × {} × {} voxels of {:.4g} × {:.4g} × {:.4g} mm", nX, nY, nZ,
                       grid.pitchMm[0], grid.pitchMm[1], grid.pitchMm[2]);
}

std::string beamText(const ScanGeometry& geometry) {
    if (geometry.isParallel()) return "parallel beam";
    const CircularCone cone = meanCircleOf(geometry).cone();
    return fmt::format("{}SOD {:.6g} mm, SDD {:.6g} mm",
                       geometry.poses() ? "calibrated poses, on average " : "",
                       cone.sourceToIsocenterMm, cone.sourceToDetectorMm);
}

std::string geometryText(const ScanGeometry& geometry) {
    const Detector& detector = geometry.detector;
    std::string text =
        fmt::format("{}, {} views over {:.4g}°, {} × {} pixels of {:.4g} × {:.4g} mm",
                    beamText(geometry), geometry.views(), geometry.coverageDeg(), detector.columns,
                    detector.rows, detector.pitchMm[0], detector.pitchMm[1]);
    if (detector.offsetMm != std::array<double, 2>{0, 0})
        text +=
            fmt::format(", offset {:.4g}, {:.4g} mm", detector.offsetMm[0], detector.offsetMm[1]);
    if (!geometry.isAligned() || geometry.isLaminography())
        text += fmt::format(", roll {:.3g}°, tilt {:.3g}°, slant {:.3g}°", detector.rollDeg,
                            detector.tiltDeg, detector.slantDeg);
    return text;
}

void addProgram(Verification& verification) {
    const std::time_t now = std::time(nullptr);
    verification.facts.emplace_back(
        "Program, machine, date",
        fmt::format("gantry {} on {}, {:%Y-%m-%d %H:%M}", programVersion(), machineName(),
                    fmt::localtime(now)));
}

VolumeSummary::Image middleSlice(const Volume& volume) {
    VolumeSummary summary(volume.grid);
    const Index z = volume.grid.voxels[2] / 2;
    summary.add(z, volume.span().slices({z, z + 1}));
    return summary.centralSlices()[0];
}

constexpr Index kSide = 220;  // of a small picture, pixels
constexpr Index kGap = 6;

// The slice's picture with square pixels, whatever its own are.
Picture small(const Picture& picture, const VolumeSummary::Image& slice) {
    const double widthMm = static_cast<double>(slice.width) * slice.pixelWidthMm;
    const double heightMm = static_cast<double>(slice.height) * slice.pixelHeightMm;
    const double pixelMm = std::max(widthMm, heightMm) / static_cast<double>(kSide);
    const auto pixels = [&](double mm) { return std::max<Index>(1, std::lround(mm / pixelMm)); };
    return stretched(picture, pixels(widthMm), pixels(heightMm));
}

// Puts truth, result and difference side by side.
Picture pictureOf(const VerifiedPiece& piece) {
    const VolumeSummary::Image truth = middleSlice(piece.truth);
    const VolumeSummary::Image result = middleSlice(piece.result);
    std::vector<float> difference = result.values;
    for (std::size_t i = 0; i < difference.size(); ++i)
        difference[i] -= truth.values[i];
    const double high = std::max(1e-12F, *std::ranges::max_element(truth.values));
    const auto grey = [&](const VolumeSummary::Image& image) {
        return small(greyPicture(image.values, image.width, image.height, 0, high), image);
    };
    const Picture first = grey(truth);
    Picture row(3 * kSide + 2 * kGap, first.height, 255);
    row.paste(first, 0, 0);
    row.paste(grey(result), kSide + kGap, 0);
    row.paste(small(differencePicture(difference, result.width, result.height, high / 5), result),
              2 * (kSide + kGap), 0);
    return row;
}

Picture oneBelowTheOther(const std::vector<Picture>& pictures) {
    Index width = 0;
    Index height = -kGap;
    for (const Picture& picture : pictures) {
        width = std::max(width, picture.width);
        height += picture.height + kGap;
    }
    Picture all(width, height, 255);
    Index row = 0;
    for (const Picture& picture : pictures) {
        all.paste(picture, 0, row);
        row += picture.height + kGap;
    }
    return all;
}

void addMeasures(Verification& verification, const PieceMeasures& measures) {
    if (measures.cylinder) {
        verification.cdf = measures.cylinder->cdf;
        verification.mtf = measures.cylinder->mtf;
        verification.expectedMtf = measures.expectedMtf;
    }
    if (measures.spheres) verification.spheres = measures.spheres->spheres;
    if (!measures.cause) return;
    verification.sentences.push_back(measures.cause->sentence);
    if (!measures.cause->isRight) verification.faults.push_back(measures.cause->sentence);
}

// Puts the rows below the head in two columns, so that a long list leaves room on the sheet.
std::vector<std::vector<std::string>> sideBySide(
    const std::vector<std::vector<std::string>>& rows) {
    const std::size_t half = rows.size() / 2;  // of the rows below the head, rounded up
    std::vector<std::vector<std::string>> folded(rows.begin(),
                                                 rows.begin() + static_cast<Index>(half) + 1);
    for (std::size_t i = 0; i <= half; ++i) {
        const std::vector<std::string> none(rows.front().size());
        const std::size_t beside = i == 0 ? 0 : half + i;
        const auto& added = beside < rows.size() ? rows[beside] : none;
        folded[i].insert(folded[i].end(), added.begin(), added.end());
    }
    return folded;
}

}  // namespace

bool Verification::isPassed() const {
    return faults.empty() && missedLimits(figures).empty();
}

std::string Verification::verdict() const {
    const auto limits = std::ranges::count_if(
        figures, [](const Figure& figure) { return !figure.shownLimit().empty(); });
    const std::size_t missed = missedLimits(figures).size();
    std::string verdict = "There are no limits for these figures";
    if (missed > 0)
        verdict =
            fmt::format("{} of {} limits {} missed", missed, limits, missed == 1 ? "is" : "are");
    else if (limits > 0)
        verdict = fmt::format("All {} limits are met", limits);
    if (!faults.empty()) verdict += ", and the geometry is wrong";
    return verdict + ".";
}

Verification startVerification(const std::string& scan, const VerifyRequest& request) {
    Verification verification;
    verification.title = "Verification of " + scan;
    const FilterSpec& filter = request.reconstruction.filter;
    verification.facts = {{"Scan", scan}, {"Geometry", geometryText(request.geometry)}};
    verification.wrongOnPurpose = request.wrongOnPurpose;
    if (request.reconstructAs)
        verification.facts.emplace_back("Reconstructed as", geometryText(*request.reconstructAs));
    verification.facts.emplace_back("Volume", gridText(request.reconstruction.volume));
    verification.facts.emplace_back(
        "Filter", fmt::format("{}, cut-off {:.3g}", name(filter.window), filter.cutoff));
    if (request.blurPx > 0)
        verification.facts.emplace_back("Blur of the views",
                                        fmt::format("{:.3g} pixels", request.blurPx));
    addProgram(verification);
    verification.caption =
        "Middle slices: truth, reconstruction, difference. Black is 0, white the truth's largest "
        "value; the difference is white at 0, blue at −20 % of it and red at +20 %.";
    return verification;
}

void addPiece(Verification& verification, const VerifiedPiece& piece, const VerifyLimits& limits) {
    verification.facts.emplace_back("Simulated: " + piece.piece.kind,
                                    fmt::format("{}, on {} in {}", piece.piece.phantom.name,
                                                piece.engine, formatDuration(piece.seconds)));
    for (const auto& figures :
         {comparisonFigures(piece.piece.kind, piece.comparison, limits),
          measuredFigures(piece.piece.kind, piece.measures, piece.result.grid, limits)})
        verification.figures.insert(verification.figures.end(), figures.begin(), figures.end());
    addMeasures(verification, piece.measures);
    verification.pictures.push_back(pictureOf(piece));
}

Verification verificationOf(const std::string& path, const Volume& volume, const std::string& kind,
                            const PieceMeasures& measures, const VerifyLimits& limits) {
    Verification verification;
    verification.title = "Verification by " + path;
    verification.facts = {
        {"Volume", path}, {"Grid", gridText(volume.grid)}, {"Test piece", kind + ", scanned"}};
    addProgram(verification);
    verification.figures = measuredFigures(kind, measures, volume.grid, limits);
    addMeasures(verification, measures);
    const VolumeSummary::Image slice = middleSlice(volume);
    const auto [low, high] = std::minmax_element(slice.values.begin(), slice.values.end());
    verification.pictures = {
        small(greyPicture(slice.values, slice.width, slice.height, *low, *high), slice)};
    verification.caption =
        fmt::format("The middle slice; black is {:.4g} /mm, white {:.4g} /mm.", *low, *high);
    return verification;
}

std::string verificationPage(const Verification& verification) {
    ReportPage page(verification.title);
    for (const std::string& sentence : verification.wrongOnPurpose)
        page.sentence(sentence);
    page.sentence(verification.verdict());
    for (const std::string& sentence : verification.sentences)
        page.sentence(sentence);
    page.table(figureTable(verification.figures));
    page.picture(toPng(oneBelowTheOther(verification.pictures)), verification.caption);
    std::vector<std::vector<std::string>> facts = {{"What", "Value"}};
    for (const auto& [name, value] : verification.facts)
        facts.push_back({name, value});
    page.table(facts);
    if (!verification.spheres.empty()) page.table(sideBySide(sphereTable(verification.spheres)));
    if (!verification.cdf.empty()) {
        std::vector<std::vector<std::string>> rows = {{"Contrast discrimination: tile (mm)"},
                                                      {"deviation of means (%)"}};
        for (const CdfPoint& point : verification.cdf) {
            rows[0].push_back(fmt::format("{:.3g}", point.widthMm));
            rows[1].push_back(fmt::format("{:.3g}", point.percent));
        }
        page.table(rows);
    }
    return page.html();
}

}  // namespace gantry
