// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "pmix_hooks/process/environment.hpp"

#include <cstdlib>
#include <cstring>
#include <string_view>

namespace commmap::hooks {
namespace {

constexpr const char* separators = ": \t\n";  // as for the dynamic linker

bool is_ours(std::string_view entry) noexcept {
    return entry.substr(entry.rfind('/') + 1).starts_with("libcommmap_");
}

}  // namespace

void leave_preload() noexcept {
    char* const list = std::getenv("LD_PRELOAD");
    if (list == nullptr) return;
    // End of the entries that stay, once there is an entry to take out.
    char* kept = nullptr;
    for (char* at = list; *at != '\0';) {
        const std::size_t length = std::strcspn(at, separators);
        const std::size_t gap = std::strspn(at + length, separators);
        if (is_ours({at, length})) {
            if (kept == nullptr) kept = at;
        } else if (kept != nullptr) {
            std::memmove(kept, at, length + gap);
            kept += length + gap;
        }
        at += length + gap;
    }
    if (kept == nullptr) return;
    while (kept != list && std::strchr(separators, kept[-1]) != nullptr) --kept;
    *kept = '\0';
}

}  // namespace commmap::hooks
