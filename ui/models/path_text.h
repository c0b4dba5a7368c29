#pragma once

#include <QString>
#include <QUrl>

namespace gantry {

// Paths whose bytes are no UTF-8, as names on old shares have them. toText() makes private
// characters of such bytes, and toPath() bytes of these. Qt's dialogs show them as "\uFFFD": such a
// name is looked up in its folder by toPath(), and is taken for the one file there that looks so.
// Where there are several it stays as it is, and names no file.
// Tests: tests/ui/models/path_text_test.cpp

/// The path of a local file's URL, as it is dragged from another program: see toText().
[[nodiscard]] QString pathTextOf(const QUrl& url);

/// Why nothing can be saved under a path that a dialog gave: several names of the folder look like
/// a part of it. Empty: it can.
[[nodiscard]] QString reasonAgainstPath(const QString& path);

}  // namespace gantry
