#include "ui/panels/shared/sentence_label.h"

#include <QLabel>
#include <QStyle>
#include "ui/widgets/new_widget.h"

namespace gantry {

void showSentence(QLabel& label, const QString& text, SentenceKind kind) {
    const char* const kKinds[] = {"", "", "good", "warning", "error"};
    label.setText(text);
    label.setVisible(!text.isEmpty());
    const QString name = kKinds[static_cast<int>(kind)];
    const bool isMuted = kind == SentenceKind::muted;
    if (label.property("kind") == name && label.property("muted") == isMuted) return;
    label.setProperty("kind", name);
    label.setProperty("muted", isMuted);
    label.style()->unpolish(&label);
    label.style()->polish(&label);
}

QLabel* remark(const QString& text, QWidget* parent) {
    auto* label = wrapped(new QLabel(text, parent));
    label->setTextFormat(Qt::PlainText);
    label->setProperty("muted", true);
    return label;
}

}  // namespace gantry
