#pragma once

#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <vector>

#include "core/prep/flux.h"
#include "core/prep/line_integrals.h"
#include "core/scan/flux/air_regions.h"

namespace gantry {

struct OpenScan;

/// How bright the beam of each view is, by the air beside the object.
struct AirBeam {
    std::vector<PixelRegion> regions;  ///< of air, one or one at either side
    std::vector<BeamOffset> offsets;   ///< as Acquisition::offsets
    /// What was found, and what speaks against it, a sentence each.
    std::vector<std::string> notes;
};

/// Measures the beam of a scan once, whichever copies of it ask. Several threads may use it.
class AirBeams {
  public:
    /// The beam of these views of the scan. It is made from their files alone, so that each of
    /// several ranks, and a run that is resumed, gets the same bits. Where no region is given,
    /// about 50 whole views are read to find one; of all views only rows of the region are. stored:
    /// as opened
    /// @throws InputError where no region is air, or the given one is not on the detector; as
    ///         readStoredRows(); Cancelled
    /// Tests: tests/core/scan/air_beam_test.cpp
    [[nodiscard]] std::shared_ptr<const AirBeam> of(const OpenScan& stored, const FluxSpec& spec,
                                                    int threads, const std::stop_token& stop);

  private:
    std::mutex m_mutex;
    FluxSpec m_spec;
    std::vector<Index> m_views;
    std::shared_ptr<const AirBeam> m_beam;
};

}  // namespace gantry
