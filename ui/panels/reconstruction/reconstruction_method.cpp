#include "ui/panels/reconstruction/reconstruction_method.h"

#include <QComboBox>
#include <QFormLayout>
#include <QLabel>
#include <QSignalBlocker>
#include <QVBoxLayout>
#include <algorithm>
#include <vector>

#include "core/job/job_fields.h"
#include "ui/models/job/option_text.h"
#include "ui/panels/shared/option_controls.h"
#include "ui/widgets/new_widget.h"
#include "ui/widgets/style/theme.h"
#include "ui/workspace/scan/scan_document.h"

namespace gantry {

namespace {

constexpr int kByHand = 0;  // no suggestion

struct Suggestion {
    QString label;
    QString help;
    MethodSpec method;
};

MethodSpec methodOf(Method method, Index iterations = 0) {
    MethodSpec spec;
    spec.method = method;
    spec.iterations = iterations;
    return spec;
}

std::vector<Suggestion> suggestions() {
    constexpr Index kFewIterations = 4;
    return {{ReconstructionMethod::tr("Many clean views"),
             ReconstructionMethod::tr("FDK: at once, and sharpest."), methodOf(Method::fdk)},
            {ReconstructionMethod::tr("Few views"),
             ReconstructionMethod::tr("Total variation: for objects of even parts with edges. Look "
                                      "at a volume by SIRT too where fine texture matters."),
             methodOf(Method::tv)},
            {ReconstructionMethod::tr("Noisy views"),
             ReconstructionMethod::tr("SIRT: smooth, with noise coming last. Photons, if you know "
                                      "how many a pixel counts, end it in time."),
             methodOf(Method::sirt)},
            {ReconstructionMethod::tr("Few views, fast"),
             ReconstructionMethod::tr("OS-SART with four iterations: as fast as iterations get."),
             methodOf(Method::osSart, kFewIterations)}};
}

}  // namespace

ReconstructionMethod::ReconstructionMethod(ScanDocument& scan, QWidget* parent)
    : QWidget(parent), m_scan(scan), m_controls(new OptionControls(scan, this)) {
    m_column = spaced(new QVBoxLayout(this), kSpacing);
    m_column->addWidget(heading(tr("Method"), this));
    m_suggestion = named(new QComboBox(this), "methodSuggestion",
                         tr("A method with its usual options for a kind of scan."));
    m_suggestion->addItem(tr("Set by hand"));
    for (const Suggestion& one : suggestions()) {
        m_suggestion->addItem(one.label);
        m_suggestion->setItemData(m_suggestion->count() - 1, one.help, Qt::ToolTipRole);
    }
    auto* top = new QWidget(this);
    auto* form = spaced(new QFormLayout(top), kSpacing);
    auto* label = new QLabel(tr("The scan has"), top);
    label->setBuddy(m_suggestion);
    form->addRow(label, m_suggestion);
    m_column->addWidget(top);
    OptionRows ofSome;
    for (const FileField<JobSpec>* row : rowsOf(jobFields(), "method"))
        if (row->applies)
            ofSome.push_back(row);
        else
            m_controls->add(*form, *row);
    m_controls->addForms(*m_column, ofSome);
    alignFields();
    connect(m_suggestion, &QComboBox::activated, this, &ReconstructionMethod::takeSuggestion);
    connect(&m_scan, &ScanDocument::requestChanged, this, &ReconstructionMethod::show);
    connect(&m_scan, &ScanDocument::stateChanged, this, &ReconstructionMethod::show);
    show();
}

// The fields of all forms begin where those behind the longest label do.
void ReconstructionMethod::alignFields() {
    std::vector<QWidget*> labels;
    int width = 0;
    for (const auto* form : findChildren<QFormLayout*>())
        for (int row = 0; row < form->rowCount(); ++row)
            if (const QLayoutItem* item = form->itemAt(row, QFormLayout::LabelRole)) {
                labels.push_back(item->widget());
                width = std::max(width, item->widget()->sizeHint().width());
            }
    for (QWidget* label : labels)
        label->setMinimumWidth(width);
}

void ReconstructionMethod::takeSuggestion(int index) {
    if (index == kByHand) return show();
    const MethodSpec method = suggestions()[static_cast<std::size_t>(index - 1)].method;
    m_scan.editJob([&](JobSpec& job) { job.method = method; },
                   optionEdit(jobOption("method.name").option));
}

void ReconstructionMethod::show() {
    setEnabled(m_scan.hasScan());
    const std::vector<Suggestion> all = suggestions();
    const auto found = std::ranges::find(all, m_scan.request().job.method, &Suggestion::method);
    const QSignalBlocker quiet(m_suggestion);
    m_suggestion->setCurrentIndex(found == all.end() ? kByHand
                                                     : static_cast<int>(found - all.begin()) + 1);
}

}  // namespace gantry
