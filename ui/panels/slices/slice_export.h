#pragma once

#include <QObject>
#include <QString>
#include <functional>
#include <stop_token>

#include "core/io/volume/voxel_encoding.h"
#include "ui/models/image/grey_image.h"
#include "ui/models/message.h"
#include "ui/workspace/background/background.h"

class QToolButton;

namespace gantry {

/// A slice or slab as a view shows it, to be saved.
struct SlicePicture {
    GreyImage image;
    GreyWindow window;
    double columnMm = 1;     ///< width of a pixel
    double thicknessMm = 1;  ///< of the slice
    bool hasScale = true;
    QString caption;        ///< empty: none
    ValueScale scale = {};  ///< of the values
    /// Samples every pixel, in any thread, where the image is coarse; empty: it is not
    std::function<GreyImage(const std::stop_token&)> finer{};
};

/// Saves the picture in greys: one pixel a voxel along the finer direction, square pixels, the top
/// row first; a scale bar, and a caption over up to a third of its width, where there is the room.
/// Any thread. Nothing half-written is left.
/// @throws Error naming the file
/// Tests: tests/ui/panels/slice_export_test.cpp
void savePng(const SlicePicture& picture, const QString& path);

/// Saves the values alone, in the volume's unit as 32-bit floats, the top row first, with the
/// pixels' size. Any thread. Nothing half-written is left.
/// @throws Error naming the file
/// Tests: tests/ui/panels/slice_export_test.cpp
void saveTiff(const SlicePicture& picture, const QString& path);

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
    void messageRaised(const gantry::Message& message);

  private:
    enum class Kind { picture, captioned, values };
    void ask(Kind kind);
    void save(const SlicePicture& picture, Kind kind, const QString& path);

    QWidget& m_panel;
    std::function<Offer()> m_current;
    Background m_writing;
};

}  // namespace gantry
