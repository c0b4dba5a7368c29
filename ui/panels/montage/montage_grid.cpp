#include "ui/panels/montage/montage_grid.h"

#include <QKeyEvent>
#include <QPainter>
#include <QPen>
#include <QPixmap>
#include <QScrollBar>
#include <QStyledItemDelegate>
#include <algorithm>
#include <cmath>

#include "ui/widgets/style/theme.h"

namespace gantry {

namespace {

constexpr int kPictureFrame = 3;  // about each picture
constexpr int kFocusRing = 2;     // about the frame of the one that has the focus
constexpr int kCellAir = 6;       // about each cell
constexpr int kTextLines = 2;     // of text below a picture
constexpr int kMinPictureWidth = 140;

int textHeight(const QFontMetrics& metrics) {
    return kTextLines * metrics.lineSpacing() + kCellAir / 2;
}

QSize aroundPictures(const QFontMetrics& metrics) {
    const int beside = 2 * (kPictureFrame + kCellAir);
    return {beside, beside + textHeight(metrics)};
}

}  // namespace

int pictureWidth(int count, double shape, QSize area, QSize around) {
    int widest = 0;
    for (int columns = 1; columns <= count; ++columns) {
        const int rows = (count + columns - 1) / columns;
        const int across = area.width() / columns - around.width();
        const int down = area.height() / rows - around.height();
        widest = std::max(widest, std::min(across, static_cast<int>(down / shape)));
    }
    return std::max(widest, std::min(kMinPictureWidth, area.width() - around.width()));
}

class MontageGrid::Delegate : public QStyledItemDelegate {
  public:
    explicit Delegate(MontageGrid& grid) : QStyledItemDelegate(&grid), m_grid(grid) {}

    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override {
        const Theme theme = themeOf(m_grid);
        const Mark& mark = m_grid.mark(index.row());
        QRect picture(QPoint(), m_grid.pictureSize());
        picture.moveCenter(option.rect.center());
        picture.moveTop(option.rect.top() + kCellAir + kPictureFrame);
        const bool isCurrent = m_grid.currentRow() == index.row() && m_grid.hasFocus();
        const QRect frame =
            picture.adjusted(-kPictureFrame, -kPictureFrame, kPictureFrame, kPictureFrame);
        if (mark.isBest) painter->fillRect(frame, theme.good);
        if (isCurrent || option.state.testFlag(QStyle::State_MouseOver)) {
            painter->setPen(QPen(isCurrent ? theme.accent : theme.muted, kFocusRing));
            painter->drawRect(
                frame.adjusted(-kFocusRing, -kFocusRing, kFocusRing - 1, kFocusRing - 1));
        }
        painter->fillRect(picture, Qt::black);
        const auto pixmap = index.data(Qt::DecorationRole).value<QPixmap>();
        if (!pixmap.isNull()) painter->drawPixmap(picture, pixmap);
        QFont font = option.font;
        font.setBold(mark.isBest || mark.isNow);
        painter->setFont(font);
        painter->setPen(theme.text);
        const QString value = index.data(Qt::DisplayRole).toString();
        QRect line(option.rect.left(), frame.bottom() + kCellAir / 2, option.rect.width(),
                   option.fontMetrics.lineSpacing());
        const QString text = mark.isNow ? MontageGrid::tr("%1, now").arg(value) : value;
        painter->drawText(line, Qt::AlignCenter,
                          QFontMetrics(font).elidedText(text, Qt::ElideRight, option.rect.width()));
        line.translate(0, line.height());
        painter->setFont(option.font);
        painter->setPen(mark.isBest ? theme.good : theme.muted);
        painter->drawText(line, Qt::AlignCenter, mark.note);
    }
    [[nodiscard]] QSize sizeHint(const QStyleOptionViewItem& /*option*/,
                                 const QModelIndex& /*index*/) const override {
        return m_grid.gridSize();
    }

  private:
    const MontageGrid& m_grid;
};

MontageGrid::MontageGrid(QWidget* parent) : QListWidget(parent) {
    setAccessibleName(tr("Pictures of each value"));
    setViewMode(QListView::IconMode);
    setFlow(QListView::LeftToRight);
    setResizeMode(QListView::Adjust);
    setMovement(QListView::Static);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
    setItemDelegate(new Delegate(*this));
    viewport()->setAttribute(Qt::WA_Hover);
    connect(this, &QListWidget::itemClicked, this,
            [this](const QListWidgetItem* item) { emit chosen(row(item)); });
}

void MontageGrid::begin(const QStringList& values, double shape) {
    m_shape = shape;
    m_hasWindow = false;
    m_images.assign(static_cast<std::size_t>(values.size()), {});
    m_marks.assign(static_cast<std::size_t>(values.size()), {});
    clear();
    addItems(values);
    setCurrentRow(0);
    arrange();
}

void MontageGrid::setPicture(int number, const GreyImage& image) {
    m_images[number] = image;
    if (!m_hasWindow) setWindow(autoWindow(image.pixels));
    draw(number);
}

void MontageGrid::setWindow(const GreyWindow& window) {
    m_window = window;
    m_hasWindow = true;
    for (int i = 0; i < count(); ++i)
        draw(i);
}

void MontageGrid::setMark(int number, const Mark& mark) {
    m_marks[number] = mark;
    QListWidgetItem& shown = *item(number);
    QStringList words;
    if (mark.isNow) words << tr("now");
    if (!mark.note.isEmpty()) words << mark.note;
    shown.setData(Qt::AccessibleDescriptionRole, words.join(QStringLiteral(", ")));
    shown.setToolTip(tr("A click takes %1").arg(shown.text()));
    viewport()->update();
}

void MontageGrid::keyPressEvent(QKeyEvent* event) {
    const bool isChoice = event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter ||
                          event->key() == Qt::Key_Space;
    if (!isChoice || currentRow() < 0) return QListWidget::keyPressEvent(event);
    event->accept();
    emit chosen(currentRow());
}

void MontageGrid::resizeEvent(QResizeEvent* event) {
    QListWidget::resizeEvent(event);
    arrange();
}

void MontageGrid::arrange() {
    if (count() == 0) return;
    const QSize around = aroundPictures(fontMetrics());
    // Cells of a whole row must be narrower than the view, which else wraps it.
    const QSize area = contentsRect().size() - QSize(1, 0);
    const auto heightOf = [&](int width) {
        return std::max(1, static_cast<int>(std::lround(width * m_shape)));
    };
    const int width = std::max(1, pictureWidth(count(), m_shape, area, around));
    const QSize size(width, heightOf(width));
    const auto shared = [this](int among) { return (count() + among - 1) / among; };
    const int max = std::max(1, area.width() / (width + around.width()));
    const bool fits = shared(max) * (size + around).height() <= area.height();
    setVerticalScrollBarPolicy(fits ? Qt::ScrollBarAlwaysOff : Qt::ScrollBarAlwaysOn);
    const int bar = fits ? 0 : verticalScrollBar()->sizeHint().width();
    const int columns = std::max(1, (area.width() - bar) / (width + around.width()));
    // Rows of the same length share the width of the view.
    const int across = shared(shared(columns));
    setGridSize({(area.width() - bar) / across, (size + around).height()});
    if (size == m_size) return;
    m_size = size;
    for (int i = 0; i < count(); ++i)
        draw(i);
}

void MontageGrid::draw(int number) {
    const GreyImage& image = m_images[number];
    if (image.isEmpty()) return;
    const double ratio = devicePixelRatioF();
    const QSize size = m_size * ratio;
    QImage picture = gantry::render(image, m_window, ImagePlacement::fitted(image, QSizeF(size)),
                                    size, 1, Qt::black, Qt::black);
    picture.setDevicePixelRatio(ratio);
    item(number)->setData(Qt::DecorationRole, QPixmap::fromImage(picture));
}

}  // namespace gantry
