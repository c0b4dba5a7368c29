#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

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

constexpr KeyName ofRecon(std::string_view key) {
    return {"Recon", key};
}
constexpr KeyName ofGeometry(std::string_view key) {
    return {"Geometrie", key};
}

constexpr KnownKey kDiondoKeys[] = {
    {ofRecon("ProjectionDimZ"), "as ProjectionCount"},
    {{"", ""}, "a setting of the machine or of the maker's reconstruction, or a note"},
};

class DiondoReader {
  public:
    DiondoReader(const fs::path& file, const Answers& answers)
        : m_sheet(file, readKeyValues(file, KeySyntax::xml), answers) {}

    ScanDescription read();

  private:
    void readDetector();
    void readAxis();
    void readAngles();
    void readImages();

    DescriptionSheet m_sheet;
};

void DiondoReader::readDetector() {
    constexpr KeyName kSod = ofGeometry("SourceObjectDist");
    constexpr KeyName kSdd = ofGeometry("SourceDetectorDist");
    constexpr KeyName kPitchX = ofRecon("ProjectionPixelSizeX");
    constexpr KeyName kPitchY = ofRecon("ProjectionPixelSizeY");
    for (const char* mode : {"HelixMode", "Laminography"})
        if (m_sheet.isOn({"ScanParameter", mode}))
            m_sheet.refuse("trajectory", fmt::format("{} is true: only circular scans can be "
                                                     "reconstructed.",
                                                     mode));
    m_sheet.takeDistances(m_sheet.number(kSod), {kSod}, m_sheet.number(kSdd), {kSdd});
    m_sheet.readSize(ofRecon("ProjectionDimX"), ofRecon("ProjectionDimY"));
    m_sheet.takePitch({m_sheet.number(kPitchX), m_sheet.number(kPitchY)}, {kPitchX, kPitchY});
}

void DiondoReader::readAxis() {
    constexpr KeyName kOffset = ofRecon("ProjectionCenterOffsetX");
    ScanFile& scan = m_sheet.scan();
    const CircularCone& cone = scan.geometry.cone();
    double offsetMm = m_sheet.findNumber(kOffset).value_or(0) * scan.geometry.detector.pitchMm[0];
    if (offsetMm != 0) {
        offsetMm *= m_sheet.askSign("axisOffset",
                                    "To which side ProjectionCenterOffsetX moves the axis: as "
                                    "stated, towards higher columns of the images.");
        if (m_sheet.ask("axisShift", {"detector", "object"},
                        "Whether ProjectionCenterOffsetX, in pixels, is seen on the detector, or "
                        "is a length at the object, as an open reader has it.") == 0)
            offsetMm *= cone.sourceToIsocenterMm / cone.sourceToDetectorMm;
        moveAxis(scan, offsetMm);
    }
    const StatedCertainty certainty = offsetMm == 0 ? likely : unknown;
    m_sheet.state("trajectory.sourceOffsetMm",
                  shownPair(cone.sourceOffsetMm[0], cone.sourceOffsetMm[1]), "mm", {kOffset},
                  certainty, "Source and detector are moved by as much as the axis is off.");
    const Detector& detector = scan.geometry.detector;
    m_sheet.state("detector.offsetMm", shownPair(detector.offsetMm[0], detector.offsetMm[1]), "mm",
                  {kOffset}, certainty);
}

void DiondoReader::readAngles() {
    constexpr KeyName kCount = ofRecon("ProjectionCount");
    constexpr KeyName kPerTurn = ofRecon("ProjectionCountPer360deg");
    const Index views = m_sheet.readViews(kCount);
    const double perTurn = m_sheet.findNumber(kPerTurn).value_or(static_cast<double>(views));
    if (!(perTurn > 0))
        m_sheet.refuse("trajectory.arcDeg", fmt::format("ProjectionCountPer360deg is {:g}; it must "
                                                        "be greater than 0.",
                                                        perTurn));
    const double sign = m_sheet.askRotation(
        true,
        "Which way the gantry turns about the sample, seen from above. With the columns as they "
        "are taken, the other way blurs.");
    GantryAngles& angles = m_sheet.scan().geometry.angles();
    setEvenAngles(angles, 0, sign * 360 / (perTurn > 0 ? perTurn : 1), views);
    m_sheet.state("trajectory.arcDeg", shownNumber(angles.arcDeg), "°", {kPerTurn, kCount}, likely);
}

// Names begin with the height of the table: "_0123,45_0000.raw".
void DiondoReader::readImages() {
    constexpr KeyName kHeight = {"Geometrie/Slices", "string"};
    ScanFile& scan = m_sheet.scan();
    ProjectionFiles& files = scan.projections;
    const std::string slices = m_sheet.findText(kHeight);
    const std::string_view word = trimmed(std::string_view(slices).substr(0, slices.find(',')));
    const std::optional<double> heightMm = numberOfAnyCountry(word.substr(0, word.find("mm")));
    constexpr double kMaxHeightMm = 100'000;
    files.files = "Projection/*.raw";
    if (heightMm && std::abs(*heightMm) < kMaxHeightMm) {
        std::string prefix = fmt::format("_{:07.2f}_", *heightMm);
        std::ranges::replace(prefix, '.', ',');
        const CountedImages images = countedImages(scan.folder / "Projection", prefix, 4, {".raw"});
        if (images.isFound) files.files = "Projection/" + images.pattern;
    }
    files.rawType = name(PixelType::uint16);
    files.kind = ProjectionKind::counts;
    m_sheet.state("projections.files", files.files, "", {kHeight}, likely);
    m_sheet.state("projections.rawType", files.rawType, "", {}, likely,
                  "The file does not say it; all samples have 16 bits.");
    constexpr double kLargest = 65535;
    files.flatValue = kLargest;
    m_sheet.state("projections.flatValue", shownNumber(kLargest), "counts", {}, unknown,
                  "The open beam is not stated; these are the most that 16 bits hold.");
}

ScanDescription DiondoReader::read() {
    m_sheet.askOrientation(false, unknown, unknown);
    readDetector();
    readAxis();
    readAngles();
    readImages();
    return m_sheet.finish("Diondo", kDiondoKeys);
}

bool isDiondo(const fs::path& file, std::string_view begin) {
    return inLowerCase(file.extension().string()) == ".xml" &&
           begin.find("<ScanParameter") != std::string_view::npos &&
           begin.find("<ConeBeamScanParameter") == std::string_view::npos;
}

}  // namespace

DescriptionFormat diondoDescriptions() {
    return {"diondo",
            "Diondo",
            {".xml"},
            isDiondo,
            GeometryFormat::scan,
            [](const fs::path& file, const Answers& answers) {
                return DiondoReader(file, answers).read();
            }};
}

}  // namespace gantry
