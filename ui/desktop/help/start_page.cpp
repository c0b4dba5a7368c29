#include "ui/desktop/help/start_page.h"

#include <QDir>
#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QProgressBar>
#include <QPushButton>
#include <QVBoxLayout>

#include "ui/widgets/new_widget.h"
#include "ui/widgets/style/theme.h"

namespace gantry {

namespace {

constexpr int kWidth = 560;
constexpr int kMaxRecent = 6;

QLabel* centred(const QString& text, double scale) {
    auto* label = wrapped(new QLabel(text));
    label->setAlignment(Qt::AlignCenter);
    QFont font = label->font();
    font.setPointSizeF(font.pointSizeF() * scale);
    label->setFont(font);
    return label;
}

}  // namespace

StartPage::StartPage(QWidget* parent) : QWidget(parent) {
    setObjectName("startPage");
    auto* outer = new QHBoxLayout(this);
    auto* column = spaced(new QVBoxLayout, 2 * kSpacing);
    outer->addStretch();
    outer->addLayout(column);
    outer->addStretch();

    column->addStretch();
    m_dropArea = makeDropArea();
    column->addWidget(m_dropArea);

    m_recentHeading = new QLabel(tr("Recent"));
    column->addWidget(m_recentHeading);
    m_recent = spaced(new QVBoxLayout, 0);
    column->addLayout(m_recent);

    auto* example = new QHBoxLayout;
    m_example = named(
        new QPushButton(icon("cube"), tr("Try the Shepp-Logan example")), "tryExample",
        tr("Makes a small scan of a test head and guides you from its projections to the finished "
           "volume."));
    m_progress = new QProgressBar;
    m_progress->setFormat(tr("Making the example, %p %"));
    auto* cancel = named(new QPushButton(tr("Cancel")), "cancelExample");
    example->addWidget(m_example);
    example->addWidget(m_progress, 1);
    example->addWidget(cancel);
    example->addStretch();
    column->addLayout(example);
    column->addStretch();

    connect(m_example, &QPushButton::clicked, this, &StartPage::exampleRequested);
    connect(cancel, &QPushButton::clicked, this, &StartPage::exampleCancelled);
    setRecentFiles({});
    setExampleProgress(-1);
}

QWidget* StartPage::makeDropArea() {
    auto* area = new QWidget;
    area->setFixedWidth(kWidth);
    auto* layout = spaced(new QVBoxLayout(area), kSpacing,
                          {4 * kSpacing, 5 * kSpacing, 4 * kSpacing, 4 * kSpacing});
    layout->addWidget(centred(tr("Drop a scan here"), 1.6));
    QLabel* what = centred(
        tr("a folder of projections, a scan.json, TIFF or MetaImage files, a volume, or the folder "
           "of a job"),
        1);
    what->setForegroundRole(QPalette::PlaceholderText);
    layout->addWidget(what);
    layout->addSpacing(2 * kSpacing);
    auto* buttons = new QHBoxLayout;
    auto* file = new QPushButton(icon("open"), tr("Open file…"));
    auto* folder = new QPushButton(icon("folder"), tr("Open folder…"));
    file->setProperty("primary", true);
    file->setObjectName("openFile");
    folder->setObjectName("openFolder");
    buttons->addStretch();
    buttons->addWidget(file);
    buttons->addWidget(folder);
    buttons->addStretch();
    layout->addLayout(buttons);
    connect(file, &QPushButton::clicked, this, &StartPage::openFileRequested);
    connect(folder, &QPushButton::clicked, this, &StartPage::openFolderRequested);
    return area;
}

void StartPage::setRecentFiles(const QStringList& paths) {
    while (QLayoutItem* item = m_recent->takeAt(0)) {
        delete item->widget();
        delete item;
    }
    QStringList shown;
    for (const QString& path : paths)
        shown << QDir::cleanPath(path);
    shown.removeDuplicates();
    m_recentHeading->setVisible(!shown.isEmpty());
    for (const QString& path : shown.mid(0, kMaxRecent)) {
        auto* button = new QPushButton;
        button->setFlat(true);
        button->setStyleSheet("text-align: left");
        button->setFixedWidth(kWidth);
        button->setText(
            button->fontMetrics().elidedText(path, Qt::ElideMiddle, kWidth - 3 * kSpacing));
        button->setToolTip(path);
        connect(button, &QPushButton::clicked, this, [this, path] { emit openRequested(path); });
        m_recent->addWidget(button);
    }
}

void StartPage::setExampleProgress(double fraction) {
    const bool isMade = fraction >= 0;
    m_example->setVisible(!isMade);
    m_progress->setVisible(isMade);
    findChild<QPushButton*>("cancelExample")->setVisible(isMade);
    m_progress->setValue(static_cast<int>(100 * fraction));
}

void StartPage::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const Theme theme = themeOf(*this);
    painter.setPen(QPen(theme.muted, 1.5, Qt::DashLine));
    painter.setBrush(theme.panel);
    painter.drawRoundedRect(QRectF(m_dropArea->geometry()).adjusted(1, 1, -1, -1), kSpacing,
                            kSpacing);
}

}  // namespace gantry
