#pragma once

#include <string>

namespace CLI {
class App;
}  // namespace CLI

namespace gantry {

/// gantry(1), in roff: every command with its options, as --help shows them.
/// Tests: tests/cli/test_self_description.py
[[nodiscard]] std::string manPage(const CLI::App& program, const std::string& version);

/// A script by which a shell completes commands, options, and words that are a choice; elsewhere
/// names of files. shell: "bash", "zsh" or "fish"
/// Tests: tests/cli/test_self_description.py
[[nodiscard]] std::string completionScript(const CLI::App& program, const std::string& shell);

}  // namespace gantry
