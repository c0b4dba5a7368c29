#pragma once

/// @file
/// Scans: opened from their files, or made of views that are in memory.

#include <filesystem>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/span3.h"
#include "core/filter/filter_spec.h"
#include "core/geometry/scan_geometry.h"
#include "core/geometry/volume_grid.h"
#include "core/io/projection_source.h"
#include "core/prep/calibration.h"

namespace gantry {

struct OpenScan;

/// One view at each step of its walk: [row][column], row 0 below.
struct ViewImages {
    Index rows = 0;             ///< as stored
    Index columns = 0;          ///< as stored
    std::vector<float> stored;  ///< counts, or line integrals; rows × columns
    /// Line integrals on the aligned detector, and what is back-projected. Where a rolled or tilted
    /// detector is rectified they have a size of their own.
    Index alignedRows = 0;
    Index alignedColumns = 0;          ///< their other size
    std::vector<float> lineIntegrals;  ///< alignedRows × alignedColumns
    std::vector<float> filtered;       ///< what is back-projected, of the same size
};

/// A scan whose views are found and checked against its geometry. Copies share the open files.
/// Tests: tests/install/test_install.py
class Scan {
  public:
    /// A scan.json. @throws InputError naming the file or field; Cancelled
    [[nodiscard]] static Scan open(const std::filesystem::path& scanFile,
                                   const std::stop_token& stop = {});
    /// Line integrals in memory, which outlive the scan: [view][row][column], row 0 below.
    /// @throws InputError where they do not fit the geometry
    [[nodiscard]] static Scan ofLineIntegrals(const ScanGeometry& geometry,
                                              Span3<const float> views);
    /// Counts or line integrals from any source. calibration: turns counts into line integrals;
    /// none where the views hold these
    /// @throws InputError where they do not fit the geometry
    [[nodiscard]] static Scan ofViews(const ScanGeometry& geometry,
                                      std::shared_ptr<const ProjectionSource> views,
                                      std::shared_ptr<const DetectorCalibration> calibration = {});

    /// The geometry as declared: nothing is rectified, padded or left out.
    [[nodiscard]] const ScanGeometry& geometry() const;
    /// What the scan is called; empty where its file does not say.
    [[nodiscard]] const std::string& name() const;
    /// The volume that the scan's file asks for, if it does.
    [[nodiscard]] const std::optional<VolumeGrid>& volume() const;
    /// The numbers of the views that are used.
    [[nodiscard]] std::vector<Index> usedViews() const;
    /// Why views are left out, in sentences; empty where all are used.
    [[nodiscard]] std::string leftOutText() const;

    /// The same files with another geometry, or with other views left out; nothing is read again.
    /// @throws InputError
    [[nodiscard]] Scan withGeometry(const ScanGeometry& geometry,
                                    const std::vector<Index>& skipViews = {}) const;
    /// Reads, corrects and filters one view as a reconstruction would.
    /// @throws InputError, Cancelled
    [[nodiscard]] ViewImages view(Index number, const FilterSpec& filter = {},
                                  const std::stop_token& stop = {}) const;
    /// The text of a scan.json that describes it, with every number exactly; files are named
    /// relative to the folder of the one that was opened.
    [[nodiscard]] std::string toJson() const;

    /// What the library itself works with. Its type is no part of the surface.
    [[nodiscard]] const OpenScan& behind() const { return *m_opened; }

  private:
    explicit Scan(OpenScan opened);

    std::shared_ptr<const OpenScan> m_opened;
};

}  // namespace gantry
