// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "pmix_hooks/exchange/locality.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace commmap::hooks {
namespace {

/// Text of a small file in /sys; empty where there is no such file.
struct SysFile {
    template <class... Parts>
    explicit SysFile(const char* format, Parts... parts) noexcept {
        char path[256];
        if (std::snprintf(path, sizeof path, format, parts...) >= static_cast<int>(sizeof path))
            return;
        const int fd = ::open(path, O_RDONLY | O_CLOEXEC);
        if (fd < 0) return;
        const ssize_t got = ::read(fd, text, sizeof text - 1);
        text[got > 0 ? got : 0] = '\0';
        ::close(fd);
    }
    char text[4096] = "";
};

/// Calls `visit` with every number of a list such as "0-3,8".
template <class Visit>
void for_each_number(const char* list, Visit&& visit) noexcept {
    while (*list >= '0' && *list <= '9') {
        char* end = nullptr;
        const long first = std::strtol(list, &end, 10);
        long last = first;
        if (*end == '-') last = std::strtol(end + 1, &end, 10);
        for (long number = first; number <= last && number < CpuBits::most_cpus; ++number)
            visit(static_cast<int>(number));
        list = *end == ',' ? end + 1 : "";
    }
}

bool any_in(const CpuBits& cpus, const char* list) noexcept {
    bool any = false;
    for_each_number(list, [&](int cpu) { any = any || cpus.has(cpu); });
    return any;
}

/// Appends ":NAME" and the numbers of a set as ranges; appends nothing when not all of it fits.
void append(const char* name, const CpuBits& numbers, char* text, std::size_t size) noexcept {
    const std::size_t begin = std::strlen(text);
    std::size_t used = begin;
    const auto put = [&](int length) {
        const bool fits = length > 0 && used + static_cast<std::size_t>(length) < size;
        used = fits ? used + static_cast<std::size_t>(length) : size;
        return fits;
    };
    if (!put(std::snprintf(text + used, size - used, "%s%s", begin > 0 ? ":" : "", name))) {
        text[begin] = '\0';
        return;
    }
    const std::size_t first_number = used;
    for (int number = 0; number < CpuBits::most_cpus; ++number) {
        if (!numbers.has(number)) continue;
        const int first = number;
        while (numbers.has(number + 1)) ++number;
        const char* comma = used > first_number ? "," : "";
        const bool fits =
            first == number
                ? put(std::snprintf(text + used, size - used, "%s%d", comma, first))
                : put(std::snprintf(text + used, size - used, "%s%d-%d", comma, first, number));
        if (fits) continue;
        text[begin] = '\0';
        return;
    }
    if (used == first_number) text[begin] = '\0';  // the set is empty
}

}  // namespace

void write_locality(const CpuBits& cpus, const char* sys, char* text, std::size_t size) noexcept {
    if (size == 0) return;
    text[0] = '\0';
    CpuBits nodes;
    for_each_number(SysFile("%s/node/online", sys).text, [&](int node) {
        if (any_in(cpus, SysFile("%s/node/node%d/cpulist", sys, node).text)) nodes.add(node);
    });
    append("NM", nodes, text, size);
    CpuBits packages;
    CpuBits seen;
    for (int cpu = 0; cpu < CpuBits::most_cpus; ++cpu) {
        if (!cpus.has(cpu) || seen.has(cpu)) continue;
        seen.add(cpu);
        for_each_number(SysFile("%s/cpu/cpu%d/topology/package_cpus_list", sys, cpu).text,
                        [&](int other) { seen.add(other); });
        for_each_number(SysFile("%s/cpu/cpu%d/topology/physical_package_id", sys, cpu).text,
                        [&](int package) { packages.add(package); });
    }
    append("SK", packages, text, size);
}

}  // namespace commmap::hooks
