#include "core/describe/projection_table.h"

#include <fmt/format.h>

#include <cmath>
#include <string>
#include <string_view>
#include <utility>

#include "core/base/file.h"
#include "core/base/text.h"
#include "core/base/throw_error.h"
#include "core/geometry/exchange/number_text.h"

namespace gantry {

namespace {

constexpr Index kMaxMatricesBytes = 64'000'000;

// Rows of a matrix: the factors of x, y and z, and what is added.
struct MatrixRow {
    Vec3 factors;
    double added = 0;
};
using TableMatrix = std::array<MatrixRow, 3>;

// Lines of the file that are not blank.
class TableLines {
  public:
    TableLines(std::string_view text, std::string path) : m_rest(text), m_path(std::move(path)) {}

    [[nodiscard]] bool isAtEnd() {
        while (!m_rest.empty() && m_next.empty()) {
            m_next = trimmed(takeLine(m_rest));
            ++m_line;
        }
        return m_next.empty();
    }
    [[nodiscard]] std::string_view take() {
        if (isAtEnd()) throwError<InputError>("{}: ends within a projection matrix", m_path);
        return std::exchange(m_next, {});
    }
    [[nodiscard]] std::vector<double> takeNumbers(std::size_t count) {
        const std::string_view line = take();
        std::vector<double> numbers = parseNumbers(line, where());
        if (numbers.size() != count)
            throwError<InputError>("{}: has {} numbers; there must be {}", where(), numbers.size(),
                                   count);
        return numbers;
    }
    [[nodiscard]] std::string where() const { return fmt::format("{}: line {}", m_path, m_line); }

  private:
    std::string_view m_rest;
    std::string m_path;
    std::string_view m_next;
    Index m_line = 0;
};

// A pixel's place on the detector is the source's and a multiple of the inverse's product with the
// pixel's numbers; how large it is follows from the pitch, and its sign from the origin, which is
// in front of the source.
ViewPose poseOfTable(const TableMatrix& matrix, const Detector& detector,
                     const std::string& where) {
    const MatrixRow& u = matrix[0];
    const MatrixRow& v = matrix[1];
    const MatrixRow& depth = matrix[2];
    const Vec3 perU = cross(v.factors, depth.factors);
    const double determinant = dot(u.factors, perU);
    const double size = length(u.factors) * length(v.factors) * length(depth.factors);
    constexpr double kFlat = 1e-12;
    if (!(std::abs(determinant) > kFlat * size))
        throwError<InputError>("{}: has a projection matrix without an inverse", where);
    const auto inverse = [&](double a, double b, double c) {
        return 1 / determinant *
               (a * perU + b * cross(depth.factors, u.factors) + c * cross(u.factors, v.factors));
    };
    const double toDetector =
        std::copysign(detector.pitchMm[0] / length(inverse(1, 0, 0)), depth.added);
    ViewPose pose;
    pose.sourceMm = -1.0 * inverse(u.added, v.added, depth.added);
    pose.uStepMm = toDetector * inverse(1, 0, 0);
    pose.vStepMm = toDetector * inverse(0, 1, 0);
    pose.detectorCenterMm =
        pose.sourceMm + toDetector * inverse(static_cast<double>(detector.columns - 1) / 2,
                                             static_cast<double>(detector.rows - 1) / 2, 1);
    return pose;
}

}  // namespace

std::vector<ViewPose> readProjectionTable(const std::filesystem::path& file,
                                          const Detector& detector, Index views) {
    const std::string text = readTextFile(file, kMaxMatricesBytes);
    TableLines lines(text, file.string());
    std::vector<ViewPose> poses;
    while (!lines.isAtEnd()) {
        if (!lines.take().starts_with('@')) continue;
        const std::string where = lines.where();
        (void)lines.takeNumbers(2);
        TableMatrix matrix;
        for (MatrixRow& row : matrix) {
            const std::vector<double> numbers = lines.takeNumbers(4);
            row = {{numbers[0], numbers[1], numbers[2]}, numbers[3]};
        }
        if (std::ssize(poses) < views) poses.push_back(poseOfTable(matrix, detector, where));
    }
    if (std::ssize(poses) != views)
        throwError<InputError>("{}: has {} projection matrices; the scan has {} views",
                               file.string(), poses.size(), views);
    return poses;
}

}  // namespace gantry
