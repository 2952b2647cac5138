// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>

namespace commmap::hooks {

/// A set of CPUs, by Linux's CPU numbers.
class CpuBits {
public:
    static constexpr int most_cpus = 16384;

    [[nodiscard]] bool has(int cpu) const noexcept {
        return cpu >= 0 && cpu < most_cpus && (words_[word(cpu)] & bit(cpu)) != 0;
    }
    void add(int cpu) noexcept {
        if (cpu >= 0 && cpu < most_cpus) words_[word(cpu)] |= bit(cpu);
    }
    [[nodiscard]] void* data() noexcept { return words_; }
    [[nodiscard]] static constexpr std::size_t bytes() noexcept { return sizeof words_; }

private:
    static constexpr int bits_of_word = 8 * sizeof(unsigned long);
    static std::size_t word(int cpu) noexcept {
        return static_cast<std::size_t>(cpu / bits_of_word);
    }
    static unsigned long bit(int cpu) noexcept { return 1UL << (cpu % bits_of_word); }

    unsigned long words_[most_cpus / bits_of_word] = {};
};

/// Writes the NUMA nodes and packages that contain `cpus`, by Linux's numbers, in the format of
/// PMIX_LOCALITY_STRING: "NM0-1:SK0".
/// A list that /sys does not tell or that does not fit into `text` is left out.
/// Uses no heap.
/// Cost: reads one file for each NUMA node, two for each package.
/// @param sys  "/sys/devices/system"
void write_locality(const CpuBits& cpus, const char* sys, char* text, std::size_t size) noexcept;

}  // namespace commmap::hooks
