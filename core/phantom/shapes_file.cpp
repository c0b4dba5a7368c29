#include "core/phantom/shapes_file.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "core/base/json_fields.h"

namespace gantry {

namespace {

constexpr std::size_t kMaxShapes = 10'000;

double lengthIn(JsonFields& fields, const char* name) {
    const double value = fields.number(name);
    if (!(value > 0)) fields.fail(name, "is {} mm; it must be greater than 0", value);
    return value;
}

PhantomShape parseShape(JsonFields fields) {
    PhantomShape shape;
    const std::string kind = fields.choice("kind", {"sphere", "ellipsoid", "cylinder"});
    const auto [x, y, z] = fields.numbers3("centerMm");
    shape.centerMm = {x, y, z};
    shape.value = fields.number("attenuation", 0.02);
    if (kind == "ellipsoid") {
        shape.halfAxesMm = fields.numbers3("halfAxesMm");
        for (const double half : shape.halfAxesMm)
            if (!(half > 0))
                fields.fail("halfAxesMm", "has {} mm; all must be greater than 0", half);
        const double angle = radians(fields.number("rotationDeg", 0));
        shape.axes = {Vec3{std::cos(angle), std::sin(angle), 0},
                      Vec3{-std::sin(angle), std::cos(angle), 0}, Vec3{0, 0, 1}};
    } else {
        const double radius = lengthIn(fields, "radiusMm");
        shape.halfAxesMm = {radius, radius, radius};
    }
    if (kind == "cylinder") {
        shape.kind = PhantomShape::Kind::cylinder;
        shape.halfAxesMm[2] = lengthIn(fields, "heightMm") / 2;
    }
    fields.finish();
    return shape;
}

}  // namespace

Phantom readShapesFile(const std::filesystem::path& path) {
    const nlohmann::json document = readJsonFile(path);
    JsonFields fields(document, path.string());
    if (const Index version = fields.integer("gantryShapes"); version != 1)
        fields.fail("gantryShapes", "is {}; this version of Gantry reads 1", version);
    Phantom phantom;
    phantom.name = fields.text("name", path.stem().string());
    const nlohmann::json& shapes = fields.raw("shapes");
    if (!shapes.is_array() || shapes.empty() || shapes.size() > kMaxShapes)
        fields.fail("shapes", "must be a list of 1 to {} shapes", kMaxShapes);
    for (std::size_t i = 0; i < shapes.size(); ++i)
        phantom.shapes.push_back(
            parseShape(JsonFields(shapes[i], path.string(), fmt::format("shapes[{}]", i))));
    fields.finish();
    return phantom;
}

}  // namespace gantry
