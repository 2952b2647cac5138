// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

// This file lets a library be loaded into a program with an older C library than the build's.
// The dynamic linker ends a program when a library in it asks for a version of a symbol that the C
// library lacks.
// Here are the functions that got a new version, or came new, after glibc 2.17.
// The linker puts them in the place of the C library's own (--wrap, CMakeLists.txt), also where the
// C++ library asks for them.
// tests/gates/test_installed_files.py checks which versions a library still asks for.
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>

#if !defined(__GLIBC__) || !(defined(__x86_64__) || defined(__aarch64__))
#error "for glibc on x86-64 and aarch64 alone: see CMakeLists.txt"
#endif

// The first version of a function on this kind of machine.
#if defined(__x86_64__)
#define COMMMAP_FIRST "2.2.5"
#define COMMMAP_FIRST_OF_LATER "2.3.3"
#else
#define COMMMAP_FIRST "2.17"
#define COMMMAP_FIRST_OF_LATER "2.17"
#endif

// Wraps NAME with its first version. NAME is in libc.so.6 now, and was in libdl.so.2 or
// libpthread.so.0.
#define COMMMAP_OLDER(version, result, name, parameters, arguments)       \
    extern "C" result older_##name parameters;                            \
    __asm__(".symver older_" #name "," #name "@GLIBC_" version);          \
    extern "C" result wrapped_##name parameters __asm__("__wrap_" #name); \
    result wrapped_##name parameters { return older_##name arguments; }

COMMMAP_OLDER(COMMMAP_FIRST, void*, dlopen, (const char* file, int mode), (file, mode))
COMMMAP_OLDER(COMMMAP_FIRST, int, dlclose, (void* handle), (handle))
COMMMAP_OLDER(COMMMAP_FIRST, void*, dlsym, (void* handle, const char* name), (handle, name))
COMMMAP_OLDER(COMMMAP_FIRST, int, dladdr, (const void* address, Dl_info* info), (address, info))
COMMMAP_OLDER(COMMMAP_FIRST_OF_LATER, int, dladdr1,
              (const void* address, Dl_info* info, void** extra, int flags),
              (address, info, extra, flags))
COMMMAP_OLDER(COMMMAP_FIRST_OF_LATER, int, dlinfo, (void* handle, int request, void* argument),
              (handle, request, argument))
COMMMAP_OLDER(COMMMAP_FIRST, int, pthread_once, (pthread_once_t * control, void (*routine)()),
              (control, routine))
COMMMAP_OLDER(COMMMAP_FIRST, int, pthread_key_create,
              (pthread_key_t * key, void (*destructor)(void*)), (key, destructor))
COMMMAP_OLDER(COMMMAP_FIRST, int, __pthread_key_create,
              (pthread_key_t * key, void (*destructor)(void*)), (key, destructor))
COMMMAP_OLDER(COMMMAP_FIRST, int, pthread_setspecific, (pthread_key_t key, const void* value),
              (key, value))
COMMMAP_OLDER(COMMMAP_FIRST, int, pthread_mutex_trylock, (pthread_mutex_t * mutex), (mutex))
COMMMAP_OLDER(COMMMAP_FIRST, int, pthread_sigmask, (int how, const sigset_t* set, sigset_t* old),
              (how, set, old))

// Wraps the functions that headers of glibc 2.38 and later call for these. They do the same, but
// read "0b" as the beginning of a number.
#define COMMMAP_OF_C23(result, name)                                                  \
    extern "C" result older_##name(const char* text, char** end, int base);           \
    __asm__(".symver older_" #name "," #name "@GLIBC_" COMMMAP_FIRST);                \
    extern "C" result wrapped_c23_##name(const char* text, char** end,                \
                                         int base) __asm__("__wrap___isoc23_" #name); \
    result wrapped_c23_##name(const char* text, char** end, int base) {               \
        return older_##name(text, end, base);                                         \
    }

COMMMAP_OF_C23(long, strtol)
COMMMAP_OF_C23(unsigned long, strtoul)
COMMMAP_OF_C23(long long, strtoll)
COMMMAP_OF_C23(unsigned long long, strtoull)

extern "C" {

/// Stays false, so that the C++ library counts references atomically in every process.
char older_single_threaded __asm__("__libc_single_threaded") = 0;

int wrapped_fstat(int fd, struct stat* status) __asm__("__wrap_fstat");
int wrapped_fstat(int fd, struct stat* status) {
    return static_cast<int>(::syscall(SYS_fstat, fd, status));
}

int wrapped_stat(const char* path, struct stat* status) __asm__("__wrap_stat");
int wrapped_stat(const char* path, struct stat* status) {
    return static_cast<int>(::syscall(SYS_newfstatat, AT_FDCWD, path, status, 0));
}

int wrapped_lstat(const char* path, struct stat* status) __asm__("__wrap_lstat");
int wrapped_lstat(const char* path, struct stat* status) {
    return static_cast<int>(::syscall(SYS_newfstatat, AT_FDCWD, path, status, AT_SYMLINK_NOFOLLOW));
}

int wrapped_memfd_create(const char* name, unsigned flags) __asm__("__wrap_memfd_create");
int wrapped_memfd_create(const char* name, unsigned flags) {
    return static_cast<int>(::syscall(SYS_memfd_create, name, flags));
}

/// Serves std::random_device, which nothing here uses.
int wrapped_getentropy(void* bytes, std::size_t count) __asm__("__wrap_getentropy");
int wrapped_getentropy(void* bytes, std::size_t count) {
    return ::syscall(SYS_getrandom, bytes, count, 0) == static_cast<long>(count) ? 0 : -1;
}

std::uint32_t wrapped_arc4random() __asm__("__wrap_arc4random");
std::uint32_t wrapped_arc4random() {
    std::uint32_t number = 0;
    static_cast<void>(wrapped_getentropy(&number, sizeof number));
    return number;
}

}  // extern "C"

#if defined(DLFO_STRUCT_HAS_EH_DBASE)
namespace {

struct Wanted {
    std::uintptr_t address;
    dl_find_object* found;
};

int look_into(dl_phdr_info* object, std::size_t /*size*/, void* data) {
    auto& wanted = *static_cast<Wanted*>(data);
    const ElfW(Phdr)* unwinding = nullptr;
    const ElfW(Phdr)* loaded = nullptr;
    for (ElfW(Half) i = 0; i < object->dlpi_phnum; ++i) {
        const ElfW(Phdr)& part = object->dlpi_phdr[i];
        const std::uintptr_t start = object->dlpi_addr + part.p_vaddr;
        if (part.p_type == PT_GNU_EH_FRAME) unwinding = &part;
        if (part.p_type == PT_LOAD && wanted.address >= start &&
            wanted.address - start < part.p_memsz)
            loaded = &part;
    }
    if (loaded == nullptr || unwinding == nullptr) return 0;
    const auto at = [&](std::uintptr_t offset) {
        // NOLINTNEXTLINE(performance-no-int-to-ptr)
        return reinterpret_cast<void*>(object->dlpi_addr + offset);
    };
    wanted.found->dlfo_map_start = at(loaded->p_vaddr);
    wanted.found->dlfo_map_end = at(loaded->p_vaddr + loaded->p_memsz);
    wanted.found->dlfo_eh_frame = at(unwinding->p_vaddr);
    return 1;
}

}  // namespace

/// Finds a function's tables for the unwinder, as unwinders before glibc 2.35 did themselves.
extern "C" int wrapped_dl_find_object(void* address,
                                      dl_find_object* found) __asm__("__wrap__dl_find_object");
int wrapped_dl_find_object(void* address, dl_find_object* found) {
    *found = {};
    Wanted wanted{reinterpret_cast<std::uintptr_t>(address), found};
    return ::dl_iterate_phdr(look_into, &wanted) == 1 ? 0 : -1;
}
#endif
