#pragma once

#include <QHash>
#include <QString>
#include <QWidget>
#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "core/geometry/vec3.h"
#include "core/job/varied_field.h"

class QCheckBox;
class QComboBox;
class QLabel;
class QLineEdit;
class QVBoxLayout;

namespace gantry {

class NumberField;
class ScanDocument;

/// What is asked of pictures with several values: the parameter, its values as a range, a list or
/// boxes of choices, and the slice. It keeps the values that were set for each parameter.
/// Tests: tests/ui/panels/montage_window_test.cpp
class MontageForm : public QWidget {
    Q_OBJECT

  public:
    explicit MontageForm(ScanDocument& scan, QWidget* parent = nullptr);

    /// Offers the parameters of the open scan; the one chosen so far stays chosen.
    void followScan();
    /// Offers those of another trajectory, and places of another volume.
    void followEdit();
    /// The slice through that place.
    void showAt(Vec3 placeMm);
    /// Chooses a parameter by its path, unless one was chosen before.
    void suggest(const std::string& path);

    /// Applies numbers that are typed; false: one cannot be applied, and its field has the focus.
    [[nodiscard]] bool takeNumbers();
    /// @throws InputError  no parameter has the typed name
    [[nodiscard]] const VariedField& field() const;
    /// The words of the values, see valueWords(). @throws InputError
    [[nodiscard]] std::vector<std::string> words() const;
    [[nodiscard]] std::size_t sliceKind() const;
    [[nodiscard]] double atMm() const;

  private:
    [[nodiscard]] QWidget* makeParameterRow();
    [[nodiscard]] QWidget* makeSliceRow();
    [[nodiscard]] const VariedField& shownField() const;
    void showField();
    void showNumbers();
    void showChoices();
    void showPlace();
    void takeList(const QString& text);
    void writeRange();

    ScanDocument& m_scan;
    std::vector<VariedField> m_fields;
    std::size_t m_trajectory = 0;       // that they are of
    std::string m_path;                 // of the parameter that is shown; empty: none yet
    bool m_isChosen = false;            // by the user
    QHash<QString, QString> m_texts;    // of values, by paths
    std::array<double, 3> m_placeMm{};  // x, y, z
    QComboBox* m_parameter = nullptr;
    QWidget* m_values = nullptr;  // made anew for each parameter
    QVBoxLayout* m_valuesPlace = nullptr;
    QLineEdit* m_list = nullptr;
    std::array<NumberField*, 3> m_range{};  // from, to, count
    std::vector<QCheckBox*> m_choices;
    QComboBox* m_slice = nullptr;
    QLabel* m_axis = nullptr;
    NumberField* m_at = nullptr;
};

}  // namespace gantry
