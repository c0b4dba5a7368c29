#include "ui/models/scan/geometry_form_fields.h"

#include <cmath>
#include <utility>

#include "ui/models/scan/scan_file_places.h"
#include "ui/models/text.h"
#include "ui/models/translation.h"

namespace gantry {

namespace {

using Group = ScanField::Group;
using Number = ScanField::Number;
using Choice = ScanField::Choice;
using Files = ScanField::Files;
using OptionalNumber = ScanField::OptionalNumber;

bool stepsEvenly(const ScanFile& scan) {
    return scan.geometry.hasAngles() && scan.geometry.angles().anglesDeg.empty();
}

bool hasCounts(const ScanFile& scan) {
    return scan.projections.kind == ProjectionKind::counts;
}

bool lacksFlat(const ScanFile& scan) {
    return hasCounts(scan) && scan.projections.flat.empty();
}

QString pixelsText(const ScanFile& scan, std::size_t axis) {
    const Detector& detector = scan.geometry.detector;
    const double pixels = detector.offsetMm[axis] / detector.pitchMm[axis];
    return std::isfinite(pixels) ? tr("%1 px off").arg(numberText(pixels, 4)) : QString();
}

QString offsetNote(const ScanFile& scan) {
    const QString pixels = pixelsText(scan, 1);
    const double row = scan.geometry.midplaneRow();
    return pixels.isEmpty() || !std::isfinite(row)
               ? QString()
               : tr("%1 · mid-plane row %2").arg(pixels).arg(row, 0, 'f', 1);
}

// The offset that puts the rotation axis' projection on a detector column; see axisColumn().
double offsetForColumn(const ScanFile& scan, double column) {
    ScanGeometry centred = scan.geometry;
    centred.detector.offsetMm[0] = 0;
    const double offset = (centred.axisColumn() - column) * scan.geometry.detector.pitchMm[0];
    // Rounds to 0.239 mm rather than 0.23899999999999977.
    constexpr double kDigits = 1e9;
    return std::round(offset * kDigits) / kDigits;
}

double offsetForPixels(const ScanFile& scan, double pixels) {
    return pixels * scan.geometry.detector.pitchMm[0];
}

}  // namespace

std::vector<ScanField> distanceFields() {
    std::vector<ScanField> fields;
    fields.push_back(
        {"trajectory.type", tr("Beam"), tr("beam"),
         tr("A cone from a focal spot, or parallel rays as of a synchrotron, which have no "
            "distances: pixels are as large as what they show, and half a turn is enough."),
         Group::distances,
         Choice{{tr("Cone"), tr("Parallel")},
                [](const ScanFile& s) { return s.geometry.isParallel() ? 1 : 0; },
                [](ScanFile& s, int option) {
                    s.geometry = withBeam(s.geometry, option == 1 ? Beam::parallel : Beam::cone);
                }}});
    fields.push_back(
        {"trajectory.sourceToIsocenterMm", tr("Source–object"), tr("source–object distance"),
         tr("SOD, from the focal spot to the rotation axis. With SDD it sets the magnification, "
            "and "
            "so the size of everything in the volume."),
         Group::distances, numberOf("trajectory.sourceToIsocenterMm", 1)});
    fields.push_back(
        {"trajectory.sourceToDetectorMm", tr("Source–detector"), tr("source–detector distance"),
         tr("SDD, from the focal spot to the detector. Too long or too short, and the volume has "
            "the wrong scale and blurs away from the mid-plane."),
         Group::distances, numberOf("trajectory.sourceToDetectorMm", 1)});
    return fields;
}

std::vector<ScanField> detectorFields() {
    std::vector<ScanField> fields;
    fields.push_back({"detector.columns", tr("Columns"), tr("number of detector columns"),
                      tr("Pixels along u, across the rotation axis. Known from the images."),
                      Group::detector, numberOf("detector.columns", 1)});
    fields.push_back({"detector.rows", tr("Rows"), tr("number of detector rows"),
                      tr("Pixels along v, parallel to the rotation axis. Known from the images."),
                      Group::detector, numberOf("detector.rows", 1)});
    fields.push_back(
        {"detector.pitchMm[0]",
         tr("Pitch u"),
         tr("pixel pitch along u"),
         tr("Distance of neighbouring columns on the detector, after binning. It scales the "
            "volume."),
         Group::detector,
         numberOf("detector.pitchMm[0]", 0.001),
         {},
         "detector.pitchMm[1]"});
    fields.push_back(
        {"detector.pitchMm[1]",
         tr("Pitch v"),
         tr("pixel pitch along v"),
         tr("Distance of neighbouring rows on the detector, after binning. It scales the volume "
            "along the rotation axis."),
         Group::detector,
         numberOf("detector.pitchMm[1]", 0.001),
         {},
         "detector.pitchMm[0]"});
    fields.push_back(
        {"detector.firstRow", tr("First row"), tr("place of the first row"),
         tr("Whether the files' first row is the upper or the lower edge of the detector. The "
            "wrong one stands the volume on its head."),
         Group::detector, choiceOf("detector.firstRow")});
    fields.push_back(
        {"detector.mirrored", tr("First column"), tr("place of the first column"),
         tr("Whether the files' first column is the left or the right edge of the detector, seen "
            "from the source. The wrong one blurs everything off the axis, or mirrors the "
            "volume."),
         Group::detector,
         Choice{{tr("Left of the image"), tr("Right of the image")},
                [](const ScanFile& s) { return s.projections.isMirrored ? 1 : 0; },
                [](ScanFile& s, int option) { s.projections.isMirrored = option == 1; }}});
    return fields;
}

namespace {

ScanField alignment(const char* name, const QString& label, const QString& what,
                    const QString& toolTip, Number kind) {
    return {name, label, what, toolTip, Group::alignment, std::move(kind)};
}

// The detector's offset along u, in mm and as the column of the axis' projection.
std::vector<ScanField> centreFields() {
    std::vector<ScanField> fields;
    fields.push_back(alignment(
        "detector.offsetMm[0]", tr("Detector offset u"), tr("detector offset along u"),
        tr("Shift of the detector's middle along its rows. A wrong one doubles edges and opens "
           "rings into crescents. It can be typed in pixels, too: “23.9 px off” is the offset "
           "divided by the pitch, “295.6 px” the column of the rotation axis."),
        {"mm",
         0.01,
         false,
         [](const ScanFile& s) { return s.geometry.detector.offsetMm[0]; },
         [](ScanFile& s, double value) { s.geometry.detector.offsetMm[0] = value; },
         {{"px off", offsetForPixels}, {"px", offsetForColumn}}}));
    fields.back().note = [](const ScanFile& s) { return pixelsText(s, 0); };
    fields.push_back(alignment(
        "detector.axisColumn", tr("Centre of rotation"), tr("centre of rotation"),
        tr("The detector column, counted from 0, that the rotation axis is seen on. It is the "
           "detector offset u in other terms: middle column − offset / pitch. “23.9 px off” is "
           "taken, too."),
        {"px",
         0.1,
         false,
         [](const ScanFile& s) {
             constexpr double kDigits = 1e6;  // of a pixel: the rest is rounding
             return std::round(s.geometry.axisColumn() * kDigits) / kDigits;
         },
         [](ScanFile& s, double column) {
             s.geometry.detector.offsetMm[0] = offsetForColumn(s, column);
         },
         {{"px off", [](const ScanFile& s, double pixels) {
               ScanGeometry moved = s.geometry;
               moved.detector.offsetMm[0] = offsetForPixels(s, pixels);
               return moved.axisColumn();
           }}}}));
    fields.back().sameAs = "detector.offsetMm[0]";
    return fields;
}

}  // namespace

std::vector<ScanField> alignmentFields() {
    std::vector<ScanField> fields = centreFields();
    const auto number = [&](const char* name, const QString& label, const QString& what,
                            const QString& toolTip, Number kind) {
        fields.push_back(alignment(name, label, what, toolTip, std::move(kind)));
    };
    number("detector.offsetMm[1]", tr("Detector offset v"), tr("detector offset along v"),
           tr("Shift of the detector's middle up or down. A wrong one blurs away from the "
              "mid-plane and shifts the volume along the axis."),
           numberOf("detector.offsetMm[1]", 0.01));
    fields.back().note = offsetNote;
    number("detector.rollDeg", tr("Roll"), tr("roll"),
           tr("Rotation of the detector in its own plane; positive rotates u towards v. Left "
              "uncorrected, edges double the more, the farther from the mid-plane."),
           numberOf("detector.rollDeg", 0.01));
    number("detector.tiltDeg", tr("Tilt"), tr("tilt"),
           tr("Lean of the detector; positive moves its upper edge away from the source. It "
              "changes the magnification from top to bottom. In a parallel beam, detector and "
              "beam lean together: the rotation axis is tilted so far along the rays, as in "
              "laminography."),
           numberOf("detector.tiltDeg", 0.1));
    number(
        "detector.slantDeg", tr("Slant"), tr("slant"),
        tr("Rotation of the detector about its vertical; positive moves its right edge away from "
           "the source. It changes the magnification from left to right."),
        numberOf("detector.slantDeg", 0.1));
    number("trajectory.sourceOffsetMm[0]", tr("Source offset u"), tr("source offset along u"),
           tr("Shift of the focal spot sideways. It acts like a detector offset, magnified."),
           numberOf("trajectory.sourceOffsetMm[0]", 0.01));
    number("trajectory.sourceOffsetMm[1]", tr("Source offset v"), tr("source offset along v"),
           tr("Shift of the focal spot up or down; the sharp mid-plane moves with it."),
           numberOf("trajectory.sourceOffsetMm[1]", 0.01));
    return fields;
}

std::vector<ScanField> trajectoryFields() {
    std::vector<ScanField> fields;
    fields.push_back({"trajectory.views", tr("Views"), tr("number of views"),
                      tr("Projections in the scan. Known from the images."), Group::trajectory,
                      numberOf("trajectory.views", 1)});
    fields.push_back({"trajectory.startDeg",
                      tr("Start angle"),
                      tr("start angle"),
                      tr("Gantry angle of the first view. It rotates the volume about its axis."),
                      Group::trajectory,
                      numberOf("trajectory.startDeg", 1),
                      {},
                      {},
                      stepsEvenly});
    // The sign is the direction, which has its own field; a negative number means clockwise.
    fields.push_back(
        {"trajectory.arcDeg",
         tr("Arc"),
         tr("arc"),
         tr("Angle from the first view to one step beyond the last. A wrong arc tears edges into "
            "arcs and streaks."),
         Group::trajectory,
         Number{"°", 1, false,
                [](const ScanFile& s) { return std::abs(s.geometry.angles().arcDeg); },
                [](ScanFile& s, double value) {
                    double& arc = s.geometry.angles().arcDeg;
                    arc = value < 0 ? value : std::copysign(value, arc);
                }},
         {},
         {},
         stepsEvenly});
    fields.push_back(
        {"trajectory.direction",
         tr("Direction"),
         tr("direction"),
         tr("Which way the source goes round the object, seen from above (the side of the first "
            "rows). The wrong one blurs everything but the axis, or mirrors the volume."),
         Group::trajectory,
         Choice{{tr("Counter-clockwise"), tr("Clockwise")},
                [](const ScanFile& s) { return std::signbit(s.geometry.angles().arcDeg) ? 1 : 0; },
                [](ScanFile& s, int option) {
                    double& arc = s.geometry.angles().arcDeg;
                    arc = std::copysign(arc, option == 1 ? -1.0 : 1.0);
                }},
         {},
         {},
         stepsEvenly});
    fields.push_back(
        {"trajectory.anglesDeg", tr("Angles"), tr("list of angles"),
         tr("Angles that the scanner logged, one a view, take the place of start and arc: a text "
            "file with one number in degrees a line."),
         Group::trajectory, ScanField::Angles{}});
    return fields;
}

namespace {

// Fields about images without an object, and without beam.
std::vector<ScanField> openBeamFields() {
    std::vector<ScanField> fields;
    fields.push_back({"projections.dark",
                      tr("Dark field"),
                      tr("dark field"),
                      tr("Images without beam: a folder, a file or a pattern such as dark/*.tif. "
                         "Without them the dark signal counts as 0, and dense parts look lighter."),
                      Group::images,
                      filesOf("projections.dark", tr("none")),
                      {},
                      {},
                      hasCounts});
    fields.push_back({"projections.flat",
                      tr("Flat field"),
                      tr("flat field"),
                      tr("Images of the open beam: a folder, a file or a pattern such as "
                         "flat/*.tif. They take the pixels' own sensitivity, and so rings, away."),
                      Group::images,
                      Files{tr("none"), [](const ScanFile& s) { return s.projections.flat; },
                            [](ScanFile& s, std::string name) {
                                s.projections.flat = std::move(name);
                                // Each of the two replaces the other in a scan's file.
                                if (!s.projections.flat.empty()) s.projections.flatValue.reset();
                            }},
                      {},
                      {},
                      hasCounts});
    fields.push_back(
        {"projections.flatValue",
         tr("Open beam"),
         tr("open beam's counts"),
         tr("Counts of the open beam, where there are no flat-field images. Too few "
            "make the air around the object negative, too many make it grey."),
         Group::images,
         optionalOf("projections.flatValue", 100, tr("needed without a flat field"), 60000),
         {},
         {},
         lacksFlat});
    return fields;
}

}  // namespace

std::vector<ScanField> imageFields() {
    std::vector<ScanField> fields;
    fields.push_back(
        {"projections.kind", tr("Pixels are"), tr("kind of pixels"),
         tr("Counts of the detector, brighter where less is absorbed, are made into attenuation "
            "with dark and flat fields. Line integrals are taken as they are."),
         Group::images, choiceOf("projections.kind")});
    fields.push_back(
        {"projections.files", tr("Projections"), tr("projections"),
         tr("The views themselves: a folder, a file of many pages or a pattern such as "
            "proj/*.tif."),
         Group::images, filesOf("projections.files", {})});
    for (const ScanField& field : openBeamFields())
        fields.push_back(field);
    fields.push_back(
        {"projections.saturationValue",
         tr("Saturation level"),
         tr("saturation level"),
         tr("Counts from here up are clipped; views with many of them are listed as suspect."),
         Group::images,
         optionalOf("projections.saturationValue", 100, tr("automatic"), 65535),
         {},
         {},
         hasCounts});
    fields.push_back(
        {"projections.badPixels", tr("Bad pixels"), tr("bad-pixel mask"),
         tr("An image whose non-zero pixels are dead; they are filled in from their neighbours. "
            "Each dead pixel left in makes a ring."),
         Group::images, filesOf("projections.badPixels", tr("none"))});
    return fields;
}

}  // namespace gantry
