#include "spank_commmap/binding.hpp"

#include <hwloc.h>
#include <sched.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <string>

#include "core/base/handle.hpp"

namespace commmap::spank {
namespace {

using HwlocTopology = std::unique_ptr<hwloc_topology, FreeWith<hwloc_topology_destroy>>;

constexpr unsigned most_cpus = 1U << 16;

/// One size for every call: the kernel refuses a set that is smaller than its own.
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

Result<CpuSet> current_cpus() {
    const CpuMask mask;
    if (!mask.ok() || ::sched_getaffinity(0, CpuMask::size(), mask.get()) != 0) {
        return Error{Errc::io,
                     std::string("the CPUs of the task are not known: ") + std::strerror(errno)};
    }
    CpuSet cpus;
    for (unsigned cpu = 0; cpu < most_cpus; ++cpu) {
        if (CPU_ISSET_S(cpu, CpuMask::size(), mask.get())) cpus.push_back(cpu);
    }
    return cpus;
}

Status set_cpus(const CpuSet& cpus) {
    const CpuMask mask;
    if (!mask.ok()) return Error{Errc::io, "no memory"};
    for (const unsigned cpu : cpus) CPU_SET_S(cpu, CpuMask::size(), mask.get());
    if (::sched_setaffinity(0, CpuMask::size(), mask.get()) == 0) return Ok{};
    return Error{Errc::io, "CPU " + std::to_string(cpus.front()) + " was refused (" +
                               std::strerror(errno) + "), Slurm's binding stays"};
}

Result<CpuSet> live_logical_order() {
    hwloc_topology_t raw = nullptr;
    if (hwloc_topology_init(&raw) != 0) return Error{Errc::library, "hwloc cannot be initialised"};
    const HwlocTopology topology(raw);
    // The whole machine: the order must be that of the planner, whatever part of it this job may
    // use.
    hwloc_topology_set_flags(raw, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED);
    if (hwloc_topology_load(raw) != 0)
        return Error{Errc::library, "hwloc cannot read this node's topology"};
    CpuSet order;
    for (hwloc_obj_t pu = nullptr;
         (pu = hwloc_get_next_obj_by_type(raw, HWLOC_OBJ_PU, pu)) != nullptr;)
        order.push_back(pu->os_index);
    return order;
}

Status read_mask(std::string_view text, CpuSet& cpus) {
    const auto bad = [&] {
        return Error{Errc::invalid_input,
                     "not a CPU mask: '" + std::string(text.substr(0, 40)) + "'"};
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

bool contains(const CpuSet& cpus, unsigned cpu) {
    return std::binary_search(cpus.begin(), cpus.end(), cpu);
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

Result<CpuSet> choose_cpus(std::span<const unsigned> logical_order, const CpuSet& allowed,
                           std::span<const CpuSet> masks, std::span<const std::uint32_t> slots,
                           std::size_t local_id) {
    if (local_id >= slots.size())
        return Error{Errc::out_of_range, "no slot for local task " + std::to_string(local_id)};
    CpuSet usable;  // in logical order
    std::copy_if(logical_order.begin(), logical_order.end(), std::back_inserter(usable),
                 [&](unsigned cpu) { return contains(allowed, cpu); });
    const std::uint32_t highest = *std::max_element(slots.begin(), slots.end());
    if (highest >= usable.size()) {
        return Error{Errc::out_of_range, "slot " + std::to_string(highest) + " of " +
                                             std::to_string(usable.size()) + " usable CPUs"};
    }
    const unsigned own = usable[slots[local_id]];
    // One PU for each task only where the tasks fill what they may use: else other jobs may be here
    // too (nothing confines this one), or a threaded program would lose the PUs that Slurm left it.
    const auto own_alone = [&]() -> Result<CpuSet> {
        if (slots.size() == usable.size()) return CpuSet{own};
        return Error{Errc::out_of_range, std::to_string(slots.size()) + " tasks may use " +
                                             std::to_string(usable.size()) +
                                             " CPUs: binding is left to Slurm"};
    };
    const CpuSet* home = nullptr;
    for (const CpuSet& mask : masks) {
        if (!contains(mask, own)) continue;
        if (home != nullptr) return own_alone();  // the masks overlap: none is a place of its own
        home = &mask;
    }
    if (home == nullptr) return own_alone();
    const auto tasks_at_home = std::count_if(slots.begin(), slots.end(), [&](std::uint32_t slot) {
        return contains(*home, usable[slot]);
    });
    if (tasks_at_home == 1) return *home;
    return own_alone();
}

Status bind_task(std::string_view slurm_masks, std::span<const std::uint32_t> slots,
                 std::size_t local_id) {
    std::vector<CpuSet> masks;
    if (!slurm_masks.empty()) {
        auto parsed = parse_cpu_masks(slurm_masks);
        if (parsed) masks = std::move(parsed).value();
    }
    CpuSet allowed;
    for (const CpuSet& mask : masks) allowed.insert(allowed.end(), mask.begin(), mask.end());
    std::sort(allowed.begin(), allowed.end());
    allowed.erase(std::unique(allowed.begin(), allowed.end()), allowed.end());
    if (allowed.empty()) {
        auto current = current_cpus();
        if (!current) return current.error();
        allowed = std::move(current).value();
    }
    const auto order = live_logical_order();
    if (!order) return order.error();
    const auto cpus = choose_cpus(order.value(), allowed, masks, slots, local_id);
    if (!cpus) return cpus.error();
    return set_cpus(cpus.value());
}

}  // namespace commmap::spank
