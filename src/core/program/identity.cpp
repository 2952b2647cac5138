// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/program/identity.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <gelf.h>
#include <libelf.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <string_view>

#include "core/base/file.hpp"
#include "core/base/handle.hpp"
#include "core/program/content_id.hpp"

namespace commmap {
namespace {

using ElfHandle = std::unique_ptr<Elf, FreeWith<::elf_end>>;

/// A longer note is no build id: sha1 has 20 bytes, and the linkers' longest id has 32.
constexpr std::size_t max_build_id_bytes = 64;

/// Linux looks for a script's interpreter in so many bytes (BINPRM_BUF_SIZE).
constexpr std::size_t script_start_bytes = 256;

#if defined(__x86_64__)
constexpr GElf_Half own_machine = EM_X86_64;
#elif defined(__aarch64__)
constexpr GElf_Half own_machine = EM_AARCH64;
#elif defined(__powerpc64__)
constexpr GElf_Half own_machine = EM_PPC64;
#elif defined(__riscv)
constexpr GElf_Half own_machine = EM_RISCV;
#else
constexpr GElf_Half own_machine = EM_NONE;  // every ELF file is Kind::foreign_elf
#endif

std::optional<std::string> build_id_in(Elf_Data* notes) {
    if (notes == nullptr) return std::nullopt;
    GElf_Nhdr header;
    std::size_t name = 0;
    std::size_t description = 0;
    for (std::size_t at = 0; (at = gelf_getnote(notes, at, &header, &name, &description)) > 0;) {
        const auto* bytes = static_cast<const unsigned char*>(notes->d_buf);
        if (header.n_type == NT_GNU_BUILD_ID && header.n_namesz == sizeof ELF_NOTE_GNU &&
            std::memcmp(bytes + name, ELF_NOTE_GNU, sizeof ELF_NOTE_GNU) == 0 &&
            header.n_descsz > 0 && header.n_descsz <= max_build_id_bytes)
            return build_id_text(bytes + description, header.n_descsz);
    }
    return std::nullopt;
}

std::optional<std::string> build_id_of(Elf* elf) {
    std::size_t count = 0;
    GElf_Phdr segment;
    if (elf_getphdrnum(elf, &count) == 0)
        for (std::size_t i = 0; i < count; ++i) {
            if (gelf_getphdr(elf, static_cast<int>(i), &segment) == nullptr ||
                segment.p_type != PT_NOTE)
                continue;
            const Elf_Type layout = segment.p_align == 8 ? ELF_T_NHDR8 : ELF_T_NHDR;
            if (auto id = build_id_in(elf_getdata_rawchunk(
                    elf, static_cast<std::int64_t>(segment.p_offset), segment.p_filesz, layout)))
                return id;
        }
    GElf_Shdr header;
    for (Elf_Scn* section = nullptr; (section = elf_nextscn(elf, section)) != nullptr;)
        if (gelf_getshdr(section, &header) != nullptr && header.sh_type == SHT_NOTE)
            if (auto id = build_id_in(elf_getdata(section, nullptr))) return id;
    return std::nullopt;
}

/// Returns the program interpreter. nullopt: there is none, so that nothing can be preloaded.
std::optional<std::string> loader_of(Elf* elf) {
    std::size_t count = 0;
    GElf_Phdr segment;
    if (elf_getphdrnum(elf, &count) != 0) return std::nullopt;
    for (std::size_t i = 0; i < count; ++i) {
        if (gelf_getphdr(elf, static_cast<int>(i), &segment) == nullptr ||
            segment.p_type != PT_INTERP)
            continue;
        const Elf_Data* const text = elf_getdata_rawchunk(
            elf, static_cast<std::int64_t>(segment.p_offset), segment.p_filesz, ELF_T_BYTE);
        if (text == nullptr) return "";
        const std::string_view bytes(static_cast<const char*>(text->d_buf), text->d_size);
        return std::string(bytes.substr(0, bytes.find('\0')));
    }
    return std::nullopt;
}

}  // namespace

Result<Executable> inspect_executable(const std::string& path) {
    const std::unique_ptr<char, FreeWith<::free>> absolute(::realpath(path.c_str(), nullptr));
    if (!absolute) return system_error("find", path, errno);
    Executable executable{absolute.get(), Executable::Kind::other, ""};

    const FileDescriptor fd(::open(absolute.get(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
    if (!fd) return system_error("read", executable.path, errno);
    struct stat status {};
    if (::fstat(fd.get(), &status) != 0) return system_error("read", executable.path, errno);
    if (!S_ISREG(status.st_mode))
        return Error{Errc::invalid_input,
                     fmt::format("'{}' is {}, not a program", executable.path,
                                 S_ISDIR(status.st_mode) ? "a directory" : "not a regular file")};
    std::array<char, script_start_bytes> read{};
    const ssize_t got = ::pread(fd.get(), read.data(), read.size(), 0);
    const std::string_view start(read.data(), static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
    if (start.starts_with("#!")) {
        executable.kind = Executable::Kind::script;
        executable.interpreter = start.substr(2, start.find('\n') - 2);
    } else if (elf_version(EV_CURRENT) != EV_NONE) {
        const ElfHandle elf(elf_begin(fd.get(), ELF_C_READ, nullptr));
        GElf_Ehdr header;
        if (elf && elf_kind(elf.get()) == ELF_K_ELF &&
            gelf_getehdr(elf.get(), &header) != nullptr &&
            (header.e_type == ET_EXEC || header.e_type == ET_DYN)) {
            const auto loader = loader_of(elf.get());
            if (header.e_machine != own_machine || header.e_ident[EI_CLASS] != ELFCLASS64)
                executable.kind = Executable::Kind::foreign_elf;
            else
                executable.kind =
                    loader ? Executable::Kind::dynamic_elf : Executable::Kind::static_elf;
            executable.loader = loader.value_or("");
            if (const auto id = build_id_of(elf.get())) executable.application_id = *id;
        }
    }
    if (executable.application_id.empty()) {
        Result<std::string> id = content_id(executable.path);
        if (!id) return id.error();
        executable.application_id = std::move(id).value();
    }
    return executable;
}

}  // namespace commmap
