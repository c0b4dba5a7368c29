#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/text.h"
#include "core/describe/description_sheet.h"
#include "core/describe/makers.h"
#include "core/describe/scan_parts.h"
#include "core/geometry/check/problem_list.h"
#include "core/io/series/match_files.h"
#include "core/io/varian/xim_file.h"

namespace gantry {

namespace fs = std::filesystem;

namespace {

using enum StatedCertainty;

constexpr KeyName ofRun(std::string_view key) {
    return {"Acquisitions", key};
}

constexpr KnownKey kVarianKeys[] = {
    {{"", ""}, "a setting of the machine or of the treatment, or a note"},
};

class VarianReader {
  public:
    VarianReader(const fs::path& file, const Answers& answers)
        : m_sheet(file, readKeyValues(file, KeySyntax::xml), answers) {}

    ScanDescription read();

  private:
    void readDetector();
    void findImages();
    void findFlats();
    [[nodiscard]] std::vector<double> sourceAngles();
    void readAngles();

    DescriptionSheet m_sheet;
    std::vector<fs::path> m_images;
};

void VarianReader::readDetector() {
    m_sheet.takeDistances(m_sheet.number(ofRun("SAD")), {ofRun("SAD")},
                          m_sheet.number(ofRun("SID")), {ofRun("SID")},
                          "SID is the distance from the source to the imager.");
    m_sheet.readSize(ofRun("ImagerSizeX"), ofRun("ImagerSizeY"));
    m_sheet.takePitch({m_sheet.number(ofRun("ImagerResX")), m_sheet.number(ofRun("ImagerResY"))},
                      {ofRun("ImagerResX"), ofRun("ImagerResY")});
    const double lateralMm = m_sheet.findNumber(ofRun("ImagerLat")).value_or(0);
    ScanFile& scan = m_sheet.scan();
    double sign = scan.projections.isMirrored ? -1 : 1;
    if (lateralMm != 0)
        sign *= m_sheet.askSign("detectorOffset",
                                "To which side ImagerLat moves the imager: as stated, towards "
                                "higher columns of the images, as two open readers have it.");
    scan.geometry.detector.offsetMm = {sign * lateralMm, 0};
    m_sheet.state("detector.offsetMm", shownPair(scan.geometry.detector.offsetMm[0], 0), "mm",
                  {ofRun("ImagerLat")}, likely);
}

// Images lie in a numbered folder for each run.
void VarianReader::findImages() {
    ScanFile& scan = m_sheet.scan();
    ProjectionFiles& files = scan.projections;
    std::vector<fs::path> runs;
    if (isFolder(scan.folder / "Acquisitions"))
        for (const fs::path& entry : entriesOf(scan.folder / "Acquisitions"))
            if (isFolder(entry)) runs.push_back(entry);
    const fs::path run = runs.empty() ? fs::path("*") : runs.front().filename();
    if (runs.size() > 1)
        m_sheet.warn("projections.files",
                     fmt::format("There are {} runs below Acquisitions; {} is taken.", runs.size(),
                                 run.string()));
    files.files = (fs::path("Acquisitions") / run / "Proj_*.xim").string();
    files.kind = ProjectionKind::counts;
    m_sheet.state("projections.files", files.files, "", {}, likely,
                  "The maker's programs call them so.");
    if (!runs.empty()) m_images = matchViews(scan.folder, files.files);
}

// The open beam, with the bow-tie filter or without.
void VarianReader::findFlats() {
    ScanFile& scan = m_sheet.scan();
    ProjectionFiles& files = scan.projections;
    constexpr int kMaxFoldersDeep = 4;
    const fs::path below = scan.folder / "Calibrations";
    std::error_code ignored;
    for (fs::recursive_directory_iterator at(below, ignored), end; !ignored && at != end;
         at.increment(ignored)) {
        if (at.depth() >= kMaxFoldersDeep) at.disable_recursion_pending();
        const std::string name = at->path().filename().string();
        if (!name.starts_with("Filter") || !inLowerCase(name).ends_with(".xim")) continue;
        files.flat =
            (at->path().parent_path().lexically_relative(scan.folder) / "Filter*.xim").string();
        m_sheet.state("projections.flat", files.flat, "", {}, likely,
                      "Both are divided by the dose that each image states (KVNormChamber).");
        return;
    }
    constexpr double kLargest = 65535;
    files.flatValue = kLargest;
    m_sheet.state("projections.flatValue", shownNumber(kLargest), "counts", {}, unknown,
                  "There are no images of the open beam (Calibrations/Air-…/Filter….xim).");
}

// Where each image has the source, degrees; one that cannot be read is as the one before.
std::vector<double> VarianReader::sourceAngles() {
    std::vector<double> angles;
    angles.reserve(m_images.size());
    for (const fs::path& image : m_images) {
        try {
            const XimHeader header = readXimHeader(image);
            const auto source = header.properties.find("KVSourceRtn");
            const auto gantry = header.properties.find("GantryRtn");
            constexpr double kFromGantry = 90;
            if (source != header.properties.end())
                angles.push_back(source->second);
            else if (gantry != header.properties.end())
                angles.push_back(gantry->second + kFromGantry);
            else
                return {};
        } catch (const InputError&) {
            angles.push_back(angles.empty() ? 0 : angles.back());
        }
    }
    return angles;
}

void VarianReader::readAngles() {
    std::vector<double> sourceDeg = sourceAngles();
    const double startDeg = m_sheet.findNumber(ofRun("StartAngle")).value_or(0);
    const double stopDeg = m_sheet.findNumber(ofRun("StopAngle")).value_or(startDeg + 360);
    const double sign = m_sheet.askRotation(
        true,
        "Which way the gantry's angle counts, seen from above the first row's end of the axis: two "
        "open readers differ, and are mirror images of each other.");
    GantryAngles& angles = m_sheet.scan().geometry.angles();
    constexpr double kHalf = 180;
    const auto turned = [&](double deg) { return kHalf + sign * deg; };
    if (sourceDeg.empty()) {
        const Index views = std::max<Index>(std::ssize(m_images), 1);
        setEvenAngles(angles, turned(startDeg),
                      sign * (stopDeg - startDeg) / static_cast<double>(views), views);
        m_sheet.state("trajectory.arcDeg", shownNumber(angles.arcDeg), "°",
                      {ofRun("StartAngle"), ofRun("StopAngle")}, unknown,
                      "No image states its angle, so even steps are taken.");
        return;
    }
    for (double& angle : sourceDeg)
        angle = turned(angle);
    angles.anglesDeg = std::move(sourceDeg);
    angles.views = std::ssize(angles.anglesDeg);
    m_sheet.state("trajectory.anglesDeg", fmt::format("{} angles", angles.anglesDeg.size()), "°",
                  {ofRun("StartAngle"), ofRun("StopAngle")}, likely,
                  "Each image states its own (KVSourceRtn, or GantryRtn and 90°).");
}

ScanDescription VarianReader::read() {
    m_sheet.askOrientation(false, likely, unknown, false);
    readDetector();
    findImages();
    findFlats();
    readAngles();
    return m_sheet.finish("Varian", kVarianKeys);
}

bool isVarian(const fs::path& file, std::string_view begin) {
    return inLowerCase(file.filename().string()) == "scan.xml" &&
           begin.find("<Acquisitions") != std::string_view::npos;
}

}  // namespace

DescriptionFormat varianDescriptions() {
    return {"varian",
            "Varian",
            {".xml"},
            isVarian,
            GeometryFormat::scan,
            [](const fs::path& file, const Answers& answers) {
                return VarianReader(file, answers).read();
            }};
}

}  // namespace gantry
