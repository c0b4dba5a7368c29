#pragma once

#include <QDialog>

#include "ui/widgets/style/theme.h"

namespace gantry {

/// The user's preferences, kept in the application's settings.
struct Preferences {
    ThemeKind theme = ThemeKind::dark;
    bool openFinishedVolumes = true;  ///< show a job's volume when it is done
    bool showStartGuide = true;       ///< the guided example has not been seen

    [[nodiscard]] static Preferences read();
    void write() const;
};

/// Every change applies at once, without confirmation.
/// Tests: tests/ui/desktop/main_window_test.cpp
class PreferencesDialog : public QDialog {
    Q_OBJECT

  public:
    explicit PreferencesDialog(QWidget* parent = nullptr);

  signals:
    void changed(const gantry::Preferences& preferences);
};

}  // namespace gantry
