#pragma once

#include <QObject>
#include <filesystem>
#include <string>
#include <vector>

#include "core/base/file.h"
#include "core/simulate/simulate_scan.h"
#include "ui/models/message.h"

namespace gantry::test {

/// A scan of 24 × 16 pixels whose full circle has 18 views.
inline SimulationSpec smallScan(const std::string& name = "walnut") {
    SimulationSpec spec;
    spec.name = name;
    spec.geometry.cone().sourceToIsocenterMm = 600;
    spec.geometry.cone().sourceToDetectorMm = 1200;
    spec.geometry.cone().views = 18;
    spec.geometry.detector.columns = 24;
    spec.geometry.detector.rows = 16;
    spec.geometry.detector.pitchMm = {16, 16};
    spec.fieldFrames = 2;
    return spec;
}

/// Makes it on the disk. @returns its scan.json
inline std::filesystem::path makeScan(const std::filesystem::path& folder,
                                      const SimulationSpec& spec = smallScan()) {
    return simulateScan(spec, folder, false, {}).scanFile;
}

/// What an object has said so far.
template <class Speaker>
class Heard {
  public:
    explicit Heard(const Speaker& speaker) {
        QObject::connect(&speaker, &Speaker::messageRaised, &m_context,
                         [this](const Message& message) { m_messages.push_back(message); });
    }
    [[nodiscard]] std::size_t count() const { return m_messages.size(); }
    [[nodiscard]] const Message& last() const { return m_messages.back(); }
    [[nodiscard]] bool has(Message::Kind kind, const QString& text) const {
        for (const Message& message : m_messages)
            if (message.kind == kind && message.text.contains(text)) return true;
        return false;
    }
    [[nodiscard]] bool hasError(const QString& text) const {
        return has(Message::Kind::error, text);
    }

  private:
    QObject m_context;
    std::vector<Message> m_messages;
};

}  // namespace gantry::test
