#include "core/verify/verify_run.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/base/error.h"
#include "core/verify/verification.h"
#include "tests/core/verify/made_volumes.h"
#include "tests/support/cpu_backends.h"

namespace gantry {
namespace {

VerifyRequest coneScan(double arcDeg = 360) {
    VerifyRequest request;
    ScanGeometry& geometry = request.geometry;
    geometry.cone().sourceToIsocenterMm = 600;
    geometry.cone().sourceToDetectorMm = 1200;
    geometry.cone().views = 240;
    geometry.cone().arcDeg = arcDeg;
    geometry.detector = {.columns = 128, .rows = 120, .pitchMm = {2, 2}};
    request.reconstruction.volume = fitGrid(geometry);
    request.reconstruction.threads = 2;
    return request;
}

VerifiedPiece verified(const char* kind, const VerifyRequest& request,
                       const std::function<void(double)>& onProgress = {}) {
    const Backends backends = test::backends();
    return verifyPiece(makeTestPiece(kind, request.geometry, request.reconstruction.volume),
                       request, {backends, {}, onProgress});
}

VerifiedPiece spheresReconstructedAs(const ScanGeometry& wrong, const ScanGeometry& right) {
    VerifyRequest request = coneScan();
    request.geometry = right;
    request.reconstructAs = wrong;
    return verified("spheres", request);
}

TEST(Verify, TheMtfOfASystemWithAKnownBlurIsFoundWithinThreePercent) {
    VerifyRequest request = coneScan();
    for (const double blurPx : {1.0, 1.5}) {
        request.blurPx = blurPx;
        const PieceMeasures found = verified("cylinder", request).measures;
        ASSERT_TRUE(found.cylinder);
        const CylinderMeasures& cylinder = *found.cylinder;
        EXPECT_NEAR(cylinder.mtf50PerMm / frequencyAt(found.expectedMtf, 0.5), 1, 0.03);
        EXPECT_NEAR(cylinder.mtf10PerMm / frequencyAt(found.expectedMtf, 0.1), 1, 0.03);
        // The rim is seen by the detector's outer columns, which are narrower at the axis by about
        // a percent. Beyond the grid's Nyquist frequency there is no MTF to speak of.
        for (std::size_t i = 0; cylinder.mtf[i].perMm < 0.5; ++i)
            EXPECT_NEAR(cylinder.mtf[i].value, found.expectedMtf[i].value, 0.015)
                << cylinder.mtf[i].perMm;
        // Without noise, what is left of it inside is rounding and faint streaks.
        EXPECT_NEAR(cylinder.attenuation * cylinder.radiusMm, 1, 0.003);
        EXPECT_LT(cylinder.cdf.front().percent, 0.1);
    }
}

TEST(Verify, AWindowShowsInTheMtf) {
    VerifyRequest request = coneScan();
    request.reconstruction.filter = {FilterWindow::hann, 0.8};
    const PieceMeasures found = verified("cylinder", request).measures;
    EXPECT_NEAR(found.cylinder->mtf50PerMm / frequencyAt(found.expectedMtf, 0.5), 1, 0.03);
    EXPECT_NEAR(found.cylinder->mtf10PerMm / frequencyAt(found.expectedMtf, 0.1), 1, 0.03);
}

TEST(Verify, AVolumeWithMoreColumnsThanRowsIsMeasuredAndShownAsItIs) {
    const VolumeGrid grid{{120, 72, 5}, {0.7, 0.7, 0.7}, {2, -1, 0}};
    const Volume volume = test::volumeOf(grid, [](Vec3 p) {
        return 0.001 + 0.02 * test::softEdge(std::hypot(p.x - 24, p.y + 3) - 12, 0.7);
    });
    const PieceMeasures measures = measureVolume(volume, {}, nullptr, 2);
    ASSERT_TRUE(measures.cylinder);
    EXPECT_NEAR(measures.cylinder->centerMm.x, 24, 0.02);
    EXPECT_NEAR(measures.cylinder->centerMm.y, -3, 0.02);
    EXPECT_NEAR(measures.cylinder->radiusMm, 12, 0.02);
    EXPECT_NEAR(measures.cylinder->attenuation, 0.021, 1e-5) << "of voxels right of column 72";
    const Verification found = verificationOf("v.mha", volume, "cylinder", measures, {});
    ASSERT_EQ(found.pictures.size(), 1U);
    const Picture& picture = found.pictures.front();
    EXPECT_NEAR(static_cast<double>(picture.width) / static_cast<double>(picture.height),
                120.0 / 72, 0.02);
    // The bright pixels are the cylinder's, at its place: their number, and where their middle is.
    double bright = 0;
    double column = 0;
    for (Index i = 0; i < picture.width * picture.height; ++i) {
        if (picture.rgb[static_cast<std::size_t>(3 * i)] < 128) continue;
        bright += 1;
        column += static_cast<double>(i % picture.width);
    }
    const double pixelMm = 120 * 0.7 / static_cast<double>(picture.width);
    EXPECT_NEAR(bright * pixelMm * pixelMm, kPi * 12 * 12, 12);
    EXPECT_NEAR((column / bright + 0.5) * pixelMm - 60 * 0.7 + 2, 24, 0.7);
}

TEST(Verify, ARightGeometryHasRightLengthsAndNothingToBlame) {
    double last = 0;
    const VerifiedPiece piece =
        verified("spheres", coneScan(), [&](double fraction) { last = fraction; });
    EXPECT_EQ(last, 1);
    ASSERT_TRUE(piece.measures.spheres && piece.measures.cause);
    const SphereMeasures& spheres = *piece.measures.spheres;
    EXPECT_NEAR(spheres.scale, 1, 1e-4);
    EXPECT_LT(std::abs(spheres.worstDistanceErrorMm), 0.05);  // a twentieth of a voxel
    EXPECT_FALSE(piece.measures.cause->fault) << piece.measures.cause->sentence;
    EXPECT_NE(piece.measures.cause->sentence.find("nothing is wrong"), std::string::npos);
    EXPECT_GT(piece.comparison.error.psnrDb, 25);
}

TEST(Verify, ADetectorDistanceThatIsWrongByAThousandthShowsAsTheScale) {
    const ScanGeometry right = coneScan().geometry;
    for (const double factor : {1.001, 0.999}) {
        ScanGeometry wrong = right;
        wrong.cone().sourceToDetectorMm *= factor;
        const VerifiedPiece piece = spheresReconstructedAs(wrong, right);
        const SphereMeasures& spheres = *piece.measures.spheres;
        EXPECT_NEAR(100 * (spheres.scale - 1), 100 * (1 / factor - 1), 0.01);
        EXPECT_NEAR(spheres.scaleInPlane, spheres.scaleAlongAxis, 2e-4);
        ASSERT_TRUE(piece.measures.cause->fault);
        EXPECT_EQ(*piece.measures.cause->fault, GeometryFault::sourceDistance);
        EXPECT_NEAR(piece.measures.cause->size, 100 * (1 / factor - 1), 0.02);
    }
}

TEST(Verify, AParallelBeamHasRightLengthsAndItsFaultsAreNamed) {
    VerifyRequest request = coneScan(180);
    const GantryAngles angles = request.geometry.cone();
    request.geometry.trajectory = ParallelBeam{angles};
    request.geometry.detector.pitchMm = {1, 1};
    const VerifiedPiece right = verified("spheres", request);
    EXPECT_NEAR(right.measures.spheres->scale, 1, 1e-4);
    EXPECT_TRUE(right.measures.cause->isRight) << right.measures.cause->sentence;
    request.reconstructAs = withFault(request.geometry, GeometryFault::detectorOffset, 2);
    const LikelyCause cause = *verified("spheres", request).measures.cause;
    ASSERT_TRUE(cause.fault) << cause.sentence;
    EXPECT_EQ(*cause.fault, GeometryFault::detectorOffset) << cause.sentence;
    EXPECT_THROW((void)withFault(request.geometry, GeometryFault::sourceDistance, 1), InputError);
}

TEST(Verify, AWrongGeometryIsNamedByItsCause) {
    struct Case {
        GeometryFault fault;
        double size;
        double tolerance;
        const char* word;
    };
    const ScanGeometry right = coneScan().geometry;
    for (const Case& fault : {Case{GeometryFault::sourceDistance, 1, 0.05, "SOD"},
                              Case{GeometryFault::sourceDistance, -1, 0.05, "too small"},
                              Case{GeometryFault::detectorOffset, 2, 0.2, "offset"},
                              Case{GeometryFault::roll, 1, 0.2, "roll"},
                              Case{GeometryFault::roll, -1.5, 0.3, "roll"}}) {
        const VerifiedPiece piece =
            spheresReconstructedAs(withFault(right, fault.fault, fault.size), right);
        const LikelyCause& cause = *piece.measures.cause;
        ASSERT_TRUE(cause.fault) << fault.word << fault.size << ": " << cause.sentence;
        EXPECT_EQ(*cause.fault, fault.fault) << cause.sentence;
        EXPECT_NEAR(std::abs(cause.size), std::abs(fault.size), fault.tolerance);
        EXPECT_NE(cause.sentence.find(fault.word), std::string::npos) << cause.sentence;
    }
}

TEST(Verify, ARightGeometryIsRightHoweverFineTheVoxels) {
    VerifyRequest request = coneScan();
    request.geometry.detector = {.columns = 256, .rows = 256, .pitchMm = {1.6, 1.6}};
    request.geometry.cone().views = 180;
    for (const Index across : {100, 200}) {
        request.reconstruction.volume = fitGrid(request.geometry, across);
        const PieceMeasures right = verified("spheres", request).measures;
        EXPECT_TRUE(right.cause->isRight) << across << ": " << right.cause->sentence;
        VerifyRequest wrong = request;
        wrong.reconstructAs = withFault(request.geometry, GeometryFault::detectorOffset, 2);
        const LikelyCause cause = *verified("spheres", wrong).measures.cause;
        ASSERT_TRUE(cause.fault) << across << ": " << cause.sentence;
        EXPECT_EQ(*cause.fault, GeometryFault::detectorOffset) << cause.sentence;
        EXPECT_NEAR(std::abs(cause.size), 2, 0.3) << across;
    }
}

TEST(Verify, TheCauseIsNamedWhereRaysAreSeenOnce) {
    ScanGeometry shortScan = coneScan(220).geometry;
    ScanGeometry offsetDetector = coneScan().geometry;
    offsetDetector.detector.offsetMm[0] = 50;
    for (const ScanGeometry& right : {shortScan, offsetDetector}) {
        VerifyRequest request = coneScan();
        request.geometry = right;
        request.reconstruction.volume = fitGrid(right);
        EXPECT_FALSE(verified("spheres", request).measures.cause->fault);
        for (const GeometryFault fault :
             {GeometryFault::sourceDistance, GeometryFault::detectorOffset, GeometryFault::roll}) {
            const double size = fault == GeometryFault::detectorOffset ? 2 : 1;
            request.reconstructAs = withFault(right, fault, size);
            const LikelyCause cause = *verified("spheres", request).measures.cause;
            ASSERT_TRUE(cause.fault) << cause.sentence;
            EXPECT_EQ(*cause.fault, fault) << cause.sentence;
            EXPECT_NEAR(std::abs(cause.size) / size, 1, 0.2) << cause.sentence;
        }
    }
}

TEST(Verify, WhatNoSingleCauseExplainsIsSaidSo) {
    const VerifiedPiece piece = verified("spheres", coneScan());
    SphereMeasures measures = *piece.measures.spheres;
    // Every other sphere farther along x and z: no scan does that.
    for (std::size_t i = 0; i < measures.spheres.size(); i += 2)
        measures.spheres[i].centerMm = measures.spheres[i].centerMm + Vec3{0.5, 0, 0.7};
    const LikelyCause cause = likelyCause(coneScan().geometry, measures, 1, 0.33, true);
    EXPECT_FALSE(cause.fault);
    EXPECT_NE(cause.sentence.find("neither"), std::string::npos) << cause.sentence;
}

TEST(Verify, TheHeadOfAShortScanHasItsTrueValues) {
    const VerifiedPiece piece = verified("shepp-logan", coneScan(210));
    ASSERT_GE(piece.comparison.regions.size(), 2U);
    for (const RegionError& region : piece.comparison.regions)
        EXPECT_LT(std::abs(region.errorPercent), 2);
    EXPECT_EQ(piece.truth.grid, piece.result.grid);
    EXPECT_FALSE(piece.measures.cylinder);
    EXPECT_FALSE(piece.measures.spheres);
}

TEST(Verify, StopsWhenAskedTo) {
    const Backends backends = test::backends();
    const VerifyRequest request = coneScan();
    std::stop_source stop;
    const VerifyContext context = {backends, stop.get_token(),
                                   [&](double) { stop.request_stop(); }};
    EXPECT_THROW((void)verifyPiece(
                     makeTestPiece("cylinder", request.geometry, request.reconstruction.volume),
                     request, context),
                 Cancelled);
}

TEST(Verify, ARealPieceInAVolumeIsMeasuredAlike) {
    const VerifiedPiece spheres = verified("spheres", coneScan());
    // The list says only how the piece is made, not how it stands.
    std::vector<KnownSphere> list = spheres.piece.spheres;
    for (KnownSphere& sphere : list)
        sphere.centerMm = Vec3{-sphere.centerMm.y, sphere.centerMm.x, sphere.centerMm.z + 7};
    const ScanGeometry geometry = coneScan().geometry;
    const PieceMeasures found = measureVolume(spheres.result, list, &geometry, 2);
    EXPECT_NEAR(found.spheres->scale, spheres.measures.spheres->scale, 1e-6);
    ASSERT_TRUE(found.cause);
    EXPECT_FALSE(found.cause->fault) << found.cause->sentence;

    const VerifiedPiece cylinder = verified("cylinder", coneScan());
    const PieceMeasures rim = measureVolume(cylinder.result, {}, nullptr, 2);
    EXPECT_NEAR(rim.cylinder->mtf50PerMm, cylinder.measures.cylinder->mtf50PerMm, 0.003);
}

}  // namespace
}  // namespace gantry
