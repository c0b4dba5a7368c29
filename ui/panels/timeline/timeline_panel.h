#pragma once

#include <QWidget>
#include <functional>
#include <memory>
#include <stop_token>

namespace gantry {

class Workspace;

/// Where the time of the selected job goes, live or from its file: lanes, spans by stage, totals,
/// overlap factor, idle gaps and their causes, forecast against measured.
/// Tests: tests/ui/panels/timeline_panel_test.cpp
class TimelinePanel : public QWidget {
    Q_OBJECT

  public:
    explicit TimelinePanel(Workspace& workspace, QWidget* parent = nullptr);
    ~TimelinePanel() override;

    /// In the background; the end, or why not, is said in the workspace.
    void exportTrace(const QString& path);
    void exportPicture(const QString& path);

  protected:
    void showEvent(QShowEvent* event) override;
    void hideEvent(QHideEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

  private:
    struct Parts;
    void build();
    void connectParts();
    void showSnapshot();
    void showFigures();
    void shareLine();
    void showPlace();
    [[nodiscard]] QString jobTitle() const;
    [[nodiscard]] QString whyEmpty() const;
    void askForPath(const QString& title, const QString& suffix, const QString& format,
                    void (TimelinePanel::*save)(const QString&));
    void saveInBackground(std::function<QString(const std::stop_token&)> write);

    std::unique_ptr<Parts> m_parts;
};

}  // namespace gantry
