#include "ui/panels/verify/report_pdf.h"

#include <gtest/gtest.h>

#include <QByteArray>
#include <QRegularExpression>
#include <QSizeF>
#include <QString>
#include <QStringList>
#include <algorithm>
#include <cmath>
#include <future>
#include <string>
#include <utility>
#include <vector>

#include "core/report/report.h"

namespace gantry {
namespace {

// A page with as many rows of figures and a picture of that size, pixels.
std::string reportOf(int rows, Index width = 672, Index height = 672) {
    ReportPage page("Verification of größe");
    page.sentence("All limits are met.");
    std::vector<std::vector<std::string>> table = {{"Figure", "Value", "Limit", ""}};
    for (int row = 0; row < rows; ++row)
        table.push_back({"cylinder: MTF 50 %", "0.346 lp/mm", "at least 0.337 lp/mm", "met"});
    page.table(table);
    Picture picture(width, height, 90);
    picture.paste(Picture(200, 200, 200), width / 2 - 100, height / 2 - 100);
    page.picture(toPng(picture), "Middle slices: truth, reconstruction, difference.");
    page.table(table);
    return page.html();
}

// What a PDF's compressed pages draw.
QString drawingOf(const QByteArray& pdf) {
    const QByteArray begin("\nstream\n");
    QString drawing;
    for (qsizetype at = pdf.indexOf(begin); at >= 0; at = pdf.indexOf(begin, at + 1)) {
        QByteArray packed = pdf.sliced(at + begin.size());
        packed.truncate(packed.indexOf("endstream"));
        constexpr char kZlib = 'x';
        if (!packed.startsWith(kZlib)) continue;
        constexpr char kAnySize[] = {0, 1, 0, 0};  // more is taken where it is needed
        packed.prepend(kAnySize, sizeof kAnySize);
        const QString text = QString::fromLatin1(qUncompress(packed));
        if (text.contains(" cm")) drawing += text;
    }
    return drawing;
}

// The size of the printed pictures, mm: what PDF's matrices make of a unit square.
std::vector<QSizeF> printedPictures(const std::string& pdf) {
    constexpr double kMmPerPoint = 25.4 / 72;
    std::vector<QSizeF> scales = {QSizeF(kMmPerPoint, kMmPerPoint)};
    std::vector<QSizeF> sizes;
    const QStringList words = drawingOf(QByteArray::fromStdString(pdf)).simplified().split(' ');
    for (qsizetype i = 6; i < words.size(); ++i) {
        QSizeF& scale = scales.back();
        if (words[i] == "cm")  // after six numbers, of which the first and fourth are scales
            scale = {scale.width() * words[i - 6].toDouble(),
                     scale.height() * words[i - 3].toDouble()};
        else if (words[i] == "q")
            scales.push_back(QSizeF(scale));
        else if (words[i] == "Q" && scales.size() > 1)
            scales.pop_back();
        else if (words[i] == "Do" && words[i - 1].startsWith("/Im"))
            sizes.emplace_back(std::abs(scale.width()), std::abs(scale.height()));
    }
    return sizes;
}

TEST(ReportPdf, IsOnePageHoweverLongTheReport) {
    for (const int rows : {3, 24, 60}) {
        const std::string pdf = pdfOf(reportOf(rows));
        EXPECT_TRUE(pdf.starts_with("%PDF-"));
        const QString text = QString::fromLatin1(pdf.data(), qsizetype(pdf.size()));
        EXPECT_EQ(text.count(QRegularExpression("/Type\\s*/Page\\b")), 1) << rows;
        EXPECT_EQ(text.count(QRegularExpression("/Subtype\\s*/Image\\b")), 1) << rows;
        EXPECT_LT(pdf.size(), 500'000U);
    }
}

TEST(ReportPdf, PicturesKeepTheirShape) {
    for (const auto& [width, height] : {std::pair{672, 672}, {672, 220}, {220, 220}, {300, 900}}) {
        // The panel prints in the background, where Qt lays pictures out in its own way.
        const auto html = reportOf(12, width, height);
        const auto inBackground = std::async(std::launch::async, [&] { return pdfOf(html); }).get();
        const std::vector<QSizeF> printed = printedPictures(inBackground);
        ASSERT_EQ(printed.size(), 1U) << width << " × " << height;
        const double shape = static_cast<double>(width) / height;
        EXPECT_NEAR(printed[0].width() / printed[0].height(), shape, 0.02 * shape)
            << width << " × " << height;
        EXPECT_LE(printed[0].width(), 186);  // mm, of A4 without its margins
        EXPECT_LE(printed[0].height(), 68.5);
        EXPECT_GE(std::max(printed[0].width(), printed[0].height()), 40);
    }
}

}  // namespace
}  // namespace gantry
