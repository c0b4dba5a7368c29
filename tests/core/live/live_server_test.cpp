#include "core/live/live_server.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <mutex>
#include <sstream>
#include <thread>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/cpu/cpu_backend.h"
#include "core/live/live_messages.h"
#include "core/live/live_slices.h"
#include "core/scan/inspect/find_extension.h"
#include "tests/support/cpu_backends.h"
#include "tests/support/expect_error.h"
#include "tests/support/small_job.h"
#include "tests/support/small_scan.h"
#include "tests/support/temporary_folder.h"

namespace gantry {
namespace {

constexpr const char* kWhere = "a test's line";

// What a server says, line by line, from whichever thread.
class Said : public std::streambuf {
  public:
    [[nodiscard]] std::vector<LiveReply> all() {
        const std::scoped_lock lock(m_mutex);
        std::vector<LiveReply> replies;
        std::istringstream lines(m_text.substr(0, m_text.rfind('\n') + 1));
        for (std::string line; std::getline(lines, line);)
            replies.push_back(parseLiveReply(line, kWhere));
        return replies;
    }
    // Waits for the last pictures of that request, or why there are none.
    [[nodiscard]] LiveReply answerTo(Index number) {
        for (int tries = 0; tries < 2000; ++tries) {
            for (const LiveReply& reply : all()) {
                const auto* pictures = std::get_if<LivePictures>(&reply);
                if (pictures && pictures->number == number && pictures->isFinal) return reply;
                const auto* refused = std::get_if<LiveRefused>(&reply);
                if (refused && refused->number == number) return reply;
            }
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        }
        ADD_FAILURE() << "no answer to request " << number;
        return LiveLoading{};
    }

  protected:
    int overflow(int c) override {
        const std::scoped_lock lock(m_mutex);
        m_text += static_cast<char>(c);
        return c;
    }
    std::streamsize xsputn(const char* text, std::streamsize count) override {
        const std::scoped_lock lock(m_mutex);
        m_text.append(text, static_cast<std::size_t>(count));
        return count;
    }

  private:
    std::mutex m_mutex;
    std::string m_text;
};

class LiveServerTest : public testing::Test {
  protected:
    void SetUp() override {
        ASSERT_EQ(::pipe(m_pipe), 0);
        File(m_pictures, File::Mode::create).close();
        m_spec.scan = test::simulated(test::smallScan(48, 151, 60, 300), m_folder / "scan");
        m_spec.volume = fitGrid(m_spec.scan.geometry, 31);
    }
    void TearDown() override {
        end();
        if (m_server.joinable()) m_server.join();
        ::close(m_pipe[0]);
    }

    void serve() {
        m_server = std::jthread([this](const std::stop_token& stop) {
            try {
                serveLiveSlices(m_pipe[0], m_out, m_pictures, m_backends, 2, stop);
            } catch (const std::exception& error) {
                m_failure = messageOf(error);
            }
        });
    }
    void send(const std::string& line) {
        const std::string all = line + "\n";
        ASSERT_EQ(::write(m_pipe[1], all.data(), all.size()), static_cast<ssize_t>(all.size()));
    }
    void end() {
        if (m_pipe[1] >= 0) ::close(std::exchange(m_pipe[1], -1));
    }
    // A picture as it lies in the file.
    [[nodiscard]] std::vector<float> pictureAt(const PicturePlace& place) const {
        std::vector<float> pixels(static_cast<std::size_t>(place.columns * place.rows));
        File(m_pictures, File::Mode::read)
            .readAt(place.offsetBytes, std::as_writable_bytes(std::span(pixels)));
        return pixels;
    }
    [[nodiscard]] LiveAsked asked(Index number) const {
        LiveAsked asked = {number, m_spec, {}};
        for (const Plane& plane : orthogonalPlanes(m_spec.volume, {0, 0, 0}))
            asked.planes.push_back(plane);
        return asked;
    }

    const test::TemporaryFolder m_folder;
    const std::filesystem::path m_pictures = m_folder / "pictures of 'slices' °";
    const Backends m_backends = test::backends();
    JobSpec m_spec;
    Said m_lines;
    std::ostream m_out{&m_lines};
    std::string m_failure;
    int m_pipe[2] = {-1, -1};
    std::jthread m_server;
};

TEST_F(LiveServerTest, MakesTheNewestRequestAndPutsItsPicturesIntoTheFile) {
    serve();
    send(toLine(LiveOpen{m_spec, {1'000'000'000, {}}}));
    for (Index number = 1; number <= 20; ++number) {
        LiveAsked one = asked(number);
        one.spec.scan.geometry.detector.offsetMm[0] = 0.1 * static_cast<double>(number);
        send(toLine(one));
    }
    const LiveReply reply = m_lines.answerTo(20);
    const auto& last = std::get<LivePictures>(reply);
    ASSERT_EQ(last.places.size(), 3U);
    EXPECT_EQ(last.places[0].columns, m_spec.volume.voxels[0]);
    EXPECT_EQ(last.places[1].rows, m_spec.volume.voxels[2]);

    LiveOptions options;
    options.threads = 2;
    options.place.hostBytes = 1'000'000'000;
    options.makePreview = [] { return makeCpuPlanePreview(2); };
    const OpenScan scan = openScan(m_spec.scan);
    const RowExtension extension = findExtension(scan, {}, 2, {});
    EXPECT_TRUE(extension.any()) << "the head is wider than the detector";
    LiveSlices slices(withExtension(scan, extension), options, {});
    SliceRequest request = {m_spec.scan.geometry, m_spec.filter, asked(20).planes};
    request.geometry.detector.offsetMm[0] = 2;
    slices.render(
        request,
        [&](const SliceStep& step) {
            if (!step.isFinal) return;
            for (std::size_t i = 0; i < 3; ++i) {
                const std::vector<float> found = pictureAt(last.places[i]);
                EXPECT_TRUE(std::equal(found.begin(), found.end(), step.pictures[i].data()));
            }
        },
        {});
    const std::vector<LiveReply> all = m_lines.all();
    EXPECT_TRUE(std::holds_alternative<LiveLoading>(all.front()));
    EXPECT_EQ(
        std::count_if(all.begin(), all.end(),
                      [](const LiveReply& one) { return std::holds_alternative<LiveReady>(one); }),
        1);
    end();
    m_server.join();
    EXPECT_EQ(m_failure, "");
}

TEST_F(LiveServerTest, ARequestThatCannotBeMadeIsAnsweredAndTheNextOneIsMade) {
    serve();
    send(toLine(LiveOpen{m_spec, {1'000'000'000, {}}}));
    LiveAsked wrong = asked(1);
    wrong.spec.scan.geometry.cone().arcDeg = 5;
    send(toLine(wrong));
    const LiveReply reply = m_lines.answerTo(1);
    ASSERT_TRUE(std::holds_alternative<LiveRefused>(reply));
    EXPECT_NE(std::get<LiveRefused>(reply).sentence.find("arc"), std::string::npos);
    send(toLine(asked(2)));
    EXPECT_TRUE(std::holds_alternative<LivePictures>(m_lines.answerTo(2)));
}

// Upright rows, though the CPU makes them: its own rows would spoil the levels of such a scan.
TEST_F(LiveServerTest, MakesTheSlicesOfTheRunAlsoOfARolledDetectorBesideTheAxis) {
    SimulationSpec scan = test::smallScan(60, 151, 60, 300);
    scan.geometry.detector.rollDeg = 2;
    scan.geometry.detector.offsetMm[0] = 70;
    m_spec = test::jobOf(test::simulated(scan, m_folder / "rolled"), 41, m_folder / "volume.mha");
    const Volume run = test::reconstructed(m_spec);
    serve();
    send(toLine(LiveOpen{m_spec, {1'000'000'000, {}}}));
    const Index z = m_spec.volume.voxels[2] / 3;
    const Vec3 through = m_spec.volume.positionMm(0, 0, static_cast<double>(z));
    send(toLine(LiveAsked{1, m_spec, {orthogonalPlanes(m_spec.volume, through)[0]}}));
    const LiveReply reply = m_lines.answerTo(1);
    const std::vector<float> slice = pictureAt(std::get<LivePictures>(reply).places.at(0));
    const auto ofRun = run.span().slices({z, z + 1});
    ASSERT_EQ(std::ssize(slice), ofRun.count());
    const float largest = *std::max_element(ofRun.data(), ofRun.data() + ofRun.count());
    for (Index i = 0; i < ofRun.count(); ++i)
        ASSERT_NEAR(slice[static_cast<std::size_t>(i)], ofRun.data()[i], 1e-4F * largest) << i;
}

TEST_F(LiveServerTest, EndsWithASentenceWhereTheScanCannotBeHeld) {
    serve();
    send(toLine(LiveOpen{m_spec, {1000, {}}}));
    m_server.join();
    EXPECT_NE(m_failure.find("may take 1.00 kB"), std::string::npos) << m_failure;
}

TEST_F(LiveServerTest, StopsWhenAskedThoughItsInputIsOpen) {
    serve();
    send(toLine(LiveOpen{m_spec, {1'000'000'000, {}}}));
    send(toLine(asked(1)));
    (void)m_lines.answerTo(1);
    m_server.request_stop();
    m_server.join();
    EXPECT_EQ(m_failure, "");
}

TEST(LiveMessages, WrongLinesAreNamed) {
    EXPECT_ERROR((void)parseLiveAsked("{}", kWhere), InputError, "number");
    EXPECT_ERROR((void)parseLiveReply(R"({"number":1,"binning":1,"pictures":[{"columns":9000,)"
                                      R"("rows":1,"offsetBytes":0}]})",
                                      kWhere),
                 InputError, "columns is 9000; it must be 1 to 8192");
    EXPECT_ERROR((void)parseLiveReply("hello", kWhere), InputError, kWhere);
}

}  // namespace
}  // namespace gantry
