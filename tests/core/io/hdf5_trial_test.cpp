#include "core/io/hdf5/hdf5_trial.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <chrono>
#include <thread>

#include "core/base/trial_process.h"
#include "core/io/input_files.h"
#include "core/io/open_source.h"
#include "core/io/volume/stored_volume.h"
#include "tests/support/expect_error.h"
#include "tests/support/hdf5_writer.h"
#include "tests/support/temporary_folder.h"

namespace gantry {
namespace {

using test::Hdf5Writer;
namespace fs = std::filesystem;

// Processor time of this process, or of those that it has waited for.
double processorSeconds(int whose) {
    rusage used{};
    getrusage(whose, &used);
    double sum = 0;
    for (const timeval& time : {used.ru_utime, used.ru_stime})
        sum += static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
    return sum;
}

// So many groups that looking for the entry among them takes minutes.
void writeManyGroups(const fs::path& path) {
    const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_libver_bounds(access, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
    const hid_t file = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access);
    const hid_t first = H5Gcreate2(file, "g", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    // All are the same group, so that the file stays small.
    for (int i = 0; i < 20'000; ++i)
        H5Lcreate_hard(file, "g", file, std::to_string(i).c_str(), H5P_DEFAULT, H5P_DEFAULT);
    H5Gclose(first);
    H5Fclose(file);
    H5Pclose(access);
}

TEST(Hdf5Trial, AFileThatKeepsTheLibraryBusyIsTriedOnce) {
    const test::TemporaryFolder folder;
    const fs::path path = folder / "busy.h5";
    writeManyGroups(path);
    const double before = processorSeconds(RUSAGE_CHILDREN);
    EXPECT_ERROR((void)openSource({path}, {}), InputError, "did not suffice");
    const double tried = processorSeconds(RUSAGE_CHILDREN);
    EXPECT_LT(tried - before, 8);  // its limit is 5 s
    EXPECT_ERROR((void)openStoredVolume(path), InputError, "did not suffice");
    EXPECT_FALSE(isStoredVolume(path));
    EXPECT_ERROR((void)statedGeometry({path}), InputError, "did not suffice");
    // No other process was asked.
    EXPECT_EQ(processorSeconds(RUSAGE_CHILDREN), tried);
}

TEST(Hdf5Trial, AStopEndsItAtOnce) {
    const test::TemporaryFolder folder;
    const fs::path path = folder / "busy.h5";
    writeManyGroups(path);
    std::stop_source stop;
    const TrialStop scope(stop.get_token());
    std::jthread later([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        stop.request_stop();
    });
    const double before = processorSeconds(RUSAGE_CHILDREN);
    EXPECT_THROW((void)openSource({path}, {}), Cancelled);
    // Its limit, which on an idle machine it would reach after 5 s, is far away.
    EXPECT_LT(processorSeconds(RUSAGE_CHILDREN) - before, 2.5);
}

TEST(Hdf5Trial, MemoryIsLimitedAndNothingIsTriedAgainWithoutLimits) {
    const test::TemporaryFolder folder;
    const fs::path path = folder / "large.h5";
    {
        // A chunk of 4 GB, of which nothing is written: it is filled when it is read.
        const Hdf5Writer file(path);
        const hsize_t sizes[3] = {2, 32'768, 32'768};
        const hsize_t chunk[3] = {1, 32'768, 32'767};
        const hid_t space = H5Screate_simple(3, sizes, nullptr);
        const hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
        H5Pset_chunk(creation, 3, chunk);
        H5Pset_deflate(creation, 1);
        const hid_t dataset = H5Dcreate2(file.file(), "/exchange/data", H5T_IEEE_F32LE, space,
                                         file.onTheWay(), creation, H5P_DEFAULT);
        ASSERT_GE(dataset, 0);
        // A few bytes that are said to be the whole chunk.
        const hsize_t offset[3] = {0, 0, 0};
        const std::string bytes(100, 'x');
        ASSERT_GE(H5Dwrite_chunk(dataset, H5P_DEFAULT, 0, offset, bytes.size(), bytes.data()), 0);
        H5Dclose(dataset);
        H5Pclose(creation);
        H5Sclose(space);
    }
    EXPECT_ERROR((void)openSource({path}, {}), InputError, "large.h5 is damaged");
}

TEST(Hdf5Trial, WhatOtherFilesWereMissingMayComeLater) {
    const test::TemporaryFolder folder;
    const fs::path path = folder / "scan.h5";
    const std::vector<std::byte> pixels(2 * 3 * 4 * 2);
    {
        Hdf5Writer file(path);
        file.link("/exchange/data", "part.h5", "/images");
    }
    EXPECT_ANY_THROW((void)openSource({path}, {}));
    {
        Hdf5Writer part(folder / "part.h5");
        part.images("/images", PixelType::uint16, {2, 3, 4}, pixels);
    }
    EXPECT_EQ(openSource({path}, {})->info().views, 2);
    // The other file is one that the scan reads.
    ScanFile scan;
    scan.folder = folder.path();
    scan.projections.files = "scan.h5";
    ReadFiles read;
    addScanFiles(read, scan);
    for (const char* name : {"scan.h5", "part.h5"})
        EXPECT_ERROR(read.requireApart(folder / name), InputError, "of the scan");
}

}  // namespace
}  // namespace gantry
