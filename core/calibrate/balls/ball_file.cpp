#include "core/calibrate/balls/ball_file.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string_view>

#include "core/base/json_fields.h"
#include "core/base/text.h"
#include "core/base/throw_error.h"
#include "core/io/scan_file/number_columns.h"
#include "core/phantom/phantom_file.h"
#include "core/phantom/shapes_file.h"

namespace gantry {

namespace {

constexpr std::array<std::string_view, 3> kBallColumns = {"xMm", "yMm", "zMm"};
constexpr std::size_t kMinListed = 4;
constexpr Index kMaxBalls = 200;
constexpr double kMaxMm = 1e6;  // farther off than any phantom reaches

std::vector<Vec3> spheresOf(const std::filesystem::path& path) {
    const bool isSimulated = readJsonFile(path).contains("gantryPhantom");
    Phantom phantom;
    if (isSimulated) {
        const PhantomFile file = readPhantomFile(path);
        phantom = makePhantom(file.phantom, file.placement);
    } else {
        phantom = readShapesFile(path);
    }
    std::vector<Vec3> centers;
    for (const PhantomShape& shape : phantom.shapes) {
        const auto& [a, b, c] = shape.halfAxesMm;
        if (shape.kind == PhantomShape::Kind::ellipsoid && a == b && b == c)
            centers.push_back(shape.centerMm);
    }
    return centers;
}

std::vector<Vec3> centersOf(const std::filesystem::path& path) {
    std::vector<Vec3> centers;
    readNumberColumns(path,
                      {.what = "balls",
                       .counter = "ball",
                       .countedFrom = 1,
                       .names = kBallColumns,
                       .maxLines = kMaxBalls},
                      [&](std::span<const double> xyz) -> std::string {
                          for (std::size_t i = 0; i < 3; ++i)
                              if (std::abs(xyz[i]) > kMaxMm)
                                  return fmt::format("has {} = {} mm; at most {} mm is allowed",
                                                     kBallColumns[i], xyz[i], kMaxMm);
                          centers.push_back({xyz[0], xyz[1], xyz[2]});
                          return {};
                      });
    return centers;
}

void requireSolid(const std::filesystem::path& path, const std::vector<Vec3>& centers) {
    if (centers.size() < kMinListed)
        throwError<InputError>("{} has {} balls; at least {} are needed.", path.string(),
                               centers.size(), kMinListed);
    if (std::ssize(centers) > kMaxBalls)
        throwError<InputError>("{} has {} balls; at most {} are allowed.", path.string(),
                               centers.size(), kMaxBalls);
    double widest = 0;
    double across = 0;
    for (std::size_t i = 0; i < centers.size(); ++i)
        for (std::size_t j = 0; j < i; ++j) {
            const double distance = length(centers[i] - centers[j]);
            if (!(distance > 0))
                throwError<InputError>("{}: balls {} and {} are in the same place.", path.string(),
                                       j + 1, i + 1);
            widest = std::max(widest, distance);
        }
    for (const Vec3& c : centers) {
        const Vec3 along = centers[1] - centers[0];
        across = std::max(across, length(cross(along, c - centers[0])) / length(along));
    }
    if (!(across > 0.01 * widest))
        throwError<InputError>(
            "{}: all balls lie on one line, which does not tell how the phantom is turned.",
            path.string());
}

}  // namespace

std::vector<Vec3> readBallFile(const std::filesystem::path& path) {
    const bool isJson = inLowerCase(path.extension().string()) == ".json";
    std::vector<Vec3> centers = isJson ? spheresOf(path) : centersOf(path);
    requireSolid(path, centers);
    return centers;
}

std::string toBallCsv(const std::vector<Vec3>& centersMm) {
    std::string text = "ball,xMm,yMm,zMm\n";
    for (std::size_t i = 0; i < centersMm.size(); ++i)
        fmt::format_to(std::back_inserter(text), "{},{},{},{}\n", i + 1, centersMm[i].x,
                       centersMm[i].y, centersMm[i].z);
    return text;
}

}  // namespace gantry
