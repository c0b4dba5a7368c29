#include "ui/models/job/engine_text.h"

#include <QStringList>
#include <algorithm>

#include "ui/models/text.h"

namespace gantry {

QString devicesText(const std::vector<DeviceFacts>& devices) {
    QStringList names;
    for (const DeviceFacts& device : devices) {
        const QString name = QString::fromStdString(device.name);
        if (!names.contains(name)) names << name;
    }
    for (QString& name : names) {
        const auto same = std::ranges::count_if(
            devices, [&](const DeviceFacts& device) { return device.name == name.toStdString(); });
        if (same > 1) name = QString::fromUtf8("%1 × %2").arg(same).arg(name);
    }
    return names.join(" + ");
}

QString engineText(const Machine& machine) {
    if (!machine.gpu.devices.empty()) return devicesText(machine.gpu.devices);
    return tr("%1, %2 threads")
        .arg(QString::fromStdString(machine.cpu.devices.front().name))
        .arg(machine.threads);
}

QString fastErrorText() {
    return tr(
        "voxels are off by about 1 part in 10 000 where the image is smooth, and by 4 in "
        "1000 of the noise");
}

}  // namespace gantry
