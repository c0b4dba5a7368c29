#include <fmt/format.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <sstream>

#include "core/io/metaimage/metaimage_header.h"
#include "core/io/volume/open_sink.h"
#include "core/io/volume/read_volume.h"
#include "tests/core/io/random_volume.h"
#include "tests/support/expect_error.h"
#include "tests/support/file_bytes.h"
#include "tests/support/temporary_folder.h"

namespace gantry {
namespace {

namespace fs = std::filesystem;
using test::oddGrid;
using test::randomVoxels;

std::string compressed(const std::string& bytes, int windowBits = 15) {
    z_stream z{};
    // 15: zlib, 31: gzip.
    deflateInit2(&z, 1, Z_DEFLATED, windowBits, 8, Z_DEFAULT_STRATEGY);
    std::string out(deflateBound(&z, bytes.size()) + 64, '\0');
    z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    z.avail_in = static_cast<uInt>(bytes.size());
    z.next_out = reinterpret_cast<Bytef*>(out.data());
    z.avail_out = static_cast<uInt>(out.size());
    deflate(&z, Z_FINISH);
    out.resize(z.total_out);
    deflateEnd(&z);
    return out;
}

// A header with the fields given first, then sensible ones for those that are missing.
std::string header(const std::map<std::string, std::string>& fields) {
    std::vector<std::pair<std::string, std::string>> all = {
        {"ObjectType", "Image"}, {"NDims", "3"},       {"ElementSpacing", "1 2 3"},
        {"Offset", "4 5 6"},     {"DimSize", "5 3 2"}, {"ElementType", "MET_UCHAR"}};
    std::string text;
    for (const auto& [key, value] : all)
        text += key + " = " + (fields.contains(key) ? fields.at(key) : value) + "\n";
    const auto isUsual = [&](const std::string& key) {
        return std::any_of(all.begin(), all.end(),
                           [&](const auto& usual) { return usual.first == key; });
    };
    for (const auto& [key, value] : fields)
        if (key != "ElementDataFile" && !isUsual(key)) text += key + " = " + value + "\n";
    const auto file = fields.find("ElementDataFile");
    return text + "ElementDataFile = " + (file == fields.end() ? "LOCAL" : file->second) + "\n";
}

std::string counting(std::size_t count) {
    std::string bytes(count, '\0');
    for (std::size_t i = 0; i < count; ++i)
        bytes[i] = static_cast<char>(i);
    return bytes;
}

class MetaImage : public testing::Test {
  protected:
    Volume read(const std::string& bytes) {
        test::writeBytes(m_folder / "v.mha", bytes);
        return readVolume(m_folder / "v.mha");
    }
    void refused(const std::string& bytes, const std::string& text = "v.mha") {
        test::writeBytes(m_folder / "v.mha", bytes);
        EXPECT_ERROR((void)readVolume(m_folder / "v.mha"), InputError, text);
    }
    void refusedFields(const std::map<std::string, std::string>& fields, const std::string& text) {
        refused(header(fields) + counting(30), text);
    }
    test::TemporaryFolder m_folder;
};

TEST_F(MetaImage, isWrittenAsAnIndependentReaderExpects) {
    const VolumeGrid grid = oddGrid();
    const std::vector<float> voxels = randomVoxels(grid, 11);
    const auto sink =
        openSink({m_folder / "v.mha", PixelType::float32, {}}, grid, SinkStart::fresh);
    test::writeSlices(*sink, voxels, grid, {0, grid.voxels[2]});
    sink->finish();

    std::istringstream in(test::fileBytes(m_folder / "v.mha"));
    std::map<std::string, std::string> fields;
    for (std::string line; !fields.contains("ElementDataFile") && std::getline(in, line);)
        fields[line.substr(0, line.find(" = "))] = line.substr(line.find(" = ") + 3);
    EXPECT_EQ(fields["NDims"], "3");
    EXPECT_EQ(fields["DimSize"], "13 7 11");
    EXPECT_EQ(fields["ElementType"], "MET_FLOAT");
    EXPECT_EQ(fields["ElementSpacing"], "0.3 0.45 1.1");
    EXPECT_EQ(fields["BinaryDataByteOrderMSB"], "False");
    std::istringstream offset(fields["Offset"]);
    // Centre of the first voxel: 12.5 − 6·0.3, −7.25 − 3·0.45, 103.3 − 5·1.1.
    for (const double expected : {10.7, -8.6, 97.8}) {
        double value = 0;
        offset >> value;
        EXPECT_NEAR(value, expected, 1e-12);  // double rounding of some 100 mm
    }
    const std::string data(std::istreambuf_iterator<char>(in), {});
    ASSERT_EQ(data.size(), voxels.size() * sizeof(float));
    EXPECT_EQ(std::memcmp(data.data(), voxels.data(), data.size()), 0);
}

TEST_F(MetaImage, readsAllElementTypesInBothByteOrders) {
    const auto check = [&]<class T>(const std::string& type, T value) {
        for (const bool big : {false, true}) {
            std::string bytes(sizeof(T), '\0');
            std::memcpy(bytes.data(), &value, sizeof(T));
            if (big) std::reverse(bytes.begin(), bytes.end());
            const std::string text = header({{"ElementType", type},
                                             {"DimSize", "1 1 1"},
                                             {"ElementByteOrderMSB", big ? "True" : "False"}});
            EXPECT_EQ(read(text + bytes).voxels[0], static_cast<float>(value)) << type;
        }
    };
    check("MET_UCHAR", std::uint8_t{201});
    check("MET_CHAR", std::int8_t{-101});
    check("MET_USHORT", std::uint16_t{65000});
    check("MET_SHORT", std::int16_t{-31000});
    check("MET_UINT", std::uint32_t{4000000000});
    check("MET_INT", std::int32_t{-2000000000});
    check("MET_FLOAT", -0.1234F);
    check("MET_DOUBLE", 1.5e-7);
}

TEST_F(MetaImage, takesAliasesUnitsAndDefaults) {
    const std::string text =
        "NDims=3\r\nDimSize =5 3 2\r\nPosition= 10 20 30\r\nElementSize = 100 200 300\r\n"
        "DistanceUnits = um\r\nRotation = 1 0 0 0 1 0 0 0 1\r\nAnatomicalOrientation = RAI\r\n"
        "ElementType = MET_UCHAR\r\nElementDataFile = LOCAL\r\n";
    const Volume volume = read(text + counting(30));
    EXPECT_DOUBLE_EQ(volume.grid.pitchMm[1], 0.2);
    EXPECT_NEAR(volume.grid.originMm().z, 0.03, 1e-15);  // double rounding
    EXPECT_EQ(volume.span()(1, 2, 4), 29.0F);
}

TEST_F(MetaImage, readsAnImageOfTwoDimensions) {
    const Volume volume = read(
        header({{"NDims", "2"}, {"DimSize", "5 6"}, {"ElementSpacing", "2 3"}, {"Offset", "0 0"}}) +
        counting(30));
    EXPECT_EQ(volume.grid.voxels, (std::array<Index, 3>{5, 6, 1}));
    EXPECT_EQ(volume.grid.pitchMm[1], 3);
}

TEST_F(MetaImage, appliesTheScaleOfMetaIoAndOurs) {
    const Volume volume = read(header({{"ElementToIntensityFunctionSlope", "0.5"},
                                       {"ElementToIntensityFunctionOffset", "-1"}}) +
                               counting(30));
    EXPECT_EQ(volume.voxels[7], 2.5F);
    EXPECT_EQ(
        read(header({{"GantrySlope", "2"}, {"GantryIntercept", "1"}}) + counting(30)).voxels[7],
        15.0F);
}

TEST_F(MetaImage, skipsAHeaderOfAGivenSizeOrCountsFromTheEnd) {
    test::writeBytes(m_folder / "d.bin", "1234567" + counting(30));
    for (const char* size : {"7", "-1"})
        EXPECT_EQ(read(header({{"ElementDataFile", "d.bin"}, {"HeaderSize", size}})).voxels[29],
                  29.0F);
    refused(header({{"ElementDataFile", "d.bin"}}), "HeaderSize may say");
    refused(header({{"ElementDataFile", "d.bin"}, {"HeaderSize", "8"}}), "need 30 bytes");
    refused(header({{"ElementDataFile", "d.bin"}, {"HeaderSize", "9223372036854775807"}}),
            "need 30 bytes");
}

TEST_F(MetaImage, readsCompressedVoxels) {
    for (const int windowBits : {15, 31}) {
        const std::string data = compressed(counting(30), windowBits);
        EXPECT_EQ(read(header({{"CompressedData", "True"}}) + data).voxels[29], 29.0F);
        const std::string size = fmt::format("{}", data.size());
        EXPECT_EQ(read(header({{"CompressedData", "True"}, {"CompressedDataSize", size}}) + data)
                      .voxels[29],
                  29.0F);
    }
}

TEST_F(MetaImage, readsCompressedVoxelsInAnyOrder) {
    // Several resting points of 1 MiB, and more than one 64 kB piece of compressed bytes.
    const Index count = 3'000'003;
    std::mt19937 random(4);
    std::string bytes(static_cast<std::size_t>(count), '\0');
    for (char& byte : bytes)
        byte = static_cast<char>(random() % 7);
    test::writeBytes(m_folder / "v.mha", header({{"CompressedData", "True"},
                                                 {"DimSize", fmt::format("{} 1 1", count)}}) +
                                             compressed(bytes));
    const PixelReader voxels(readMetaImageHeader(m_folder / "v.mha").data);
    std::vector<std::byte> found(100'000);
    for (int trial = 0; trial < 30; ++trial) {
        const auto size = static_cast<Index>(random() % found.size()) + 1;
        const bool atEnd = trial % 10 == 9;
        const Index first = atEnd ? count - size : static_cast<Index>(random()) % (count - size);
        const auto part = std::span(found).first(static_cast<std::size_t>(size));
        voxels.read(first, part);
        ASSERT_EQ(std::memcmp(part.data(), bytes.data() + first, part.size()), 0) << first;
    }
}

TEST_F(MetaImage, refusesDamagedCompressedVoxels) {
    const std::string data = compressed(counting(30));
    const std::string text = header({{"CompressedData", "True"}});
    for (std::size_t left = 0; left < data.size(); ++left)
        refused(text + data.substr(0, left));
    for (std::size_t at = 0; at < data.size(); ++at) {
        std::string damaged = data;
        damaged[at] = static_cast<char>(damaged[at] ^ 0x55);
        refused(text + damaged);
    }
    refused(text + counting(30), "damaged");
    refused(text + compressed(counting(29)), "29 bytes, and its header says 30");
    refused(text + compressed(counting(31)), "more than the 30");
    refused(header({{"CompressedData", "True"}, {"CompressedDataSize", "12"}}) + data, "end after");
    refused(header({{"CompressedData", "True"}, {"CompressedDataSize", "999"}}) + data,
            "need 999 bytes");
    refused(header({{"CompressedData", "True"}, {"CompressedDataSize", "-3"}}) + data,
            "CompressedDataSize");
    refused(header({{"CompressedData", "True"}, {"HeaderSize", "-1"}}) + data, "HeaderSize");
    refused(header({{"CompressedData", "True"}, {"DimSize", "50000 50000 50000"}}) + data,
            "DimSize");
}

TEST_F(MetaImage, namesTheFieldThatIsWrong) {
    refusedFields({{"DimSize", "100000 100000 100000"}}, "voxels need 1000000000000000 bytes");
    refusedFields({{"DimSize", "2147483647 2147483647 2147483647"}}, "larger than any file");
    refusedFields({{"DimSize", "5 3 3"}}, "need 45 bytes");
    refusedFields({{"DimSize", "5 3 1"}}, "15 bytes");
    refusedFields({{"DimSize", "5 3"}}, "must be 3 numbers, and is '5 3'");
    refusedFields({{"DimSize", "-5 3 2"}}, "DimSize");
    refusedFields({{"DimSize", "0 3 2"}}, "DimSize");
    refusedFields({{"DimSize", "5.5 3 2"}}, "DimSize");
    refusedFields({{"DimSize", "1e300 3 2"}}, "DimSize");
    refusedFields({{"DimSize", "nan 3 2"}}, "DimSize");
    refusedFields({{"DimSize", "5x 3 2"}}, "DimSize");
    refusedFields({{"NDims", "4"}}, "NDims");
    refusedFields({{"NDims", "-1"}}, "NDims");
    refusedFields({{"NDims", "99999999999999999999"}}, "NDims");
    refusedFields({{"NDims", ""}}, "NDims");
    refusedFields({{"ElementType", "MET_LONG_LONG"}}, "ElementType");
    refusedFields({{"ElementSpacing", "1 0 1"}}, "ElementSpacing");
    refusedFields({{"ElementSpacing", "1 inf 1"}}, "ElementSpacing");
    refusedFields({{"Offset", "1 1"}}, "Offset");
    refusedFields({{"TransformMatrix", "0 1 0 1 0 0 0 0 1"}}, "TransformMatrix");
    refusedFields({{"TransformMatrix", "1 0 0 0 -1 0 0 0 1"}}, "reverses axes");
    refusedFields({{"AnatomicalOrientation", "LAI"}}, "reverses axes");
    refusedFields({{"ElementNumberOfChannels", "3"}}, "ElementNumberOfChannels");
    refusedFields({{"BinaryData", "False"}}, "BinaryData");
    refusedFields({{"CompressedData", "perhaps"}}, "CompressedData");
    refusedFields({{"DistanceUnits", "inch"}}, "DistanceUnits");
    refusedFields({{"HeaderSize", "-2"}}, "HeaderSize");
    refusedFields({{"ElementDataFile", "LIST"}}, "LIST");
    refusedFields({{"ElementDataFile", "s%d.raw 0 5 1"}}, "patterns of file names are not read");
    refusedFields({{"ElementDataFile", "none.raw"}}, "none.raw', which does not exist");
    refusedFields({{"ElementDataFile", ".."}}, "does not exist");
    refusedFields({{"ElementDataFile", ""}}, "ElementDataFile");
    refusedFields({{"GantrySlope", "much"}}, "GantrySlope");
    refusedFields({{"ObjectType", "Tube"}}, "ObjectType");
    refused(header({{" NDims", "3"}}) + counting(30), "second time");
}

TEST_F(MetaImage, refusesGarbage) {
    refused("", "ElementDataFile");
    refused("\n\n\n", "ElementDataFile");
    refused("just some text\nin lines\n", "line 1");
    refused(std::string("\0\1\2=\xff\n=", 7));
    refused(counting(100'000));
    refused(std::string(200'000, '\n'), "ElementDataFile");
    std::mt19937 random(17);
    for (int trial = 0; trial < 50; ++trial) {
        std::string bytes(200, '\0');
        for (char& byte : bytes)
            byte = static_cast<char>(random());
        refused(bytes);
    }
}

TEST_F(MetaImage, refusesEveryBeginning) {
    const std::string whole =
        header({{"HeaderSize", "0"}, {"CompressedData", "False"}}) + counting(30);
    for (std::size_t left = 0; left < whole.size(); ++left)
        refused(whole.substr(0, left));
}

TEST_F(MetaImage, survivesEveryDamagedHeaderByte) {
    const std::string text = header({{"HeaderSize", "0"}, {"CompressedData", "False"}});
    std::mt19937 random(18);
    for (std::size_t at = 0; at < text.size(); ++at) {
        std::string damaged = text + counting(30);
        damaged[at] = static_cast<char>(random());
        test::writeBytes(m_folder / "v.mha", damaged);
        try {
            // Some damage is harmless (a digit of the offset); what is refused is refused in words.
            EXPECT_GT(readVolume(m_folder / "v.mha").grid.count(), 0);
        } catch (const InputError&) {
        }
    }
}

TEST_F(MetaImage, readsAHeaderWithItsDataBesideIt) {
    test::writeBytes(m_folder / "ü data.raw", counting(30));
    EXPECT_EQ(read(header({{"ElementDataFile", "ü data.raw"}})).voxels[29], 29.0F);
    fs::create_directory(m_folder / "d.raw");
    refused(header({{"ElementDataFile", "d.raw"}}), "d.raw', which does not exist");
}

}  // namespace
}  // namespace gantry
