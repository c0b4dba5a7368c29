#include "ui/models/file_endings.h"

#include <QStringList>
#include <string_view>
#include <vector>

#include "core/describe/description_format.h"
#include "core/io/projection_format.h"
#include "core/io/volume/volume_format.h"
#include "ui/models/text.h"

namespace gantry {

namespace {

QString plain(std::string_view text) {
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

// Endings in the order of the formats, each once.
class Endings {
  public:
    void add(std::string_view ending) {
        const QString pattern = "*" + plain(ending);
        if (!m_patterns.contains(pattern)) m_patterns << pattern;
    }
    void add(const std::vector<std::string_view>& endings) {
        for (const std::string_view ending : endings)
            add(ending);
    }
    void addVolumes() {
        for (const VolumeFileFormat& format : volumeFormats())
            if (!format.isFolder) add(format.extensions);
    }
    void addProjections() {
        for (const ProjectionFormat& format : projectionFormats()) {
            add(format.extensions);
            for (const HeaderAndData& pair : format.pairs)
                add(pair.header);
        }
    }
    [[nodiscard]] QString text() const { return m_patterns.join(' '); }

  private:
    QStringList m_patterns;
};

}  // namespace

QString endingsOfVolumes() {
    Endings endings;
    endings.addVolumes();
    return endings.text();
}

QString endingsOfProjections() {
    Endings endings;
    endings.addProjections();
    return endings.text();
}

QString endingsToOpen() {
    Endings endings;
    for (const DescriptionFormat& format : descriptionFormats())
        if (format.read) endings.add(format.extensions);
    endings.addProjections();
    endings.addVolumes();
    return endings.text();
}

QString geometryFilter() {
    Endings all;
    QStringList kinds;
    for (const DescriptionFormat& format : descriptionFormats()) {
        all.add(format.extensions);
        if (format.read) continue;
        Endings own;
        own.add(format.extensions);
        const QString name = plain(format.name);
        kinds << QStringLiteral("%1 (%2)").arg(name.left(1).toUpper() + name.mid(1), own.text());
    }
    kinds.prepend(tr("Geometry files (%1)").arg(all.text()));
    return kinds.join(QStringLiteral(";;")) + ";;" + tr("All files (*)");
}

}  // namespace gantry
