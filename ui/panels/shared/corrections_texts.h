#pragma once

#include <QCoreApplication>
#include <QString>

#include "core/prep/rings.h"

/// What the editor of the corrections says: in one place, to be read together.
namespace gantry::texts {

inline QString ofCorrections(const char* text) {
    return QCoreApplication::translate("Corrections", text);
}

inline QString corrections() {
    return ofCorrections("Corrections of the views");
}
inline QString correctionsPreview() {
    return ofCorrections(
        "The projections show zingers and phase, their sinogram and the live slices the rings "
        "too.");
}

// Rings
inline QString rings() {
    return ofCorrections("Rings");
}
inline QString ringsHelp() {
    return ofCorrections(
        "Takes out the stripes of the sinogram, which become rings in the slices. All views of a "
        "row are held in memory for it.");
}
inline QString ringMethod(RingMethod method) {
    switch (method) {
        case RingMethod::none:
            return ofCorrections("Keep");
        case RingMethod::sorting:
            return ofCorrections("Sorting");
        case RingMethod::wavelets:
            return ofCorrections("Wavelets");
        case RingMethod::smoothedMean:
            return ofCorrections("Smoothed mean");
    }
    return {};
}
inline QString ringMethodEffect(RingMethod method) {
    switch (method) {
        case RingMethod::none:
            return ofCorrections("The views stay as they are.");
        case RingMethod::sorting:
            return ofCorrections(
                "A median along the row over values of equal rank (Vo et al. 2018). Sharp edges "
                "stay.");
        case RingMethod::wavelets:
            return ofCorrections(
                "What changes slowly over the views goes from every scale of a wavelet transform "
                "(Münch et al. 2009). Takes weak rings of many widths.");
        case RingMethod::smoothedMean:
            return ofCorrections(
                "The mean of all views less its smooth part goes (after Boin and Haibel 2006). "
                "Fastest; edges that are concentric with the axis fade.");
    }
    return {};
}
inline QString ringWidth() {
    return ofCorrections("Ring width");
}
inline QString ringWidthHelp() {
    return ofCorrections(
        "Width of the median or the mean along the row, in detector pixels, odd. Rings of up to "
        "half of it go; wider takes more of the object too.");
}
inline QString ringLevels() {
    return ofCorrections("Ring scales");
}
inline QString ringLevelsHelp() {
    return ofCorrections("Scales of the wavelets: rings of up to about 2 to this power pixels go.");
}
inline QString ringDamping() {
    return ofCorrections("Slower than");
}
inline QString ringDampingUnit() {
    return ofCorrections("cycles");
}
inline QString ringDampingHelp() {
    return ofCorrections(
        "What changes more slowly than so many cycles a scan is taken for a ring. More takes "
        "broken rings, and more of the object.");
}

// Zingers
inline QString zingers() {
    return ofCorrections("Remove zingers");
}
inline QString zingersHelp() {
    return ofCorrections(
        "Replaces pixels that are far too bright in one view, as of a scattered photon, by the "
        "median around them.");
}
inline QString zingerRatio() {
    return ofCorrections("Brighter than");
}
inline QString zingerRatioUnit() {
    return ofCorrections("× median");
}
inline QString zingerRatioHelp() {
    return ofCorrections(
        "A pixel is a zinger where it is brighter than the median of the 3 × 3 pixels around it by "
        "more than this factor. It must be more than noise does.");
}

// Phase
inline QString phase() {
    return ofCorrections("Retrieve phase");
}
inline QString phaseHelp() {
    return ofCorrections(
        "Takes the bright and dark fringes off edges that a coherent beam makes, for an object of "
        "one material (Paganin et al. 2002).");
}
inline QString phaseNeedsOneBeam() {
    return ofCorrections(
        "Phase retrieval needs a parallel beam or a circular cone beam; this scan has calibrated "
        "poses.");
}
inline QString phaseEnergy() {
    return ofCorrections("Energy");
}
inline QString phaseEnergyHelp() {
    return ofCorrections("Energy of the beam, in keV.");
}
inline QString phaseDistance() {
    return ofCorrections("Distance");
}
inline QString phaseDistanceHelp() {
    return ofCorrections("From the object to the detector, in mm.");
}
inline QString phaseMaterial() {
    return ofCorrections("Delta over beta");
}
inline QString phaseMaterialHelp() {
    return ofCorrections(
        "Of the material at this energy: its refractive index is 1 − δ + iβ. About 200 to 1000 for "
        "tissue and plastics; more is smoother.");
}

// Edits, as the undo menu names them
inline QString editRings() {
    return ofCorrections("Change ring removal");
}
inline QString editZingers() {
    return ofCorrections("Change removal of zingers");
}
inline QString editPhase() {
    return ofCorrections("Change phase retrieval");
}

}  // namespace gantry::texts
