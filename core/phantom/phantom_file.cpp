#include "core/phantom/phantom_file.h"

#include <nlohmann/json.hpp>

#include "core/base/json_fields.h"
#include "core/base/json_text.h"

namespace gantry {

PhantomFile readPhantomFile(const std::filesystem::path& path) {
    const nlohmann::json document = readJsonFile(path);
    JsonFields fields(document, path.string());
    if (const Index version = fields.integer("gantryPhantom"); version != 1)
        fields.fail("gantryPhantom", "is {}; this version of Gantry reads 1", version);
    PhantomFile file;
    file.phantom = fields.choice("phantom", phantomNames());
    file.placement.scaleMm = fields.number("scaleMm");
    const auto [x, y, z] = fields.numbers3("centerMm", {0, 0, 0});
    file.placement.centerMm = {x, y, z};
    file.placement.density = fields.number("density");
    fields.finish();
    return file;
}

std::string toJson(const PhantomFile& file) {
    const Vec3 center = file.placement.centerMm;
    const nlohmann::ordered_json document = {{"gantryPhantom", 1},
                                             {"phantom", file.phantom},
                                             {"scaleMm", file.placement.scaleMm},
                                             {"centerMm", {center.x, center.y, center.z}},
                                             {"density", file.placement.density}};
    return jsonText(document) + "\n";
}

}  // namespace gantry
