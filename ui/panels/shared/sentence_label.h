#pragma once

#include <QString>

class QLabel;
class QWidget;

namespace gantry {

enum class SentenceKind { plain, muted, good, warning, error };

/// Shows a sentence in its kind's colour; nothing, and no room taken, where it is empty.
void showSentence(QLabel& label, const QString& text, SentenceKind kind = SentenceKind::plain);

/// A muted sentence that stays as it is, on as many lines as it takes.
[[nodiscard]] QLabel* remark(const QString& text, QWidget* parent);

}  // namespace gantry
