// libFuzzer's entry points: gantry_fuzz --reader=NAME [libFuzzer's words], or --readers to list
// them.

#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "core/base/error.h"
#include "core/base/file.h"
#include "tests/fuzz/readers.h"

namespace {

using gantry::fuzz::Reader;

struct Chosen {
    Reader reader;
    std::filesystem::path file;
};

// What libFuzzer's two functions share; nothing else outlives them.
Chosen& chosen() {
    static Chosen one;
    return one;
}

[[noreturn]] void listReaders() {
    for (const Reader& reader : gantry::fuzz::readers())
        std::printf("%s %s\n", reader.name.c_str(), reader.ending.c_str());
    std::exit(0);
}

void choose(std::string_view name) {
    for (const Reader& reader : gantry::fuzz::readers())
        if (reader.name == name) chosen().reader = reader;
}

// In memory, as a file is written for each input.
std::filesystem::path freshFolder() {
    const std::filesystem::path memory = "/dev/shm";
    std::string name =
        ((gantry::isFolder(memory) ? memory : std::filesystem::path("/tmp")) / "gantry-fuzz-XXXXXX")
            .string();
    if (!mkdtemp(name.data())) std::exit(2);
    return name;
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int* count, char*** words) {
    constexpr std::string_view kReader = "--reader=";
    for (const char* each : std::span(*words, static_cast<std::size_t>(*count))) {
        const std::string_view word = each;
        if (word == "--readers") listReaders();
        if (word.starts_with(kReader)) choose(word.substr(kReader.size()));
    }
    if (!chosen().reader.read) {
        std::fputs("gantry_fuzz: --reader must be one of those that --readers lists\n", stderr);
        std::exit(2);
    }
    chosen().file = freshFolder() / ("a" + chosen().reader.ending);
    gantry::fuzz::writeImagesBeside(chosen().file.parent_path());
    std::atexit([] {
        std::error_code ignored;
        std::filesystem::remove_all(chosen().file.parent_path(), ignored);
    });
    return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    {
        gantry::File file(chosen().file, gantry::File::Mode::create);
        file.writeAt(0, std::as_bytes(std::span(bytes, size)));
    }
    try {
        chosen().reader.read(chosen().file);
    } catch (const gantry::InternalError&) {
        throw;
    } catch (const gantry::Error&) {
        // The usual end of what is no such file.
    }
    return 0;
}
