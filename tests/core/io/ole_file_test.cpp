#include "core/io/ole/ole_file.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>

#include "tests/support/expect_error.h"
#include "tests/support/ole_writer.h"
#include "tests/support/temporary_folder.h"

namespace gantry {
namespace {

using test::littleEndian;
using test::OleWriter;

std::string noise(std::size_t bytes, unsigned seed) {
    std::minstd_rand random(seed);
    std::string text(bytes, '\0');
    std::ranges::generate(text, [&] { return static_cast<char>(random() >> 8U & 0xFFU); });
    return text;
}

std::string readAll(const OleFile& file, const std::string& path) {
    const OleStream* const stream = file.find(path);
    if (!stream) return "missing";
    const std::vector<std::byte> bytes = file.readBegin(*stream, stream->sizeBytes);
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::filesystem::path written(const test::TemporaryFolder& folder, const std::string& bytes) {
    writeFileAtomically(folder / "a.ole", bytes);
    return folder / "a.ole";
}

// Streams in mini sectors and sectors, of sizes about those of both.
OleWriter mixed(int version) {
    OleWriter writer(version);
    for (const std::size_t size : {0, 1, 63, 64, 65, 4095, 4096, 4097, 9000})
        writer.add("Sizes/Of Streams/s" + std::to_string(size), noise(size, 1));
    writer.add("Version", littleEndian(0x40400000, 4));
    return writer;
}

TEST(OleFile, StreamsOfAllSizesAreReadInBothVersions) {
    const test::TemporaryFolder folder;
    for (const int version : {3, 4})
        for (const bool isReversed : {false, true}) {
            OleWriter writer = mixed(version);
            writer.isReversed = isReversed;
            const OleFile file(written(folder, writer.write()));
            EXPECT_EQ(file.streams().size(), 10U);
            for (const std::size_t size : {0, 1, 63, 64, 65, 4095, 4096, 4097, 9000})
                EXPECT_EQ(readAll(file, "sizes/OF streams/S" + std::to_string(size)),
                          noise(size, 1))
                    << version << ", " << size;
            EXPECT_EQ(file.find("Sizes"), nullptr);
            const auto pieces = file.placesOf(*file.find("sizes/of streams/s9000")).pieces.size();
            EXPECT_EQ(pieces, !isReversed ? 1U : version == 4 ? 3U : 18U);
        }
}

TEST(OleFile, PartsOfAStreamInPiecesAreRead) {
    const test::TemporaryFolder folder;
    OleWriter writer(3);
    writer.isReversed = true;
    const std::string expected = noise(30'011, 2);
    writer.add("big", expected);
    const std::filesystem::path path = written(folder, writer.write());
    const OleFile file(path);
    const OlePlaces places = file.placesOf(*file.find("big"));
    const File opened(path, File::Mode::read);
    std::minstd_rand random(3);
    for (int i = 0; i < 200; ++i) {
        const std::size_t begin = random() % expected.size();
        std::string part(random() % (expected.size() - begin + 1), '\0');
        readPlaces(opened, places, static_cast<Index>(begin),
                   std::as_writable_bytes(std::span(part)));
        EXPECT_EQ(part, expected.substr(begin, part.size()));
    }
}

// A table of sectors that the header cannot list: 109 parts of 128 sectors of 512 bytes are 7 MB.
TEST(OleFile, LargeFilesListTheirTablesInSectors) {
    const test::TemporaryFolder folder;
    OleWriter writer(3);
    writer.add("a", noise(25'000'000, 4));
    writer.add("b", noise(5'000, 5));
    const OleFile file(written(folder, writer.write()));
    EXPECT_EQ(readAll(file, "a"), noise(25'000'000, 4));
    EXPECT_EQ(readAll(file, "b"), noise(5'000, 5));
}

// Each change of a few bytes, at places that the writer names, has its sentence.
TEST(OleFile, DamageIsTold) {
    const test::TemporaryFolder folder;
    OleWriter writer = mixed(4);
    const std::string good = writer.write();
    const std::size_t entry = writer.directory + 128;  // of the first storage
    const auto open = [&](std::size_t at, std::uint64_t value, int bytes) {
        std::string bad = good;
        bad.replace(at, static_cast<std::size_t>(bytes), littleEndian(value, bytes));
        const OleFile file(written(folder, bad));
        for (const OleStream& stream : file.streams())
            (void)file.placesOf(stream);
    };
    EXPECT_NO_THROW(open(0, 0xD0, 1));
    EXPECT_ERROR(open(0, 0xD1, 1), InputError, "is no OLE compound file");
    EXPECT_ERROR(open(26, 5, 2), InputError, "version 5");
    EXPECT_ERROR(open(30, 9, 2), InputError, "sectors of 2^9 bytes");
    EXPECT_ERROR(open(28, 0xFFFF, 2), InputError, "is damaged");
    EXPECT_ERROR(open(32, 31, 2), InputError, "mini sectors of 2^31");
    EXPECT_ERROR(open(44, 0, 4), InputError, "the table of 0 sectors lacks");
    EXPECT_ERROR(open(48, 70'000, 4), InputError, "sector 70000");
    EXPECT_ERROR(open(48, 0xFFFFFFFE, 4), InputError, "has no root");
    EXPECT_ERROR(open(60, 0xFFFFFFFE, 4), InputError, "ends after 0 of 4096 bytes");
    EXPECT_ERROR(open(76, 0xFFFFFFF0, 4), InputError, "is cut off or damaged");
    // The first sectors of streams that have two: 4097 bytes, and 65 bytes.
    EXPECT_ERROR(open(writer.table + 4, 1, 4), InputError, "comes back to sector 1");
    EXPECT_ERROR(open(writer.table + 4, 0xFFFFFFFF, 4), InputError, "that is in no chain");
    EXPECT_ERROR(open(writer.miniTable + 4 * 3, 3, 4), InputError, "comes back to sector 3");
    EXPECT_ERROR(open(writer.miniTable + 4 * 3, 9000, 4), InputError, "chain of mini sectors ends");
    EXPECT_ERROR(open(writer.directory + 66, 1, 1), InputError, "has no root");
    EXPECT_ERROR(open(entry + 64, 13, 2), InputError, "has 13 bytes");
    EXPECT_ERROR(open(entry + 64, 66, 2), InputError, "has 66 bytes");
    EXPECT_ERROR(open(entry + 66, 3, 1), InputError, "neither a stream nor a storage");
    EXPECT_ERROR(open(entry + 68, 1, 4), InputError, "is in two places");
    EXPECT_ERROR(open(entry + 76, 1, 4), InputError, "is in two places");
    EXPECT_ERROR(open(entry + 76, 5'000, 4), InputError, "not there");
    const std::size_t last = writer.directory + 128 * 11;  // s9000's
    EXPECT_ERROR(open(last + 120, 40'000'000, 8), InputError, "has 40000000 bytes");
    EXPECT_ERROR(open(last + 120, 0xFFFFFFFFFFFFFFFF, 8), InputError, "cut off or damaged");
    EXPECT_ERROR(open(last + 120, 60'000, 8), InputError, "has 60000 bytes, and the file 49152");
}

TEST(OleFile, CutOffFilesAreTold) {
    const test::TemporaryFolder folder;
    for (const int version : {3, 4}) {
        const std::string good = mixed(version).write();
        for (std::size_t size = 0; size < good.size() - 1; size += 97) {
            const std::filesystem::path path = written(folder, good.substr(0, size));
            EXPECT_ERROR(OleFile{path}, InputError, path.string());
        }
    }
}

TEST(OleFile, StoragesInEachOtherAreLimited) {
    const test::TemporaryFolder folder;
    OleWriter writer;
    std::string path = "s";
    for (int i = 0; i < 20; ++i)
        path.insert(0, "d/");
    writer.add(path, "x");
    const std::filesystem::path file = written(folder, writer.write());
    EXPECT_ERROR(OleFile{file}, InputError, "more than 16");
}

// What changes at random never takes memory, or reads what is not there; the sanitizers watch.
TEST(OleFile, RandomChangesDoNoHarm) {
    const test::TemporaryFolder folder;
    std::minstd_rand random(6);
    int opened = 0;
    for (const int version : {3, 4}) {
        OleWriter writer = mixed(version);
        const std::string good = writer.write();
        for (int i = 0; i < 400; ++i) {
            std::string bad = good;
            const std::size_t begins[] = {0, writer.table, writer.miniTable, writer.directory};
            for (int change = 0; change < 3; ++change)
                bad[begins[random() % 4] + random() % 512] = static_cast<char>(random() & 0xFFU);
            try {
                const OleFile file(written(folder, bad));
                for (const OleStream& stream : file.streams())
                    (void)file.readBegin(stream, 100'000);
                ++opened;
            } catch (const InputError& error) {
                EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
            }
        }
    }
    EXPECT_GT(opened, 0);
}

}  // namespace
}  // namespace gantry
