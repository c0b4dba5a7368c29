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

Json toJson(const LiveLoading& reply) {
    return {{"loading", reply.fraction}};
}

Json toJson(const LiveReady& reply) {
    return {{"readyBinning", reply.binning}, {"bytes", reply.bytes}};
}

Json toJson(const LivePictures& reply) {
    Json places = Json::array();
    for (const PicturePlace& place : reply.places)
        places.push_back(
            {{"columns", place.columns}, {"rows", place.rows}, {"offsetBytes", place.offsetBytes}});
    return {{"number", reply.number},
            {"binning", reply.binning},
            {"final", reply.isFinal},
            {"pictures", places}};
}

Json toJson(const LiveRefused& reply) {
    return {{"number", reply.number}, {"refused", reply.sentence}};
}

LivePictures parsePictures(JsonFields& fields) {
    LivePictures reply;
    reply.number = fields.integer("number");
    reply.binning = fields.integer("binning");
    reply.isFinal = fields.boolean("final", false);
    for (const nlohmann::json& item : fields.raw("pictures")) {
        JsonFields one(item, fields.where(), "pictures");
        PicturePlace place;
        place.columns = pixels(one, "columns");
        place.rows = pixels(one, "rows");
        place.offsetBytes = one.integer("offsetBytes");
        if (place.offsetBytes < 0) one.fail("offsetBytes", "is negative");
        one.finish();
        reply.places.push_back(place);
    }
    return reply;
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

std::string toLine(const LiveReply& reply) {
    return jsonText(std::visit([](const auto& one) { return toJson(one); }, reply), -1);
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
    if (!planes.is_array() || planes.empty() || std::ssize(planes) > kMaxPlanes)
        fields.fail("planes", fmt::format("must be a list of 1 to {} planes", kMaxPlanes));
    for (const nlohmann::json& plane : planes)
        asked.planes.push_back(parsePlane({plane, where, "planes"}));
    fields.finish();
    return asked;
}

LiveReply parseLiveReply(std::string_view line, const std::string& where) {
    const nlohmann::json document = parseJson(line, where);
    JsonFields fields(document, where);
    LiveReply reply;
    if (fields.has("loading"))
        reply = LiveLoading{fields.number("loading")};
    else if (fields.has("readyBinning"))
        reply = LiveReady{fields.integer("readyBinning"), fields.integer("bytes")};
    else if (fields.has("refused"))
        reply = LiveRefused{fields.integer("number"), fields.text("refused")};
    else
        reply = parsePictures(fields);
    fields.finish();
    return reply;
}

}  // namespace gantry
