#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include "core/base/file.h"
#include "core/base/text.h"
#include "core/base/throw_error.h"
#include "core/describe/description_sheet.h"
#include "core/describe/makers.h"
#include "core/describe/scan_parts.h"
#include "core/geometry/check/problem_list.h"
#include "core/io/pixel_type.h"
#include "core/io/scan_file/angle_file.h"

namespace gantry {

namespace fs = std::filesystem;

namespace {

using enum StatedCertainty;

constexpr std::string_view kFrames = "Recon.mnri";
constexpr std::string_view kAngleFile = "Angle.prm";

// Keys of the .prm itself stand in no section.
constexpr KeyName ofPrm(std::string_view key) {
    return {"", key};
}
constexpr KeyName ofFrame(std::string_view key) {
    return {"Frame", key};
}

constexpr std::string_view kOfRecon = "a setting of the maker's reconstruction, not of the scan";

constexpr KnownKey kRigakuKeys[] = {
    {ofPrm("DET_CLIPFORRESIZEU"), "a crop before the images are resized; they are used whole"},
    {ofPrm("DET_CLIPFORRESIZEV"), "a crop before the images are resized; they are used whole"},
    {ofPrm("DET_RESIZEU"), "the maker's program resizes the images; they are used as stored"},
    {ofPrm("DET_RESIZEV"), "the maker's program resizes the images; they are used as stored"},
    {ofPrm("DET_RESIZEPV"), "as DET_RESIZEPU"},
    {ofFrame("FrameRawHeader"), "0 in all samples"},
    {{"Geometry", ""}, "as in the .prm, or a setting of another program"},
    {{"", ""}, kOfRecon},
};

class RigakuReader {
  public:
    RigakuReader(const fs::path& file, const Answers& answers)
        : m_sheet(file, keysOf(file), answers) {}

    ScanDescription read();

  private:
    static std::vector<KeyValue> keysOf(const fs::path& file);
    void readOrientation();
    void readDetector();
    void placeDetector();
    void readRoll();
    void readAngles();
    void takeTable(double sign, Index views);
    [[nodiscard]] std::string namesOfFrames(Index digits, Index views);
    void readImages();

    DescriptionSheet m_sheet;
};

std::vector<KeyValue> RigakuReader::keysOf(const fs::path& file) {
    std::vector<KeyValue> keys = readKeyValues(file, KeySyntax::notes);
    const fs::path frames = file.parent_path() / kFrames;
    if (!isRegularFile(frames)) return keys;
    for (KeyValue& key : readKeysBeside(frames, KeySyntax::ini))
        keys.push_back(std::move(key));
    return keys;
}

// PROJECTION_MIRROR says that the images are to be mirrored, DET_ROTATION that they are to be
// turned.
void RigakuReader::readOrientation() {
    m_sheet.askOrientation(m_sheet.isOn(ofPrm("PROJECTION_MIRROR")), unknown, unknown);
    const double turn = m_sheet.findNumber(ofPrm("DET_ROTATION")).value_or(0);
    if (turn == 1 || turn == 3)
        m_sheet.refuse("projections.files",
                       fmt::format("DET_ROTATION is {:g}, most likely quarters of a turn, and "
                                   "nothing public says which way: turn the images, and set it to "
                                   "0.",
                                   turn));
    else if (turn != 0)
        m_sheet.warn("detector.firstRow",
                     fmt::format("DET_ROTATION is {:g}; nothing public says of what. Half a turn "
                                 "would change firstRow and mirrored together.",
                                 turn));
}

void RigakuReader::readDetector() {
    m_sheet.takeDistances(m_sheet.number(ofPrm("MM_SOD")), {ofPrm("MM_SOD")},
                          m_sheet.number(ofPrm("MM_SID")), {ofPrm("MM_SID")});
    m_sheet.readSize(ofPrm("DET_NU"), ofPrm("DET_NV"));
    m_sheet.takePitch({m_sheet.number(ofPrm("DET_PU")), m_sheet.number(ofPrm("DET_PV"))},
                      {ofPrm("DET_PU"), ofPrm("DET_PV")}, "It is that of the stored images.");
    const CircularCone& cone = m_sheet.scan().geometry.cone();
    const std::optional<double> stated = m_sheet.findNumber(ofPrm("REC_ORG_PX"));
    const std::optional<double> resized = m_sheet.findNumber(ofPrm("DET_RESIZEPU"));
    const double voxelMm = resized.value_or(0) * cone.sourceToIsocenterMm / cone.sourceToDetectorMm;
    constexpr double kSame = 1e-3;
    if (stated && resized && !(std::abs(*stated / voxelMm - 1) < kSame))
        m_sheet.warn("trajectory.sourceToIsocenterMm",
                     fmt::format("The maker's voxels are {:.6g} mm (REC_ORG_PX), but pitch and "
                                 "distances make {:.6g} mm: the maker calibrates them. Lengths in "
                                 "the volume may be off by that factor.",
                                 *stated, voxelMm));
}

void RigakuReader::placeDetector() {
    ScanFile& scan = m_sheet.scan();
    Detector& detector = scan.geometry.detector;
    const double offsetU = m_sheet.findNumber(ofPrm("DET_CU")).value_or(0);
    const double offsetV = m_sheet.findNumber(ofPrm("DET_CV")).value_or(0);
    double sign = 1;
    if (offsetU != 0 || offsetV != 0)
        sign = m_sheet.askSign("detectorOffset",
                               "To which side DET_CU and DET_CV move the detector's middle: as "
                               "stated, towards higher columns and rows of the images.");
    const double right = scan.projections.isMirrored ? -1 : 1;
    const double down = scan.projections.firstRowIsTop ? -1 : 1;
    detector.offsetMm = {sign * right * offsetU, sign * down * offsetV};
    m_sheet.state("detector.offsetMm", shownPair(detector.offsetMm[0], detector.offsetMm[1]), "mm",
                  {ofPrm("DET_CU"), ofPrm("DET_CV")}, unknown);
}

void RigakuReader::readRoll() {
    constexpr KeyName kOrient = {"Geometry", "OffsetOrient"};
    const double rollDeg = m_sheet.findNumber(kOrient).value_or(0);
    if (rollDeg == 0) return;
    Detector& detector = m_sheet.scan().geometry.detector;
    const std::size_t answer =
        m_sheet.ask("detectorRoll", {"none", "stated", "negated"},
                    "Whether OffsetOrient is the detector's roll, as stated counter-clockwise seen "
                    "from the source; nothing public says so.");
    if (answer > 0) detector.rollDeg = answer == 1 ? rollDeg : -rollDeg;
    m_sheet.state("detector.rollDeg", shownNumber(detector.rollDeg), "°", {kOrient}, unknown);
}

// An angle for each view, in radians.
void RigakuReader::takeTable(double sign, Index views) {
    const fs::path file = m_sheet.scan().folder / kAngleFile;
    if (!isRegularFile(file)) {
        m_sheet.warn(
            "trajectory.anglesDeg",
            fmt::format("{} is to be used, but is not there; even steps are taken.", kAngleFile));
        return;
    }
    std::vector<double> anglesDeg = readAngleFile(file);
    if (std::ssize(anglesDeg) != views)
        throwError<InputError>("{} has {} angles; PROJECTION in {} is {}", file.string(),
                               anglesDeg.size(), m_sheet.file().filename().string(), views);
    GantryAngles& angles = m_sheet.scan().geometry.angles();
    // Six digits of radians: within that, the steps are even.
    constexpr double kDigits = 1e-4;
    bool isEven = true;
    for (std::size_t i = 0; i < anglesDeg.size(); ++i) {
        anglesDeg[i] = sign * degrees(anglesDeg[i]);
        isEven =
            isEven && std::abs(anglesDeg[i] - angles.angleDeg(static_cast<Index>(i))) < kDigits;
    }
    if (!isEven) angles.anglesDeg = std::move(anglesDeg);
    m_sheet.state("trajectory.anglesDeg", fmt::format("{}", kAngleFile), "",
                  {ofPrm("ANGLE_FILE_TYPE"), ofPrm("ANGLE_FILE")}, certain,
                  isEven ? "Its steps are even." : "Its angles are in radians.");
}

void RigakuReader::readAngles() {
    constexpr KeyName kRange = ofPrm("ANGLE_RANGE");
    const Index views = m_sheet.readViews(ofPrm("PROJECTION"));
    const double rangeDeg = m_sheet.findNumber(kRange).value_or(360);
    const double startDeg = m_sheet.findNumber(ofPrm("ANGLE_START")).value_or(0);
    const double sign = m_sheet.askRotation(
        m_sheet.findNumber(ofPrm("ROT")).value_or(1) > 0,
        "Which way the gantry turns about the sample, seen from above: ROT 1 is clockwise, but of "
        "what is not known. With the columns as they are taken, the other way blurs.");
    GantryAngles& angles = m_sheet.scan().geometry.angles();
    setEvenAngles(angles, sign * startDeg, sign * rangeDeg / static_cast<double>(views), views);
    m_sheet.state("trajectory.arcDeg", shownNumber(angles.arcDeg), "°",
                  {kRange, ofPrm("ANGLE_START"), ofPrm("ROT")}, likely);
    if (m_sheet.isOn(ofPrm("ANGLE_FILE_TYPE"))) takeTable(sign, views);
}

// The images of the beam alone are called "Gain", and must not match: what the first and the last
// counter begin with is part of the pattern.
std::string RigakuReader::namesOfFrames(Index digits, Index views) {
    constexpr double kMaxStart = 1e9;
    const double start = m_sheet.findNumber(ofFrame("FrameStart")).value_or(0);
    if (!(start >= 0 && start <= kMaxStart))
        return std::string(static_cast<std::size_t>(digits), '?');
    const auto first = static_cast<Index>(start);
    std::string pattern = fmt::format("{:0{}}", first, digits);
    const std::string last = fmt::format("{:0{}}", first + views - 1, digits);
    std::size_t same = 0;
    while (same < pattern.size() && pattern.size() == last.size() && pattern[same] == last[same])
        ++same;
    std::fill(pattern.begin() + static_cast<Index>(same), pattern.end(), '?');
    return pattern;
}

void RigakuReader::readImages() {
    ScanFile& scan = m_sheet.scan();
    ProjectionFiles& files = scan.projections;
    const Index digits = m_sheet.findCount(ofFrame("FrameNameDigit"), 12).value_or(4);
    const std::string ending = "." + [&] {
        const std::string word = m_sheet.findText(ofFrame("ImageFileExt"));
        return word.empty() ? std::string("raw") : word;
    }();
    const Index bits = m_sheet.findCount(ofFrame("PixelDepth"), 64).value_or(16);
    if (bits != 8 && bits != 16)
        throwError<InputError>("{}: PixelDepth is {}; images of 8 and 16 bits are read", kFrames,
                               bits);
    files.files = namesOfFrames(digits, scan.geometry.views()) + ending;
    files.rawType = name(bits == 8 ? PixelType::uint8 : PixelType::uint16);
    files.kind = ProjectionKind::counts;
    m_sheet.state("projections.files", files.files, "",
                  {ofFrame("FrameNameDigit"), ofFrame("FrameStart"), ofFrame("ImageFileExt")},
                  certain);
    m_sheet.state("projections.rawType", files.rawType, "", {ofFrame("PixelDepth")}, likely);
    const auto named = [&](KeyName name, const char* usual) {
        const std::string word = m_sheet.findText(name);
        return (word.empty() ? std::string(usual) : word) + ending;
    };
    files.dark = named(ofFrame("DarkFrameName"), "Offset");
    files.flat = named(ofFrame("BrightFrameName"), "Gain");
    m_sheet.state("projections.dark", files.dark, "", {ofFrame("DarkFrameName")}, likely);
    m_sheet.state("projections.flat", files.flat, "", {ofFrame("BrightFrameName")}, likely);
}

ScanDescription RigakuReader::read() {
    readOrientation();
    readDetector();
    placeDetector();
    readRoll();
    readAngles();
    readImages();
    return m_sheet.finish("Rigaku", kRigakuKeys);
}

bool isRigaku(const fs::path& file, std::string_view begin) {
    return inLowerCase(file.extension().string()) == ".prm" &&
           begin.find("MM_SOD") != std::string_view::npos &&
           begin.find("DET_NU") != std::string_view::npos;
}

}  // namespace

DescriptionFormat rigakuDescriptions() {
    return {"rigaku",
            "Rigaku",
            {".prm"},
            isRigaku,
            GeometryFormat::scan,
            [](const fs::path& file, const Answers& answers) {
                return RigakuReader(file, answers).read();
            }};
}

}  // namespace gantry
