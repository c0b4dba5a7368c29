#pragma once

#include <QObject>
#include <QWidget>
#include <filesystem>
#include <functional>

namespace gantry {

/// The files that a window has open, which nothing may be saved over. A window owns one, and the
/// dialogs in which a name is chosen ask it.
/// Tests: tests/ui/widgets/choose_path_test.cpp, tests/ui/desktop/main_window_test.cpp
class SparedFiles : public QObject {
    Q_OBJECT

  public:
    /// Throws an InputError that says why nothing can be saved under a name.
    using Check = std::function<void(const std::filesystem::path& output)>;

    SparedFiles(QWidget& window, Check check);

    /// Why nothing can be saved under that name in the window that the widget is in, or that opened
    /// it; empty: it can.
    [[nodiscard]] static QString problemWith(const QWidget& widget, const QString& path);

  private:
    Check m_check;
};

}  // namespace gantry
