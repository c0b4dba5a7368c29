#pragma once

#include <QWidget>
#include <filesystem>
#include <memory>

class QScrollArea;

namespace gantry {

class Workspace;

/// What to make and how: volume, region of interest, filter, engine, precision, output; the
/// forecast; and the button that starts it.
/// Tests: tests/ui/panels/reconstruction_panel_test.cpp
class ReconstructionPanel : public QWidget {
    Q_OBJECT

  public:
    explicit ReconstructionPanel(Workspace& workspace, QWidget* parent = nullptr);
    ~ReconstructionPanel() override;

    /// Why reconstruct() would not start a job now, in one sentence; empty: it would.
    [[nodiscard]] QString reasonAgainst() const;

  public slots:
    /// Starts the job that is asked for; what is still being typed counts. Where it cannot start,
    /// the workspace says why.
    void reconstruct();

  signals:
    void started(const QString& folder);
    void hostsWanted();       ///< the list of hosts is to be shown
    void comparisonWanted();  ///< of slices with several values of a correction

  protected:
    /// Looks at the disk again when the user comes back to the window, having freed space perhaps.
    void changeEvent(QEvent* event) override;

  private:
    [[nodiscard]] QScrollArea* makeFields();
    void build();
    [[nodiscard]] QString reasonAgainstRequest() const;
    [[nodiscard]] QString reasonAgainstOutput(const std::filesystem::path& output) const;
    [[nodiscard]] QString start(const std::filesystem::path& output);
    void followJob(int row);
    void showReady();
    void enableButton(bool isEnabled);
    void showOutput();

    struct Parts;
    std::unique_ptr<Parts> m_parts;
};

}  // namespace gantry
