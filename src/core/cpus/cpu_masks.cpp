// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/cpus/cpu_masks.hpp"

#include <fmt/core.h>
#include <sched.h>

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <memory>
#include <string>

namespace commmap {
namespace {

constexpr unsigned most_cpus = 1U << 16;

/// A CPU set of one large size, because the kernel refuses a set that is smaller than its own.
class CpuMask {
public:
    CpuMask() : set_(CPU_ALLOC(most_cpus)) {
        if (set_ != nullptr) CPU_ZERO_S(size(), set_.get());
    }
    [[nodiscard]] bool ok() const { return set_ != nullptr; }
    [[nodiscard]] cpu_set_t* get() const { return set_.get(); }
    [[nodiscard]] static std::size_t size() { return CPU_ALLOC_SIZE(most_cpus); }

private:
    struct Free {
        void operator()(cpu_set_t* set) const noexcept { CPU_FREE(set); }
    };
    std::unique_ptr<cpu_set_t, Free> set_;
};

Status read_mask(std::string_view text, CpuSet& cpus) {
    const auto bad = [&] {
        return Error{
            Errc::invalid_input,
            fmt::format("SLURM_CPU_BIND_LIST has '{}', which is no CPU mask", text.substr(0, 40))};
    };
    if (!text.starts_with("0x") || text.size() < 3 || text.size() > 2 + most_cpus / 4) return bad();
    const std::string_view digits = text.substr(2);
    for (std::size_t place = 0; place < digits.size(); ++place) {
        const char c = digits[digits.size() - 1 - place];
        unsigned bits = 0;
        if (c >= '0' && c <= '9') {
            bits = static_cast<unsigned>(c - '0');
        } else if (c >= 'a' && c <= 'f') {
            bits = static_cast<unsigned>(c - 'a') + 10;
        } else if (c >= 'A' && c <= 'F') {
            bits = static_cast<unsigned>(c - 'A') + 10;
        } else {
            return bad();
        }
        for (unsigned bit = 0; bit < 4; ++bit) {
            if ((bits >> bit & 1U) != 0) cpus.push_back(static_cast<unsigned>(place) * 4 + bit);
        }
    }
    return Ok{};
}

Status set_mask(const CpuSet& cpus) {
    const CpuMask mask;
    if (!mask.ok()) return Error{Errc::io, "no memory"};
    for (const unsigned cpu : cpus) CPU_SET_S(cpu, CpuMask::size(), mask.get());
    if (::sched_setaffinity(0, CpuMask::size(), mask.get()) == 0) return Ok{};
    return Error{Errc::io, fmt::format("CPU {} was refused ({}), Slurm's binding stays",
                                       cpus.front(), std::strerror(errno))};
}

}  // namespace

Result<std::vector<CpuSet>> parse_cpu_masks(std::string_view text) {
    std::vector<CpuSet> masks;
    for (;;) {
        const auto comma = text.find(',');
        if (const Status read = read_mask(text.substr(0, comma), masks.emplace_back()); !read)
            return read.error();
        if (comma == std::string_view::npos) return masks;
        text.remove_prefix(comma + 1);
    }
}

Result<CpuSet> current_cpus() {
    const CpuMask mask;
    if (!mask.ok() || ::sched_getaffinity(0, CpuMask::size(), mask.get()) != 0) {
        return Error{Errc::io,
                     fmt::format("the CPUs of the task are not known: {}", std::strerror(errno))};
    }
    const auto count = static_cast<std::size_t>(CPU_COUNT_S(CpuMask::size(), mask.get()));
    CpuSet cpus;
    for (unsigned cpu = 0; cpus.size() < count; ++cpu) {
        if (CPU_ISSET_S(cpu, CpuMask::size(), mask.get())) cpus.push_back(cpu);
    }
    return cpus;
}

Status set_cpus(const CpuSet& cpus, const CpuSet& before) {
    if (cpus.empty()) return Error{Errc::invalid_input, "the plan gives this task no CPU"};
    if (Status set = set_mask(cpus); !set) return set;
    // Reads the mask back. The kernel accepts a mask that is only partly allowed, and uses the
    // allowed part.
    const auto got = current_cpus();
    if (got && got.value() == cpus) return Ok{};
    const bool back = set_mask(before).ok();
    return Error{Errc::io, fmt::format("the system let this task use {} of its {} CPUs, {}",
                                       got ? got.value().size() : 0, cpus.size(),
                                       back ? "Slurm's binding stays"
                                            : "and Slurm's binding could not be restored")};
}

}  // namespace commmap
