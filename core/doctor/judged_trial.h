#pragma once

#include "core/doctor/trial.h"

namespace gantry {

/// A trial of one interpretation of a scan, and how well it fits in comparison with the best one.
/// Tests: tests/core/doctor/diagnosis_test.cpp, tests/core/doctor/settle_test.cpp
struct JudgedTrial {
    Trial trial;
    double score = 0;   ///< a natural logarithm; larger is better
    double behind = 0;  ///< difference to the best one's
    double spread = 0;  ///< its standard deviation, by leaving out an eighth of the views

    void take(Trial made);
    /// Sets how far it is behind the best one.
    void compareWith(const JudgedTrial& best);
    /// Whether it fits worse than what it was compared with by more than chance.
    [[nodiscard]] bool isBehind() const;
    /// The same beyond doubt.
    [[nodiscard]] bool isSurelyBehind() const;
    /// Whether the views contradict each other, as those of different objects do, or show nothing
    /// that can be compared although the scan would, or too little of the object.
    [[nodiscard]] bool fitsBadly() const;
    /// Whether rays from opposite sides speak no more against one of the two than the other. Those
    /// of an object that is round about the axis do not, if they are parallel.
    [[nodiscard]] bool raysAgreeAsIn(const JudgedTrial& other) const;
};

}  // namespace gantry
