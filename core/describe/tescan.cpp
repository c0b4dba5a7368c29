#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <string>

#include "core/base/file.h"
#include "core/base/text.h"
#include "core/describe/description_sheet.h"
#include "core/describe/makers.h"
#include "core/describe/scan_parts.h"
#include "core/geometry/check/problem_list.h"

namespace gantry {

namespace fs = std::filesystem;

namespace {

using enum StatedCertainty;

constexpr KeyName ofCt(std::string_view key) {
    return {"CT-parameters IN", key};
}
constexpr KeyName ofSet(std::string_view key) {
    return {"Data set settings", key};
}
constexpr KeyName ofScan(std::string_view key) {
    return {"Acquisition settings", key};
}

constexpr KnownKey kTescanKeys[] = {
    {{"CT-parameters IN", ""}, "a setting of the maker's reconstruction, not of the scan"},
    {{"Camera settings", ""}, kNoteOnly},
    {{"Acquisition settings", ""}, "how the scan was run"},
    {{"Data set settings", ""}, "how the maker's program was to read the images"},
    {{"Scantype", ""}, kNoteOnly},
    {{"Sample info", ""}, kNoteOnly},
    {{"Scan info", ""}, kNoteOnly},
    {{"Tube settings", ""}, kNoteOnly},
    {{"motor positions", ""}, "positions of the machine's axes; the distances follow from them"},
    {{"POIs", ""}, "places in the machine; COR, HC and VC follow from them"},
};

class TescanReader {
  public:
    TescanReader(const fs::path& file, const Answers& answers)
        : m_sheet(file, readKeyValues(file, KeySyntax::ini), answers) {}

    ScanDescription read();

  private:
    void readDetector();
    void placeAxis();
    void readAngles();
    void readImages();
    void takeFrames(const char* prefix, const char* what, KeyName number, std::string& pattern);
    void tellRest();

    DescriptionSheet m_sheet;
};

void TescanReader::readDetector() {
    m_sheet.takeDistances(m_sheet.number(ofCt("SOD")), {ofCt("SOD")}, m_sheet.number(ofCt("SDD")),
                          {ofCt("SDD")});
    m_sheet.readSize({"Camera settings", "Columns"}, {"Camera settings", "Rows"});
    const double pitchMm = m_sheet.number(ofCt("Pixel size"));
    m_sheet.takePitch({pitchMm, pitchMm}, {ofCt("Pixel size")}, "It is the pitch after binning.");
}

// HC and VC are where the central ray meets the images, COR is where the axis is seen, in pixels.
void TescanReader::placeAxis() {
    ScanFile& scan = m_sheet.scan();
    CircularCone& cone = scan.geometry.cone();
    Detector& detector = scan.geometry.detector;
    const bool isFromEdge =
        m_sheet.ask("pixelZero", {"edge", "centre"},
                    "Where HC, VC and COR are 0: at the edge of the first pixel, as the places of "
                    "the panel in the machine suggest, or half a pixel further in.") == 0;
    const double last = isFromEdge ? 0 : 1;
    const double middleX = (static_cast<double>(detector.columns) - last) / 2;
    const double middleY = (static_cast<double>(detector.rows) - last) / 2;
    const double centerX = m_sheet.findNumber(ofCt("HC")).value_or(middleX);
    const double centerY = m_sheet.findNumber(ofCt("VC")).value_or(middleY);
    const double axis = m_sheet.findNumber(ofCt("COR")).value_or(centerX);
    const double right = scan.projections.isMirrored ? -1 : 1;
    const double down = scan.projections.firstRowIsTop ? -1 : 1;
    detector.offsetMm = {right * (middleX - centerX) * detector.pitchMm[0],
                         down * (middleY - centerY) * detector.pitchMm[1]};
    moveAxis(scan, (axis - centerX) * detector.pitchMm[0] * cone.sourceToIsocenterMm /
                       cone.sourceToDetectorMm);
    m_sheet.state("trajectory.sourceOffsetMm",
                  shownPair(cone.sourceOffsetMm[0], cone.sourceOffsetMm[1]), "mm",
                  {ofCt("COR"), ofCt("HC")}, likely);
    m_sheet.state("detector.offsetMm", shownPair(detector.offsetMm[0], detector.offsetMm[1]), "mm",
                  {ofCt("HC"), ofCt("VC"), ofCt("COR")}, likely);
}

void TescanReader::readAngles() {
    const Index views = m_sheet.readViews(ofScan("total projections"));
    const double startDeg = m_sheet.number(ofCt("Start angle"));
    const double lastDeg = m_sheet.number(ofCt("Last angle"));
    const double sign = m_sheet.askRotation(
        m_sheet.findNumber(ofCt("Direction")).value_or(0) != 0,
        "Which way the gantry turns about the sample, seen from above: nothing public says what "
        "Direction means. With the columns as they are taken, the other way blurs.");
    GantryAngles& angles = m_sheet.scan().geometry.angles();
    setEvenAngles(angles, sign * startDeg, sign * (lastDeg - startDeg) / static_cast<double>(views),
                  views);
    m_sheet.state("trajectory.arcDeg", shownNumber(angles.arcDeg), "°",
                  {ofCt("Start angle"), ofCt("Last angle"), ofCt("Direction")}, likely,
                  "The last angle is that of the view after the last one.");
}

// Images of a kind, or as the maker calls them, where they are not there.
void TescanReader::takeFrames(const char* prefix, const char* what, KeyName number,
                              std::string& pattern) {
    constexpr Index kDigits = 6;
    const CountedImages images = countedImages(m_sheet.scan().folder, prefix, kDigits);
    const Index stated = m_sheet.findCount(number, kMaxViews).value_or(0);
    if (!images.isFound && stated == 0) return;
    pattern = images.pattern;
    m_sheet.state(fmt::format("projections.{}", what), pattern, "", {number}, likely,
                  "The maker's program calls them so.");
}

void TescanReader::readImages() {
    ScanFile& scan = m_sheet.scan();
    ProjectionFiles& files = scan.projections;
    const std::string prefix = m_sheet.text(ofScan("File base name"));
    files.files = countedImages(scan.folder, prefix, 6).pattern;
    files.kind = ProjectionKind::counts;
    m_sheet.state("projections.files", files.files, "", {ofScan("File base name")}, certain);
    takeFrames("di", "dark", ofSet("number offset images"), files.dark);
    takeFrames("io", "flat", ofSet("number gain images"), files.flat);
    if (!files.flat.empty()) return;
    constexpr double kLargest = 65535;
    files.flatValue = kLargest;
    m_sheet.state("projections.flatValue", shownNumber(kLargest), "counts", {}, unknown,
                  "There are no images of the open beam; these are the most that 16 bits hold.");
}

void TescanReader::tellRest() {
    const std::string mode = m_sheet.findText(ofScan("Vertical mode"));
    if (!mode.empty() && inLowerCase(mode) != "cone beam")
        m_sheet.refuse("trajectory", fmt::format("Vertical mode is \"{}\"; Cone beam can be "
                                                 "reconstructed.",
                                                 quotable(mode)));
    if (m_sheet.findCount(ofScan("nr of sections"), kMaxViews).value_or(1) > 1)
        m_sheet.refuse("trajectory",
                       "nr of sections is above 1: sections above each other cannot be "
                       "reconstructed from one description yet.");
    if (m_sheet.findNumber(ofCt("Tilt")).value_or(0) != 0)
        m_sheet.warn("detector.rollDeg",
                     "Tilt is not 0; nothing public says what it leans, so it is not used.");
    if (m_sheet.findNumber(ofSet("import binning")).value_or(1) != 1 ||
        m_sheet.findNumber(ofSet("decimate value")).value_or(1) != 1)
        m_sheet.warn("projections.files",
                     "The maker's program was to bin the images or to leave some out; they are "
                     "taken as they lie there.");
    if (m_sheet.isOn(ofSet("import use slope/offset")))
        m_sheet.warn("projections.files",
                     "The maker's program was to scale the images by Slope and Offset; they are "
                     "taken as they lie there.");
    if (m_sheet.findNumber(ofCt("EFOV axis")).value_or(0) != 0)
        m_sheet.warn("detector.offsetMm[0]",
                     "EFOV axis is not 0: how an extended field of view was joined is not known.");
}

ScanDescription TescanReader::read() {
    m_sheet.askOrientation(false, likely, likely);
    readDetector();
    placeAxis();
    readAngles();
    readImages();
    tellRest();
    return m_sheet.finish("Tescan (XRE)", kTescanKeys);
}

bool isTescan(const fs::path& file, std::string_view begin) {
    return inLowerCase(file.extension().string()) == ".txt" &&
           begin.find("[Scantype]") != std::string_view::npos &&
           begin.find("[Camera settings]") != std::string_view::npos;
}

}  // namespace

DescriptionFormat tescanDescriptions() {
    return {"tescan",
            "Tescan (XRE)",
            {".txt"},
            isTescan,
            GeometryFormat::scan,
            [](const fs::path& file, const Answers& answers) {
                return TescanReader(file, answers).read();
            }};
}

}  // namespace gantry
