#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/job/read_value.h"

namespace CLI {
class App;
}  // namespace CLI

namespace gantry {

class Session;

/// One command of the program: its options, its help, and its action. This class hides CLI11. It is
/// a handle: copies refer to the same command.
///
/// Names are CLI11's: "--out", "-o,--out", or, without dashes, a positional argument.
/// Targets must live until the command has run.
class Command {
  public:
    using Action = std::function<int(Session&)>;

    /// @param chosen  gets the action of the command that was called
    Command(CLI::App& app, Action& chosen) : m_app(&app), m_chosen(&chosen) {}

    /// Adds a command below this one.
    [[nodiscard]] Command command(const std::string& name, const std::string& sentence);

    /// Adds an option; if given several times, the last one counts. `unit` stands for its value:
    /// "MM", "N", "FILE".
    template <class T>
    void option(const std::string& name, T& target, const std::string& unit,
                const std::string& help) {
        const std::string shown = name.substr(name.find_last_of(',') + 1);
        add(
            name, unit, help, shownValue(target),
            [&target, shown](const std::string& text) { readValue(text, shown, target); }, false);
    }
    /// Adds an option that is required.
    template <class T>
    void required(const std::string& name, T& target, const std::string& unit,
                  const std::string& help) {
        const std::string shown = name.substr(name.find_last_of(',') + 1);
        add(
            name, unit, help, {},
            [&target, shown](const std::string& text) { readValue(text, shown, target); }, true);
    }
    /// Adds positional arguments, of which one or more must be given.
    template <class T>
    void requiredList(const std::string& name, std::vector<T>& target, const std::string& unit,
                      const std::string& help) {
        addList(name, unit, help, [&target, name](const std::string& text) {
            readValue(text, name, target.emplace_back());
        });
    }
    /// Adds an option that may be given several times; all of them count.
    template <class T>
    void repeated(const std::string& name, std::vector<T>& target, const std::string& unit,
                  const std::string& help) {
        addRepeated(name, unit, help, [&target, name](const std::string& text) {
            readValue(text, name, target.emplace_back());
        });
    }
    /// Adds an option whose value is one of a few words.
    void choice(const std::string& name, std::string& target,
                const std::vector<std::string>& allowed, const std::string& help);
    void flag(const std::string& name, bool& target, const std::string& help);
    void flag(const std::string& name, const std::function<void()>& take, const std::string& help);
    /// An option whose word is taken by a function. shownDefault: for help; empty: none is shown
    void add(const std::string& name, const std::string& unit, const std::string& help,
             const std::string& shownDefault, const std::function<void(const std::string&)>& take,
             bool isRequired = false);

    /// The same for an option that may be given several times: `take` gets each word.
    void addRepeated(const std::string& name, const std::string& unit, const std::string& help,
                     const std::function<void(const std::string&)>& take);

    void examples(const std::string& lines);

    /// Sets the action of this command; it returns the exit code.
    void action(Action run);

  private:
    void addList(const std::string& name, const std::string& unit, const std::string& help,
                 const std::function<void(const std::string&)>& take);

    CLI::App* m_app;
    Action* m_chosen;
};

/// Parses the words of the command line and runs the command that they name.
/// @returns the exit code (resources/help/architecture.md, "Errors")
/// @throws InputError when the words are invalid; what the command throws
[[nodiscard]] int runCommandLine(const std::vector<std::string>& words, Session& session,
                                 const std::string& version,
                                 const std::function<void(Command)>& addCommands);

}  // namespace gantry
