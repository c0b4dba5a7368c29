#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/report/png_image.h"
#include "core/verify/figures.h"

namespace gantry {

/// All that a verification found, without its volumes: for terminals, pages and machines.
struct Verification {
    std::string title;  ///< "Verification of walnut"
    /// What was verified, on what and with what, as names and values.
    std::vector<std::pair<std::string, std::string>> facts;
    std::vector<Figure> figures;
    std::vector<std::string> sentences;  ///< what the spheres say of the geometry
    std::vector<std::string> faults;     ///< those of them that say that it is wrong
    std::vector<MeasuredSphere> spheres;
    std::vector<CdfPoint> cdf;          ///< of the cylinder
    std::vector<MtfPoint> mtf;          ///< of the cylinder, at even steps of frequency
    std::vector<MtfPoint> expectedMtf;  ///< by filter, interpolation and blur; none of a real one
    std::vector<Picture> pictures;      ///< one below the other
    std::string caption;

    /// No limit is missed, and the spheres find nothing wrong with the geometry.
    [[nodiscard]] bool isPassed() const;
    /// "All 12 limits are met."
    [[nodiscard]] std::string verdict() const;
};

/// Without pieces yet. scan: "scan/scan.json"
[[nodiscard]] Verification startVerification(const std::string& scan, const VerifyRequest& request);
/// Adds what a piece showed; its volumes are not needed afterwards.
void addPiece(Verification& verification, const VerifiedPiece& piece, const VerifyLimits& limits);
/// Of a volume of a real piece. kind: "cylinder" or "spheres"
[[nodiscard]] Verification verificationOf(const std::string& path, const Volume& volume,
                                          const std::string& kind, const PieceMeasures& measures,
                                          const VerifyLimits& limits);

/// One page, to be printed on one sheet.
/// Tests: tests/core/verify/figures_test.cpp
[[nodiscard]] std::string verificationPage(const Verification& verification);

/// As `gantry verify --json` prints it, without pictures.
[[nodiscard]] nlohmann::ordered_json toJson(const Verification& verification);
/// The same read back: figures, sentences, faults, facts and, of the "pieces" that the command line
/// adds, the cylinder's curves and the spheres.
/// @throws InputError  it is no such document
/// Tests: tests/core/verify/figures_test.cpp
[[nodiscard]] Verification parseVerification(std::string_view json);

}  // namespace gantry
