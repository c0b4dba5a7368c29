#pragma once

#include <QString>
#include <QWidget>
#include <functional>
#include <memory>
#include <vector>

#include "ui/models/scan/geometry_form.h"

namespace gantry {

class ScanDocument;

/// Fields of the open scan, a row each under the headings of their groups: what the scan has, what
/// is wrong with it, what is a guess. Edits go into the document, undoably.
/// Tests: tests/ui/panels/geometry_panel_test.cpp, tests/ui/panels/scan_panel_test.cpp
class ScanForm : public QWidget {
    Q_OBJECT

  public:
    /// document: outlives the form.
    ScanForm(ScanDocument& document, const std::vector<ScanField>& fields,
             QWidget* parent = nullptr);
    ~ScanForm() override;

    /// The editor of a field, of its name or of what a problem calls it; null where there is none.
    [[nodiscard]] QWidget* editorOf(const QString& name) const;
    /// Shows only some of the fields; null: all that the scan has.
    void setFilter(std::function<bool(const ScanField&)> filter);

  private:
    struct Row;
    struct Parts;
    void addRow(const ScanField& field);
    void addHeading(const QString& group);
    void addLinkButton(Row& row);
    void newScan();
    void refresh();
    void refreshMarks(const Row& row);
    void edit(const Row& row, const std::function<void(ScanFile&)>& change, bool isFinal);
    void tryOut(const Row& row, const std::function<void(ScanFile&)>& change);

    std::unique_ptr<Parts> m_parts;
};

}  // namespace gantry
