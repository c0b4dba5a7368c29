#pragma once

#include <QString>
#include <QWidget>

#include "ui/workspace/verification_run.h"

class QComboBox;

namespace gantry {

class NumberField;

/// Asks what is verified: one of the test pieces, all, or a list of shapes of the user's, and what
/// of the geometry is wrong on purpose.
/// Tests: tests/ui/panels/verify_panel_test.cpp
class VerifyQuestion : public QWidget {
    Q_OBJECT

  public:
    explicit VerifyQuestion(QWidget* parent = nullptr);

    [[nodiscard]] VerificationQuestion question() const;
    /// "Wrong on purpose: the detector's roll, by 1°."; empty: nothing is.
    [[nodiscard]] QString wrongText() const;

  signals:
    /// Something else would be verified.
    void changed();

  private:
    void choosePiece();
    void askForShapes();
    void takeShapes(const QString& file);
    void chooseWrong();
    [[nodiscard]] QString amountText() const;

    QComboBox* m_piece;
    QComboBox* m_wrong;
    std::vector<NumberField*> m_amounts;  ///< one for each way to be wrong
    int m_shownPiece = 0;                 ///< where an unanswered question for a file goes back to
    QString m_shapes;
};

}  // namespace gantry
