// Whatever is dropped on the window, it says a sentence or shows something, and stays.
#include <gtest/gtest.h>

#include <fstream>
#include <limits>

#include "core/io/volume/open_sink.h"
#include "core/job/job_directory.h"
#include "tests/support/file_bytes.h"
#include "tests/ui/desktop/desk.h"
#include "ui/panels/timeline/timeline_view.h"
#include "ui/widgets/message_bar.h"

namespace gantry {
namespace {

namespace fs = std::filesystem;
using test::Desk;
using test::waitUntil;

void write(const fs::path& path, const std::string& text) {
    fs::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << text;
}

// Drops it and waits for a sentence that has the words.
void expectSentence(Desk& desk, const fs::path& path, const char* words) {
    auto& messages = desk.part<MessageBar>("messages");
    messages.clear();
    desk.drop(path);
    EXPECT_TRUE(waitUntil([&] { return messages.text().contains(words); }, 20))
        << path.filename() << ": " << messages.text().toStdString();
    EXPECT_TRUE(desk.window().isVisible());
}

fs::path smallVolume(const fs::path& path) {
    VolumeGrid grid;
    grid.voxels = {9, 7, 5};
    grid.pitchMm = {1, 1, 1};
    const auto sink = openSink({path, PixelType::float32, {}}, grid, SinkStart::fresh);
    std::vector<float> voxels(9 * 7 * 5, 0.01F);
    voxels[17] = std::numeric_limits<float>::quiet_NaN();
    voxels[18] = std::numeric_limits<float>::infinity();
    sink->write(0, {voxels.data(), 5, 7, 9});
    sink->finish();
    return path;
}

// A finished job's folder.
fs::path smallJob(Desk& desk) {
    const fs::path scan = desk.makeScan(8, 16) / "scan.json";
    const JobSpec spec = test::jobOf(readScanFile(scan), 8, desk.folder() / "volume.mha");
    (void)test::run(spec);
    return jobFolderFor(spec.output.path);
}

TEST(Hostile, ScansThatAreNone) {
    Desk desk;
    fs::create_directories(desk.folder() / "empty");
    expectSentence(desk, desk.folder() / "empty", "empty");
    write(desk.folder() / "broken.json", "{ \"gantryScan\": 1, ");
    expectSentence(desk, desk.folder() / "broken.json", "broken.json");
    write(desk.folder() / "newer.json", "{ \"gantryScan\": 99 }");
    expectSentence(desk, desk.folder() / "newer.json", "newer.json");
    write(desk.folder() / "picture.tif", "II*");
    expectSentence(desk, desk.folder() / "picture.tif", "picture.tif");
    write(desk.folder() / "geometry.xml", "<RTKThreeDCircularGeometry>");
    expectSentence(desk, desk.folder() / "geometry.xml", "geometry");
}

TEST(Hostile, AScanOfNoViewsAndOneOfASinglePixel) {
    Desk desk;
    const fs::path scan = desk.makeScan(5, 1);
    desk.drop(scan);
    EXPECT_TRUE(waitUntil([&] { return desk.workspace().scan().hasScan(); }));
    test::pass(500);
    std::string text = test::fileBytes(scan / "scan.json");
    const auto views = text.find("\"views\"");
    ASSERT_NE(views, std::string::npos);
    text.replace(text.find('5', views), 1, "0");
    write(scan / "scan.json", text);
    desk.workspace().scan().close();
    desk.drop(scan);
    EXPECT_TRUE(waitUntil([&] { return desk.workspace().scan().hasErrors(); }));
    EXPECT_TRUE(desk.window().isVisible());
}

TEST(Hostile, VolumesThatAreCutOffOrHoldNoNumbers) {
    Desk desk;
    const fs::path volume = smallVolume(desk.folder() / "volume.mha");
    desk.drop(volume);
    ASSERT_TRUE(waitUntil([&] { return desk.workspace().volume().volume() != nullptr; }));
    EXPECT_EQ(desk.workspace().volume().volume()->notFinite, 2);
    for (const auto tab : {MainWindow::Tab::slices, MainWindow::Tab::volume}) {
        desk.window().showTab(tab);
        test::pass(300);
    }
    const fs::path cut = desk.folder() / "cut.mha";
    write(cut, test::fileBytes(volume).substr(0, fs::file_size(volume) - 100));
    expectSentence(desk, cut, "cut.mha");
    // What was there stays.
    EXPECT_NE(desk.workspace().volume().volume(), nullptr);
}

TEST(Hostile, JobFoldersThatAreDamagedOrFromAnotherVersion) {
    Desk desk;
    const fs::path job = smallJob(desk);
    const std::string events = test::fileBytes(job / "events.jsonl");
    write(job / "events.jsonl", events.substr(0, events.size() * 2 / 3) +
                                    "\n{\"event\":\"new\"}\n" + std::string(100, '\0') +
                                    "\n{\"event\":\"span\"}\n");
    desk.drop(job);
    EXPECT_TRUE(waitUntil([&] { return desk.workspace().selection().jobFolder() == toText(job); }));
    test::pass(500);
    write(job / "events.jsonl", "");
    test::pass(1500);
    EXPECT_TRUE(desk.window().isVisible());
    write(job / "job.json", "{ \"gantryJob\": 99 }");
    expectSentence(desk, job, "job.json");
}

TEST(Hostile, AnEventFileThatIsBeingWritten) {
    Desk desk;
    const fs::path job = smallJob(desk);
    const std::string events = test::fileBytes(job / "events.jsonl");
    // Somebody is at work on it.
    auto worker = std::make_unique<JobDirectory>(JobDirectory::open(job));
    write(job / "events.jsonl", "");
    desk.drop(job);
    std::ofstream file(job / "events.jsonl", std::ios::binary);
    // In pieces that end anywhere.
    for (std::size_t at = 0; at < events.size(); at += 97) {
        file << events.substr(at, 97) << std::flush;
        if (at % 970 == 0) test::pass(10);
    }
    worker.reset();
    auto& timeline = desk.part<TimelineView>("timelineView");
    EXPECT_TRUE(waitUntil([&] { return timeline.isVisible(); }));
    const JobEntry* entry = nullptr;
    EXPECT_TRUE(waitUntil(
        [&] {
            entry = desk.workspace().jobs().find(toText(job));
            return entry && entry->status.state == JobState::done;
        },
        20))
        << (entry ? name(entry->status.state) : "not in the list") << ": "
        << (entry ? entry->status.message : "");
}

}  // namespace
}  // namespace gantry
