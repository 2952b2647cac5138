// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "pmix_hooks/output/record_memory.hpp"

#include <charconv>
#include <string_view>

#include "core/profile/recording/record_sources_generated.hpp"

namespace commmap::hooks {

std::uint64_t record_layout() noexcept {
    std::uint64_t layout = 0;
    const std::string_view digits = record_sources;
    std::from_chars(digits.data(), digits.data() + digits.size(), layout, 16);
    return layout;
}

}  // namespace commmap::hooks
