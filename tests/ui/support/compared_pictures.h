#pragma once

#include <QString>
#include <QStringList>
#include <QWidget>

namespace gantry::test {

/// What of a picture is compared.
struct Compared {
    bool isLightToo = true;  ///< in the light theme as well as in the dark one
    QStringList masked;      ///< names of parts whose content changes, such as measured times
};

/// Expects that the widget comes to look as tests/ui/baselines/NAME-dark.png and NAME-light.png,
/// and leaves the dark theme on. A picture that differs is saved as
/// build/<preset>/pictures/NAME-dark.png: before, after, and where.
///
/// With GANTRY_NEW_BASELINES=1 the baselines of those that differ are written anew. Where the
/// system's font is another than DejaVu Sans, the test is skipped.
void comparePictures(QWidget& widget, const QString& name, const Compared& compared = {});

}  // namespace gantry::test
