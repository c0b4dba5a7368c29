#pragma once

#include <QListWidget>
#include <QStringList>
#include <vector>

#include "ui/models/image/grey_image.h"

namespace gantry {

/// Pictures beside and below each other, as large as they fit in, in one grey window, with a value
/// below each and what is known of it. A click, Enter or Space chooses one; arrow keys move.
/// Tests: tests/ui/panels/montage_window_test.cpp
class MontageGrid : public QListWidget {
    Q_OBJECT

  public:
    /// What is known of a picture.
    struct Mark {
        QString note = {};  ///< below the value: "sharpness 0.98"
        bool isBest = false;
        bool isNow = false;  ///< the value is what the scan has
    };

    explicit MontageGrid(QWidget* parent = nullptr);

    /// New pictures, none of which is there yet. shape: height over width of each
    void begin(const QStringList& values, double shape);
    void setPicture(int number, const GreyImage& image);
    [[nodiscard]] const GreyImage& picture(int number) const { return m_images[number]; }
    /// The window of all pictures; until then it is that of the first one.
    void setWindow(const GreyWindow& window);
    void setMark(int number, const Mark& mark);
    [[nodiscard]] const Mark& mark(int number) const { return m_marks[number]; }
    /// Logical pixels of each picture on the screen.
    [[nodiscard]] QSize pictureSize() const { return m_size; }

  signals:
    void chosen(int number);

  protected:
    void keyPressEvent(QKeyEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

  private:
    class Delegate;

    void arrange();
    void draw(int number);

    double m_shape = 1;
    QSize m_size;
    GreyWindow m_window;
    bool m_hasWindow = false;
    std::vector<GreyImage> m_images;
    std::vector<Mark> m_marks;
};

/// The width of pictures in an area, for as large ones as fit into it, or of the least width that
/// can be judged; the area is then scrolled. shape: height over width of each; around: what each
/// has beside and below itself
/// Tests: tests/ui/panels/montage_window_test.cpp
[[nodiscard]] int pictureWidth(int count, double shape, QSize area, QSize around);

}  // namespace gantry
