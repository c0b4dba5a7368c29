#pragma once

#include <QString>
#include <vector>

namespace gantry {

class ScanDocument;

/// One line of what is open: "Values", "counts 112 to 61 200, mean 34 500".
struct SummaryLine {
    QString name;  ///< the same in all languages
    QString label;
    QString text;
};

/// What is known of the open scan so far; more when its images have been looked at.
/// Tests: tests/ui/panels/scan_panel_test.cpp
[[nodiscard]] std::vector<SummaryLine> summaryOf(const ScanDocument& document);

/// "61 200", "0.0213": whole numbers in groups of three digits.
[[nodiscard]] QString amountText(double value);

}  // namespace gantry
