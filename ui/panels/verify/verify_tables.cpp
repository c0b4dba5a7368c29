#include "ui/panels/verify/verify_tables.h"

#include <QComboBox>
#include <QStackedWidget>
#include <QTableWidget>
#include <QVBoxLayout>
#include <string>
#include <vector>

#include "ui/panels/shared/text_table.h"
#include "ui/widgets/style/theme.h"

namespace gantry {

VerifyTables::VerifyTables(QWidget* parent)
    : QWidget(parent),
      m_which(new QComboBox(this)),
      m_tables(new QStackedWidget(this)),
      m_figures(newTextTable(this, "verifyFigures")),
      m_spheres(newTextTable(this, "verifySpheres")) {
    m_which->setObjectName("verifyTable");
    m_which->setAccessibleName(tr("Table"));
    m_which->addItem(tr("Figures and limits"));
    m_which->addItem(tr("Sphere by sphere"));
    m_which->setItemData(1,
                         tr("How far each sphere's centre was measured from where it truly is; its "
                            "form error PF and size error PS."),
                         Qt::ToolTipRole);
    m_tables->addWidget(m_figures);
    m_tables->addWidget(m_spheres);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(kSpacing / 2);
    layout->addWidget(m_which, 0, Qt::AlignLeft);
    layout->addWidget(m_tables, 1);
    connect(m_which, &QComboBox::currentIndexChanged, m_tables, &QStackedWidget::setCurrentIndex);
}

void VerifyTables::setVerification(const Verification& verification) {
    const bool hasSpheres = !verification.spheres.empty();
    m_which->setVisible(hasSpheres);
    if (!hasSpheres) m_which->setCurrentIndex(0);
    showFigures(verification.figures);
    fillTextTable(*m_spheres, sphereTable(verification.spheres));
}

// That a limit is missed stands beside it; the others are met.
void VerifyTables::showFigures(const std::vector<Figure>& figures) {
    constexpr int kLimit = 2;  // column
    std::vector<std::vector<std::string>> rows = figureTable(figures);
    for (std::vector<std::string>& row : rows) {
        if (row.back() == "missed") row[kLimit] += ", missed";
        row.pop_back();
    }
    fillTextTable(*m_figures, rows);
    for (std::size_t i = 0; i < figures.size(); ++i)
        if (!figures[i].isMet())
            m_figures->item(static_cast<int>(i), kLimit)->setForeground(themeOf(*this).error);
}

}  // namespace gantry
