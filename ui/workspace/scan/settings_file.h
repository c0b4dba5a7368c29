#pragma once

#include <QObject>
#include <QTimer>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string>

#include "ui/workspace/background/background.h"
#include "ui/workspace/scan/request.h"

namespace gantry {

/// The file of a scan's reconstruction settings: "scan.settings.json" beside "scan.json".
[[nodiscard]] std::filesystem::path settingsFileOf(const std::filesystem::path& scanFile);

/// Applies the kept settings of the request's scan; without a file the request is unchanged. Its
/// output gets a free name. Accesses the disk.
/// @throws InputError naming the file and field; then the request is unchanged
/// Tests: tests/ui/workspace/settings_file_test.cpp
void takeKeptSettings(Request& request);

/// Saves the reconstruction settings of the open scan without asking: in the background, a while
/// after they were changed, and at once when another scan is opened. A scan without a file has no
/// settings file either. GUI thread only. Tests: tests/ui/workspace/settings_file_test.cpp
class SettingsKeeper : public QObject {
    Q_OBJECT

  public:
    explicit SettingsKeeper(QObject* parent = nullptr);
    ~SettingsKeeper() override;

    /// Starts with another scan, whose settings are the kept or the default ones.
    void begin(const Request& request);
    /// Writes the settings soon if they have changed.
    void keep(const Request& request);
    /// Writes them beside the scan's new file if they are not the default ones.
    void follow(const Request& request);

  signals:
    void failed(const QString& sentence);  ///< they cannot be kept; emitted once a scan

  private:
    void writeSoon();
    void writeNow();
    void complain(const QString& sentence);

    std::filesystem::path m_scanFile;
    std::string m_kept;  // the content of the file, or the default settings
    std::string m_settings;
    bool m_hasComplained = false;
    QTimer m_soon;
    std::shared_ptr<std::mutex> m_oneAtATime = std::make_shared<std::mutex>();
    Background m_writing;
};

}  // namespace gantry
