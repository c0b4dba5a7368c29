#include "ui/panels/scan/scan_summary.h"

#include <QCoreApplication>
#include <QStringList>
#include <algorithm>
#include <cmath>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/filter/redundancy.h"
#include "ui/models/text.h"
#include "ui/panels/shared/scan_problems.h"
#include "ui/workspace/scan/scan_document.h"

namespace gantry {

namespace {

struct Summary {
    Q_DECLARE_TR_FUNCTIONS(ScanSummary)
};

QString fieldImages(Index images, const QString& mean) {
    return (images == 1 ? Summary::tr("%1 image, mean %2") : Summary::tr("%1 images, mean %2"))
        .arg(images)
        .arg(mean);
}

QString sentence(const std::string& words) {
    QString text = QString::fromStdString(words);
    if (!text.isEmpty()) text[0] = text[0].toUpper();
    return text.endsWith('.') ? text : text + '.';
}

QString valuesText(const ImageStatistics& statistics, ProjectionKind kind) {
    const QString words = kind == ProjectionKind::counts
                              ? Summary::tr("counts %1 to %2, mean %3")
                              : Summary::tr("line integrals %1 to %2, mean %3");
    return words.arg(amountText(statistics.smallest), amountText(statistics.largest),
                     amountText(statistics.mean));
}

const SeriesInspection* seriesOf(const Inspection* inspection, const char* kind) {
    if (inspection)
        for (const SeriesInspection& series : inspection->series)
            if (series.kind == kind) return &series;
    return nullptr;
}

QString fieldText(const std::string& pattern, const SeriesInspection* series) {
    if (pattern.empty()) return Summary::tr("none");
    if (!series) return QString::fromStdString(pattern);
    return fieldImages(series->info.views, amountText(series->statistics.mean));
}

// The frames taken before the scan and, in a second line, those taken after it.
QString fieldsText(const QString& before, const std::string& after,
                   const SeriesInspection* series) {
    if (after.empty()) return before;
    return before + '\n' + Summary::tr("after the scan: %1").arg(fieldText(after, series));
}

// The redundancy weights that the arc needs. If it is too short, the list of problems says why.
QString weightsText(const ScanGeometry& geometry) {
    try {
        return sentence(planRedundancy(geometry).reason);
    } catch (const InputError&) {
        return Summary::tr("none: the arc does not suffice");
    }
}

// Names the views that are left out, each with the reason.
QString leftOutText(const std::vector<LeftOutView>& views) {
    constexpr std::size_t kMax = 3;
    QStringList lines;
    for (std::size_t i = 0; i < std::min(kMax, views.size()); ++i)
        lines << Summary::tr("view %1: %2")
                     .arg(views[i].view)
                     .arg(QString::fromStdString(views[i].sentence));
    if (views.size() > kMax) lines << Summary::tr("and %1 more").arg(views.size() - kMax);
    return lines.join('\n');
}

void addFields(const ScanDocument& document, const Inspection* inspection,
               std::vector<SummaryLine>& lines) {
    const ProjectionFiles& files = document.request().job.scan.projections;
    if (files.kind == ProjectionKind::counts) {
        lines.push_back({"dark", Summary::tr("Dark field"),
                         fieldsText(fieldText(files.dark, seriesOf(inspection, "dark")),
                                    files.darkAfter, seriesOf(inspection, "dark after"))});
        lines.push_back(
            {"flat", Summary::tr("Flat field"),
             files.flatValue
                 ? Summary::tr("open beam of %1 counts").arg(amountText(*files.flatValue))
                 : fieldsText(fieldText(files.flat, seriesOf(inspection, "flat")), files.flatAfter,
                              seriesOf(inspection, "flat after"))});
    }
    if (!files.badPixels.empty())
        lines.push_back(
            {"badPixels", Summary::tr("Bad pixels"), QString::fromStdString(files.badPixels)});
}

}  // namespace

QString amountText(double value) {
    constexpr double kWholeFrom = 1000;
    constexpr double kWholeTo = 1e12;
    if (!(std::abs(value) >= kWholeFrom && std::abs(value) < kWholeTo)) return numberText(value);
    QString text = QString::number(std::abs(value), 'f', 0);
    for (qsizetype place = text.size() - 3; place > 0; place -= 3)
        text.insert(place, QChar(0x202f));  // a narrow space that does not break
    return value < 0 ? QChar(0x2212) + text : text;
}

std::vector<SummaryLine> summaryOf(const ScanDocument& document) {
    if (!document.hasScan()) return {};
    std::vector<SummaryLine> lines;
    const std::shared_ptr<const Inspection> inspection = document.inspection();
    const std::shared_ptr<const OpenScan> open = document.openScan();
    const SeriesInspection* views = inspection ? viewsOf(*inspection) : nullptr;
    const SourceInfo* info = views ? &views->info : open ? &open->source->info() : nullptr;
    if (info) {
        lines.push_back(
            {"views", Summary::tr("Projections"),
             Summary::tr("%1 of %2 × %3 px").arg(info->views).arg(info->columns).arg(info->rows)});
        std::vector<LeftOutView> leftOut = open ? open->leftOut : std::vector<LeftOutView>();
        std::erase_if(leftOut, [](const LeftOutView& view) { return !view.isWanted; });
        if (!leftOut.empty())
            lines.push_back({"leftOut", Summary::tr("Left out"), leftOutText(leftOut)});
        lines.push_back({"format", Summary::tr("Format"), QString::fromStdString(info->format)});
        lines.push_back({"size", Summary::tr("On disk"),
                         QString::fromStdString(formatBytes(info->storedBytes))});
    }
    if (views && views->statistics.images > 0) {
        QString text = valuesText(views->statistics, document.request().job.scan.projections.kind);
        const auto bad = std::ranges::count_if(views->leftOut,
                                               [](const LeftOutView& view) { return view.isBad; });
        if (views->statistics.images < views->info.views - bad)
            text += Summary::tr(" (of %1 views, spread evenly)").arg(views->statistics.images);
        lines.push_back({"values", Summary::tr("Values"), text});
    }
    if (info && !views)
        lines.push_back({"values", Summary::tr("Values"), Summary::tr("not looked at yet")});
    addFields(document, inspection.get(), lines);
    const ScanOrigin& origin = document.request().job.scan.origin;
    if (!origin.format.empty())
        lines.push_back({"origin", Summary::tr("Read from"),
                         QString::fromStdString(origin.format + ": " + origin.file)});
    if (!hasError(validate(document.geometry())))
        lines.push_back({"weights", Summary::tr("Weights"), weightsText(document.geometry())});
    return lines;
}

}  // namespace gantry
