#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "app/cli/values.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace gantry {

class Session;

/// One command of the program: its options, its help, and what it does. All of CLI11 is behind
/// this class, which is a handle: copies mean the same command.
///
/// Names are CLI11's: "--out", "-o,--out", or without dashes an argument by its place.
/// Targets must live until the command has run.
class Command {
  public:
    using Action = std::function<int(Session&)>;

    /// @param chosen  where the action of the command that was called is put
    Command(CLI::App& app, Action& chosen) : m_app(&app), m_chosen(&chosen) {}

    /// A command below this one.
    [[nodiscard]] Command command(const std::string& name, const std::string& sentence);

    /// An option; of several the last one counts. `unit` is shown in its place: "MM", "N", "FILE".
    template <class T>
    void option(const std::string& name, T& target, const std::string& unit,
                const std::string& help) {
        const std::string shown = name.substr(name.find_last_of(',') + 1);
        add(
            name, unit, help, shownValue(target),
            [&target, shown](const std::string& text) { readValue(text, shown, target); }, false);
    }
    /// The same, and the command cannot do without it.
    template <class T>
    void required(const std::string& name, T& target, const std::string& unit,
                  const std::string& help) {
        const std::string shown = name.substr(name.find_last_of(',') + 1);
        add(
            name, unit, help, {},
            [&target, shown](const std::string& text) { readValue(text, shown, target); }, true);
    }
    /// An option that may be given several times; all of them count.
    template <class T>
    void repeated(const std::string& name, std::vector<T>& target, const std::string& unit,
                  const std::string& help) {
        addRepeated(name, unit, help, [&target, name](const std::string& text) {
            readValue(text, name, target.emplace_back());
        });
    }
    /// One of a few words.
    void choice(const std::string& name, std::string& target,
                const std::vector<std::string>& allowed, const std::string& help);
    void flag(const std::string& name, bool& target, const std::string& help);

    void examples(const std::string& lines);

    /// What is done when this command is called; returns the exit code.
    void action(Action run);

  private:
    void add(const std::string& name, const std::string& unit, const std::string& help,
             const std::string& shownDefault, const std::function<void(const std::string&)>& take,
             bool isRequired);
    void addRepeated(const std::string& name, const std::string& unit, const std::string& help,
                     const std::function<void(const std::string&)>& take);

    CLI::App* m_app;
    Action* m_chosen;
};

/// Parses the words of the command line and runs the command they call.
/// @returns the exit code (DESIGN.md section 6)
/// @throws InputError when the words make no sense; what the command throws
[[nodiscard]] int runCommandLine(const std::vector<std::string>& words, Session& session,
                                 const std::string& version,
                                 const std::function<void(Command)>& addCommands);

}  // namespace gantry
