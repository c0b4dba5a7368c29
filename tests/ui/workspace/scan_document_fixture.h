#pragma once

#include <gtest/gtest.h>

#include <string>

#include "tests/support/temporary_folder.h"
#include "tests/ui/support/ui_test.h"
#include "tests/ui/workspace/small_scan.h"
#include "ui/models/text.h"
#include "ui/workspace/scan/scan_document.h"

namespace gantry::test {

class ScanDocumentFixture : public testing::Test {
  protected:
    // Opens a simulated scan and waits until its images can be read.
    void openScan(const std::string& name = "scan") {
        open(toText(makeScan(m_folder / name)));
        ASSERT_TRUE(waitUntil([this] { return m_document.openScan() != nullptr; }));
    }
    void open(const QString& path) {
        m_document.open(path);
        ASSERT_TRUE(
            waitUntil([this] { return m_document.state() != ScanDocument::State::opening; }));
    }
    void setDistance(double mm, const QString& mergeKey = {}) {
        Request request = m_document.request();
        request.job.scan.geometry.cone().sourceToDetectorMm = mm;
        m_document.edit(request, "Change SDD", mergeKey);
    }
    double distance() const { return m_document.geometry().cone().sourceToDetectorMm; }
    bool isReadWithItsGeometry() {
        return waitUntil([this] {
            return m_document.openScan() &&
                   m_document.openScan()->description.geometry == m_document.geometry();
        });
    }
    bool hasProblem(const std::string& field) const {
        for (const Problem& problem : m_document.problems())
            if (problem.field == field) return true;
        return false;
    }

    TemporaryFolder m_folder;
    ScanDocument m_document;
    Heard<ScanDocument> m_heard{m_document};
};

}  // namespace gantry::test
