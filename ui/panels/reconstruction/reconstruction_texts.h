#pragma once

#include <QCoreApplication>
#include <QString>

/// What the reconstruction panel says, but for the engine's fields
/// (ui/panels/reconstruction/reconstruction_engine_texts.h): in one place, to be read together. The
/// forecast's figures are in ui/models/job/forecast_text.cpp, its refusals in
/// ui/models/job/job_remedy.cpp.
namespace gantry::texts {

inline QString ofReconstruction(const char* text) {
    return QCoreApplication::translate("Reconstruction", text);
}

// The button, and why it is grey
inline QString reconstruct() {
    return ofReconstruction("Reconstruct");
}
inline QString reconstructHelp() {
    return ofReconstruction(
        "Makes the volume in the background. The job continues if you close this window.");
}
inline QString scanIsOpening() {
    return ofReconstruction("The scan is being opened.");
}
inline QString openScanFirst() {
    return ofReconstruction("Open a scan first.");
}
inline QString confirmGuesses() {
    return ofReconstruction(
        "Some values of the scan are guesses. Check them in the Scan panel, then press Use these "
        "values there.");
}
inline QString fixFirst(const QString& problem) {
    return ofReconstruction("Fix this first: %1").arg(problem);
}
inline QString fixedRangeIsEmpty() {
    return ofReconstruction("Fixed range: the upper limit must be greater than the lower limit.");
}
inline QString volumeIsBeingMade() {
    return ofReconstruction(
        "A job is making this volume already. Wait for it, cancel it, or choose another name.");
}

// The volume
inline QString volumeSection() {
    return ofReconstruction("Volume");
}
inline QString fitVolume() {
    return ofReconstruction("Fit to the field of view");
}
inline QString fitVolumeHelp() {
    return ofReconstruction(
        "The volume is the box of everything that all views see, in voxels of the detector pitch "
        "scaled to the rotation axis; it need not be a cube. It follows the geometry as you change "
        "it.");
}
inline QString cubeOfVoxels(int across) {
    return ofReconstruction("%1 × %1 × %1 voxels").arg(across);
}
inline QString cubeOfVoxelsHelp(int across) {
    return ofReconstruction(
               "%1 × %1 × %1 cubic voxels in a cube that just holds the volume. More voxels show "
               "finer detail and take longer.")
        .arg(across);
}
inline QString voxels() {
    return ofReconstruction("Voxels");
}
inline QString voxelsHelp() {
    return ofReconstruction(
        "Number of voxels along each axis. At the same voxel pitch, fewer make the volume "
        "smaller.");
}
inline QString voxelsAlike() {
    return ofReconstruction("cube");
}
inline QString voxelPitch() {
    return ofReconstruction("Voxel pitch, mm");
}
inline QString voxelPitchHelp() {
    return ofReconstruction(
        "Length of a voxel's edges, in mm. Smaller than the detector pitch scaled to the rotation "
        "axis shows no more detail; larger averages noise away.");
}
inline QString pitchesAlike() {
    return ofReconstruction("cubic");
}
inline QString centre() {
    return ofReconstruction("Centre, mm");
}
inline QString centreHelp() {
    return ofReconstruction(
        "Where the middle of the volume lies, in mm. 0, 0, 0 is the isocentre: on the rotation "
        "axis, at the height of the source.");
}
inline QString fieldOfAxis(const QString& field, const QString& axis) {
    return ofReconstruction("%1, %2").arg(field, axis);
}
inline QString allAxes() {
    return ofReconstruction("x, y, z");
}
inline QString boxInMemory(const QString& box, const QString& bytes) {
    return ofReconstruction("%1, %2 in memory").arg(box, bytes);
}

// A region of it
inline QString regionOnly() {
    return ofReconstruction("Only a region");
}
inline QString regionOnlyHelp() {
    return ofReconstruction(
        "Reconstructs a part of the field of view (the region of interest), which takes less time "
        "and memory. Drag its box in the slices or in the drawing of the scanner.");
}
inline QString regionSize() {
    return ofReconstruction("Size of the region, mm");
}
inline QString regionSizeHelp() {
    return ofReconstruction(
        "Lengths of the edges of the region's box, in mm. The voxel pitch stays the same.");
}

// The output
inline QString outputSection() {
    return ofReconstruction("Output");
}
inline QString format() {
    return ofReconstruction("Format");
}
inline QString formatHelp() {
    return ofReconstruction(
        "Kind of file for the volume. Every kind holds the volume's position and voxel pitch; raw "
        "voxels have them in a .json file beside them.");
}
inline QString metaImage() {
    return ofReconstruction("MetaImage (.mha)");
}
inline QString metaImagePair() {
    return ofReconstruction("MetaImage, 2 files (.mhd)");
}
inline QString rawVoxels() {
    return ofReconstruction("Raw voxels (.raw)");
}
inline QString bigTiff() {
    return ofReconstruction("BigTIFF (.tif)");
}
inline QString tiffFolder() {
    return ofReconstruction("Folder of TIFF slices");
}
inline QString omeZarr() {
    return ofReconstruction("OME-Zarr pyramid (.ome.zarr)");
}
inline QString hdf5() {
    return ofReconstruction("HDF5, NeXus (.h5)");
}
inline QString voxelType() {
    return ofReconstruction("Voxel type");
}
inline QString voxelTypeHelp() {
    return ofReconstruction(
        "32-bit float stores the attenuation in 1/mm itself. 16-bit and 8-bit take a half and a "
        "quarter of the disk space, and round the attenuation to 65536 or 256 steps.");
}
inline QString fixedRange() {
    return ofReconstruction("Fixed range");
}
inline QString fixedRangeHelp() {
    return ofReconstruction(
        "The attenuation, in 1/mm, that is stored as 0 and the one that is stored as the largest "
        "number; values outside get the nearer end. Without a fixed range the volume's own "
        "smallest and largest values are used, and the volume is written to disk twice.");
}
inline QString rangeTo() {
    return ofReconstruction("to");
}
inline QString upperLimitTooLow() {
    return ofReconstruction("The upper limit must be greater than the lower limit.");
}
inline QString outputName() {
    return ofReconstruction("Name");
}
inline QString outputNameHelp() {
    return ofReconstruction("Name of the volume. The format adds the ending, such as .mha.");
}
inline QString outputFolder() {
    return ofReconstruction("Folder");
}
inline QString outputFolderHelp() {
    return ofReconstruction(
        "Folder for the volume. The job's own files are beside it, in a folder such as "
        "walnut.mha.job.");
}
inline QString chooseOutputFolder() {
    return ofReconstruction("Choose the folder");
}
inline QString chooseOutputFolderTitle() {
    return ofReconstruction("Choose the folder for the volume");
}
inline QString outputWillBeReplaced(const QString& name) {
    return ofReconstruction("%1 exists already and will be replaced.").arg(name);
}
inline QString outputWillBeRenamed(const QString& name, const QString& other) {
    return ofReconstruction("%1 exists already; the new volume will be %2.").arg(name, other);
}
inline QString replaceOutput(const QString& name) {
    return ofReconstruction("Replace %1").arg(name);
}
inline QString keepOutput(const QString& other) {
    return ofReconstruction("Keep it, use %1").arg(other);
}
inline QString outputPlace(const QString& path, const QString& type) {
    return ofReconstruction("%1, %2").arg(path, type);
}
inline QString outputPlaceHelp(const QString& place) {
    return ofReconstruction("Output: %1").arg(place);
}

// The forecast
inline QString forecastSection() {
    return ofReconstruction("Forecast");
}
inline QString forecastNeedsScan() {
    return ofReconstruction(
        "Open a scan to see how much time, memory and disk space its reconstruction takes.");
}
inline QString stagesHelp() {
    return ofReconstruction(
        "How long each stage works. The stages work at the same time on different projections, so "
        "the whole takes less than their sum.");
}
inline QString measuringMachine() {
    return ofReconstruction("Measuring how fast this machine is…");
}
inline QString lookingForGpus() {
    return ofReconstruction("Looking for the GPUs of this machine…");
}
inline QString notPredicted() {
    return ofReconstruction("How long it takes cannot be predicted.");
}
inline QString measuredLater() {
    return ofReconstruction("How long it takes is measured when no job runs.");
}

// Edits, as the undo menu names them
inline QString editFitVolume() {
    return ofReconstruction("Fit volume to the field of view");
}
inline QString editVolumeByHand() {
    return ofReconstruction("Set volume by hand");
}
inline QString editCube(int across) {
    return ofReconstruction("Use %1 × %1 × %1 voxels").arg(across);
}
inline QString editVoxels() {
    return ofReconstruction("Change number of voxels");
}
inline QString editVoxelPitch() {
    return ofReconstruction("Change voxel pitch");
}
inline QString editCentre() {
    return ofReconstruction("Move volume");
}
inline QString editRegionOnly() {
    return ofReconstruction("Reconstruct only a region");
}
inline QString editWhole() {
    return ofReconstruction("Reconstruct the whole field of view");
}
inline QString editRegionSize() {
    return ofReconstruction("Change size of the region");
}
inline QString editFormat() {
    return ofReconstruction("Change output format");
}
inline QString editVoxelType() {
    return ofReconstruction("Change voxel type");
}
inline QString editFixedRange() {
    return ofReconstruction("Change fixed range");
}
inline QString editOutputName() {
    return ofReconstruction("Change output name");
}
inline QString editOutputFolder() {
    return ofReconstruction("Change output folder");
}

}  // namespace gantry::texts
