#pragma once

#include <QString>
#include <QWidget>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "core/remote/host/host.h"

class QGridLayout;
class QLabel;
class QLineEdit;

namespace gantry {

/// A form for a host's file, with a row for each field: its label, an editor with unit and help,
/// and below it a sentence about what is wrong.
/// Tests: tests/ui/panels/hosts_window_test.cpp
class HostForm : public QWidget {
    Q_OBJECT

  public:
    explicit HostForm(QWidget* parent = nullptr);

    /// isNew: whether the host is new, so that its name can be edited
    void showHost(const Host& host, bool isNew);
    [[nodiscard]] const Host& host() const { return m_host; }
    [[nodiscard]] bool isNew() const { return m_isNew; }
    /// Shows a sentence below one field about what is wrong with it, and removes that of every
    /// other; an empty `field` removes all.
    void setProblem(const QString& field, const QString& sentence);

  signals:
    void edited();

  private:
    // A field's editor and how it shows the host.
    struct Row {
        QLabel* title = nullptr;
        QWidget* editor = nullptr;
        QLabel* problem = nullptr;
        std::function<void(const Host&)> show;
        bool (*applies)(const Host&) = nullptr;  // whether that host has the field; null: always
    };

    void addRow(const std::string& field, const QString& label, const QString& help,
                QWidget* editor, std::function<void(const Host&)> show);
    void addField(const FileField<Host>& field);
    void addPairs(const std::string& field, const QString& label, const QString& help,
                  std::vector<std::pair<std::string, std::string>> Host::*pairs);
    void change(const std::function<void(Host&)>& edit);
    void showRows();

    Host m_host;
    bool m_isNew = false;
    QGridLayout* m_form = nullptr;
    QLineEdit* m_name = nullptr;
    std::map<std::string, Row> m_rows;
};

}  // namespace gantry
