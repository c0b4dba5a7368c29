#include "core/io/scan_file/pose_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/text.h"
#include "core/base/types.h"

namespace gantry {

namespace {

constexpr Index kMostBytes = 512'000'000;
constexpr std::size_t kMostPoses = 1'000'000;
constexpr std::size_t kViewColumn = kPoseColumns.size();  // "view", which is not of the pose

class PoseReader {
  public:
    explicit PoseReader(const std::filesystem::path& path) : m_path(path) {}

    std::vector<ViewPose> read() {
        const std::string text = readTextFile(m_path, kMostBytes);
        std::string_view left = text;
        if (left.starts_with("\xef\xbb\xbf")) left.remove_prefix(3);
        for (m_line = 1; !left.empty(); ++m_line) {
            const std::size_t end = left.find('\n');
            const std::string_view line = trimmed(left.substr(0, end));
            left.remove_prefix(end == std::string_view::npos ? left.size() : end + 1);
            if (line.empty() || line.front() == '#') continue;
            if (m_columns.empty())
                readNames(line);
            else
                readPose(line);
        }
        if (m_poses.empty())
            throw InputError(fmt::format(
                "{} holds no poses; it needs a line of column names and a line for each view.",
                m_path.string()));
        return std::move(m_poses);
    }

  private:
    [[noreturn]] void fail(const std::string& what) const {
        throw InputError(fmt::format("{}, line {}: {}.", m_path.string(), m_line, what));
    }

    // The next value of a line, which is taken off it.
    static std::string_view takeValue(std::string_view& line) {
        const std::size_t comma = line.find(',');
        const std::string_view value = trimmed(line.substr(0, comma));
        line.remove_prefix(comma == std::string_view::npos ? line.size() : comma + 1);
        return value;
    }

    void readNames(std::string_view line) {
        for (bool more = true; more;) {
            more = line.find(',') != std::string_view::npos;
            const std::string_view name = takeValue(line);
            const auto at = static_cast<std::size_t>(
                std::find(kPoseColumns.begin(), kPoseColumns.end(), name) - kPoseColumns.begin());
            if (at == kPoseColumns.size() && name != "view")
                fail(fmt::format("the column '{}' is unknown; known are view, {}", quotable(name),
                                 fmt::join(kPoseColumns, ", ")));
            if (std::find(m_columns.begin(), m_columns.end(), at) != m_columns.end())
                fail(fmt::format("the column {} is named twice", name));
            m_columns.push_back(at);
        }
        for (std::size_t i = 0; i < kPoseColumns.size(); ++i)
            if (std::find(m_columns.begin(), m_columns.end(), i) == m_columns.end())
                fail(fmt::format("the column {} is missing", kPoseColumns[i]));
    }

    [[nodiscard]] double numberOf(std::string_view text, std::string_view column) const {
        const std::string_view digits = text.starts_with('+') ? text.substr(1) : text;
        double value = 0;
        const char* const end = digits.data() + digits.size();
        const auto [rest, error] = std::from_chars(digits.data(), end, value);
        if (error != std::errc() || rest != end || !std::isfinite(value))
            fail(fmt::format("{} is '{}', which is not a finite number", column, quotable(text)));
        return value;
    }

    void readPose(std::string_view line) {
        const auto count = static_cast<std::size_t>(std::count(line.begin(), line.end(), ',')) + 1;
        if (count != m_columns.size())
            fail(fmt::format("there are {} values for {} columns", count, m_columns.size()));
        if (m_poses.size() == kMostPoses)
            fail(fmt::format("there are more than {} views", kMostPoses));
        std::array<double, kPoseColumns.size()> numbers{};
        for (const std::size_t column : m_columns) {
            const std::string_view text = takeValue(line);
            if (column != kViewColumn) {
                numbers[column] = numberOf(text, kPoseColumns[column]);
            } else if (numberOf(text, "view") != static_cast<double>(m_poses.size())) {
                fail(fmt::format("view is {}, where {} follows; views are counted from 0, in order",
                                 text, m_poses.size()));
            }
        }
        m_poses.push_back(poseOfNumbers(numbers));
        if (const std::string fault = poseFault(m_poses.back()); !fault.empty())
            fail(fmt::format("view {} {}", m_poses.size() - 1, fault));
    }

    std::filesystem::path m_path;
    Index m_line = 0;
    std::vector<std::size_t> m_columns;  // as the file has them; kViewColumn: "view"
    std::vector<ViewPose> m_poses;
};

}  // namespace

ViewPose poseOfNumbers(const std::array<double, 12>& numbers) {
    const auto vector = [&](std::size_t at) {
        return Vec3{numbers[at], numbers[at + 1], numbers[at + 2]};
    };
    return {vector(0), vector(3), vector(6), vector(9)};
}

std::array<double, 12> numbersOfPose(const ViewPose& pose) {
    const auto& [s, d, u, v] = pose;
    return {s.x, s.y, s.z, d.x, d.y, d.z, u.x, u.y, u.z, v.x, v.y, v.z};
}

std::vector<ViewPose> readPoseFile(const std::filesystem::path& path) {
    return PoseReader(path).read();
}

std::string toPoseCsv(const std::vector<ViewPose>& poses) {
    std::string text = fmt::format("view,{}\n", fmt::join(kPoseColumns, ","));
    for (std::size_t s = 0; s < poses.size(); ++s)
        fmt::format_to(std::back_inserter(text), "{},{}\n", s,
                       fmt::join(numbersOfPose(poses[s]), ","));
    return text;
}

}  // namespace gantry
