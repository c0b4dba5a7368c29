#pragma once

#include <QWidget>
#include <array>

#include "ui/widgets/fields/number_field.h"

class QCheckBox;
class QLabel;

namespace gantry {

/// A value along x, y and z, under a title. While they are linked there is one field for all three.
/// Tests: tests/ui/panels/reconstruction_panel_test.cpp
class ReconstructionAxes : public QWidget {
    Q_OBJECT

  public:
    using Values = std::array<double, 3>;

    /// linkText: of the box that links them; empty: they cannot be linked.
    /// name: the fields are objects NAMEX, NAMEY, NAMEZ, the box NAMELink.
    ReconstructionAxes(const QString& title, const NumberField::Style& style,
                       const QString& linkText, const QString& name, QWidget* parent = nullptr);

    /// Shows values without a signal; different ones are not linked any more.
    void setValues(const Values& values);
    /// The next values belong to another scan: equal ones are linked.
    void forgetLink() { m_isNew = true; }
    void setHelp(const QString& toolTip);

  signals:
    void edited(const std::array<double, 3>& values, bool isFinal);

  private:
    void take(std::size_t axis, double value, bool isFinal);
    void showLink();

    Values m_values{};
    bool m_isNew = true;
    QLabel* m_title = nullptr;
    QCheckBox* m_link = nullptr;
    std::array<QLabel*, 3> m_labels{};
    std::array<NumberField*, 3> m_fields{};
};

}  // namespace gantry
