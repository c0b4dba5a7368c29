#pragma once

#include <QCoreApplication>
#include <QString>

/// What the engine's fields in the reconstruction panel say: in one place, to be read together.
/// The names of the machine's GPUs are in ui/models/job/engine_text.cpp.
namespace gantry::texts {

inline QString ofEngine(const char* text) {
    return QCoreApplication::translate("ReconstructionEngine", text);
}

// Choices of several fields
inline QString chosenByItself() {
    return ofEngine("Automatic");
}
inline QString cpu() {
    return ofEngine("CPU");
}
inline QString gpu() {
    return ofEngine("GPU");
}
inline QString jobRunsOnCpu() {
    return ofEngine(
        "The job runs on the CPU. To use this, set Engine to Automatic or GPU, and Precision to "
        "Exact or Fast.");
}

// Engine
inline QString engine() {
    return ofEngine("Engine");
}
inline QString engineHelp() {
    return ofEngine(
        "What computes the volume from the views: the processor (CPU) or the graphics cards (GPU). "
        "The result is the same; the time is not.");
}
inline QString automaticEngineHelp() {
    return ofEngine("The graphics cards (GPU) where there are any, else the processor (CPU).");
}
inline QString editEngine() {
    return ofEngine("Change engine");
}

// Precision; error: half a sentence on what fast is off by
inline QString precision() {
    return ofEngine("Precision");
}
inline QString precisionHelp(const QString& error) {
    return ofEngine(
               "How exactly the volume is computed. Exact is right for every purpose; Reference "
               "is for checking the program itself. Fast: %1.")
        .arg(error);
}
inline QString exact() {
    return ofEngine("Exact, 32-bit");
}
inline QString exactHelp() {
    return ofEngine("Every voxel is as exact as 32-bit numbers allow.");
}
inline QString fast() {
    return ofEngine("Fast, on the GPU");
}
inline QString fastHelp(const QString& error) {
    return ofEngine(
               "The GPU's texture hardware interpolates between pixels, in steps of 1/256 pixel: "
               "%1.")
        .arg(error);
}
inline QString reference() {
    return ofEngine("Reference, 64-bit");
}
inline QString referenceHelp() {
    return ofEngine(
        "Computes with 64-bit numbers on the CPU, many times slower: to check the results of the "
        "others.");
}
inline QString editPrecision() {
    return ofEngine("Change precision");
}

// GPU kernel
inline QString gpuKernel() {
    return ofEngine("GPU kernel");
}
inline QString gpuKernelHelp() {
    return ofEngine("The program on the GPU that adds the views to the volume.");
}
inline QString automaticKernelHelp() {
    return ofEngine("The fastest one that keeps the chosen precision, found by a short trial.");
}
inline QString fastKernel(const QString& kernel) {
    return ofEngine("%1 (fast)").arg(kernel);
}
inline QString editGpuKernel() {
    return ofEngine("Change GPU kernel");
}

// Where views are filtered
inline QString filterOn() {
    return ofEngine("Filter on");
}
inline QString filterOnHelp() {
    return ofEngine("Where views are filtered before a GPU adds them to the volume.");
}
inline QString automaticFilterOnHelp() {
    return ofEngine("Where the job is predicted to finish sooner.");
}
inline QString editFilterOn() {
    return ofEngine("Change where views are filtered");
}

// Along which rows views of a rolled, tilted or slanted detector are filtered
inline QString filterAlong() {
    return ofEngine("Filter along");
}
inline QString filterAlongHelp() {
    return ofEngine(
        "The detector is rolled, tilted or slanted: along which rows views are filtered.");
}
inline QString ownRows() {
    return ofEngine("The detector's rows");
}
inline QString ownRowsHelp() {
    return ofEngine("Nothing is resampled: sharper where pixels are coarse, and slower.");
}
inline QString uprightRows() {
    return ofEngine("Upright rows");
}
inline QString uprightRowsHelp() {
    return ofEngine("Views are resampled onto an upright detector first: faster, a little softer.");
}
inline QString automaticRowsHelp() {
    return ofEngine("The detector's rows on the processor, upright rows on graphics cards.");
}
inline QString editFilterRows() {
    return ofEngine("Change filtered rows");
}

// Threads
inline QString threads() {
    return ofEngine("Threads");
}
inline QString threadsHelp() {
    return ofEngine(
        "Processor threads that work on the volume. Fewer leave more of the processor to other "
        "programs, and take longer.");
}
inline QString allThreads(int count) {
    return ofEngine("All %1").arg(count);
}
inline QString editThreads() {
    return ofEngine("Change number of threads");
}

// Processes
inline QString ranks() {
    return ofEngine("Processes");
}
inline QString ranksHelp() {
    return ofEngine(
        "Processes (MPI ranks) on this machine that share the volume, as on a cluster. They pay "
        "where each has a GPU of its own; one process uses all processors and GPUs, too.");
}
inline QString processes(int count) {
    return count == 1 ? ofEngine("One") : QString::number(count);
}
inline QString editRanks() {
    return ofEngine("Change number of processes");
}

// Limits
inline QString memoryLimit() {
    return ofEngine("Memory limit");
}
inline QString memoryLimitHelp() {
    return ofEngine(
        "Without a limit the job uses most of the free memory. With less memory the volume is made "
        "in several passes, which takes longer; its values are the same.");
}
inline QString editMemoryLimit() {
    return ofEngine("Change memory limit");
}
inline QString gpuMemoryLimit() {
    return ofEngine("GPU memory");
}
inline QString gpuMemoryLimitHelp() {
    return ofEngine(
        "Most memory that the job may use on each GPU. With less, the volume is made in more "
        "passes; its values are the same.");
}
inline QString editGpuMemoryLimit() {
    return ofEngine("Change GPU memory limit");
}

}  // namespace gantry::texts
