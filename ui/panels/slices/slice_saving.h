#pragma once

#include <QObject>
#include <functional>

#include "ui/models/message.h"
#include "ui/panels/slices/slice_export.h"
#include "ui/workspace/background/background.h"

class QToolButton;

namespace gantry {

/// Saves the slice of the view that had the focus last: asks where, and writes in the background.
/// Tests: tests/ui/panels/slice_export_test.cpp
class SliceSaving : public QObject {
    Q_OBJECT

  public:
    /// current: the slice as it is shown, with its caption, and where a picture of it would be
    /// saved, without an ending; no image: none
    struct Offer {
        SlicePicture picture;
        QString start;
    };
    /// Fills the button, whose panel has the key.
    SliceSaving(QToolButton& button, QWidget& panel, std::function<Offer()> current);

  signals:
    void said(const gantry::Message& message);

  private:
    enum class Kind { picture, captioned, values };
    void ask(Kind kind);
    void save(const SlicePicture& picture, Kind kind, const QString& path);

    QWidget& m_panel;
    std::function<Offer()> m_current;
    Background m_writing;
};

}  // namespace gantry
