#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/file.h"
#include "core/base/text.h"
#include "core/describe/description_sheet.h"
#include "core/describe/makers.h"
#include "core/describe/scan_parts.h"
#include "core/geometry/check/problem_list.h"
#include "core/io/pixel_type.h"

namespace gantry {

namespace fs = std::filesystem;

namespace {

using enum StatedCertainty;

constexpr std::string_view kCone = "ConeBeamScanParameter";
constexpr std::string_view kPath = "ConeBeamScanParameter/ScanTrajectory";
constexpr std::string_view kAdjust = "ConeBeamScanParameter/DejustmentParameter";
constexpr std::string_view kPixel = "ConeBeamScanParameter/PixelSize";
constexpr std::string_view kImage = "ConeBeamScanParameter/ProjectionSize";

constexpr KnownKey kYxlonKeys[] = {
    {{"", ""}, "a setting of the machine or of the maker's reconstruction, or a note"},
};

// What both kinds of files have.
class YxlonReader {
  public:
    YxlonReader(const fs::path& file, KeySyntax syntax, const Answers& answers)
        : m_sheet(file, readKeyValues(file, syntax), answers) {}

    ScanDescription readXml();
    ScanDescription readTabs();

  private:
    void readXmlDetector();
    void placeXmlDetector();
    void takeAxis(double offsetMm, std::initializer_list<KeyName> keys);
    void takeAngles(double startDeg, double arcDeg, KeyName views,
                    std::initializer_list<KeyName> keys);
    void readImages(Index bits, std::initializer_list<KeyName> keys);

    DescriptionSheet m_sheet;
};

// Lengths are in pixels of the trajectory's pitch.
void YxlonReader::readXmlDetector() {
    constexpr KeyName kPitch = {kPath, "PixelPitch"};
    constexpr KeyName kFdd = {kPath, "Fdd"};
    constexpr KeyName kFod = {kPath, "Fod"};
    const double unitMm = m_sheet.number(kPitch);
    m_sheet.takeDistances(unitMm * m_sheet.number(kFod), {kFod, kPitch},
                          unitMm * m_sheet.number(kFdd), {kFdd, kPitch},
                          "Fod and Fdd are in pixels of PixelPitch.");
    m_sheet.readSize({kImage, "Width"}, {kImage, "Height"});
    m_sheet.takePitch({m_sheet.number({kPixel, "Width"}), m_sheet.number({kPixel, "Height"})},
                      {{kPixel, "Width"}, {kPixel, "Height"}});
    const std::string type = m_sheet.findText({kPath, "type"});
    if (!type.empty() && type != "CircleTrajectory")
        m_sheet.refuse("trajectory", fmt::format("The trajectory is \"{}\"; CircleTrajectory can "
                                                 "be reconstructed.",
                                                 quotable(type)));
    for (const auto& [key, usual] : {std::pair("DetectorOrientation", "original"),
                                     std::pair("DetectorFlipDirections", "none")}) {
        const std::string word = inLowerCase(m_sheet.findText({kCone, key}));
        if (!word.empty() && word != usual)
            m_sheet.warn("detector.firstRow",
                         fmt::format("{} is \"{}\"; nothing public says what is done to the "
                                     "images then. Check firstRow and mirrored.",
                                     key, quotable(word)));
    }
}

void YxlonReader::placeXmlDetector() {
    constexpr KeyName kOffsetX = {kAdjust, "HorizontalDetectorOffset"};
    constexpr KeyName kOffsetY = {kAdjust, "VerticalDetectorOffset"};
    const double unitMm = m_sheet.number({kPath, "PixelPitch"});
    const double offsetX = m_sheet.findNumber(kOffsetX).value_or(0);
    const double offsetY = m_sheet.findNumber(kOffsetY).value_or(0);
    ScanFile& scan = m_sheet.scan();
    const double right = scan.projections.isMirrored ? -1 : 1;
    const double up = scan.projections.firstRowIsTop ? 1 : -1;
    double sign = 1;
    if (offsetX != 0 || offsetY != 0)
        sign = m_sheet.askSign("detectorOffset",
                               "To which side the detector offsets move its middle: as stated, to "
                               "lower columns and down, as the only open reader has it.");
    scan.geometry.detector.offsetMm = {-sign * right * unitMm * offsetX,
                                       -sign * up * unitMm * offsetY};
    for (const char* tilt : {"DetectorTiltA", "DetectorTiltB", "DetectorTiltC"})
        if (m_sheet.findNumber({kAdjust, tilt}).value_or(0) != 0)
            m_sheet.warn("detector.tiltDeg",
                         fmt::format("{} is not 0; nothing public says about which axis it turns, "
                                     "so it is not used.",
                                     tilt));
    takeAxis(unitMm * m_sheet.findNumber({kPath, "YoCenter"}).value_or(0), {{kPath, "YoCenter"}});
    m_sheet.state("detector.offsetMm",
                  shownPair(scan.geometry.detector.offsetMm[0], scan.geometry.detector.offsetMm[1]),
                  "mm", {kOffsetX, kOffsetY, {kPath, "YoCenter"}}, unknown);
}

void YxlonReader::takeAxis(double offsetMm, std::initializer_list<KeyName> keys) {
    ScanFile& scan = m_sheet.scan();
    const CircularCone& cone = scan.geometry.cone();
    if (offsetMm != 0) {
        offsetMm *= m_sheet.askSign("axisOffset",
                                    "To which side the centre's offset moves the axis: as stated, "
                                    "towards higher columns of the images.");
        if (m_sheet.ask("axisShift", {"object", "detector"},
                        "Whether the centre's offset is a length at the object, as the only open "
                        "reader has it, or as it is seen on the detector.") == 1)
            offsetMm *= cone.sourceToIsocenterMm / cone.sourceToDetectorMm;
        moveAxis(scan, offsetMm);
    }
    m_sheet.state("trajectory.sourceOffsetMm",
                  shownPair(cone.sourceOffsetMm[0], cone.sourceOffsetMm[1]), "mm", keys, unknown,
                  "Source and detector are moved by as much as the axis is off.");
}

void YxlonReader::takeAngles(double startDeg, double arcDeg, KeyName viewsKey,
                             std::initializer_list<KeyName> keys) {
    const Index views = m_sheet.readViews(viewsKey);
    const double sign = m_sheet.askRotation(
        true,
        "Which way the gantry turns about the sample, seen from above. With the columns as they "
        "are taken, the other way blurs.");
    GantryAngles& angles = m_sheet.scan().geometry.angles();
    setEvenAngles(angles, startDeg, sign * arcDeg / static_cast<double>(views), views);
    m_sheet.state("trajectory.arcDeg", shownNumber(angles.arcDeg), "°", keys, likely);
}

void YxlonReader::readImages(Index bits, std::initializer_list<KeyName> keys) {
    ScanFile& scan = m_sheet.scan();
    ProjectionFiles& files = scan.projections;
    files.files = isFolder(scan.folder / "Projektionen") ? "Projektionen" : "Projections";
    std::vector<fs::path> entries;
    if (isFolder(scan.folder / files.files)) entries = entriesOf(scan.folder / files.files);
    const bool isRaw = std::ranges::any_of(entries, [](const fs::path& entry) {
        return inLowerCase(entry.extension().string()) == ".raw";
    });
    if (isRaw) {
        files.files += "/*.raw";
        files.rawType = name(PixelType::uint16);
        m_sheet.state("projections.rawType", files.rawType, "", {}, likely);
    }
    m_sheet.state("projections.files", files.files, "", {}, likely,
                  "The maker's programs call the folder so.");
    files.kind = ProjectionKind::counts;
    files.flatValue = std::exp2(static_cast<double>(std::min<Index>(bits, 32))) - 1;
    m_sheet.state("projections.flatValue", shownNumber(*files.flatValue), "counts", keys, unknown,
                  "The open beam is not stated; these are the most that the pixels hold.");
}

ScanDescription YxlonReader::readXml() {
    m_sheet.askOrientation(false, likely, unknown);
    readXmlDetector();
    placeXmlDetector();
    takeAngles(m_sheet.findNumber({kPath, "StartAngle"}).value_or(0),
               m_sheet.number({kPath, "Rotation"}), {kPath, "NumberOfProjections"},
               {{kPath, "Rotation"}, {kPath, "StartAngle"}});
    constexpr KeyName kBits = {kCone, "ProjectionBitdepth"};
    readImages(m_sheet.findCount(kBits, 64).value_or(16), {kBits});
    return m_sheet.finish("YXLON", kYxlonKeys);
}

// The panel is square, as far as the file says.
ScanDescription YxlonReader::readTabs() {
    constexpr KeyName kSize = {"", "Number of Detector Elements"};
    constexpr KeyName kPitch = {"", "2D-Pixel Size [mm]"};
    constexpr KeyName kBinning = {"", "Pixelbinning"};
    constexpr KeyName kFod = {"", "FOD [mm]"};
    constexpr KeyName kFdd = {"", "FDD [mm]"};
    constexpr KeyName kOffset = {"", "Center Offset [mm]"};
    m_sheet.askOrientation(false, likely, unknown);
    m_sheet.takeDistances(m_sheet.number(kFod), {kFod}, m_sheet.number(kFdd), {kFdd});
    m_sheet.readSize(kSize, kSize);
    const double pitchMm =
        m_sheet.number(kPitch) * static_cast<double>(m_sheet.findCount(kBinning, 64).value_or(1));
    m_sheet.takePitch({pitchMm, pitchMm}, {kPitch, kBinning}, "It is the pitch after binning.");
    takeAxis(m_sheet.findNumber(kOffset).value_or(0), {kOffset});
    takeAngles(0, 360, {"", "CT: Number of Projections"}, {});
    readImages(16, {});
    return m_sheet.finish("YXLON (older)", kYxlonKeys);
}

bool isYxlon(const fs::path& file, std::string_view begin) {
    return inLowerCase(file.extension().string()) == ".xml" &&
           begin.find("<ConeBeamScanParameter") != std::string_view::npos;
}

bool isOlderYxlon(const fs::path& file, std::string_view begin) {
    return inLowerCase(file.extension().string()) == ".txt" &&
           begin.find("\tFOD [mm]") != std::string_view::npos &&
           begin.find("\tFDD [mm]") != std::string_view::npos;
}

}  // namespace

DescriptionFormat yxlonDescriptions() {
    return {"yxlon",
            "YXLON",
            {".xml"},
            isYxlon,
            GeometryFormat::scan,
            [](const fs::path& file, const Answers& answers) {
                return YxlonReader(file, KeySyntax::xml, answers).readXml();
            }};
}

DescriptionFormat olderYxlonDescriptions() {
    return {"yxlon-txt",
            "YXLON (older)",
            {".txt"},
            isOlderYxlon,
            GeometryFormat::scan,
            [](const fs::path& file, const Answers& answers) {
                return YxlonReader(file, KeySyntax::tabs, answers).readTabs();
            }};
}

}  // namespace gantry
