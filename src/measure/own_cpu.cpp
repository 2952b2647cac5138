// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "measure/own_cpu.hpp"

#include <sched.h>

#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "core/base/number.hpp"
#include "core/text/text_lines.hpp"

namespace commmap::measure {
namespace {

constexpr std::uint64_t most_cpus = 1U << 16U;

struct FreeCpuSet {
    void operator()(cpu_set_t* set) const { CPU_FREE(set); }
};

bool run_on(std::uint64_t cpu) {
    const std::unique_ptr<cpu_set_t, FreeCpuSet> set(CPU_ALLOC(most_cpus));
    if (!set) return false;
    const std::size_t size = CPU_ALLOC_SIZE(most_cpus);
    CPU_ZERO_S(size, set.get());
    CPU_SET_S(cpu, size, set.get());
    return ::sched_setaffinity(0, size, set.get()) == 0;
}

}  // namespace

Result<std::optional<std::uint32_t>> run_on_own_cpu(std::string_view cpus) {
    if (cpus.empty()) return std::optional<std::uint32_t>{};
    std::vector<std::string_view> all;
    Words words(cpus, ",");
    for (std::string_view word = words.next(); !word.empty(); word = words.next()) {
        all.push_back(word);
    }
    const char* local = std::getenv("SLURM_LOCALID");
    const auto task = parse_number(local == nullptr ? "" : local);
    const auto cpu = task && *task < all.size() ? parse_number(all[*task]) : std::nullopt;
    if (!cpu || *cpu >= most_cpus) {
        return Error{Errc::invalid_input, "no CPU of " + quoted_word(cpus) + " is for this task"};
    }
    if (!run_on(*cpu)) {
        return Error{Errc::invalid_input,
                     "CPU " + std::to_string(*cpu) + " of this node is not for this step"};
    }
    return std::optional(static_cast<std::uint32_t>(*cpu));
}

}  // namespace commmap::measure
