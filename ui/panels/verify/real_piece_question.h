#pragma once

#include <QString>
#include <QWidget>
#include <filesystem>
#include <optional>

#include "ui/workspace/search/verification_run.h"

class QCheckBox;
class QComboBox;
class QLabel;

namespace gantry {

class ElidedLabel;

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

}  // namespace gantry
