#pragma once

#include <QFileDialog>
#include <QString>
#include <functional>

namespace gantry {

/// The file or folder that the user is asked for.
struct PathQuestion {
    QString name;   ///< of the dialog, for tests
    QString title;  ///< for the user
    QString filters = {};
    QFileDialog::FileMode mode = QFileDialog::ExistingFile;
    QString start = {};  ///< a folder; empty: the last one
};

/// Asks for a path to open, over the owner's window, without blocking anything else.
/// take: gets the chosen path, unless the owner has been destroyed
/// Tests: tests/ui/panels/verify_real_piece_test.cpp, tests/ui/desktop/main_window_test.cpp
QFileDialog& choosePath(QWidget& owner, const PathQuestion& question,
                        const std::function<void(const QString& path)>& take);

}  // namespace gantry
