// What the slices' tools tell is what `gantry compare` tells, to the last digit.
#include <gtest/gtest.h>

#include <QClipboard>
#include <QGuiApplication>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLabel>
#include <QProcess>
#include <QPushButton>
#include <QRegularExpression>
#include <QTest>
#include <cmath>

#include "tests/ui/panels/slices_fixture.h"
#include "ui/models/image/region_box.h"
#include "ui/panels/slices/measurements.h"
#include "ui/widgets/image/histogram_view.h"

namespace gantry {
namespace {

using test::kSlicesGrid;
using test::rough;
using test::waitUntil;

class CompareFiguresTest : public test::SlicesPanelFixture {
  protected:
    CompareFiguresTest() { openVolume(kSlicesGrid, rough); }

    // What the program prints, as a user runs it in a shell.
    QString compare(const QStringList& options) {
        QProcess process;
        const QString volume = toText(folder / "volume.mha");
        process.start(GANTRY_PROGRAM, QStringList{"compare", volume, volume} + options);
        EXPECT_TRUE(process.waitForFinished(120'000));
        EXPECT_EQ(process.exitCode(), 0) << process.readAllStandardError().toStdString();
        return QString::fromUtf8(process.readAllStandardOutput());
    }
    // In mm with all their digits: low and high corner, or both ends.
    static QString ends(const Vec3& a, const Vec3& b) {
        const auto text = [](const Vec3& at) {
            const auto number = [](double mm) { return QString::number(mm, 'g', 17); };
            return number(at.x) + ',' + number(at.y) + ',' + number(at.z);
        };
        return text(a) + ':' + text(b);
    }
    Vec3 place(const ImageView& view, QPoint at) {
        const QPointF pixel = view.pixelAt(at);
        return kSlicesGrid.positionMm(pixel.x(), pixel.y(), 5);
    }
};

TEST_F(CompareFiguresTest, OfARegionStatisticsAndHistogramAreThoseOfTheCommandLine) {
    axial->setFocus();
    QTest::keyClick(axial, Qt::Key_R);
    const QPoint from = at(*axial, 4, 3);
    const QPoint to = at(*axial, 13, 11);
    test::drag(*axial, from, to);
    const auto figures = [this] { return find<QLabel>("measureFigures").text(); };
    ASSERT_TRUE(waitUntil([&] { return figures().contains("standard deviation"); }));
    const Vec3 a = place(*axial, from);
    const Vec3 b = place(*axial, to);
    const double half = kSlicesGrid.pitchMm[2] / 2 * 0.9;
    const QString region = ends({std::min(a.x, b.x), std::min(a.y, b.y), a.z - half},
                                {std::max(a.x, b.x), std::max(a.y, b.y), a.z + half});
    // A row is the name, the volume's number, the other's, and the unit.
    const QString shown = compare({"--region=" + region});
    static const QRegularExpression kSpaces("\\s{2,}");
    int same = 0;
    for (const QString& name :
         {QStringLiteral("mean"), QStringLiteral("standard deviation"), QStringLiteral("smallest"),
          QStringLiteral("largest"), QStringLiteral("voxels"), QStringLiteral("volume")})
        for (const QString& line : shown.split('\n')) {
            const QStringList row = line.trimmed().split(kSpaces);
            if (row.size() < 3 || row[0] != name) continue;
            ++same;
            EXPECT_TRUE(figures().split('\n').contains(
                (QStringList{row[0], row[1]} + row.mid(3)).join(' ')))
                << line.toStdString() << "\n"
                << figures().toStdString();
        }
    EXPECT_EQ(same, 6) << shown.toStdString();

    const auto document =
        QJsonDocument::fromJson(compare({"--region=" + region, "--json"}).toUtf8());
    const QJsonArray bins = document["region"]["volume"]["histogram"].toArray();
    const Histogram& histogram = find<HistogramView>("measureHistogram").histogram();
    ASSERT_EQ(bins.size(), std::ssize(histogram.bins));
    for (qsizetype i = 0; i < bins.size(); ++i)
        EXPECT_EQ(bins[i].toInteger(), histogram.bins[static_cast<std::size_t>(i)]) << i;
    EXPECT_EQ(document["region"]["volume"]["smallest"].toDouble(), histogram.low);
    EXPECT_EQ(document["region"]["volume"]["largest"].toDouble(), histogram.high);
}

TEST_F(CompareFiguresTest, AProfilesValuesAreThoseOfTheCommandLine) {
    const QPoint from = at(*axial, 2, 2);
    const QPoint to = at(*axial, 17, 12);
    drawProfile(from, to);
    QTest::mouseClick(&find<QPushButton>("measureCopy"), Qt::LeftButton);
    const QStringList copied = QGuiApplication::clipboard()->text().trimmed().split('\n');
    const QString shown = compare({"--profile=" + ends(place(*axial, from), place(*axial, to))});
    QStringList told = shown.mid(shown.indexOf("distance_mm")).trimmed().split('\n');
    ASSERT_EQ(copied.size(), told.size());
    EXPECT_GT(copied.size(), 20);
    for (qsizetype i = 1; i < copied.size(); ++i)
        EXPECT_EQ(told[i].section(',', 0, 1), copied[i]) << i;
}

// Along a row of voxels every second sample is a voxel: what is below the pointer in each slice.
TEST_F(CompareFiguresTest, ASlicesValuesAreThoseOfTheCommandLine) {
    constexpr Index kY = 6;
    constexpr Index kZ = 4;
    workspace.selection().setCrossHairMm(kSlicesGrid.positionMm(10, kY, kZ));
    const auto nX = kSlicesGrid.voxels[0];
    const QString shown = compare({"--profile=" + ends(kSlicesGrid.positionMm(0, kY, kZ),
                                                       kSlicesGrid.positionMm(nX - 1, kY, kZ))});
    const QStringList told = shown.mid(shown.indexOf("distance_mm")).trimmed().split('\n');
    ASSERT_EQ(told.size(), 2 * nX);  // with the head
    for (Index x = 0; x < nX; ++x) {
        const QString value = told[1 + 2 * x].section(',', 1, 1);
        EXPECT_EQ(value, QString::number(axial->valueAtPixel({double(x), double(kY)}), 'g', 8))
            << x;
        EXPECT_EQ(value, QString::number(coronal->valueAtPixel({double(x), double(kZ)}), 'g', 8))
            << x;
    }
    EXPECT_EQ(told[21].section(',', 1, 1),
              QString::number(sagittal->valueAtPixel({double(kY), double(kZ)}), 'g', 8));
}

}  // namespace
}  // namespace gantry
