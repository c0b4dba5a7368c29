#pragma once

#include <QString>

class QLabel;

namespace gantry {

enum class SentenceKind { plain, muted, good, warning, error };

/// Shows a sentence in its kind's colour; nothing, and no room taken, where it is empty.
void showSentence(QLabel& label, const QString& text, SentenceKind kind = SentenceKind::plain);

}  // namespace gantry
