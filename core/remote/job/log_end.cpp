#include "core/remote/job/log_end.h"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <span>
#include <sstream>

#include "core/base/file.h"
#include "core/job/event_line.h"
#include "core/remote/host/shell_text.h"

namespace gantry {

LogEnd endOfLog(const RemoteJob& job) {
    const std::filesystem::path path = job.folder / "events.jsonl";
    LogEnd says;
    if (!pathExists(path)) return says;
    constexpr Index kWindowBytes = 256'000;
    const File file(path, File::Mode::read);
    const Index begin = std::max<Index>(0, file.sizeBytes() - kWindowBytes);
    std::string text(static_cast<std::size_t>(file.sizeBytes() - begin), '\0');
    file.readAt(begin, std::as_writable_bytes(std::span(text)));
    text.resize(text.rfind('\n') + 1);
    EventNews news;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);)
        takeEventLine(line, news);  // the first line, which is cut off, is skipped
    says.state = news.state ? std::string(name(*news.state)) : "running";
    says.message = shownText(news.stateMessage, 1000);
    if (news.progress) says.fraction = news.progress->fraction;
    return says;
}

void settleByCode(RemoteJob& job, const JobTraces& traces, const LogEnd& says) {
    const int code = *traces.ended;
    constexpr int kCancelled = 130;
    constexpr int kTerminated = 128 + SIGTERM;  // before the worker could handle the signal
    if (code == 0) {
        job.state = RemoteState::done;
        job.message = "done";
    } else if (code == kCancelled || code == kTerminated || says.state == "cancelled") {
        job.state = RemoteState::cancelled;
        job.message = "was cancelled";
    } else {
        job.state = RemoteState::failed;
        job.message = says.state == "failed" && !says.message.empty()
                          ? says.message
                          : fmt::format("ended with code {}; it said: {}", code,
                                        traces.lastOutput.empty() ? "nothing" : traces.lastOutput);
    }
}

}  // namespace gantry
