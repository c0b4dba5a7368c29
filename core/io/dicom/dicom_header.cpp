#include "core/io/dicom/dicom_header.h"

#include <dcmtk/config/osconfig.h>  // which DCMTK's other headers ask for
#include <dcmtk/dcmdata/dcostrmb.h>
#include <dcmtk/dcmdata/dctk.h>
#include <dcmtk/oflog/oflog.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/throw_error.h"
#include "core/io/file_error.h"

namespace gantry {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kMaxDicomHeaderBytes = 64 * 1024;

// DCMTK writes warnings to standard error and looks tags up in a file; both happen once.
void prepareDcmtk() {
    static const bool isReady = [] {
        OFLog::configure(OFLogger::OFF_LOG_LEVEL);
        return bool(dcmDataDict.isDictionaryLoaded());
    }();
    if (!isReady)
        throw InputError(
            "DICOM needs the dictionary of the library DCMTK, which is not installed or which "
            "DCMDICTPATH does not name.");
}

// A number in the at most 16 characters that DICOM allows.
std::string decimal(double value) {
    constexpr std::size_t kMaxCharacters = 16;
    std::string text;
    for (int digits = 17; digits > 0; --digits) {
        text = fmt::format("{:.{}g}", value, digits);
        if (text.size() <= kMaxCharacters) break;
    }
    // 0.3 has a longer form with 17 digits; the shortest that reads as the same number is nicer.
    const std::string shortest = fmt::format("{}", value);
    return shortest.size() <= kMaxCharacters ? shortest : text;
}

template <class... Values>
std::string decimals(Values... values) {
    std::string text;
    ((text += (text.empty() ? "" : "\\") + decimal(values)), ...);
    return text;
}

// Text of at most 64 characters without what DICOM gives a meaning.
std::string plainText(std::string text) {
    constexpr std::size_t kMaxBytes = 64;
    for (char& c : text)
        if ((c >= 0 && c < 32) || c == '\\' || c == '^' || c == '=' || c == 127) c = '_';
    if (text.size() > kMaxBytes) {
        text.resize(kMaxBytes);
        // The cut may have gone through a letter of several bytes.
        while (!text.empty() && (static_cast<unsigned char>(text.back()) & 0xC0U) == 0x80U)
            text.pop_back();
        if (!text.empty() && static_cast<unsigned char>(text.back()) >= 0xC0U) text.pop_back();
    }
    return text;
}

// Puts values into a data set; the first failure is thrown.
class Filling {
  public:
    explicit Filling(DcmDataset& data) : m_data(data) {}

    void text(const DcmTagKey& tag, const std::string& value) {
        check(m_data.putAndInsertString(tag, value.c_str()), tag);
    }
    void number(const DcmTagKey& tag, Index value) {
        check(m_data.putAndInsertUint16(tag, static_cast<Uint16>(value)), tag);
    }

  private:
    static void check(const OFCondition& result, const DcmTagKey& tag) {
        if (result.bad())
            throw InternalError(
                fmt::format("DCMTK cannot store {}: {}", tag.toString().c_str(), result.text()));
    }
    DcmDataset& m_data;
};

// What there is of the modules Patient, Study, Series, Frame of Reference and Equipment; values
// that must be there and may be empty are empty.
void fillSeries(Filling& fill, const std::string& name, const std::string& uid, bool isHu) {
    fill.text(DCM_SpecificCharacterSet, "ISO_IR 192");
    // Only Hounsfield units are what CT Image Storage calls original.
    fill.text(DCM_ImageType, isHu ? "ORIGINAL\\PRIMARY\\AXIAL" : "DERIVED\\PRIMARY\\AXIAL");
    for (const DcmTagKey& tag :
         {DCM_StudyDate, DCM_StudyTime, DCM_AccessionNumber, DCM_ReferringPhysicianName,
          DCM_PatientBirthDate, DCM_PatientSex, DCM_StudyID, DCM_PositionReferenceIndicator,
          DCM_KVP, DCM_AcquisitionNumber, DCM_ContentDate, DCM_ContentTime})
        fill.text(tag, "");
    fill.text(DCM_PatientName, plainText(name));
    fill.text(DCM_PatientID, plainText(name));
    fill.text(DCM_StudyInstanceUID, uid + ".1");
    fill.text(DCM_SeriesInstanceUID, uid + ".2");
    fill.text(DCM_FrameOfReferenceUID, uid + ".3");
    fill.text(DCM_Modality, "CT");
    fill.text(DCM_SeriesNumber, "1");
    fill.text(DCM_PatientPosition, "HFS");
    fill.text(DCM_Manufacturer, "Gantry");
}

void fillSlice(Filling& fill, const VolumeDescription& volume, Index z) {
    const VolumeGrid& grid = volume.grid;
    const Vec3 first = grid.positionMm(0, 0, static_cast<double>(z));
    fill.text(DCM_InstanceNumber, fmt::format("{}", z + 1));
    fill.text(DCM_ImagePositionPatient, decimals(first.x, first.y, first.z));
    fill.text(DCM_ImageOrientationPatient, "1\\0\\0\\0\\1\\0");
    fill.text(DCM_SliceThickness, decimal(grid.pitchMm[2]));
    fill.text(DCM_PixelSpacing, decimals(grid.pitchMm[1], grid.pitchMm[0]));
    fill.number(DCM_SamplesPerPixel, 1);
    fill.text(DCM_PhotometricInterpretation, "MONOCHROME2");
    fill.number(DCM_Rows, grid.voxels[1]);
    fill.number(DCM_Columns, grid.voxels[0]);
    fill.number(DCM_BitsAllocated, 16);
    fill.number(DCM_BitsStored, 16);
    fill.number(DCM_HighBit, 15);
    fill.number(DCM_PixelRepresentation, 0);
    const double slope = volume.encoding.slope;
    const double intercept = volume.encoding.intercept;
    fill.text(DCM_RescaleSlope, decimal(slope == 0 ? 1 : slope));
    fill.text(DCM_RescaleIntercept, decimal(intercept));
    fill.text(DCM_RescaleType, std::string(gantry::name(volume.encoding.scale.unit)));
    constexpr double kHalfRange = 65535.0 / 2;
    fill.text(DCM_WindowCenter, decimal(intercept + slope * kHalfRange));
    fill.text(DCM_WindowWidth, decimal(slope == 0 ? 1 : slope * 2 * kHalfRange));
    fill.text(DCM_ImageComments, toJson(volume));
}

// The value of an element; empty if it is missing.
std::string textOf(DcmDataset& data, const DcmTagKey& tag) {
    OFString value;
    return data.findAndGetOFStringArray(tag, value).good() ? std::string(value.c_str())
                                                           : std::string();
}

Index wholeOf(const fs::path& file, DcmDataset& data, const DcmTagKey& tag, const char* what) {
    Uint16 value = 0;
    if (data.findAndGetUint16(tag, value).bad())
        throwErrorOf<FileError>(file, "does not state its {}", what);
    return value;
}

// So many finite numbers, or none if the element is missing or empty.
std::vector<double> numbersOf(const fs::path& file, DcmDataset& data, const DcmTagKey& tag,
                              std::size_t count, const char* what) {
    std::vector<double> numbers(count);
    if (textOf(data, tag).empty()) return {};
    for (std::size_t i = 0; i < count; ++i)
        if (data.findAndGetFloat64(tag, numbers[i], static_cast<unsigned long>(i)).bad() ||
            !std::isfinite(numbers[i]))
            throwErrorOf<FileError>(file, "has no {} numbers as its {}", count, what);
    return numbers;
}

PixelType dicomType(const fs::path& file, DcmDataset& data) {
    if (const Index samples = wholeOf(file, data, DCM_SamplesPerPixel, "samples per pixel");
        samples != 1)
        throwErrorOf<FileError>(file, "has {} values a pixel; only one is supported", samples);
    const Index bits = wholeOf(file, data, DCM_BitsAllocated, "bits of a pixel");
    const bool isSigned = wholeOf(file, data, DCM_PixelRepresentation, "kind of integers") != 0;
    switch (bits) {
        case 8:
            return isSigned ? PixelType::int8 : PixelType::uint8;
        case 16:
            return isSigned ? PixelType::int16 : PixelType::uint16;
        case 32:
            return isSigned ? PixelType::int32 : PixelType::uint32;
        default:
            throwErrorOf<FileError>(file, "has pixels of {} bits; 8, 16 and 32 are supported",
                                    bits);
    }
}

void readDicomPlace(DcmDataset& data, DicomSlice& slice) {
    if (const auto pitch = numbersOf(slice.file, data, DCM_PixelSpacing, 2, "Pixel Spacing");
        !pitch.empty())
        slice.pitchMm = {pitch[1], pitch[0]};
    const auto position =
        numbersOf(slice.file, data, DCM_ImagePositionPatient, 3, "Image Position");
    if (!position.empty()) slice.originMm = {position[0], position[1], position[2]};
    const auto axes =
        numbersOf(slice.file, data, DCM_ImageOrientationPatient, 6, "Image Orientation");
    constexpr std::array<double, 6> kAxial = {1, 0, 0, 0, 1, 0};
    for (std::size_t i = 0; i < axes.size(); ++i)
        // Other programs write some six digits.
        if (std::abs(axes[i] - kAxial[i]) > 1e-5)
            throw FileError(slice.file,
                            "is no axial slice (Image Orientation 1, 0, 0, 0, 1, 0), and others "
                            "are not supported; resample the series");
    if (const auto thickness =
            numbersOf(slice.file, data, DCM_SliceThickness, 1, "Slice Thickness");
        !thickness.empty())
        slice.thicknessMm = thickness[0];
}

// Finds the voxels, which must be the file's last bytes, behind their element's tag.
void placePixels(DcmDataset& data, DicomSlice& slice) {
    const DcmXfer syntax(data.getOriginalXfer());
    if (syntax.isEncapsulated() || syntax.getStreamCompression() != ESC_none)
        throwErrorOf<FileError>(slice.file,
                                "is compressed ({}), which is not supported; unpack the series, as "
                                "dcmdjpeg and gdcmconv --raw do",
                                syntax.getXferName());
    StoredPixels& pixels = slice.pixels;
    pixels.path = slice.file;
    pixels.type = slice.encoding.type;
    pixels.bigEndian = syntax.getByteOrder() == EBO_BigEndian;
    pixels.count = slice.rows * slice.columns;
    pixels.storedBytes = pixels.bytes();
    const File file(slice.file, File::Mode::read);
    // An odd number of bytes is padded.
    pixels.offsetBytes = file.sizeBytes() - (pixels.storedBytes + 1) / 2 * 2;
    const std::string tag =
        pixels.bigEndian ? std::string("\x7F\xE0\0\x10", 4) : std::string("\xE0\x7F\x10\0", 4);
    for (const Index before : {12, 8}) {
        std::string found(tag.size(), '\0');
        if (pixels.offsetBytes < before) continue;
        file.readAt(pixels.offsetBytes - before, std::as_writable_bytes(std::span(found)));
        if (found == tag) return;
    }
    throwErrorOf<FileError>(slice.file,
                            "does not end with the {} × {} pixels that it states; it is cut off, "
                            "or has something behind them",
                            slice.columns, slice.rows);
}

}  // namespace

std::string dicomHeader(const VolumeDescription& volume, const std::string& name,
                        const std::string& uid, Index z) {
    prepareDcmtk();
    DcmFileFormat file;
    Filling fill(*file.getDataset());
    const bool isHu = volume.encoding.scale.unit == ValueUnit::hounsfield;
    fill.text(DCM_SOPClassUID, UID_CTImageStorage);
    fill.text(DCM_SOPInstanceUID, fmt::format("{}.4.{}", uid, z + 1));
    fillSeries(fill, name, uid, isHu);
    fillSlice(fill, volume, z);
    std::string bytes(kMaxDicomHeaderBytes, '\0');
    DcmOutputBufferStream stream(bytes.data(), static_cast<offile_off_t>(bytes.size()));
    file.transferInit();
    const OFCondition written =
        file.write(stream, EXS_LittleEndianExplicit, EET_ExplicitLength, nullptr);
    file.transferEnd();
    void* begin = nullptr;
    offile_off_t length = 0;
    stream.flushBuffer(begin, length);
    if (written.bad())
        throw InternalError(fmt::format("DCMTK cannot make a header: {}", written.text()));
    bytes.resize(static_cast<std::size_t>(length));
    // The element of the voxels: tag, "OW", two zeros, length.
    const auto count =
        static_cast<std::uint32_t>(volume.grid.voxels[0] * volume.grid.voxels[1] * 2);
    bytes += std::string("\xE0\x7F\x10\0OW\0\0", 8);
    for (int byte = 0; byte < 4; ++byte)
        bytes += static_cast<char>(count >> (8 * byte));
    return bytes;
}

DicomSlice readDicomSlice(const fs::path& path) {
    prepareDcmtk();
    // Checks that it is a regular file, which DCMTK would wait for otherwise.
    (void)File(path, File::Mode::read);
    DcmFileFormat file;
    const OFCondition read = file.loadFile(OFFilename(path.c_str()));
    if (read.bad()) throwErrorOf<FileError>(path, "cannot be read as DICOM: {}", read.text());
    DcmDataset& data = *file.getDataset();
    DicomSlice slice;
    slice.file = path;
    slice.rows = wholeOf(path, data, DCM_Rows, "rows");
    slice.columns = wholeOf(path, data, DCM_Columns, "columns");
    if (slice.rows < 1 || slice.columns < 1) throw FileError(path, "has no pixels");
    if (const auto frames = numbersOf(path, data, DCM_NumberOfFrames, 1, "Number of Frames");
        !frames.empty() && frames[0] != 1)
        throwErrorOf<FileError>(path, "has {} frames; only series of single ones are supported",
                                frames[0]);
    slice.encoding.type = dicomType(path, data);
    if (const auto slope = numbersOf(path, data, DCM_RescaleSlope, 1, "Rescale Slope");
        !slope.empty())
        slice.encoding.slope = slope[0];
    if (const auto intercept = numbersOf(path, data, DCM_RescaleIntercept, 1, "Rescale Intercept");
        !intercept.empty())
        slice.encoding.intercept = intercept[0];
    slice.comments = textOf(data, DCM_ImageComments);
    readDicomPlace(data, slice);
    placePixels(data, slice);
    return slice;
}

std::string newDicomUid() {
    // A random UUID (version 4) is a number below 2^128; with 39 digits all have the same length.
    std::random_device device;
    std::uniform_int_distribution<std::uint64_t> bits;
    while (true) {
        const std::uint64_t high = (bits(device) & ~0xF000ULL) | 0x4000ULL;
        const std::uint64_t low = (bits(device) & ~(3ULL << 62)) | (2ULL << 62);
        __extension__ using Wide = unsigned __int128;
        Wide number = (Wide{high} << 64) | low;
        std::string digits;
        for (; number > 0; number /= 10)
            digits.insert(digits.begin(), static_cast<char>('0' + static_cast<int>(number % 10)));
        if (digits.size() == 39) return "2.25." + digits;
    }
}

}  // namespace gantry
