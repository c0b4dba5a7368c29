#include "core/remote/transfer/transfer.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "core/base/text.h"
#include "core/base/throw_error.h"
#include "core/base/wait.h"
#include "core/remote/shell/host_lock.h"
#include "core/remote/transfer/rsync.h"
#include "core/remote/transfer/sftp.h"

namespace gantry {

namespace fs = std::filesystem;

namespace {

void moveEither(const Transfer& transfer, const BytesHandler& moved, const std::stop_token& stop) {
    if (!moveByRsync(transfer, moved, stop)) moveBySftp(transfer, moved, stop);
}

void requireRoom(const Transfer& transfer, const HostLock& lock, Index missing) {
    if (missing > lock.freeBytes())
        throwError<ResourceError>(
            "{}: {} are to be sent to {}, whose disk has {} free. Free some room there "
            "(gantry host clean), or name another folder in the host's file (scratch).",
            transfer.shell.hostName(), formatBytes(missing), transfer.there,
            formatBytes(lock.freeBytes()));
}

// @returns false if another program sends to the folder
bool sendIfFree(const Transfer& transfer, const std::string& own, const HostProgress& progress,
                const std::stop_token& stop) {
    const HostLock lock(transfer.shell, transfer.there, own, stop);
    if (!lock.isHeld()) return false;
    const Index all = bytesOf(transfer.files);
    const Index present = std::min(all, lock.presentBytes());
    requireRoom(transfer, lock, all - present);
    const auto tell = [&](Index done) {
        if (progress.bytes) progress.bytes(std::min(all, present + done), all);
    };
    tell(0);
    moveEither(transfer, tell, stop);
    return true;
}

}  // namespace

void sendFiles(const HostShell& shell, const fs::path& from, const std::vector<HostFile>& files,
               const std::string& to, const HostProgress& progress, const std::stop_token& stop) {
    const Transfer transfer = {shell, Transfer::Way::send, from, to, files};
    const std::string own = newMark();
    bool hasTold = false;
    const auto work = [&] {
        while (!sendIfFree(transfer, own, progress, stop)) {
            if (!hasTold && progress.onRemark)
                progress.onRemark(
                    fmt::format("Another job sends the same files to {}; this one waits for it.",
                                shell.hostName()));
            hasTold = true;
            waitFor(std::chrono::seconds(1), stop);
        }
    };
    throughBreaks(progress, stop, work);
}

void fetchFiles(const HostShell& shell, const std::string& from, const std::vector<HostFile>& files,
                const fs::path& to, const fs::path& known, const HostProgress& progress,
                const std::stop_token& stop) {
    if (files.empty()) return;
    const Transfer transfer = {shell, Transfer::Way::fetch, to, from, files, known};
    constexpr Index kMore = 1'000'000;
    const Index all = bytesOf(files);
    const auto tell = [&](Index done) {
        if (done > all + kMore)
            throwError<ResourceError>("{} sent more than the {} that it has listed.",
                                      shell.hostName(), formatBytes(all));
        if (progress.bytes) progress.bytes(std::min(done, all), all);
    };
    throughBreaks(progress, stop, [&] { moveEither(transfer, tell, stop); });
}

}  // namespace gantry
