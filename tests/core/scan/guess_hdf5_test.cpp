// Scans in HDF5 files, which say themselves what others are guessed from.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/io/open_source.h"
#include "core/scan/guess/guess_scan.h"
#include "core/scan/open_scan.h"
#include "tests/support/hdf5_writer.h"
#include "tests/support/temporary_folder.h"

namespace gantry {
namespace {

namespace fs = std::filesystem;
using test::Hdf5Writer;
using test::TemporaryFolder;

const fs::path kTooth = fs::path(GANTRY_SAMPLES) / "tooth";

// The counts of frames as they are stored, one after the other.
std::vector<std::uint16_t> countsOf(const ProjectionSource& source) {
    const SourceInfo& info = source.info();
    std::vector<std::uint16_t> counts(
        static_cast<std::size_t>(info.views * info.rows * info.columns));
    const auto perView = static_cast<std::size_t>(info.rows * info.columns);
    for (Index view = 0; view < info.views; ++view)
        source.readRows(view, {0, info.rows},
                        std::as_writable_bytes(std::span(counts).subspan(
                            static_cast<std::size_t>(view) * perView, perView)));
    return counts;
}

// The tooth as other programs store such scans; row 0 is the lowest, as countsOf() has them.
class ToothInHdf5 : public ::testing::Test {
  protected:
    ToothInHdf5() {
        const ScanFile scan = readScanFile(kTooth / "scan.json");
        m_tiffs = std::make_unique<OpenScan>(openScan(scan));
        m_projections = countsOf(*m_tiffs->source);
        for (const char* kind : {"dark", "flat"}) {
            auto& counts = kind == std::string("dark") ? m_dark : m_flat;
            std::vector<fs::path> files;
            for (const auto& entry : fs::directory_iterator(kTooth / kind))
                files.push_back(entry.path());
            std::sort(files.begin(), files.end());
            counts = countsOf(*openSource(files, {}));
        }
        for (int i = 0; i < 181; ++i)
            m_anglesDeg.push_back(i * 180.0 / 181);
    }

    void writeFrames(Hdf5Writer& file, const std::string& name,
                     const std::vector<std::uint16_t>& counts) {
        file.images(name, PixelType::uint16, {counts.size() / (2 * 640), 2, 640},
                    std::as_bytes(std::span(counts)), {.chunk = {8, 1, 640}, .gzip = 3});
    }
    void writeNxTomo(const fs::path& path) {
        std::vector<std::uint16_t> all = m_dark;
        std::vector<double> keys(m_dark.size() / 1280, 2);
        all.insert(all.end(), m_projections.begin(), m_projections.end());
        keys.resize(keys.size() + 181, 0);
        all.insert(all.end(), m_flat.begin(), m_flat.end());
        keys.resize(keys.size() + m_flat.size() / 1280, 1);
        std::vector<double> angles(keys.size(), 0.0);
        std::copy(m_anglesDeg.begin(), m_anglesDeg.end(),
                  angles.begin() + static_cast<std::ptrdiff_t>(m_dark.size() / 1280));
        Hdf5Writer file(path);
        file.text("/entry/definition", "NXtomo");
        writeFrames(file, "/entry/instrument/detector/data", all);
        file.numbers("/entry/instrument/detector/image_key", keys);
        file.numbers("/entry/instrument/detector/x_pixel_size", {10e-6}, "m");
        file.numbers("/entry/sample/rotation_angle", angles, "degree");
    }
    void writeExchange(const fs::path& path) {
        Hdf5Writer file(path);
        writeFrames(file, "/exchange/data", m_projections);
        writeFrames(file, "/exchange/data_white", m_flat);
        writeFrames(file, "/exchange/data_dark", m_dark);
        file.numbers("/exchange/theta", m_anglesDeg, "deg");
        file.numbers("/measurement/instrument/detector/pixel_size_x", {10}, "um");
    }

    TemporaryFolder m_folder;
    std::unique_ptr<OpenScan> m_tiffs;
    std::vector<std::uint16_t> m_projections;
    std::vector<std::uint16_t> m_dark;
    std::vector<std::uint16_t> m_flat;
    std::vector<double> m_anglesDeg;
};

TEST_F(ToothInHdf5, IsTheSameScanAsItsTiffs) {
    writeNxTomo(m_folder / "Zahn 'a'.nxs");
    writeExchange(m_folder / "tooth.h5");
    for (const char* name : {"Zahn 'a'.nxs", "tooth.h5"}) {
        Inspection bare;
        bare.path = m_folder / name;
        GuessedScan guess = guessScan(bare);
        const ProjectionFiles& files = guess.scan.projections;
        EXPECT_EQ(files.files, name);
        EXPECT_EQ(files.dark, name);
        EXPECT_EQ(files.flat, name);
        EXPECT_EQ(files.kind, ProjectionKind::counts);
        const ScanGeometry& geometry = guess.scan.geometry;
        EXPECT_EQ(geometry.views(), 181);
        EXPECT_NEAR(geometry.coverageDeg(), 180, 1e-9);
        EXPECT_TRUE(geometry.angles().anglesDeg.empty());
        EXPECT_NEAR(geometry.detector.pitchMm[0], 0.01, 1e-12);
        EXPECT_NEAR(geometry.detector.pitchMm[1], 0.01, 1e-12);
        EXPECT_LT(geometry.magnification(), 1.00001);
        EXPECT_NEAR(geometry.axisColumn(), 295.6, 0.3);
        for (const char* field : {"trajectory.arcDeg", "detector.pitchMm", "projections.flat"}) {
            const auto said = std::ranges::find_if(
                guess.guesses, [&](const auto& one) { return one.field == field; });
            ASSERT_NE(said, guess.guesses.end()) << field;
            EXPECT_NE(said->reason.find("file"), std::string::npos) << said->reason;
            EXPECT_FALSE(said->isUnsure);
        }
        // Both store row 0 as the lowest here.
        guess.scan.projections.firstRowIsTop = false;
        const OpenScan opened = openScan(guess.scan);
        EXPECT_EQ(countsOf(*opened.source), m_projections);
        const DetectorCalibration& calibration = *opened.calibration;
        EXPECT_TRUE(std::ranges::equal(calibration.flat.span(), m_tiffs->calibration->flat.span()));
        EXPECT_TRUE(std::ranges::equal(calibration.dark.span(), m_tiffs->calibration->dark.span()));
    }
}

TEST_F(ToothInHdf5, AFolderWithItIsOpenedToo) {
    fs::create_directory(m_folder / "scan");
    writeNxTomo(m_folder / "scan/tooth.nxs");
    const GuessedScan guess = guessScan(inspectPath(m_folder / "scan", {2, false, {}}));
    EXPECT_EQ(guess.scan.projections.files, "tooth.nxs");
    EXPECT_EQ(guess.scan.name, "tooth");
}

}  // namespace
}  // namespace gantry
