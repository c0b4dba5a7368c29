#include "ui/panels/shared/scan_angles_editor.h"

#include <QFileDialog>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

#include "core/geometry/scan_geometry.h"
#include "core/io/scan_file/angle_file.h"
#include "ui/models/text.h"
#include "ui/widgets/style/theme.h"

namespace gantry {

ScanAnglesEditor::ScanAnglesEditor(QWidget* parent) : ScanFieldEditor(parent) {
    auto* column = new QWidget(this);
    auto* layout = new QVBoxLayout(column);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(kSpacing / 2);
    m_text = new QLabel(this);
    m_text->setObjectName("anglesText");
    m_text->setWordWrap(true);
    m_text->setMinimumHeight(kFieldHeight);
    layout->addWidget(m_text);
    m_load = new QPushButton(tr("Load a list…"), this);
    m_load->setObjectName("loadAngles");
    m_load->setToolTip(
        tr("Takes the angles of the views from a text file, one a line, in degrees."));
    layout->addWidget(m_load);
    m_makeRegular = new QPushButton(tr("Use even steps"), this);
    m_makeRegular->setObjectName("useEvenSteps");
    m_makeRegular->setToolTip(
        tr("Forgets the list: the views are spread evenly over the same start and arc."));
    layout->addWidget(m_makeRegular);
    setEditor(column);
    column->setFocusProxy(m_load);
    connect(m_load, &QPushButton::clicked, this, &ScanAnglesEditor::ask);
    connect(m_makeRegular, &QPushButton::clicked, this, [this] {
        emit changed(
            [](ScanFile& scan) { scan.geometry = withRegularAngles(std::move(scan.geometry)); },
            true);
    });
}

void ScanAnglesEditor::showScan(const ScanFile& scan) {
    m_folder = toText(scan.folder);
    m_text->setText(anglesText(scan.geometry));
    m_makeRegular->setVisible(scan.geometry.hasAngles() &&
                              !scan.geometry.angles().anglesDeg.empty());
}

void ScanAnglesEditor::ask() {
    auto* dialog =
        new QFileDialog(window(), tr("Load angles"), m_folder,
                        tr("Text files (*.txt *.csv *.ang)") + ";;" + tr("All files (*)"));
    dialog->setObjectName("loadAnglesDialog");
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setOption(QFileDialog::DontUseNativeDialog);
    dialog->setFileMode(QFileDialog::ExistingFile);
    connect(dialog, &QFileDialog::fileSelected, this, &ScanAnglesEditor::load);
    dialog->open();
}

void ScanAnglesEditor::load(const QString& path) {
    m_loading.start([file = toPath(path)](
                        const std::stop_token&) { return contiguousAngles(readAngleFile(file)); },
                    [this](std::vector<double> angles) {
                        emit changed(
                            [angles = std::move(angles)](ScanFile& scan) {
                                if (!scan.geometry.hasAngles()) return;
                                scan.geometry.angles().anglesDeg = angles;
                                scan.geometry.angles().views = static_cast<Index>(angles.size());
                            },
                            true);
                    },
                    [this](const QString& sentence) { setProblem(sentence, true); });
}

}  // namespace gantry
