#pragma once

#include <QString>
#include <QWidget>
#include <filesystem>
#include <optional>
#include <vector>

#include "ui/workspace/search/verification_run.h"

class QCheckBox;
class QComboBox;

namespace gantry {

class ElidedLabel;
class NumberField;

/// Asks which volume shows a real test piece, what the piece is and, of spheres, where their
/// centres truly are.
/// Tests: tests/ui/panels/verify_real_piece_test.cpp
class RealPieceQuestion : public QWidget {
    Q_OBJECT

  public:
    explicit RealPieceQuestion(QWidget* parent = nullptr);

    /// None: something has to be chosen first.
    [[nodiscard]] std::optional<RealPiece> piece() const;
    /// The scan whose geometry may tell likely causes; empty: none is open.
    void setScan(const std::filesystem::path& file);

  signals:
    void changed();

  private:
    [[nodiscard]] QWidget* makeVolumeLine();
    [[nodiscard]] QWidget* makeSpheresLine();
    [[nodiscard]] bool isOfSpheres() const;
    void askForVolume(bool isFolder);
    void takeVolume(const QString& path);
    void askForCentres();
    void showChoice();

    QComboBox* m_kind;
    ElidedLabel* m_volumeName;
    ElidedLabel* m_centresName;
    QCheckBox* m_isOfScan;
    QWidget* m_spheresLine;
    QString m_volume;
    QString m_centres;
    std::filesystem::path m_scan;
};

/// Asks what is verified: one of the test pieces, all, or a list of shapes of the user's, and what
/// of the geometry is wrong on purpose; or a volume of a real test piece.
/// Tests: tests/ui/panels/verify_panel_test.cpp, tests/ui/panels/verify_real_piece_test.cpp
class VerifyQuestion : public QWidget {
    Q_OBJECT

  public:
    explicit VerifyQuestion(QWidget* parent = nullptr);

    /// What a user calls a test piece, by its word in a request.
    [[nodiscard]] static QString pieceTitle(const QString& piece);
    [[nodiscard]] VerificationQuestion question() const;
    /// A real piece is measured, and nothing is simulated.
    [[nodiscard]] bool isOfRealPiece() const;
    /// Nothing has to be chosen first.
    [[nodiscard]] bool isComplete() const { return !isOfRealPiece() || m_real->piece(); }
    void chooseRealPiece();
    /// The open scan's file; empty: none is open.
    void setScan(const std::filesystem::path& file);

  signals:
    /// Something else would be verified.
    void changed();

  private:
    void fillWrongLine();
    void choosePiece();
    void askForShapes();
    void takeShapes(const QString& file);
    void chooseWrong();
    void showChoice();

    QComboBox* m_piece;
    QWidget* m_wrongLine;
    QComboBox* m_wrong;
    std::vector<NumberField*> m_amounts;  ///< one for each way to be wrong
    int m_shownPiece = 0;                 ///< where an unanswered question for a file goes back to
    QString m_shapes;
    RealPieceQuestion* m_real;
};

}  // namespace gantry
