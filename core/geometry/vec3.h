#pragma once

#include <cmath>

namespace gantry {

/// A point or direction in world coordinates, mm unless said otherwise.
struct Vec3 {
    double x = 0;
    double y = 0;
    double z = 0;

    friend Vec3 operator+(Vec3 a, Vec3 b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
    friend Vec3 operator-(Vec3 a, Vec3 b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
    friend Vec3 operator*(double f, Vec3 a) { return {f * a.x, f * a.y, f * a.z}; }
    friend bool operator==(const Vec3&, const Vec3&) = default;
};

[[nodiscard]] inline double dot(Vec3 a, Vec3 b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
[[nodiscard]] inline Vec3 cross(Vec3 a, Vec3 b) {
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
[[nodiscard]] inline double length(Vec3 a) {
    return std::sqrt(dot(a, a));
}

inline constexpr double kPi = 3.14159265358979323846;
[[nodiscard]] inline double radians(double degrees) {
    return degrees * (kPi / 180);
}
[[nodiscard]] inline double degrees(double radians) {
    return radians * (180 / kPi);
}

}  // namespace gantry
