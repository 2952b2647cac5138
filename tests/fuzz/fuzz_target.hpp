// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

// A target is a function LLVMFuzzerTestOneInput() in NAME_fuzz.cpp: it gives one input to a reader,
// and checks what came out. libFuzzer calls it with inputs that it makes up; run_corpus.cpp with
// each file of corpus/NAME.

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
/// libFuzzer's own way to change an input, for a target's LLVMFuzzerCustomMutator().
extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

namespace commmap::fuzz {

/// How many inputs their reader took, where the target counts them. A file of a corpus whose name
/// begins with "taken-" must be one.
inline std::size_t taken = 0;

/// Ends the process, which is how a fuzzer is told.
inline void require(bool holds, std::string_view what) {
    if (holds) return;
    std::fprintf(stderr, "wrong: %.*s\n", static_cast<int>(what.size()), what.data());
    std::abort();
}

inline std::string_view text_of(const std::uint8_t* data, std::size_t size) {
    return {reinterpret_cast<const char*>(data), size};
}

}  // namespace commmap::fuzz
