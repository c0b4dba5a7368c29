#include "ui/workspace/scan/settings_file.h"

#include <exception>

#include "core/base/file.h"
#include "core/job/job_file.h"
#include "ui/models/text.h"

namespace gantry {

namespace fs = std::filesystem;

namespace {

constexpr int kRestMs = 1000;

// The output's path is relative to the scan's folder, so that both may be moved together.
std::string settingsOf(const Request& request) {
    JobSpec job = request.job;
    const fs::path relative = job.output.path.lexically_relative(job.scan.folder);
    if (!relative.empty() && *relative.begin() != "..") job.output.path = relative;
    return settingsJson(job, !request.volumeIsFitted);
}

// "walnut" for "walnut-3": without a number that was added to get a free name.
fs::path unnumbered(const fs::path& output) {
    const fs::path path = output.has_filename() ? output : output.parent_path();
    const std::string stem = path.stem().string();
    const std::size_t dash = stem.rfind('-');
    const bool isNumbered = dash != std::string::npos && dash > 0 && dash + 1 < stem.size() &&
                            stem.find_first_not_of("0123456789", dash + 1) == std::string::npos;
    if (!isNumbered) return output;
    fs::path first = path;
    first.replace_filename(stem.substr(0, dash) + path.extension().string());
    // "tooth-2" may be a complete name.
    if (freeOutputPath(first) == first) return output;
    return output.has_filename() ? first : first / "";
}

}  // namespace

fs::path settingsFileOf(const fs::path& scanFile) {
    fs::path file = scanFile;
    return file.replace_extension(".settings.json");
}

void takeKeptSettings(Request& request) {
    const fs::path file = settingsFileOf(request.job.scan.path);
    if (!pathExists(file)) return;
    Request kept = request;
    kept.volumeIsFitted = !takeSettings(readTextFile(file), file.string(), kept.job);
    fitVolume(kept);
    const fs::path output = request.job.scan.folder / kept.job.output.path;
    kept.job.output.path = pathExists(output.parent_path()) || !output.has_filename()
                               ? freeOutputPath(unnumbered(output))
                               : request.job.output.path;
    request = std::move(kept);
}

SettingsKeeper::SettingsKeeper(QObject* parent) : QObject(parent) {
    m_soon.setSingleShot(true);
    m_soon.setInterval(kRestMs);
    connect(&m_soon, &QTimer::timeout, this, &SettingsKeeper::writeSoon);
}

SettingsKeeper::~SettingsKeeper() {
    m_hasComplained = true;  // its receiver is being destroyed too
    writeNow();
}

void SettingsKeeper::begin(const Request& request) {
    writeNow();
    m_scanFile = request.job.scan.path;
    m_kept = m_settings = settingsOf(request);
    m_hasComplained = false;
}

void SettingsKeeper::keep(const Request& request) {
    m_settings = settingsOf(request);
    m_soon.start();
}

void SettingsKeeper::follow(const Request& request) {
    m_scanFile = request.job.scan.path;
    m_settings = settingsOf(request);
    m_kept = pathExists(settingsFileOf(m_scanFile)) ? std::string()
                                                    : settingsOf(requestFor(request.job.scan));
    writeNow();
}

void SettingsKeeper::writeSoon() {
    if (m_settings == m_kept) return;
    m_writing.start(
        [lock = m_oneAtATime, scan = m_scanFile, text = m_settings](const std::stop_token& stop) {
            const std::lock_guard alone(*lock);
            if (!stop.stop_requested() && pathExists(scan))
                writeFileAtomically(settingsFileOf(scan), text);
            return text;
        },
        [this](const std::string& text) { m_kept = text; },
        [this](const QString& sentence) { complain(sentence); });
}

void SettingsKeeper::writeNow() {
    m_soon.stop();
    const bool isBusy = m_writing.isBusy();
    m_writing.cancel();
    if (m_settings == m_kept && !isBusy) return;
    const std::lock_guard alone(*m_oneAtATime);
    m_kept = m_settings;
    try {
        if (pathExists(m_scanFile)) writeFileAtomically(settingsFileOf(m_scanFile), m_settings);
    } catch (const std::exception& error) {
        complain(QString::fromUtf8(error.what()));
    }
}

void SettingsKeeper::complain(const QString& sentence) {
    if (m_hasComplained) return;
    m_hasComplained = true;
    emit failed(
        tr("The settings of the reconstruction cannot be kept beside the scan: %1").arg(sentence));
}

}  // namespace gantry
