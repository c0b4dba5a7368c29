#pragma once

#include <QString>
#include <array>

#include "ui/models/text.h"
#include "ui/panels/shared/volume_texts.h"
#include "ui/scene/volume/isosurface.h"

/// What the settings of the volume in 3D say.
namespace gantry::texts {

inline QString settings() {
    return ofVolume("S&ettings");
}
inline QString settingsHelp() {
    return ofVolume("Shows or hides the settings beside the picture.");
}

// Transfer function
inline QString transferFunction() {
    return ofVolume("Transfer function");
}
inline QString material() {
    return ofVolume("&Material");
}
inline QString materialHelp() {
    return ofVolume(
        "What is shown, told from the volume's histogram. Grey window: as the window has it. Air "
        "pockets: what bounds air, in and around matter.");
}
inline std::array<QString, 5> materials() {
    return {ofVolume("Grey window"), ofVolume("All but air"), ofVolume("Soft matter"),
            ofVolume("Bone, metal"), ofVolume("Air pockets")};
}
inline QString ownMaterial() {
    return ofVolume("My points");
}
inline QString attenuation() {
    return ofVolume("Attenuation");
}
inline QString attenuationHelp() {
    return ofVolume("Of the chosen point; between those of its neighbours.");
}
inline QString opacity() {
    return ofVolume("Opacity");
}
inline QString opacityHelp() {
    return ofVolume(
        "Of the chosen point: the share of light that a hundredth of the volume's diagonal of it "
        "stops.");
}
inline QString colour() {
    return ofVolume("Colour…");
}
inline QString colourHelp() {
    return ofVolume("The colour of the chosen point.");
}
inline QString byGradient() {
    return ofVolume("&Only surfaces");
}
inline QString byGradientHelp() {
    return ofVolume(
        "Gradient opacity: matter is the clearer the less attenuation changes there, so that only "
        "surfaces are left.");
}

// Clipping
inline QString clipping() {
    return ofVolume("Clipping");
}
inline QString clipBox() {
    return ofVolume("&Box");
}
inline QString clipBoxHelp() {
    return ofVolume("Shows only what lies between these positions, in mm from the isocentre.");
}
inline QString clipPlane() {
    return ofVolume("Oblique &plane");
}
inline QString clipPlaneHelp() {
    return ofVolume("Removes what lies on one side of a plane of any direction.");
}
inline QString boxEnd(const QString& axis, bool isUpper) {
    return isUpper ? ofVolume("%1 to").arg(axis) : ofVolume("%1 from").arg(axis);
}
inline QString azimuth() {
    return ofVolume("Azimuth");
}
inline QString elevation() {
    return ofVolume("Elevation");
}
inline QString offset() {
    return ofVolume("Offset");
}
inline QString planeHelp() {
    return ofVolume(
        "Azimuth and elevation tell in which direction matter is removed; offset is how far from "
        "the volume's centre that begins.");
}

// Slices in the scene
inline QString slicesInScene() {
    return ofVolume("Slices at the cross-hair");
}
inline QString sliceInSceneHelp() {
    return ofVolume("Shows this slice within the volume, in the greys of the window.");
}
inline QString crossHairInSceneHelp() {
    return ofVolume("Shows the place through which the slices go; drag its ring to move it.");
}

// Isosurface
inline QString isosurface() {
    return ofVolume("Isosurface");
}
inline QString surfaceAttenuationHelp() {
    return ofVolume(
        "The surface bounds what attenuates more than this. At first it is what best parts matter "
        "from air in the histogram.");
}
inline QString makingSurface() {
    return ofVolume("Making the isosurface…");
}
inline QString surfaceStopped() {
    return ofVolume("Not made: it was cancelled. Change the attenuation to make it again.");
}
inline QString surfaceSize(const SurfaceSize& size, const QString& voxel) {
    return size.triangles == 0
               ? ofVolume("Nothing attenuates more than this here.")
               : ofVolume("Area %1 mm², volume %2 mm³\nof voxels of %3, %4 triangles")
                     .arg(numberText(size.areaMm2), numberText(size.volumeMm3), voxel)
                     .arg(size.triangles);
}
inline QString saveSurface() {
    return ofVolume("Save surface…");
}
inline QString saveSurfaceHelp() {
    return ofVolume(
        "Saves the surface of the file's own voxels as a binary STL or PLY file, in mm in the "
        "volume's coordinates.");
}
inline QString stlSurface() {
    return ofVolume("STL surface");
}
inline QString plySurface() {
    return ofVolume("PLY surface");
}
inline QString surfaceSaved(const QString& path, const SurfaceSize& size) {
    return ofVolume("Saved: %1\nArea %2 mm², volume %3 mm³, %4 triangles")
        .arg(path, numberText(size.areaMm2), numberText(size.volumeMm3))
        .arg(size.triangles);
}

// Pictures
inline QString pictures() {
    return ofVolume("Pictures");
}
inline QString pictureSize() {
    return ofVolume("Size");
}
inline QString pictureSizeHelp() {
    return ofVolume("How many times as many pixels as the view has, along an edge.");
}
inline QString timesTheView(int scale) {
    return scale == 1 ? ofVolume("As in the view") : ofVolume("%1 times the view").arg(scale);
}
inline QString withColourBar() {
    return ofVolume("With colour bar");
}
inline QString savePicture() {
    return ofVolume("Save picture…");
}
inline QString savePictureHelp() {
    return ofVolume("Saves what is seen as a PNG file.");
}
inline QString turntableCount() {
    return ofVolume("Turntable");
}
inline QString turntableCountHelp() {
    return ofVolume("How many pictures go once round.");
}
inline QString saveTurntable() {
    return ofVolume("Save turntable…");
}
inline QString saveTurntableHelp() {
    return ofVolume("Saves as many PNG files to a folder, turned about the rotation axis.");
}
inline QString picturesSaved(int count, const QString& place) {
    return count == 1 ? ofVolume("One picture saved: %1").arg(place)
                      : ofVolume("%1 pictures saved: %2").arg(count).arg(place);
}

}  // namespace gantry::texts
