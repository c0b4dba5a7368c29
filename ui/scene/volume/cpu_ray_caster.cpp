#include "ui/scene/volume/cpu_ray_caster.h"

#include <algorithm>
#include <cmath>

#include "core/base/parallel.h"

namespace gantry {

namespace {

constexpr Index kBrick = 8;
constexpr int kTableSize = 1024;
constexpr double kOpaque = 0.98;
// A gradient of this share of the window a voxel is a surface; less is ever less of one.
constexpr double kSurface = 0.03;
// Where a cut's grey changes by more than that share of the window a voxel, matter ends.
constexpr double kRimSlope = 0.3;

std::array<double, 3> axes(const Vec3& vector) {
    return {vector.x, vector.y, vector.z};
}

// Evenly spread in 0 to 1, and the same for a pixel in every picture: breaks up the rings that
// steps of one length draw.
double jitterOf(int x, int y) {
    const auto seed =
        static_cast<std::uint32_t>(x) * 0x9E3779B1U ^ static_cast<std::uint32_t>(y) * 0x85EBCA77U;
    const std::uint32_t mixed = (seed ^ (seed >> 15)) * 0x2C1B3C6DU;
    return static_cast<double>(mixed >> 8) / (1 << 24);
}

QRgb premultiplied(double brightness, double alpha) {
    const int a = static_cast<int>(std::lround(255 * std::clamp(alpha, 0.0, 1.0)));
    const int grey = std::clamp(static_cast<int>(std::lround(255 * brightness)), 0, a);
    return qRgba(grey, grey, grey, a);
}

}  // namespace

// What the request means for this volume, in shares of its range of values.
struct CpuRayCaster::Look {
    float black = 0;
    float perWidth = 1;  // 1 / (white − black)
    double stepVoxels = 0.5;
    Vec3 light;
    Vec3 half;                                    // between light and eye
    std::array<float, kTableSize + 1> opacity{};  // of a step
    std::array<float, kTableSize + 1> brightness{};
    float leastVisible = 0;

    [[nodiscard]] float share(float value) const { return (value - black) * perWidth; }
    [[nodiscard]] std::size_t entry(float value) const {
        const float place = share(value) * kTableSize;
        return static_cast<std::size_t>(std::clamp(place, 0.0F, static_cast<float>(kTableSize)));
    }
};

// In voxels of the grid: at(t) is inside for begin <= t <= end; t counts steps of the least pitch.
struct CpuRayCaster::Ray {
    Vec3 origin;
    Vec3 direction;
    double begin = 0;
    double end = -1;
    // What is cut away of it; empty: nothing.
    double gapBegin = kNone;
    double gapEnd = kNone;
    static constexpr double kNone = 1e13;
    [[nodiscard]] bool isInGap(double t) const { return t >= gapBegin && t < gapEnd; }
    // How far the same state continues from t.
    [[nodiscard]] double limit(double t) const {
        return t < gapBegin ? std::min(gapBegin, end) : end;
    }
    [[nodiscard]] Vec3 at(double t) const { return origin + t * direction; }
};

// The part of a ray that lies in one brick.
struct CpuRayCaster::Stretch {
    double end;
    float most;  // value in the brick

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
        return kScale * volume.voxels[static_cast<std::size_t>((z * rows + y) * columns + x)];
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
    m_leastPitchMm = *std::min_element(pitch.begin(), pitch.end());
    m_diagonalMm = diagonalMm(volume.grid);
    findBrickMaxima();
}

// By 1/4, 1/2, 1/4: the picture follows the object's surface then, and not the voxels' steps.
void CpuRayCaster::smooth(int axis) {
    const auto& n = m_placement.grid.voxels;
    const Index stride = axis == 0 ? 1 : axis == 1 ? n[0] : n[0] * n[1];
    const Index count = n[static_cast<std::size_t>(axis)];
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

// Of each brick with the voxels around it, which samples in it may touch.
void CpuRayCaster::findBrickMaxima() {
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
                float most = 0;
                const IndexRange columns = range(bX, 0);
                for (Index z = range(bZ, 2).begin; z < range(bZ, 2).end; ++z)
                    for (Index y = range(bY, 1).begin; y < range(bY, 1).end; ++y)
                        for (Index x = columns.begin; x < columns.end; ++x)
                            most = std::max(
                                most,
                                m_voxels[static_cast<std::size_t>((z * n[1] + y) * n[0] + x)][0]);
                m_brickMaxima.push_back(most);
            }
}

CpuRayCaster::Voxel CpuRayCaster::sample(const Vec3& at) const {
    const auto& n = m_placement.grid.voxels;
    const std::array<double, 3> place = axes(at);
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

CpuRayCaster::Stretch CpuRayCaster::stretchAt(const Ray& ray, double t) const {
    const std::array<double, 3> place = axes(ray.at(t));
    const std::array<double, 3> direction = axes(ray.direction);
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
    return {t + std::max(end, 0.0), m_brickMaxima[static_cast<std::size_t>(index)]};
}

void CpuRayCaster::cutOpen(Ray& ray) const {
    const std::array<double, 3> origin = axes(ray.origin);
    const std::array<double, 3> direction = axes(ray.direction);
    double begin = ray.begin;
    double end = ray.end;
    for (const std::size_t axis : {0U, 1U}) {
        const double middle = static_cast<double>(m_placement.grid.voxels[axis] - 1) / 2;
        const double before = middle - origin[axis];
        if (std::abs(direction[axis]) < 1e-12) {
            if (before <= 0) return;
        } else if (direction[axis] > 0) {
            end = std::min(end, before / direction[axis]);
        } else {
            begin = std::max(begin, before / direction[axis]);
        }
    }
    if (begin >= end) return;
    ray.gapBegin = begin;
    ray.gapEnd = end;
}

CpuRayCaster::Ray CpuRayCaster::rayTo(const SightLine& sight, bool isCutOpen) const {
    const VolumeGrid& grid = m_placement.grid;
    const Vec3 first = grid.originMm();
    const Vec3 pitch{grid.pitchMm[0], grid.pitchMm[1], grid.pitchMm[2]};
    const Vec3 way = sight.originMm - first;
    Ray ray;
    ray.origin = {way.x / pitch.x, way.y / pitch.y, way.z / pitch.z};
    ray.direction = m_leastPitchMm * Vec3{sight.direction.x / pitch.x, sight.direction.y / pitch.y,
                                          sight.direction.z / pitch.z};
    ray.end = 1e12;
    const std::array<double, 3> origin = axes(ray.origin);
    const std::array<double, 3> direction = axes(ray.direction);
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const double high = static_cast<double>(grid.voxels[axis]) - 0.5;
        if (std::abs(direction[axis]) < 1e-12) {
            if (origin[axis] < -0.5 || origin[axis] > high) ray.end = -1;
            continue;
        }
        const double a = (-0.5 - origin[axis]) / direction[axis];
        const double b = (high - origin[axis]) / direction[axis];
        ray.begin = std::max(ray.begin, std::min(a, b));
        ray.end = std::min(ray.end, std::max(a, b));
    }
    if (isCutOpen) cutOpen(ray);
    return ray;
}

// The light that a place sends to the eye, before what hides it.
double CpuRayCaster::brightnessOf(const Voxel& voxel, const Look& look) const {
    const auto& pitch = m_placement.grid.pitchMm;
    const auto along = [&](int axis) {
        return static_cast<double>(voxel[axis + 1]) * m_leastPitchMm /
               pitch[static_cast<std::size_t>(axis)];
    };
    const Vec3 gradient{along(0), along(1), along(2)};
    const double steepness = length(gradient);
    const double surface = std::min(1.0, steepness * static_cast<double>(look.perWidth) / kSurface);
    double lit = kAmbient + kDiffuse / 2;
    double glint = 0;
    if (surface > 0) {
        // Both sides of a surface are lit: the far side of a thin shell is seen, too.
        const double facing = std::abs(dot(gradient, look.light)) / steepness;
        const double mirrored = std::abs(dot(gradient, look.half)) / steepness;
        lit += surface * (kAmbient + kDiffuse * facing - lit);
        glint = surface * kSpecular * std::pow(mirrored, kSpecularPower);
    }
    return std::min(1.0, static_cast<double>(look.brightness[look.entry(voxel[0])]) * lit + glint);
}

QRgb CpuRayCaster::shaded(const Ray& ray, const Look& look, double jitter) const {
    double brightness = 0;
    double alpha = 0;
    double t = ray.begin + jitter * look.stepVoxels;
    while (t <= ray.end && alpha < kOpaque) {
        if (ray.isInGap(t)) {
            t = ray.gapEnd;
            if (t >= ray.end) break;
            const Voxel cut = sample(ray.at(t));
            const double share = std::clamp(static_cast<double>(look.share(cut[0])), 0.0, 1.0);
            const double slope =
                length({cut[1], cut[2], cut[3]}) * static_cast<double>(look.perWidth);
            // Its blurred rim is clear, rather than dark before the bright surface behind it.
            const bool isRim = share < 1 && slope > kRimSlope;
            const double solid = share > kShadedLook[1].share && !isRim ? 1 : 0;
            brightness += (1 - alpha) * solid * share;
            alpha += (1 - alpha) * solid;
            continue;
        }
        const Stretch stretch = stretchAt(ray, t);
        const double limit = ray.limit(t);
        double after = stretch.after(t, look.stepVoxels);
        if (limit < ray.end) after = std::min(after, limit);
        if (stretch.most <= look.leastVisible) {
            t = after;
            continue;
        }
        for (const double end = std::min(after, limit); t < end && alpha < kOpaque;
             t += look.stepVoxels) {
            const Voxel voxel = sample(ray.at(t));
            const auto opacity = static_cast<double>(look.opacity[look.entry(voxel[0])]);
            if (opacity <= 0) continue;
            brightness += (1 - alpha) * opacity * brightnessOf(voxel, look);
            alpha += (1 - alpha) * opacity;
        }
        t = std::max(t, after);
    }
    return premultiplied(brightness, alpha);
}

QRgb CpuRayCaster::maximum(const Ray& ray, const Look& look, double jitter) const {
    float most = look.black;
    double t = ray.begin + jitter * look.stepVoxels;
    while (t <= ray.end) {
        if (ray.isInGap(t)) {
            t = ray.gapEnd;
            continue;
        }
        const Stretch stretch = stretchAt(ray, t);
        const double limit = ray.limit(t);
        double after = stretch.after(t, look.stepVoxels);
        if (limit < ray.end) after = std::min(after, limit);
        for (const double end = stretch.most > most ? std::min(after, limit) : t; t < end;
             t += look.stepVoxels)
            most = std::max(most, sample(ray.at(t))[0]);
        t = std::max(t, after);
    }
    constexpr double kSolid = 0.25;
    const double share = std::clamp(static_cast<double>(look.share(most)), 0.0, 1.0);
    const double alpha = std::min(1.0, share / kSolid);
    return premultiplied(share * alpha, alpha);
}

CpuRayCaster::Look CpuRayCaster::lookOf(const RayCastRequest& request) const {
    Look look;
    const double range = m_placement.high - m_placement.low;
    const double width = std::max(request.window.width(), 1e-6 * range);
    look.black = static_cast<float>((request.window.black - m_placement.low) / range);
    look.perWidth = static_cast<float>(range / width);
    look.stepVoxels = request.stepVoxels;
    look.light = towardsLight(request.camera);
    look.half = look.light + request.camera.towardsEye();
    look.half = (1 / length(look.half)) * look.half;
    look.leastVisible = look.black + static_cast<float>(kShadedLook[1].share * width / range);
    const double unit = kOpacityShareOfDiagonal * m_diagonalMm;
    const double exponent = request.stepVoxels * m_leastPitchMm / unit;
    for (int i = 0; i <= kTableSize; ++i) {
        const LookPoint point = lookAt(static_cast<double>(i) / kTableSize);
        look.opacity[static_cast<std::size_t>(i)] =
            static_cast<float>(1 - std::pow(1 - point.opacity, exponent));
        look.brightness[static_cast<std::size_t>(i)] = static_cast<float>(point.brightness);
    }
    return look;
}

QImage CpuRayCaster::cast(const RayCastRequest& request, const std::stop_token& stop) const {
    const Look look = lookOf(request);
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
                    const QPointF at(x + 0.5, static_cast<double>(y) + 0.5);
                    const Ray ray = rayTo(request.camera.sightLine(at, rays), request.isCutOpen);
                    const double jitter = jitterOf(x, static_cast<int>(y));
                    row[x] =
                        request.isMaximum ? maximum(ray, look, jitter) : shaded(ray, look, jitter);
                }
            }
        },
        stop);
    if (rays == request.size) return image;
    return image.scaled(request.size, Qt::IgnoreAspectRatio, Qt::SmoothTransformation);
}

}  // namespace gantry
