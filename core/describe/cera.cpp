#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>

#include "core/base/file.h"
#include "core/base/text.h"
#include "core/describe/description_sheet.h"
#include "core/describe/makers.h"
#include "core/describe/projection_table.h"
#include "core/describe/scan_parts.h"

namespace gantry {

namespace fs = std::filesystem;

namespace {

using enum StatedCertainty;

constexpr KeyName ofCircle(std::string_view key) {
    return {"CustomKeys.ProjectionMatrices", key};
}
constexpr KeyName ofProjections(std::string_view key) {
    return {"Projections", key};
}

constexpr std::string_view kOfCera = "a setting of CERA's reconstruction, not of the scan";

constexpr KnownKey kCeraKeys[] = {
    {{"Volume", ""}, "the volume that CERA makes; Gantry fits its own"},
    {ofProjections("BigEndian"), "the images say it"},
    {{"", ""}, kOfCera},
};

// "proj_%04d.tif" is proj_????.tif.
std::string patternOfMask(std::string mask) {
    std::ranges::replace(mask, '\\', '/');
    const std::size_t begin = mask.find('%');
    if (begin == std::string::npos) return mask;
    const std::size_t end = mask.find('d', begin);
    if (end == std::string::npos) return mask;
    const std::optional<double> digits =
        numberOfAnyCountry(std::string_view(mask).substr(begin + 1, end - begin - 1));
    constexpr double kMaxDigits = 12;
    const bool isFixed = digits && *digits >= 1 && *digits <= kMaxDigits;
    return mask.replace(begin, end - begin + 1,
                        isFixed ? std::string(static_cast<std::size_t>(*digits), '?') : "*");
}

class CeraReader {
  public:
    CeraReader(const fs::path& file, const Answers& answers)
        : m_sheet(file, readKeyValues(file, KeySyntax::notes), answers) {}

    ScanDescription read();

  private:
    void readDetector();
    [[nodiscard]] bool readMatrices();
    void readCircle();
    void readImages();

    DescriptionSheet m_sheet;
};

void CeraReader::readDetector() {
    constexpr KeyName kSod = ofCircle("SourceObjectDistance");
    constexpr KeyName kSdd = ofCircle("SourceImageDistance");
    constexpr KeyName kPitchU = ofProjections("PixelSizeU");
    constexpr KeyName kPitchV = ofProjections("PixelSizeV");
    m_sheet.takeDistances(m_sheet.number(kSod), {kSod}, m_sheet.number(kSdd), {kSdd});
    m_sheet.readSize(ofProjections("NumChannelsPerRow"), ofProjections("NumRows"));
    m_sheet.takePitch({m_sheet.number(kPitchU), m_sheet.number(kPitchV)}, {kPitchU, kPitchV});
}

// They take the place of the circle, as they do in CERA. A table that is not there is none.
bool CeraReader::readMatrices() {
    constexpr KeyName kTable = ofCircle("ProjectionMatrixFilename");
    std::string name = m_sheet.findText(kTable);
    if (name.empty()) return false;
    std::ranges::replace(name, '\\', '/');
    ScanFile& scan = m_sheet.scan();
    const fs::path table = scan.folder / name;
    if (!pathExists(table)) {
        m_sheet.warn("trajectory",
                     fmt::format("The projection matrices {} are not there; the circle that the "
                                 "file states beside them is taken.",
                                 name));
        return false;
    }
    const Index views = m_sheet.readViews({"CustomKeys", "NumProjections"});
    const Detector detector = scan.geometry.detector;
    scan.geometry = geometryOfPoses(readProjectionTable(table, detector, views), detector.columns,
                                    detector.rows);
    m_sheet.state(
        "trajectory.poses", fmt::format("{} views", views), "", {kTable}, likely,
        "A projection matrix for each view, with the axis as z and pixels from the lowest "
        "one at the left; the circle beside them is not used.");
    return true;
}

void CeraReader::readCircle() {
    for (const char* lean : {"DetectorOffsetU", "DetectorOffsetV", "a", "b", "c"})
        if (m_sheet.findNumber(ofCircle(lean)).value_or(0) != 0)
            m_sheet.warn("detector.offsetMm",
                         fmt::format("{} is not 0; nothing public says its unit and sense, so it "
                                     "is not used.",
                                     lean));
    const Index views = m_sheet.readViews({"CustomKeys", "NumProjections"});
    const double scanDeg = m_sheet.number(ofCircle("ScanAngle"));
    const double startDeg = m_sheet.findNumber(ofCircle("StartAngle")).value_or(0);
    const std::string way = inLowerCase(m_sheet.findText(ofCircle("AquisitionDirection")));
    const double sign = m_sheet.askRotation(
        way == "cw",
        "Which way the gantry turns about the sample, seen from above: who writes such files says "
        "that AquisitionDirection is of the gantry. The other way blurs.");
    GantryAngles& angles = m_sheet.scan().geometry.angles();
    setEvenAngles(angles, sign * startDeg, sign * scanDeg / static_cast<double>(views), views);
    m_sheet.state("trajectory.arcDeg", shownNumber(angles.arcDeg), "°",
                  {ofCircle("ScanAngle"), ofCircle("StartAngle"), ofCircle("AquisitionDirection")},
                  likely);
}

void CeraReader::readImages() {
    constexpr KeyName kMask = {"CustomKeys", "ProjectionFilenameMask"};
    constexpr KeyName kDomain = ofProjections("ProjectionDataDomain");
    constexpr KeyName kOpenBeam = {"I0Log", "GlobalI0Value"};
    ProjectionFiles& files = m_sheet.scan().projections;
    files.files = patternOfMask(m_sheet.text(kMask));
    m_sheet.state("projections.files", files.files, "", {kMask}, certain);
    const std::string domain = inLowerCase(m_sheet.findText(kDomain));
    if (!domain.empty() && domain != "intensity") {
        files.kind = ProjectionKind::attenuation;
        m_sheet.state("projections.kind", "attenuation", "", {kDomain}, likely);
        return;
    }
    files.kind = ProjectionKind::counts;
    files.flatValue = m_sheet.number(kOpenBeam);
    m_sheet.state("projections.flatValue", shownNumber(*files.flatValue), "counts", {kOpenBeam},
                  likely);
}

// CERA's rows run upwards, so images with the top row first are flipped.
ScanDescription CeraReader::read() {
    m_sheet.askOrientation(m_sheet.isOn(ofProjections("FlipU")), likely, likely,
                           m_sheet.isOn(ofProjections("FlipV")));
    readDetector();
    if (!readMatrices()) readCircle();
    readImages();
    return m_sheet.finish("Siemens CERA", kCeraKeys);
}

bool isCera(const fs::path& file, std::string_view begin) {
    return inLowerCase(file.extension().string()) == ".config" &&
           begin.find("[CustomKeys.ProjectionMatrices]") != std::string_view::npos;
}

}  // namespace

DescriptionFormat ceraDescriptions() {
    return {"cera",
            "Siemens CERA",
            {".config"},
            isCera,
            GeometryFormat::scan,
            [](const fs::path& file, const Answers& answers) {
                return CeraReader(file, answers).read();
            }};
}

}  // namespace gantry
