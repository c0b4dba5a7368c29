#include "core/describe/zeiss_streams.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

namespace gantry {

namespace {

constexpr std::string_view kPartOfShifts =
    "a part of X-Shifts and Y-Shifts, which are the total of all kinds, or whether it is in them";
constexpr std::string_view kInPixelSize = "PixelSize has it, at the object";
constexpr std::string_view kOfReading = "how the images are stored";

constexpr std::string_view kWholeNumbers[] = {
    "ImageInfo/NoOfImages",        "ImageInfo/ImagesTaken",   "ImageInfo/ImageWidth",
    "ImageInfo/ImageHeight",       "ImageInfo/DataType",      "ImageInfo/XrayGeometry",
    "ImageInfo/AcquisitionMode",   "ImageInfo/HorizontalBin", "ImageInfo/VerticalalBin",
    "ImageInfo/MosiacMode",        "ImageInfo/MosiacRows",    "ImageInfo/MosiacColumns",
    "ImageInfo/FramesPerImage",    "ImageInfo/RefInterval",   "ImageInfo/OriginalDataRefCorrected",
    "ImageInfo/NoOfImagesAveraged"};

constexpr std::string_view kNumbers[] = {"ImageInfo/Angles",
                                         "ImageInfo/PixelSize",
                                         "ImageInfo/CamPixelSize",
                                         "ImageInfo/StoRADistance",
                                         "ImageInfo/DtoRADistance",
                                         "ImageInfo/ExpTimes",
                                         "ImageInfo/XPosition",
                                         "ImageInfo/YPosition",
                                         "ImageInfo/ZPosition",
                                         "ImageInfo/XrayCurrent",
                                         "ImageInfo/XrayVoltage",
                                         "ImageInfo/Energy",
                                         "ImageInfo/OpticalMagnification",
                                         "ImageInfo/XrayMagnification",
                                         "ImageInfo/ConeAngle",
                                         "ImageInfo/FanAngle",
                                         "ImageInfo/CameraOffset",
                                         "ImageInfo/CameraFineRotation",
                                         "ImageInfo/SourceDriftTotal",
                                         "Alignment/X-Shifts",
                                         "Alignment/Y-Shifts",
                                         "ReconSettings/CenterShift",
                                         "ReconSettings/RotationAngle",
                                         "ReferenceData/ExpTime",
                                         "Version"};

constexpr KnownKey kZeissKeys[] = {
    {{"ImageInfo", "StoRADistance"}, "it means nothing of a parallel beam"},
    {{"ImageInfo", "DtoRADistance"}, "it means nothing of a parallel beam"},
    {{"ConfigureBackup", ""}, kOfMachine},
    {{"Alignment", ""}, kPartOfShifts},
    {{"PositionInfo", ""}, "where the motors stood; Angles has those of the axis"},
    {{"MetrologyInfo", ""}, "what sensors measured; the metrology's shifts follow from it"},
    {{"AgitatorImageInfo", ""}, kOfMachine},
    {{"PreExposureVariableList", ""}, kNoteOnly},
    {{"PostExposureVariableList", ""}, kNoteOnly},
    {{"SampleInfo", ""}, kNoteOnly},
    {{"StageCalibration", ""}, kOfMachine},
    {{"AcquisitionSettings", ""}, "what was asked of the machine; ImageInfo has what was done"},
    {{"DetAssemblyInfo", ""}, kOfMachine},
    {{"ReconSettings", ""}, "a setting of the maker's reconstruction, not of the scan"},
    {{"AMC", ""}, "images against the sample's motion; X-Shifts and Y-Shifts have what they show"},
    {{"ReferenceData", ""}, "a note on the reference image"},
    {{"MultiReferenceData", ""}, "further reference images, which are averaged, and notes on them"},
    {{"", "Version"}, "the version of the file"},
    {{"ImageInfo", "AcquisitionMode"}, "that the file is a scan"},
    {{"ImageInfo", "DataType"}, kOfReading},
    {{"ImageInfo", "Date"}, kNoteOnly},
    {{"ImageInfo", "ExpTimes"}, "compared with each other and the reference's, not used"},
    {{"ImageInfo", "XPosition"}, "where the sample stood; Angles and the distances have the rest"},
    {{"ImageInfo", "YPosition"}, "where the sample stood; Angles and the distances have the rest"},
    {{"ImageInfo", "ZPosition"}, "where the sample stood; Angles and the distances have the rest"},
    {{"ImageInfo", "IonChamberCurrent"}, "the beam's intensity, which is not used yet"},
    {{"ImageInfo", "IonChamberRead"}, "the beam's intensity, which is not used yet"},
    {{"ImageInfo", "CamPixelSize"}, kInPixelSize},
    {{"ImageInfo", "OpticalMagnification"}, kInPixelSize},
    {{"ImageInfo", "XrayMagnification"}, kInPixelSize},
    {{"ImageInfo", "HorizontalBin"}, kInPixelSize},
    {{"ImageInfo", "VerticalalBin"}, kInPixelSize},
    {{"ImageInfo", "ConeAngle"}, "the distances and PixelSize have it"},
    {{"ImageInfo", "FanAngle"}, "the distances and PixelSize have it"},
    {{"ImageInfo", "CameraOffset"}, "its unit and sense are not known"},
    {{"ImageInfo", "CameraFineRotation"}, "its unit and sense are not known"},
    {{"ImageInfo", "SourceDriftTotal"}, kPartOfShifts},
    {{"ImageInfo", "SourceDriftInterval"}, kPartOfShifts},
    {{"ImageInfo", "MosiacRows"}, "the images are taken as joined"},
    {{"ImageInfo", "MosiacColumns"}, "the images are taken as joined"},
    {{"ImageInfo", "MosaicFastAxis"}, "the images are taken as joined"},
    {{"ImageInfo", "MosaicSlowAxis"}, "the images are taken as joined"},
    {{"ImageInfo", "AbsorptionScaleFactor"}, "it is -1 where the images are counts"},
    {{"ImageInfo", "AbsorptionScaleOffset"}, "it is -1 where the images are counts"},
    {{"ImageInfo", "TransmissionScaleFactor"}, "it is -1 where the images are counts"},
    {{"ImageInfo", "BackgroundFile"}, kIsApplied},
    {{"ImageInfo", "ReferenceFile"}, "where the reference image was; ReferenceData has it"},
    {{"ImageInfo", "RefTypeToApplyIfAvailable"}, "how the maker's program would use it"},
    {{"ImageInfo", "RefInterval"}, kNoteOnly},
    {{"ImageInfo", "NoOfImagesAveraged"}, kIsApplied},
    {{"ImageInfo", "FramesPerImage"}, kIsApplied},
    {{"ImageInfo", "CameraName"}, kNoteOnly},
    {{"ImageInfo", "CameraNo"}, kNoteOnly},
    {{"ImageInfo", "Current"}, kNoteOnly},
    {{"ImageInfo", "Voltage"}, kNoteOnly},
    {{"ImageInfo", "XrayCurrent"}, kNoteOnly},
    {{"ImageInfo", "XrayVoltage"}, kNoteOnly},
    {{"ImageInfo", "Energy"}, kNoteOnly},
    {{"ImageInfo", "Temperature"}, kNoteOnly},
    {{"ImageInfo", "ReadOutTime"}, kNoteOnly},
    {{"ImageInfo", "ReadoutFreq"}, kNoteOnly},
    {{"ImageInfo", "ObjectiveName"}, kNoteOnly},
    {{"ImageInfo", "SampleStackOrientation"}, kNoteOnly},
    {{"ImageInfo", "NanoImageMode"}, kOfMachine},
    {{"ImageInfo", "FocusTarget"}, kOfMachine},
    {{"ImageInfo", "TubelensPosition"}, kOfMachine},
    {{"ImageInfo", "ZonePlateName"}, kOfMachine},
    {{"ImageInfo", "ZonePlatePartNum"}, kOfMachine},
    {{"ImageInfo", "ZonePlateSerial"}, kOfMachine},
};

// Whether it is an image beyond the first of its kind.
bool isFurtherImage(std::string_view path) {
    const bool isImage = path.find("/Image") != std::string_view::npos &&
                         path.find("ImageInfo") == std::string_view::npos;
    return isImage && path.find("Data") != std::string_view::npos && path != "ImageData1/Image1" &&
           path != "ReferenceData/Image" && path != "MultiReferenceData/Image1";
}

bool isListed(std::span<const std::string_view> paths, std::string_view path) {
    return std::ranges::find(paths, path) != paths.end();
}

std::string valueOf(const XradiaFile& file, const OleStream& stream) {
    if (isListed(kWholeNumbers, stream.path))
        if (const std::optional<Index> value = file.integer(stream.path))
            return fmt::format("{}", *value);
    if (isListed(kNumbers, stream.path))
        if (const std::optional<double> value = file.number(stream.path)) {
            const Index count = stream.sizeBytes / 4;
            return count == 1 ? shownNumber(*value)
                              : fmt::format("{} and {} more", shownNumber(*value), count - 1);
        }
    return stream.sizeBytes == 0 ? std::string() : fmt::format("{} bytes", stream.sizeBytes);
}

}  // namespace

std::vector<KeyValue> zeissStreams(const XradiaFile& file) {
    std::vector<KeyValue> keys;
    for (const OleStream& stream : file.ole().streams()) {
        if (isFurtherImage(stream.path)) continue;
        const std::size_t slash = stream.path.rfind('/');
        KeyValue key;
        if (slash != std::string::npos) key.section = stream.path.substr(0, slash);
        key.key = stream.path.substr(slash == std::string::npos ? 0 : slash + 1);
        key.value = valueOf(file, stream);
        keys.push_back(std::move(key));
    }
    return keys;
}

std::span<const KnownKey> zeissIgnored() {
    return kZeissKeys;
}

}  // namespace gantry
