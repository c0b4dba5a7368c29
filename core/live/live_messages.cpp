#include "core/live/live_messages.h"

#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>
#include <optional>

#include "core/base/error.h"
#include "core/base/json_fields.h"
#include "core/base/json_text.h"
#include "core/job/job_file.h"

namespace gantry {

namespace {

using Json = nlohmann::ordered_json;

constexpr Index kMaxPlanes = 64;         // a filmstrip's
constexpr Index kMaxPlanePixels = 8192;  // along a side

std::array<double, 3> toArray(Vec3 v) {
    return {v.x, v.y, v.z};
}

Vec3 vector(JsonFields& fields, const char* name) {
    const std::array<double, 3> v = fields.numbers3(name);
    return {v[0], v[1], v[2]};
}

Index pixels(JsonFields& fields, const char* name) {
    const Index count = fields.integer(name);
    if (count < 1 || count > kMaxPlanePixels)
        fields.fail(name, fmt::format("is {}; it must be 1 to {}", count, kMaxPlanePixels));
    return count;
}

Json toJson(const Plane& plane) {
    return {{"originMm", toArray(plane.originMm)},
            {"alongRowMm", toArray(plane.alongRowMm)},
            {"alongColumnMm", toArray(plane.alongColumnMm)},
            {"columns", plane.columns},
            {"rows", plane.rows}};
}

Plane parsePlane(JsonFields fields) {
    Plane plane;
    plane.originMm = vector(fields, "originMm");
    plane.alongRowMm = vector(fields, "alongRowMm");
    plane.alongColumnMm = vector(fields, "alongColumnMm");
    plane.columns = pixels(fields, "columns");
    plane.rows = pixels(fields, "rows");
    fields.finish();
    return plane;
}

JobSpec parseJob(JsonFields& fields) {
    return parseJobSpec(jsonText(fields.raw("job")), fields.where());
}

Json toJson(const LiveLoading& told) {
    return {{"loading", told.fraction}};
}

Json toJson(const LiveReady& told) {
    return {{"readyBinning", told.binning}, {"bytes", told.bytes}};
}

Json toJson(const LivePictures& told) {
    Json places = Json::array();
    for (const PicturePlace& place : told.places)
        places.push_back(
            {{"columns", place.columns}, {"rows", place.rows}, {"offsetBytes", place.offsetBytes}});
    return {{"number", told.number},
            {"binning", told.binning},
            {"final", told.isFinal},
            {"pictures", places}};
}

Json toJson(const LiveRefused& told) {
    return {{"number", told.number}, {"refused", told.sentence}};
}

LivePictures parsePictures(JsonFields& fields) {
    LivePictures told;
    told.number = fields.integer("number");
    told.binning = fields.integer("binning");
    told.isFinal = fields.boolean("final", false);
    for (const nlohmann::json& item : fields.raw("pictures")) {
        JsonFields one(item, fields.where(), "pictures");
        PicturePlace place;
        place.columns = pixels(one, "columns");
        place.rows = pixels(one, "rows");
        place.offsetBytes = one.integer("offsetBytes");
        if (place.offsetBytes < 0) one.fail("offsetBytes", "is negative");
        one.finish();
        told.places.push_back(place);
    }
    return told;
}

}  // namespace

std::string toLine(const LiveOpen& open) {
    Json document = {{"job", ownOrderedJson(toJson(open.spec))},
                     {"hostBytes", open.place.hostBytes}};
    if (open.place.device) {
        document["device"] = open.place.device->number;
        document["deviceBytes"] = open.place.device->bytes;
    }
    return jsonText(document, -1);
}

std::string toLine(const LiveAsked& asked) {
    Json planes = Json::array();
    for (const Plane& plane : asked.planes)
        planes.push_back(toJson(plane));
    const Json document = {
        {"number", asked.number}, {"job", ownOrderedJson(toJson(asked.spec))}, {"planes", planes}};
    return jsonText(document, -1);
}

std::string toLine(const LiveTold& told) {
    return jsonText(std::visit([](const auto& one) { return toJson(one); }, told), -1);
}

LiveOpen parseLiveOpen(std::string_view line, const std::string& where) {
    const nlohmann::json document = parseJson(line, where);
    JsonFields fields(document, where);
    LiveOpen open = {parseJob(fields), {fields.integer("hostBytes"), std::nullopt}};
    if (fields.has("device"))
        open.place.device = {static_cast<int>(fields.integer("device")),
                             fields.integer("deviceBytes")};
    fields.finish();
    return open;
}

LiveAsked parseLiveAsked(std::string_view line, const std::string& where) {
    const nlohmann::json document = parseJson(line, where);
    JsonFields fields(document, where);
    LiveAsked asked;
    asked.number = fields.integer("number");
    asked.spec = parseJob(fields);
    const nlohmann::json& planes = fields.raw("planes");
    if (!planes.is_array() || planes.empty() || static_cast<Index>(planes.size()) > kMaxPlanes)
        fields.fail("planes", fmt::format("must be a list of 1 to {} planes", kMaxPlanes));
    for (const nlohmann::json& plane : planes)
        asked.planes.push_back(parsePlane({plane, where, "planes"}));
    fields.finish();
    return asked;
}

LiveTold parseLiveTold(std::string_view line, const std::string& where) {
    const nlohmann::json document = parseJson(line, where);
    JsonFields fields(document, where);
    LiveTold told;
    if (fields.has("loading"))
        told = LiveLoading{fields.number("loading")};
    else if (fields.has("readyBinning"))
        told = LiveReady{fields.integer("readyBinning"), fields.integer("bytes")};
    else if (fields.has("refused"))
        told = LiveRefused{fields.integer("number"), fields.text("refused")};
    else
        told = parsePictures(fields);
    fields.finish();
    return told;
}

}  // namespace gantry
