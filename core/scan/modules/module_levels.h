#pragma once

#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <vector>

#include "core/prep/calibration.h"
#include "core/prep/modules.h"
#include "core/scan/modules/module_steps.h"

namespace gantry {

class AirBeams;
struct OpenScan;

/// What levels the modules of a detector.
struct LevelledModules {
    ModuleOffsets fitted;  ///< in stored pixels
    /// What was done, a sentence each.
    std::vector<std::string> notes;
    /// For counts, the scan's with flat images that have the modules' gains, which all that makes
    /// line integrals of counts uses; for attenuation, and if no module is off, the scan's own.
    std::shared_ptr<const DetectorCalibration> calibration;
    /// [v][u] of attenuation: what is taken off every view; empty: nothing
    std::vector<float> offsets;
    /// Measures the beam with the modules levelled.
    std::shared_ptr<AirBeams> airBeams;
};

/// Fits the levels of a detector's modules once, whichever copies of its scan ask. Several threads
/// may use it.
class ModuleLevels {
  public:
    /// What these views of the scan tell. It is made from their files alone, so that each of
    /// several ranks, and a run that is resumed, gets the same bits; up to 240 whole views are
    /// read. stored: as opened, or selected(); an edge may then be within a large pixel
    /// @throws InputError where an edge is not on the detector; as readStoredRows(); Cancelled
    /// Tests: tests/core/scan/module_levels_test.cpp
    [[nodiscard]] std::shared_ptr<const LevelledModules> of(const OpenScan& stored,
                                                            const ModuleSpec& spec, int threads,
                                                            const std::stop_token& stop);

  private:
    std::mutex m_mutex;
    ModuleSpec m_spec;
    std::vector<Index> m_views;
    std::shared_ptr<const LevelledModules> m_levels;
};

/// The scan with its modules levelled: of counts by its flat images, of attenuation by its source.
/// @throws as ModuleLevels::of()
[[nodiscard]] OpenScan levelled(OpenScan scan, const ModuleSpec& spec, int threads,
                                const std::stop_token& stop);

}  // namespace gantry
