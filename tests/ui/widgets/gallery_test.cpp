// Every widget of the room and every standard one in a window, in both themes.
#include <gtest/gtest.h>

#include <QCheckBox>
#include <QComboBox>
#include <QDir>
#include <QFormLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QProgressBar>
#include <QPushButton>
#include <QRadioButton>
#include <QSlider>
#include <QSpinBox>
#include <QTabWidget>
#include <QTableWidget>
#include <QToolButton>
#include <QVBoxLayout>
#include <cmath>

#include "tests/ui/support/compared_pictures.h"
#include "tests/ui/support/ui_test.h"
#include "ui/widgets/fields/number_field.h"
#include "ui/widgets/image/histogram_view.h"
#include "ui/widgets/image/image_view.h"
#include "ui/widgets/image/profile_plot.h"
#include "ui/widgets/message_bar.h"
#include "ui/widgets/placeholder.h"
#include "ui/widgets/style/theme.h"

namespace gantry {
namespace {

GreyImage rings(Index columns, Index rows) {
    auto pixels = std::make_shared<std::vector<float>>();
    for (Index row = 0; row < rows; ++row) {
        for (Index column = 0; column < columns; ++column) {
            const double x = static_cast<double>(2 * column - columns) / double(columns);
            const double y = static_cast<double>(2 * row - rows) / double(rows);
            const double r = std::hypot(x, y);
            pixels->push_back(
                static_cast<float>(r < 0.9 ? 0.02 + 0.01 * std::cos(20 * r) + 0.003 * x : 0.0));
        }
    }
    GreyImage image;
    image.pixels = *pixels;
    image.owner = pixels;
    image.columns = columns;
    image.rows = rows;
    image.unit = "/mm";
    return image;
}

NumberField* addField(QFormLayout& form, const QString& name, NumberField::Style style,
                      double value) {
    auto* field = new NumberField(std::move(style));
    auto* label = new QLabel(name);
    field->attachLabel(label);
    field->setValue(value);
    form.addRow(label, field);
    return field;
}

QWidget* fields() {
    auto* panel = new QWidget;
    auto* form = new QFormLayout(panel);
    form->addRow(heading("Geometry"));
    addField(*form, "Source–object distance", {.unit = "mm"}, 600);
    addField(*form, "Source–detector distance", {.unit = "mm"}, 400)
        ->setProblem(
            "The detector is nearer than the object: source–detector 400 mm, "
            "source–object 600 mm.",
            true);
    addField(*form, "Detector pitch", {.unit = "mm"}, 0.127)->setGuess("From the image's tags");
    addField(*form, "Roll", {.unit = "°"}, 3.25)
        ->setProblem("More than a degree is unusual.", false);
    addField(*form, "Views", {.unit = "", .whole = true}, 720)->setEnabled(false);
    form->addRow(heading("Standard widgets"));
    auto* combo = new QComboBox;
    combo->addItems({"Hann", "Ram-Lak"});
    form->addRow("Window", combo);
    form->addRow("Name", new QLineEdit("walnut"));
    form->addRow("Threads", new QSpinBox);
    auto* check = new QCheckBox("Use the GPU");
    check->setChecked(true);
    form->addRow(check);
    auto* radio = new QRadioButton("MetaImage (.mha)");
    radio->setChecked(true);
    form->addRow(radio);
    form->addRow(new QCheckBox("8-bit output"));
    auto* slider = new QSlider(Qt::Horizontal);
    slider->setValue(40);
    form->addRow("View", slider);
    auto* progress = new QProgressBar;
    progress->setValue(71);
    form->addRow("Progress", progress);
    return panel;
}

QWidget* buttons() {
    auto* panel = new QWidget;
    auto* row = new QHBoxLayout(panel);
    auto* primary = new QPushButton("Reconstruct");
    primary->setProperty("primary", true);
    auto* disabledPrimary = new QPushButton("Reconstruct");
    disabledPrimary->setProperty("primary", true);
    disabledPrimary->setEnabled(false);
    auto* plain = new QPushButton(icon("export"), "Export…");
    auto* disabled = new QPushButton(icon("cancel"), "Cancel");
    disabled->setEnabled(false);
    auto* checked = new QPushButton("Side by side");
    checked->setCheckable(true);
    checked->setChecked(true);
    for (QPushButton* button : {primary, disabledPrimary, plain, disabled, checked})
        row->addWidget(button);
    for (const char* name : {"play", "pause", "stop", "trash"}) {
        auto* tool = new QToolButton;
        tool->setIcon(icon(name));
        row->addWidget(tool);
    }
    row->addStretch();
    return panel;
}

QWidget* table() {
    auto* jobs = new QTableWidget(4, 3);
    jobs->setHorizontalHeaderLabels({"Job", "State", "Progress"});
    jobs->verticalHeader()->hide();
    jobs->horizontalHeader()->setHighlightSections(false);
    for (int i = 0; i < 4; ++i) {
        jobs->setItem(i, 0, new QTableWidgetItem(QString("walnut %1").arg(i)));
        jobs->setItem(i, 1, new QTableWidgetItem("running"));
        jobs->setItem(i, 2, new QTableWidgetItem("71 %"));
    }
    jobs->selectRow(1);
    jobs->setSelectionBehavior(QTableWidget::SelectRows);
    return jobs;
}

QWidget* plots() {
    auto* panel = new QWidget;
    auto* column = new QVBoxLayout(panel);
    auto* histogram = new HistogramView;
    const GreyImage image = rings(300, 220);
    histogram->setHistogram(histogramOf(image.pixels), "/mm");
    histogram->setWindow(autoWindow(image.pixels));
    auto* plot = new ProfilePlot;
    std::vector<double> raw;
    std::vector<double> filtered;
    for (int i = 0; i < 4096; ++i) {
        raw.push_back(30000 + 20000 * std::cos(i / 500.0));
        filtered.push_back(0.02 * std::sin(i / 60.0));
    }
    plot->setCurves({{"before filtering", "counts", "#56b4e9", raw},
                     {"after filtering", "/mm", "#e69f00", filtered}},
                    "detector column");
    column->addWidget(histogram);
    column->addWidget(plot, 1);
    return panel;
}

QWidget* images() {
    auto* panel = new QWidget;
    auto* row = new QHBoxLayout(panel);
    auto* view = new ImageView;
    view->setImage(rings(300, 220));
    view->setWindow({0, 0.03});
    view->setTitle("Axial");
    view->setCorner("slice 128 of 256");
    view->setCrosshair(QPointF(120, 100), "#e5484d", "#30a46c");
    view->setRegion(QRectF(40, 30, 200, 150));
    auto* lined = new ImageView;
    GreyImage withHoles = rings(60, 220);
    lined->setImage(withHoles);
    lined->setWindow({0.01, 0.02});
    lined->setTitle("Filtered, view 12 of 360");
    lined->setRowLine(100);
    auto* empty = new ImageView;
    empty->setPlaceholder("Open a scan to see its projections.");
    for (ImageView* each : {view, lined, empty})
        row->addWidget(each);
    return panel;
}

TEST(PicturesOfWidgets, LookAsBefore) {
    QWidget window;
    auto* column = new QVBoxLayout(&window);
    auto* bar = new MessageBar;
    bar->show({.kind = Message::Kind::info,
               .text = "The scan was reloaded.",
               .actionText = {},
               .action = {}});
    bar->show(
        {.kind = Message::Kind::warning,
         .text = "3 frames are suspect: 12, 13 and 240 are much darker than their neighbours.",
         .actionText = "Show them",
         .action = {}});
    bar->show({.kind = Message::Kind::error,
               .text = "The volume needs 139 GB, but only 22 GB are free on /data. Choose fewer "
                       "voxels, another place, or 8-bit output.",
               .actionText = "Use 8-bit output",
               .action = {}});
    auto* row = new QHBoxLayout;
    auto* left = new QWidget;
    left->setFixedWidth(320);
    auto* leftColumn = new QVBoxLayout(left);
    leftColumn->addWidget(fields());
    leftColumn->addStretch();
    row->addWidget(left);
    auto* right = new QVBoxLayout;
    right->addWidget(buttons());
    right->addWidget(images(), 2);
    auto* tabs = new QTabWidget;
    tabs->addTab(plots(), icon("projections"), "Projections");
    tabs->addTab(new QWidget, "Slices");
    right->addWidget(tabs, 2);
    auto* bottom = new QHBoxLayout;
    bottom->addWidget(table(), 2);
    bottom->addWidget(new Placeholder("Open a scan to see its projections.", "Open…"), 1);
    right->addLayout(bottom, 1);
    row->addLayout(right, 1);
    column->addLayout(row, 1);
    column->addWidget(bar);
    test::show(window, {1280, 980});
    test::comparePictures(window, "widgets");
}

TEST(PicturesOfIcons, LookAsBefore) {
    QWidget window;
    auto* grid = new QGridLayout(&window);
    int i = 0;
    for (const QString& file : QDir(":/icons").entryList({"*.svg"})) {
        auto* button = new QToolButton;
        button->setIcon(icon(file.chopped(4)));
        button->setIconSize({40, 40});
        button->setText(file.chopped(4));
        button->setToolButtonStyle(Qt::ToolButtonTextUnderIcon);
        button->setEnabled(i != 5);
        grid->addWidget(button, i / 9, i % 9);
        ++i;
    }
    test::show(window, {900, 560});
    test::comparePictures(window, "icons", {.isLightToo = false, .masked = {}});
}

}  // namespace
}  // namespace gantry
