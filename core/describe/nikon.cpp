#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <string>

#include "core/base/file.h"
#include "core/base/text.h"
#include "core/base/throw_error.h"
#include "core/describe/angle_table.h"
#include "core/describe/description_sheet.h"
#include "core/describe/makers.h"
#include "core/describe/scan_parts.h"
#include "core/geometry/check/problem_list.h"

namespace gantry {

namespace fs = std::filesystem;

namespace {

using enum StatedCertainty;

constexpr KeyName ctPro(std::string_view key) {
    return {"XTekCT", key};
}

constexpr std::string_view kOfGrid = "the volume that CT Pro made; Gantry fits its own";
constexpr std::string_view kOfCtPro = "a setting of CT Pro's reconstruction, not of the scan";

constexpr KnownKey kNikonKeys[] = {
    {ctPro("VoxelsX"), kOfGrid},
    {ctPro("VoxelsY"), kOfGrid},
    {ctPro("VoxelsZ"), kOfGrid},
    {ctPro("VoxelSizeX"), kOfGrid},
    {ctPro("VoxelSizeY"), kOfGrid},
    {ctPro("VoxelSizeZ"), kOfGrid},
    {ctPro("OffsetX"), kOfGrid},
    {ctPro("OffsetY"), kOfGrid},
    {ctPro("OffsetZ"), kOfGrid},
    {ctPro("MaskRadius"), kOfGrid},
    {ctPro("Name"), kNoteOnly},
    {ctPro("OperatorID"), kNoteOnly},
    {ctPro("OutputSeparator"), kOfCtPro},
    {ctPro("OutputFolderName"), kOfCtPro},
    {ctPro("OutputName"), kOfCtPro},
    {ctPro("OutputDigits"), kOfCtPro},
    {ctPro("OutputUnits"), kOfCtPro},
    {ctPro("OutputType"), kOfCtPro},
    {ctPro("ImportConversion"), kOfCtPro},
    {ctPro("AutoScalingType"), kOfCtPro},
    {ctPro("ScalingMinimum"), kOfCtPro},
    {ctPro("ScalingMaximum"), kOfCtPro},
    {ctPro("Scaling"), kOfCtPro},
    {ctPro("Scale"), kOfCtPro},
    {ctPro("LowPercentile"), kOfCtPro},
    {ctPro("HighPercentile"), kOfCtPro},
    {ctPro("InterpolationType"), kOfCtPro},
    {ctPro("BeamHardeningLUTFile"), kOfCtPro},
    {ctPro("Normalisation"), kOfCtPro},
    {ctPro("Scattering"), kOfCtPro},
    {ctPro("ConvolutionKernelSize"), kOfCtPro},
    {ctPro("Increment"), kOfCtPro},
    {ctPro("ModifierID"), kOfCtPro},
    {ctPro("AutomaticCentreOfRotation"), kOfCtPro},
    {ctPro("Blanking"), kOfCtPro},
    {ctPro("OrderFFT"), kOfCtPro},
    {ctPro("VirtualDetectorPixelsX"), kOfCtPro},
    {ctPro("VirtualDetectorPixelsY"), kOfCtPro},
    {ctPro("VirtualDetectorPixelSizeX"), kOfCtPro},
    {ctPro("VirtualDetectorPixelSizeY"), kOfCtPro},
    {ctPro("VirtualDetectorOffsetX"), kOfCtPro},
    {ctPro("VirtualDetectorOffsetY"), kOfCtPro},
    {ctPro("SrcToVirtualDetector"), kOfCtPro},
    {ctPro("ObjectOffsetY"),
     "a shift along the beam that no open reader uses; it was 0 in all samples"},
    {{"Xrays", ""}, kNoteOnly},
    {{"DICOM", ""}, kNoteOnly},
    {{"CTPro", ""}, kOfCtPro},
};

// How the axis lies: its distance from the central ray, in the plane of the object, and its lean.
struct Axis {
    double offsetMm = 0;
    double rollDeg = 0;
    double tiltDeg = 0;
};

Vec3 aboutX(Vec3 p, double angleDeg) {
    const double c = std::cos(radians(angleDeg));
    const double s = std::sin(radians(angleDeg));
    return {p.x, c * p.y - s * p.z, s * p.y + c * p.z};
}

Vec3 aboutY(Vec3 p, double angleDeg) {
    const double c = std::cos(radians(angleDeg));
    const double s = std::sin(radians(angleDeg));
    return {c * p.x + s * p.z, p.y, c * p.z - s * p.x};
}

class NikonReader {
  public:
    NikonReader(const fs::path& file, const Answers& answers)
        : m_sheet(file, readKeyValues(file, KeySyntax::ini), answers) {}

    ScanDescription read();

  private:
    void readDetector();
    [[nodiscard]] Axis axis();
    [[nodiscard]] std::optional<Axis> olderAxis();
    void placeDetector();
    void readAngles();
    void takeTable(double startDeg, double sign);
    [[nodiscard]] std::optional<fs::path> table() const;
    void readImages();
    void readProfile();
    void readSettings();

    DescriptionSheet m_sheet;
    double m_sodMm = 0;
    double m_sddMm = 0;
    Index m_views = 0;
};

void NikonReader::readDetector() {
    const std::string units = m_sheet.findText(ctPro("Units"));
    if (!units.empty() && inLowerCase(units) != "mm")
        throwError<InputError>("{}: Units is \"{}\"; lengths in mm are read",
                               m_sheet.file().string(), quotable(units));
    m_sodMm = m_sheet.number(ctPro("SrcToObject"));
    m_sddMm = m_sheet.number(ctPro("SrcToDetector"));
    m_sheet.takeDistances(m_sodMm, {ctPro("SrcToObject")}, m_sddMm, {ctPro("SrcToDetector")});
    m_sheet.readSize(ctPro("DetectorPixelsX"), ctPro("DetectorPixelsY"));
    m_sheet.takePitch(
        {m_sheet.number(ctPro("DetectorPixelSizeX")), m_sheet.number(ctPro("DetectorPixelSizeY"))},
        {ctPro("DetectorPixelSizeX"), ctPro("DetectorPixelSizeY")},
        "It is the pitch after binning.");
    const Detector& detector = m_sheet.scan().geometry.detector;
    const bool isPart =
        m_sheet.findNumber(ctPro("RegionStartX")).value_or(0) > 0 ||
        m_sheet.findNumber(ctPro("RegionStartY")).value_or(0) > 0 ||
        m_sheet.findNumber(ctPro("RegionPixelsX")).value_or(0) <
            static_cast<double>(detector.columns) ||
        m_sheet.findNumber(ctPro("RegionPixelsY")).value_or(0) < static_cast<double>(detector.rows);
    if (isPart && m_sheet.findNumber(ctPro("RegionPixelsX")))
        m_sheet.warn(
            "detector.columns",
            "CT Pro was to use only a region of the images (RegionStart and RegionPixels); "
            "the whole images are used here.");
}

// Older files have where the axis is seen at the detector's top and bottom, in mm on the detector.
std::optional<Axis> NikonReader::olderAxis() {
    const std::optional<double> top = m_sheet.findNumber(ctPro("CentreOfRotationTop"));
    const std::optional<double> bottom = m_sheet.findNumber(ctPro("CentreOfRotationBottom"));
    if (!top || !bottom) return std::nullopt;
    const Detector& detector = m_sheet.scan().geometry.detector;
    const double heightMm = static_cast<double>(detector.rows) * detector.pitchMm[1];
    return Axis{(*top + *bottom) / 2 * m_sodMm / m_sddMm,
                -degrees(std::atan2(*top - *bottom, heightMm)), 0};
}

Axis NikonReader::axis() {
    Axis axis;
    const std::optional<Axis> older = olderAxis();
    const std::optional<double> offset = m_sheet.findNumber(ctPro("ObjectOffsetX"));
    if (offset || !older) {
        axis.offsetMm = offset.value_or(0);
        axis.rollDeg = m_sheet.findNumber(ctPro("ObjectRoll")).value_or(0);
        axis.tiltDeg = m_sheet.findNumber(ctPro("ObjectTilt")).value_or(0);
    } else {
        axis = *older;
    }
    if (axis.offsetMm != 0)
        axis.offsetMm *= m_sheet.askSign(
            "axisOffset",
            "To which side ObjectOffsetX moves the axis: as stated, towards higher columns of the "
            "images.");
    if (axis.rollDeg != 0)
        axis.rollDeg *= m_sheet.askSign("axisRoll",
                                        "To which side ObjectRoll leans the axis: as stated, its "
                                        "top to the right, seen from the source.");
    if (axis.tiltDeg != 0)
        axis.tiltDeg *= m_sheet.askSign(
            "axisTilt",
            "Where ObjectTilt leans the axis: as stated, its top away from the source.");
    return axis;
}

// The gantry turns about the axis, so what the file says of the axis moves source and detector.
void NikonReader::placeDetector() {
    ScanFile& scan = m_sheet.scan();
    const Detector shape = scan.geometry.detector;
    const Axis lies = axis();
    const double offsetX = m_sheet.findNumber(ctPro("DetectorOffsetX")).value_or(0);
    double offsetY = m_sheet.findNumber(ctPro("DetectorOffsetY")).value_or(0);
    if (offsetY != 0)
        offsetY *=
            m_sheet.askSign("detectorOffsetY", "Whether DetectorOffsetY is up: as stated, it is.");
    // x to the right seen from the source, y along the beam, z up. What the file says is of the
    // images, whose columns run to the left, and turns over with them.
    const double left = scan.projections.isMirrored ? 1 : -1;
    const double up = scan.projections.firstRowIsTop ? 1 : -1;
    const Vec3 pivot = {-left * lies.offsetMm, m_sodMm, 0};
    const auto toAxis = [&](Vec3 p) {
        return aboutY(aboutX(p, up * lies.tiltDeg), -left * up * lies.rollDeg);
    };
    const Vec3 center = Vec3{-left * offsetX, m_sddMm, up * offsetY} - pivot;
    scan.geometry =
        circleOfPose({toAxis(Vec3{} - pivot), toAxis(center), toAxis({shape.pitchMm[0], 0, 0}),
                      toAxis({0, 0, shape.pitchMm[1]})},
                     shape.columns, shape.rows, m_sheet.file().string());
    const CircularCone& cone = scan.geometry.cone();
    const Detector& detector = scan.geometry.detector;
    m_sheet.state("trajectory.sourceOffsetMm",
                  shownPair(cone.sourceOffsetMm[0], cone.sourceOffsetMm[1]), "mm",
                  {ctPro("ObjectOffsetX"), ctPro("CentreOfRotationTop"),
                   ctPro("CentreOfRotationBottom"), ctPro("ObjectRoll"), ctPro("ObjectTilt")},
                  likely, "Source and detector are moved by as much as the axis is off.");
    m_sheet.state("detector.offsetMm", shownPair(detector.offsetMm[0], detector.offsetMm[1]), "mm",
                  {ctPro("DetectorOffsetX"), ctPro("DetectorOffsetY"), ctPro("ObjectOffsetX"),
                   ctPro("CentreOfRotationTop"), ctPro("CentreOfRotationBottom")},
                  likely);
    m_sheet.state(
        "detector.rollDeg", shownNumber(detector.rollDeg), "°",
        {ctPro("ObjectRoll"), ctPro("CentreOfRotationTop"), ctPro("CentreOfRotationBottom")},
        likely);
    m_sheet.state("detector.tiltDeg", shownNumber(detector.tiltDeg), "°", {ctPro("ObjectTilt")},
                  likely);
}

std::optional<fs::path> NikonReader::table() const {
    const fs::path& file = m_sheet.file();
    fs::path stem = file;
    stem.replace_extension();
    for (const fs::path& each :
         {fs::path(stem.string() + "_ctdata.txt"), file.parent_path() / "_ctdata.txt",
          fs::path(stem.string() + ".ang")})
        if (pathExists(each)) return each;
    return std::nullopt;
}

// Tables may have a row more than there are images.
void NikonReader::takeTable(double startDeg, double sign) {
    const std::optional<fs::path> file = table();
    if (!file)
        return m_sheet.warn("trajectory.anglesDeg",
                            "AngleFile_Use asks for a table of angles, which is not there; even "
                            "steps are taken.");
    std::vector<double> angles = readAngleTable(*file, m_views);
    if (std::ssize(angles) < m_views)
        return m_sheet.warn("trajectory.anglesDeg",
                            fmt::format("{} has {} angles for {} views; even steps are taken.",
                                        file->filename().string(), angles.size(), m_views));
    if (m_sheet.ask("angleTable", {"used", "even steps"},
                    "Whether the table's angles are those of the views: its rows may mean the "
                    "begin, the middle or the end of a view.") == 1)
        return;
    for (double& angle : angles)
        angle = startDeg + sign * angle;
    m_sheet.scan().geometry.angles().anglesDeg = std::move(angles);
    m_sheet.state(
        "trajectory.anglesDeg", fmt::format("{} angles", m_views), "°",
        {{"CTPro", "AngleFile_Use"}}, likely,
        fmt::format("They are those of {}, from the initial angle on.", file->filename().string()));
}

void NikonReader::readAngles() {
    m_views = m_sheet.readViews(ctPro("Projections"));
    const double initialDeg = m_sheet.findNumber(ctPro("InitialAngle")).value_or(0);
    const std::optional<double> step = m_sheet.findNumber(ctPro("AngularStep"));
    if (!step)
        m_sheet.warn("trajectory.arcDeg", "AngularStep is missing; one full turn is assumed.");
    const double stepDeg = step.value_or(360.0 / static_cast<double>(m_views));
    const double sign = m_sheet.askRotation(
        false,
        "Which way the gantry turns about the sample, seen from above: with the columns of the "
        "images as they are taken, the other way blurs, and both changed mirror the volume.");
    GantryAngles& angles = m_sheet.scan().geometry.angles();
    const double startDeg = angles.startDeg + sign * (initialDeg - 180);
    setEvenAngles(angles, startDeg, sign * stepDeg, m_views);
    m_sheet.state("trajectory.startDeg", shownNumber(angles.startDeg), "°", {ctPro("InitialAngle")},
                  likely, "It is half a turn from the initial angle.");
    m_sheet.state("trajectory.arcDeg", shownNumber(angles.arcDeg), "°",
                  {ctPro("AngularStep"), ctPro("Projections")}, likely,
                  "Views beyond a full turn share weight with those that they repeat.");
    if (m_sheet.isOn({"CTPro", "AngleFile_Use"})) takeTable(startDeg, sign);
}

void NikonReader::readImages() {
    ScanFile& scan = m_sheet.scan();
    ProjectionFiles& files = scan.projections;
    std::string name = m_sheet.findText(ctPro("InputName"));
    if (name.empty()) name = m_sheet.text(ctPro("Name"));
    const std::string subfolder = m_sheet.findText(ctPro("InputFolderName"));
    const std::string separator = m_sheet.findText(ctPro("InputSeparator"));
    const Index digits = m_sheet.findCount(ctPro("InputDigits"), 12).value_or(4);
    const bool isBelow = !subfolder.empty() && isFolder(scan.folder / subfolder);
    const CountedImages images =
        countedImages(isBelow ? scan.folder / subfolder : scan.folder, name + separator, digits);
    files.files =
        (isBelow ? fs::path(subfolder) / images.pattern : fs::path(images.pattern)).string();
    scan.name = name;
    m_sheet.state("projections.files", files.files, "",
                  {ctPro("InputFolderName"), ctPro("InputName"), ctPro("InputSeparator"),
                   ctPro("InputDigits")},
                  certain);
    files.kind = ProjectionKind::counts;
    files.flatValue = m_sheet.number(ctPro("WhiteLevel"));
    m_sheet.state("projections.flatValue", shownNumber(*files.flatValue), "counts",
                  {ctPro("WhiteLevel")}, certain,
                  "The images are corrected for dark and flat fields by the scanner.");
}

// What the acquisition's profile asks of a reconstruction that this one cannot do.
void NikonReader::readProfile() {
    if (m_sheet.isOn({"CTPro", "Shuttling"}))
        m_sheet.warn("projections.files",
                     "The detector was moved between the views against rings (Shuttling); the "
                     "images are taken as moved back.");
    const fs::path profile = m_sheet.scan().folder / (m_sheet.scan().name + ".ctprofile.xml");
    if (!isRegularFile(profile)) return;
    constexpr Index kMaxProfileBytes = 4'000'000;
    const std::string text = inLowerCase(readTextFile(profile, kMaxProfileBytes));
    const auto has = [&](std::string_view tag) {
        return text.find(fmt::format("<{}>true", tag)) != std::string::npos;
    };
    const std::string file = profile.filename().string();
    if (has("helicalscan"))
        m_sheet.refuse(
            "trajectory",
            fmt::format("{} says HelicalScan: a helix cannot be reconstructed yet.", file));
    if (has("scanflatpanel"))
        m_sheet.warn("projections.files",
                     fmt::format("{} says ScanFlatPanel: the panel was at several places; the "
                                 "images are taken as joined.",
                                 file));
    if (has("minimiseringartefacts"))
        m_sheet.warn("projections.files",
                     fmt::format("{} says MinimiseRingArtefacts: the detector was moved between "
                                 "views; the images are taken as moved back.",
                                 file));
}

// What CT Pro reconstructed with; its filters are numbers that nothing public explains.
void NikonReader::readSettings() {
    constexpr const char* kUnknown = "nothing public says what CT Pro's numbers mean";
    m_sheet.setting("filter", ctPro("FilterType"), "", "", "", kUnknown);
    m_sheet.setting("filter's cut-off", ctPro("CutOffFrequency"), "", "", "", kUnknown);
    m_sheet.setting("filter's exponent", ctPro("Exponent"), "", "", "", kUnknown);
    for (const char* key : {"CoefX0", "CoefX1", "CoefX2", "CoefX3", "CoefX4"})
        m_sheet.setting(
            "beam hardening", ctPro(key), "", "", "",
            "a coefficient of a polynomial; Gantry does not correct beam hardening yet");
    m_sheet.setting("median", ctPro("MedianFilterKernelSize"), "px", "", "",
                    "Gantry filters no views by a median");
}

ScanDescription NikonReader::read() {
    m_sheet.askOrientation(true, likely, likely);
    readDetector();
    placeDetector();
    readAngles();
    readImages();
    readProfile();
    readSettings();
    return m_sheet.finish("Nikon X-Tek", kNikonKeys);
}

bool isNikon(const fs::path& file, std::string_view begin) {
    return inLowerCase(file.extension().string()) == ".xtekct" || begin.starts_with("[XTekCT]");
}

}  // namespace

DescriptionFormat nikonDescriptions() {
    return {"nikon",
            "Nikon X-Tek",
            {".xtekct"},
            isNikon,
            GeometryFormat::scan,
            [](const fs::path& file, const Answers& answers) {
                return NikonReader(file, answers).read();
            }};
}

}  // namespace gantry
