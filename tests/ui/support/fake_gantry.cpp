// Gantry on a machine whose GPUs are fake: it answers `measure` as FakeMachine says, in a process
// of its own as the program does; every other command is the program's.
//     fake_gantry FOLDER GANTRY COMMAND...
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <exception>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#include "core/work/measure_request.h"
#include "tests/support/cpu_backends.h"
#include "tests/support/fake_gpus.h"

namespace {

using namespace gantry;

struct Wish {
    int gpus = 0;
    Index freeBytes = 0;
    int jobDelayMs = 0;
    int gpuDelayMs = 0;
    std::string failure;
    std::string whyNoFilter;
};

Wish readWish(const std::string& folder) {
    Wish wish;
    std::ifstream file(folder + "/machine");
    file >> wish.gpus >> wish.freeBytes >> wish.jobDelayMs >> wish.gpuDelayMs;
    file.ignore();  // the end of the line
    std::getline(file, wish.failure);
    std::getline(file, wish.whyNoFilter);
    return wish;
}

void log(const std::string& folder, const char* what, bool isOfJob) {
    std::ofstream file(folder + "/log", std::ios::app);
    file << what << ' ' << (isOfJob ? "job" : "gpus") << ' ' << getpid() << std::endl;
}

void waitForGpus(const std::string& folder) {
    using namespace std::chrono;
    const auto begin = steady_clock::now();
    while (steady_clock::now() - begin < milliseconds(readWish(folder).gpuDelayMs))
        std::this_thread::sleep_for(milliseconds(10));
}

int answer(const std::string& folder) {
    const std::string request{std::istreambuf_iterator<char>(std::cin), {}};
    const bool isOfJob = !request.empty();
    const Wish wish = readWish(folder);
    log(folder, "asked", isOfJob);
    if (isOfJob)
        std::this_thread::sleep_for(std::chrono::milliseconds(wish.jobDelayMs));
    else
        waitForGpus(folder);
    if (isOfJob && !wish.failure.empty()) {
        std::fprintf(stderr, "gantry: %s\n", wish.failure.c_str());
        return 1;
    }
    test::FakeGpuRates rates;
    rates.whyNoFilter = wish.whyNoFilter;
    Backends backends = test::backends();
    backends.gpu = test::fakeGpus(wish.gpus, wish.freeBytes, rates);
    if (wish.gpus > 0) backends.whyNoGpu.clear();
    std::cout << answerMeasureRequest(request, "the request", backends, {}) << std::endl;
    log(folder, "answered", isOfJob);
    return 0;
}

}  // namespace

int main(int count, char** words) {
    if (count < 4) return 2;
    if (std::string(words[3]) != "measure") {
        std::vector<char*> command(words + 2, words + count);
        command.push_back(nullptr);
        execv(words[2], command.data());
        return 1;
    }
    try {
        return answer(words[1]);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "gantry: %s\n", error.what());
        return 1;
    }
}
