#include "ui/panels/geometry/pose_view.h"

#include <QComboBox>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QTableView>
#include <QVBoxLayout>

#include "ui/models/job/option_text.h"
#include "ui/models/scan/pose_table.h"
#include "ui/models/text.h"
#include "ui/panels/shared/scan_field_editor.h"
#include "ui/widgets/image/profile_plot.h"
#include "ui/widgets/new_widget.h"
#include "ui/widgets/style/theme.h"
#include "ui/workspace/scan/scan_document.h"

namespace gantry {

namespace {

QString titleOf(const PoseParameter& parameter) {
    QString text = optionText(parameter.label);
    if (!text.isEmpty()) text[0] = text[0].toUpper();
    return text;
}

}  // namespace

struct PoseView::Parts {
    ScanDocument& document;
    PoseTable* model = nullptr;
    QLabel* circle = nullptr;
    QComboBox* parameter = nullptr;
    ProfilePlot* plot = nullptr;
    QTableView* table = nullptr;
    QPushButton* useCircle = nullptr;
};

PoseView::PoseView(ScanDocument& document, QWidget* parent)
    : QWidget(parent), m_parts(std::make_unique<Parts>(Parts{document})) {
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, kSpacing / 2, 0, 0);
    column->addWidget(heading(tr("Calibrated poses"), this));
    m_parts->circle = named(copyable(new QLabel(this)), "meanCircle");
    column->addWidget(m_parts->circle);
    m_parts->parameter =
        named(new QComboBox(this), "poseParameter",
              tr("What is drawn below, over the views: its difference from the mean circle"));
    for (const PoseParameter& parameter : poseParameters())
        m_parts->parameter->addItem(titleOf(parameter));
    column->addWidget(m_parts->parameter);
    m_parts->plot = named(new ProfilePlot(this), "posePlot");
    column->addWidget(m_parts->plot);
    m_parts->model = new PoseTable(this);
    m_parts->table = named(new QTableView(this), "poseTable");
    m_parts->table->setModel(m_parts->model);
    m_parts->table->setMinimumHeight(16 * kSpacing);
    m_parts->table->verticalHeader()->setDefaultSectionSize(kFieldHeight);
    column->addWidget(m_parts->table);
    m_parts->useCircle = named(
        new QPushButton(tr("Use the mean circle"), this), "useMeanCircle",
        tr("Takes the circle that lies nearest to the poses for the scan's geometry, and drops the "
           "poses; can be undone."));
    column->addWidget(m_parts->useCircle, 0, Qt::AlignLeft);
    connect(m_parts->parameter, &QComboBox::currentIndexChanged, this, &PoseView::plot);
    connect(m_parts->useCircle, &QPushButton::clicked, this, [this] {
        m_parts->document.editJob(
            [](JobSpec& job) { job.scan.geometry = meanCircleOf(job.scan.geometry); },
            tr("Use the mean circle"));
    });
    connect(m_parts->model, &PoseTable::edited, this,
            [this](int view, const CalibratedPoses& poses) {
                m_parts->document.editJob(
                    [&poses](JobSpec& job) {
                        ScanGeometry& geometry = job.scan.geometry;
                        geometry.detector.pitchMm = poses.meanCircle().mean.pitchMm;
                        geometry.trajectory = poses;
                    },
                    tr("Edit the pose of view %1").arg(view));
            });
    connect(&document, &ScanDocument::stateChanged, this, &PoseView::refresh);
    connect(&document, &ScanDocument::scanChanged, this, &PoseView::refresh);
    refresh();
}

PoseView::~PoseView() = default;

void PoseView::refresh() {
    const CalibratedPoses* poses =
        m_parts->document.hasScan() ? m_parts->document.geometry().poses() : nullptr;
    setVisible(poses != nullptr);
    m_parts->model->setPoses(poses ? *poses : CalibratedPoses());
    if (!poses) return;
    m_parts->circle->setText(meanCircleText(*poses));
    plot();
}

void PoseView::plot() {
    const CalibratedPoses* poses =
        m_parts->document.hasScan() ? m_parts->document.geometry().poses() : nullptr;
    if (!poses || poses->views() == 0) return m_parts->plot->setCurves({}, tr("view"));
    const PoseParameter& parameter = poseParameters()[m_parts->parameter->currentIndex()];
    const QString unit = QString::fromUtf8(parameter.unit).trimmed();
    std::vector<double> values = differencesFromMean(*poses, parameter);
    std::vector<ProfilePlot::Mark> marks;
    // The view that stands out, whatever the parameter that tells it.
    if (const PoseJump jump = worstJump(*poses); jump.parameter)
        marks.push_back({static_cast<double>(jump.view), values[jump.view], themeOf(*this).error,
                         tr("view %1").arg(static_cast<int>(jump.view))});
    m_parts->plot->setCurves(
        {{tr("difference from %1 %2")
              .arg(numberText(parameter.value(poses->meanCircle().mean), 6), unit),
          unit, themeOf(*this).accent, std::move(values)}},
        tr("view"));
    m_parts->plot->setMarks(std::move(marks));
}

}  // namespace gantry
