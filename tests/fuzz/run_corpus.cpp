// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

// Gives a fuzz target every file of its corpus, without libFuzzer: usage: corpus_NAME DIRECTORY...
#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "core/base/file.hpp"
#include "fuzz/fuzz_target.hpp"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t*, std::size_t size, std::size_t) {
    return size;
}

namespace {

constexpr std::uint64_t most_bytes = std::uint64_t{1} << 24;

/// false when the file cannot be read, or its reader refused what its name says that it takes.
bool run(const std::filesystem::path& path) {
    const auto content = commmap::read_file(path, most_bytes);
    if (!content) {
        std::fprintf(stderr, "%s\n", content.error().message.c_str());
        return false;
    }
    // of its own size, so that sanitizers see a step too far; told before, for it may be the last
    // word
    const std::vector<std::uint8_t> bytes(content.value().begin(), content.value().end());
    std::printf("%s\n", path.c_str());
    std::fflush(stdout);
    const std::size_t before = commmap::fuzz::taken;
    LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
    if (!path.filename().string().starts_with("taken-") || commmap::fuzz::taken > before)
        return true;
    std::fprintf(stderr,
                 "%s: the reader takes it no more; make it anew (write_fuzz_seeds), or remove it\n",
                 path.c_str());
    return false;
}

}  // namespace

int main(int argc, char** argv) {
    bool good = true;
    std::size_t files = 0;
    for (int i = 1; i < argc; ++i) {
        std::vector<std::filesystem::path> paths;
        for (const auto& entry : std::filesystem::recursive_directory_iterator(argv[i]))
            if (entry.is_regular_file()) paths.push_back(entry.path());
        std::sort(paths.begin(), paths.end());
        for (const auto& path : paths) good = run(path) && good;
        files += paths.size();
    }
    if (files == 0) std::fputs("no files\n", stderr);
    return good && files > 0 ? 0 : 1;
}
