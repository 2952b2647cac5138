#include "pmix_hooks/pmix_client.hpp"

#include <dlfcn.h>
#include <pmix.h>

#include <cstdlib>
#include <cstring>

namespace commmap::hooks {
namespace {

/// The loaded PMIx library; nothing when there is none.
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

/// PMIX_OPTIONAL: answer from what this process has, do not ask the server and wait.
pmix_info_t answer_at_once() noexcept {
    pmix_info_t info;
    std::memset(&info, 0, sizeof info);
    std::memcpy(info.key, PMIX_OPTIONAL, sizeof PMIX_OPTIONAL);
    info.value.type = PMIX_BOOL;
    info.value.data.flag = true;
    return info;
}

}  // namespace

void ask_pmix(Place& place) noexcept {
    const PmixLibrary pmix;
    auto* initialized = pmix.find<decltype(PMIx_Initialized)>("PMIx_Initialized");
    auto* init = pmix.find<decltype(PMIx_Init)>("PMIx_Init");
    auto* finalize = pmix.find<decltype(PMIx_Finalize)>("PMIx_Finalize");
    auto* get = pmix.find<decltype(PMIx_Get)>("PMIx_Get");
    if (initialized == nullptr || init == nullptr || finalize == nullptr || get == nullptr ||
        initialized() == 0)
        return;
    pmix_proc_t self;
    if (init(&self, nullptr, 0) != PMIX_SUCCESS) return;  // counted: MPI has done the real one

    const pmix_info_t at_once = answer_at_once();
    pmix_value_t* value = nullptr;
    if (get(&self, PMIX_HOSTNAME, &at_once, 1, &value) == PMIX_SUCCESS && value != nullptr) {
        if (value->type == PMIX_STRING && value->data.string != nullptr) {
            std::strncpy(place.node, value->data.string, sizeof place.node - 1);
            std::free(value->data.string);
        }
        std::free(value);
    }
    value = nullptr;
    if (get(&self, PMIX_NODEID, &at_once, 1, &value) == PMIX_SUCCESS && value != nullptr) {
        if (value->type == PMIX_UINT32) place.node_id = value->data.uint32;
        std::free(value);
    }
    finalize(nullptr, 0);
}

}  // namespace commmap::hooks
