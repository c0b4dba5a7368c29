#include "app/bench/child.h"

#include <string_view>
#include <utility>

#include "core/base/error.h"
#include "core/base/run_process.h"

namespace gantry {

namespace fs = std::filesystem;

namespace {

// The program ends a failure with one line, "gantry: …". The launcher of ranks adds its own lines.
std::string sentenceOf(const std::string& printed) {
    constexpr std::string_view kBefore = "gantry: ";
    const std::size_t begin = printed.rfind(kBefore);
    if (begin == std::string::npos) {
        constexpr std::size_t kMaxBytes = 2000;
        return "The program ended unexpectedly" +
               (printed.empty() ? "." : ":\n" + printed.substr(0, kMaxBytes));
    }
    const std::size_t first = begin + kBefore.size();
    return printed.substr(first, printed.find('\n', first) - first);
}

}  // namespace

fs::path programPath() {
    return fs::read_symlink("/proc/self/exe");
}

std::string outputOfProgram(const std::vector<std::string>& words, const std::stop_token& stop) {
    constexpr double kGraceSeconds = 30;  // a job keeps what it has finished
    std::vector<std::string> all = {programPath().string()};
    all.insert(all.end(), words.begin(), words.end());
    ProcessEnd end = runProcess({.words = std::move(all), .graceSeconds = kGraceSeconds}, stop);
    if (end.code != 0) throw InputError(sentenceOf(end.complaints));
    return std::move(end.output);
}

}  // namespace gantry
