#include "ui/panels/verify/report_pdf.h"

#include <gtest/gtest.h>

#include <QRegularExpression>
#include <QString>
#include <string>
#include <vector>

#include "core/report/report.h"

namespace gantry {
namespace {

// Of as many rows of figures; a picture of 672 × 672 pixels.
std::string reportOf(int rows) {
    ReportPage page("Verification of größe");
    page.sentence("All limits are met.");
    std::vector<std::vector<std::string>> table = {{"Figure", "Value", "Limit", ""}};
    for (int row = 0; row < rows; ++row)
        table.push_back({"cylinder: MTF 50 %", "0.346 lp/mm", "at least 0.337 lp/mm", "met"});
    page.table(table);
    Picture picture(672, 672, 90);
    picture.paste(Picture(220, 220, 200), 226, 226);
    page.picture(toPng(picture), "Middle slices: truth, reconstruction, difference.");
    page.table(table);
    return page.html();
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

}  // namespace
}  // namespace gantry
