#include "ui/panels/verify/report_pdf.h"

#include <QAbstractTextDocumentLayout>
#include <QBuffer>
#include <QImage>
#include <QPageLayout>
#include <QPageSize>
#include <QPainter>
#include <QPdfWriter>
#include <QTextBlock>
#include <QTextCursor>
#include <QTextDocument>
#include <QTextFrame>
#include <QTextTable>
#include <QUrl>
#include <QVariant>
#include <algorithm>

namespace gantry {

namespace {

// What QTextDocument does not take from the page's style is set here; in pixels of 1/96 inch.

constexpr double kPixelsPerMm = 96 / 25.4;
constexpr double kMarginMm = 12;
constexpr double kMaxPictureMm = 68;  // high, as the page's style has it on paper

// The picture's own size, pixels; empty: it cannot be decoded.
QSize sizeOf(const QTextDocument& document, const QTextImageFormat& format) {
    const QVariant picture =
        document.resource(QTextDocument::ImageResource, QUrl::fromEncoded(format.name().toUtf8()));
    if (picture.canConvert<QImage>()) return picture.value<QImage>().size();
    return QImage::fromData(picture.toByteArray()).size();
}

// Width and height are both set: of a height alone Qt derives the width in the GUI thread only, and
// in any other thread it keeps the picture's own width, which squashes the picture.
void fitPicture(QTextDocument& document, double maxWidth) {
    for (QTextBlock block = document.begin(); block.isValid(); block = block.next())
        for (auto part = block.begin(); !part.atEnd(); ++part) {
            QTextImageFormat format = part.fragment().charFormat().toImageFormat();
            if (!format.isValid()) continue;
            const QSizeF own = sizeOf(document, format);
            if (own.isEmpty()) return;
            const QSizeF room(maxWidth, kMaxPictureMm * kPixelsPerMm);
            const QSizeF fitted =
                own.scaled(room.boundedTo(own), Qt::KeepAspectRatio);  // never enlarged
            format.setWidth(fitted.width());
            format.setHeight(fitted.height());
            QTextCursor cursor(&document);
            cursor.setPosition(part.fragment().position());
            cursor.movePosition(QTextCursor::NextCharacter, QTextCursor::KeepAnchor);
            cursor.setCharFormat(format);
            cursor.clearSelection();
            QTextBlockFormat below = cursor.blockFormat();  // of the caption
            below.setTopMargin(4);
            cursor.insertBlock(below);
            return;
        }
}

void fitTable(QTextTable& table) {
    QTextTableFormat format = table.format();
    format.setCellSpacing(0);
    format.setAlignment(Qt::AlignLeft);
    format.setMargin(0);
    format.setPadding(0);
    format.setTopMargin(8);
    format.setBottomMargin(4);
    table.setFormat(format);
    QTextBlockFormat left;
    left.setAlignment(Qt::AlignLeft);
    for (int row = 0; row < table.rows(); ++row) {
        for (int column = 0; column < table.columns(); ++column) {
            QTextTableCell cell = table.cellAt(row, column);
            QTextTableCellFormat cellFormat = cell.format().toTableCellFormat();
            cellFormat.setTopPadding(1);
            cellFormat.setBottomPadding(1);
            cellFormat.setLeftPadding(0);
            cellFormat.setRightPadding(11);
            cell.setFormat(cellFormat);
        }
        table.cellAt(row, 0).firstCursorPosition().mergeBlockFormat(left);
    }
}

// Lays out for the page, where that lets it be printed larger at first on a wider one: then tables
// do not wrap. @returns the factor to print with
double fitPage(QTextDocument& document, QSizeF page) {
    const auto scaleAt = [&](double widening) {
        document.setTextWidth(widening * page.width());
        const QSizeF size = document.size();
        return std::min({1.0, page.width() / size.width(), page.height() / size.height()});
    };
    double best = 1;
    for (const double widening : {1.1, 1.2, 1.3, 1.4})
        if (scaleAt(widening) > scaleAt(best)) best = widening;
    return scaleAt(best);
}

}  // namespace

std::string pdfOf(const std::string& html) {
    constexpr int kDotsPerInch = 1200;
    QBuffer file;
    file.open(QIODevice::WriteOnly);
    QPdfWriter writer(&file);
    writer.setResolution(kDotsPerInch);
    writer.setPageLayout({QPageSize(QPageSize::A4), QPageLayout::Portrait,
                          QMarginsF(kMarginMm, kMarginMm, kMarginMm, kMarginMm),
                          QPageLayout::Millimeter});
    QTextDocument document;
    document.setMetaInformation(QTextDocument::CssMedia, QStringLiteral("print"));
    document.documentLayout()->setPaintDevice(&writer);
    document.setDocumentMargin(0);
    document.setHtml(QString::fromStdString(html));
    QTextCursor edit(&document);
    edit.beginEditBlock();
    const QSizeF pageMm = writer.pageLayout().paintRect(QPageLayout::Millimeter).size();
    fitPicture(document, pageMm.width() * kPixelsPerMm);
    for (QTextFrame* frame : document.rootFrame()->childFrames())
        if (auto* table = qobject_cast<QTextTable*>(frame)) fitTable(*table);
    edit.endEditBlock();
    writer.setTitle(document.metaInformation(QTextDocument::DocumentTitle));
    const double scale = fitPage(document, QSizeF(writer.width(), writer.height()));
    QPainter painter(&writer);
    painter.scale(scale, scale);
    document.drawContents(&painter);
    painter.end();
    return file.data().toStdString();
}

}  // namespace gantry
