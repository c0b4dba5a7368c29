#include "ui/desktop/window/preferences.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QFormLayout>
#include <QSettings>

#include "ui/widgets/new_widget.h"

namespace gantry {

Preferences Preferences::read() {
    const QSettings settings;
    Preferences preferences;
    if (settings.value("preferences/theme").toString() == "light")
        preferences.theme = ThemeKind::light;
    preferences.openFinishedVolumes =
        settings.value("preferences/openFinishedVolumes", true).toBool();
    preferences.showStartGuide = settings.value("preferences/showStartGuide", true).toBool();
    return preferences;
}

void Preferences::write() const {
    QSettings settings;
    settings.setValue("preferences/theme", theme == ThemeKind::light ? "light" : "dark");
    settings.setValue("preferences/openFinishedVolumes", openFinishedVolumes);
    settings.setValue("preferences/showStartGuide", showStartGuide);
}

PreferencesDialog::PreferencesDialog(QWidget* parent) : QDialog(parent) {
    setWindowTitle(tr("Preferences"));
    setObjectName("preferences");
    const Preferences now = Preferences::read();
    auto* layout = new QFormLayout(this);
    layout->setContentsMargins(3 * kSpacing, 3 * kSpacing, 3 * kSpacing, 2 * kSpacing);
    layout->setVerticalSpacing(2 * kSpacing);

    auto* theme = named(new QComboBox, "theme");
    theme->addItems({tr("Dark (best for judging images)"), tr("Light")});
    theme->setCurrentIndex(now.theme == ThemeKind::light ? 1 : 0);
    layout->addRow(tr("&Appearance"), theme);

    auto* openVolumes =
        named(new QCheckBox(tr("Open the &volume when a job has finished")), "openFinishedVolumes");
    openVolumes->setChecked(now.openFinishedVolumes);
    layout->addRow(QString(), openVolumes);

    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close);
    layout->addRow(buttons);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::close);

    const auto take = [this, theme, openVolumes] {
        Preferences preferences = Preferences::read();
        preferences.theme = theme->currentIndex() == 1 ? ThemeKind::light : ThemeKind::dark;
        preferences.openFinishedVolumes = openVolumes->isChecked();
        preferences.write();
        emit changed(preferences);
    };
    connect(theme, &QComboBox::currentIndexChanged, this, take);
    connect(openVolumes, &QCheckBox::toggled, this, take);
}

}  // namespace gantry
