#include <QFile>
#include <QGuiApplication>
#include <QIconEngine>
#include <QPainter>
#include <QPixmapCache>
#include <QSvgRenderer>

#include "ui/widgets/style/style_sheet.h"
#include "ui/widgets/style/theme.h"

namespace gantry {
namespace {

// The colour of all strokes in the files; a grey that is visible on dark and light, because style
// sheets show the files unchanged.
const char* const kPlaceholder = "#808080";

class LineIcon : public QIconEngine {
  public:
    LineIcon(QString name, QColor Theme::*colour) : m_name(std::move(name)), m_colour(colour) {}

    void paint(QPainter* painter, const QRect& rect, QIcon::Mode mode, QIcon::State) override {
        QSvgRenderer(drawing(mode)).render(painter, rect);
    }

    QPixmap pixmap(const QSize& size, QIcon::Mode mode, QIcon::State state) override {
        if (size.isEmpty()) return {};  // a button without room
        const QString key = QStringLiteral("gantry-icon/%1/%2/%3x%4")
                                .arg(m_name, colourOf(mode).name())
                                .arg(size.width())
                                .arg(size.height());
        QPixmap result;
        if (QPixmapCache::find(key, &result)) return result;
        result = QPixmap(size);
        result.fill(Qt::transparent);
        QPainter painter(&result);
        paint(&painter, QRect({0, 0}, size), mode, state);
        painter.end();
        QPixmapCache::insert(key, result);
        return result;
    }

    [[nodiscard]] QIconEngine* clone() const override { return new LineIcon(*this); }

  private:
    // The palette is read each time, so an icon follows the theme by itself.
    [[nodiscard]] QColor colourOf(QIcon::Mode mode) const {
        const QColor window = QGuiApplication::palette().color(QPalette::Window);
        const Theme theme = themeFor(window.lightness() < 128 ? ThemeKind::dark : ThemeKind::light);
        return mode == QIcon::Disabled ? disabledColour(theme) : theme.*m_colour;
    }

    [[nodiscard]] QByteArray drawing(QIcon::Mode mode) const {
        QFile file(":/icons/" + m_name + ".svg");
        if (!file.open(QIODevice::ReadOnly)) return {};
        return file.readAll().replace(kPlaceholder, colourOf(mode).name().toLatin1());
    }

    QString m_name;
    QColor Theme::*m_colour;
};

}  // namespace

QIcon icon(const QString& name, QColor Theme::*colour) {
    return QIcon(new LineIcon(name, colour));
}

}  // namespace gantry
