#pragma once

#include <QWidget>

#include "ui/models/job/job_output.h"
#include "ui/workspace/background/background.h"

class QCheckBox;
class QComboBox;
class QLabel;
class QLineEdit;
class QPushButton;

namespace gantry {

class NumberField;
class OptionControls;
class ScanDocument;
struct FieldOption;

/// What the volume is stored as, and where. Says what is there already.
/// Tests: tests/ui/panels/reconstruction_panel_test.cpp
class ReconstructionOutput : public QWidget {
    Q_OBJECT

  public:
    explicit ReconstructionOutput(ScanDocument& scan, QWidget* parent = nullptr);

    /// Why what is typed cannot be the output's name; empty: it can.
    [[nodiscard]] QString problem() const { return m_problem; }
    /// Where the next volume goes: the name asked for, or, where that is taken and the user has not
    /// said that it may be replaced, a free one beside it. Looks at the disk.
    [[nodiscard]] std::filesystem::path pathToWrite() const;
    /// The same, as far as the background look has found out.
    [[nodiscard]] std::filesystem::path likelyPath() const;
    /// The volume that the user allowed to replace is being replaced: the permission counts once.
    void forgetReplacement();
    /// Looks again at what is there already.
    void check();
    /// Lets the user choose a folder.
    void choosePlace();

  signals:
    void problemChanged();
    void likelyPathChanged();

  private:
    void makeFormat();
    void makeRange();
    void makePlace();
    [[nodiscard]] QWidget* makeForm();
    void show();
    void take(const std::filesystem::path& output, const std::filesystem::path& freePath);
    void showExisting();
    void takeName();
    void setPlace(const OutputPlace& place, const FieldOption& part);
    void setProblem(const QString& sentence);

    ScanDocument& m_scan;
    OptionControls* m_controls;
    QString m_problem;
    std::filesystem::path m_replaced;  // that the user has said may be replaced
    std::filesystem::path m_freeFor;   // the output that was looked at last
    std::filesystem::path m_freePath;  // what is free beside it, or it
    Background m_looking;
    QComboBox* m_format = nullptr;
    QCheckBox* m_isRange = nullptr;
    QWidget* m_range = nullptr;
    NumberField* m_low = nullptr;
    NumberField* m_high = nullptr;
    QLineEdit* m_name = nullptr;
    QLineEdit* m_folder = nullptr;
    QWidget* m_folderRow = nullptr;
    QLabel* m_sentence = nullptr;
    QPushButton* m_replace = nullptr;
};

}  // namespace gantry
