#include "core/scan/inspect/find_defects.h"

#include <string>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/base/written_place.h"
#include "core/io/open_source.h"
#include "core/io/series/match_files.h"
#include "core/io/tiff/tiff_file.h"
#include "core/io/turned_source.h"

namespace gantry {

namespace fs = std::filesystem;

namespace {

void markNoisyIn(const ScanFile& scan, const std::string& pattern, FrameKind frames,
                 const std::stop_token& stop, DefectMap& map) {
    if (pattern.empty()) return;
    const auto source =
        openSource(matchFiles(scan.folder, pattern), openOptionsOf(scan, frames, pattern));
    const SourceInfo& info = source->info();
    FrameMean seen(info.rows * info.columns, FrameMean::Keeps::spread);
    HostBuffer<float> frame(info.rows * info.columns);
    for (Index i = 0; i < info.views; ++i) {
        if (stop.stop_requested()) throw Cancelled();
        readView(*source, i, frame.span());
        seen.add(frame.span());
    }
    markNoisyPixels(seen, map);
}

}  // namespace

DefectMap findDefects(const OpenScan& scan, const std::stop_token& stop) {
    DefectMap map = defectsOf(*scan.calibration);
    if (scan.kind != ProjectionKind::counts) return map;
    const ProjectionFiles& files = scan.description.projections;
    for (const std::string* dark : {&files.dark, &files.darkAfter})
        markNoisyIn(scan.description, *dark, FrameKind::dark, stop, map);
    for (const std::string* flat : {&files.flat, &files.flatAfter})
        markNoisyIn(scan.description, *flat, FrameKind::flat, stop, map);
    return map;
}

void writeDefects(const DefectMap& map, const ScanFile& scan, const fs::path& file) {
    TiffPage page;
    const int turnDeg = openOptionsOf(scan).turnDeg;
    page.rows = map.rows;
    page.columns = map.columns;
    if (turnDeg % 180 != 0) std::swap(page.rows, page.columns);
    page.type = PixelType::uint8;
    page.deflate = true;
    page.description = map.text();
    std::vector<std::byte> pixels(map.rows * map.columns);
    for (Index row = 0; row < map.rows; ++row)
        for (Index column = 0; column < map.columns; ++column) {
            const Index v = scan.projections.firstRowIsTop ? map.rows - 1 - row : row;
            const Index u = scan.projections.isMirrored ? map.columns - 1 - column : column;
            const bool isGood = map.pixels[v * map.columns + u] == PixelDefect::none;
            const ImagePlace stored =
                placeBeforeTurn({row, column}, map.columns, map.rows, turnDeg);
            pixels[stored.row * page.columns + stored.column] =
                isGood ? std::byte{0} : std::byte{255};
        }
    replaceFile(file, [&](const fs::path& part) {
        TiffWriter writer(part, TiffWriter::Mode::classic);
        writer.write(page, pixels);
        writer.close();
    });
}

}  // namespace gantry
