#include "core/remote/shell/host_shell.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/remote/shell/ssh_words.h"
#include "tests/support/temporary_folder.h"

namespace gantry {
namespace {

Host thisMachine() {
    Host host;
    host.scratch = "/tmp";
    return host;
}

TEST(HostShell, ArgumentsReachTheScriptAsTheyAre) {
    const HostShell shell(thisMachine());
    const std::vector<std::string> odd = {"two  words", "it's",   "\"$(touch /tmp/no)\"",
                                          "a\nb\n",     "-n",     "",
                                          "*",          "\\0101", "!!",
                                          "`id`",       "%s ü",   "a;b&c|d>e"};
    std::string expected;
    for (const std::string& word : odd)
        expected += "<" + word + ">";
    const ShellAnswer answer =
        shell.run({.script = "for a; do printf '<%s>' \"$a\"; done", .arguments = odd});
    EXPECT_EQ(answer.code, 0);
    EXPECT_EQ(answer.output, expected);
}

TEST(HostShell, TheScriptReadsItsInputFromTheFirstByte) {
    const HostShell shell(thisMachine());
    std::string bytes;
    for (int i = 0; i < 300'000; ++i)
        bytes += static_cast<char>(i % 256);
    const ShellAnswer answer = shell.run({.script = "cat", .input = inputOf(bytes)});
    EXPECT_TRUE(answer.output == bytes);
}

TEST(HostShell, TellsTheScriptsEnd) {
    const HostShell shell(thisMachine());
    const ShellAnswer answer = shell.run({.script = "printf x; echo why >&2; exit 9"});
    EXPECT_EQ(answer.code, 9);
    EXPECT_EQ(answer.output, "x");
    EXPECT_EQ(answer.complaints, "why");
    EXPECT_EQ(shell.run({.script = "true"}).output, "");
    EXPECT_EQ(shell.run({.script = "umask; echo $LC_ALL"}).output, "0077\nC\n");
}

TEST(HostShell, AnAnswerThatDripsForEverIsEnded) {
    const HostShell shell{Host{}};
    try {
        (void)shell.run({.script = "while echo .; do sleep 0.01; done", .maxSeconds = 0.3});
        ADD_FAILURE() << "it came to an end";
    } catch (const ResourceError& error) {
        EXPECT_NE(error.message().find("without an end"), std::string::npos) << error.message();
    }
}

// What is told must not wait for more to come.
TEST(HostShell, WhatTheScriptPrintsIsToldAtOnce) {
    const HostShell shell(thisMachine());
    const test::TemporaryFolder folder;
    std::string told;
    const ShellAnswer answer =
        shell.run({.script = R"(printf 'a line'; n=0
while [ ! -e "$1/go" ] && [ $n -lt 300 ]; do sleep 0.1; n=$((n + 1)); done
[ $n -lt 300 ] && printf '\n-end 0\n\n')",
                   .arguments = {folder.path().string()},
                   .output = [&](std::span<const std::byte> bytes) {
                       told.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
                       if (told == "a line") writeFileAtomically(folder / "go", "");
                   }});
    EXPECT_EQ(answer.code, 0);
    EXPECT_EQ(told, "a line\n-end 0\n\n");
}

TEST(HostShell, LongAnswersAreRefused) {
    const HostShell shell(thisMachine());
    EXPECT_THROW((void)shell.run({.script = "yes", .maxOutputBytes = 1'000'000}), ResourceError);
}

// A program in the place of ssh, first in PATH.
class StandIn {
  public:
    explicit StandIn(const std::string& script) : m_path(std::getenv("PATH")) {
        writeFileAtomically(m_folder / "ssh", "#!/bin/sh\n" + script);
        std::filesystem::permissions(m_folder / "ssh", std::filesystem::perms::owner_all);
        ::setenv("PATH", (m_folder.path().string() + ":" + m_path).c_str(), 1);
    }
    StandIn(const StandIn&) = delete;
    StandIn& operator=(const StandIn&) = delete;
    ~StandIn() { ::setenv("PATH", m_path.c_str(), 1); }

  private:
    test::TemporaryFolder m_folder;
    std::string m_path;
};

TEST(HostShell, WhatIsPrintedForEverAroundAnAnswerEnds) {
    Host host = thisMachine();
    host.name = "far";
    host.address = "far";
    {
        const StandIn ssh("exec yes\n");
        try {
            (void)HostShell(host).run({.script = "true"});
            FAIL();
        } catch (const ResourceError& error) {
            EXPECT_NE(error.message().find("far printed 1."), std::string::npos) << error.message();
            EXPECT_NE(error.message().find("did not answer"), std::string::npos);
        }
    }
    const StandIn ssh(R"sh(IFS= read -r a; eval "$(printf %b "$a")"; exec yes)sh");
    const ShellAnswer answer = HostShell(host).run({.script = "echo good; exit 3"});
    EXPECT_EQ(answer.output, "good\n");
    EXPECT_EQ(answer.code, 3);
}

TEST(HostShell, AShellThatIsKilledIsABrokenConnection) {
    const HostShell shell(thisMachine());
    EXPECT_THROW((void)shell.run({.script = "kill -9 $$"}), HostUnreachable);
    EXPECT_THROW((void)shell.run({.script = "sleep 50", .quietSeconds = 0.2}), HostUnreachable);
}

TEST(HostShell, SshsWordsComeWithWhatToDo) {
    const std::string changed =
        "@@@@@\n@ WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED! @\n...\nHost key verification "
        "failed.\n";
    EXPECT_EQ(sshReason(changed), "\"REMOTE HOST IDENTIFICATION HAS CHANGED\".");
    EXPECT_NE(sshAdvice(changed, "h").find("ssh-keygen -R"), std::string::npos);
    EXPECT_NE(sshAdvice("No ED25519 host key is known\nHost key verification failed.", "h")
                  .find("fingerprint"),
              std::string::npos);
    EXPECT_EQ(sshReason("x\nssh: connect to host a port 22: Connection refused\r\n"),
              "\"ssh: connect to host a port 22: Connection refused\".");
}

}  // namespace
}  // namespace gantry
