#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/text.h"
#include "core/base/throw_error.h"
#include "core/describe/description_sheet.h"
#include "core/describe/makers.h"
#include "core/describe/view_shifts.h"
#include "core/describe/zeiss_streams.h"
#include "core/geometry/check/problem_list.h"
#include "core/io/xradia/xradia_file.h"

namespace gantry {

namespace fs = std::filesystem;

namespace {

using enum StatedCertainty;

constexpr double kMicronsPerMm = 1000;
constexpr double kRepeats =
    5e-3;  // of exposures and distances, which drives and clocks repeat better

constexpr KeyName kGeometry = {"ImageInfo", "XrayGeometry"};
constexpr KeyName kToSource = {"ImageInfo", "StoRADistance"};
constexpr KeyName kToDetector = {"ImageInfo", "DtoRADistance"};
constexpr KeyName kPixelSize = {"ImageInfo", "PixelSize"};
constexpr KeyName kCenterShift = {"ReconSettings", "CenterShift"};
constexpr KeyName kShiftX = {"Alignment", "X-Shifts"};
constexpr KeyName kShiftY = {"Alignment", "Y-Shifts"};

double largestOf(const std::vector<double>& values) {
    double largest = 0;
    for (const double value : values)
        largest = std::max(largest, std::abs(value));
    return largest;
}

class ZeissReader {
  public:
    ZeissReader(const fs::path& path, const Answers& answers)
        : m_file(path), m_images(m_file.images()), m_sheet(path, zeissStreams(m_file), answers) {}

    ScanDescription read();

  private:
    [[nodiscard]] std::vector<double> listOf(KeyName name, Index count);
    [[nodiscard]] std::vector<double> neededList(KeyName name, Index count);
    [[nodiscard]] bool isParallel();
    [[nodiscard]] double distanceMm(KeyName name);
    void readBeam();
    void readViews();
    void readAxis();
    [[nodiscard]] bool askShifts(bool isParallel, const std::string& largest);
    void readShifts();
    void readImages();
    void readReference();
    void askExposures();

    XradiaFile m_file;
    XradiaImages m_images;
    DescriptionSheet m_sheet;
};

// The list of a stream, of which there may be more values than views.
std::vector<double> ZeissReader::listOf(KeyName name, Index count) {
    const std::string path = fmt::format("{}/{}", name.section, name.key);
    std::vector<double> values = m_file.numbers(path, count);
    for (std::size_t i = 0; i < values.size(); ++i)
        if (!std::isfinite(values[i]))
            throwError<InputError>("{}: {}: value {} is {}; it must be a finite number",
                                   m_sheet.file().string(), path, i, values[i]);
    return values;
}

std::vector<double> ZeissReader::neededList(KeyName name, Index count) {
    std::vector<double> values = listOf(name, count);
    if (std::ssize(values) < count)
        throwError<InputError>("{}: {}/{} has {} values; the scan needs {}",
                               m_sheet.file().string(), name.section, name.key, values.size(),
                               count);
    return values;
}

// With a parallel beam both distances are 1, which means nothing.
bool ZeissReader::isParallel() {
    constexpr double kConeCode = 1;
    constexpr double kParallelCode = 2;
    const std::optional<double> code = m_sheet.findNumber(kGeometry);
    const bool isStated = code && (*code == kConeCode || *code == kParallelCode);
    const bool isDummy =
        neededList(kToSource, 1).front() == 1 && neededList(kToDetector, 1).front() == 1;
    const bool isParallel = isStated ? *code == kParallelCode : isDummy;
    m_sheet.state(
        "trajectory.type", isParallel ? "parallel" : "circular", "", {kGeometry},
        isStated ? certain : likely,
        isStated ? "" : "XrayGeometry has no value that is known; the distances show it.");
    return isParallel;
}

double ZeissReader::distanceMm(KeyName name) {
    const std::vector<double> all = listOf(name, std::ssize(m_images.streams));
    const double first = neededList(name, 1).front();
    const auto [least, largest] = std::ranges::minmax(all);
    if (std::abs(largest - least) > kRepeats * std::abs(first))
        m_sheet.warn("trajectory.sourceToIsocenterMm",
                     fmt::format("{} varies from {:g} to {:g} mm over the views; that of the first "
                                 "one is taken.",
                                 name.key, least, largest));
    return std::abs(first);
}

void ZeissReader::readBeam() {
    m_sheet.readSize({"ImageInfo", "ImageWidth"}, {"ImageInfo", "ImageHeight"});
    const double atObjectMm = m_sheet.number(kPixelSize) / kMicronsPerMm;
    if (isParallel()) {
        m_sheet.scan().geometry.trajectory = ParallelBeam{};
        return m_sheet.takePitch({atObjectMm, atObjectMm}, {kPixelSize});
    }
    const double sodMm = distanceMm(kToSource);
    const double sddMm = sodMm + distanceMm(kToDetector);
    m_sheet.takeDistances(sodMm, {kToSource}, sddMm, {kToSource, kToDetector},
                          "It is the sum of both distances, whose signs mean nothing.");
    const double pitchMm = atObjectMm * sddMm / sodMm;
    m_sheet.takePitch({pitchMm, pitchMm}, {kPixelSize, kToSource, kToDetector},
                      "PixelSize is that at the object; this is the one at the detector.");
}

void ZeissReader::readViews() {
    constexpr KeyName kPlanned = {"ImageInfo", "NoOfImages"};
    constexpr KeyName kTaken = {"ImageInfo", "ImagesTaken"};
    constexpr KeyName kAngles = {"ImageInfo", "Angles"};
    const auto views = std::ssize(m_images.streams);
    const Index planned = m_sheet.count(kPlanned, kMaxViews);
    m_sheet.state("trajectory.views", fmt::format("{}", views), "", {kTaken, kPlanned}, certain);
    if (views < planned)
        m_sheet.warn(
            "trajectory.views",
            fmt::format("The scan ended early: {} of {} images were taken.", views, planned));
    const double sign = m_sheet.askRotation(
        true,
        "Which way the gantry turns about the sample as Angles grow, seen from above: with the "
        "columns of the images as they are taken, the other way blurs a cone beam's volume, and "
        "mirrors that of a parallel beam.");
    GantryAngles& angles = m_sheet.scan().geometry.angles();
    angles.anglesDeg = neededList(kAngles, views);
    for (double& angle : angles.anglesDeg)
        angle = sign * angle + 0.0;
    angles.views = views;
    m_sheet.state(
        "trajectory.anglesDeg",
        fmt::format("{} angles from {} to {}", views, shownNumber(angles.anglesDeg.front()),
                    shownNumber(angles.anglesDeg.back())),
        "°", {kAngles}, likely, "They may be uneven. Their sense is that of rotation.");
}

void ZeissReader::readAxis() {
    ScanFile& scan = m_sheet.scan();
    Detector& detector = scan.geometry.detector;
    const double shiftPx = m_sheet.findNumber(kCenterShift).value_or(0);
    if (shiftPx != 0) {
        const double sign = m_sheet.askSign(
            "axisOffset",
            "To which side CenterShift moves the axis: as stated, towards lower columns of the "
            "images.");
        const double right = scan.projections.isMirrored ? -1 : 1;
        detector.offsetMm[0] = right * sign * shiftPx * detector.pitchMm[0];
    }
    m_sheet.state("detector.offsetMm", shownPair(detector.offsetMm[0], detector.offsetMm[1]), "mm",
                  {kCenterShift}, unknown,
                  shiftPx == 0 ? "The axis is taken to be in the middle of the images." : "");
}

// The images of the one public scan with a parallel beam are shifted already, by what its file
// lists; other readers shift those of cone beams.
bool ZeissReader::askShifts(bool isParallel, const std::string& largest) {
    const std::string what =
        fmt::format("Whether each view is shifted by X-Shifts and Y-Shifts, up to {}.", largest);
    if (isParallel) return m_sheet.ask("shifts", {"left out", "used"}, what) == 1;
    return m_sheet.ask("shifts", {"used", "left out"}, what) == 0;
}

void ZeissReader::readShifts() {
    const auto views = std::ssize(m_images.streams);
    std::vector<double> columnsPx = listOf(kShiftX, views);
    std::vector<double> rowsPx = listOf(kShiftY, views);
    columnsPx.resize(views);
    rowsPx.resize(views);
    const std::string largest =
        fmt::format("{:.3g} columns and {:.3g} rows", largestOf(columnsPx), largestOf(rowsPx));
    if (largestOf(columnsPx) == 0 && largestOf(rowsPx) == 0) return;
    const bool isParallel = m_sheet.scan().geometry.isParallel();
    const bool isUsed = askShifts(isParallel, largest);
    if (isUsed) {
        const double sign =
            m_sheet.askSign("shiftY",
                            "Which way Y-Shifts move a view: as stated, towards higher rows of the "
                            "stored images.");
        // What is shifted by so much is where the other views have it, so its detector stood there.
        ViewShifts byPx;
        for (std::size_t i = 0; i < columnsPx.size(); ++i)
            byPx.push_back({columnsPx[i], sign * rowsPx[i]});
        moveDetectors(m_sheet.scan(), byPx);
    }
    m_sheet.state("trajectory.poses",
                  fmt::format("{} {}", isUsed ? "up to" : "not used, up to", largest), "px",
                  {kShiftX, kShiftY}, isParallel ? unknown : likely,
                  fmt::format("X-Shifts and Y-Shifts are the total of all kinds. {}",
                              isUsed ? "The views' detectors are shifted by as much."
                                     : "The images are taken to be shifted already."));
}

// There are no dark images: the maker's are taken as subtracted already.
void ZeissReader::readImages() {
    ProjectionFiles& files = m_sheet.scan().projections;
    const std::string name = m_sheet.file().filename().string();
    files.files = name;
    files.kind = ProjectionKind::counts;
    m_sheet.state("projections.files", name, "", {{"ImageData1", "Image1"}}, certain,
                  "The images are in the file itself.");
    readReference();
    if (m_sheet.findNumber({"ImageInfo", "MosiacMode"}).value_or(0) != 0)
        m_sheet.warn("projections.files",
                     "The images are a mosaic (MosiacMode); they are taken as joined.");
    askExposures();
}

void ZeissReader::readReference() {
    ProjectionFiles& files = m_sheet.scan().projections;
    const bool isCorrected = m_sheet.isOn({"ImageInfo", "OriginalDataRefCorrected"});
    if (!isCorrected && !m_file.references().streams.empty()) {
        files.flat = files.files;
        return m_sheet.state("projections.flat", files.flat, "",
                             {{"ReferenceData", "Image"}, {"MultiReferenceData", "Image1"}}, likely,
                             "Like the images it is taken to be without the dark signal.");
    }
    constexpr double kOfCounts = 65535;
    files.flatValue = kOfCounts;
    m_sheet.state("projections.flatValue", shownNumber(kOfCounts), "counts", {}, unknown,
                  isCorrected ? "The images are divided by the reference image already."
                              : "There is no reference image.");
}

// The source states them as the beam's monitor, by which views and reference are divided.
void ZeissReader::askExposures() {
    const std::vector<double> seconds = m_file.exposures(FrameKind::projections);
    if (seconds.empty()) return;
    const auto [least, largest] = std::ranges::minmax(seconds);
    const double ofReference =
        m_file.exposures(FrameKind::flat).empty() ? 0 : m_file.exposures(FrameKind::flat).front();
    ProjectionFiles& files = m_sheet.scan().projections;
    if (files.flat.empty()) {
        if (largest - least > kRepeats * largest)
            m_sheet.warn("projections.files",
                         fmt::format("ExpTimes are {:g} to {:g} s; the views are not scaled by "
                                     "them, as there is no reference image.",
                                     least, largest));
        return;
    }
    const bool isScaled =
        m_sheet.ask("exposures", {"scaled", "as stored"},
                    fmt::format("Whether counts grow with the exposure: views were exposed for "
                                "{:g} to {:g} s, and the reference image for {:g} s. Programs "
                                "differ on it; only the level of the volume shows it.",
                                least, largest, ofReference)) == 0;
    files.ignoresMonitor = !isScaled;
    m_sheet.state("projections.ignoreMonitor", isScaled ? "false" : "true", "",
                  {{"ImageInfo", "ExpTimes"}, {"ReferenceData", "ExpTime"}}, unknown,
                  "Views and reference image are divided by their exposures, unless it is true.");
}

ScanDescription ZeissReader::read() {
    m_sheet.askOrientation(false, likely, unknown);
    readBeam();
    readViews();
    readAxis();
    readShifts();
    readImages();
    return m_sheet.finish("ZEISS Xradia", zeissIgnored());
}

// By its name: .xrm of single images and .txm of volumes begin in the same way.
bool isZeiss(const fs::path& file, std::string_view) {
    return inLowerCase(file.extension().string()) == ".txrm";
}

}  // namespace

DescriptionFormat zeissDescriptions() {
    return {"zeiss",
            "ZEISS Xradia",
            {".txrm"},
            isZeiss,
            GeometryFormat::scan,
            [](const fs::path& file, const Answers& answers) {
                return ZeissReader(file, answers).read();
            }};
}

}  // namespace gantry
