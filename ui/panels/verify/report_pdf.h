#pragma once

#include <string>

namespace gantry {

/// A report's HTML (see ReportPage) as a PDF of one A4 page: what is too long for it is printed
/// smaller. May be called from any thread.
/// Tests: tests/ui/panels/report_pdf_test.cpp
[[nodiscard]] std::string pdfOf(const std::string& html);

}  // namespace gantry
