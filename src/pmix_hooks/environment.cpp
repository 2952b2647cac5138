#include "pmix_hooks/environment.hpp"

#include <cstdlib>
#include <cstring>
#include <string_view>

namespace commmap::hooks {
namespace {

constexpr const char* separators = ": \t\n";  // of the dynamic linker

bool is_recorder(std::string_view entry) noexcept {
    return entry.substr(entry.rfind('/') + 1).starts_with("libcommmap_hooks_");
}

}  // namespace

void leave_preload() noexcept {
    char* const list = std::getenv("LD_PRELOAD");
    if (list == nullptr) return;
    bool found = false;
    char* end = list;  // of what is kept
    for (const char* at = list; *at != '\0';) {
        const std::size_t length = std::strcspn(at, separators);
        const std::size_t gap = std::strspn(at + length, separators);
        if (is_recorder({at, length})) {
            found = true;
        } else {
            std::memmove(end, at, length + gap);
            end += length + gap;
        }
        at += length + gap;
    }
    if (!found) return;
    while (end != list && std::strchr(separators, end[-1]) != nullptr) --end;
    if (end == list) {
        ::unsetenv("LD_PRELOAD");
    } else {
        *end = '\0';
    }
}

}  // namespace commmap::hooks
