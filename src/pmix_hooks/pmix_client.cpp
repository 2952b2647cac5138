#include "pmix_hooks/pmix_client.hpp"

#include <cstdlib>
#include <cstring>

#include "pmix_hooks/pmix_library.hpp"

namespace commmap::hooks {

void ask_pmix(Place& place) noexcept {
    const PmixSession pmix;
    if (pmix_value_t* value = pmix.get(pmix.self(), PMIX_HOSTNAME)) {
        if (value->type == PMIX_STRING && value->data.string != nullptr) {
            std::strncpy(place.node, value->data.string, sizeof place.node - 1);
            std::free(value->data.string);
        }
        std::free(value);
    }
    if (pmix_value_t* value = pmix.get(pmix.self(), PMIX_NODEID)) {
        if (value->type == PMIX_UINT32) place.node_id = value->data.uint32;
        std::free(value);
    }
}

}  // namespace commmap::hooks
