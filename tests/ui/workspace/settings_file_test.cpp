#include "ui/workspace/scan/settings_file.h"

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/job/job_file.h"
#include "tests/support/expect_error.h"
#include "tests/ui/workspace/scan_document_fixture.h"

namespace gantry {
namespace {

namespace fs = std::filesystem;

class SettingsFileTest : public test::ScanDocumentFixture {
  protected:
    void change(const std::function<void(Request&)>& change) {
        Request request = m_document.request();
        change(request);
        m_document.edit(request, "Change settings");
    }
    [[nodiscard]] fs::path scanFile() const { return m_folder / "scan" / "scan.json"; }
    [[nodiscard]] fs::path settings() const { return m_folder / "scan" / "scan.settings.json"; }
};

TEST_F(SettingsFileTest, SettingsAreNoEditsOfTheScanAndComeBackWithIt) {
    openScan();
    change([](Request& request) {
        request.job.filter = {FilterWindow::hann, 0.625};
        request.job.output.type = PixelType::uint16;
        request.job.output.range = {0.0, 0.03};
        request.job.output.path.replace_filename("mine.tif");
        request.job.volume.voxels = {11, 12, 13};
        request.volumeIsFitted = false;
        request.job.cpuKernel = kReferenceKernel;
    });
    EXPECT_TRUE(m_document.isSaved());
    EXPECT_TRUE(m_document.undoStack().canUndo());
    const Request before = m_document.request();
    const std::string scan = readTextFile(scanFile());
    m_document.close();
    EXPECT_TRUE(fs::exists(settings()));
    EXPECT_EQ(readTextFile(scanFile()), scan) << "the scan's own file is not touched";
    open(toText(scanFile()));
    EXPECT_TRUE(isSame(m_document.request(), before));
    EXPECT_TRUE(m_document.isSaved());
    EXPECT_EQ(m_heard.count(), 0U);
}

TEST_F(SettingsFileTest, AreWrittenWhenTheEditsRest) {
    openScan();
    change([](Request& request) { request.job.filter.window = FilterWindow::cosine; });
    EXPECT_TRUE(test::waitUntil([this] { return fs::exists(settings()); }));
    m_document.undoStack().undo();
    m_document.close();
    open(toText(scanFile()));
    EXPECT_EQ(m_document.request().job.filter.window, FilterWindow::ramLak);
}

TEST_F(SettingsFileTest, NothingIsWrittenForAScanThatIsOnlyLookedAtOrHasNoFile) {
    openScan();
    setDistance(1300);
    m_document.close();
    EXPECT_FALSE(fs::exists(settings()));
    fs::remove(scanFile());
    open(toText(m_folder / "scan"));
    change([](Request& request) { request.job.filter.cutoff = 0.5; });
    m_document.saveScan(toText(scanFile()));
    EXPECT_TRUE(fs::exists(settings())) << "it has a file now";
    m_document.close();
    open(toText(m_folder / "scan"));
    EXPECT_EQ(m_document.request().job.filter.cutoff, 0.5);
}

TEST_F(SettingsFileTest, AnOutputThatIsThereGetsTheNextFreeNumber) {
    openScan();
    change([](Request& request) { request.job.output.path.replace_filename("mine.tif"); });
    m_document.close();
    for (const char* name : {"mine-2.tif", "mine-3.tif"}) {
        writeFileAtomically(m_folder / "scan" / "mine.tif", "a volume");
        open(toText(scanFile()));
        EXPECT_EQ(m_document.request().job.output.path.filename(), name);
        writeFileAtomically(m_document.request().job.output.path, "a volume");
        change([](Request& request) { request.job.filter.cutoff *= 0.9; });
        m_document.close();
    }
}

TEST_F(SettingsFileTest, OnesThatCannotBeReadAreSaidAndTheScanOpens) {
    openScan();
    change([](Request& request) { request.job.filter.cutoff = 0.5; });
    m_document.close();
    std::string text = readTextFile(settings());
    text.insert(1, "\"sharpness\": 3,");
    writeFileAtomically(settings(), text);
    open(toText(scanFile()));
    EXPECT_EQ(m_document.state(), ScanDocument::State::open);
    EXPECT_EQ(m_document.request().job.filter.cutoff, 1);
    EXPECT_TRUE(m_heard.has(Message::Kind::warning, "sharpness"));
    JobSpec spec;
    EXPECT_ERROR((void)takeSettings(R"({"gantrySettings": 2})", "s.json", spec), InputError,
                 "s.json: gantrySettings");
}

}  // namespace
}  // namespace gantry
