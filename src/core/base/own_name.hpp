#pragma once

#include <unistd.h>

#include <string>
#include <string_view>

namespace commmap {

/// "plans-1000": what is this user's alone, in a directory that several users may share.
[[nodiscard]] inline std::string own_name(std::string_view name) {
    return std::string(name) + "-" + std::to_string(::geteuid());
}

}  // namespace commmap
