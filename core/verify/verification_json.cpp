#include <nlohmann/json.hpp>
#include <utility>

#include "core/base/json_fields.h"
#include "core/verify/verification.h"
#include "core/verify/verify_run.h"

namespace gantry {

namespace {

nlohmann::ordered_json figureJson(const Figure& figure) {
    nlohmann::ordered_json document = {
        {"piece", figure.piece},        {"id", figure.id},
        {"name", figure.name},          {"value", figure.value},
        {"unit", figure.unit},          {"digits", figure.digits},
        {"shown", figure.shownValue()}, {"limit", figure.shownLimit()},
        {"met", figure.isMet()}};
    for (const auto& [name, value] :
         {std::pair("min", figure.min), {"max", figure.max}, {"deviation", figure.deviation}})
        if (value) document[name] = *value;
    return document;
}

Figure parseFigure(JsonFields fields) {
    Figure figure;
    figure.piece = fields.text("piece");
    figure.id = fields.text("id");
    figure.name = fields.text("name");
    // JSON cannot express NaN, so null stands for it.
    figure.value = fields.raw("value").is_null() ? std::nan("") : fields.number("value");
    figure.unit = fields.text("unit");
    figure.digits = static_cast<int>(fields.integer("digits"));
    // Version 0.1 called the limits least and most.
    for (const char* name : {"min", "least"})
        if (fields.has(name)) figure.min = fields.number(name);
    for (const char* name : {"max", "most"})
        if (fields.has(name)) figure.max = fields.number(name);
    if (fields.has("deviation")) figure.deviation = fields.number("deviation");
    return figure;
}

std::vector<std::string> textsIn(JsonFields& fields, const char* name) {
    std::vector<std::string> texts;
    for (const nlohmann::json& text : fields.raw(name)) {
        if (!text.is_string()) fields.fail(name, "must be a list of texts");
        texts.push_back(text.get<std::string>());
    }
    return texts;
}

void readCurves(JsonFields piece, const std::string& where, Verification& verification) {
    if (!piece.has("cylinder")) return;
    JsonFields cylinder(piece.raw("cylinder"), where, "pieces.cylinder");
    for (const nlohmann::json& each : cylinder.raw("mtf")) {
        JsonFields point(each, where, "pieces.cylinder.mtf");
        const double perMm = point.number("perMm");
        verification.mtf.push_back({perMm, point.number("value")});
        if (point.has("expected"))
            verification.expectedMtf.push_back({perMm, point.number("expected")});
    }
    for (const nlohmann::json& each : cylinder.raw("cdf")) {
        JsonFields point(each, where, "pieces.cylinder.cdf");
        verification.cdf.push_back(
            {point.integer("voxels"), point.number("widthMm"), point.number("percent")});
    }
}

Vec3 place(JsonFields& fields, const char* name) {
    const auto [x, y, z] = fields.numbers3(name);
    return {x, y, z};
}

void readSpheres(JsonFields piece, const std::string& where, Verification& verification) {
    if (!piece.has("spheres")) return;
    for (const nlohmann::json& each : piece.raw("spheres")) {
        JsonFields fields(each, where, "pieces.spheres");
        MeasuredSphere sphere;
        sphere.known.centerMm = place(fields, "knownMm");
        sphere.centerMm = place(fields, "centerMm");
        sphere.radiusMm = fields.number("radiusMm");
        sphere.formErrorMm = fields.number("formErrorMm");
        sphere.sizeErrorMm = fields.number("sizeErrorMm");
        sphere.known.radiusMm = sphere.radiusMm - sphere.sizeErrorMm / 2;
        verification.spheres.push_back(sphere);
    }
}

}  // namespace

nlohmann::ordered_json toJson(const Verification& verification) {
    nlohmann::ordered_json figures = nlohmann::ordered_json::array();
    for (const Figure& figure : verification.figures)
        figures.push_back(figureJson(figure));
    nlohmann::ordered_json facts = nlohmann::ordered_json::object();
    for (const auto& [name, value] : verification.facts)
        facts[name] = value;
    return {{"title", verification.title},
            {"passed", verification.isPassed()},
            {"verdict", verification.verdict()},
            {"wrongOnPurpose", verification.wrongOnPurpose},
            {"sentences", verification.sentences},
            {"faults", verification.faults},
            {"facts", facts},
            {"figures", figures}};
}

Verification parseVerification(std::string_view json) {
    const std::string where = "the verification";
    const nlohmann::json document = parseJson(json, where);
    JsonFields fields(document, where);
    Verification verification;
    verification.title = fields.text("title");
    if (fields.has("wrongOnPurpose"))  // version 0.1 did not write it
        verification.wrongOnPurpose = textsIn(fields, "wrongOnPurpose");
    verification.sentences = textsIn(fields, "sentences");
    verification.faults = textsIn(fields, "faults");
    for (const auto& [name, value] : fields.raw("facts").items())
        if (value.is_string()) verification.facts.emplace_back(name, value.get<std::string>());
    const nlohmann::json& figures = fields.raw("figures");
    for (const nlohmann::json& figure : figures)
        verification.figures.push_back(parseFigure(JsonFields(figure, where, "figures")));
    if (fields.has("pieces"))
        for (const nlohmann::json& piece : fields.raw("pieces")) {
            readCurves(JsonFields(piece, where, "pieces"), where, verification);
            readSpheres(JsonFields(piece, where, "pieces"), where, verification);
        }
    return verification;
}

nlohmann::ordered_json toJson(const PieceMeasures& measures) {
    nlohmann::ordered_json document = nlohmann::ordered_json::object();
    if (measures.cylinder) {
        nlohmann::ordered_json mtf = nlohmann::ordered_json::array();
        for (std::size_t i = 0; i < measures.cylinder->mtf.size(); ++i) {
            const MtfPoint& point = measures.cylinder->mtf[i];
            mtf.push_back({{"perMm", point.perMm}, {"value", point.value}});
            if (i < measures.expectedMtf.size())
                mtf.back()["expected"] = measures.expectedMtf[i].value;
        }
        nlohmann::ordered_json cdf = nlohmann::ordered_json::array();
        for (const CdfPoint& point : measures.cylinder->cdf)
            cdf.push_back(
                {{"voxels", point.voxels}, {"widthMm", point.widthMm}, {"percent", point.percent}});
        const Vec3 center = measures.cylinder->centerMm;
        document["cylinder"] = {{"centerMm", {center.x, center.y, center.z}},
                                {"radiusMm", measures.cylinder->radiusMm},
                                {"mtf", mtf},
                                {"cdf", cdf}};
    }
    if (measures.spheres) {
        nlohmann::ordered_json spheres = nlohmann::ordered_json::array();
        for (const MeasuredSphere& sphere : measures.spheres->spheres) {
            const Vec3 known = sphere.known.centerMm;
            const Vec3 center = sphere.centerMm;
            spheres.push_back({{"knownMm", {known.x, known.y, known.z}},
                               {"centerMm", {center.x, center.y, center.z}},
                               {"radiusMm", sphere.radiusMm},
                               {"formErrorMm", sphere.formErrorMm},
                               {"sizeErrorMm", sphere.sizeErrorMm}});
        }
        document["spheres"] = spheres;
    }
    if (measures.cause) document["cause"] = measures.cause->sentence;
    return document;
}

}  // namespace gantry
