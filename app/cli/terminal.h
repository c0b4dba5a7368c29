#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <cstdio>
#include <exception>
#include <mutex>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>
#include <vector>

#include "core/job/event_log.h"

namespace gantry {

/// Shows a command's progress on stderr: a bar with the time left on a terminal, otherwise a few
/// plain lines. Several threads may call it.
class ProgressLine {
  public:
    /// @param what  "Simulating"
    /// @param forMachines  whether --json is given; then no plain lines are printed
    ProgressLine(std::string what, bool forMachines);
    ~ProgressLine();
    ProgressLine(const ProgressLine&) = delete;
    ProgressLine& operator=(const ProgressLine&) = delete;

    void update(const Progress& progress);
    /// For work without voxel updates: the time left follows from the fraction.
    void update(double fraction);
    /// Removes the bar.
    void end();

  private:
    void draw(const Progress& progress);

    std::string m_what;
    bool m_terminal;
    bool m_plain;
    std::int64_t m_beginNs;
    std::int64_t m_lastNs = 0;
    int m_nextQuarter = 1;
    bool m_drawn = false;
    std::mutex m_mutex;
};

/// Prints on the standard output, or on stderr (`to`). What comes from files cannot control the
/// terminal: see terminalText().
/// @throws ResourceError  the standard output takes no more; stderr may fail
void showText(std::FILE* to, const std::string& text);
template <class... Values>
void show(fmt::format_string<Values...> format, Values&&... values) {
    showText(stdout, fmt::format(format, std::forward<Values>(values)...));
}
template <class... Values>
void show(std::FILE* to, fmt::format_string<Values...> format, Values&&... values) {
    showText(to, fmt::format(format, std::forward<Values>(values)...));
}

/// Prints a document on the standard output, as --json asks for.
void showJson(const nlohmann::ordered_json& document);

/// To be called first: makes sure that the standard streams are open, so that no file of the user's
/// takes their place, and that limits of file sizes are reported as errors.
void prepareStreams();

/// Prints on stderr why the program ends, in one line: "gantry: …".
void complain(const std::exception& error);

using TextRows = std::vector<std::vector<std::string>>;

/// Rows of words as columns: the first column left-aligned, the others right-aligned. The first row
/// is the head. Every line begins with two blanks.
[[nodiscard]] std::string textTable(const TextRows& rows);

/// "  name   value" lines with the values aligned.
[[nodiscard]] std::string textFields(
    const std::vector<std::pair<std::string, std::string>>& fields);

}  // namespace gantry
