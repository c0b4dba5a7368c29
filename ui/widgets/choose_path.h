#pragma once

#include <QFileDialog>
#include <QString>
#include <functional>

namespace gantry {

/// Which file or folder is asked for.
struct PathQuestion {
    QString name;   ///< of the dialog, for programs
    QString title;  ///< for people
    QString filters = {};
    QFileDialog::FileMode mode = QFileDialog::ExistingFile;
    QString start = {};  ///< a folder; empty: the last one
};

/// Asks for what is to be opened, over the owner's window, without blocking anything else.
/// take: gets what was chosen, unless the owner has ended
/// Tests: tests/ui/panels/verify_real_piece_test.cpp, tests/ui/desktop/main_window_test.cpp
QFileDialog& choosePath(QWidget& owner, const PathQuestion& question,
                        const std::function<void(const QString& path)>& take);

}  // namespace gantry
