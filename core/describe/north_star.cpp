#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

#include "core/base/file.h"
#include "core/base/text.h"
#include "core/base/throw_error.h"
#include "core/describe/description_sheet.h"
#include "core/describe/makers.h"
#include "core/describe/scan_parts.h"
#include "core/geometry/check/problem_list.h"

namespace gantry {

namespace fs = std::filesystem;

namespace {

using enum StatedCertainty;

constexpr std::string_view kRoot = "NSI Reconstruction Project";
constexpr std::string_view kResult = "NSI Reconstruction Project/Geometry/Result";
constexpr std::string_view kProcessed = "NSI Reconstruction Project/Geometry/Processed";
constexpr std::string_view kObject = "NSI Reconstruction Project/Object Radiograph";
constexpr std::string_view kCorrection = "NSI Reconstruction Project/Correction";
constexpr std::string_view kConfiguration = "NSI Reconstruction Project/CT Project Configuration";
constexpr std::string_view kDetector =
    "NSI Reconstruction Project/CT Project Configuration/Technique Configuration/Detector";

constexpr KnownKey kNorthStarKeys[] = {
    {{"NSI Reconstruction Project/Volume", ""},
     "the volume that the maker's program made; Gantry fits its own"},
    {{"NSI Reconstruction Project/Computation", ""}, "a setting of the maker's reconstruction"},
    {{"NSI Reconstruction Project/Geometry/Tool", ""}, "how the geometry was calibrated"},
    {{"NSI Reconstruction Project/Geometry/Radiograph", ""}, "how the geometry was calibrated"},
    {{"NSI Reconstruction Project/Geometry/Refinement", ""}, "how the geometry was calibrated"},
    {{"NSI Reconstruction Project/CT Project Configuration/Technique Configuration/Setup", ""},
     "distances by the scanner's scales; the calibrated geometry is used"},
    {{"NSI Reconstruction Project/CT Project Configuration/Flat Field Status", ""},
     "how the flat fields were taken"},
    {{kRoot, ""}, kNoteOnly},
};

Vec3 unit(Vec3 a) {
    return (1 / length(a)) * a;
}

class NorthStarReader {
  public:
    NorthStarReader(const fs::path& file, const Answers& answers)
        : m_sheet(file, readKeyValues(file, KeySyntax::tags), answers) {}

    ScanDescription read();

  private:
    void readOrientation();
    void readDetector();
    [[nodiscard]] Vec3 vector(std::string_view key);
    void placeDetector();
    void readAngles();
    void readImages();

    DescriptionSheet m_sheet;
    bool m_isOnSide = false;  // images are turned by a quarter
};

// Images are flipped, then turned clockwise, before they fit the geometry; Gantry turns them first.
void NorthStarReader::readOrientation() {
    ProjectionFiles& files = m_sheet.scan().projections;
    const double turnDeg = m_sheet.findNumber({kCorrection, "rotate"}).value_or(0);
    m_isOnSide = turnDeg == 90 || turnDeg == 270;
    if (turnDeg != 0 && turnDeg != 180 && !m_isOnSide)
        m_sheet.refuse(
            "detector.turnDeg",
            fmt::format("Correction, rotate is {:g}; it must be 0, 90, 180 or 270.", turnDeg));
    else if (turnDeg != 0)
        files.turnDeg = turnDeg;
    // By a quarter turn, left and right become top and bottom.
    const char* const sideways = m_isOnSide ? "flipV" : "flipH";
    const char* const upward = m_isOnSide ? "flipH" : "flipV";
    files.isMirrored = m_sheet.isOn({kCorrection, sideways});
    files.firstRowIsTop = !m_sheet.isOn({kCorrection, upward});
    m_sheet.state("detector.turnDeg", shownNumber(turnDeg), "°", {{kCorrection, "rotate"}}, likely);
    m_sheet.state("detector.mirrored", files.isMirrored ? "true" : "false", "",
                  {{kCorrection, sideways}, {kCorrection, "rotate"}}, likely);
    m_sheet.state("detector.firstRow", files.firstRowIsTop ? "top" : "bottom", "",
                  {{kCorrection, upward}, {kCorrection, "rotate"}}, likely);
}

void NorthStarReader::readDetector() {
    constexpr KeyName kWidth = {kDetector, "width pixels"};
    constexpr KeyName kHeight = {kDetector, "height pixels"};
    m_sheet.readSize(m_isOnSide ? kHeight : kWidth, m_isOnSide ? kWidth : kHeight);
    const std::vector<double> pitch = m_sheet.numbers({kObject, "pitch"}, 2);
    m_sheet.takePitch({pitch[0], pitch[1]}, {{kObject, "pitch"}});
}

Vec3 NorthStarReader::vector(std::string_view key) {
    const std::vector<double> p = m_sheet.numbers({kResult, key}, 3);
    return {p[0], p[1], p[2]};
}

// The file's axes are of the machine, with the origin on the rotation axis, which points down.
void NorthStarReader::placeDetector() {
    ScanFile& scan = m_sheet.scan();
    const Detector shape = scan.geometry.detector;
    const Vec3 source = vector("source");
    const Vec3 reference = vector("Reference");
    const Vec3 normal = vector("normal");
    const Vec3 horizontal = vector("horizontal");
    const Vec3 axis = vector("axis");
    constexpr double kMin = 1e-6;
    if (!(length(cross(normal, horizontal)) > kMin) || !(length(cross(axis, normal)) > kMin))
        throwError<InputError>(
            "{}: Geometry/Result: axis, normal and horizontal must be vectors of different "
            "directions",
            m_sheet.file().string());
    const Vec3 down = unit(cross(normal, horizontal));
    const Vec3 up = (dot(axis, down) > 0 ? -1.0 : 1.0) * unit(axis);
    const Vec3 right = unit(cross(normal, up));
    const Vec3 beam = cross(up, right);
    const auto toAxis = [&](Vec3 p) { return Vec3{dot(p, right), dot(p, beam), dot(p, up)}; };
    const Vec3 uStep = shape.pitchMm[0] * unit(horizontal);
    const Vec3 vStep = -shape.pitchMm[1] * down;
    const Vec3 center = reference + (static_cast<double>(shape.columns - 1) / 2) * uStep -
                        (static_cast<double>(shape.rows - 1) / 2) * vStep;
    scan.geometry = circleOfPose({toAxis(source), toAxis(center), toAxis(uStep), toAxis(vStep)},
                                 shape.columns, shape.rows, m_sheet.file().string());
    const CircularCone& cone = scan.geometry.cone();
    const Detector& detector = scan.geometry.detector;
    const std::initializer_list<KeyName> all = {{kResult, "source"},
                                                {kResult, "Reference"},
                                                {kResult, "normal"},
                                                {kResult, "horizontal"},
                                                {kResult, "axis"}};
    m_sheet.state("trajectory.sourceToIsocenterMm", shownNumber(cone.sourceToIsocenterMm), "mm",
                  {{kResult, "source"}}, certain);
    m_sheet.state("trajectory.sourceToDetectorMm", shownNumber(cone.sourceToDetectorMm), "mm",
                  {{kResult, "source"}, {kResult, "Reference"}}, certain);
    m_sheet.state("trajectory.sourceOffsetMm",
                  shownPair(cone.sourceOffsetMm[0], cone.sourceOffsetMm[1]), "mm", all, likely);
    m_sheet.state("detector.offsetMm", shownPair(detector.offsetMm[0], detector.offsetMm[1]), "mm",
                  all, likely);
    m_sheet.state("detector.rollDeg", shownNumber(detector.rollDeg), "°", all, likely);
    m_sheet.state("detector.tiltDeg", shownNumber(detector.tiltDeg), "°", all, likely);
}

void NorthStarReader::readAngles() {
    const Index views = m_sheet.readViews({kObject, "number"});
    const double stepDeg = m_sheet.number({kObject, "angleStep"});
    const std::string type = inLowerCase(m_sheet.findText({kConfiguration, "Scan Type"}));
    if (type.find("vortex") != std::string::npos || type.find("heli") != std::string::npos)
        m_sheet.refuse("trajectory", fmt::format("Scan Type is \"{}\": a helix cannot be "
                                                 "reconstructed yet.",
                                                 quotable(type)));
    const double sign = m_sheet.askRotation(
        m_sheet.isOn({kProcessed, "clockwise"}),
        "Which way the gantry turns about the sample, seen from above: the file's clockwise is "
        "taken as the gantry's. The other way blurs.");
    GantryAngles& angles = m_sheet.scan().geometry.angles();
    setEvenAngles(angles, angles.startDeg, sign * stepDeg, views);
    m_sheet.state("trajectory.arcDeg", shownNumber(angles.arcDeg), "°",
                  {{kObject, "angleStep"}, {kObject, "number"}, {kProcessed, "clockwise"}}, likely);
}

void NorthStarReader::readImages() {
    ScanFile& scan = m_sheet.scan();
    ProjectionFiles& files = scan.projections;
    files.files = m_sheet.text({kObject, "file"});
    std::ranges::replace(files.files, '\\', '/');
    m_sheet.state("projections.files", files.files, "", {{kObject, "file"}}, certain);
    files.kind = ProjectionKind::counts;
    const auto take = [&](const char* name, const char* field, std::string& pattern) {
        if (!pathExists(scan.folder / name)) return;
        pattern = name;
        m_sheet.state(field, name, "", {}, likely, "It lies beside the project.");
    };
    take("Corrections/offset.tif", "projections.dark", files.dark);
    take("Corrections/gain0.tif", "projections.flat", files.flat);
    if (files.flat.empty())
        m_sheet.refuse("projections.flat",
                       "Corrections/gain0.tif, the image of the open beam, is not there; the "
                       "radiographs need it.");
}

ScanDescription NorthStarReader::read() {
    readOrientation();
    readDetector();
    placeDetector();
    readAngles();
    readImages();
    return m_sheet.finish("North Star", kNorthStarKeys);
}

bool isNorthStar(const fs::path& file, std::string_view) {
    return inLowerCase(file.extension().string()) == ".nsipro";
}

}  // namespace

DescriptionFormat northStarDescriptions() {
    return {"north-star",
            "North Star",
            {".nsipro"},
            isNorthStar,
            GeometryFormat::scan,
            [](const fs::path& file, const Answers& answers) {
                return NorthStarReader(file, answers).read();
            }};
}

}  // namespace gantry
