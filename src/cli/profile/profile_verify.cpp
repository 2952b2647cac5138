// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "cli/profile/profile_verify.hpp"

#include <fmt/core.h>

#include "core/profile/store/store.hpp"

namespace commmap::cli {

Result<std::string> verify_profile_file(const std::string& path, bool stored) {
    const auto file = stored ? open_stored_profile(path) : open_profile_file(path);
    if (!file) return file.error();
    std::string damaged;
    const auto check = [&](const auto& part) {
        // most parts cannot be checked without the communicators
        if (part || damaged.find(part.error().message) != std::string::npos) return;
        damaged += (damaged.empty() ? "" : "; ") + part.error().message;
    };
    check(file.value().ranks());
    check(file.value().communicators());
    check(file.value().rounds());
    check(file.value().topologies());
    for (std::size_t i = 0; i < file.value().phases().size(); ++i) check(file.value().phase(i));
    if (!damaged.empty())
        return Error{Errc::corrupt, fmt::format("'{}' is damaged: {}", path, damaged)};
    const std::size_t phases = file.value().phases().size();
    return fmt::format("'{}' is undamaged: {} ranks, {} {}", path, file.value().num_ranks(), phases,
                       phases == 1 ? "phase" : "phases");
}

}  // namespace commmap::cli
