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
#include "core/base/throw_error.h"
#include "core/describe/description_sheet.h"
#include "core/describe/makers.h"
#include "core/geometry/views/calibrated_poses.h"
#include "core/io/open_source.h"
#include "core/io/series/match_files.h"

namespace gantry {

namespace fs = std::filesystem;

namespace {

using enum StatedCertainty;

constexpr KeyName ofView(std::string_view key) {
    return {"Frames/Frame", key};
}

// The file has neither distances nor sizes; these are the machine's.
constexpr double kSodMm = 1000;
constexpr double kSddMm = 1536;
constexpr double kPanelMm = 409.6;

constexpr KnownKey kElektaKeys[] = {
    {ofView("Seq"), "the frames are in its order"},
    {{"", ""}, "a setting of the machine or of the treatment, or a note"},
};

class ElektaReader {
  public:
    ElektaReader(const fs::path& file, const Answers& answers)
        : m_sheet(file, readKeyValues(file, KeySyntax::xml), answers) {}

    ScanDescription read();

  private:
    void readImages();
    void placeViews();

    DescriptionSheet m_sheet;
};

void ElektaReader::readImages() {
    ScanFile& scan = m_sheet.scan();
    ProjectionFiles& files = scan.projections;
    files.files = "*.his";
    const OpenedViews views = openViews(matchViews(scan.folder, files.files), {});
    const SourceInfo& info = views.source->info();
    Detector& detector = scan.geometry.detector;
    detector.columns = info.columns;
    detector.rows = info.rows;
    const double pitchMm = kPanelMm / static_cast<double>(info.columns);
    m_sheet.state("projections.files", files.files, "", {}, certain);
    m_sheet.state("detector.columns", fmt::format("{}", info.columns), "px", {}, certain,
                  "The images say it.");
    m_sheet.state("detector.rows", fmt::format("{}", info.rows), "px", {}, certain,
                  "The images say it.");
    m_sheet.takeDistances(kSodMm, {}, kSddMm, {}, "They are the machine's; the file has none.");
    m_sheet.takePitch({pitchMm, pitchMm}, {}, "The panel is 409.6 mm wide.");
    files.kind = ProjectionKind::counts;
    constexpr double kLargest = 65535;
    files.flatValue = kLargest;
    m_sheet.state("projections.flatValue", shownNumber(kLargest), "counts", {}, unknown,
                  "The open beam is not stated; these are the most that 16 bits hold.");
}

// The panel is at another place in each frame.
void ElektaReader::placeViews() {
    ScanFile& scan = m_sheet.scan();
    const std::vector<double> anglesDeg = m_sheet.everyNumber(ofView("GantryAngle"));
    std::vector<double> u = m_sheet.everyNumber(ofView("UCentre"));
    std::vector<double> v = m_sheet.everyNumber(ofView("VCentre"));
    const std::size_t count = anglesDeg.size();
    if (count == 0 || u.size() != count || v.size() != count)
        throwError<InputError>(
            "{}: has {} frames with GantryAngle, {} with UCentre and {} with VCentre; each frame "
            "must have the three",
            m_sheet.file().string(), count, u.size(), v.size());
    const double turn = m_sheet.askRotation(
        false,
        "Which way GantryAngle counts. With the columns as they are taken, the other way blurs.");
    const double sign = m_sheet.askSign(
        "detectorOffset",
        "To which side UCentre and VCentre move the panel: as stated, to lower columns and down.");
    const double right = scan.projections.isMirrored ? -1 : 1;
    const double up = scan.projections.firstRowIsTop ? 1 : -1;
    ScanGeometry one = scan.geometry;
    std::vector<ViewPose> poses;
    poses.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
        one.detector.offsetMm = {-sign * right * u[i], -sign * up * v[i]};
        poses.push_back(viewPoseAt(one, turn * anglesDeg[i]));
    }
    scan.geometry = geometryOfPoses(std::move(poses), one.detector.columns, one.detector.rows);
    m_sheet.state("trajectory.poses", fmt::format("{} views", count), "",
                  {ofView("GantryAngle"), ofView("UCentre"), ofView("VCentre")}, likely,
                  "Each frame has an angle and a place of the panel of its own.");
}

ScanDescription ElektaReader::read() {
    m_sheet.askOrientation(false, likely, unknown);
    readImages();
    placeViews();
    return m_sheet.finish("Elekta", kElektaKeys);
}

bool isElekta(const fs::path& file, std::string_view begin) {
    return inLowerCase(file.extension().string()) == ".xml" &&
           begin.find("<Frame>") != std::string_view::npos &&
           begin.find("<GantryAngle>") != std::string_view::npos;
}

}  // namespace

DescriptionFormat elektaDescriptions() {
    return {"elekta",
            "Elekta",
            {".xml"},
            isElekta,
            GeometryFormat::scan,
            [](const fs::path& file, const Answers& answers) {
                return ElektaReader(file, answers).read();
            }};
}

}  // namespace gantry
