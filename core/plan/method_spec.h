#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/field_word.h"
#include "core/base/types.h"
#include "core/geometry/check/validate.h"

namespace gantry {

struct IterativeMethod;

/// How a volume is made from line integrals: at once by FDK, or by correcting it again and again
/// until its own line integrals fit.
enum class Method { fdk, sirt, osSart, cgls, tv };
inline constexpr FieldWord kMethods[] = {
    {"fdk", "FDK", "Filtered back-projection: by far the fastest, for many clean views."},
    {"sirt", "SIRT", "All views correct the volume together. Slow, smooth and forgiving."},
    {"os-sart", "OS-SART", "Some views at a time correct the volume: as SIRT in fewer iterations."},
    {"cgls", "CGLS", "Conjugate gradients: few iterations, no bounds; noise comes with the last."},
    {"tv", "Total variation",
     "Wants even parts with sharp edges besides: for few or noisy views of such objects."}};

/// In place of a file's name: the volume that iterations begin from, and where they may change it.
inline constexpr const char* kStartFdk = "fdk";
inline constexpr const char* kStartZero = "zero";
inline constexpr const char* kNoMask = "none";
inline constexpr const char* kCylinderMask = "cylinder";

/// The method of a reconstruction, with the options of the iterative ones; of FDK see FilterSpec.
struct MethodSpec {
    Method method = Method::fdk;
    Index iterations = 0;   ///< max; 0: usualIterations()
    double relaxation = 1;  ///< but of CGLS: the part of each correction that is made
    Index subsetViews = 0;  ///< of OS-SART and TV: views that correct together; 0: 12 and 4
    bool nonNegative = true;
    double upperBound = 0;          ///< 1/mm; 0: none
    std::string mask = kNoMask;     ///< or kCylinderMask, or a volume that is not 0 inside
    std::string start = kStartFdk;  ///< or kStartZero, or a volume
    double tvWeight = 0;            ///< 0: usualStrength()
    bool isAccelerated = true;      ///< of SIRT
    double stopChange = 0;          ///< relative change of the volume under which it ends; 0: never
    /// Photons that a pixel counts without an object: iterations end once the residual is as large
    /// as the noise, and total variation has its weight by it. 0: unknown.
    double photons = 0;
    /// The volume is a part of a larger object, around which is what Surroundings make.
    bool isRegion = false;
    bool weighsByCounts = false;  ///< pixels weigh by what they count; asks for photons

    [[nodiscard]] bool isIterative() const { return method != Method::fdk; }
    /// Whether it has bounds and a relaxation.
    [[nodiscard]] bool hasBounds() const { return isIterative() && method != Method::cgls; }
    [[nodiscard]] bool hasSubsets() const {
        return method == Method::osSart || method == Method::tv;
    }
    /// Whether `start` or `mask` is a file's name.
    [[nodiscard]] bool startsFromFile() const { return start != kStartFdk && start != kStartZero; }
    [[nodiscard]] bool hasMaskFile() const { return mask != kNoMask && mask != kCylinderMask; }
    /// The max number of iterations, the method's usual one where none is asked for.
    [[nodiscard]] Index maxIterations() const;

    friend bool operator==(const MethodSpec&, const MethodSpec&) = default;
};

/// "SIRT"
[[nodiscard]] std::string_view name(Method method);

/// The method as iterations take it. @throws InternalError for FDK
/// Tests: tests/core/plan/method_spec_test.cpp
[[nodiscard]] IterativeMethod iterativeMethod(const MethodSpec& method);

/// The problems with the options that the method has, by their fields in job.json:
/// "method.relaxation". Tests: tests/core/plan/method_spec_test.cpp
[[nodiscard]] std::vector<Problem> validate(const MethodSpec& method);

/// Describes method and options in a sentence for reports; empty for FDK.
[[nodiscard]] std::string describe(const MethodSpec& method);

}  // namespace gantry
