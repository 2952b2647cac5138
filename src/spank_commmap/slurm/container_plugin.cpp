// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "spank_commmap/slurm/container_plugin.hpp"

#include <link.h>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace commmap::spank {
namespace {

/// Returns whether a path names "spank_pyxis.so", in whatever directory.
bool is_container_plugin(std::string_view path) noexcept {
    const std::size_t slash = path.rfind('/');
    return path.substr(slash == std::string_view::npos ? 0 : slash + 1) == "spank_pyxis.so";
}

struct Search {
    bool passed_own = false;
    bool found_behind = false;
};

bool holds(const dl_phdr_info& library, std::uintptr_t address) noexcept {
    for (std::size_t i = 0; i < library.dlpi_phnum; ++i) {
        const ElfW(Phdr)& segment = library.dlpi_phdr[i];
        const std::uintptr_t begin = library.dlpi_addr + segment.p_vaddr;
        if (segment.p_type == PT_LOAD && address >= begin && address - begin < segment.p_memsz)
            return true;
    }
    return false;
}

int look_at(dl_phdr_info* library, std::size_t /*size*/, void* data) {
    auto& search = *static_cast<Search*>(data);
    if (holds(*library, reinterpret_cast<std::uintptr_t>(&look_at)))
        search.passed_own = true;
    else if (search.passed_own && is_container_plugin(library->dlpi_name))
        search.found_behind = true;
    return search.found_behind ? 1 : 0;
}

}  // namespace

bool container_plugin_is_behind() noexcept {
    Search search;
    ::dl_iterate_phdr(look_at, &search);
    return search.found_behind;
}

}  // namespace commmap::spank
