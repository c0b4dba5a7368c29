#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/text.h"
#include "core/base/throw_error.h"
#include "core/describe/description_sheet.h"
#include "core/describe/makers.h"
#include "core/geometry/views/angle_list.h"
#include "core/io/series/match_files.h"
#include "core/io/varian/hnd_header.h"

namespace gantry {

namespace fs = std::filesystem;

namespace {

using enum StatedCertainty;

// Public readers look for names alone, so the groups that they are in may differ.
constexpr KeyName obi(std::string_view key) {
    return {"", key};
}

constexpr KnownKey kObiKeys[] = {
    {{"", "DetectorSizeX"}, "the images have their size and pitch"},
    {{"", "DetectorSizeY"}, "the images have their size and pitch"},
    {{"", ""}, "a setting of the machine or of the treatment, or a note"},
};

class ObiReader {
  public:
    ObiReader(const fs::path& file, const Answers& answers)
        : m_sheet(file, readKeyValues(file, KeySyntax::xml), answers) {}

    ScanDescription read();

  private:
    void findImages();
    void readDetector();
    void placeDetector();
    void readAngles();

    DescriptionSheet m_sheet;
    std::vector<std::optional<XimHeader>> m_images;  // none where one cannot be read
};

bool hasHndImages(const fs::path& folder) {
    return std::ranges::any_of(entriesOf(folder), isHndName);
}

// Images lie beside the file, or in a folder of their own.
void ObiReader::findImages() {
    ScanFile& scan = m_sheet.scan();
    ProjectionFiles& files = scan.projections;
    fs::path below;
    const fs::path folder = scan.folder.empty() ? fs::path(".") : scan.folder;
    if (!hasHndImages(folder))
        for (const fs::path& entry : entriesOf(folder))
            if (below.empty() && isFolder(entry) && hasHndImages(entry)) below = entry.filename();
    files.files = (below / "*.hnd").string();
    files.kind = ProjectionKind::counts;
    for (const fs::path& image : matchViews(folder, files.files)) {
        try {
            m_images.emplace_back(readHndHeader(image));
        } catch (const InputError&) {
            m_images.emplace_back();
        }
    }
    m_sheet.state("projections.files", files.files, "", {}, likely,
                  "The maker's programs call images so.");
    constexpr double kLargest = 65535;
    files.flatValue = kLargest;
    m_sheet.state("projections.flatValue", shownNumber(kLargest), "counts", {}, unknown,
                  "The open beam is not stated; these are the most that 16 bits hold.");
}

void ObiReader::readDetector() {
    const auto image =
        std::ranges::find_if(m_images, [](const auto& one) { return one.has_value(); });
    if (image == m_images.end())
        throwError<InputError>("{}: none of the {} .hnd images can be read",
                               m_sheet.file().string(), m_images.size());
    Detector& detector = m_sheet.scan().geometry.detector;
    detector.columns = (*image)->shape.columns;
    detector.rows = (*image)->shape.rows;
    m_sheet.state("detector.columns", fmt::format("{}", detector.columns), "px", {}, certain,
                  "The images say it.");
    m_sheet.state("detector.rows", fmt::format("{}", detector.rows), "px", {}, certain,
                  "The images say it.");
    const auto& stated = (*image)->properties;
    const auto pitchOf = [&](const char* name) {
        const auto found = stated.find(name);
        return found == stated.end() ? 0.0 : found->second;
    };
    m_sheet.takePitch({pitchOf("PixelWidthMm"), pitchOf("PixelHeightMm")}, {},
                      "The images say it.");
    m_sheet.takeDistances(m_sheet.number(obi("CalibratedSAD")), {obi("CalibratedSAD")},
                          m_sheet.number(obi("CalibratedSID")), {obi("CalibratedSID")},
                          "CalibratedSID is the distance from the source to the imager.");
}

// The panel is moved aside where it sees half of the object at a time.
void ObiReader::placeDetector() {
    ScanFile& scan = m_sheet.scan();
    double u = m_sheet.findNumber(obi("CalibratedDetectorOffsetX")).value_or(0);
    const double v = m_sheet.findNumber(obi("CalibratedDetectorOffsetY")).value_or(0);
    const double lateralMm = m_sheet.findNumber(obi("DetectorPosLat")).value_or(0);
    if (inLowerCase(m_sheet.findText(obi("FanType"))) == "halffan") u += lateralMm;
    double sign = 1;
    if (u != 0 || v != 0)
        sign = m_sheet.askSign("detectorOffset",
                               "To which side the offsets move the imager: as stated, towards "
                               "higher columns and rows, as an open reader has it.");
    const double right = scan.projections.isMirrored ? -1 : 1;
    const double up = scan.projections.firstRowIsTop ? -1 : 1;
    scan.geometry.detector.offsetMm = {sign * right * u, sign * up * v};
    m_sheet.state("detector.offsetMm",
                  shownPair(scan.geometry.detector.offsetMm[0], scan.geometry.detector.offsetMm[1]),
                  "mm",
                  {obi("CalibratedDetectorOffsetX"), obi("CalibratedDetectorOffsetY"),
                   obi("DetectorPosLat"), obi("FanType")},
                  likely, "DetectorPosLat counts for a half fan alone.");
}

// An image that cannot be read has the angle of the one before.
void ObiReader::readAngles() {
    const double sign = m_sheet.askRotation(
        false,
        "Which way the angle of the images counts: as an open reader has it, "
        "counter-clockwise seen from the end of the axis that the last rows show.");
    std::vector<double> stated;
    for (const std::optional<XimHeader>& image : m_images) {
        double angle = stated.empty() ? 0 : stated.back();
        if (image && image->properties.contains("KVSourceRtn"))
            angle = sign * image->properties.at("KVSourceRtn");
        stated.push_back(angle);
    }
    GantryAngles& angles = m_sheet.scan().geometry.angles();
    angles.anglesDeg = angleListOf(stated);
    angles.views = std::ssize(angles.anglesDeg);
    m_sheet.state("trajectory.anglesDeg", fmt::format("{} angles", angles.views), "°", {}, likely,
                  "Each image states its own.");
}

ScanDescription ObiReader::read() {
    m_sheet.askOrientation(false, likely, unknown, false);
    findImages();
    readDetector();
    placeDetector();
    readAngles();
    return m_sheet.finish("Varian OBI", kObiKeys);
}

bool isObi(const fs::path& file, std::string_view begin) {
    return inLowerCase(file.extension().string()) == ".xml" &&
           begin.find("CalibratedSAD") != std::string_view::npos;
}

}  // namespace

DescriptionFormat varianObiDescriptions() {
    return {"varian-obi",
            "Varian OBI",
            {".xml"},
            isObi,
            GeometryFormat::scan,
            [](const fs::path& file, const Answers& answers) {
                return ObiReader(file, answers).read();
            }};
}

}  // namespace gantry
