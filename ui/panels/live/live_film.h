#pragma once

#include <QWidget>
#include <optional>
#include <vector>

#include "core/engine/plane_preview.h"
#include "core/plan/job_spec.h"
#include "ui/models/image/grey_image.h"
#include "ui/workspace/search/live_preview.h"

class QComboBox;
class QListWidget;

namespace gantry {

class ParameterLine;
class ScanDocument;

/// Small pictures of one slice for a range of values of a parameter, to pick one from. Pictures
/// come one by one; when all are there, the sharpest is marked, if that is known. Tests:
/// tests/ui/panels/live_film_test.cpp
class Filmstrip : public QWidget {
    Q_OBJECT

  public:
    /// To either side of the middle.
    static constexpr int kReach = 4;

    explicit Filmstrip(QWidget* parent);

    /// Steps from picture to picture to choose from, in words; the one chosen so far stays chosen.
    void setSteps(const QStringList& texts);
    [[nodiscard]] int step() const;  ///< its number
    /// New pictures of these values, none of which is there yet.
    void begin(const std::vector<double>& values, const QStringList& texts);
    /// sharpness: where it tells how good the value is
    void setPicture(int number, const GreyImage& image, const GreyWindow& window,
                    std::optional<double> sharpness);
    /// The first value whose picture is missing; −1: all are there.
    [[nodiscard]] int missing() const;
    [[nodiscard]] double value(int number) const { return m_values[number]; }

  signals:
    void stepChosen();
    void picked(double value);

  private:
    void markSharpest();

    QComboBox* m_steps = nullptr;
    QListWidget* m_pictures = nullptr;
    std::vector<double> m_values;
    std::vector<bool> m_isThere;
    std::vector<std::optional<double>> m_sharpness;
};

/// Fills a filmstrip: asks a preview for one part of a slice by each value of the chosen parameter,
/// one after the other, behind what is looked at. Tests: tests/ui/panels/live_film_test.cpp
class LiveFilm {
  public:
    /// The max number of pixels along each side of a picture.
    static constexpr Index kMaxPixels = 192;

    LiveFilm(ScanDocument& scan, LivePreview& preview, ParameterLine& parameter, Filmstrip& strip)
        : m_scan(scan), m_preview(preview), m_parameter(parameter), m_strip(strip) {}

    /// The strip anew, about the value that the scan has now, of that part of a slice; one without
    /// pixels: nothing can be made yet.
    void begin(const Plane& part);
    /// The same where more than the parameter has changed since.
    void follow(const Plane& part);
    /// Whether the pictures are of that part.
    [[nodiscard]] bool shows(const Plane& part) const;
    /// Another request took the preview; resume() is called when it is done.
    void pause() { m_number = kNone; }
    void resume();
    /// Pictures, maybe of another request; or that the newest request is refused.
    void take(const LiveShown& shown, const GreyWindow& window);
    void takeRefusal();

  private:
    static constexpr int kNone = -1;

    [[nodiscard]] JobSpec jobOf(int number) const;
    [[nodiscard]] std::optional<double> sharpnessOf(const GreyImage& image) const;

    ScanDocument& m_scan;
    LivePreview& m_preview;
    ParameterLine& m_parameter;
    Filmstrip& m_strip;
    JobSpec m_job;         // that is shown, but for the parameter
    Plane m_part;          // and of its slice
    Index m_asked = 0;     // the request under way
    int m_number = kNone;  // and of which picture
};

}  // namespace gantry
