// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "pmix_hooks/process/own_executable.hpp"

#include <elf.h>
#include <limits.h>
#include <link.h>
#include <unistd.h>

#include <cstring>

#include "core/program/content_id.hpp"

namespace commmap::hooks {
namespace {

std::size_t padded(std::size_t length, std::size_t alignment) {
    return (length + alignment - 1) / alignment * alignment;
}

std::string build_id_in(const unsigned char* notes, std::size_t length, std::size_t alignment) {
    if (alignment != 8) alignment = 4;
    ElfW(Nhdr) header;
    while (length >= sizeof header) {
        std::memcpy(&header, notes, sizeof header);
        const std::size_t name = sizeof header;
        const std::size_t description = padded(name + header.n_namesz, alignment);
        const std::size_t end = padded(description + header.n_descsz, alignment);
        if (description + header.n_descsz > length) break;
        if (header.n_type == NT_GNU_BUILD_ID && header.n_namesz == sizeof ELF_NOTE_GNU &&
            std::memcmp(notes + name, ELF_NOTE_GNU, sizeof ELF_NOTE_GNU) == 0 &&
            header.n_descsz > 0)
            return build_id_text(notes + description, header.n_descsz);
        if (end >= length) break;
        notes += end;
        length -= end;
    }
    return "";
}

/// Reads the build id of the program. Returns 1, which ends the walk at its first object: the
/// program.
int look_into_program(dl_phdr_info* program, std::size_t, void* id) {
    for (int i = 0; i < program->dlpi_phnum; ++i) {
        const ElfW(Phdr)& segment = program->dlpi_phdr[i];
        if (segment.p_type != PT_NOTE) continue;
        const auto* notes =
            // NOLINTNEXTLINE(performance-no-int-to-ptr): the loader gives addresses as numbers
            reinterpret_cast<const unsigned char*>(program->dlpi_addr + segment.p_vaddr);
        std::string found = build_id_in(notes, segment.p_memsz, segment.p_align);
        if (found.empty()) continue;
        *static_cast<std::string*>(id) = std::move(found);
        break;
    }
    return 1;
}

}  // namespace

Result<std::string> own_application_id() {
    std::string id;
    ::dl_iterate_phdr(look_into_program, &id);
    if (!id.empty()) return id;
    return content_id("/proc/self/exe");
}

std::string own_path() {
    char path[PATH_MAX];
    const ssize_t length = ::readlink("/proc/self/exe", path, sizeof path);
    return length <= 0 ? "" : std::string(path, static_cast<std::size_t>(length));
}

}  // namespace commmap::hooks
