#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/report/png_image.h"
#include "core/verify/figures.h"

namespace gantry {

/// The complete result of a verification, without its volumes: for terminals, pages and programs.
struct Verification {
    std::string title;  ///< "Verification of walnut"
    /// What was verified, on which machine and with which settings, as names and values.
    std::vector<std::pair<std::string, std::string>> facts;
    std::vector<std::string> wrongOnPurpose;  ///< sentences; empty: the scan's own geometry
    std::vector<Figure> figures;
    std::vector<std::string> sentences;  ///< what the spheres show about the geometry
    std::vector<std::string> faults;     ///< those sentences that report a fault
    std::vector<MeasuredSphere> spheres;
    std::vector<CdfPoint> cdf;          ///< of the cylinder
    std::vector<MtfPoint> mtf;          ///< of the cylinder, at even steps of frequency
    std::vector<MtfPoint> expectedMtf;  ///< by filter, interpolation and blur; none for a real one
    std::vector<Picture> pictures;      ///< one below the other
    std::string caption;

    /// Whether no limit is missed and the spheres show no fault of the geometry.
    [[nodiscard]] bool isPassed() const;
    /// "All 12 limits are met."
    [[nodiscard]] std::string verdict() const;
};

/// Starts a verification without pieces. scan: "scan/scan.json"
[[nodiscard]] Verification startVerification(const std::string& scan, const VerifyRequest& request);
/// Adds the results of a piece; its volumes are not needed afterwards.
void addPiece(Verification& verification, const VerifiedPiece& piece, const VerifyLimits& limits);
/// The verification of a real piece's volume. kind: "cylinder" or "spheres"
[[nodiscard]] Verification verificationOf(const std::string& path, const Volume& volume,
                                          const std::string& kind, const PieceMeasures& measures,
                                          const VerifyLimits& limits);

/// One page that fits on one sheet when printed. Tests: tests/core/verify/figures_test.cpp
[[nodiscard]] std::string verificationPage(const Verification& verification);

/// The output of `gantry verify --json`, without pictures.
[[nodiscard]] nlohmann::ordered_json toJson(const Verification& verification);
/// Reads the same back: figures, sentences, faults, facts and, from the "pieces" that the command
/// line adds, the cylinder's curves and the spheres.
/// @throws InputError  it is no such document
/// Tests: tests/core/verify/figures_test.cpp
[[nodiscard]] Verification parseVerification(std::string_view json);

}  // namespace gantry
