#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/base/file.h"
#include "core/base/text.h"
#include "core/describe/description_sheet.h"
#include "core/describe/makers.h"
#include "core/describe/scan_parts.h"
#include "core/describe/view_shifts.h"
#include "core/geometry/check/problem_list.h"

namespace gantry {

namespace fs = std::filesystem;

namespace {

using enum StatedCertainty;

constexpr KnownKey kPhoenixKeys[] = {
    {{"General", ""}, kNoteOnly},
    {{"AutoScO", ""}, "how the scan optimiser took its images"},
    {{"Geometry", "Magnification"}, "the quotient of the distances"},
    {{"Geometry", "VoxelSizeY"}, "as VoxelSizeX"},
    {{"Geometry", "Old_CalibValue"}, "an earlier calibration"},
    {{"CT", ""}, "counters and settings of the acquisition"},
    {{"VSensor", ""}, kOfMachine},
    {{"Trajectory", ""}, kOfMachine},
    {{"CalibValue", ""}, "how the axis was calibrated; Geometry has the result"},
    {{"FastCT", ""}, kOfMachine},
    {{"Image", ""}, "the part of the detector that was read"},
    {{"ImgProc", ""}, kIsApplied},
    {{"Warmup", ""}, kOfMachine},
    {{"Multiscan", ""}, kOfMachine},
    {{"Multiline", ""}, kOfMachine},
    {{"CalibImages", ""}, kIsApplied},
    {{"SectorScan", ""}, kOfMachine},
    {{"DetectorShift", ""}, "the images are shifted back and cropped already"},
    {{"Detector", ""}, kOfMachine},
    {{"Xray", ""}, kNoteOnly},
    {{"Cnc", ""}, kOfMachine},
    {{"Axis", ""}, kOfMachine},
    {{"AcqSrvManager", ""}, kOfMachine},
    {{"Net", ""}, kOfMachine},
    {{"BHC_Values", ""}, "a setting of the maker's reconstruction, not of the scan"},
};

class PhoenixReader {
  public:
    PhoenixReader(const fs::path& file, const Answers& answers)
        : m_sheet(file, readKeyValues(file, KeySyntax::ini), answers) {}

    ScanDescription read();

  private:
    void readDetector();
    void readAxis();
    void readLean();
    void readImages();
    void readAngles(Index imagesFound);
    void tellRest();
    void readDrift();

    DescriptionSheet m_sheet;
    Index m_imagesFound = 0;
};

void PhoenixReader::readDetector() {
    constexpr KeyName kFdd = {"Geometry", "FDD"};
    constexpr KeyName kFod = {"Geometry", "FOD"};
    constexpr KeyName kPitchX = {"Detector", "PixelsizeX"};
    constexpr KeyName kPitchY = {"Detector", "PixelsizeY"};
    m_sheet.takeDistances(m_sheet.number(kFod), {kFod}, m_sheet.number(kFdd), {kFdd});
    m_sheet.readSize({"Image", "DimX"}, {"Image", "DimY"});
    m_sheet.takePitch({m_sheet.number(kPitchX), m_sheet.number(kPitchY)}, {kPitchX, kPitchY});
    const CircularCone& cone = m_sheet.scan().geometry.cone();
    const Detector& detector = m_sheet.scan().geometry.detector;
    const double voxelMm = detector.pitchMm[0] * cone.sourceToIsocenterMm / cone.sourceToDetectorMm;
    const std::optional<double> stated = m_sheet.findNumber({"Geometry", "VoxelSizeX"});
    constexpr double kSame = 1e-3;
    if (stated && !(std::abs(*stated / voxelMm - 1) < kSame))
        m_sheet.warn("detector.pitchMm",
                     fmt::format("The pitch and the distances make voxels of {:.6g} mm, but "
                                 "VoxelSizeX is {:.6g} mm: the images may be binned.",
                                 voxelMm, *stated));
}

// cx and cy are where the central ray meets the images; CalibValue is how far the axis is off it.
void PhoenixReader::readAxis() {
    constexpr KeyName kCalib = {"Geometry", "CalibValue"};
    ScanFile& scan = m_sheet.scan();
    CircularCone& cone = scan.geometry.cone();
    Detector& detector = scan.geometry.detector;
    const double right = scan.projections.isMirrored ? -1 : 1;
    const double down = scan.projections.firstRowIsTop ? -1 : 1;
    const double middleX = (static_cast<double>(detector.columns) - 1) / 2;
    const double middleY = (static_cast<double>(detector.rows) - 1) / 2;
    const double centerX = m_sheet.findNumber({"Geometry", "cx"}).value_or(middleX);
    const double centerY = m_sheet.findNumber({"Geometry", "cy"}).value_or(middleY);
    detector.offsetMm = {right * (middleX - centerX) * detector.pitchMm[0],
                         down * (middleY - centerY) * detector.pitchMm[1]};
    const double calibPx = m_sheet.findNumber(kCalib).value_or(0);
    if (calibPx != 0) {
        const double sign =
            right * m_sheet.askSign("axisOffset",
                                    "To which side CalibValue moves the axis: as stated, towards "
                                    "higher columns of the images.");
        const bool isAtObject =
            m_sheet.ask("axisShift", {"object", "detector"},
                        "Whether the axis is off the central ray, or the detector off the middle; "
                        "in five scans the former was the same length at the object.") == 0;
        const double shiftMm =
            -sign * calibPx * detector.pitchMm[0] /
            (isAtObject ? cone.sourceToDetectorMm / cone.sourceToIsocenterMm : 1);
        if (isAtObject) cone.sourceOffsetMm[0] = shiftMm;
        detector.offsetMm[0] += shiftMm;
    }
    m_sheet.state("trajectory.sourceOffsetMm",
                  shownPair(cone.sourceOffsetMm[0], cone.sourceOffsetMm[1]), "mm", {kCalib},
                  calibPx == 0 ? likely : unknown);
    m_sheet.state("detector.offsetMm", shownPair(detector.offsetMm[0], detector.offsetMm[1]), "mm",
                  {kCalib, {"Geometry", "cx"}, {"Geometry", "cy"}},
                  calibPx == 0 ? likely : unknown);
}

void PhoenixReader::readLean() {
    const double tiltDeg = m_sheet.findNumber({"Geometry", "Tilt"}).value_or(0);
    if (tiltDeg != 0)
        m_sheet.refuse("detector.tiltDeg",
                       fmt::format("Tilt is {:g}°: a planar scan (laminography) of this maker "
                                   "cannot be reconstructed yet.",
                                   tiltDeg));
    if (m_sheet.isOn({"Trajectory", "Active"}))
        m_sheet.refuse("trajectory",
                       "A trajectory is active: only circular scans can be reconstructed yet.");
    const double rollDeg = m_sheet.findNumber({"Geometry", "DetectorRot"}).value_or(0);
    Detector& detector = m_sheet.scan().geometry.detector;
    if (rollDeg != 0)
        detector.rollDeg = rollDeg * m_sheet.askSign("detectorRoll",
                                                     "To which side DetectorRot turns the "
                                                     "detector: as stated, counter-clockwise "
                                                     "seen from the source.");
    m_sheet.state("detector.rollDeg", shownNumber(detector.rollDeg), "°",
                  {{"Geometry", "DetectorRot"}}, rollDeg == 0 ? likely : unknown);
}

void PhoenixReader::readImages() {
    ScanFile& scan = m_sheet.scan();
    const std::string stem = m_sheet.file().stem().string();
    CountedImages images = countedImages(scan.folder, stem + "_", 0);
    if (!images.isFound) {
        const CountedImages plain = countedImages(scan.folder, stem, 0);
        if (plain.isFound) images = plain;
    }
    m_imagesFound = images.count;
    scan.projections.files = images.pattern;
    m_sheet.state("projections.files", images.pattern, "", {}, likely,
                  "The images are called as the file.");
    scan.projections.kind = ProjectionKind::counts;
    scan.projections.flatValue = m_sheet.number({"Image", "FreeRay"});
    m_sheet.state("projections.flatValue", shownNumber(*scan.projections.flatValue), "counts",
                  {{"Image", "FreeRay"}}, likely,
                  "The images are corrected for dark and flat fields by the scanner.");
}

// One image more than are named is taken, at the angle of the first.
void PhoenixReader::readAngles(Index imagesFound) {
    constexpr KeyName kNumber = {"CT", "NumberImages"};
    constexpr KeyName kSector = {"CT", "RotationSector"};
    const Index named = m_sheet.count(kNumber, kMaxViews);
    const double sectorDeg = m_sheet.number(kSector);
    const Index views = imagesFound == named + 1 ? imagesFound : named;
    const double sign = m_sheet.askRotation(
        false,
        "Which way the gantry turns about the sample, seen from above. With the columns as they "
        "are taken, the other way blurs.");
    GantryAngles& angles = m_sheet.scan().geometry.angles();
    setEvenAngles(angles, 0, sign * sectorDeg / static_cast<double>(named), views);
    m_sheet.state("trajectory.arcDeg", shownNumber(angles.arcDeg), "°", {kSector, kNumber}, likely,
                  views > named ? "One image more than NumberImages is there; it repeats the "
                                  "first angle and shares weight with it."
                                : "");
    m_sheet.state("trajectory.views", shownNumber(static_cast<double>(views)), "", {kNumber},
                  views > named ? likely : certain);
}

// The scan optimiser compares views that were taken again after the scan; the reconstruction's
// file has how far they had drifted.
void PhoenixReader::readDrift() {
    const bool isActive = m_sheet.isOn({"AutoScO", "Active"});
    fs::path file = m_sheet.file();
    file.replace_extension(".pcr");
    std::vector<double> at;
    ViewShifts shifts;
    std::map<std::string, std::string> values;
    if (isRegularFile(file))
        for (const KeyValue& one : readKeyValues(file, KeySyntax::ini))
            values.emplace(one.key, one.value);
    const auto number = [&](const std::string& name) -> std::optional<double> {
        const auto found = values.find(name);
        return found == values.end() ? std::nullopt : numberOfAnyCountry(found->second);
    };
    for (std::size_t i = 0;; ++i) {
        const std::optional<double> index = number(fmt::format("SCO_{}_Index", i));
        const std::optional<double> x = number(fmt::format("SCO_{}_X", i));
        const std::optional<double> y = number(fmt::format("SCO_{}_Y", i));
        if (!index || !x || !y || (!at.empty() && !(*index - 1 > at.back()))) break;
        at.push_back(*index - 1);
        shifts.push_back({*x, *y});
    }
    if (!at.empty())
        askViewShifts(m_sheet, interpolated(at, shifts, m_sheet.scan().geometry.views()),
                      quotable(file.filename().string()));
    else if (isActive)
        m_sheet.warn("trajectory",
                     "The scan optimiser was active: the drift that it measured is not there.");
}

void PhoenixReader::tellRest() {
    const double tiles = m_sheet.findNumber({"VSensor", "NumTiles"}).value_or(1);
    if (tiles > 1)
        m_sheet.warn(
            "detector.columns",
            fmt::format("The detector was at {:g} places; the images are taken as joined.", tiles));
}

ScanDescription PhoenixReader::read() {
    m_sheet.askOrientation(false, likely, unknown);
    readDetector();
    readAxis();
    readLean();
    readImages();
    readAngles(m_imagesFound);
    tellRest();
    readDrift();
    return m_sheet.finish("GE phoenix datos|x", kPhoenixKeys);
}

bool isPhoenix(const fs::path& file, std::string_view) {
    return inLowerCase(file.extension().string()) == ".pca";
}

}  // namespace

DescriptionFormat phoenixDescriptions() {
    return {"phoenix",
            "GE phoenix datos|x",
            {".pca"},
            isPhoenix,
            GeometryFormat::scan,
            [](const fs::path& file, const Answers& answers) {
                return PhoenixReader(file, answers).read();
            }};
}

}  // namespace gantry
