#include "ui/workspace/scan/found_scan.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/base/file.h"
#include "core/base/throw_error.h"
#include "core/io/open_source.h"
#include "core/io/volume/stored_volume.h"
#include "core/scan/guess/find_scan.h"
#include "ui/models/path_text.h"
#include "ui/models/text.h"
#include "ui/workspace/jobs/job_reading.h"
#include "ui/workspace/scan/settings_file.h"

namespace gantry {

namespace fs = std::filesystem;

namespace {

constexpr const char* kJobFile = "job.json";

Recognised job(const fs::path& folder) {
    Recognised found;
    found.kind = Recognised::Kind::job;
    found.path = folder;
    found.request = readJobRequest(folder);
    found.job = readJobEntry(toText(folder));
    if (!found.job)
        throwError<InputError>("Cannot open the job {}: its job.json is missing or damaged.",
                               folder.string());
    found.hasOutput = pathExists(found.request->output.path);
    return found;
}

// The scans in a file; who opens it says what is wrong with it.
std::vector<std::string> entriesToAskFor(const fs::path& path) {
    if (!pathExists(path) || isFolder(path)) return {};
    try {
        return entriesIn(path);
    } catch (const InputError&) {
        return {};
    }
}

}  // namespace

Recognised recognise(const fs::path& path) {
    if (!pathExists(path)) {
        const QString unclear = reasonAgainstPath(toText(path));
        if (!unclear.isEmpty()) throw InputError(unclear.toStdString());
        throwError<InputError>("Cannot open {}: there is no such file or folder.", path.string());
    }
    if (isFolder(path) && pathExists(path / kJobFile)) return job(path);
    if (path.filename() == kJobFile) return job(path.parent_path());
    Recognised found;
    found.path = path;
    if (isFolder(path) && !pathExists(path / "scan.json") && pathExists(path / "events.jsonl")) {
        found.kind = Recognised::Kind::timeline;
        return found;
    }
    if (!pathExists(path / "scan.json") && isStoredVolume(path))
        found.kind = Recognised::Kind::volume;
    return found;
}

FoundScan findScan(const fs::path& path, const std::string& entry) {
    FoundScan found;
    if (entry.empty()) found.entries = entriesToAskFor(path);
    if (!found.entries.empty()) return found;
    ScanAtPath at = scanAt(path, entry);
    found = {requestFor(at.scan), std::move(at.guesses), std::move(at.images)};
    if (at.description)
        found.description = std::make_shared<const ScanDescription>(std::move(*at.description));
    if (!at.isDescribed) return found;
    try {
        takeKeptSettings(found.request);
    } catch (const InputError& error) {
        found.settingsProblem = error.what();
    }
    return found;
}

}  // namespace gantry
