#pragma once

#include <limits>
#include <string>
#include <variant>

#include "core/base/types.h"

namespace gantry {

/// Simultaneous iterative reconstruction, for x from a start that is seldom zero:
/// x ← P[x + ω·C·Aᵀ M (b − A x)]. P is the clamp to bounds and mask; see RowWeights for M, and
/// IterationSpace::prepare() for C.
/// Source: Gregor and Benson, IEEE TMI 27 (2008) 918.
struct Sirt {
    double relaxation = 1;  ///< ω; above 0, diverges from 2 on
    /// Begins each iteration ahead of the volume, by a part of the last change that grows: 20
    /// iterations then do what 100 do, and too many of them make noise. It takes one more volume.
    /// Source: Nesterov, Soviet Math. Dokl. 27 (1983) 372.
    bool isAccelerated = false;

    friend bool operator==(const Sirt&, const Sirt&) = default;
};

/// The same step for one ordered subset of views after the other; an iteration is a pass over all
/// of them. It needs about as many times fewer iterations than SIRT as there are subsets, until the
/// noise is in the volume.
struct OsSart {
    double relaxation = 1;
    double relaxationFactor = 1;  ///< of the relaxation, per iteration; above 0, at most 1
    Index viewsPerSubset = 12;    ///< at least; 8 to 16 are usual

    friend bool operator==(const OsSart&, const OsSart&) = default;
};

/// Conjugate gradients on the normal equations. No bounds apply, only the mask. In single precision
/// rounding brings back what the first gradients have removed, and the volume is some percent apart
/// from that of exact arithmetic after ten iterations. Each gradient is therefore made orthogonal
/// to the first ones: with 1 kept, 10 iterations are right to 1e-6, with 3 kept 15, with 12
/// kept 25. Source: Björck, Numerical Methods for Least Squares Problems, section 7.4.
struct Cgls {
    Index keptGradients = 12;  ///< the first of them, a volume each; 0 or more

    friend bool operator==(const Cgls&, const Cgls&) = default;
};

/// Ordered subsets as OS-SART, and after each pass a step that flattens: the volume that minimises
/// ½|x − v|² + strength·level·Σ|∇x| within the bounds, begun from the last pass's dual field.
/// |∇x| is the length of the differences to the next voxels, per width of the smallest voxel side.
/// This needs a tenth of the passes of Chambolle and Pock's or of FISTA's iterations for the same
/// picture, no norm of A, and no vector but the dual field beside those of OS-SART.
/// Source of the flattening: Chambolle, J. Math. Imaging Vis. 20 (2004) 89; with bounds Beck and
/// Teboulle, IEEE TIP 18 (2009) 2419.
struct TotalVariation {
    double relaxation = 1;
    Index viewsPerSubset = 4;  ///< at least
    /// How much a pass flattens, as a part of the mean attenuation that views see; 0: as
    /// usualStrength() has it.
    double strength = 0;
    Index flatteningSteps = 10;  ///< of the dual field per pass

    friend bool operator==(const TotalVariation&, const TotalVariation&) = default;
};

/// The strength for so many subsets of views: each corrects the volume, and the flattening has to
/// keep up with all corrections of a pass. Noise wants more.
/// relativeNoise: the mean variance of line integrals over their mean square; 0: not known, or none
/// Measured on Shepp and Logan's head, 60 views of 10³ to 10⁷ photons and 240 of 10⁴: within a
/// decibel of the best strength. Tests: tests/core/iterate/image_quality_test.cpp
[[nodiscard]] double usualStrength(Index subsets, double relativeNoise);

/// What a voxel may be, 1/mm.
struct VoxelBounds {
    float min = 0;
    float max = std::numeric_limits<float>::infinity();

    friend bool operator==(const VoxelBounds&, const VoxelBounds&) = default;
};

/// When it ends before the last iteration. What is 0 does not apply.
struct StopRules {
    /// χ², the mean of r²/variance over all used rays, has come down to this; 1 is the noise. It
    /// applies only where counts are known.
    double chiSquare = 0;
    /// The model's own error as a part of a ray's line integral, which is added to the variance of
    /// its noise: without it χ² of real scans does not reach 1.
    double modelError = 0.01;
    double change = 0;  ///< |Δx|/|x| of an iteration; 1e-3 is usual

    friend bool operator==(const StopRules&, const StopRules&) = default;
};

/// An iterative method with its options.
struct IterativeMethod {
    using Kind = std::variant<Sirt, OsSart, Cgls, TotalVariation>;
    Kind kind = {};
    Index iterations = 20;    ///< max
    bool useCounts = false;   ///< weight rays by their counts, the inverse of their variance
    VoxelBounds bounds = {};  ///< not of CGLS
    StopRules stop = {};

    friend bool operator==(const IterativeMethod&, const IterativeMethod&) = default;
};

/// "SIRT", "OS-SART", "CGLS" or "TV"
[[nodiscard]] std::string nameOf(const IterativeMethod& method);

/// How many ordered subsets the method makes of so many views: 1 for SIRT and CGLS.
[[nodiscard]] Index subsetCount(const IterativeMethod& method, Index views);

/// Vectors that an Iteration makes, for planning. The space keeps the views, their weights M and
/// the column weights C besides.
struct VectorCounts {
    Index volumes = 0;              ///< the result, and for CGLS directions and gradients
    Index gradients = 0;            ///< three values a voxel
    Index views = 0;                ///< with all views each
    Index subsets = 0;              ///< with the views of the largest subset each
    bool hasColumnWeights = false;  ///< whether the space needs C: one more volume

    friend bool operator==(const VectorCounts&, const VectorCounts&) = default;
};
[[nodiscard]] VectorCounts vectorsOf(const IterativeMethod& method);

/// @throws FieldError  an option is out of range; its field is the name in the structs above
/// Tests: tests/core/iterate/method_test.cpp
void requireValid(const IterativeMethod& method);

}  // namespace gantry
