#include "pmix_hooks/say.hpp"

#include <unistd.h>

#include <exception>
#include <string_view>

namespace commmap::hooks {

void say(const std::string& message) noexcept {
    try {
        const std::string line = "commmap: " + message + "\n";
        [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, line.data(), line.size());
    } catch (const std::exception&) {
        constexpr std::string_view line = "commmap: no memory for the profile of this run\n";
        [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, line.data(), line.size());
    }
}

}  // namespace commmap::hooks
