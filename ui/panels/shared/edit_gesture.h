#pragma once

#include <QString>

namespace gantry {

/// Merge keys of a field's edits: those of one drag or one turn of the wheel are one undo step, the
/// next one is another.
class EditGesture {
  public:
    QString key(const QString& field, bool isFinal) {
        QString key = QString("%1 #%2").arg(field).arg(m_number);
        if (isFinal) ++m_number;
        return key;
    }

  private:
    int m_number = 0;
};

}  // namespace gantry
