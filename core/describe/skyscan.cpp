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
#include "core/describe/view_shifts.h"
#include "core/filter/filter_spec.h"
#include "core/geometry/check/problem_list.h"

namespace gantry {

namespace fs = std::filesystem;

namespace {

using enum StatedCertainty;

constexpr KeyName logged(std::string_view key) {
    return {"Acquisition", key};
}
// Cameras are described among the system's keys or the acquisition's.
constexpr KeyName anywhere(std::string_view key) {
    return {"", key};
}

constexpr std::string_view kOfNRecon = "a setting of NRecon's reconstruction, not of the scan";

constexpr KnownKey kSkyscanKeys[] = {
    {{"System", ""}, kNoteOnly},
    {logged("Data directory"), kNoteOnly},
    {logged("Source Voltage (kV)"), kNoteOnly},
    {logged("Source Current (uA)"), kNoteOnly},
    {logged("Scaled Image Pixel Size (um)"), "a rounded copy of the pixel size"},
    {logged("Vertical Object Position (mm)"),
     "the place of the stage; the volume has its own middle"},
    {logged("Filter"), kNoteOnly},
    {logged("Image Format"), "the images' own headers have it"},
    {logged("Depth (bits)"), "the images' own headers have it"},
    {logged("Screen LUT"), "concerns the display"},
    {logged("Exposure (ms)"), kNoteOnly},
    {logged("Frame Averaging"), kIsApplied},
    {logged("Partial width"), "was 100 in all samples, and its meaning is not known"},
    {logged("FF updating interval"), kIsApplied},
    {logged("Geometrical Correction"), kIsApplied},
    {logged("Median Filtering"), kIsApplied},
    {logged("Flat Field Correction"), kIsApplied},
    {logged("Type Of Motion"), kNoteOnly},
    {logged("Study Date and Time"), kNoteOnly},
    {logged("Scan duration"), kNoteOnly},
    {logged("Maximum vertical TS"), "the greatest of the shifts in the table beside the log"},
    {logged("Maximum horizontal TS"), "the greatest of the shifts in the table beside the log"},
    {logged("Gantry direction"), "as the direction of rotation"},
    {{"Reconstruction", ""}, kOfNRecon},
    {{"File name convention", ""}, "concerns the slices that NRecon wrote"},
};

// How many camera pixels one of the image is: "2x2" or "2".
double binningOf(std::string_view text) {
    const std::string_view first = text.substr(0, text.find_first_of("xX "));
    const std::optional<double> binning = numberOfAnyCountry(first);
    return binning && *binning >= 1 && *binning <= 64 ? *binning : 1;
}

class SkyscanReader {
  public:
    SkyscanReader(const fs::path& file, const Answers& answers)
        : m_sheet(file, readKeyValues(file, KeySyntax::ini), answers) {}

    ScanDescription read();

  private:
    void readDistances();
    [[nodiscard]] double rowPitch(double pitchMm);
    void readHeight();
    void readAxis();
    [[nodiscard]] std::optional<double> postalignmentPx();
    void readRoll();
    void readAngles();
    void readImages();
    void readBeam();
    void tellParts();
    void tellShifts();
    void readSettings();

    DescriptionSheet m_sheet;
    std::string m_prefix;
};

// The camera's logged distance is 1 to 4 % short of the one that the pixel size follows from.
void SkyscanReader::readDistances() {
    m_sheet.readSize(logged("Number of Columns"), logged("Number of Rows"));
    const double cameraUm = m_sheet.number(anywhere("Camera Pixel Size (um)"));
    const double binning = binningOf(m_sheet.findText(logged("Camera binning")));
    const double objectUm = m_sheet.number(logged("Image Pixel Size (um)"));
    const double sodMm = m_sheet.number(logged("Object to Source (mm)"));
    if (!(objectUm > 0 && cameraUm > 0))
        throwError<InputError>(
            "{}: the camera's pixel size is {} µm and that at the object {} µm; both must be "
            "greater than 0",
            m_sheet.file().string(), cameraUm, objectUm);
    const double pitchMm = cameraUm * binning / 1000;
    const double sddMm = pitchMm * 1000 * sodMm / objectUm;
    m_sheet.takeDistances(
        sodMm, {logged("Object to Source (mm)")}, sddMm,
        {logged("Image Pixel Size (um)"), anywhere("Camera Pixel Size (um)"),
         logged("Camera binning"), logged("Object to Source (mm)")},
        "It follows from the pixel size at the object, as in NRecon; the logged distance of the "
        "camera is a few percent shorter.");
    m_sheet.takePitch({pitchMm, rowPitch(pitchMm)},
                      {anywhere("Camera Pixel Size (um)"), logged("Camera binning")});
    const std::optional<double> cameraMm = m_sheet.findNumber(logged("Camera to Source (mm)"));
    constexpr double kUsualShare = 0.05;
    if (cameraMm && std::abs(sddMm / *cameraMm - 1) > kUsualShare)
        m_sheet.warn("trajectory.sourceToDetectorMm",
                     fmt::format("The pixel size at the object gives {:.6g} mm, but Camera to "
                                 "Source is {:.6g} mm; they differ by a few percent as a rule.",
                                 sddMm, *cameraMm));
}

double SkyscanReader::rowPitch(double pitchMm) {
    const std::optional<double> version = m_sheet.findNumber(anywhere("CameraXYRatio"));
    const std::optional<double> ratio =
        version ? version : m_sheet.findNumber(anywhere("Camera X/YRatio"));
    if (!ratio || *ratio == 1 || *ratio <= 0) return pitchMm;
    const bool isSquare =
        m_sheet.ask("pixelRatio", {"square", "ratio"},
                    fmt::format("Whether pixels are square, as NRecon's cone angles say, or the "
                                "row pitch is the column pitch over {:g}, the camera's ratio.",
                                *ratio)) == 0;
    return isSquare ? pitchMm : pitchMm / *ratio;
}

// The row of the central ray is counted from an edge of the image.
void SkyscanReader::readHeight() {
    const std::optional<double> line = m_sheet.findNumber(logged("Optical Axis (line)"));
    if (!line) return;
    ScanFile& scan = m_sheet.scan();
    Detector& detector = scan.geometry.detector;
    const bool isFromLast = m_sheet.ask("opticalAxis", {"last row", "first row"},
                                        "From which edge of the image Optical Axis counts.") == 0;
    const double up = isFromLast == scan.projections.firstRowIsTop ? 1 : -1;
    detector.offsetMm[1] =
        up * (static_cast<double>(detector.rows) / 2 - *line) * detector.pitchMm[1];
    m_sheet.state("detector.offsetMm[1]", shownNumber(detector.offsetMm[1]), "mm",
                  {logged("Optical Axis (line)")}, likely);
}

// Older logs have the value itself, newer ones a flag and the value by part of the scan.
std::optional<double> SkyscanReader::postalignmentPx() {
    const std::optional<double> part = m_sheet.findNumber(anywhere("Sub-scan post alignment [0]"));
    if (part) return part;
    const std::string applied = m_sheet.findText({"Reconstruction", "Postalignment Applied"});
    const std::optional<double> value = m_sheet.findNumber({"Reconstruction", "Postalignment"});
    return applied == "0" ? std::nullopt : value;
}

void SkyscanReader::readAxis() {
    const std::optional<double> shiftPx = postalignmentPx();
    if (!shiftPx || *shiftPx == 0) return;
    Detector& detector = m_sheet.scan().geometry.detector;
    const double right = m_sheet.scan().projections.isMirrored ? -1 : 1;
    const double sign = m_sheet.askSign(
        "postalignment",
        "To which side NRecon's post-alignment moves the axis: as stated, towards higher columns "
        "of the images.");
    detector.offsetMm[0] = -right * sign * *shiftPx * detector.pitchMm[0];
    m_sheet.state("detector.offsetMm[0]", shownNumber(detector.offsetMm[0]), "mm",
                  {anywhere("Sub-scan post alignment [0]"), {"Reconstruction", "Postalignment"}},
                  unknown, "It is the axis that NRecon took, in pixels.");
}

void SkyscanReader::readRoll() {
    std::optional<double> rollDeg = m_sheet.findNumber(logged("Image Rotation"));
    if (!rollDeg) rollDeg = m_sheet.findNumber(logged("Image Rotation (deg)"));
    if (!rollDeg || *rollDeg == 0) return;
    const std::size_t answer = m_sheet.ask(
        "imageRotation", {"applied", "stated", "negated"},
        "Whether Image Rotation was applied to the images already, or is the camera's roll, as "
        "stated counter-clockwise seen from the source.");
    if (answer > 0) m_sheet.scan().geometry.detector.rollDeg = answer == 1 ? *rollDeg : -*rollDeg;
    m_sheet.state("detector.rollDeg", shownNumber(m_sheet.scan().geometry.detector.rollDeg), "°",
                  {logged("Image Rotation"), logged("Image Rotation (deg)")}, unknown);
}

void SkyscanReader::readAngles() {
    const Index views = m_sheet.readViews(logged("Number of Files"));
    const double stepDeg = m_sheet.number(logged("Rotation Step (deg)"));
    const std::string direction = inLowerCase(m_sheet.findText(logged("Rotation Direction")));
    const std::string path = inLowerCase(m_sheet.findText(logged("Scanning Trajectory")));
    if (!path.empty() && path != "round")
        m_sheet.refuse("trajectory",
                       fmt::format("Scanning Trajectory is \"{}\"; ROUND can be reconstructed.",
                                   quotable(path)));
    const double sign = m_sheet.askRotation(
        direction == "cw" || direction == "c",
        "Which way the gantry turns about the sample, seen from above: no open program uses "
        "Rotation Direction. With the columns as they are taken, the other way blurs.");
    GantryAngles& angles = m_sheet.scan().geometry.angles();
    setEvenAngles(angles, 0, sign * stepDeg, views);
    m_sheet.state(
        "trajectory.arcDeg", shownNumber(angles.arcDeg), "°",
        {logged("Rotation Step (deg)"), logged("Number of Files"), logged("Rotation Direction")},
        likely, "It is the step times the number of files.");
    const double arcDeg = std::abs(angles.arcDeg);
    if (m_sheet.isOn(logged("Use 360 Rotation")) && std::abs(arcDeg - 360) > 2 * std::abs(stepDeg))
        m_sheet.warn(
            "trajectory.arcDeg",
            fmt::format("Use 360 Rotation is YES, but the files' steps make {:.6g}°.", arcDeg));
}

// Reconstructions' logs lie in a folder of their own, below that of the images.
void SkyscanReader::readImages() {
    ScanFile& scan = m_sheet.scan();
    m_prefix = m_sheet.text(logged("Filename Prefix"));
    const Index digits = m_sheet.findCount(logged("Filename Index Length"), 12).value_or(4);
    CountedImages images = countedImages(scan.folder, m_prefix, digits);
    if (!images.isFound) {
        const CountedImages above = countedImages(scan.folder.parent_path(), m_prefix, digits);
        if (above.isFound) {
            images = above;
            scan.folder = scan.folder.parent_path();
            scan.path = scan.folder / "scan.json";
        }
    }
    scan.name = m_prefix;
    scan.projections.files = images.pattern;
    m_sheet.state("projections.files", images.pattern, "",
                  {logged("Filename Prefix"), logged("Filename Index Length")}, certain);
}

void SkyscanReader::readBeam() {
    ProjectionFiles& files = m_sheet.scan().projections;
    files.kind = ProjectionKind::counts;
    const std::optional<double> reference = m_sheet.findNumber(logged("Reference Intensity"));
    constexpr double kLargest = 65535;
    files.flatValue = reference.value_or(kLargest);
    m_sheet.state("projections.flatValue", shownNumber(*files.flatValue), "counts",
                  {logged("Reference Intensity")}, reference ? likely : unknown,
                  reference ? "The images are corrected for dark and flat fields by the scanner."
                            : "The log lacks the open beam's counts; these are the most that 16 "
                              "bits hold.");
}

// Reports scans of several parts.
void SkyscanReader::tellParts() {
    const Index parts = m_sheet.findCount(logged("Number of connected scans"), 1000).value_or(1);
    if (parts > 1)
        m_sheet.warn(
            "projections.files",
            fmt::format("The scan has {} connected parts, one above the other; this is one "
                        "of them, and each is reconstructed by itself.",
                        parts));
    const Index places =
        m_sheet.findCount(logged("Number Of Horizontal Offset Positions"), 1000).value_or(1);
    if (places > 1)
        m_sheet.warn("detector.offsetMm[0]",
                     fmt::format("The camera was at {} places side by side; how images and axis "
                                 "follow is not known, and they are taken as joined about the "
                                 "middle column.",
                                 places));
    const std::string offset = inLowerCase(m_sheet.findText(logged("Camera Offset")));
    if (!offset.empty() && offset != "off")
        m_sheet.warn("detector.offsetMm[0]",
                     "Camera Offset is on: the axis is not on the middle column, and has to be "
                     "found.");
    const double cropX = m_sheet.findNumber(logged("Image crop origin X")).value_or(0);
    const double cropY = m_sheet.findNumber(logged("Image crop origin Y")).value_or(0);
    if (cropX != 0)
        m_sheet.warn(
            "detector.offsetMm[0]",
            fmt::format("The images are cropped from column {:g} and row {:g} on; the crop "
                        "is taken as symmetrical about the axis.",
                        cropX, cropY));
}

// Reports the shifts of views by the stage's random movement or by drift.
void SkyscanReader::tellShifts() {
    const std::string random = m_sheet.findText(logged("Random Movement"));
    if (!random.empty() && !inLowerCase(random).starts_with("off"))
        m_sheet.warn("trajectory",
                     fmt::format("Random Movement is {}: the images are taken as moved back.",
                                 quotable(random)));
    const fs::path table = m_sheet.scan().folder / (m_prefix + "_TS.csv");
    const std::string modified = m_sheet.findText(logged("TS modified at"));
    const std::string by = m_sheet.findText(logged("TS modified according to"));
    const std::string level = m_sheet.findText(logged("TS modified at level"));
    const std::string name = quotable(table.filename().string());
    if (!isRegularFile(table)) {
        if (!modified.empty() || !by.empty() || !level.empty())
            m_sheet.warn(
                "trajectory",
                fmt::format("The shifts of each view are not used: {} is not there.", name));
        return;
    }
    const Index views = m_sheet.scan().geometry.views();
    ViewShifts shifts = readShiftTable(table, views);
    if (std::ssize(shifts) < views)
        return m_sheet.warn("trajectory", fmt::format("{} has shifts of {} views, not of {}; none "
                                                      "is used.",
                                                      name, shifts.size(), views));
    // They are in pixels of the camera.
    const double binning = binningOf(m_sheet.findText(logged("Camera binning")));
    for (auto& [columns, rows] : shifts) {
        columns /= binning;
        rows /= binning;
    }
    askViewShifts(m_sheet, shifts, name);
}

// Reads the settings that NRecon reconstructed with.
void SkyscanReader::readSettings() {
    constexpr KeyName kFilter = {"Reconstruction", "Filter type description"};
    constexpr KeyName kCutoff = {"Reconstruction", "Filter cutoff relative to Nyquist frequency"};
    const std::string filter = inLowerCase(m_sheet.findText(kFilter));
    const auto* const window = std::ranges::find_if(
        kFilterWindows, [&](const FieldWord& each) { return filter.starts_with(each.word); });
    if (window != std::end(kFilterWindows))
        m_sheet.setting("filter", kFilter, "", "filter.window", std::string(window->word));
    else
        m_sheet.setting("filter", kFilter, "", "", "", "Gantry has no such window");
    const double percent = m_sheet.findNumber(kCutoff).value_or(0);
    if (percent >= 5 && percent <= 100)
        m_sheet.setting("filter's cut-off", kCutoff, "%", "filter.cutoff",
                        shownNumber(percent / 100));
    else
        m_sheet.setting("filter's cut-off", kCutoff, "%", "", "",
                        "Gantry's cut-off is 5 to 100 % of the Nyquist frequency");
    const auto keep = [&](const char* name, std::string_view key, const char* unit) {
        m_sheet.setting(name, {"Reconstruction", key}, unit, "", "",
                        "it is in terms of NRecon, and nothing public says what they mean");
    };
    keep("smoothing", "Smoothing", "");
    keep("ring removal", "Ring Artifact Correction", "");
    keep("beam hardening", "Beam Hardening Correction (%)", "%");
}

ScanDescription SkyscanReader::read() {
    m_sheet.askOrientation(false, unknown, unknown);
    readDistances();
    readHeight();
    readAxis();
    readRoll();
    readAngles();
    readImages();
    readBeam();
    tellParts();
    tellShifts();
    readSettings();
    return m_sheet.finish("Bruker SkyScan", kSkyscanKeys);
}

bool isSkyscan(const fs::path& file, std::string_view begin) {
    return inLowerCase(file.extension().string()) == ".log" &&
           trimmed(begin).starts_with("[System]") &&
           begin.find("[Acquisition]") != std::string_view::npos;
}

}  // namespace

DescriptionFormat skyscanDescriptions() {
    return {"skyscan",
            "Bruker SkyScan",
            {".log"},
            isSkyscan,
            GeometryFormat::scan,
            [](const fs::path& file, const Answers& answers) {
                return SkyscanReader(file, answers).read();
            }};
}

}  // namespace gantry
