// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/history/record/run_shape.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <vector>

#include "core/program/content_id.hpp"

namespace commmap {

std::uint64_t short_digest(const std::string& text) {
    constexpr std::size_t digits = 16;
    const std::string id = text_id(text);
    const std::size_t begin = id.find(':') + 1;
    std::uint64_t digest = 0;
    std::from_chars(id.data() + begin, id.data() + begin + digits, digest, 16);
    return digest == 0 ? 1 : digest;
}

std::uint64_t run_shape(std::span<const std::uint32_t> tasks_per_node,
                        std::uint32_t cpus_per_task) {
    std::vector<std::uint32_t> counts(tasks_per_node.begin(), tasks_per_node.end());
    std::erase(counts, 0U);
    std::sort(counts.begin(), counts.end());
    std::string text = fmt::format("shape {}", cpus_per_task);
    for (const std::uint32_t count : counts) text += fmt::format(" {}", count);
    return short_digest(text);
}

std::uint64_t arguments_digest(std::span<const std::string> words) {
    constexpr std::size_t most_words = 64;  // srun gives the planner no more
    std::string text = "arguments";
    for (std::size_t i = 1; i < std::min(words.size(), most_words); ++i) text += '\0' + words[i];
    return short_digest(text);
}

}  // namespace commmap
