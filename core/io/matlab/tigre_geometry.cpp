#include "core/io/matlab/tigre_geometry.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/throw_error.h"
#include "core/base/trial_process.h"
#include "core/geometry/vec3.h"
#include "core/io/matlab/matlab_file.h"

namespace gantry {

namespace {

constexpr std::size_t kMaxViews = 1'000'000;
constexpr double kMaxPixels = 65'536;
constexpr double kMaxSizeError = 1e-6;  // mm; TIGRE's own tolerance

// Rows of numbers, one column for each view or one for all.
class PerView {
  public:
    PerView() = default;
    PerView(MatlabMatrix numbers) : m_numbers(std::move(numbers)) {}

    [[nodiscard]] double at(std::size_t row, std::size_t view) const {
        if (m_numbers.values.empty()) return 0;
        const std::size_t column = m_numbers.columns == 1 ? 0 : view;
        return m_numbers.values[column * m_numbers.rows + row];
    }

  private:
    MatlabMatrix m_numbers;
};

// The struct's fields.
class TigreFields {
  public:
    explicit TigreFields(const std::filesystem::path& path) : m_file(path), m_name(path.string()) {
        m_struct = m_file.structWith("DSD");
        if (m_struct.empty())
            throwError<InputError>(
                "{} has no struct with the fields of TIGRE's geometry (DSD, DSO, nDetector, "
                "dDetector).",
                m_name);
    }

    [[nodiscard]] MatlabMatrix angles() {
        std::optional<MatlabMatrix> angles = m_file.matrix("angles");
        if (!angles)
            throwError<InputError>("{} has no variable angles: the angle of each view, radians.",
                                   m_name);
        if (angles->columns == 1 && angles->rows != 3) std::swap(angles->rows, angles->columns);
        if ((angles->rows != 1 && angles->rows != 3) || angles->columns > kMaxViews)
            throwError<InputError>(
                "{}: angles has {} rows and {} columns; it must have 1 or 3 rows, and up to {} "
                "columns",
                m_name, angles->rows, angles->columns, kMaxViews);
        checkFinite("angles", *angles);
        return std::move(*angles);
    }
    // A field with `rows` numbers a view, given for all views or for each; zeros if it is missing.
    [[nodiscard]] PerView perView(const char* field, std::size_t rows, std::size_t views) {
        std::optional<MatlabMatrix> numbers = m_file.matrix(m_struct, field);
        if (!numbers) return {};
        // One number a view may be given as a column.
        if (rows == 1 && numbers->columns == 1) std::swap(numbers->rows, numbers->columns);
        // The numbers for all views may be given as a row.
        if (rows > 1 && numbers->rows == 1 && numbers->columns == rows)
            std::swap(numbers->rows, numbers->columns);
        if (numbers->rows != rows || (numbers->columns != 1 && numbers->columns != views))
            throwError<InputError>(
                "{}: {}.{} has {} rows and {} columns; it must have {}, and 1 or {} of the {} "
                "views",
                m_name, m_struct, field, numbers->rows, numbers->columns,
                rows == 1 ? "1 row" : fmt::format("{} rows", rows), "one for each", views);
        checkFinite(field, *numbers);
        return std::move(*numbers);
    }
    [[nodiscard]] PerView lengths(const char* field, std::size_t views) {
        if (!m_file.matrix(m_struct, field)) missing(field);
        PerView lengths = perView(field, 1, views);
        for (std::size_t s = 0; s < views; ++s)
            if (!(lengths.at(0, s) > 0))
                throwError<InputError>("{}: {}.{} is {} mm at view {}; it must be greater than 0",
                                       m_name, m_struct, field, lengths.at(0, s), s);
        return lengths;
    }
    void checkDistances(const PerView& dso, const PerView& dsd, std::size_t views) const {
        for (std::size_t s = 0; s < views; ++s)
            if (dsd.at(0, s) < dso.at(0, s))
                throwError<InputError>(
                    "{}: {}.DSD is {} mm at view {}; it must not be less than DSO, {} mm", m_name,
                    m_struct, dsd.at(0, s), s, dso.at(0, s));
    }
    [[nodiscard]] std::array<double, 2> pair(const char* field) {
        const std::optional<MatlabMatrix> numbers = m_file.matrix(m_struct, field);
        if (!numbers) missing(field);
        if (numbers->values.size() != 2)
            throwError<InputError>("{}: {}.{} has {} numbers; it must have two", m_name, m_struct,
                                   field, numbers->values.size());
        checkFinite(field, *numbers);
        return {numbers->values[0], numbers->values[1]};
    }
    [[nodiscard]] Index count(const char* field, std::size_t which) {
        const double value = pair(field)[which];
        if (!(value >= 1 && value <= kMaxPixels) || value != std::floor(value))
            throwError<InputError>("{}: {}.{} has {}; it must be whole numbers from 1 to {}",
                                   m_name, m_struct, field, value, kMaxPixels);
        return static_cast<Index>(value);
    }
    void checkSize(const std::array<double, 2>& pitchMm, const std::array<Index, 2>& pixels) {
        for (const double pitch : pitchMm)
            if (!(pitch > 0))
                throwError<InputError>("{}: {}.dDetector has {} mm; it must be greater than 0",
                                       m_name, m_struct, pitch);
        if (!m_file.matrix(m_struct, "sDetector")) return;
        const std::array<double, 2> size = pair("sDetector");
        for (std::size_t i = 0; i < 2; ++i)
            if (const double made = pitchMm[i] * static_cast<double>(pixels[i]);
                std::abs(made - size[i]) > kMaxSizeError)
                throwError<InputError>(
                    "{}: {}.sDetector has {} mm, but nDetector times dDetector are {} mm", m_name,
                    m_struct, size[i], made);
    }
    void checkMode() {
        const std::optional<std::string> mode = m_file.text(m_struct, "mode");
        if (mode && *mode != "cone")
            throwError<InputError>("{}: {}.mode is {}; only cone can be read", m_name, m_struct,
                                   *mode);
    }

  private:
    [[noreturn]] void missing(const char* field) const {
        throwError<InputError>("{}: {}.{} is missing", m_name, m_struct, field);
    }
    void checkFinite(const char* field, const MatlabMatrix& numbers) const {
        const auto bad = std::ranges::find_if(numbers.values,
                                              [](double value) { return !std::isfinite(value); });
        if (bad != numbers.values.end())
            throwError<InputError>("{}: {} has {} as its number {}; all must be finite", m_name,
                                   field, *bad, bad - numbers.values.begin() + 1);
    }

    MatlabFile m_file;
    std::string m_name;
    std::string m_struct;
};

Vec3 aboutX(double angle, Vec3 a) {
    const double c = std::cos(angle);
    const double s = std::sin(angle);
    return {a.x, c * a.y - s * a.z, s * a.y + c * a.z};
}
Vec3 aboutY(double angle, Vec3 a) {
    const double c = std::cos(angle);
    const double s = std::sin(angle);
    return {c * a.x + s * a.z, a.y, -s * a.x + c * a.z};
}
Vec3 aboutZ(double angle, Vec3 a) {
    const double c = std::cos(angle);
    const double s = std::sin(angle);
    return {c * a.x - s * a.y, s * a.x + c * a.y, a.z};
}

struct Tables {
    PerView dso;
    PerView dsd;
    PerView offset;    ///< of the detector along u and v, mm
    PerView rotation;  ///< of the detector about x, y and z, radians
    PerView cor;       ///< distance of the axis from the middle, as seen, mm
    PerView object;    ///< position of the volume's middle, mm
    PerView angles;
    std::size_t angleCount = 1;  ///< of a view
};

ViewPose poseOf(const Tables& of, const std::array<double, 2>& pitchMm, std::size_t s) {
    const auto detector = [&](Vec3 a) {
        return aboutZ(of.rotation.at(2, s),
                      aboutY(of.rotation.at(1, s), aboutX(of.rotation.at(0, s), a)));
    };
    const double alpha = of.angles.at(0, s);
    const auto gantry = [&](Vec3 a) {
        if (of.angleCount > 1) a = aboutY(of.angles.at(1, s), aboutZ(of.angles.at(2, s), a));
        return aboutZ(alpha, a);
    };
    const double dso = of.dso.at(0, s);
    const Vec3 center = {dso - of.dsd.at(0, s), of.offset.at(0, s), of.offset.at(1, s)};
    const Vec3 axis = of.cor.at(0, s) * Vec3{-std::sin(alpha), std::cos(alpha), 0};
    const Vec3 object = {of.object.at(0, s) - of.object.at(0, 0),
                         of.object.at(1, s) - of.object.at(1, 0),
                         of.object.at(2, s) - of.object.at(2, 0)};
    ViewPose pose;
    pose.sourceMm = gantry({dso, 0, 0}) + axis - object;
    pose.detectorCenterMm = gantry(center) + axis - object;
    pose.uStepMm = gantry(detector({0, pitchMm[0], 0}));
    pose.vStepMm = gantry(detector({0, 0, pitchMm[1]}));
    return pose;
}

}  // namespace

ExchangedGeometry readTigreGeometryHere(const std::filesystem::path& path) {
    TigreFields fields(path);
    fields.checkMode();
    const std::array<Index, 2> pixels = {fields.count("nDetector", 0),
                                         fields.count("nDetector", 1)};
    const std::array<double, 2> pitchMm = fields.pair("dDetector");
    fields.checkSize(pitchMm, pixels);
    MatlabMatrix angles = fields.angles();
    const std::size_t views = angles.columns;
    const std::size_t angleCount = angles.rows;
    const Tables tables = {fields.lengths("DSO", views),
                           fields.lengths("DSD", views),
                           fields.perView("offDetector", 2, views),
                           fields.perView("rotDetector", 3, views),
                           fields.perView("COR", 1, views),
                           fields.perView("offOrigin", 3, views),
                           PerView(std::move(angles)),
                           angleCount};
    fields.checkDistances(tables.dso, tables.dsd, views);
    std::vector<ViewPose> poses;
    poses.reserve(views);
    for (std::size_t s = 0; s < views; ++s) {
        poses.push_back(poseOf(tables, pitchMm, s));
        if (const std::string fault = poseFault(poses.back()); !fault.empty())
            throwError<InputError>("{}: view {} {}", path.string(), s, fault);
    }
    return {orbitOrPoses(poses, pixels[0], pixels[1], path.string()), false};
}

ExchangedGeometry readTigreGeometry(const std::filesystem::path& path) {
    constexpr TrialLimits kTrialLimits = {.seconds = 60, .memoryBytes = std::size_t{1} << 30};
    switch (tryInAnotherProcess([&] { (void)readTigreGeometryHere(path); }, kTrialLimits)) {
        case TrialEnd::returned:
            return readTigreGeometryHere(path);
        case TrialEnd::crashed:
            throwError<InputError>("{} is damaged in a way that ends the program that reads it.",
                                   path.string());
        case TrialEnd::tookTooLong:
        case TrialEnd::notTried:
            throwError<InputError>(
                "{} is damaged, or the disk does not answer: {} s did not suffice to read it.",
                path.string(), kTrialLimits.seconds);
    }
    throw InternalError("an unknown end of a trial");
}

}  // namespace gantry
