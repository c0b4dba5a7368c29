#include "app/cli/self_description.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <functional>
#include <vector>

#include "core/base/throw_error.h"

namespace gantry {

namespace {

std::vector<const CLI::App*> commandsOf(const CLI::App& app) {
    return app.get_subcommands([](const CLI::App* sub) { return !sub->get_group().empty(); });
}

std::vector<const CLI::Option*> optionsOf(const CLI::App& app, bool byPlace) {
    return app.get_options([byPlace](const CLI::Option* option) {
        return option->nonpositional() != byPlace && !option->get_group().empty();
    });
}

bool takesValue(const CLI::Option& option) {
    return option.get_items_expected_max() > 0;
}

// "-h", "--help".
std::vector<std::string> wordsOf(const CLI::Option& option) {
    std::vector<std::string> words;
    for (const std::string& name : option.get_snames())
        words.push_back("-" + name);
    for (const std::string& name : option.get_lnames())
        words.push_back("--" + name);
    return words;
}

// The words that an option allows, where these are few.
std::vector<std::string> choicesOf(const CLI::Option& option) {
    const std::string type = option.get_type_name();
    return type.find('|') == std::string::npos ? std::vector<std::string>()
                                               : CLI::detail::split(type, '|');
}

std::string firstLine(const std::string& text) {
    return text.substr(0, text.find('\n'));
}

// Every command, with its place: "" of the program, "bench kernels".
void forEachCommand(const CLI::App& app, const std::string& place,
                    const std::function<void(const CLI::App&, const std::string& place)>& use) {
    use(app, place);
    for (const CLI::App* sub : commandsOf(app))
        forEachCommand(*sub, place.empty() ? sub->get_name() : place + " " + sub->get_name(), use);
}

// Escapes text for roff, so that backslashes, dashes and the beginnings of lines mean themselves.
std::string roff(const std::string& text) {
    std::string out;
    for (const char c : text) {
        const bool begins = out.empty() || out.back() == '\n';
        if (begins && (c == '.' || c == '\'')) out += "\\&";
        if (c == '\\')
            out += "\\e";
        else if (c == '-')
            out += "\\-";
        else
            out += c;
    }
    return out;
}

std::string manOption(const CLI::Option& option, bool byPlace) {
    std::vector<std::string> words;
    for (const std::string& word : wordsOf(option))
        words.push_back(fmt::format("\\fB{}\\fR", roff(word)));
    std::string head = byPlace ? fmt::format("\\fI{}\\fR", roff(option.get_name(true)))
                               : fmt::format("{}", fmt::join(words, ", "));
    if (!byPlace && takesValue(option))
        head += fmt::format(" \\fI{}\\fR", roff(option.get_type_name()));
    std::string help = option.get_description();
    const std::string byDefault = option.get_default_str();
    if (!byDefault.empty()) help += fmt::format(" (default: {})", byDefault);
    if (option.get_required() && !byPlace) help += " (required)";
    return fmt::format(".TP\n{}\n{}\n", head, roff(help));
}

std::string manCommand(const CLI::App& app, const std::string& place) {
    std::string usage = " [\\fIOPTION\\fR ...]";
    for (const CLI::Option* option : optionsOf(app, true))
        usage += fmt::format(" \\fI{}\\fR", roff(option->get_name(true)));
    std::string text = fmt::format(".SS gantry {0}\n\\fBgantry {0}\\fR{1}\n.PP\n{2}\n", roff(place),
                                   usage, roff(app.get_description()));
    for (const bool byPlace : {true, false})
        for (const CLI::Option* option : optionsOf(app, byPlace))
            if (!option->check_lname("help")) text += manOption(*option, byPlace);
    if (!app.get_footer().empty())
        text += fmt::format(".PP\n.nf\n{}\n.fi\n", roff(app.get_footer()));
    return text;
}

}  // namespace

std::string manPage(const CLI::App& program, const std::string& version) {
    std::string text = fmt::format(
        ".\\\" Made by \"gantry man\" from what --help shows.\n"
        ".TH GANTRY 1 \"\" \"gantry {}\" \"User Commands\"\n.ad l\n"
        ".SH NAME\ngantry \\- reconstruct volumes from cone\\-beam and parallel\\-beam CT scans\n"
        ".SH SYNOPSIS\n.B gantry\n[\\fICOMMAND\\fR [\\fIOPTION\\fR ...]]\n"
        ".SH DESCRIPTION\n{}\nWithout a command the desktop opens.\n",
        version, roff(program.get_description()));
    for (const CLI::Option* option : optionsOf(program, false))
        text += manOption(*option, false);
    text += ".SH COMMANDS\n";
    forEachCommand(program, "", [&](const CLI::App& app, const std::string& place) {
        if (!place.empty()) text += manCommand(app, place);
    });
    text += fmt::format(".SH EXAMPLES\n.nf\n{}\n.fi\n", roff(program.get_footer()));
    return text;
}

namespace {

// 'text' for any of the shells.
std::string quoted(const std::string& text, const std::string& quote) {
    std::string out = "'";
    for (const char c : text)
        out += c == '\'' ? quote : std::string(1, c);
    return out + "'";
}

std::string posix(const std::string& text) {
    return quoted(text, "'\\''");
}

// The branches of a case statement of bash and zsh by place, and by place and option.
struct Branches {
    std::string places;   ///< patterns of places with a command below: " bench"|"bench kernels"
    std::string words;    ///< what may stand at a place
    std::string choices;  ///< what may stand behind an option
    std::string values;   ///< patterns of options with any other value
};

void addPattern(std::string& patterns, const std::string& pattern) {
    patterns += (patterns.empty() ? "" : "|") + posix(pattern);
}

// entry: how a word and its help stand in the list of a shell
Branches branchesOf(
    const CLI::App& program,
    const std::function<std::string(const std::string&, const std::string&)>& entry) {
    Branches branches;
    forEachCommand(program, "", [&](const CLI::App& app, const std::string& place) {
        std::string commands;
        std::string options;
        for (const CLI::App* sub : commandsOf(app)) {
            addPattern(branches.places, place + " " + sub->get_name());
            commands.append(" ").append(entry(sub->get_name(), firstLine(sub->get_description())));
        }
        for (const CLI::Option* option : optionsOf(app, false))
            for (const std::string& word : wordsOf(*option)) {
                options.append(" ").append(entry(word, firstLine(option->get_description())));
                const std::string behind = fmt::format("{} {}", place, word);
                const std::vector<std::string> choices = choicesOf(*option);
                if (!choices.empty())
                    branches.choices += fmt::format("        {}) choices=({}) ;;\n", posix(behind),
                                                    fmt::join(choices, " "));
                else if (takesValue(*option))
                    addPattern(branches.values, behind);
            }
        branches.words += fmt::format("        {}) commands=({}) options=({}) ;;\n", posix(place),
                                      commands, options);
    });
    return branches;
}

// How the words that a shell has of the command line are written in its language.
struct ShellWords {
    const char* before;    ///< all behind the program's name and before the current one
    const char* previous;  ///< the last of these
    const char* files;     ///< what is done where the name of a file may stand
};

// What bash and zsh share: it finds the place, and what may stand there.
std::string lookUp(const Branches& b, const ShellWords& shell) {
    return fmt::format(R"(    for word in "{}"; do
        case "$place $word" in
            {}) place="${{place:+$place }}$word" ;;
        esac
    done
    case "$place" in
{}    esac
    case "$place {}" in
{}        {}) {}; return ;;
    esac
)",
                       shell.before, b.places, b.words, shell.previous, b.choices, b.values,
                       shell.files);
}

std::string bashScript(const CLI::App& program) {
    const Branches branches =
        branchesOf(program, [](const std::string& word, const std::string&) { return word; });
    return fmt::format(
        R"(# Completion of gantry for bash; made by "gantry completion bash".
_gantry() {{
    local current=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD - 1]}}
    local place="" word choices=() commands=() options=()
{}    if ((${{#choices[@]}} > 0)); then
        mapfile -t COMPREPLY < <(compgen -W "${{choices[*]}}" -- "$current")
    elif [[ $current == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W "${{options[*]}}" -- "$current")
    else
        mapfile -t COMPREPLY < <(compgen -W "${{commands[*]}}" -- "$current")
    fi
}}
complete -o default -F _gantry gantry
)",
        lookUp(branches, {"${COMP_WORDS[@]:1:COMP_CWORD - 1}", "$previous", "COMPREPLY=()"}));
}

// A colon parts a word from its help in zsh's lists.
std::string zshEntry(const std::string& word, const std::string& help) {
    return posix(word + ":" + help);
}

std::string zshScript(const CLI::App& program) {
    return fmt::format(R"(#compdef gantry
# Completion of gantry for zsh; made by "gantry completion zsh".
_gantry() {{
    local place="" word
    local -a choices commands options
{}    if (( $#choices )); then
        compadd -a choices
    elif [[ ${{words[CURRENT]}} == -* ]]; then
        _describe -o option options
    elif (( $#commands )); then
        _describe command commands
    else
        _files
    fi
}}
if [[ $funcstack[1] == _gantry ]]; then _gantry "$@"; else compdef _gantry gantry; fi
)",
                       lookUp(branchesOf(program, zshEntry),
                              {"${(@)words[2,CURRENT-1]}", "${words[CURRENT-1]}", "_files"}));
}

std::string fishQuoted(const std::string& text) {
    std::string escaped;
    for (const char c : text)
        escaped += c == '\\' ? "\\\\" : std::string(1, c);
    return quoted(escaped, "\\'");
}

std::string fishOption(const CLI::Option& option, const std::string& at) {
    std::string line = at;
    for (const std::string& name : option.get_snames())
        line += " -s " + name;
    for (const std::string& name : option.get_lnames())
        line += " -l " + name;
    const std::vector<std::string> choices = choicesOf(option);
    if (!choices.empty())
        line += fmt::format(" -x -a {}", fishQuoted(fmt::format("{}", fmt::join(choices, " "))));
    else if (takesValue(option))
        line += " -r";
    return fmt::format("{} -d {}\n", line, fishQuoted(firstLine(option.get_description())));
}

std::string fishScript(const CLI::App& program) {
    std::string places;
    std::string lines;
    forEachCommand(program, "", [&](const CLI::App& app, const std::string& place) {
        const std::string at = fmt::format("complete -c gantry -n {}",
                                           fishQuoted(fmt::format("__gantry_at '{}'", place)));
        for (const CLI::App* sub : commandsOf(app)) {
            places.append(" ").append(fishQuoted(place + " " + sub->get_name()));
            lines += fmt::format("{} -f -a {} -d {}\n", at, sub->get_name(),
                                 fishQuoted(firstLine(sub->get_description())));
        }
        for (const CLI::Option* option : optionsOf(app, false))
            lines += fishOption(*option, at);
    });
    return fmt::format(R"(# Completion of gantry for fish; made by "gantry completion fish".
function __gantry_at
    set -l words (commandline -opc)
    set -l place ''
    for word in $words[2..-1]
        if contains -- "$place $word" {}
            set place (string trim -- "$place $word")
        end
    end
    test "$place" = "$argv[1]"
end
{})",
                       places, lines);
}

}  // namespace

std::string completionScript(const CLI::App& program, const std::string& shell) {
    if (shell == "bash") return bashScript(program);
    if (shell == "zsh") return zshScript(program);
    if (shell == "fish") return fishScript(program);
    throwError<InputError>("'{}' is not a shell that is known. Name bash, zsh or fish.", shell);
}

}  // namespace gantry
