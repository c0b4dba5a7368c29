#pragma once

#include <QObject>
#include <QTimer>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string>

#include "ui/workspace/background.h"
#include "ui/workspace/request.h"

namespace gantry {

/// Where the settings of a scan's reconstruction are kept: "scan.settings.json" beside "scan.json".
[[nodiscard]] std::filesystem::path settingsFileOf(const std::filesystem::path& scanFile);

/// Applies the settings that are kept for the request's scan; without a file of them the request
/// stays. Its output gets a free name. Looks at the disk.
/// @throws InputError naming the file and field; then the request stays
/// Tests: tests/ui/workspace/settings_file_test.cpp
void takeKeptSettings(Request& request);

/// Saves the settings of the open scan's reconstruction without asking: a while after they were
/// changed, in the background, and at once when another scan comes. A scan that has no file yet has
/// no settings' file either. GUI thread only.
/// Tests: tests/ui/workspace/settings_file_test.cpp
class SettingsKeeper : public QObject {
    Q_OBJECT

  public:
    explicit SettingsKeeper(QObject* parent = nullptr);
    ~SettingsKeeper() override;

    /// Another scan, whose settings are the kept or the usual ones.
    void begin(const Request& request);
    /// Writes the settings soon where they are others than before.
    void keep(const Request& request);
    /// Writes them beside the scan's new file, where they are not the usual ones.
    void follow(const Request& request);

  signals:
    void failed(const QString& sentence);  ///< they cannot be kept; said once a scan

  private:
    void writeSoon();
    void writeNow();
    void complain(const QString& sentence);

    std::filesystem::path m_scanFile;
    std::string m_kept;  // what the file says, or the usual settings
    std::string m_settings;
    bool m_hasComplained = false;
    QTimer m_soon;
    std::shared_ptr<std::mutex> m_oneAtATime = std::make_shared<std::mutex>();
    Background m_writing;
};

}  // namespace gantry
