#include "ui/scene/volume/cpu_ray_caster.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "core/base/parallel.h"

namespace gantry {

namespace {

// Red, green, blue and opacity, 0 to 1.
using Rgba = float __attribute__((vector_size(16)));

// A pseudo-random number in 0 to 1, the same for a pixel in every picture: breaks up the rings
// that equal steps would draw.
inline double jitterOf(int x, int y) {
    const auto seed =
        static_cast<std::uint32_t>(x) * 0x9E3779B1U ^ static_cast<std::uint32_t>(y) * 0x85EBCA77U;
    const std::uint32_t mixed = (seed ^ (seed >> 15)) * 0x2C1B3C6DU;
    return static_cast<double>(mixed >> 8) / (1 << 24);
}

// Converts red, green, blue and opacity, 0 to 1.
inline QRgb premultiplied(const Rgba& light) {
    const int alpha = static_cast<int>(std::lround(255 * std::clamp(light[3], 0.0F, 1.0F)));
    const auto level = [&](int channel) {
        return std::clamp(static_cast<int>(std::lround(255 * light[channel])), 0, alpha);
    };
    return qRgba(level(0), level(1), level(2), alpha);
}

inline Rgba coloured(QRgb colour, double opacity) {
    constexpr float kLevel = 1.0F / 255;
    return Rgba{kLevel * static_cast<float>(qRed(colour)),
                kLevel * static_cast<float>(qGreen(colour)),
                kLevel * static_cast<float>(qBlue(colour)), static_cast<float>(opacity)};
}

// Adds what lies behind what is already there; `light` is not yet premultiplied.
inline void addBehind(Rgba& seen, Rgba light) {
    const float opacity = light[3];
    light[3] = 1;
    seen += (1 - seen[3]) * opacity * light;
}

constexpr Index kBrick = 8;
constexpr int kTableSize = 1024;
constexpr float kOpaque = 0.98F;
// A cut shows matter from this part of the grey window on.
constexpr double kMinMatter = 0.1;
// A gradient of this part of the extent a voxel is a surface; smaller ones fade gradually.
constexpr double kSurface = 0.03;
// Matter ends where a cut's grey changes by more than this part of the window a voxel.
constexpr double kRimSlope = 0.3;

}  // namespace

// The request in terms of this volume, relative to its range of values.
struct CpuRayCaster::Shading {
    float first = 0;      // where the table begins
    float perExtent = 1;  // 1 / (where it ends − where it begins)
    float black = 0;
    float perWidth = 1;  // 1 / (white − black)
    double stepVoxels = 0.5;
    Vec3 light;
    Vec3 half;                                   // half way between light and eye
    std::array<Rgba, kTableSize + 1> table{};    // colour, and opacity of a step
    std::array<int, kTableSize + 2> visible{0};  // how many entries before one are not transparent
    bool isByGradient = false;
    double slopes = 1;  // voxels of the whole along one of these, which slopes refer to

    [[nodiscard]] float grey(float value) const { return (value - black) * perWidth; }
    [[nodiscard]] std::size_t entry(float value) const {
        const float place = (value - first) * perExtent * kTableSize;
        return static_cast<std::size_t>(std::clamp(place, 0.0F, static_cast<float>(kTableSize)));
    }
    [[nodiscard]] bool isClear(const Values& values) const {
        return visible[entry(values.max) + 1] == visible[entry(values.min)];
    }
};

// The whole, and the boxes within it, outermost first.
struct CpuRayCaster::Nest {
    std::vector<const CpuRayCaster*> casters;
    std::vector<Shading> shadings;
    std::vector<BoxEnds> boxes;  // without the whole
};

// The part of a ray that lies in one brick.
struct CpuRayCaster::Stretch {
    double end;
    Values values;  // in the brick

    // The first step behind it.
    [[nodiscard]] double after(double t, double step) const {
        return t + step * std::max(1.0, std::ceil((end - t) / step));
    }
};

CpuRayCaster::CpuRayCaster(const ReducedVolume& volume) : m_voxels(volume.voxels.size()) {
    m_placement.grid = volume.grid;
    m_placement.low = volume.low;
    m_placement.high = volume.high;
    const auto [nX, nY, nZ] = volume.grid.voxels;
    const auto value = [&, columns = nX, rows = nY](Index x, Index y, Index z) {
        constexpr float kScale = 1.0F / 65535;
        return kScale * volume.voxels[(z * rows + y) * columns + x];
    };
    const auto slope = [](const auto& along, Index i, Index count) {
        return (along(std::min(i + 1, count - 1)) - along(std::max<Index>(i - 1, 0))) / 2;
    };
    Voxel* voxel = m_voxels.data();
    for (Index z = 0; z < nZ; ++z)
        for (Index y = 0; y < nY; ++y)
            for (Index x = 0; x < nX; ++x)
                *voxel++ =
                    Voxel{value(x, y, z), slope([&](Index i) { return value(i, y, z); }, x, nX),
                          slope([&](Index i) { return value(x, i, z); }, y, nY),
                          slope([&](Index i) { return value(x, y, i); }, z, nZ)};
    for (const int axis : {0, 1, 2})
        smooth(axis);
    const auto& pitch = volume.grid.pitchMm;
    m_minPitchMm = *std::ranges::min_element(pitch);
    m_diagonalMm = diagonalMm(volume.grid);
    findBrickValues();
}

// Smooths by 1/4, 1/2, 1/4, so that the picture follows the object's surface and not the voxels'
// steps.
void CpuRayCaster::smooth(int axis) {
    const auto& n = m_placement.grid.voxels;
    const Index stride = axis == 0 ? 1 : axis == 1 ? n[0] : n[0] * n[1];
    const Index count = n[axis];
    for (Index line = 0; line < m_placement.grid.count() / count; ++line) {
        // The lines along an axis begin at all voxels whose index along it is 0.
        Voxel* voxel = m_voxels.data() + line / stride * stride * count + line % stride;
        Voxel before = *voxel;
        for (Index i = 0; i < count; ++i, voxel += stride) {
            const Voxel here = *voxel;
            const Voxel after = i + 1 < count ? voxel[stride] : here;
            *voxel = (before + 2 * here + after) / 4;
            before = here;
        }
    }
}

// Finds the values of each brick and the voxels around it, which samples in it may use.
void CpuRayCaster::findBrickValues() {
    const auto& n = m_placement.grid.voxels;
    for (std::size_t axis = 0; axis < 3; ++axis)
        m_bricks[axis] = (n[axis] + kBrick - 1) / kBrick;
    const auto range = [&](Index brick, std::size_t axis) {
        return IndexRange{std::max<Index>(0, brick * kBrick - 1),
                          std::min(n[axis], (brick + 1) * kBrick + 1)};
    };
    for (Index bZ = 0; bZ < m_bricks[2]; ++bZ)
        for (Index bY = 0; bY < m_bricks[1]; ++bY)
            for (Index bX = 0; bX < m_bricks[0]; ++bX) {
                Values values{1, 0};
                const IndexRange columns = range(bX, 0);
                for (Index z = range(bZ, 2).begin; z < range(bZ, 2).end; ++z)
                    for (Index y = range(bY, 1).begin; y < range(bY, 1).end; ++y)
                        for (Index x = columns.begin; x < columns.end; ++x) {
                            const float value = m_voxels[(z * n[1] + y) * n[0] + x][0];
                            values = {std::min(values.min, value), std::max(values.max, value)};
                        }
                m_brickValues.push_back(values);
            }
}

CpuRayCaster::Voxel CpuRayCaster::sample(const Vec3& at) const {
    const auto& n = m_placement.grid.voxels;
    const std::array<double, 3> place = axesOf(at);
    std::array<Index, 3> lower;
    std::array<float, 3> part;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const double clamped = std::clamp(place[axis], 0.0, static_cast<double>(n[axis] - 1));
        lower[axis] = std::min(static_cast<Index>(clamped), std::max<Index>(0, n[axis] - 2));
        part[axis] = static_cast<float>(clamped - static_cast<double>(lower[axis]));
    }
    const Index dX = n[0] > 1 ? 1 : 0;
    const Index dY = n[1] > 1 ? n[0] : 0;
    const Index dZ = n[2] > 1 ? n[0] * n[1] : 0;
    const Voxel* corner = m_voxels.data() + (lower[2] * n[1] + lower[1]) * n[0] + lower[0];
    const auto along = [&](Index offset) {
        const Voxel a = corner[offset];
        return a + part[0] * (corner[offset + dX] - a);
    };
    const Voxel lowerRow = along(0);
    const Voxel lowerPlane = lowerRow + part[1] * (along(dY) - lowerRow);
    const Voxel upperRow = along(dZ);
    const Voxel upperPlane = upperRow + part[1] * (along(dZ + dY) - upperRow);
    return lowerPlane + part[2] * (upperPlane - lowerPlane);
}

CpuRayCaster::Stretch CpuRayCaster::stretchAt(const VoxelRay& ray, double t) const {
    const std::array<double, 3> place = axesOf(ray.at(t));
    const std::array<double, 3> direction = axesOf(ray.direction);
    std::array<Index, 3> brick;
    for (std::size_t axis = 0; axis < 3; ++axis)
        brick[axis] = std::clamp<Index>(static_cast<Index>(std::floor(place[axis] / kBrick)), 0,
                                        m_bricks[axis] - 1);
    const Index index = (brick[2] * m_bricks[1] + brick[1]) * m_bricks[0] + brick[0];
    double end = ray.end - t;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        if (std::abs(direction[axis]) < 1e-9) continue;
        const Index wall = direction[axis] > 0 ? brick[axis] + 1 : brick[axis];
        const double way = (static_cast<double>(wall * kBrick) - place[axis]) / direction[axis];
        if (way > 0) end = std::min(end, way);
    }
    return {t + std::max(end, 0.0), m_brickValues[index]};
}

// The light that a point sends to the eye, and its opacity, before occlusion.
CpuRayCaster::Voxel CpuRayCaster::lightOf(const Voxel& voxel, const Shading& shading) const {
    Rgba light = shading.table[shading.entry(voxel[0])];
    if (light[3] <= 0) return light;
    const auto& pitch = m_placement.grid.pitchMm;
    const auto along = [&](int axis) {
        return static_cast<double>(voxel[axis + 1]) * m_minPitchMm / pitch[axis];
    };
    const Vec3 gradient{along(0), along(1), along(2)};
    const double steepness = length(gradient);
    const double slope = shading.slopes * steepness * static_cast<double>(shading.perExtent);
    const double surface = std::min(1.0, slope / kSurface);
    double lit = kAmbient + kDiffuse / 2;
    double glint = 0;
    if (surface > 0) {
        // Both sides of a surface are lit, because the far side of a thin shell is visible too.
        const double facing = std::abs(dot(gradient, shading.light)) / steepness;
        const double mirrored = std::abs(dot(gradient, shading.half)) / steepness;
        lit += surface * (kAmbient + kDiffuse * facing - lit);
        glint = surface * kSpecular * std::pow(mirrored, kSpecularPower);
    }
    for (const int channel : {0, 1, 2})
        light[channel] =
            std::min(1.0F, light[channel] * static_cast<float>(lit) + static_cast<float>(glint));
    if (shading.isByGradient) light[3] *= static_cast<float>(std::min(1.0, slope / kFullGradient));
    return light;
}

// The colour of matter that is cut at a point: its grey, or nothing.
CpuRayCaster::Voxel CpuRayCaster::cutFace(const Voxel& voxel, const Shading& shading) {
    const float grey = std::clamp(shading.grey(voxel[0]), 0.0F, 1.0F);
    const double slope = shading.slopes * length({voxel[1], voxel[2], voxel[3]}) *
                         static_cast<double>(shading.perWidth);
    // Its blurred rim is transparent, rather than dark before the bright surface behind it.
    const bool isRim = grey < 1 && slope > kRimSlope;
    return Rgba{grey, grey, grey, grey > kMinMatter && !isRim ? 1.0F : 0.0F};
}

void CpuRayCaster::addShaded(const VoxelRay& ray, const Shading& shading, double jitter,
                             Voxel& seen) const {
    double t = ray.begin + jitter * shading.stepVoxels;
    while (t <= ray.end && seen[3] < kOpaque) {
        if (ray.isInGap(t)) {
            t = ray.gapEnd;
            if (t >= ray.end) break;
            addBehind(seen, cutFace(sample(ray.at(t)), shading));
            continue;
        }
        const Stretch stretch = stretchAt(ray, t);
        const double limit = ray.limit(t);
        double after = stretch.after(t, shading.stepVoxels);
        if (limit < ray.end) after = std::min(after, limit);
        if (shading.isClear(stretch.values)) {
            t = after;
            continue;
        }
        for (const double end = std::min(after, limit); t < end && seen[3] < kOpaque;
             t += shading.stepVoxels)
            addBehind(seen, lightOf(sample(ray.at(t)), shading));
        t = std::max(t, after);
    }
}

void CpuRayCaster::addMaximum(const VoxelRay& ray, const Shading& shading, double jitter,
                              float& grey) const {
    float max = shading.black + grey / shading.perWidth;
    double t = ray.begin + jitter * shading.stepVoxels;
    while (t <= ray.end) {
        if (ray.isInGap(t)) {
            t = ray.gapEnd;
            continue;
        }
        const Stretch stretch = stretchAt(ray, t);
        const double limit = ray.limit(t);
        double after = stretch.after(t, shading.stepVoxels);
        if (limit < ray.end) after = std::min(after, limit);
        for (const double end = stretch.values.max > max ? std::min(after, limit) : t; t < end;
             t += shading.stepVoxels)
            max = std::max(max, sample(ray.at(t))[0]);
        t = std::max(t, after);
    }
    grey = std::max(grey, shading.grey(max));
}

CpuRayCaster::Shading CpuRayCaster::shadingOf(const RayCastRequest& request,
                                              const CpuRayCaster& whole) const {
    Shading shading;
    const double range = m_placement.high - m_placement.low;
    const auto place = [&](const GreyWindow& ends, float& first, float& perWidth) {
        first = static_cast<float>((ends.black - m_placement.low) / range);
        perWidth = static_cast<float>(range / std::max(ends.width(), 1e-6 * range));
    };
    const GreyWindow extent = request.transfer.extent();
    place(request.window, shading.black, shading.perWidth);
    place(extent, shading.first, shading.perExtent);
    shading.stepVoxels = request.stepVoxels;
    shading.light = towardsLight(request.camera);
    shading.half = shading.light + request.camera.towardsEye();
    shading.half = (1 / length(shading.half)) * shading.half;
    shading.isByGradient = request.transfer.isByGradient;
    shading.slopes = whole.m_minPitchMm / m_minPitchMm;
    const double unit = kOpacityShareOfDiagonal * whole.m_diagonalMm;
    const double exponent = request.stepVoxels * m_minPitchMm / unit;
    for (std::size_t i = 0; i <= kTableSize; ++i) {
        const double share = static_cast<double>(i) / kTableSize;
        const TransferPoint point = request.transfer.at(extent.black + share * extent.width());
        const double opacity = 1 - std::pow(1 - point.opacity, exponent);
        shading.table[i] = coloured(point.colour, opacity);
        shading.visible[i + 1] = shading.visible[i] + (opacity > 0 ? 1 : 0);
    }
    return shading;
}

// The part of a camera ray within these voxels.
VoxelRay CpuRayCaster::pieceOf(const RayCastRequest& request, const ViewRay& viewRay,
                               const CpuRayCaster& whole, const RayPiece& piece) const {
    const VolumeGrid& grid = m_placement.grid;
    VoxelRay ray(grid, viewRay);
    ray.clip(grid, request.clips);
    ray.begin = std::max(ray.begin, piece.beginMm / m_minPitchMm);
    ray.end = std::min(ray.end, piece.endMm / m_minPitchMm);
    if (!request.isCutOpen) return ray;
    VoxelRay outer(whole.m_placement.grid, viewRay);
    outer.clip(whole.m_placement.grid, request.clips);
    outer.cutOpen(whole.m_placement.grid);
    if (outer.gapBegin == VoxelRay::kNone) return ray;
    ray.gapBegin = outer.gapBegin * whole.m_minPitchMm / m_minPitchMm;
    ray.gapEnd = outer.gapEnd * whole.m_minPitchMm / m_minPitchMm;
    return ray;
}

CpuRayCaster::Voxel CpuRayCaster::castRay(const RayCastRequest& request, const Nest& nest,
                                          const ViewRay& viewRay, double jitter) {
    const auto plane = firstHit(request.planes, viewRay);
    const RayPieces pieces(nest.boxes, viewRay, plane ? plane->distanceMm : VoxelRay::kNone);
    Rgba seen{};
    float grey = 0;
    for (const RayPiece& piece : pieces) {
        const CpuRayCaster& caster = *nest.casters[piece.box];
        const Shading& shading = nest.shadings[piece.box];
        const VoxelRay ray = caster.pieceOf(request, viewRay, *nest.casters.front(), piece);
        if (request.isMaximum)
            caster.addMaximum(ray, shading, jitter, grey);
        else
            caster.addShaded(ray, shading, jitter, seen);
    }
    if (request.isMaximum) {
        constexpr float kSolid = 0.25F;
        grey = std::min(grey, 1.0F);
        const float alpha = std::min(1.0F, grey / kSolid);
        seen = Rgba{grey * alpha, grey * alpha, grey * alpha, alpha};
    }
    if (plane) addBehind(seen, coloured(plane->colour, 1));
    return seen;
}

QImage CpuRayCaster::cast(const RayCastRequest& request, const std::stop_token& stop,
                          const Boxes& boxes) const {
    Nest nest{{this}, {shadingOf(request, *this)}, {}};
    for (const auto& box : boxes) {
        nest.casters.push_back(box.get());
        nest.shadings.push_back(box->shadingOf(request, *this));
        nest.boxes.push_back(endsOf(box->m_placement.grid));
    }
    const double perRay = std::max(1.0, request.pixelsPerRay);
    const QSize rays(std::max(1, static_cast<int>(request.size.width() / perRay)),
                     std::max(1, static_cast<int>(request.size.height() / perRay)));
    QImage image(rays, QImage::Format_ARGB32_Premultiplied);
    constexpr Index kRows = 4;
    uchar* const pixels = image.bits();
    parallelFor(
        availableThreads(), rays.height(), kRows,
        [&](Index begin, Index end, int) {
            for (Index y = begin; y < end; ++y) {
                auto* row = reinterpret_cast<QRgb*>(pixels + y * image.bytesPerLine());
                for (int x = 0; x < rays.width(); ++x) {
                    const int line = static_cast<int>(y);
                    const ViewRay viewRay =
                        request.camera.viewRay(QPointF(x + 0.5, line + 0.5), rays);
                    row[x] = premultiplied(castRay(request, nest, viewRay, jitterOf(x, line)));
                }
            }
        },
        stop);
    if (rays == request.size) return image;
    return image.scaled(request.size, Qt::IgnoreAspectRatio, Qt::SmoothTransformation);
}

}  // namespace gantry
