#include "app/cli/command_line.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <iterator>
#include <sstream>

#include "app/cli/self_description.h"
#include "app/cli/session.h"
#include "app/cli/terminal.h"
#include "core/base/foreign_text.h"
#include "core/base/throw_error.h"

namespace gantry {

Command Command::command(const std::string& name, const std::string& sentence) {
    CLI::App* sub = m_app->add_subcommand(name, sentence);
    m_app->require_subcommand(1);
    return {*sub, *m_chosen};
}

void Command::add(const std::string& name, const std::string& unit, const std::string& help,
                  const std::string& shownDefault,
                  const std::function<void(const std::string&)>& take, bool isRequired) {
    CLI::Option* option = m_app->add_option_function<std::string>(name, take, help);
    option->type_name(unit);
    option->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
    option->required(isRequired);
    if (!shownDefault.empty()) option->default_str(shownDefault);
}

namespace {

CLI::Option* addTexts(CLI::App& app, const std::string& name, const std::string& unit,
                      const std::string& help,
                      const std::function<void(const std::string&)>& take) {
    CLI::Option* option = app.add_option_function<std::vector<std::string>>(
        name,
        [take](const std::vector<std::string>& texts) {
            for (const std::string& text : texts)
                take(text);
        },
        help);
    option->type_name(unit);
    return option;
}

}  // namespace

void Command::addRepeated(const std::string& name, const std::string& unit, const std::string& help,
                          const std::function<void(const std::string&)>& take) {
    // It takes one word each time: the next one is another argument.
    addTexts(*m_app, name, unit, help + "; may be repeated", take)->allow_extra_args(false);
}

void Command::addList(const std::string& name, const std::string& unit, const std::string& help,
                      const std::function<void(const std::string&)>& take) {
    addTexts(*m_app, name, unit, help, take)->required();
}

void Command::choice(const std::string& name, std::string& target,
                     const std::vector<std::string>& allowed, const std::string& help) {
    const std::string list = fmt::format("{}", fmt::join(allowed, "|"));
    add(
        name, list, fmt::format("{}; by default {}", help, target), {},
        [&target, allowed, name](const std::string& text) {
            if (std::ranges::find(allowed, text) == allowed.end())
                throwError<InputError>("{} is '{}'; it must be one of {}.", name, text,
                                       fmt::join(allowed, ", "));
            target = text;
        },
        false);
}

void Command::flag(const std::string& name, bool& target, const std::string& help) {
    flag(
        name, [&target] { target = true; }, help);
}

void Command::flag(const std::string& name, const std::function<void()>& take,
                   const std::string& help) {
    m_app->add_flag_function(
        name,
        [take](std::int64_t count) {
            if (count > 0) take();
        },
        help);
}

void Command::examples(const std::string& lines) {
    m_app->footer("Examples:\n" + lines);
}

void Command::action(Action run) {
    m_app->callback([chosen = m_chosen, run = std::move(run)] { *chosen = run; });
}

namespace {

std::string names(const CLI::App& app) {
    std::vector<std::string> list;
    for (const CLI::App* sub : app.get_subcommands({}))
        if (!sub->get_group().empty()) list.push_back(sub->get_name());
    return fmt::format("{}", fmt::join(list, ", "));
}

// Checks that the words name an existing command at each level that has commands.
void checkCommands(const CLI::App& top, const std::vector<std::string>& words) {
    const CLI::App* app = &top;
    for (const std::string& word : words) {
        const auto subs = app->get_subcommands({});
        if (subs.empty() || word.starts_with('-')) return;
        const auto found = std::ranges::find_if(
            subs, [&](const CLI::App* sub) { return sub->get_name() == word; });
        if (found == subs.end())
            throwError<InputError>("'{}' is not a command. The commands are {}.", word,
                                   names(*app));
        app = *found;
    }
    if (!app->get_subcommands({}).empty())
        throwError<InputError>("Name a command: {}. --help explains them.", names(*app));
}

// What packages install beside the program. Neither is listed by --help: both are for the
// installation, and describe the other commands. shell: outlives the parse
void addSelfDescription(CLI::App& program, const std::string& version, std::string& shell,
                        Command::Action& chosen) {
    const auto prints = [&chosen](CLI::App* command, const std::function<std::string()>& text) {
        command->group("");
        command->callback([&chosen, text] {
            chosen = [text](Session&) {
                show("{}", text());
                return 0;
            };
        });
    };
    prints(program.add_subcommand("man", "Print the man page"),
           [&program, version] { return manPage(program, version); });
    CLI::App* completion = program.add_subcommand(
        "completion", "Print the script by which a shell completes commands and options");
    completion->add_option("SHELL", shell, "bash, zsh or fish")->required();
    prints(completion, [&program, &shell] { return completionScript(program, shell); });
}

}  // namespace

int runCommandLine(const std::vector<std::string>& words, Session& session,
                   const std::string& version, const std::function<void(Command)>& addCommands) {
    CLI::App app("Reconstructs volumes from cone-beam CT scans.", "gantry");
    app.set_version_flag("--version", "gantry " + version, "Print the version and exit");
    app.set_help_flag("-h,--help", "Print this help and exit");
    app.get_formatter()->column_width(36);
    Command::Action chosen;
    addCommands(Command(app, chosen));
    std::string shell;
    addSelfDescription(app, version, shell, chosen);
    checkCommands(app, words);
    try {
        std::vector<std::string> reversed;
        // Paths may be as the files of jobs have them, and the desktop: in UTF-8 alone.
        std::transform(words.rbegin(), words.rend(), std::back_inserter(reversed), bytesOfUtf8);
        app.parse(std::move(reversed));
    } catch (const CLI::Success& asked) {
        std::ostringstream text;
        const int code = app.exit(asked, text, std::cerr);
        // Whether CLI11 ends its help with a line break depends on the level and its version.
        std::string shown = text.str();
        shown.erase(shown.find_last_not_of('\n') + 1);
        show("{}\n", shown);
        return code;
    } catch (const CLI::ParseError& error) {
        throw InputError(error.what(), {.advice = "Add --help to see what is allowed."});
    }
    return chosen(session);
}

}  // namespace gantry
