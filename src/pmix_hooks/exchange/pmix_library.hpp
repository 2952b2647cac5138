// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <dlfcn.h>
#include <pmix.h>

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <memory>

namespace commmap::hooks {

/// The PMIx library that the MPI library has loaded. This class never loads one.
/// find() returns null when no PMIx library is loaded.
class PmixLibrary {
public:
    PmixLibrary() noexcept : handle_(::dlopen("libpmix.so.2", RTLD_LAZY | RTLD_NOLOAD)) {}
    ~PmixLibrary() {
        if (handle_ != nullptr) ::dlclose(handle_);
    }
    PmixLibrary(const PmixLibrary&) = delete;
    PmixLibrary& operator=(const PmixLibrary&) = delete;

    template <class Function>
    [[nodiscard]] Function* find(const char* name) const noexcept {
        return handle_ == nullptr ? nullptr : reinterpret_cast<Function*>(::dlsym(handle_, name));
    }

private:
    void* handle_;
};

/// Frees a value that PMIx_Get returned, and the memory that the value points to: both belong to
/// the caller.
struct ReleasePmixValue {
    void operator()(pmix_value_t* value) const noexcept {
        if (value->type == PMIX_STRING) std::free(value->data.string);
        if (value->type == PMIX_BYTE_OBJECT) std::free(value->data.bo.bytes);
        std::free(value);
    }
};
using PmixValue = std::unique_ptr<pmix_value_t, ReleasePmixValue>;

[[nodiscard]] inline pmix_value_t true_value() noexcept {
    pmix_value_t value;
    std::memset(&value, 0, sizeof value);
    value.type = PMIX_BOOL;
    value.data.flag = true;
    return value;
}

/// Returns a PMIx directive whose value is true.
template <std::size_t N>
[[nodiscard]] pmix_info_t directive(const char (&key)[N]) noexcept {
    static_assert(N <= sizeof(pmix_info_t::key));
    pmix_info_t info;
    std::memset(&info, 0, sizeof info);
    std::memcpy(info.key, key, N);
    info.value = true_value();
    return info;
}

/// A further use of a PMIx client that MPI has initialised; PMIx counts its uses. Never initialises
/// PMIx for the first time.
class PmixSession {
public:
    PmixSession() noexcept {
        auto* initialized = library_.find<decltype(PMIx_Initialized)>("PMIx_Initialized");
        auto* init = library_.find<decltype(PMIx_Init)>("PMIx_Init");
        finalize_ = library_.find<decltype(PMIx_Finalize)>("PMIx_Finalize");
        get_ = library_.find<decltype(PMIx_Get)>("PMIx_Get");
        open_ = initialized != nullptr && init != nullptr && finalize_ != nullptr &&
                get_ != nullptr && initialized() != 0 && init(&self_, nullptr, 0) == PMIX_SUCCESS;
    }
    ~PmixSession() {
        if (open_) finalize_(nullptr, 0);
    }
    PmixSession(const PmixSession&) = delete;
    PmixSession& operator=(const PmixSession&) = delete;

    [[nodiscard]] const PmixLibrary& library() const noexcept { return library_; }
    [[nodiscard]] bool open() const noexcept { return open_; }
    [[nodiscard]] const pmix_proc_t& self() const noexcept { return self_; }

    /// Reach of a question. No question goes to other nodes.
    /// In a step on a part of the job's nodes, Slurm's mpi/pmix has such a question answered by a
    /// wrong node, or never (pmixp_dmdx.c).
    enum class Reach {
        process,  ///< values that this process has or sees in its node's memory (PMIX_OPTIONAL)
        node,     ///< values that the server of this node has (PMIX_IMMEDIATE)
        awaited   ///< values that a process of this node puts before the limit (PMIX_TIMEOUT)
    };
    /// Asks for the value of a key. Null when there is none.
    /// The value must have a type that ReleasePmixValue knows, or a type without pointers.
    /// @param limit_s  for Reach::awaited, >= 1; a question about a process of another node may
    ///                 take longer
    [[nodiscard]] PmixValue get(const pmix_proc_t& process, const char* key,
                                Reach reach = Reach::process, int limit_s = 1) const noexcept {
        pmix_info_t how = reach == Reach::process ? directive(PMIX_OPTIONAL)
                          : reach == Reach::node  ? directive(PMIX_IMMEDIATE)
                                                  : directive(PMIX_TIMEOUT);
        if (reach == Reach::awaited) {
            how.value.type = PMIX_INT;
            how.value.data.integer = limit_s;
        }
        pmix_value_t* value = nullptr;
        if (!open_ || get_(&process, key, &how, 1, &value) != PMIX_SUCCESS) value = nullptr;
        return PmixValue(value);
    }

private:
    PmixLibrary library_;
    decltype(PMIx_Finalize)* finalize_ = nullptr;
    decltype(PMIx_Get)* get_ = nullptr;
    pmix_proc_t self_{};
    bool open_ = false;
};

}  // namespace commmap::hooks
