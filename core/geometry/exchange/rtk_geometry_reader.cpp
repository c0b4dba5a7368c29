#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <pugixml.hpp>

#include "core/base/file.h"
#include "core/base/throw_error.h"
#include "core/geometry/check/problem_list.h"
#include "core/geometry/exchange/exchange.h"
#include "core/geometry/exchange/number_text.h"
#include "core/geometry/exchange/rtk_projection.h"

namespace gantry {

namespace {

constexpr Index kMaxXmlBytes = 512'000'000;
constexpr double kMatrixTolerance = 0.001;  // RTK's own
// A share of the largest number beside it: programs print matrices and angles with six digits.
constexpr double kDigitsTolerance = 2e-5;

// How far a number of a matrix may be off. The first three of a row are a direction times a length,
// the fourth is a product of two lengths, so each kind has its own size.
double matrixTolerance(const std::array<double, 4>& row, std::size_t column) {
    const double largest = column == 3
                               ? std::abs(row[3])
                               : std::max({std::abs(row[0]), std::abs(row[1]), std::abs(row[2])});
    return std::max(kMatrixTolerance, kDigitsTolerance * largest);
}

// The parameter of a tag; null: another tag.
double RtkProjection::*parameterOf(std::string_view name) {
    if (name == "GantryAngle" || name == "Angle") return &RtkProjection::gantryDeg;
    for (const RtkTag& tag : kRtkTags)
        if (tag.name == name) return tag.value;
    return nullptr;
}

constexpr std::string_view kCollimation[] = {"CollimationUInf", "CollimationUSup",
                                             "CollimationVInf", "CollimationVSup"};

class RtkReader {
  public:
    RtkReader(const std::filesystem::path& path, const ImagesOfGeometry& images)
        : m_file(path.string()), m_images(images) {}

    std::vector<ViewPose> read(const std::string& content) {
        m_unread = content;
        pugi::xml_document document;
        const pugi::xml_parse_result result = document.load_buffer(content.data(), content.size());
        if (!result) failParsing(content, result);
        const pugi::xml_node root = document.document_element();
        checkRoot(root);
        for (const pugi::xml_node node : root.children()) {
            if (node.type() != pugi::node_element) continue;
            if (std::string_view(node.name()) == "Projection")
                readProjection(node);
            else
                readTag(node, m_file);
        }
        return std::move(m_poses);
    }

  private:
    [[noreturn]] void failParsing(const std::string& content,
                                  const pugi::xml_parse_result& result) const {
        const auto end = content.begin() + std::min<Index>(result.offset, std::ssize(content));
        throwError<InputError>("{}: line {} is not well-formed XML: {}", m_file,
                               std::count(content.begin(), end, '\n') + 1, result.description());
    }

    void checkRoot(const pugi::xml_node& root) const {
        const std::string_view name = root.name();
        if (name != "RTKThreeDCircularGeometry")
            throwError<InputError>(
                "{} is not an RTK geometry: it begins with <{}> instead of "
                "<RTKThreeDCircularGeometry>.",
                m_file, name.substr(0, 40));
        const std::string_view version = root.attribute("version").as_string("missing");
        if (version != "2" && version != "3")
            throwError<InputError>("{}: the version is {}; Gantry reads 2 and 3", m_file,
                                   version.substr(0, 40));
    }

    // The line on which a node begins; nodes come in the file's order.
    Index lineOf(const pugi::xml_node& node) {
        const Index offset = std::max<Index>(node.offset_debug(), m_readBytes);
        const std::string_view passed = m_unread.substr(0, offset - m_readBytes);
        m_line += std::ranges::count(passed, '\n');
        m_unread.remove_prefix(passed.size());
        m_readBytes += std::ssize(passed);
        return m_line;
    }

    // RTK starts each projection with the values of the one before.
    void readProjection(const pugi::xml_node& projection) {
        const std::string where =
            fmt::format("{}: line {}: projection {}", m_file, lineOf(projection), m_poses.size());
        if (std::ssize(m_poses) == kMaxViews)
            throwError<InputError>("{}: there are more than {} views", where, kMaxViews);
        pugi::xml_node matrix;
        for (const pugi::xml_node node : projection.children()) {
            if (node.type() != pugi::node_element) continue;
            if (std::string_view(node.name()) == "Matrix")
                matrix = node;
            else
                readTag(node, where);
        }
        checkDistance(m_current.sourceToIsocenter, "SourceToIsocenterDistance", where);
        checkDistance(m_current.sourceToDetector, "SourceToDetectorDistance", where);
        if (matrix) checkMatrix(matrix, where);
        RtkProjection shown = m_current;
        shown.projectionOffsetX += m_images.middleMm[0];
        shown.projectionOffsetY += m_images.middleMm[1];
        m_poses.push_back(poseOfRtk(shown, m_images.pitchMm));
    }

    void readTag(const pugi::xml_node& node, const std::string& where) {
        const std::string_view name = node.name();
        if (std::ranges::find(kCollimation, name) != std::end(kCollimation)) return;
        double RtkProjection::*const value = parameterOf(name);
        const bool isRadius = name == "RadiusCylindricalDetector";
        if (!value && !isRadius)
            throwError<InputError>("{}: the tag <{}> is unknown", where, name.substr(0, 40));
        const std::string field = fmt::format("{}: {}", where, name);
        const std::vector<double> numbers = parseNumbers(node.child_value(), field);
        if (numbers.size() != 1)
            throwError<InputError>("{} has {} numbers; it must have one", field, numbers.size());
        if (!isRadius)
            m_current.*value = numbers[0];
        else if (numbers[0] != 0)
            throwError<InputError>(
                "{} is {} mm; it must be 0, as only flat detectors can be reconstructed", field,
                numbers[0]);
    }

    static void checkDistance(double value, const char* tag, const std::string& where) {
        if (value > 0) return;
        throwError<InputError>("{}: {} is {} mm or missing{}; it must be greater than 0", where,
                               tag, value, value == 0 ? " (RTK's sign of a parallel beam)" : "");
    }

    void checkMatrix(const pugi::xml_node& node, const std::string& where) const {
        const std::vector<double> found = parseNumbers(node.child_value(), where + ": Matrix");
        if (found.size() != 12)
            throwError<InputError>("{}: Matrix has {} numbers; it must have 12", where,
                                   found.size());
        const auto expected = rtkMatrix(m_current);
        for (std::size_t i = 0; i < 12; ++i) {
            const double value = expected[i / 4][i % 4];
            const double tolerance = matrixTolerance(expected[i / 4], i % 4);
            if (std::abs(found[i] - value) <= tolerance) continue;
            throwError<InputError>(
                "{}: Matrix has {:.10g} in row {}, column {}, where the other tags give {:.10g}; a "
                "difference of up to {:.4g} is allowed. Print matrices with more digits, or remove "
                "them all: the other tags describe the same geometry",
                where, found[i], i / 4 + 1, i % 4 + 1, value, tolerance);
        }
    }

    std::string m_file;
    ImagesOfGeometry m_images;
    RtkProjection m_current;
    std::vector<ViewPose> m_poses;
    std::string_view m_unread;  ///< the file's text behind the node that lineOf() found last
    Index m_readBytes = 0;
    Index m_line = 1;
};

}  // namespace

ScanGeometry readRtkGeometry(const std::filesystem::path& path, const ImagesOfGeometry& images) {
    const std::string content = readTextFile(path, kMaxXmlBytes);
    const std::vector<ViewPose> poses = RtkReader(path, images).read(content);
    ScanGeometry geometry = orbitOrPoses(poses, images.columns, images.rows, path.string());
    geometry.detector.pitchMm = images.pitchMm;
    return geometry;
}

}  // namespace gantry
