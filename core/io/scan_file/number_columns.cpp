#include "core/io/scan_file/number_columns.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <vector>

#include "core/base/file.h"
#include "core/base/text.h"
#include "core/base/throw_error.h"

namespace gantry {

namespace {

constexpr Index kMaxBytes = 512'000'000;

class ColumnReader {
  public:
    using TakeLine = std::function<std::string(std::span<const double>)>;

    ColumnReader(const std::filesystem::path& path, const NumberColumns& columns,
                 const TakeLine& takeLine)
        : m_path(path),
          m_spec(columns),
          m_takeLine(takeLine),
          m_counterColumn(columns.names.size()),
          m_numbers(columns.names.size()) {}

    void read() {
        const std::string text = readTextFile(m_path, kMaxBytes);
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
                readLine(line);
        }
        if (m_count == 0)
            throwError<InputError>(
                "{} holds no {}; it needs a line of column names and a line for each {}.",
                m_path.string(), m_spec.what, m_spec.counter);
    }

  private:
    template <class... Values>
    [[noreturn]] void fail(fmt::format_string<Values...> what, Values&&... values) const {
        throwError<InputError>("{}, line {}: {}.", m_path.string(), m_line,
                               fmt::format(what, std::forward<Values>(values)...));
    }

    // Removes the next value from the front of a line.
    static std::string_view takeValue(std::string_view& line) {
        const std::size_t comma = line.find(',');
        const std::string_view value = trimmed(line.substr(0, comma));
        line.remove_prefix(comma == std::string_view::npos ? line.size() : comma + 1);
        return value;
    }

    void readNames(std::string_view line) {
        const auto& names = m_spec.names;
        for (bool more = true; more;) {
            more = line.find(',') != std::string_view::npos;
            const std::string_view name = takeValue(line);
            const auto at =
                static_cast<std::size_t>(std::ranges::find(names, name) - names.begin());
            if (at == names.size() && name != m_spec.counter)
                fail("the column '{}' is unknown; known are {}, {}", quotable(name), m_spec.counter,
                     fmt::join(names, ", "));
            if (std::ranges::find(m_columns, at) != m_columns.end())
                fail("the column {} is named twice", name);
            m_columns.push_back(at);
        }
        for (std::size_t i = 0; i < names.size(); ++i)
            if (std::ranges::find(m_columns, i) == m_columns.end())
                fail("the column {} is missing", names[i]);
    }

    [[nodiscard]] double numberOf(std::string_view text, std::string_view column) const {
        const std::string_view digits = text.starts_with('+') ? text.substr(1) : text;
        double value = 0;
        const char* const end = digits.data() + digits.size();
        const auto [rest, error] = std::from_chars(digits.data(), end, value);
        if (error != std::errc() || rest != end || !std::isfinite(value))
            fail("{} is '{}', which is not a finite number", column, quotable(text));
        return value;
    }

    void readLine(std::string_view line) {
        const auto count = static_cast<std::size_t>(std::ranges::count(line, ',')) + 1;
        if (count != m_columns.size())
            fail("there are {} values for {} columns", count, m_columns.size());
        if (m_count == m_spec.maxLines)
            fail("there are more than {} {}s", m_spec.maxLines, m_spec.counter);
        const Index next = m_count + m_spec.countedFrom;
        for (const std::size_t column : m_columns) {
            const std::string_view text = takeValue(line);
            if (column != m_counterColumn) {
                m_numbers[column] = numberOf(text, m_spec.names[column]);
            } else if (numberOf(text, m_spec.counter) != static_cast<double>(next)) {
                fail("{0} is {1}, where {2} follows; {0}s are counted from {3}, in order",
                     m_spec.counter, quotable(text), next, m_spec.countedFrom);
            }
        }
        ++m_count;
        if (const std::string fault = m_takeLine(m_numbers); !fault.empty())
            fail("{} {} {}", m_spec.counter, next, fault);
    }

    std::filesystem::path m_path;
    const NumberColumns& m_spec;
    const TakeLine& m_takeLine;
    std::size_t m_counterColumn;
    Index m_line = 0;
    Index m_count = 0;
    std::vector<std::size_t> m_columns;  // as the file has them
    std::vector<double> m_numbers;       // of a line, in the order of the names
};

}  // namespace

void readNumberColumns(const std::filesystem::path& path, const NumberColumns& columns,
                       const std::function<std::string(std::span<const double>)>& takeLine) {
    ColumnReader(path, columns, takeLine).read();
}

}  // namespace gantry
