#pragma once

#include <exception>
#include <filesystem>
#include <map>
#include <string>

namespace gantry {

/// What may be asked of an HDF5 file.
enum class Hdf5Question { projections, dark, flat, badPixels, volume, isVolume, parts, entries };

/// Opens an HDF5 file of unknown origin for one purpose, as its reader will, and reads a little of
/// it. Returns only if that does no harm; @returns what the question asks for, if anything: "1" for
/// isVolume, names with a line break behind each for parts (of files) and entries.
///
/// Each file is tried once, in another process, for all purposes together, with 5 s of processor
/// time, a minute in all, and 1 GiB of memory: libhdf5 may crash on damaged files, or work on
/// malicious ones for hours. The answers are kept until the file changes; errors that came at once
/// are not, because a file that others consist of may come later.
/// @throws FileError, InputError  what reading threw there; or it crashed, or took too long, or
///         others did (TrialBudget)
/// @throws Cancelled  see TrialStop
/// entry: that questions about frames are of, see readTomography()
/// Tests: tests/core/io/hdf5_trial_test.cpp
std::string tryHdf5(const std::filesystem::path& path, Hdf5Question question,
                    const std::string& entry = {});

// What is tried, each by the file that answers the question.

/// What came of the datasets that were tried; null: no harm. Kinds of frames may share one.
using TriedDatasets = std::map<std::string, std::exception_ptr>;
void tryHdf5Frames(const std::filesystem::path& path, Hdf5Question kind, const std::string& entry,
                   TriedDatasets& tried);
void tryHdf5Volume(const std::filesystem::path& path);
[[nodiscard]] bool isHdf5VolumeHere(const std::filesystem::path& path);
[[nodiscard]] std::string hdf5PartsHere(const std::filesystem::path& path);
[[nodiscard]] std::string hdf5EntriesHere(const std::filesystem::path& path);

}  // namespace gantry
